//! Reductions and scans of the columns of row-major matrices that are in the device's memory.

mod scan;
mod slices;

pub use scan::{
    exclusive_scan_columns, exclusive_scan_columns_on, inclusive_scan_columns,
    inclusive_scan_columns_on,
};
pub use slices::gpu_reduce_columns;

use cust::memory::DeviceSlice;
use cust::stream::Stream;

use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::launch::{Matrix, Queue, Span};
use crate::segments::row_count;

/// Combines the items of each column of `matrix`, row-major, of `columns` items a row, with the operator `O`, writes the results to
/// the first `columns` items of `output`, and waits for it. The rest of `output` is not touched.
///
/// The matrix has as many rows as its items make: `matrix.len() / columns`. Of a matrix of no rows, each column gives the operator's
/// identity.
///
/// A column has exactly the bits of a row of the transposed matrix, [`reduce_rows`](crate::reduce_rows): its items are combined in order,
/// so the operator need not commute; for one that looks at an item's index, that is its row. The order is said in
/// [`warpfold_kernels::columns`], and [`reference::reduce_columns`](crate::reference::reduce_columns) computes the same on the host.
///
/// The time follows the bytes: each item is read once, each result written once. Where a column has more than 256 rows, 8 bytes
/// for each 256 of its items are written and read besides (16, where the accumulator has 64 bits), in the stream's scratch memory. Threads
/// side by side read columns side by side, so memory gives its best from 32 columns on, and from 128 with items of a byte; of fewer
/// columns, the caches give what lies side by side in later reads.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Max, reduce_columns};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let matrix = DeviceBuffer::from_slice(&[1.0f32, 5.0, 2.0, 4.0, 3.0, 0.5])?;
/// let mut greatest = DeviceBuffer::zeroed(3)?;
/// reduce_columns::<Max, _>(&gpu, &matrix, 3, &mut greatest)?;
/// assert_eq!(greatest.as_host_vec()?, [4.0, 5.0, 2.0]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::UnevenRows`](crate::Error::UnevenRows) if the items are no whole rows, as they never are with no columns. Else those of
/// [`reduce_rows`](crate::reduce_rows).
pub fn reduce_columns<O: Kernel<kind::columns_reduce, T>, T: Item>(
    gpu: &Gpu,
    matrix: &DeviceSlice<T>,
    columns: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let matrix = of_columns(Span::from(matrix), columns)?;
    and_wait(gpu, O::row(), matrix, Span::from(&*output))
}

/// Queues a [`reduce_columns`] on `stream`. For the rules of functions that do not wait, see the [crate's
/// documentation](crate#without-waiting).
///
/// # Errors
///
/// The same as for [`reduce_columns`], except [`Error::CaptureUnderWay`](crate::Error::CaptureUnderWay), and
/// [`Error::ForeignStream`](crate::Error::ForeignStream).
pub fn reduce_columns_into<O: Kernel<kind::columns_reduce, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    matrix: &DeviceSlice<T>,
    columns: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let matrix = of_columns(Span::from(matrix), columns)?;
    queue(gpu, stream, O::row(), matrix, Span::from(&*output))
}

fn and_wait(gpu: &Gpu, row: &'static Row, matrix: Matrix, output: Span) -> Result<()> {
    gpu.enter(|entered| {
        Queue::and_wait(entered, |queue, _| {
            queue.columns_reduce(row, matrix, output)
        })
        .map(drop)
    })
}

fn queue(
    gpu: &Gpu,
    stream: &Stream,
    row: &'static Row,
    matrix: Matrix,
    output: Span,
) -> Result<()> {
    gpu.enter(|entered| {
        Queue::on(entered, stream, |queue| {
            queue.columns_reduce(row, matrix, output)
        })
    })
}

/// The matrix of these items.
fn of_columns(items: Span, columns: usize) -> Result<Matrix> {
    Ok(Matrix {
        items,
        rows: row_count(items.item_count, columns)?,
        columns,
    })
}
