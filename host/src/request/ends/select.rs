//! Selections.

use warpfold_kernels::op::Pair;

use super::{QueuedSelect, SelectEnd, numbers, take_both};
use crate::arguments::{Arguments, Memory};
use crate::call::{self, Verb};
use crate::call::{Wanted, run_at_once};
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::Item;
use crate::request::memory::{OnTheDevice, OnTheHost, PairsIn, Returned};
use crate::request::{Counted, Flagged, ReturnedIndices, ReturnedParts, Uncounted, Written};
use crate::selection::Chooser;
use crate::selection::{SelectKernel, by_flags, by_predicate};

macro_rules! of_device {
    ($place:ty, $chosen_by:ty, [$($parameter:tt)*] $item:ty, $chooser:expr) => {
        #[allow(private_interfaces)]
        impl<$($parameter)*, N> SelectEnd<$chosen_by, $item> for ($place, Written, N) {
            type Given = usize;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<usize> {
                call::wait(gpu, Verb::Select($chooser), arguments)
            }
        }

        #[allow(private_interfaces)]
        impl<$($parameter)*> QueuedSelect<$chosen_by, $item> for ($place, Written, Counted) {
            fn verb() -> Result<Verb> {
                Ok(Verb::Select($chooser))
            }
        }
    };
}

of_device!(OnTheDevice, C, [C: SelectKernel<T>, T: Item] T, by_predicate::<C, T>());
of_device!(PairsIn<OnTheDevice>, Flagged, [T: Item] Pair<T, u8>, by_flags::<T>()?);

macro_rules! of_host {
    ($place:ty, $chosen_by:ty, [$($parameter:tt)*] $item:ty, $chooser:expr) => {
        #[allow(private_interfaces)]
        impl<$($parameter)*> SelectEnd<$chosen_by, $item> for ($place, Returned, Uncounted) {
            type Given = Vec<T>;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Vec<T>> {
                Ok(selected(gpu, $chooser, &arguments, Asked::Chosen)?.chosen)
            }
        }

        #[allow(private_interfaces)]
        impl<$($parameter)*> SelectEnd<$chosen_by, $item> for ($place, ReturnedParts, Uncounted) {
            type Given = (Vec<T>, Vec<T>);

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<(Vec<T>, Vec<T>)> {
                let selected = selected(gpu, $chooser, &arguments, Asked::Both)?;
                Ok((selected.chosen, selected.rest))
            }
        }

        #[allow(private_interfaces)]
        impl<$($parameter)*> SelectEnd<$chosen_by, $item> for ($place, ReturnedIndices, Uncounted) {
            type Given = Vec<usize>;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Vec<usize>> {
                let selected = selected::<T>(gpu, $chooser, &arguments, Asked::Indices)?;
                Ok(numbers(selected.indices))
            }
        }

        #[allow(private_interfaces)]
        impl<$($parameter)*> SelectEnd<$chosen_by, $item> for ($place, Written, Uncounted) {
            type Given = usize;

            fn run(gpu: &Gpu, mut arguments: Arguments<Memory<'_>>) -> Result<usize> {
                let outputs = (arguments.results.take(), arguments.rest.take());
                let selected = selected::<T>(gpu, $chooser, &arguments, Asked::Both)?;
                take_both((outputs.0, &selected.chosen), (outputs.1, &selected.rest))?;
                Ok(selected.chosen.len())
            }
        }
    };
}

of_host!(OnTheHost, C, [C: SelectKernel<T>, T: Item] T, by_predicate::<C, T>());
of_host!(PairsIn<OnTheHost>, Flagged, [T: Item] Pair<T, u8>, by_flags::<T>()?);

/// The results that a selection of host items asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Chosen,
    Both,
    Indices,
}

/// The results of a selection. A field is empty if it was not asked for.
struct Selected<T> {
    chosen: Vec<T>,
    rest: Vec<T>,
    indices: Vec<u64>,
}

fn selected<T: Item>(
    gpu: &Gpu,
    chooser: Chooser,
    arguments: &Arguments<Memory<'_>>,
    asked: Asked,
) -> Result<Selected<T>> {
    let mut selected = Selected {
        chosen: Vec::new(),
        rest: Vec::new(),
        indices: Vec::new(),
    };
    arguments.group_count()?;
    let item_count = arguments.input.host().count();
    if item_count == 0 {
        return Ok(selected);
    }
    let room = |is_wanted| match is_wanted {
        true => item_count,
        false => 0,
    };
    let wanted = Wanted {
        results: room(asked != Asked::Indices),
        rest: room(asked == Asked::Both),
        indices: room(asked == Asked::Indices),
        ..Wanted::default()
    };
    gpu.enter(|entered| {
        let mut done = run_at_once(entered, Verb::Select(chooser), arguments, wanted)?;
        let count = done.count;
        if let Some(section) = done.sections.results {
            (selected.chosen, done) = done.take(section.first(count))?;
        }
        if let Some(section) = done.sections.rest {
            (selected.rest, done) = done.take(section.first(item_count - count))?;
        }
        if let Some(section) = done.sections.indices {
            (selected.indices, _) = done.take(section.first(count))?;
        }
        Ok(selected)
    })
}
