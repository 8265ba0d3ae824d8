//! The rungs' problems: their items, and the check of a result against the CPU.

use std::fmt::Display;

use warpfold::{Kernel, kind};
use warpfold_ladder::{Item, Placement, Plain, Rung};

use crate::common::Random;
use crate::failure::Failure;

/// An operator for the ladder's kernels. warpfold also has kernels that reduce and scan with it.
pub trait Operator<T: Item>:
    Plain<T>
    + Kernel<kind::reduce, T>
    + Kernel<kind::inclusive_scan, T>
    + Kernel<kind::exclusive_scan, T>
{
}

impl<O, T: Item> Operator<T> for O where
    O: Plain<T>
        + Kernel<kind::reduce, T>
        + Kernel<kind::inclusive_scan, T>
        + Kernel<kind::exclusive_scan, T>
{
}

/// A type of items. The methods make up items, compute the total on the CPU, and compare a device's result with this total.
pub trait Problem: Item + Default + Display {
    /// The type of the CPU's running total, which is exact or nearly so.
    type Total: Copy + Display;

    /// An item from random bits.
    fn made_up(bits: u64) -> Self;

    /// The total of no items.
    fn start<O: Plain<Self>>() -> Self::Total;

    /// The total with one more item.
    fn add<O: Plain<Self>>(total: Self::Total, item: Self) -> Self::Total;

    /// Whether a result agrees with the CPU's total of `item_count` items.
    fn agrees(self, total: Self::Total, item_count: usize) -> bool;
}

macro_rules! integers {
    ($($t:ident: $made_up:expr),*) => {$(
        impl Problem for $t {
            type Total = $t;

            fn made_up(bits: u64) -> Self {
                $made_up(bits)
            }

            fn start<O: Plain<Self>>() -> Self {
                O::identity()
            }

            fn add<O: Plain<Self>>(total: Self, item: Self) -> Self {
                O::combine(total, item)
            }

            fn agrees(self, total: Self, _item_count: usize) -> bool {
                self == total
            }
        }
    )*};
}

integers!(
    // From 0 to 255, as in documents 2 and 5.
    i32: |bits: u64| (bits & 0xff) as i32,
    u32: |bits: u64| bits as u32
);

impl Problem for f32 {
    type Total = f64;

    /// At least 0, and less than 1.
    fn made_up(bits: u64) -> Self {
        (bits >> 40) as f32 / (1 << 24) as f32
    }

    fn start<O: Plain<Self>>() -> f64 {
        0.0
    }

    /// The sum: this program uses no other operator for floats.
    fn add<O: Plain<Self>>(total: f64, item: Self) -> f64 {
        total + f64::from(item)
    }

    /// No item is negative, so the error of n additions in any order is at most n·u times the sum, where u is half of `f32::EPSILON`.
    fn agrees(self, total: f64, item_count: usize) -> bool {
        let bound = item_count as f64 * f64::from(f32::EPSILON) / 2.0 * total;
        (f64::from(self) - total).abs() <= bound
    }
}

/// Random items, the same in every run.
pub fn items<T: Problem>(item_count: usize) -> Vec<T> {
    let mut random = Random::new(item_count as u64);
    (0..item_count).map(|_| T::made_up(random.bits())).collect()
}

/// Checks a reduction.
pub fn check_reduction<O: Plain<T>, T: Problem>(
    rung: Rung,
    found: T,
    items: &[T],
) -> Result<(), Failure> {
    let total = items
        .iter()
        .fold(T::start::<O>(), |total, &item| T::add::<O>(total, item));
    check(rung, found, total, items.len())
}

/// Checks a scan, item by item.
pub fn check_scan<O: Plain<T>, T: Problem>(
    rung: Rung,
    placement: Placement,
    found: &[T],
    items: &[T],
) -> Result<(), Failure> {
    let mut total = T::start::<O>();
    for (index, (&found, &item)) in found.iter().zip(items).enumerate() {
        let before = total;
        total = T::add::<O>(total, item);
        let expected = match placement {
            Placement::Inclusive => total,
            Placement::Exclusive => before,
        };
        check(rung, found, expected, index + 1)?;
    }
    Ok(())
}

fn check<T: Problem>(
    rung: Rung,
    found: T,
    total: T::Total,
    item_count: usize,
) -> Result<(), Failure> {
    match found.agrees(total, item_count) {
        true => Ok(()),
        false => Err(Failure::Mismatch {
            rung: rung.to_string(),
            device: found.to_string(),
            cpu: total.to_string(),
        }),
    }
}
