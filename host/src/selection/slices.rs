//! Selections of slices on the host, on [`Gpu::global`]. The whole slice goes to the device at once, through page-locked memory, so both
//! need room for all items and as many results; the selected ones alone come back.

#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::Item;
use crate::launch::{Chooser, check_lengths};
use crate::staged::{self, Selected, Wanted};

use super::kernels::{by_flags, by_predicate, heads};
use super::{RunsKernel, SelectKernel};

/// [`select_flagged`](crate::select_flagged) of a slice on the host: the items whose flag is not 0, in their order. For no items, no GPU
/// is needed.
///
/// ```
/// use warpfold::gpu_select_flagged;
///
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(gpu_select_flagged(&[1.5f32, 2.5, 3.5], &[1, 0, 1])?, [1.5, 3.5]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::LengthsDiffer`], and those of [`gpu_reduce`](crate::gpu_reduce).
pub fn gpu_select_flagged<T: Item>(items: &[T], flags: &[u8]) -> Result<Vec<T>> {
    Ok(flagged(items, flags, ITEMS)?.items)
}

/// [`select_if`](crate::select_if) of a slice on the host: the items for which the predicate `P` holds, in their order. For no items, no
/// GPU is needed.
///
/// ```
/// use warpfold::{NotNan, gpu_select_if};
///
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(gpu_select_if::<NotNan, _>(&[1.5f32, f32::NAN, 3.5])?, [1.5, 3.5]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_reduce`](crate::gpu_reduce).
pub fn gpu_select_if<P: SelectKernel<T>, T: Item>(items: &[T]) -> Result<Vec<T>> {
    Ok(select(items, None, by_predicate::<P, T>(), ITEMS)?.items)
}

/// [`partition_flagged`](crate::partition_flagged) of a slice on the host: the items whose flag is not 0, and the others.
///
/// # Errors
///
/// The same as for [`gpu_select_flagged`].
pub fn gpu_partition_flagged<T: Item>(items: &[T], flags: &[u8]) -> Result<(Vec<T>, Vec<T>)> {
    let Selected { items, others, .. } = flagged(items, flags, BOTH)?;
    Ok((items, others))
}

/// [`partition_if`](crate::partition_if) of a slice on the host: the items for which the predicate `P` holds, and the others.
///
/// ```
/// use warpfold::{NonZero, gpu_partition_if};
///
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(gpu_partition_if::<NonZero, _>(&[3, 0, 4])?, (vec![3, 4], vec![0]));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_select_if`].
pub fn gpu_partition_if<P: SelectKernel<T>, T: Item>(items: &[T]) -> Result<(Vec<T>, Vec<T>)> {
    let Selected { items, others, .. } = select(items, None, by_predicate::<P, T>(), BOTH)?;
    Ok((items, others))
}

/// [`select_indices_if`](crate::select_indices_if) of a slice on the host: the indices of the items for which the predicate `P` holds.
///
/// ```
/// use warpfold::{NonZero, gpu_select_indices_if};
///
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(gpu_select_indices_if::<NonZero, _>(&[3, 0, 4])?, [0, 2]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_select_if`].
pub fn gpu_select_indices_if<P: SelectKernel<T>, T: Item>(items: &[T]) -> Result<Vec<usize>> {
    let wanted = Wanted {
        indices: true,
        ..Wanted::default()
    };
    let selected = select(items, None, by_predicate::<P, T>(), wanted)?;
    Ok(numbers(selected.indices))
}

/// [`unique`](crate::unique) of a slice on the host: the first item of each run of equal neighbours.
///
/// ```
/// use warpfold::{Equal, gpu_unique};
///
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(gpu_unique::<Equal, _>(&[3, 3, 1, 3])?, [3, 1, 3]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_select_if`].
pub fn gpu_unique<E: RunsKernel<T>, T: Item>(items: &[T]) -> Result<Vec<T>> {
    Ok(select(items, None, heads::<E, T>(), ITEMS)?.items)
}

/// [`run_length_encode`](crate::run_length_encode) of a slice on the host: the first item of each run of equal neighbours, and how long
/// the run is.
///
/// ```
/// use warpfold::{Equal, gpu_run_length_encode};
///
/// # fn main() -> warpfold::Result<()> {
/// assert_eq!(gpu_run_length_encode::<Equal, _>(&[3, 3, 1, 3])?, (vec![3, 1, 3], vec![2, 1, 1]));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// The same as for [`gpu_select_if`].
pub fn gpu_run_length_encode<E: RunsKernel<T>, T: Item>(
    items: &[T],
) -> Result<(Vec<T>, Vec<usize>)> {
    let wanted = Wanted {
        lengths: true,
        ..ITEMS
    };
    let Selected { items, lengths, .. } = select(items, None, heads::<E, T>(), wanted)?;
    Ok((items, numbers(lengths)))
}

const ITEMS: Wanted = Wanted {
    items: true,
    others: false,
    indices: false,
    lengths: false,
};

const BOTH: Wanted = Wanted {
    others: true,
    ..ITEMS
};

fn flagged<T: Item>(items: &[T], flags: &[u8], wanted: Wanted) -> Result<Selected<T>> {
    check_lengths(items.len(), flags.len())?;
    select(items, Some(flags), by_flags::<T>()?, wanted)
}

fn select<T: Item>(
    items: &[T],
    flags: Option<&[u8]>,
    chooser: Chooser,
    wanted: Wanted,
) -> Result<Selected<T>> {
    if items.is_empty() {
        return Ok(Selected::none());
    }
    Gpu::global()?.enter(|entered| staged::select(entered, items, flags, chooser, wanted))
}

/// Indices and lengths, which are no more than a slice has items.
fn numbers(numbers: Vec<u64>) -> Vec<usize> {
    numbers.into_iter().map(|number| number as usize).collect()
}
