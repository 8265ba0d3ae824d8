//! The types that kernels work on.

use core::fmt;

mod sealed {
    pub trait Sealed {}
}

/// The raw bits of an element: what a shuffle moves and what a state word carries.
pub trait Bits: Copy + Eq + fmt::LowerHex + 'static + sealed::Sealed {
    /// Number of 32-bit halves: 1 or 2.
    const HALVES: usize;

    /// The half at `index`, least significant first. Halves past [`Self::HALVES`] are zero.
    fn half(self, index: usize) -> u32;

    /// The inverse of [`Self::half`]; `high` is ignored where there is only one half.
    fn from_halves(low: u32, high: u32) -> Self;
}

impl sealed::Sealed for u32 {}
impl sealed::Sealed for u64 {}

impl Bits for u32 {
    const HALVES: usize = 1;

    #[inline(always)]
    fn half(self, index: usize) -> u32 {
        if index == 0 {
            self
        } else {
            0
        }
    }

    #[inline(always)]
    fn from_halves(low: u32, _high: u32) -> Self {
        low
    }
}

impl Bits for u64 {
    const HALVES: usize = 2;

    #[inline(always)]
    fn half(self, index: usize) -> u32 {
        if index == 0 {
            self as u32
        } else {
            (self >> 32) as u32
        }
    }

    #[inline(always)]
    fn from_halves(low: u32, high: u32) -> Self {
        low as u64 | (high as u64) << 32
    }
}

/// An element type: `f32`, `f64`, `i32`, `u32`, `i64` or `u64`. Sealed: the kernels are compiled ahead of time.
pub trait Element:
    Copy + PartialEq + PartialOrd + fmt::Debug + fmt::Display + Send + Sync + 'static + element::Sealed
{
    /// The type's bits.
    type Bits: Bits;

    /// The type's name, as in Rust.
    const NAME: &'static str;

    /// The value's bits.
    fn to_bits(self) -> Self::Bits;

    /// The value with these bits.
    fn from_bits(bits: Self::Bits) -> Self;

    /// The value as it is written to an output: every NaN becomes the one that Rust calls `NAN`
    /// (positive, quiet, no payload), since hardware does not agree on the others.
    fn canonical(self) -> Self;
}

mod element {
    pub trait Sealed {}
}

macro_rules! integers {
    ($($t:ident as $bits:ident),*) => {$(
        impl element::Sealed for $t {}
        impl Element for $t {
            type Bits = $bits;
            const NAME: &'static str = stringify!($t);
            #[inline(always)]
            fn to_bits(self) -> $bits { self as $bits }
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self { bits as $t }
            #[inline(always)]
            fn canonical(self) -> Self { self }
        }
    )*};
}

macro_rules! floats {
    ($($t:ident as $bits:ident),*) => {$(
        impl element::Sealed for $t {}
        impl Element for $t {
            type Bits = $bits;
            const NAME: &'static str = stringify!($t);
            #[inline(always)]
            fn to_bits(self) -> $bits { <$t>::to_bits(self) }
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self { <$t>::from_bits(bits) }
            #[inline(always)]
            fn canonical(self) -> Self { if self.is_nan() { <$t>::NAN } else { self } }
        }
    )*};
}

integers!(i32 as u32, u32 as u32, i64 as u64, u64 as u64);
floats!(f32 as u32, f64 as u64);
