//! Selections and reductions by key of slices: all of it goes to the device at once, with room for the results, of which come back as
//! many as there are.

use super::Items;
use super::layout::{Layout, Part};
use super::results::Results;
use crate::error::Result;
use crate::gpu::{BusyLane, Entered, Lane};
use crate::kernel::{Item, Row, Type};
use crate::launch::{Chooser, Count, Outputs, Queue, Segments, Selection};

/// The type of a number: an index, or a length.
const NUMBER: Type = Type::of::<u64>();

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
    let items = Items::from(items);
    let flags = flags.map(Items::from);
    let input = layout.part_for(items)?;
    let flags_at = flags.map(|flags| layout.part_for(flags)).transpose()?;
    let sent_bytes = layout.bytes();
    let mut output = |is_wanted: bool, item| match is_wanted {
        true => layout.part(items.count(), item).map(Some),
        false => Ok(None),
    };
    let chosen = output(wanted.items, items.item)?;
    let others = output(wanted.others, items.item)?;
    let indices = output(wanted.indices, NUMBER)?;
    let lengths = output(wanted.lengths, NUMBER)?;
    let mut lane = entered.lane(layout.bytes())?;
    input.fill(lane.bytes(), items);
    if let (Some(part), Some(flags)) = (flags_at, flags) {
        part.fill(lane.bytes(), flags);
    }
    let lane = lane.send(sent_bytes)?;
    let selection = Selection {
        input: input.on(&lane),
        item_count_at: None,
        flags: flags_at.map(|part| part.on(&lane)),
        chooser,
        outputs: Outputs {
            items: chosen.map(|part| part.on(&lane)),
            rejected: others.map(|part| part.on(&lane)),
            indices: indices.map(|part| part.on(&lane)),
            lengths: lengths.map(|part| part.on(&lane)),
            with_end: false,
        },
    };
    let (count, mut lane) = run(entered, lane, &selection)?;
    let rest = items.count() - count;
    let mut selected = Selected::none();
    (selected.items, lane) = receive(lane, chosen, count)?;
    (selected.others, lane) = receive(lane, others, rest)?;
    (selected.indices, lane) = receive(lane, indices, count)?;
    (selected.lengths, _) = receive(lane, lengths, count)?;
    Ok(selected)
}

/// Reduces the values of each run of at least one key, of which there are as many; the heads of runs are what the chooser finds. The
/// keys are of type `K`, the row's results of type `R`.
pub(crate) fn reduce_by_key<K: Item, R: Item>(
    entered: Entered<'_>,
    row: &'static Row,
    keys: Items<'_>,
    values: Items<'_>,
    chooser: Chooser,
) -> Result<(Vec<K>, Vec<R>)> {
    debug_assert_eq!((Type::of::<K>(), Type::of::<R>()), (keys.item, row.result));
    let mut layout = Layout::default();
    let keys_at = layout.part_for(keys)?;
    let values_at = layout.part_for(values)?;
    let sent_bytes = layout.bytes();
    let unique_at = layout.part_for(keys)?;
    let results_at = layout.part(keys.count(), row.result)?;
    let starts_at = layout.part(keys.count() + 1, NUMBER)?;
    let mut lane = entered.lane(layout.bytes())?;
    keys_at.fill(lane.bytes(), keys);
    values_at.fill(lane.bytes(), values);
    let lane = lane.send(sent_bytes)?;
    let starts = starts_at.on(&lane);
    let firsts = Some(unique_at.on(&lane));
    let runs = Selection::of_runs(keys_at.on(&lane), chooser, firsts, starts);
    let (count, lane) = run(entered, lane, &runs)?;
    let (unique, lane) = receive(lane, Some(unique_at), count)?;
    let lane = lane.into_busy()?;
    let segments = Segments::of_runs(values_at.on(&lane), starts, count, None);
    Queue::on_own(entered, lane.call(), |queue| {
        queue.segmented_reduce(row, segments, results_at.on(&lane), 0)
    })?;
    let (results, _) = receive(lane.wait()?, Some(results_at), count)?;
    Ok((unique, results))
}

/// Runs a selection on a lane, and waits for it. Gives how many items are chosen.
fn run<'gpu>(
    entered: Entered<'_>,
    lane: BusyLane<'gpu>,
    selection: &Selection,
) -> Result<(usize, Lane<'gpu>)> {
    let count = Count::Own(lane.call().result()?);
    Queue::on_own(entered, lane.call(), |queue| queue.select(selection, count))?;
    let lane = lane.wait()?;
    // SAFETY: `wait` has waited for the selection, which writes the number of chosen items to the place of the call's result.
    let count = unsafe { lane.call().read_number() }?;
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
    // SAFETY: all `count` items have been copied from the device's memory, where the kernel has written items.
    Ok((unsafe { results.written() }, lane))
}
