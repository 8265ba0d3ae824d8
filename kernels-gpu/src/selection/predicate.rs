//! Predicates, which choose each item by its value alone.

#[cfg(feature = "cust")]
use cust_half::{bf16 as cust_bf16, f16 as cust_f16};
use half::{bf16, f16};

use crate::element::{for_each_item, item_of, Element, Vector};

/// A test of items of type `T`. Items that pass are chosen.
///
/// The even numbers:
///
/// ```
/// use warpfold_kernels::Predicate;
///
/// #[derive(Clone, Copy)]
/// struct Even;
///
/// impl Predicate<u32> for Even {
///     fn holds(item: u32) -> bool {
///         item % 2 == 0
///     }
/// }
/// ```
pub trait Predicate<T: Element>: Copy + Send + Sync + 'static {
    /// Whether the item is chosen.
    ///
    /// ```
    /// use warpfold_kernels::selection::{NonZero, Predicate};
    ///
    /// assert!(NonZero::holds(7) && !NonZero::holds(0));
    /// ```
    fn holds(item: T) -> bool;

    /// The chosen items of a vector: bit `i` for item `i`.
    #[doc(hidden)]
    #[inline(always)]
    fn chosen(vector: &Vector) -> u32 {
        let mut chosen = 0;
        for_each_item!(P of T => {
            chosen |= (Self::holds(item_of(vector, P)) as u32) << P;
        });
        chosen
    }
}

/// Values other than 0. −0.0 counts as 0; a NaN does not.
///
/// ```
/// use warpfold_kernels::selection::{NonZero, Predicate};
/// assert!(<NonZero as Predicate<i32>>::holds(-7));
/// assert!(!<NonZero as Predicate<f32>>::holds(-0.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NonZero;

/// Floats that are numbers: all but NaNs.
///
/// ```
/// use warpfold_kernels::selection::{NotNan, Predicate};
/// assert!(<NotNan as Predicate<f32>>::holds(f32::INFINITY));
/// assert!(!<NotNan as Predicate<f32>>::holds(f32::NAN));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NotNan;

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Predicate<$t> for NonZero {
            #[inline(always)]
            fn holds(item: $t) -> bool {
                item != 0
            }
        }
    )*};
}

macro_rules! floats {
    ($($t:ty, sign $sign:expr, infinity $infinity:expr;)*) => {$(
        impl Predicate<$t> for NonZero {
            #[inline(always)]
            fn holds(item: $t) -> bool {
                item.to_bits() & !$sign != 0
            }
        }

        impl Predicate<$t> for NotNan {
            #[inline(always)]
            fn holds(item: $t) -> bool {
                item.to_bits() & !$sign <= $infinity
            }
        }
    )*};
}

crate::for_each_integer!(integers);

floats! {
    f16, sign 1 << 15, infinity f16::INFINITY.to_bits();
    bf16, sign 1 << 15, infinity bf16::INFINITY.to_bits();
    f32, sign 1 << 31, infinity f32::INFINITY.to_bits();
    f64, sign 1 << 63, infinity f64::INFINITY.to_bits();
}

// The 16-bit floats of the version of `half` that `cust` uses.
#[cfg(feature = "cust")]
floats! {
    cust_f16, sign 1 << 15, infinity cust_f16::INFINITY.to_bits();
    cust_bf16, sign 1 << 15, infinity cust_bf16::INFINITY.to_bits();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_zero_rejects_only_zeros_and_not_nan_only_nans() {
        for value in [
            1.0,
            -1e-40,
            f32::MIN_POSITIVE,
            f32::INFINITY,
            f32::NEG_INFINITY,
        ] {
            assert!(NonZero::holds(value) && NotNan::holds(value));
            assert!(NonZero::holds(f64::from(value)) && NotNan::holds(f64::from(value)));
        }
        assert!(!NonZero::holds(-0.0f32) && NotNan::holds(-0.0f32));
        assert!(NonZero::holds(-f64::NAN) && !NotNan::holds(-f64::NAN));
        assert!(!NonZero::holds(f16::NEG_ZERO) && !NotNan::holds(f16::NAN));
        assert!(NonZero::holds(bf16::NEG_INFINITY) && NotNan::holds(bf16::NEG_INFINITY));
    }

    #[test]
    fn a_vector_has_a_bit_for_each_item() {
        let bytes: [u8; 64] = core::array::from_fn(|i| (i % 3) as u8);
        let vector = bytemuck::cast(bytes);
        let expected = (0..16)
            .filter(|i| i % 3 != 0)
            .fold(0, |mask, i| mask | 1 << i);
        assert_eq!(<NonZero as Predicate<u8>>::chosen(&vector), expected);
    }
}
