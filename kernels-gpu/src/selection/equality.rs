//! Equality: where runs begin.

use crate::element::{for_each_item, item_of, Element, Vector};

/// Which neighbours belong to one run.
///
/// Runs of items with the same first word:
///
/// ```
/// use warpfold_kernels::Equality;
///
/// #[derive(Clone, Copy)]
/// struct SameKey;
///
/// impl Equality<[u32; 2]> for SameKey {
///     fn same(left: [u32; 2], right: [u32; 2]) -> bool {
///         left[0] == right[0]
///     }
/// }
/// ```
pub trait Equality<T: Element>: Copy + Send + Sync + 'static {
    /// Whether `right`, the item after `left`, belongs to the run of `left`.
    ///
    /// ```
    /// use warpfold_kernels::selection::{Equal, Equality};
    ///
    /// assert!(Equal::same(7, 7) && !Equal::same(7, 8));
    /// ```
    fn same(left: T, right: T) -> bool;

    /// The items of a vector that begin a run: bit `i` for item `i`. `before` is the item before the vector.
    #[doc(hidden)]
    #[inline(always)]
    fn heads(vector: &Vector, before: T) -> u32 {
        let mut heads = 0;
        for_each_item!(P of T => {
            let left = if P == 0 { before } else { item_of(vector, P.saturating_sub(1)) };
            heads |= (!Self::same(left, item_of(vector, P)) as u32) << P;
        });
        heads
    }
}

/// Equality by value, `==`: −0.0 and 0.0 are equal, and a NaN is equal to nothing, so each NaN is a run of its own.
///
/// ```
/// use warpfold_kernels::selection::{Equal, Equality};
/// assert!(<Equal as Equality<f32>>::same(-0.0, 0.0));
/// assert!(!<Equal as Equality<f32>>::same(f32::NAN, f32::NAN));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Equal;

impl<T: Element + PartialEq> Equality<T> for Equal {
    #[inline(always)]
    fn same(left: T, right: T) -> bool {
        left == right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::vector_of;

    #[test]
    fn a_vector_has_a_bit_for_each_head() {
        let items = [1.0, 1.0, f32::NAN, f32::NAN];
        let vector = vector_of(items.map(f32::to_bits));
        assert_eq!(Equal::heads(&vector, 1.0f32), 0b1100);
        assert_eq!(Equal::heads(&vector, f32::NAN), 0b1101);
        let zeros = vector_of([-0.0_f32, 0.0, -0.0, 0.0].map(f32::to_bits));
        assert_eq!(Equal::heads(&zeros, 0.0f32), 0);
    }
}
