//! The element types of the measurements, and random items of these types.
//!
//! Items are multiples of a small unit (for integers: 1), and floats are not negative. So every sum is known exactly, and no sum of 2^30
//! items is infinite. Items repeat after [`PERIOD`] random items. The period is so short that [`Data`] can keep, for each item of a period,
//! the sum of the items before it.

use anyhow::Result;
use warpfold::cust::context::CurrentContext;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy};
use warpfold::cust_half::{bf16, f16};
use warpfold::{Item, Kernel, Sum, WideSum, kind};

/// An element type that is measured.
pub trait Measured: Item + DeviceCopy + Default + PartialOrd {
    /// The type's name, as in Rust.
    const NAME: &'static str;
    /// The same type in CUDA C++.
    const CUDA: &'static str;
    /// The unit, as an exponent of two.
    const UNIT: i32;
    /// The type of the wide sum. This type itself, if there is no wider type.
    type Wide: Measured;
    /// The operator of the wide sum.
    type WideSum: Kernel<kind::reduce, Self, Output = Self::Wide>;

    /// An item from random bits.
    fn from_random(bits: u64) -> Self;

    /// The item as a number of units.
    fn units(self) -> i128;

    /// Whether this is an acceptable sum of items whose exact sum is `exact` units.
    fn is_sum(self, exact: i128, rounding: Rounding) -> bool;

    /// Whether the wide sum has another type than the sum.
    fn has_wider() -> bool {
        Self::NAME != Self::Wide::NAME
    }
}

/// How a sum of floats is rounded. A sum of integers is exact.
#[derive(Debug, Clone, Copy)]
pub struct Rounding {
    /// The number of summed items.
    pub item_count: usize,
    pub accumulator: Accumulator,
}

/// The type in which floats are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accumulator {
    /// The result's type.
    Result,
    /// At least as wide as `f32`.
    F32,
}

/// One line of the table of types.
pub struct Type {
    pub name: &'static str,
    /// The same type in CUDA C++.
    pub cuda: &'static str,
    /// The type of the wide sum, also in CUDA C++.
    pub cuda_wide: &'static str,
}

macro_rules! table {
    ($($t:ty),* $(,)?) => {
        /// The types, in the order in which they are measured.
        pub const TYPES: &[Type] = &[$(Type {
            name: <$t as Measured>::NAME,
            cuda: <$t as Measured>::CUDA,
            cuda_wide: <<$t as Measured>::Wide as Measured>::CUDA,
        }),*];
    };
}

/// Passes the types to a macro.
macro_rules! for_each_type {
    ($callback:ident) => {
        $callback!(u8, i8, u16, i16, f16, bf16, u32, i32, f32, u64, i64, f64);
    };
}
pub(crate) use for_each_type;

for_each_type!(table);

/// The types with one of these names; all types if there is no name.
pub fn types_named(names: &[String]) -> Vec<&'static Type> {
    let is_named = |each: &&Type| names.is_empty() || names.iter().any(|name| name == each.name);
    TYPES.iter().filter(is_named).collect()
}

/// Each line has a type, its name in CUDA C++, the operator of its wide sum, and the wide sum's type.
macro_rules! integers {
    ($($t:ident as $cuda:literal, $wide_sum:ident to $wide:ident;)*) => {$(
        impl Measured for $t {
            const NAME: &'static str = stringify!($t);
            const CUDA: &'static str = $cuda;
            const UNIT: i32 = 0;
            type Wide = $wide;
            type WideSum = $wide_sum;
            fn from_random(bits: u64) -> Self { bits as $t }
            fn units(self) -> i128 { self.into() }
            /// Integer sums wrap.
            fn is_sum(self, exact: i128, _rounding: Rounding) -> bool { self == exact as $t }
        }
    )*};
}

