//! How requests end on a GPU. For each combination of verb, place, shape and output, this module says what `wait` returns, and whether the
//! request can be queued.
//!
//! The traits are implemented for tuples of a request's type parameters. A combination without an implementation does not compile.

mod axis;
mod reduce;
mod runs;
mod scan;
mod select;

use crate::binding::RawStream;
use crate::call::Verb;
use crate::call::{Wanted, run_at_once};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::kernel::Item;

use crate::arguments::{Arguments, HostItems, Memory};
pub(super) use reduce::{has_no_row, identities};

macro_rules! end_traits {
    ($(
        $waits:ident: $message:literal, $label:literal, $note:literal;
        $queues:ident: $queued_message:literal, $queued_label:literal, $queued_note:literal;
    )*) => {$(
        /// A request that can run on a GPU and be waited for.
        #[diagnostic::on_unimplemented(message = $message, label = $label, note = $note)]
        #[allow(private_interfaces)]
        pub trait $waits<O, T> {
            /// The type that `wait` returns.
            type Given;

            #[doc(hidden)]
            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Self::Given>;
        }

        /// A request that can be queued.
        #[diagnostic::on_unimplemented(message = $queued_message, label = $queued_label, note = $queued_note)]
        #[allow(private_interfaces)]
        pub trait $queues<O, T> {
            #[doc(hidden)]
            fn verb() -> Result<Verb>;
        }
    )*};
}

end_traits! {
    ReduceEnd:
        "this reduction cannot be waited for on a GPU",
        "several results in device memory need `.to(&mut results)` before it",
        "by key, `.keys_to(&mut keys)` takes the key of each run";
    QueuedReduce:
        "this reduction cannot be queued",
        "needs `.to(&mut results)` before it; by key, `.count_to(&mut count)` too",
        "by key, `count` takes how many runs there are: only the device knows";
    ScanEnd:
        "this scan cannot be waited for on a GPU",
        "results in device memory need `.to(&mut results)` or `.in_place()` before it",
        "results take the place of the items by `scan::<Sum, _>(&mut items).in_place()`";
    QueuedScan:
        "this scan cannot be queued",
        "needs `.to(&mut results)` or `.in_place()` before it",
        "in place of `.and_total()`, `.total(&mut total)` takes the total in device memory";
    SelectEnd:
        "this selection cannot be waited for on a GPU",
        "of device memory, needs `.to(&mut chosen)`, `.rest_to(&mut rest)` or `.indices_to(&mut indices)` before it",
        "two inputs are items and flags of type `u8`: `select::<Flagged, _>((&items, &flags))`";
    QueuedSelect:
        "this selection cannot be queued",
        "needs `.to(&mut chosen)`, `.rest_to(&mut rest)` or `.indices_to(&mut indices)`, and `.count_to(&mut count)`, before it",
        "`count` takes how many items are chosen: only the device knows";
    RunsEnd:
        "these runs cannot be waited for on a GPU",
        "of device memory, needs `.to(&mut firsts)`, `.lengths_to(&mut lengths)` or `.starts_to(&mut starts)` before it",
        "`.count_to(&mut count)` takes how many runs there are, for work that follows on the device";
    QueuedRuns:
        "these runs cannot be queued",
        "needs `.to(&mut firsts)`, `.lengths_to(&mut lengths)` or `.starts_to(&mut starts)`, and `.count_to(&mut count)`, before it",
        "`count` takes how many runs there are: only the device knows";
}

/// Queues a request. `verb` follows from the request's type parameters.
pub(super) fn queue(
    gpu: &Gpu,
    stream: RawStream<'_>,
    verb: Result<Verb>,
    arguments: &mut Arguments<Memory<'_>>,
) -> Result<()> {
    crate::call::queue(gpu, stream, verb?, arguments)
}

/// Runs a call on items of the host, which are uploaded all at once, and returns the results.
fn results<R: Item>(
    gpu: &Gpu,
    verb: Verb,
    arguments: &Arguments<Memory<'_>>,
    wanted: Wanted,
) -> Result<Vec<R>> {
    gpu.enter(|entered| {
        let done = run_at_once(entered, verb, arguments, wanted)?;
        match done.sections.results {
            Some(part) => Ok(done.take(part)?.0),
            None => Ok(Vec::new()),
        }
    })
}

/// Runs a call on items of the host, which are uploaded all at once, and writes the results to the beginning of `to`, which is long enough.
/// If the results are [cut](Wanted::is_cut), only those of [grouped](Arguments::grouped) items are written.
fn results_to(
    gpu: &Gpu,
    verb: Verb,
    arguments: &Arguments<Memory<'_>>,
    wanted: Wanted,
    to: &mut [u8],
) -> Result<()> {
    gpu.enter(|entered| {
        let done = run_at_once(entered, verb, arguments, wanted)?;
        match done.sections.results {
            Some(part) => done.take_to(part, to).map(drop),
            None => Ok(()),
        }
    })
}

/// The bytes of the first `needed_items` items of an output of the host; an error if the output is shorter.
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

/// Writes `items` to the beginning of an output of the host. If the output is too short, it is filled, and the function returns an error.
pub(super) fn take<T: Item>(mut output: Option<Memory<'_>>, items: &[T]) -> Result<()> {
    let items: &[u8] = bytemuck::cast_slice(items);
    if let Some(Memory::HostMut(HostItems { bytes, .. })) = &mut output {
        let filled = bytes.len().min(items.len());
        bytes[..filled].copy_from_slice(&items[..filled]);
    }
    room(output, items.len() / size_of::<T>()).map(drop)
}

/// Like [`take`], for two outputs of the host. The request may lack one of these outputs, or both. If one output is too short, the other
/// output is still written.
pub(super) fn take_both<A: Item, B: Item>(
    first: (Option<Memory<'_>>, &[A]),
    second: (Option<Memory<'_>>, &[B]),
) -> Result<()> {
    let taken = [
        first.0.map(|to| take(Some(to), first.1)),
        second.0.map(|to| take(Some(to), second.1)),
    ];
    taken.into_iter().flatten().collect()
}

/// Indices and lengths as `usize`. No number is greater than the length of a slice, so all numbers fit.
fn numbers(numbers: Vec<u64>) -> Vec<usize> {
    numbers.into_iter().map(|number| number as usize).collect()
}
