//! Reductions and scans of segments, and the types of their offsets.

mod check;
mod launch;
pub(crate) mod reference;

use crate::error::{Error, Result};

pub(crate) use check::{and_wait, ascends};
pub(crate) use launch::{Segments, Starts, reduce_in_order_to_host};

/// A type of offsets, indices and lengths: `u32`, `u64` or, on targets of 64 bits, `usize`.
///
/// ```
/// use warpfold::{Cpu, Offset, Result, Sum, reduce};
///
/// /// The sums between neighbouring offsets, which may be of any type that offsets have.
/// fn sums<F: Offset>(items: &[f32], offsets: &[F]) -> Result<Vec<f32>> {
///     reduce::<Sum, _>(items).segments(offsets).wait(Cpu)
/// }
/// assert_eq!(sums(&[1.0, 2.0, 4.0], &[0u32, 1, 3])?, sums(&[1.0, 2.0, 4.0], &[0usize, 1, 3])?);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "offsets, indices and lengths are not of type `{Self}`",
    label = "expected `u32`, `u64` or `usize`"
)]
pub trait Offset: bytemuck::Pod + sealed::Offset {}

impl Offset for u32 {}
impl Offset for u64 {}
#[cfg(target_pointer_width = "64")]
impl Offset for usize {}

mod sealed {
    pub trait Offset: Copy {
        fn to_u64(self) -> u64;
    }

    macro_rules! offsets {
        ($($t:ty)*) => {$(
            impl Offset for $t {
                fn to_u64(self) -> u64 {
                    self as u64
                }
            }
        )*};
    }

    offsets!(u32 u64);
    #[cfg(target_pointer_width = "64")]
    offsets!(usize);
}

/// The number of rows of `row_items` items. The last row has to be complete.
pub(crate) fn row_count(item_count: usize, row_items: usize) -> Result<usize> {
    if row_items == 0 || !item_count.is_multiple_of(row_items) {
        return Err(Error::UnevenRows {
            item_count,
            row_items,
        });
    }
    Ok(item_count / row_items)
}