/// Each line begins like a line of `integers!`. After these parts, it has the conversion from `f64`, the number of bits of a random item,
/// the exponent of the unit, and the number of bits of precision.
macro_rules! floats {
    ($($t:ident as $cuda:literal, $wide_sum:ident to $wide:ident, $from:expr => $bits:literal, $unit:literal, $precision:literal;)*) => {$(
        impl Measured for $t {
            const NAME: &'static str = stringify!($t);
            const CUDA: &'static str = $cuda;
            const UNIT: i32 = $unit;
            type Wide = $wide;
            type WideSum = $wide_sum;
            fn from_random(bits: u64) -> Self {
                $from((bits >> (64 - $bits)) as f64 * 2.0_f64.powi($unit))
            }
            fn units(self) -> i128 { (f64::from(self) * 2.0_f64.powi(-$unit)) as i128 }
            fn is_sum(self, exact: i128, rounding: Rounding) -> bool {
                f64::from(self).is_finite()
                    && (self.units() - exact).unsigned_abs() as f64
                        <= rounding.bound($precision) * exact as f64
            }
        }
    )*};
}

integers! {
    i8 as "int8_t", WideSum to i64;
    u8 as "uint8_t", WideSum to u64;
    i16 as "int16_t", WideSum to i64;
    u16 as "uint16_t", WideSum to u64;
    i32 as "int32_t", WideSum to i64;
    u32 as "uint32_t", WideSum to u64;
    i64 as "int64_t", Sum to i64;
    u64 as "uint64_t", Sum to u64;
}

floats! {
    f16 as "__half", WideSum to f32, f16::from_f64 => 10, -24, 11;
    bf16 as "__nv_bfloat16", WideSum to f32, bf16::from_f64 => 8, -8, 8;
    f32 as "float", WideSum to f64, |number| number as f32 => 24, -24, 24;
    f64 as "double", Sum to f64, |number| number => 53, -53, 53;
}

impl Rounding {
    /// An upper bound on the relative error of a sum of non-negative numbers with `precision` bits.
    fn bound(self, precision: i32) -> f64 {
        // An upper bound on the number of additions that an item takes part in. It is generous for the trees of warpfold and CUB.
        let chain = (64 + (self.item_count >> 14)) as f64;
        let added_with = match self.accumulator {
            Accumulator::Result => precision,
            Accumulator::F32 => precision.max(24),
        };
        (chain * 2.0_f64.powi(-added_with) + 2.0_f64.powi(-precision)).min(1.0)
    }
}

/// The number of random items before they repeat.
pub const PERIOD: usize = 1 << 20;

/// Random items, repeated.
pub struct Data<T> {
    period: Vec<T>,
    /// Element `i` is the sum of the first `i` items of a period, in units.
    sums: Vec<i128>,
}

impl<T: Measured> Data<T> {
    /// Random items for lists of at most `item_count` items.
    pub fn new(item_count: usize, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let period: Vec<T> = (0..item_count.min(PERIOD))
            .map(|_| T::from_random(random.u64(..)))
            .collect();
        Self::of(period)
    }

    /// Data that repeats the items of `period`. `period` has at least one item.
    pub fn of(period: Vec<T>) -> Self {
        let mut sums = vec![0];
        for (index, item) in period.iter().enumerate() {
            sums.push(sums[index] + item.units());
        }
        Self { period, sums }
    }

    /// The items of one period.
    pub fn period(&self) -> &[T] {
        &self.period
    }

    /// The first `item_count` items.
    pub fn first(&self, item_count: usize) -> Vec<T> {
        self.period
            .iter()
            .copied()
            .cycle()
            .take(item_count)
            .collect()
    }

    /// The item at an index.
    pub fn item(&self, index: usize) -> T {
        self.period[index % self.period.len()]
    }

    /// The sum of the first items, in units.
    pub fn sum(&self, item_count: usize) -> i128 {
        let (periods, rest) = (
            item_count / self.period.len(),
            item_count % self.period.len(),
        );
        self.sums[self.period.len()] * periods as i128 + self.sums[rest]
    }

    /// The wide sum of the first items, in units of the wide sum's type.
    pub fn wide_sum(&self, item_count: usize) -> i128 {
        self.sum(item_count) << (T::UNIT - T::Wide::UNIT)
    }

