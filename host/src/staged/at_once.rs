//! Calls on slices whose items are all copied to the device at once, on one lane: the inputs one after another, then room for the
//! outputs. The part of the outputs that was written is copied back.

use super::layout::{Layout, Part};
use super::results::Results;
use crate::call::{Verb, Work};
use crate::error::Result;
use crate::gpu::{Entered, Lane};
use crate::kernel::{Item, Row, Type};
use crate::launch::Queue;
use crate::request::arguments::{Arguments, Memory, Shape};
use crate::selection::Count;

/// The type of a number: an index, a length, a count.
const NUMBER: Type = Type::of::<u64>();

/// How much room each output needs, in items.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wanted {
    pub results: usize,
    pub rest: usize,
    pub indices: usize,
    pub lengths: usize,
    pub unique_keys: usize,
    pub total: usize,
    /// Whether only the results of [grouped](Arguments::grouped) items are written.
    pub is_cut: bool,
}

/// A finished call, with its outputs on the device.
pub(crate) struct Done<'gpu> {
    lane: Lane<'gpu>,
    pub parts: Arguments<Part>,
    /// The part that is at the start of the lane's buffer.
    arrived: Option<Part>,
    /// How many items are chosen, or how many runs there are; 0 for other calls.
    pub count: usize,
}

/// Runs a call on items of the host, whose lengths and shape are checked, with results of the row's type, or else of the items'.
pub(crate) fn run_at_once<'gpu>(
    entered: Entered<'gpu>,
    verb: Verb,
    arguments: &Arguments<Memory<'_>>,
    wanted: Wanted,
) -> Result<Done<'gpu>> {
    if let Some(row) = verb.row() {
        let item_count = arguments.input.host().count();
        row.check_indices(arguments.shape.longest_group(item_count))?;
    }
    let range = match wanted.is_cut {
        true => arguments.grouped(),
        false => 0..wanted.results,
    };
    let item = arguments.input.host().item();
    let result = verb.row().map_or(item, |row: &Row| row.result);
    let key = match &arguments.shape {
        Shape::Keys(keys) => keys.host().item(),
        _ => item,
    };
    let mut layout = Layout::default();
    let mut parts = Arguments::new(layout.part_for(arguments.input.host())?);
    parts.initial = arguments.initial;
    if let Some(second) = &arguments.second {
        parts.second = Some(layout.part_for(second.host())?);
    }
    parts.shape = match &arguments.shape {
        Shape::Whole => Shape::Whole,
        Shape::InOrder => Shape::InOrder,
        Shape::Rows(items) => Shape::Rows(*items),
        Shape::Columns(count) => Shape::Columns(*count),
        Shape::Axis(axis) => Shape::Axis(*axis),
        Shape::Segments(offsets) => Shape::Segments(layout.part_for(offsets.host())?),
        Shape::Keys(keys) => Shape::Keys(layout.part_for(keys.host())?),
    };
    let sent_bytes = layout.bytes();
    let mut output = |count: usize, item| match count {
        0 => Ok(None),
        _ => layout.part(count, item).map(Some),
    };
    parts.results = output(wanted.results, result)?;
    parts.rest = output(wanted.rest, item)?;
    parts.indices = output(wanted.indices, NUMBER)?;
    parts.lengths = output(wanted.lengths, NUMBER)?;
    parts.unique_keys = output(wanted.unique_keys, key)?;
    parts.total = output(wanted.total, result)?;
    parts.count_to = output(usize::from(verb.needs_starts()), NUMBER)?;

    let mut lane = entered.lane(layout.bytes())?;
    let room = lane.bytes();
    parts.input.fill(room, arguments.input.host());
    if let (Some(part), Some(second)) = (parts.second, &arguments.second) {
        part.fill(room, second.host());
    }
    if let (Shape::Segments(part), Shape::Segments(memory))
    | (Shape::Keys(part), Shape::Keys(memory)) = (&parts.shape, &arguments.shape)
    {
        part.fill(room, memory.host());
    }
    let lane = lane.send(sent_bytes)?;
    let spans = parts.map_mut(|part| part.on(&lane));
    let Some(work) = Work::new(verb, &spans)? else {
        return Ok(Done {
            lane: lane.wait()?,
            parts,
            arrived: None,
            count: 0,
        });
    };
    let count = Count::Own(lane.call().result()?);
    work.queue(&mut Queue::on_own(entered, lane.call()), Some(count))?;
    // If the number of results is known, their copy is queued at once.
    let arrived = match verb.chooses() {
        true => None,
        false => parts.results.map(|part| part.items(range)),
    };
    let lane = match arrived {
        Some(part) => lane.receive(part.at, part.bytes())?.wait()?,
        None => lane.wait()?,
    };
    let mut done = Done {
        lane,
        parts,
        arrived,
        count: 0,
    };
    if let Some(part) = done.parts.count_to {
        let (numbers, counted) = done.take::<u64>(part)?;
        done = counted;
        done.count = numbers.first().map_or(0, |&count| count as usize);
    } else if verb.chooses() {
        // SAFETY: the work is done, and it wrote a number there.
        done.count = unsafe { done.lane.call().read_number() }? as usize;
    }
    Ok(done)
}

impl Done<'_> {
    /// The items of a part.
    pub fn take<R: Item>(self, part: Part) -> Result<(Vec<R>, Self)> {
        debug_assert_eq!(Type::of::<R>().bytes, part.item.bytes);
        let mut results = Results::<R>::new(part.item_count)?;
        let to = results.bytes();
        let mut done = self.fetch(part)?;
        to.write_copy_of_slice(&done.lane.bytes()[..to.len()]);
        // SAFETY: the items have come back, all of them.
        Ok((unsafe { results.written() }, done))
    }

    /// Writes the items of a part to the first places of `to`, which has room for them.
    pub fn take_to(self, part: Part, to: &mut [u8]) -> Result<Self> {
        let mut done = self.fetch(part)?;
        let bytes = part.bytes().min(to.len());
        to[..bytes].copy_from_slice(&done.lane.bytes()[..bytes]);
        Ok(done)
    }

    /// Copies a part to the start of the lane's buffer.
    fn fetch(self, part: Part) -> Result<Self> {
        if self.arrived == Some(part) || part.item_count == 0 {
            return Ok(self);
        }
        let lane = self.lane.into_busy()?;
        Ok(Self {
            lane: lane.receive(part.at, part.bytes())?.wait()?,
            arrived: Some(part),
            ..self
        })
    }
}
