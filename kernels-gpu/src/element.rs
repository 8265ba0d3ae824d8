//! The types that kernels work on.

use core::fmt;

use crate::contract::VECTOR_BYTES;

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
    Copy + PartialEq + PartialOrd + fmt::Debug + fmt::Display + Send + Sync + 'static + sealed::Sealed
{
    /// The type's bits.
    type Bits: Bits;

    /// 16 bytes of items: what a thread loads and stores at once.
    type Vector: Copy + AsRef<[Self]> + AsMut<[Self]>;

    /// The type's name, as in Rust.
    const NAME: &'static str;

    /// The value's bits.
    fn to_bits(self) -> Self::Bits;

    /// The value with these bits.
    fn from_bits(bits: Self::Bits) -> Self;

    /// The value as it is written to an output: every NaN becomes the one that Rust calls `NAN`
    /// (positive, quiet, no payload), since hardware does not agree on the others.
    fn canonical(self) -> Self;

    /// The items in four 32-bit words of memory, lowest address first.
    fn unpack(words: [u32; 4]) -> Self::Vector;

    /// The inverse of [`Self::unpack`].
    fn pack(vector: Self::Vector) -> [u32; 4];
}

/// How items with 32 or 64 bits lie in a vector.
macro_rules! vectors {
    (u32) => {
        #[inline(always)]
        fn unpack(w: [u32; 4]) -> Self::Vector {
            w.map(Element::from_bits)
        }
        #[inline(always)]
        fn pack(v: Self::Vector) -> [u32; 4] {
            v.map(Element::to_bits)
        }
    };
    (u64) => {
        #[inline(always)]
        fn unpack(w: [u32; 4]) -> Self::Vector {
            [(w[0], w[1]), (w[2], w[3])]
                .map(|(low, high)| Element::from_bits(Bits::from_halves(low, high)))
        }
        #[inline(always)]
        fn pack(v: Self::Vector) -> [u32; 4] {
            let [a, b] = v.map(Element::to_bits);
            [a.half(0), a.half(1), b.half(0), b.half(1)]
        }
    };
}

macro_rules! integers {
    ($($t:ident as $bits:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            type Bits = $bits;
            type Vector = [$t; VECTOR_BYTES / size_of::<$t>()];
            const NAME: &'static str = stringify!($t);
            #[inline(always)]
            fn to_bits(self) -> $bits { self as $bits }
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self { bits as $t }
            #[inline(always)]
            fn canonical(self) -> Self { self }
            vectors!($bits);
        }
    )*};
}

macro_rules! floats {
    ($($t:ident as $bits:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            type Bits = $bits;
            type Vector = [$t; VECTOR_BYTES / size_of::<$t>()];
            const NAME: &'static str = stringify!($t);
            #[inline(always)]
            fn to_bits(self) -> $bits { <$t>::to_bits(self) }
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self { <$t>::from_bits(bits) }
            #[inline(always)]
            fn canonical(self) -> Self { if self.is_nan() { <$t>::NAN } else { self } }
            vectors!($bits);
        }
    )*};
}

integers!(i32 as u32, u32 as u32, i64 as u64, u64 as u64);
floats!(f32 as u32, f64 as u64);