    /// The largest of the first items, or 0 if all are negative.
    pub fn largest(&self, item_count: usize) -> T {
        let items = &self.period[..item_count.min(self.period.len())];
        let larger = |largest: T, &item: &T| if item > largest { item } else { largest };
        items.iter().fold(T::from_random(0), larger)
    }

    /// A device buffer of the first items.
    pub fn upload(&self, item_count: usize) -> Result<DeviceBuffer<T>> {
        // SAFETY: the copies below write every item before it is read.
        let buffer = unsafe { DeviceBuffer::uninitialized(item_count) }?;
        let mut filled = self.period.len().min(item_count);
        buffer.index(..filled).copy_from(&self.period[..filled])?;
        while filled < item_count {
            let more = filled.min(item_count - filled);
            let written = buffer.index(..more);
            buffer.index(filled..filled + more).copy_from(&written)?;
            filled += more;
        }
        // Copies within the device are asynchronous, and non-blocking streams would not wait for them.
        CurrentContext::synchronize()?;
        Ok(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_repeated_items_are_exact() {
        let data = Data::<u32>::new(8, 7);
        let items = data.first(8);
        for item_count in [0, 1, 7, 8, 9, 23] {
            let expected = items.iter().cycle().take(item_count);
            let expected: i128 = expected.map(|&item| i128::from(item)).sum();
            assert_eq!(data.sum(item_count), expected);
        }
        assert_eq!(data.item(19), items[3]);
        assert_eq!(Some(&data.largest(8)), items.iter().max());
    }

    fn rounding(accumulator: Accumulator) -> Rounding {
        Rounding {
            item_count: 1024,
            accumulator,
        }
    }

    #[test]
    fn a_sum_that_lacks_an_item_is_wrong() {
        let data = Data::<f32>::new(1024, 7);
        let sum: f32 = data.first(1024).iter().sum();
        let is_sum = |sum: f32| sum.is_sum(data.sum(1024), rounding(Accumulator::Result));
        assert!(is_sum(sum));
        assert!(!is_sum(sum - 0.5));
        assert!(!is_sum(f32::NAN));
        assert!(!is_sum(f32::INFINITY));

        let data = Data::<i32>::new(1024, 7);
        let sum = data.first(1024).into_iter().fold(0, i32::wrapping_add);
        let is_sum = |sum: i32| sum.is_sum(data.sum(1024), rounding(Accumulator::Result));
        assert!(is_sum(sum));
        assert!(!is_sum(sum.wrapping_add(1)));
    }

    #[test]
    fn narrow_floats_that_are_added_in_f32_are_rounded_once() {
        let data = Data::<bf16>::new(1024, 7);
        let items = data.first(1024).into_iter();
        let sum = bf16::from_f32(items.map(f32::from).sum());
        let off = bf16::from_bits(sum.to_bits() + 2);
        let is_sum = |sum: bf16, accumulator| sum.is_sum(data.sum(1024), rounding(accumulator));
        assert!(is_sum(sum, Accumulator::F32));
        assert!(!is_sum(off, Accumulator::F32));
        assert!(is_sum(off, Accumulator::Result));
    }

    #[test]
    fn wide_sums_are_checked_in_their_own_units() {
        let data = Data::<f32>::new(1024, 7);
        let sum: f64 = data.first(1024).into_iter().map(f64::from).sum();
        let is_sum = |sum: f64| sum.is_sum(data.wide_sum(1024), rounding(Accumulator::Result));
        assert!(is_sum(sum));
        assert!(!is_sum(sum + 1.0e-6));

        let data = Data::<u8>::new(1024, 7);
        let sum: u64 = data.first(1024).into_iter().map(u64::from).sum();
        assert!(sum.is_sum(data.wide_sum(1024), rounding(Accumulator::Result)));
        assert!(!u64::from(sum as u8).is_sum(data.wide_sum(1024), rounding(Accumulator::Result)));
    }
}
