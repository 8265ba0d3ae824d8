//! The types that kernels work on: elements, which lie in memory, and accumulators, in which they are combined.

use core::fmt;

use half::{bf16, f16};

use crate::contract::VECTOR_BYTES;

mod sealed {
    pub trait Sealed {}
}

/// The raw bits of an accumulator: what a shuffle moves and what a state word carries.
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

/// A type that a register, or a pair of them, holds and operators combine: `f32`, `f64`, `i32`, `u32`, `i64` or
/// `u64`. Sealed.
pub trait Accumulator:
    Copy + PartialEq + fmt::Debug + Send + Sync + 'static + sealed::Sealed
{
    /// The type's bits.
    type Bits: Bits;

    /// The value's bits.
    fn to_bits(self) -> Self::Bits;

    /// The value with these bits.
    fn from_bits(bits: Self::Bits) -> Self;
}

/// 16 bytes of memory, lowest address first: what a thread loads and stores at once.
pub type Words = [u32; VECTOR_BYTES / 4];

/// An element type: `f32`, `f64`, `f16`, `bf16`, or an integer of 8, 16, 32 or 64 bits. Sealed: the kernels are
/// compiled ahead of time.
pub trait Element:
    Copy + PartialEq + PartialOrd + fmt::Debug + fmt::Display + Send + Sync + 'static + sealed::Sealed
{
    /// The items of 16 bytes.
    type Vector: Copy + AsRef<[Self]> + AsMut<[Self]>;

    /// The type's name, as in Rust.
    const NAME: &'static str;

    /// The items that lie in `words`.
    fn unpack(words: Words) -> Self::Vector;

    /// The inverse of [`Self::unpack`].
    fn pack(vector: Self::Vector) -> Words;
}

/// Runs a block for each item of a vector, written out for the sixteen that there may be: a loop, which the compiler may
/// not unroll, would index registers at run time.
macro_rules! for_each_item {
    ($p:ident of $t:ty => $body:block) => {
        $crate::element::for_each_item!($p of $t, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => $body)
    };
    ($p:ident of $t:ty, $($index:literal)* => $body:block) => {
        $(if $index < $crate::contract::vector_items::<$t>() {
            const $p: usize = $index;
            $body
        })*
    };
}
pub(crate) use for_each_item;

macro_rules! accumulators {
    ($($t:ident as $bits:ident: $to_bits:expr, $from_bits:expr;)*) => {$(
        impl Accumulator for $t {
            type Bits = $bits;
            #[inline(always)]
            fn to_bits(self) -> $bits { $to_bits(self) }
            #[inline(always)]
            fn from_bits(bits: $bits) -> Self { $from_bits(bits) }
        }
    )*};
}

accumulators! {
    i32 as u32: |value| value as u32, |bits| bits as i32;
    u32 as u32: |value| value, |bits| bits;
    i64 as u64: |value| value as u64, |bits| bits as i64;
    u64 as u64: |value| value, |bits| bits;
    f32 as u32: f32::to_bits, f32::from_bits;
    f64 as u64: f64::to_bits, f64::from_bits;
}

/// How items with 8 to 64 bits lie in 16 bytes.
macro_rules! vectors {
    (u32: $value:expr, $bits:expr) => {
        #[inline(always)]
        fn unpack(words: Words) -> Self::Vector {
            words.map($value)
        }
        #[inline(always)]
        fn pack(vector: Self::Vector) -> Words {
            vector.map($bits)
        }
    };
    (u64: $value:expr, $bits:expr) => {
        #[inline(always)]
        fn unpack(words: Words) -> Self::Vector {
            [(words[0], words[1]), (words[2], words[3])]
                .map(|(low, high)| $value(Bits::from_halves(low, high)))
        }
        #[inline(always)]
        fn pack(vector: Self::Vector) -> Words {
            let [a, b] = vector.map($bits);
            [a.half(0), a.half(1), b.half(0), b.half(1)]
        }
    };
    ($narrow:ident: $value:expr, $bits:expr) => {
        #[inline(always)]
        fn unpack(words: Words) -> Self::Vector {
            const IN_WORD: usize = size_of::<u32>() / size_of::<$narrow>();
            let mut vector = [$value(0); 4 * IN_WORD];
            let mut i = 0;
            while i < 4 * IN_WORD {
                let shift = $narrow::BITS as usize * (i % IN_WORD);
                vector[i] = $value((words[i / IN_WORD] >> shift) as $narrow);
                i += 1;
            }
            vector
        }
        #[inline(always)]
        fn pack(vector: Self::Vector) -> Words {
            const IN_WORD: usize = size_of::<u32>() / size_of::<$narrow>();
            let mut words = [0; 4];
            let mut i = 0;
            while i < 4 * IN_WORD {
                let shift = $narrow::BITS as usize * (i % IN_WORD);
                words[i / IN_WORD] |= ($bits(vector[i]) as u32) << shift;
                i += 1;
            }
            words
        }
    };
}

macro_rules! elements {
    ($($t:ident as $bits:ident: $value:expr, $to_bits:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            type Vector = [$t; VECTOR_BYTES / size_of::<$t>()];
            const NAME: &'static str = stringify!($t);
            vectors!($bits: $value, $to_bits);
        }
    )*};
}

elements! {
    i8 as u8: |bits| bits as i8, |value| value as u8;
    u8 as u8: |bits| bits, |value| value;
    i16 as u16: |bits| bits as i16, |value| value as u16;
    u16 as u16: |bits| bits, |value| value;
    i32 as u32: |bits| bits as i32, |value| value as u32;
    u32 as u32: |bits| bits, |value| value;
    i64 as u64: |bits: u64| bits as i64, |value| value as u64;
    u64 as u64: |bits| bits, |value: u64| value;
    f16 as u16: f16::from_bits, f16::to_bits;
    bf16 as u16: bf16::from_bits, bf16::to_bits;
    f32 as u32: f32::from_bits, f32::to_bits;
    f64 as u64: f64::from_bits, f64::to_bits;
}
