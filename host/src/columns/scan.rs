//! Scans of columns.

use cust::memory::DeviceSlice;
use cust::stream::Stream;

use super::of_columns;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::launch::{Matrix, Queue, Span};
use crate::segments::Place;

/// Scans each column of `matrix`, row-major, of `columns` items a row, with the operator `O`, each item included, to `output`, and
/// waits for it: `output[i]` is the combination of the items of `i`'s column from the first row up to and including `matrix[i]`. There
/// is a place in `output` for each item; places after these are not touched.
///
/// The output lies elsewhere than the matrix. Of a matrix of no rows, the driver is not called.
///
/// A column has exactly the bits of a row of the transposed matrix, [`inclusive_scan_rows`](crate::inclusive_scan_rows). The operator
/// need not commute; for one that looks at an item's index, that is its row. The order is said in [`warpfold_kernels::columns`], and
/// [`reference::inclusive_scan_columns`](crate::reference::inclusive_scan_columns) computes the same on the host.
///
/// The time follows the bytes: each item is read once (those of more than 8 bytes twice), each result written once. Where a column
/// has more than 256 rows, 8 bytes for each 256 of its items are written besides, and about 60 read for each power of 16 in the number
/// of chunks of 256 rows (twice that, where the accumulator has 64 bits), in the stream's scratch memory.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, inclusive_scan_columns};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let matrix = DeviceBuffer::from_slice(&[1i32, 2, 3, 10, 20, 30])?;
/// let mut sums = DeviceBuffer::zeroed(6)?;
/// inclusive_scan_columns::<Sum, _>(&gpu, &matrix, 3, &mut sums)?;
/// assert_eq!(sums.as_host_vec()?, [1, 2, 3, 11, 22, 33]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::UnevenRows`](crate::Error::UnevenRows) if the items are no whole rows, as they never are with no columns. Else those of
/// [`inclusive_scan_rows`](crate::inclusive_scan_rows).
pub fn inclusive_scan_columns<O: Kernel<kind::columns_scan, T>, T: Item>(
    gpu: &Gpu,
    matrix: &DeviceSlice<T>,
    columns: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let matrix = of_columns(Span::from(matrix), columns)?;
    and_wait(gpu, O::row(), matrix, Place::Included, Span::from(&*output))
}

/// As [`inclusive_scan_columns`], each item left out: in the first row stands the operator's identity.
///
/// # Errors
///
/// The same as for [`inclusive_scan_columns`].
pub fn exclusive_scan_columns<O: Kernel<kind::columns_scan, T>, T: Item>(
    gpu: &Gpu,
    matrix: &DeviceSlice<T>,
    columns: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let matrix = of_columns(Span::from(matrix), columns)?;
    and_wait(gpu, O::row(), matrix, Place::LeftOut, Span::from(&*output))
}

/// Queues an [`inclusive_scan_columns`] on `stream`. For the rules of functions that do not wait, see the [crate's
/// documentation](crate#without-waiting).
///
/// # Errors
///
/// The same as for [`inclusive_scan_columns`], except [`Error::CaptureUnderWay`](crate::Error::CaptureUnderWay), and
/// [`Error::ForeignStream`](crate::Error::ForeignStream).
pub fn inclusive_scan_columns_on<O: Kernel<kind::columns_scan, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    matrix: &DeviceSlice<T>,
    columns: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let matrix = of_columns(Span::from(matrix), columns)?;
    let output = Span::from(&*output);
    queue(gpu, stream, O::row(), matrix, Place::Included, output)
}

/// Queues an [`exclusive_scan_columns`] on `stream`, as [`inclusive_scan_columns_on`] does the other.
///
/// # Errors
///
/// The same as for [`inclusive_scan_columns_on`].
pub fn exclusive_scan_columns_on<O: Kernel<kind::columns_scan, T>, T: Item>(
    gpu: &Gpu,
    stream: &Stream,
    matrix: &DeviceSlice<T>,
    columns: usize,
    output: &mut DeviceSlice<O::Output>,
) -> Result<()> {
    let matrix = of_columns(Span::from(matrix), columns)?;
    let output = Span::from(&*output);
    queue(gpu, stream, O::row(), matrix, Place::LeftOut, output)
}

/// Scans the columns of a matrix, if it has a row, and waits for it.
fn and_wait(
    gpu: &Gpu,
    row: &'static Row,
    matrix: Matrix,
    place: Place,
    output: Span,
) -> Result<()> {
    if matrix.rows == 0 {
        return Ok(());
    }
    gpu.enter(|entered| {
        Queue::and_wait(entered, |queue, _| {
            queue.columns_scan(row, matrix, place == Place::LeftOut, output)
        })
        .map(drop)
    })
}

/// Queues a scan of the columns of a matrix, if it has a row.
fn queue(
    gpu: &Gpu,
    stream: &Stream,
    row: &'static Row,
    matrix: Matrix,
    place: Place,
    output: Span,
) -> Result<()> {
    if matrix.rows == 0 {
        return Ok(());
    }
    gpu.enter(|entered| {
        Queue::on(entered, stream, |queue| {
            queue.columns_scan(row, matrix, place == Place::LeftOut, output)
        })
    })
}
