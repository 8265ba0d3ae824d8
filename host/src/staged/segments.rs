//! Segments of a slice: all of it goes to the device at once, with the offsets after the items and room for the results.

use super::Items;
use super::layout::Layout;
use super::results::Results;
use crate::error::Result;
use crate::gpu::Entered;
use crate::kernel::{Item, Row, Type};
use crate::launch::{Queue, Segments, Starts};

/// Segments of a slice of the host.
pub(crate) struct SliceSegments<'slice> {
    pub items: Items<'slice>,
    pub starts: SliceStarts<'slice>,
    /// At least one.
    pub count: usize,
}

/// Where they start.
#[derive(Clone, Copy)]
pub(crate) enum SliceStarts<'slice> {
    /// At these offsets, which are checked.
    Offsets(Items<'slice>),
    /// One after the other, with this number of items each.
    Rows(usize),
}

/// Reduces each segment to a result of type `R`, the row's.
pub(crate) fn reduce_segments<R: Item>(
    entered: Entered<'_>,
    row: &'static Row,
    segments: &SliceSegments<'_>,
) -> Result<Vec<R>> {
    debug_assert_eq!(Type::of::<R>(), row.result);
    let mut results = Results::<R>::new(segments.count)?;
    let mut layout = Layout::default();
    let items = layout.part_for(segments.items)?;
    let offsets = match segments.starts {
        SliceStarts::Offsets(offsets) => offsets,
        SliceStarts::Rows(_) => Items::from(&[0u64; 0][..]),
    };
    let offsets_at = layout.part_for(offsets)?;
    let sent_bytes = layout.bytes();
    let output = layout.part(segments.count, row.result)?;
    let mut lane = entered.lane(layout.bytes())?;
    items.fill(lane.bytes(), segments.items);
    offsets_at.fill(lane.bytes(), offsets);
    let lane = lane.send(sent_bytes)?;
    let starts = match segments.starts {
        SliceStarts::Offsets(_) => Starts::Offsets(offsets_at.on(&lane)),
        SliceStarts::Rows(row_items) => Starts::Rows(row_items),
    };
    let on_device = Segments {
        items: items.on(&lane),
        starts,
        count: segments.count,
        count_at: None,
    };
    Queue::on_own(entered, lane.call(), |queue| {
        queue.segmented_reduce(row, on_device, output.on(&lane), 0)
    })?;
    let to = results.bytes();
    let mut lane = lane.receive(output.at, to.len())?.wait()?;
    to.write_copy_of_slice(&lane.bytes()[..to.len()]);
    // SAFETY: all bytes have been copied from the device's memory, where the kernel has written a result for each place.
    Ok(unsafe { results.written() })
}
