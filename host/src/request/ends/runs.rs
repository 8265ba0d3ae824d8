//! Runs of equal items.

use super::{QueuedRuns, RunsEnd, numbers, take};
use crate::arguments::{Arguments, Memory};
use crate::call::{self, Verb};
use crate::call::{Wanted, run_at_once};
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::Item;
use crate::request::memory::{OnTheDevice, OnTheHost, Returned};
use crate::request::{Counted, ReturnedIndices, ReturnedLengths, Uncounted, Written};
use crate::selection::{RunsKernel, heads};

#[allow(private_interfaces)]
impl<E: RunsKernel<T>, T: Item, N> RunsEnd<E, T> for (OnTheDevice, Written, N) {
    type Given = usize;

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<usize> {
        call::wait(gpu, Verb::Runs(heads::<E, T>()), arguments)
    }
}

#[allow(private_interfaces)]
impl<E: RunsKernel<T>, T: Item> QueuedRuns<E, T> for (OnTheDevice, Written, Counted) {
    fn verb() -> Result<Verb> {
        Ok(Verb::Runs(heads::<E, T>()))
    }
}

#[allow(private_interfaces)]
impl<E: RunsKernel<T>, T: Item> RunsEnd<E, T> for (OnTheHost, Returned, Uncounted) {
    type Given = Vec<T>;

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Vec<T>> {
        let item_count = arguments.input.host().count();
        Ok(found::<E, T>(gpu, &arguments, firsts(item_count))?.firsts)
    }
}

#[allow(private_interfaces)]
impl<E: RunsKernel<T>, T: Item> RunsEnd<E, T> for (OnTheHost, ReturnedLengths, Uncounted) {
    type Given = (Vec<T>, Vec<usize>);

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Self::Given> {
        let item_count = arguments.input.host().count();
        let wanted = Wanted {
            lengths: item_count,
            ..firsts(item_count)
        };
        let found = found::<E, T>(gpu, &arguments, wanted)?;
        Ok((found.firsts, numbers(found.lengths)))
    }
}

#[allow(private_interfaces)]
impl<E: RunsKernel<T>, T: Item> RunsEnd<E, T> for (OnTheHost, ReturnedIndices, Uncounted) {
    type Given = Vec<usize>;

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Vec<usize>> {
        let item_count = arguments.input.host().count();
        if item_count == 0 {
            return Ok(vec![0]);
        }
        let wanted = Wanted {
            indices: item_count + 1,
            ..Wanted::default()
        };
        Ok(numbers(found::<E, T>(gpu, &arguments, wanted)?.starts))
    }
}

#[allow(private_interfaces)]
impl<E: RunsKernel<T>, T: Item> RunsEnd<E, T> for (OnTheHost, Written, Uncounted) {
    type Given = usize;

    fn run(gpu: &Gpu, mut arguments: Arguments<Memory<'_>>) -> Result<usize> {
        let output = arguments.results.take();
        let item_count = arguments.input.host().count();
        let firsts = found::<E, T>(gpu, &arguments, firsts(item_count))?.firsts;
        take(output, &firsts)?;
        Ok(firsts.len())
    }
}

/// The results of a request for runs. A field is empty if it was not requested, or if there are no items.
struct Found<T> {
    firsts: Vec<T>,
    lengths: Vec<u64>,
    /// The starts, followed by the number of items.
    starts: Vec<u64>,
}

fn firsts(item_count: usize) -> Wanted {
    Wanted {
        results: item_count,
        ..Wanted::default()
    }
}

fn found<E: RunsKernel<T>, T: Item>(
    gpu: &Gpu,
    arguments: &Arguments<Memory<'_>>,
    wanted: Wanted,
) -> Result<Found<T>> {
    let mut found = Found {
        firsts: Vec::new(),
        lengths: Vec::new(),
        starts: Vec::new(),
    };
    if arguments.input.is_empty() {
        return Ok(found);
    }
    gpu.enter(|entered| {
        let mut done = run_at_once(entered, Verb::Runs(heads::<E, T>()), arguments, wanted)?;
        let count = done.count;
        if let Some(section) = done.sections.results {
            (found.firsts, done) = done.take(section.first(count))?;
        }
        if let Some(section) = done.sections.lengths {
            (found.lengths, done) = done.take(section.first(count))?;
        }
        if let Some(section) = done.sections.indices {
            (found.starts, _) = done.take(section.first(count + 1))?;
        }
        Ok(found)
    })
}
