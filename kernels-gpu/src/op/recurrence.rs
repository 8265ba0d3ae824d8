//! Linear recurrences of the first order.
//!
//! An item is a map from one value to the next. The operator composes maps, and composition is associative (P. M. Kogge and H. S. Stone,
//! *A Parallel Algorithm for the Efficient Solution of a General Class of Recurrence Equations*, 1973; G. E. Blelloch, *Prefix Sums and
//! Their Applications*, 1990, section 4.1).

use super::{canonical, Op};

crate::item! {
    /// The map `x → scale · x + offset`: an item of [`Recurrence`]. The type is aligned to 8 bytes, its size, so that kernels load an item
    /// at once.
    ///
    /// ```
    /// use warpfold_kernels::op::Affine;
    ///
    /// let halve_and_add = Affine { scale: 0.5, offset: 3.0 };
    /// assert_eq!(halve_and_add.scale * 8.0 + halve_and_add.offset, 7.0);
    /// ```
    #[repr(align(8))]
    pub struct Affine {
        /// The factor of the previous value.
        pub scale: f32,
        /// The number that is added.
        pub offset: f32,
    }
}

// SAFETY: plain old data, without pointers.
#[cfg(feature = "cust")]
unsafe impl cust_core::DeviceCopy for Affine {}

/// The linear recurrence `xᵢ = scaleᵢ · xᵢ₋₁ + offsetᵢ`: an inclusive scan returns each `xᵢ`, and a reduction in order returns the last
/// `xᵢ`. The first value is the first item's offset, as if the value before it were 0. To replace this 0 by another value, give a scan
/// `.initial(Affine { scale: 0.0, offset: value })`. The operator does not commute. Identity: the map `x → 1 · x + −0.0`; the result for no
/// items is its offset, −0.0.
///
/// Products and sums round to nearest, and are never fused. A NaN or an infinity in an item spreads to all later values. (The first item's
/// scale is used only if the scan has an initial value.)
///
/// ```
/// use warpfold_kernels::op::{Affine, Op, Recurrence};
///
/// // A balance that earns 10 %, with payments.
/// let years = [100.0, 20.0, -30.0].map(|offset| Affine { scale: 1.1, offset });
/// let balance = years.into_iter().fold(Recurrence::identity(), Recurrence::combine);
/// assert_eq!(Recurrence::lower(balance), (100.0 * 1.1 + 20.0) * 1.1 - 30.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Recurrence;

impl Op<Affine> for Recurrence {
    type Accumulator = Affine;
    type Output = f32;

    #[inline(always)]
    fn identity() -> Affine {
        Affine {
            scale: 1.0,
            offset: -0.0,
        }
    }

    #[inline(always)]
    fn identity_item() -> Option<Affine> {
        Some(Self::identity())
    }

    #[inline(always)]
    fn lift(item: Affine) -> Affine {
        item
    }

    /// Applies `left`, then `right`. If `left` is the identity, `right.offset` is taken unchanged. Without this choice, an infinite scale
    /// of `right` would turn the identity's offset into a NaN, and a negative scale would change the sign of a zero.
    #[inline(always)]
    fn combine(left: Affine, right: Affine) -> Affine {
        let is_identity = (left.scale.to_bits() == 1.0_f32.to_bits())
            & (left.offset.to_bits() == (-0.0_f32).to_bits());
        let moved = left.offset * right.scale + right.offset;
        Affine {
            scale: left.scale * right.scale,
            offset: if is_identity { right.offset } else { moved },
        }
    }

    #[inline(always)]
    fn lower(value: Affine) -> f32 {
        canonical(value.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(map: Affine) -> [u32; 2] {
        [map.scale, map.offset].map(f32::to_bits)
    }

    #[test]
    fn the_identity_changes_no_bit() {
        let numbers = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            1e-40,
            f32::MAX,
            f32::INFINITY,
            -f32::INFINITY,
        ];
        let none = Recurrence::identity();
        for scale in numbers {
            for offset in numbers {
                let map = Affine { scale, offset };
                assert_eq!(bits(Recurrence::combine(none, map)), bits(map), "{map:?}");
                assert_eq!(bits(Recurrence::combine(map, none)), bits(map), "{map:?}");
            }
        }
    }
}
