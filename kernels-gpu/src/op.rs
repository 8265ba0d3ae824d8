//! The operators.
//!
//! An operator is a type without values; what it does to an element type is its [`Op`] implementation.
//! Every identity is exact: combining with it gives the other operand back, bit for bit (a NaN apart, whose
//! payload may change). So a missing item can be replaced by the identity without a trace.

use num_traits::float::FloatCore;
use num_traits::{Bounded, One};

use crate::element::Element;

/// An associative operator on `T` with an identity.
///
/// Floating-point operators are associative only up to rounding: [`crate::contract`] says in which order
/// they are applied.
pub trait Op<T: Element>: Copy + Send + Sync + 'static {
    /// The operator's name, as in Rust.
    const NAME: &'static str;

    /// The value that changes nothing: the result for no items.
    fn identity() -> T;

    /// `left ⊕ right`.
    fn combine(left: T, right: T) -> T;
}

/// An operator for which `a ⊕ b` is `b ⊕ a`. A reduction, which interleaves the items of a tile, needs it;
/// a scan does not.
pub trait Commutative {}

/// The sum. Integers wrap; floats round to nearest even at each step. Identity: 0, for floats −0.0 (the only
/// exact one, and what Rust's `iter().sum()` gives for no items).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sum;

/// The product. Integers wrap; floats round to nearest even at each step. Identity: 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Product;

/// The minimum. A float NaN wins, and −0.0 is less than +0.0 (IEEE 754-2019 `minimum`).
/// Identity: the type's largest value, for floats +∞.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Min;

/// The maximum. A float NaN wins, and −0.0 is less than +0.0 (IEEE 754-2019 `maximum`).
/// Identity: the type's smallest value, for floats −∞.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Max;

impl Commutative for Sum {}
impl Commutative for Product {}
impl Commutative for Min {}
impl Commutative for Max {}

/// One implementation of [`Op`]: the operator, the type, its identity, and its rule.
macro_rules! operator {
    ($op:ident, $t:ty, $identity:expr, $combine:expr) => {
        impl Op<$t> for $op {
            const NAME: &'static str = stringify!($op);
            #[inline(always)]
            fn identity() -> $t {
                $identity
            }
            #[inline(always)]
            fn combine(left: $t, right: $t) -> $t {
                $combine(left, right)
            }
        }
    };
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        operator!(Sum, $t, 0, |a: $t, b: $t| a.wrapping_add(b));
        operator!(Product, $t, One::one(), |a: $t, b: $t| a.wrapping_mul(b));
        operator!(Min, $t, Bounded::max_value(), Ord::min);
        operator!(Max, $t, Bounded::min_value(), Ord::max);
    )*};
}

macro_rules! floats {
    ($($t:ty),*) => {$(
        operator!(Sum, $t, FloatCore::neg_zero(), |a: $t, b: $t| a + b);
        operator!(Product, $t, One::one(), |a: $t, b: $t| a * b);
        operator!(Min, $t, FloatCore::infinity(), minimum);
        operator!(Max, $t, FloatCore::neg_infinity(), maximum);
    )*};
}

integers!(i32, u32, i64, u64);
floats!(f32, f64);

/// IEEE 754-2019 `minimum`, without a branch: equal operands differ at most in the sign of zero.
#[inline(always)]
fn minimum<T: Element + FloatCore>(a: T, b: T) -> T {
    let lesser = if a < b || FloatCore::is_nan(a) { a } else { b };
    if a == b && a.is_sign_negative() {
        a
    } else {
        lesser
    }
}

/// IEEE 754-2019 `maximum`, without a branch: equal operands differ at most in the sign of zero.
#[inline(always)]
fn maximum<T: Element + FloatCore>(a: T, b: T) -> T {
    let greater = if a > b || FloatCore::is_nan(a) { a } else { b };
    if a == b && a.is_sign_positive() {
        a
    } else {
        greater
    }
}
