//! Operators of many kinds, compiled and run on the virtual GPU with its default checks.

extern crate warpfold_kernels as warpfold;

mod common;
#[path = "operators/good.rs"]
#[allow(dead_code, unused_imports, reason = "what only the device uses")]
mod good;

use std::fmt::Debug;
use std::process::ExitCode;
use std::sync::LazyLock;

use common::device::Device;
use common::skip::{device_tests, run};
use good::{Affine, ArgMin, Composition, Convolution, Count, Gcd, PRIME};
use warpfold::element::Element;
use warpfold::op::Op;
use warpfold_build::Compiled;

fn main() -> ExitCode {
    run(device_tests![
        greatest_common_divisors,
        compositions_keep_their_order,
        the_index_of_the_least_item,
        counts_of_flags,
        combinations_of_many_instructions,
    ])
}

static COMPILED: LazyLock<Vec<Compiled>> =
    LazyLock::new(|| common::build("good").compile().expect("kernels"));

/// Numbers of items, from one item to several tiles.
const LENGTHS: [usize; 8] = [1, 2, 31, 33, 255, 1025, 8191, 20_000];

/// A pseudo-random number, from an index.
fn random(index: usize) -> u32 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as u32
}

/// The inclusive scan, item by item.
fn inclusive<O: Op<T>, T: Element>(items: &[T]) -> Vec<O::Output> {
    let mut upto = O::identity();
    let items = items.iter().enumerate();
    items
        .map(|(index, item)| {
            upto = O::combine(upto, O::lift_at(*item, index as u64));
            O::lower(upto)
        })
        .collect()
}

/// Checks both scans of an exact operator and, if `reduces`, also its reduction. Does so for each architecture of the build.
fn check<O: Op<T, Output: PartialEq + Debug>, T: Element>(
    name: &str,
    reduces: bool,
    item: impl Fn(usize) -> T,
) {
    for compiled in COMPILED.iter() {
        let device = Device::new(compiled);
        for length in LENGTHS {
            let items: Vec<T> = (0..length).map(&item).collect();
            let expected = inclusive::<O, T>(&items);
            let place = format!("{name}, {length} items, {:?}", compiled.capability);
            if reduces {
                let total = device.reduce::<O, T>(name, &items);
                assert_eq!(Some(&total), expected.last(), "{place}");
            }
            let found = device.scan::<O, T>(&format!("inclusive_scan_{name}"), &items);
            assert!(found == expected, "{place}");
            let found = device.scan::<O, T>(&format!("exclusive_scan_{name}"), &items);
            assert_eq!(found[0], O::lower(O::identity()), "{place}");
            assert!(found[1..] == expected[..length - 1], "{place}");
        }
    }
}

fn greatest_common_divisors() {
    check::<Gcd, u64>("gcd", true, |i| u64::from(random(i)) * 6);
}

fn compositions_keep_their_order() {
    check::<Composition, Affine>("composition", false, |i| Affine {
        scale: random(i) | 1,
        offset: random(i + 7),
    });
}

fn the_index_of_the_least_item() {
    check::<ArgMin, f32>("arg_min", true, |i| random(i) as f32);
}

fn counts_of_flags() {
    check::<Count, u8>("count", true, |i| (random(i) % 3) as u8);
}

fn combinations_of_many_instructions() {
    check::<Convolution, [u32; 8]>("convolution", true, |i| {
        std::array::from_fn(|k| (u64::from(random(8 * i + k)) % PRIME) as u32)
    });
}
