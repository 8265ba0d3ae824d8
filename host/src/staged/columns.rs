//! Columns of a slice: all of it goes to the device at once, with room for the results after it.

use super::Items;
use super::layout::Layout;
use super::results::Results;
use crate::error::Result;
use crate::gpu::Entered;
use crate::kernel::{Item, Row, Type};
use crate::launch::{Matrix, Queue};

/// Reduces each column of a matrix of at least one row to a result of type `R`, the row's.
pub(crate) fn reduce_columns<R: Item>(
    entered: Entered<'_>,
    row: &'static Row,
    matrix: Items<'_>,
    rows: usize,
    columns: usize,
) -> Result<Vec<R>> {
    debug_assert_eq!(Type::of::<R>(), row.result);
    let mut results = Results::<R>::new(columns)?;
    let mut layout = Layout::default();
    let items = layout.part_for(matrix)?;
    let sent_bytes = layout.bytes();
    let output = layout.part(columns, row.result)?;
    let mut lane = entered.lane(layout.bytes())?;
    items.fill(lane.bytes(), matrix);
    let lane = lane.send(sent_bytes)?;
    let on_device = Matrix {
        items: items.on(&lane),
        rows,
        columns,
    };
    Queue::on_own(entered, lane.call(), |queue| {
        queue.columns_reduce(row, on_device, output.on(&lane))
    })?;
    let to = results.bytes();
    let mut lane = lane.receive(output.at, to.len())?.wait()?;
    to.write_copy_of_slice(&lane.bytes()[..to.len()]);
    // SAFETY: all bytes have been copied from the device's memory, where the kernel has written a result for each place.
    Ok(unsafe { results.written() })
}
