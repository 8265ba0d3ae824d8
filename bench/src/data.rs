//! The element types that are measured, and their random items.
//!
//! Items are non-negative whole numbers of a small unit (for integers: 1), so every sum is known exactly, and no sum of
//! 2^30 of them is infinite. A list is [`PERIOD`] random items over and over: more than any cache line or
//! page pattern, and few enough that what stands before any item is at hand.

use anyhow::Result;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::{Item, bf16, f16};

use crate::measure::{Session, measure};

/// An element type that is measured.
pub trait Measured: Item + Default {
    /// An item from random bits.
    fn from_random(bits: u64) -> Self;

    /// How many units it is.
    fn units(self) -> i128;

    /// Whether this can be the sum of `item_count` items that are `exact` units together.
    fn is_sum(self, exact: i128, item_count: u64) -> bool;
}

/// One line of the table of types.
pub struct Type {
    pub name: &'static str,
    /// The same type in CUDA C++.
    pub cuda: &'static str,
    /// Measures all cases of it.
    pub measure: fn(&mut Session<'_>) -> Result<()>,
}

macro_rules! types {
    ($($t:ty as $cuda:literal),* $(,)?) => {
        /// The types, in the order in which they are measured.
        pub const TYPES: &[Type] = &[$(Type {
            name: <$t as warpfold::Element>::NAME,
            cuda: $cuda,
            measure: measure::<$t>,
        }),*];
    };
}

types! {
    u8 as "uint8_t",
    i8 as "int8_t",
    u16 as "uint16_t",
    i16 as "int16_t",
    f16 as "__half",
    bf16 as "__nv_bfloat16",
    u32 as "uint32_t",
    i32 as "int32_t",
    f32 as "float",
    u64 as "uint64_t",
    i64 as "int64_t",
    f64 as "double",
}

macro_rules! integers {
    ($($t:ident),*) => {$(
        impl Measured for $t {
            fn from_random(bits: u64) -> Self { bits as $t }
            fn units(self) -> i128 { self.into() }
            /// Integer sums wrap.
            fn is_sum(self, exact: i128, _item_count: u64) -> bool { self == exact as $t }
        }
    )*};
}

/// `type, from f64: bits of a random item, exponent of the unit, bits of precision`.
macro_rules! floats {
    ($($t:ident, $from:expr => $bits:literal, $unit:literal, $precision:literal;)*) => {$(
        impl Measured for $t {
            fn from_random(bits: u64) -> Self {
                $from((bits >> (64 - $bits)) as f64 * 2.0_f64.powi($unit))
            }
            fn units(self) -> i128 { (f64::from(self) * 2.0_f64.powi(-$unit)) as i128 }
            fn is_sum(self, exact: i128, item_count: u64) -> bool {
                f64::from(self).is_finite()
                    && is_near(self.units(), exact, chain(item_count), $precision)
            }
        }
    )*};
}

integers!(i8, u8, i16, u16, i32, u32, i64, u64);
floats! {
    f16, f16::from_f64 => 10, -24, 11;
    bf16, bf16::from_f64 => 8, -8, 8;
    f32, |number| number as f32 => 24, -24, 24;
    f64, |number| number => 53, -53, 53;
}

/// How many additions one item may go through in a device-wide sum: a generous bound of warpfold's and CUB's trees.
fn chain(item_count: u64) -> u64 {
    64 + (item_count >> 14)
}

/// Whether a sum of non-negative numbers, rounded `chain` times to `precision` bits, can be `found` in place of `exact`.
fn is_near(found: i128, exact: i128, chain: u64, precision: u32) -> bool {
    let relative = chain as f64 / 2.0_f64.powi(precision as i32);
    (found - exact).unsigned_abs() as f64 <= relative.min(1.0) * exact as f64
}

/// How many random items there are before they repeat.
pub const PERIOD: usize = 1 << 20;

/// Random items, repeated.
pub struct Data<T> {
    period: Vec<T>,
    /// Units of the first items of a period; one more than there are items.
    sums: Vec<i128>,
}

impl<T: Measured> Data<T> {
    /// For lists of at most `item_count` items.
    pub fn new(item_count: usize, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let period: Vec<T> = (0..item_count.min(PERIOD))
            .map(|_| T::from_random(random.u64(..)))
            .collect();
        let mut sums = vec![0];
        for (index, item) in period.iter().enumerate() {
            sums.push(sums[index] + item.units());
        }
        Self { period, sums }
    }

    /// The first items.
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

    /// Units of the first items together.
    pub fn sum(&self, item_count: usize) -> i128 {
        let (periods, rest) = (
            item_count / self.period.len(),
            item_count % self.period.len(),
        );
        self.sums[self.period.len()] * periods as i128 + self.sums[rest]
    }

    /// The largest of the first items. None is less than what zero bits give.
    pub fn largest(&self, item_count: usize) -> T {
        let items = &self.period[..item_count.min(self.period.len())];
        let larger = |largest: T, &item: &T| if item > largest { item } else { largest };
        items.iter().fold(T::from_random(0), larger)
    }

    /// A device buffer of the first items.
    pub fn upload(&self, item_count: usize) -> Result<DeviceBuffer<T>> {
        // SAFETY: every item is written below before it is read.
        let buffer = unsafe { DeviceBuffer::uninitialized(item_count) }?;
        let mut filled = self.period.len().min(item_count);
        buffer.index(..filled).copy_from(&self.period[..filled])?;
        while filled < item_count {
            let more = filled.min(item_count - filled);
            let written = buffer.index(..more);
            buffer.index(filled..filled + more).copy_from(&written)?;
            filled += more;
        }
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

    #[test]
    fn a_sum_that_lacks_an_item_is_wrong() {
        let data = Data::<f32>::new(1024, 7);
        let sum: f32 = data.first(1024).iter().sum();
        assert!(sum.is_sum(data.sum(1024), 1024));
        assert!(!(sum - 0.5).is_sum(data.sum(1024), 1024));
        assert!(!f32::NAN.is_sum(data.sum(1024), 1024));
        assert!(!f32::INFINITY.is_sum(data.sum(1024), 1024));

        let data = Data::<i32>::new(1024, 7);
        let sum = data.first(1024).into_iter().fold(0, i32::wrapping_add);
        assert!(sum.is_sum(data.sum(1024), 1024));
        assert!(!sum.wrapping_add(1).is_sum(data.sum(1024), 1024));
    }
}
