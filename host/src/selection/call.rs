//! The two forms of a call: one that waits and gives the number of what was selected, and one that queues.

use cust::memory::DeviceSlice;
use cust::stream::Stream;

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::launch::{Count, Queue, Selection, Span};

/// Selects, and waits for it. Gives the number of chosen items, for all of which there was room.
pub fn and_wait(gpu: &Gpu, selection: Selection) -> Result<usize> {
    let item_count = selection.input.item_count;
    if item_count == 0 && !selection.outputs.with_end {
        selection.check_lengths()?;
        return Ok(0);
    }
    let count = gpu.enter(|entered| {
        let ((), call) = Queue::and_wait(entered, |queue, call| {
            queue.select(&selection, Count::Own(call.result()?))
        })?;
        match item_count {
            0 => Ok(0),
            // SAFETY: the work is done, and it wrote a number there.
            _ => unsafe { call.read_number() },
        }
    })?;
    let count = count as usize;
    let end = usize::from(selection.outputs.with_end);
    check_room(selection.capacity(), count)?;
    check_room(selection.index_capacity(), count + end)?;
    check_room(selection.rejected_capacity(), item_count - count)?;
    Ok(count)
}

/// Checks that there is room for this many items, if they are asked for.
fn check_room(offered_items: Option<usize>, needed_items: usize) -> Result<()> {
    match offered_items {
        Some(offered_items) if offered_items < needed_items => Err(Error::OutputTooShort {
            offered_items,
            needed_items,
        }),
        _ => Ok(()),
    }
}

/// Queues a selection on a stream of the caller's.
pub fn queue(
    gpu: &Gpu,
    stream: &Stream,
    selection: Selection,
    count: &mut DeviceSlice<u64>,
) -> Result<()> {
    let count = Count::Callers(Span::from(&*count));
    gpu.enter(|entered| Queue::on(entered, stream, |queue| queue.select(&selection, count)))
}
