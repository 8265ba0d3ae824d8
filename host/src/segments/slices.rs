//! Reductions of segments and rows of slices on the host, on [`Gpu::global`].

use super::check::ascends;
use super::{Offset, row_count};
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::staged::{self, SliceSegments, SliceStarts};

/// [`segmented_reduce`](crate::segmented_reduce) of a slice on the host: a result for each segment, with the same bits.
///
/// Offsets are checked before anything else is done. The whole slice goes to the device at once, through page-locked memory, so both
/// need room for all items, offsets and results. Without a segment, nothing is copied or launched, and the driver is not called.
///
/// ```
/// use warpfold::{Sum, gpu_segmented_reduce};
///
/// # fn main() -> warpfold::Result<()> {
/// let prices = [1.5f32, 2.0, 4.0, 0.5];
/// let baskets = [0usize, 2, 2, 4];
/// assert_eq!(gpu_segmented_reduce::<Sum, _, _>(&prices, &baskets)?, [3.5, -0.0, 4.5]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::BadOffset`](crate::Error::BadOffset) names the first offset that is less than the one before or beyond the items. Else those of
/// [`gpu_reduce`](crate::gpu_reduce).
pub fn gpu_segmented_reduce<O: Kernel<kind::segmented_reduce, T>, T: Item, I: Offset>(
    items: &[T],
    offsets: &[I],
) -> Result<Vec<O::Output>> {
    ascends(offsets, 0, 0, items.len())?;
    reduce(
        O::row(),
        SliceSegments {
            items: items.into(),
            starts: SliceStarts::Offsets(offsets.into()),
            count: offsets.len().saturating_sub(1),
        },
    )
}

/// [`reduce_rows`](crate::reduce_rows) of a slice on the host: a result for each row of `row_items` items, with the same bits.
///
/// The whole slice goes to the device at once, as with [`gpu_segmented_reduce`]. Without a row, the driver is not called.
///
/// ```
/// use warpfold::{Max, gpu_reduce_rows};
///
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(gpu_reduce_rows::<Max, _>(&[1, 5, 2, 4, 3, 0], 3)?, [5, 4]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::UnevenRows`](crate::Error::UnevenRows) if the items are no whole rows, as they never are with `row_items` 0. Else those of
/// [`gpu_reduce`](crate::gpu_reduce).
pub fn gpu_reduce_rows<O: Kernel<kind::segmented_reduce, T>, T: Item>(
    items: &[T],
    row_items: usize,
) -> Result<Vec<O::Output>> {
    let count = row_count(items.len(), row_items)?;
    reduce(
        O::row(),
        SliceSegments {
            items: items.into(),
            starts: SliceStarts::Rows(row_items),
            count,
        },
    )
}

fn reduce<R: Item>(row: &'static Row, segments: SliceSegments<'_>) -> Result<Vec<R>> {
    match segments.count {
        0 => Ok(Vec::new()),
        _ => Gpu::global()?.enter(|entered| staged::reduce_segments(entered, row, &segments)),
    }
}
