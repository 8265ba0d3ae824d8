//! Segments of a slice: all of it goes to the device at once, with the offsets behind the items and room for the results.

use std::iter;

use super::results::Results;
use crate::error::{Error, Result};
use crate::gpu::Entered;
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Queue, Segments, Span, Starts};

/// Where a part of the lane's memory begins: as device memory does.
const ALIGNMENT: usize = 256;

/// Segments of a slice of the host.
pub(crate) struct SliceSegments<'slice, T> {
    pub items: &'slice [T],
    /// Offsets, checked; none of rows.
    pub offsets: &'slice [u8],
    /// Bytes of an offset.
    pub offset_bytes: usize,
    /// Items of a row.
    pub row_items: usize,
    /// At least one.
    pub count: usize,
}

/// Reduces each segment.
pub(crate) fn reduce_segments<O: Kernel<kind::segmented_reduce, T>, T: Item>(
    entered: Entered<'_>,
    segments: &SliceSegments<'_, T>,
) -> Result<Vec<O::Output>> {
    let items: &[u8] = bytemuck::cast_slice(segments.items);
    let mut results = Results::<O::Output>::new(segments.count)?;
    let offsets_at = behind(0, items.len());
    let results_at = offsets_at.and_then(|at| behind(at, segments.offsets.len()));
    let room = results_at.and_then(|at| behind(at, results.bytes().len()));
    let (Some(offsets_at), Some(results_at), Some(room)) = (offsets_at, results_at, room) else {
        return Err(Error::OutOfHostMemory {
            asked_bytes: usize::MAX,
        });
    };
    let mut lane = entered.lane(room)?;
    for (at, part) in iter::zip([0, offsets_at], [items, segments.offsets]) {
        lane.bytes()[at..at + part.len()].copy_from_slice(part);
    }
    let lane = lane.send(offsets_at + segments.offsets.len())?;
    let device = |at: usize, item_count| Span {
        address: lane.device() + at as u64,
        item_count,
    };
    let starts = match segments.offset_bytes {
        0 => Starts::Rows(segments.row_items),
        bytes => Starts::Offsets {
            span: device(offsets_at, segments.count + 1),
            bytes,
        },
    };
    let on_device = Segments {
        items: device(0, segments.items.len()),
        starts,
        count: segments.count,
    };
    let output = device(results_at, segments.count);
    Queue::on_own(entered, lane.call(), |queue| {
        queue.segmented_reduce::<O, T>(on_device, output, 0)
    })?;
    let to = results.bytes();
    let mut lane = lane.receive(results_at, to.len())?.wait()?;
    to.write_copy_of_slice(&lane.bytes()[..to.len()]);
    // SAFETY: the results have come back, all of them.
    Ok(unsafe { results.written() })
}

/// Where a part may begin that comes behind one of `bytes` bytes.
fn behind(at: usize, bytes: usize) -> Option<usize> {
    at.checked_add(bytes)?.checked_next_multiple_of(ALIGNMENT)
}
