//! How requests end on a GPU: what `wait` gives for each verb, place, shape and output, and which requests can be queued.
//!
//! The traits stand on tuples of a request's types. A combination without an implementation does not compile.

mod reduce;
mod runs;
mod scan;
mod select;

use crate::binding::RawStream;
use crate::call::Verb;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::kernel::Item;
use crate::staged::{Wanted, run_at_once};

use super::arguments::{Arguments, HostItems, Memory};

macro_rules! end_traits {
    ($($waits:ident $queues:ident: $message:literal, $note:literal;)*) => {$(
        /// A request that a GPU can be waited for.
        #[diagnostic::on_unimplemented(message = $message, label = "not as it stands", note = $note)]
        #[allow(private_interfaces)]
        pub trait $waits<O, T> {
            /// What `wait` gives.
            type Given;

            #[doc(hidden)]
            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Self::Given>;
        }

        /// A request that can be queued.
        #[diagnostic::on_unimplemented(message = $message, label = "not queued as it stands", note = $note)]
        #[allow(private_interfaces)]
        pub trait $queues<O, T> {
            #[doc(hidden)]
            fn verb() -> Result<Verb>;
        }
    )*};
}

end_traits! {
    ReduceEnd QueuedReduce:
        "this reduction lacks something before it can run: its place, shape and output are `{Self}`",
        "results in device memory need a place to go: `.to(&mut results)`; by key, a queued call also needs `.runs_to(&mut starts, &mut count)`; work on slices of the host is waited for";
    ScanEnd QueuedScan:
        "this scan lacks something before it can run: its place, shape, order and output are `{Self}`",
        "results in device memory need a place to go: `.to(&mut results)`, or `.in_place()` of `scan(&mut items)`; by key, a queued call also needs `.runs_to(&mut starts, &mut count)`; work on slices of the host is waited for";
    SelectEnd QueuedSelect:
        "this selection lacks something before it can run: its place, output and count are `{Self}`",
        "what is chosen in device memory needs a place to go: `.to(&mut chosen)`, `.rest_to(&mut rest)` or `.indices_to(&mut indices)`; a queued call also needs `.count_to(&mut count)`; flags are the second of two inputs: `select::<Flagged, _>((&items, &flags))`";
    RunsEnd QueuedRuns:
        "this request for runs lacks something before it can run: its place, output and count are `{Self}`",
        "what is found in device memory needs a place to go: `.to(&mut firsts)`, `.lengths_to(&mut lengths)` or `.starts_to(&mut starts)`; a queued call also needs `.count_to(&mut count)`";
}

/// Queues a request of these types.
pub(super) fn queue(
    gpu: &Gpu,
    stream: RawStream<'_>,
    verb: Result<Verb>,
    arguments: Arguments<Memory<'_>>,
) -> Result<()> {
    crate::call::queue(gpu, stream, verb?, arguments)
}

/// Runs a call on items of the host, all at once, and gives its results.
fn results<R: Item>(
    gpu: &Gpu,
    verb: Verb,
    arguments: &Arguments<Memory<'_>>,
    wanted: Wanted,
) -> Result<Vec<R>> {
    gpu.enter(|entered| {
        let done = run_at_once(entered, verb, arguments, wanted)?;
        match done.parts.results {
            Some(part) => Ok(done.take(part)?.0),
            None => Ok(Vec::new()),
        }
    })
}

/// Runs a call on items of the host, all at once, and writes its results to the first places of `to`, which has room for them.
fn results_to(
    gpu: &Gpu,
    verb: Verb,
    arguments: &Arguments<Memory<'_>>,
    wanted: Wanted,
    to: &mut [u8],
) -> Result<()> {
    gpu.enter(|entered| {
        let done = run_at_once(entered, verb, arguments, wanted)?;
        match done.parts.results {
            Some(part) => done.take_to(part, to).map(drop),
            None => Ok(()),
        }
    })
}

/// The bytes of the first items of an output of the host, if it has room for so many.
pub(super) fn room<'a>(output: Option<Memory<'a>>, needed_items: usize) -> Result<&'a mut [u8]> {
    let (bytes, item_bytes) = match output {
        Some(Memory::HostMut(HostItems { bytes, item })) => (bytes, item.bytes),
        _ => (&mut [][..], 1),
    };
    let offered_items = bytes.len() / item_bytes;
    bytes
        .get_mut(..needed_items.saturating_mul(item_bytes))
        .ok_or(Error::OutputTooShort {
            offered_items,
            needed_items,
        })
}

/// Writes these items to the first places of an output of the host.
pub(super) fn take<T: Item>(output: Option<Memory<'_>>, items: &[T]) -> Result<()> {
    room(output, items.len())?.copy_from_slice(bytemuck::cast_slice(items));
    Ok(())
}

/// Indices and lengths, which are no more than a slice has items.
fn numbers(numbers: Vec<u64>) -> Vec<usize> {
    numbers.into_iter().map(|number| number as usize).collect()
}
