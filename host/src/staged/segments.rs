//! Segments of a slice: all of it goes to the device at once, with the offsets behind the items and room for the results.

use super::layout::Layout;
use super::results::Results;
use crate::error::Result;
use crate::gpu::Entered;
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Queue, Segments, Span, Starts};

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
    let mut results = Results::<O::Output>::new(segments.count)?;
    let mut layout = Layout::default();
    let items = layout.part_for(segments.items)?;
    let offsets = layout.part_for(segments.offsets)?;
    let sent_bytes = layout.bytes();
    let output = layout.part(segments.count, size_of::<O::Output>())?;
    let mut lane = entered.lane(layout.bytes())?;
    items.fill(lane.bytes(), segments.items);
    offsets.fill(lane.bytes(), segments.offsets);
    let lane = lane.send(sent_bytes)?;
    let starts = match segments.offset_bytes {
        0 => Starts::Rows(segments.row_items),
        bytes => Starts::Offsets {
            span: Span {
                item_count: segments.count + 1,
                ..offsets.on(&lane)
            },
            bytes,
        },
    };
    let on_device = Segments {
        items: items.on(&lane),
        starts,
        count: segments.count,
        count_at: None,
    };
    Queue::on_own(entered, lane.call(), |queue| {
        queue.segmented_reduce::<O, T>(on_device, output.on(&lane), 0)
    })?;
    let to = results.bytes();
    let mut lane = lane.receive(output.at, to.len())?.wait()?;
    to.write_copy_of_slice(&lane.bytes()[..to.len()]);
    // SAFETY: the results have come back, all of them.
    Ok(unsafe { results.written() })
}
