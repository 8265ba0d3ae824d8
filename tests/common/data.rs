//! Random items for tests: a seed always gives the same items. Sums and products of floats are rounded, so a wrong order usually changes
//! them.

#[path = "random.rs"]
mod random;

use std::any::TypeId;

use crate::device::Item;
use bytemuck::{bytes_of, cast_slice};
use warpfold::cust_half::{bf16, f16};
use warpfold::{Affine, Op, Product};
use warpfold_kernels::for_each_integer;

pub use random::Random;

/// An item type that has random items.
pub trait Sample: Item {
    /// An item of any sign. Floats have very different magnitudes.
    fn any(random: &mut Random) -> Self;

    /// A factor for long products. A product of thousands of floats seldom overflows or vanishes, and a product of integers is not 0.
    fn factor(random: &mut Random) -> Self;
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Sample for $t {
            fn any(random: &mut Random) -> Self { random.bits() as $t }
            fn factor(random: &mut Random) -> Self { random.bits() as $t | 1 }
        }
    )*};
}

/// Each line has a type, and the function that makes a number of this type from an `f64`.
macro_rules! floats {
    ($($t:ident: $from:expr;)*) => {$(
        impl Sample for $t {
            fn any(random: &mut Random) -> Self {
                let sign = if random.bits() & 1 == 0 { 1.0 } else { -1.0 };
                let exponent = random.below(24) as i32 - 12;
                $from(sign * (1.0 + unit(random)) * f64::powi(2.0, exponent))
            }
            fn factor(random: &mut Random) -> Self {
                let sign = if random.bits() & 1 == 0 { 1.0 } else { -1.0 };
                // The logarithms of the factors' magnitudes are 0 on average, so a product of thousands of factors seldom overflows or
                // vanishes.
                $from(sign * (0.9 + 0.203_451 * unit(random)))
            }
        }
    )*};
}

for_each_integer!(integers);
floats! {
    f16: f16::from_f64;
    bf16: bf16::from_f64;
    f32: |number| number as f32;
    f64: |number| number;
}

/// The scales are factors of long products, so a composition of thousands of maps seldom overflows or vanishes.
impl Sample for Affine {
    fn any(random: &mut Random) -> Self {
        let [scale, offset] = [f32::factor(random), f32::any(random)];
        Affine { scale, offset }
    }

    fn factor(random: &mut Random) -> Self {
        Self::any(random)
    }
}

/// A random number that is at least 0 and less than 1.
pub fn unit(random: &mut Random) -> f64 {
    (random.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// Items for the operator `O`.
pub fn ordinary<O: Op<T>, T: Sample>(count: usize) -> Vec<T> {
    ordinary_of_seed::<O, T>(count as u64, count)
}

/// Items for the operator `O`, from this seed.
pub fn ordinary_of_seed<O: Op<T>, T: Sample>(seed: u64, count: usize) -> Vec<T> {
    let mut random = Random::new(seed);
    let item = match TypeId::of::<O>() == TypeId::of::<Product>() {
        true => T::factor,
        false => T::any,
    };
    (0..count).map(|_| item(&mut random)).collect()
}

/// Asserts that two lists have the same bits. A failure shows the lengths, or the first item that differs.
#[track_caller]
#[allow(dead_code, reason = "each test file uses its part")]
pub fn assert_same_bits<T: Item>(found: &[T], expected: &[T], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: length");
    // In a build without optimisation, this comparison is much faster than one of single items.
    if cast_slice::<T, u8>(found) == cast_slice::<T, u8>(expected) {
        return;
    }
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let (found_bytes, expected_bytes) = (bytes_of(found), bytes_of(expected));
        assert!(
            found_bytes == expected_bytes,
            "{what}: item {index} has the bytes {found_bytes:x?}, not {expected_bytes:x?}",
        );
    }
}
