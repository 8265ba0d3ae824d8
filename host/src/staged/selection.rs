//! Selections and reductions by key of slices: all of it goes to the device at once, with room for the results, of which come back as
//! many as there are.

use super::layout::{Layout, Part};
use super::results::Results;
use crate::error::Result;
use crate::gpu::{BusyLane, Entered, Lane};
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Chooser, Count, Numbers, Outputs, Queue, Segments, Selection};

/// Bytes of a number: an index, or a length.
const NUMBER_BYTES: usize = size_of::<u64>();

/// What is asked for of a selection.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wanted {
    pub items: bool,
    pub others: bool,
    pub indices: bool,
    pub lengths: bool,
}

/// What was asked for of a selection.
pub(crate) struct Selected<T> {
    pub items: Vec<T>,
    pub others: Vec<T>,
    pub indices: Vec<u64>,
    pub lengths: Vec<u64>,
}

impl<T> Selected<T> {
    /// Nothing.
    pub const fn none() -> Self {
        Self {
            items: Vec::new(),
            others: Vec::new(),
            indices: Vec::new(),
            lengths: Vec::new(),
        }
    }
}

/// Selects among at least one item; there are as many flags, if there are flags.
pub(crate) fn select<T: Item>(
    entered: Entered<'_>,
    items: &[T],
    flags: Option<&[u8]>,
    chooser: Chooser,
    wanted: Wanted,
) -> Result<Selected<T>> {
    let mut layout = Layout::default();
    let input = layout.part_for(items)?;
    let flags_at = flags.map(|flags| layout.part_for(flags)).transpose()?;
    let sent_bytes = layout.bytes();
    let mut output = |is_wanted: bool, item_bytes| match is_wanted {
        true => layout.part(items.len(), item_bytes).map(Some),
        false => Ok(None),
    };
    let chosen = output(wanted.items, size_of::<T>())?;
    let others = output(wanted.others, size_of::<T>())?;
    let indices = output(wanted.indices, NUMBER_BYTES)?;
    let lengths = output(wanted.lengths, NUMBER_BYTES)?;
    let mut lane = entered.lane(layout.bytes())?;
    input.fill(lane.bytes(), items);
    if let (Some(part), Some(flags)) = (flags_at, flags) {
        part.fill(lane.bytes(), flags);
    }
    let lane = lane.send(sent_bytes)?;
    let numbers = |part: Option<Part>| {
        part.map(|part| Numbers {
            span: part.on(&lane),
            bytes: NUMBER_BYTES,
        })
    };
    let selection = Selection {
        input: input.on(&lane),
        item_count_at: None,
        flags: flags_at.map(|part| part.on(&lane)),
        chooser,
        outputs: Outputs {
            items: chosen.map(|part| part.on(&lane)),
            rejected: others.map(|part| part.on(&lane)),
            indices: numbers(indices),
            lengths: numbers(lengths),
            with_end: false,
        },
    };
    let (count, mut lane) = run::<T>(entered, lane, &selection)?;
    let rest = items.len() - count;
    let mut selected = Selected::none();
    (selected.items, lane) = receive(lane, chosen, count)?;
    (selected.others, lane) = receive(lane, others, rest)?;
    (selected.indices, lane) = receive(lane, indices, count)?;
    (selected.lengths, _) = receive(lane, lengths, count)?;
    Ok(selected)
}

/// Reduces the values of each run of at least one key, of which there are as many; the heads of runs are what the chooser finds.
pub(crate) fn reduce_by_key<O: Kernel<kind::segmented_reduce, V>, K: Item, V: Item>(
    entered: Entered<'_>,
    keys: &[K],
    values: &[V],
    chooser: Chooser,
) -> Result<(Vec<K>, Vec<O::Output>)> {
    let mut layout = Layout::default();
    let keys_at = layout.part_for(keys)?;
    let values_at = layout.part_for(values)?;
    let sent_bytes = layout.bytes();
    let unique_at = layout.part_for(keys)?;
    let results_at = layout.part(keys.len(), size_of::<O::Output>())?;
    let starts_at = layout.part(keys.len() + 1, NUMBER_BYTES)?;
    let mut lane = entered.lane(layout.bytes())?;
    keys_at.fill(lane.bytes(), keys);
    values_at.fill(lane.bytes(), values);
    let lane = lane.send(sent_bytes)?;
    let starts = Numbers {
        span: starts_at.on(&lane),
        bytes: NUMBER_BYTES,
    };
    let firsts = Some(unique_at.on(&lane));
    let runs = Selection::of_runs(keys_at.on(&lane), chooser, firsts, starts);
    let (count, lane) = run::<K>(entered, lane, &runs)?;
    let (unique, lane) = receive(lane, Some(unique_at), count)?;
    let lane = lane.into_busy()?;
    let segments = Segments::of_runs(values_at.on(&lane), starts, count, None);
    Queue::on_own(entered, lane.call(), |queue| {
        queue.segmented_reduce::<O, V>(segments, results_at.on(&lane), 0)
    })?;
    let (results, _) = receive(lane.wait()?, Some(results_at), count)?;
    Ok((unique, results))
}

/// Runs a selection on a lane, and waits for it. Gives how many items are chosen.
fn run<'gpu, T: Item>(
    entered: Entered<'_>,
    lane: BusyLane<'gpu>,
    selection: &Selection,
) -> Result<(usize, Lane<'gpu>)> {
    let count = Count::Own(lane.call().result()?);
    Queue::on_own(entered, lane.call(), |queue| {
        queue.select::<T>(selection, count)
    })?;
    let lane = lane.wait()?;
    // SAFETY: the work is done, and it wrote a number there.
    let count = unsafe { lane.call().read_result::<u64>() }?;
    Ok((count as usize, lane))
}

/// The first `count` items of a part, if there is such a part.
fn receive<T: Item>(
    lane: Lane<'_>,
    part: Option<Part>,
    count: usize,
) -> Result<(Vec<T>, Lane<'_>)> {
    let Some(Part { at, .. }) = part else {
        return Ok((Vec::new(), lane));
    };
    let mut results = Results::<T>::new(count)?;
    let to = results.bytes();
    let mut lane = lane.into_busy()?.receive(at, to.len())?.wait()?;
    to.write_copy_of_slice(&lane.bytes()[..to.len()]);
    // SAFETY: the items have come back, all of them.
    Ok((unsafe { results.written() }, lane))
}
