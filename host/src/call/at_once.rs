//! Calls on slices whose items are uploaded all at once, on one transfer lane. The lane's memory holds the inputs, one after another, and
//! then room for the outputs.

use super::layout::{Layout, Section};
use super::{Verb, Work};
use crate::arguments::{Arguments, Memory, Shape};
use crate::error::Result;
use crate::gpu::{Entered, TransferLane};
use crate::kernel::{Item, Row, Type};
use crate::launch::Queue;
use crate::selection::Count;
use crate::staged::results::Results;

/// The type of an index, a length or a count.
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
    /// Whether only the results of items in segments are written and downloaded. These items are the range [`Arguments::grouped`].
    pub is_cut: bool,
}

/// A finished call, with its outputs on the device.
pub(crate) struct Done<'gpu> {
    lane: TransferLane<'gpu>,
    /// If [`Wanted::is_cut`] was set, the section of the results covers only the results of items in segments.
    pub sections: Arguments<Section>,
    /// The section that was downloaded last: its items are at the start of the lane's buffer.
    arrived: Option<Section>,
    /// The number of chosen items or of runs, for a verb that [chooses](Verb::chooses); otherwise 0.
    pub count: usize,
}

/// Runs a call on host items. The caller has checked the lengths of the inputs and the shape. Results have the kernel row's result type, or
/// the items' type if there is no kernel row.
pub(crate) fn run_at_once<'gpu>(
    entered: Entered<'gpu>,
    verb: Verb,
    arguments: &Arguments<Memory<'_>>,
    wanted: Wanted,
) -> Result<Done<'gpu>> {
    verb.check_indices(&arguments.shape, arguments.input.host().count())?;
    let range = match wanted.is_cut {
        true => arguments.grouped(),
        false => 0..wanted.results,
    };
    let mut layout = Layout::default();
    let mut sections = lay_out_inputs(&mut layout, arguments)?;
    let sent_bytes = layout.bytes();
    lay_out_outputs(&mut layout, &mut sections, verb, arguments, wanted)?;
    let mut lane = entered.lane(layout.bytes())?;
    fill(lane.bytes(), &sections, arguments);
    let lane = lane.send(sent_bytes)?;
    let spans = sections.map_mut(|section| section.on(&lane));
    let Some(work) = Work::new(verb, &spans)? else {
        return Ok(Done {
            lane: lane.wait()?,
            sections,
            arrived: None,
            count: 0,
        });
    };
    let count = Count::Own(lane.call().result()?);
    work.queue(&mut Queue::on_own(entered, lane.call()), Some(count))?;
    sections.results = sections.results.map(|section| section.items(range));
    // If the number of results is known, the download of the results is queued right behind the work.
    let arrived = match verb.chooses() {
        true => None,
        false => sections.results,
    };
    let lane = match arrived {
        Some(section) => lane.receive(section.at, section.bytes())?.wait()?,
        None => lane.wait()?,
    };
    let done = Done {
        lane,
        sections,
        arrived,
        count: 0,
    };
    done.counted(verb)
}

fn lay_out_inputs(
    layout: &mut Layout,
    arguments: &Arguments<Memory<'_>>,
) -> Result<Arguments<Section>> {
    let mut sections = Arguments::new(layout.section_for(arguments.input.host())?);
    sections.initial = arguments.initial;
    if let Some(second) = &arguments.second {
        sections.second = Some(layout.section_for(second.host())?);
    }
    sections.shape = match &arguments.shape {
        Shape::Whole => Shape::Whole,
        Shape::InOrder => Shape::InOrder,
        Shape::Rows(items) => Shape::Rows(*items),
        Shape::Columns(count) => Shape::Columns(*count),
        Shape::Axis(axis) => Shape::Axis(*axis),
        Shape::Segments(offsets) => Shape::Segments(layout.section_for(offsets.host())?),
        Shape::Keys(keys) => Shape::Keys(layout.section_for(keys.host())?),
    };
    Ok(sections)
}

/// Assigns sections to the outputs that the call needs.
fn lay_out_outputs(
    layout: &mut Layout,
    sections: &mut Arguments<Section>,
    verb: Verb,
    arguments: &Arguments<Memory<'_>>,
    wanted: Wanted,
) -> Result<()> {
    let item = arguments.input.host().item();
    let result = verb.row().map_or(item, |row: &Row| row.result);
    let key = match &arguments.shape {
        Shape::Keys(keys) => keys.host().item(),
        _ => item,
    };
    let mut output = |count: usize, item| match count {
        0 => Ok(None),
        _ => layout.section(count, item).map(Some),
    };
    sections.results = output(wanted.results, result)?;
    sections.rest = output(wanted.rest, item)?;
    sections.indices = output(wanted.indices, NUMBER)?;
    sections.lengths = output(wanted.lengths, NUMBER)?;
    sections.unique_keys = output(wanted.unique_keys, key)?;
    sections.total = output(wanted.total, result)?;
    sections.count_to = output(usize::from(verb.counts_runs()), NUMBER)?;
    Ok(())
}

/// Copies the inputs to their sections of a lane's buffer.
fn fill(buffer: &mut [u8], sections: &Arguments<Section>, arguments: &Arguments<Memory<'_>>) {
    sections.input.fill(buffer, arguments.input.host());
    if let (Some(section), Some(second)) = (sections.second, &arguments.second) {
        section.fill(buffer, second.host());
    }
    if let (Shape::Segments(section), Shape::Segments(memory))
    | (Shape::Keys(section), Shape::Keys(memory)) = (&sections.shape, &arguments.shape)
    {
        section.fill(buffer, memory.host());
    }
}

impl Done<'_> {
    /// Reads the number of chosen items or of runs, if only the device knows the number of results.
    fn counted(self, verb: Verb) -> Result<Self> {
        if !verb.chooses() {
            return Ok(self);
        }
        if let Some(section) = self.sections.count_to {
            let (numbers, done) = self.take::<u64>(section)?;
            let count = numbers.first().map_or(0, |&count| count as usize);
            return Ok(Self { count, ..done });
        }
        // SAFETY: `self.lane` was waited for, so the kernel has written the number to the call's result.
        let count = unsafe { self.lane.call().read_number() }? as usize;
        Ok(Self { count, ..self })
    }

    /// The items of a section.
    pub fn take<R: Item>(self, section: Section) -> Result<(Vec<R>, Self)> {
        debug_assert_eq!(Type::of::<R>().bytes, section.item.bytes);
        let mut results = Results::<R>::new(section.item_count)?;
        let to = results.bytes();
        let mut done = self.fetch(section)?;
        to.write_copy_of_slice(&done.lane.bytes()[..to.len()]);
        // SAFETY: the line above has written all bytes of `results`, from items of type `R`.
        Ok((unsafe { results.written() }, done))
    }

    /// Copies a section to the start of `to`. Bytes that do not fit are left out.
    pub fn take_to(self, section: Section, to: &mut [u8]) -> Result<Self> {
        let mut done = self.fetch(section)?;
        let bytes = section.bytes().min(to.len());
        to[..bytes].copy_from_slice(&done.lane.bytes()[..bytes]);
        Ok(done)
    }

    /// Downloads a section to the start of the lane's buffer.
    fn fetch(self, section: Section) -> Result<Self> {
        if self.arrived == Some(section) || section.item_count == 0 {
            return Ok(self);
        }
        let lane = self.lane.into_busy()?;
        Ok(Self {
            lane: lane.receive(section.at, section.bytes())?.wait()?,
            arrived: Some(section),
            ..self
        })
    }
}
