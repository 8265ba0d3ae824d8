//! One or two floats of 16 bits in a register. The code of an instruction is written once, for scalars and for pairs.

use super::narrow::{Brain, Half, Narrow};
use crate::alu::Value;

/// The upper of two values in a register.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Upper<T>(pub(crate) T);

impl<T: Narrow> Value for Upper<T> {
    #[inline(always)]
    fn from_slot(slot: u64) -> Self {
        Self(T::from_bits((slot >> 16) as u16))
    }

    #[inline(always)]
    fn to_slot(self) -> u64 {
        u64::from(self.0.bits()) << 16
    }
}

/// Two values in one register, the lower value first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair<T>(pub(crate) [T; 2]);

impl<T: Narrow> Value for Pair<T> {
    #[inline(always)]
    fn from_slot(slot: u64) -> Self {
        Self([T::from_bits(slot as u16), T::from_bits((slot >> 16) as u16)])
    }

    #[inline(always)]
    fn to_slot(self) -> u64 {
        u64::from(self.0[0].bits()) | u64::from(self.0[1].bits()) << 16
    }
}

/// One value or two. An instruction is applied to each value.
pub(crate) trait Lanes: Value {
    type Element: Narrow;
    fn each(self, f: impl Fn(Self::Element) -> Self::Element) -> Self;
    fn with(self, b: Self, f: impl Fn(Self::Element, Self::Element) -> Self::Element) -> Self;
    fn with_two(
        self,
        b: Self,
        c: Self,
        f: impl Fn(Self::Element, Self::Element, Self::Element) -> Self::Element,
    ) -> Self;
}

macro_rules! single_lane {
    ($($t:ident)*) => { $(
        impl Lanes for $t {
            type Element = $t;

            fn each(self, f: impl Fn($t) -> $t) -> Self {
                f(self)
            }

            fn with(self, b: Self, f: impl Fn($t, $t) -> $t) -> Self {
                f(self, b)
            }

            fn with_two(self, b: Self, c: Self, f: impl Fn($t, $t, $t) -> $t) -> Self {
                f(self, b, c)
            }
        }
    )* };
}

single_lane! { Half Brain }

impl<T: Narrow> Lanes for Pair<T> {
    type Element = T;

    fn each(self, f: impl Fn(T) -> T) -> Self {
        Self(self.0.map(f))
    }

    fn with(self, b: Self, f: impl Fn(T, T) -> T) -> Self {
        Self([f(self.0[0], b.0[0]), f(self.0[1], b.0[1])])
    }

    fn with_two(self, b: Self, c: Self, f: impl Fn(T, T, T) -> T) -> Self {
        let [low, high] = self.0;
        Self([f(low, b.0[0], c.0[0]), f(high, b.0[1], c.0[1])])
    }
}
