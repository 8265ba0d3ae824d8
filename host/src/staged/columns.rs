//! Columns of a slice: all of it goes to the device at once, with room for the results behind it.

use super::layout::Layout;
use super::results::Results;
use crate::error::Result;
use crate::gpu::Entered;
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Matrix, Queue};

/// Reduces each column of a matrix of at least one row.
pub(crate) fn reduce_columns<O: Kernel<kind::columns_reduce, T>, T: Item>(
    entered: Entered<'_>,
    matrix: &[T],
    rows: usize,
    columns: usize,
) -> Result<Vec<O::Output>> {
    let mut results = Results::<O::Output>::new(columns)?;
    let mut layout = Layout::default();
    let items = layout.part_for(matrix)?;
    let sent_bytes = layout.bytes();
    let output = layout.part(columns, size_of::<O::Output>())?;
    let mut lane = entered.lane(layout.bytes())?;
    items.fill(lane.bytes(), matrix);
    let lane = lane.send(sent_bytes)?;
    let on_device = Matrix {
        items: items.on(&lane),
        rows,
        columns,
    };
    Queue::on_own(entered, lane.call(), |queue| {
        queue.columns_reduce::<O, T>(on_device, output.on(&lane))
    })?;
    let to = results.bytes();
    let mut lane = lane.receive(output.at, to.len())?.wait()?;
    to.write_copy_of_slice(&lane.bytes()[..to.len()]);
    // SAFETY: the results have come back, all of them.
    Ok(unsafe { results.written() })
}
