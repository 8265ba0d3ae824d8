//! Operators on wide items or with wide accumulators give the same bits on the device as on the CPU. `Total` and `Top3` also obey the laws
//! of [`check_operator`].

#[path = "../../common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "../../common/gpus.rs"]
mod gpus;
#[path = "../../common/numbers.rs"]
#[allow(dead_code, reason = "used in part")]
mod numbers;
#[path = "../../common/own_operator.rs"]
#[allow(dead_code, reason = "used in part")]
mod own_operator;

use std::any::type_name;
use std::slice;
use std::time::Duration;

use device::{Item, Kernel};
use gpus::gpu;
use numbers::{Random, items};
use own_operator::{assert_same, check, check_scans, lengths};
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::group::within;
use warpfold::kind::{self, exclusive_scan, inclusive_scan};
use warpfold::{Commutative, Cpu, check_operator, reduce, scan};
use wide_operators::operators::*;

#[test]
fn extremes_keep_the_laws() {
    let vectors = [[0.0, -0.0, 1e-45], [-0.0, 1e-45, 0.0], [-1e-45, -0.0, -0.0]];
    check_operator::<Total, [f32; 3]>(&vectors).unwrap();
    check_operator::<Total, u128>(&[0, 1, u128::MAX, 1 << 64]).unwrap();
    check_operator::<Total, [u64; 3]>(&[[0; 3], [u64::MAX; 3], [1, 0, u64::MAX]]).unwrap();
    check_operator::<Total, [u32; 8]>(&[[0; 8], [u32::MAX; 8], [1; 8]]).unwrap();
}

#[test]
fn items_of_12_bytes() {
    check::<Total, [f32; 3]>(|numbers| [numbers.float(), numbers.float(), numbers.float()]);
}

#[test]
fn items_of_16_bytes() {
    check::<Total, u128>(|numbers| (numbers.bits() as u128) << 64 | numbers.bits() as u128);
}

#[test]
fn items_of_24_bytes() {
    check::<Total, [u64; 3]>(|numbers| [numbers.bits(), numbers.bits(), numbers.bits()]);
}

#[test]
fn items_of_32_bytes() {
    check::<Total, [u32; 8]>(|numbers| std::array::from_fn(|_| numbers.bits() as u32));
}

macro_rules! records {
    ($($name:ident: $number:ident $count:literal;)*) => {$(
        #[test]
        fn $name() {
            check::<Total, [$number; $count]>(|numbers| {
                std::array::from_fn(|_| numbers.bits() as $number)
            });
        }
    )*};
}

records! {
    totals_of_20_bytes: u32 5;
    totals_of_36_bytes: u32 9;
    totals_of_40_bytes: u64 5;
    totals_of_48_bytes: u32 12;
    totals_of_56_bytes: u64 7;
    totals_of_60_bytes: u32 15;
    totals_of_64_bytes: u32 16;
}

#[test]
fn top3() {
    check::<Top3, i32>(|numbers| numbers.bits() as i32 % 1000);
    let largest = reduce::<Top3, _>(&[3, 9, -1, 9, 4]).wait(gpu());
    assert_eq!(largest, Ok([9, 9, 4]));
}

macro_rules! choices {
    ($($name:ident: $operator:ident $number:ident $count:literal;)*) => {$(
        #[test]
        fn $name() {
            // The first number of an item has at most 50 values, so that some items have equal first numbers.
            check_scans::<$operator, [$number; $count]>(|numbers| {
                let mut item = std::array::from_fn(|_| numbers.bits() as $number);
                item[0] %= 50;
                item
            });
        }
    )*};
}

#[test]
fn results_longer_or_shorter_than_the_items() {
    check_scans::<Resized, [u32; 4]>(|numbers| std::array::from_fn(|_| numbers.bits() as u32));
    check_scans::<Resized, [u64; 3]>(|numbers| std::array::from_fn(|_| numbers.bits()));
}

/// Checks scans of more than 16 MiB, which have the tiles of long scans. The items and the results begin `shift` items after an aligned
/// address.
fn check_long_scans<O, T>(shift: usize, item: fn(&mut Random) -> T)
where
    O: Kernel<inclusive_scan, T, Output = T> + Kernel<exclusive_scan, T>,
    T: Item,
{
    let gpu = gpu();
    let items = items((16 << 20) / size_of::<T>() + 12_345, item);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let output = DeviceBuffer::from_slice(&items).unwrap();
    let mut found = items.clone();
    for is_reversed in [false, true] {
        let input = input.index(shift..);
        let mut to = output.index(shift..);
        let mut expected = items.clone();
        let results = if is_reversed {
            let request = scan::<O, _>(&input).exclusive().reversed();
            request.to(&mut to).wait(gpu).unwrap();
            let request = scan::<O, _>(&items[shift..]).exclusive().reversed();
            request.wait(Cpu).unwrap()
        } else {
            scan::<O, _>(&input).to(&mut to).wait(gpu).unwrap();
            scan::<O, _>(&items[shift..]).wait(Cpu).unwrap()
        };
        expected[shift..].copy_from_slice(&results);
        output.copy_to(&mut found).unwrap();
        assert_same(&found, &expected, type_name::<O>());
    }
}

#[test]
fn long_scans_of_large_items() {
    check_long_scans::<Total, [u32; 5]>(1, |numbers| {
        std::array::from_fn(|_| numbers.bits() as u32)
    });
    check_long_scans::<Latest, [u64; 8]>(0, |numbers| std::array::from_fn(|_| numbers.bits() % 50));
}

/// An odd number of results of 2 bytes: the last one is half a word, and the other half belongs to no result.
#[test]
fn long_scans_with_small_results() {
    let gpu = gpu();
    let mut numbers = Random::new(1);
    let items: Vec<[u32; 8]> = (0..(16 << 20) / 32 + 12_345)
        .map(|_| [numbers.bits() as u32; 8])
        .collect();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let mut found = vec![0xABCD; items.len() + 1];
    let output = DeviceBuffer::from_slice(&found).unwrap();
    scan::<LowHalf, _>(&input)
        .to(&mut output.index(..items.len()))
        .wait(gpu)
        .unwrap();
    output.copy_to(&mut found).unwrap();
    let mut expected = scan::<LowHalf, _>(&items).wait(Cpu).unwrap();
    expected.push(0xABCD);
    assert_same(&found, &expected, type_name::<LowHalf>());
}

/// Checks reductions of whole arrays. Most end with a tile that is filled only in part.
fn check_reductions<O: Commutative + Kernel<kind::reduce, T>, T: Item>(item: fn(&mut Random) -> T) {
    for length in lengths::<T>() {
        let items = items(length, item);
        let found = reduce::<O, _>(&items).wait(gpu()).unwrap();
        let expected = reduce::<O, _>(&items).wait(Cpu).unwrap();
        assert_same(&[found], &[expected], type_name::<O>());
    }
}

#[test]
fn items_that_are_combined_pairwise() {
    check_reductions::<MomentsOf4Bytes, _>(|numbers| numbers.float());
    check_reductions::<MomentsOf32Bytes, _>(|numbers| std::array::from_fn(|_| numbers.float()));
    check_reductions::<MomentsOf36Bytes, _>(|numbers| std::array::from_fn(|_| numbers.float()));
    check_reductions::<StatisticsOf64Bytes, _>(|numbers| {
        std::array::from_fn(|_| f64::from(numbers.float()))
    });
}

/// A group writes its result to memory that is aligned for every type.
#[test]
fn a_group_reduces_to_a_result_of_16_bytes() {
    let gpu = gpu();
    let items: Vec<u128> = (0..100).map(|number| number << 64 | 1).collect();
    let items = DeviceBuffer::from_slice(&items).unwrap();
    let mut members = within(slice::from_ref(gpu), Duration::from_secs(60));
    let result = reduce::<Total, _>(&items).wait(&mut members[0]);
    assert_eq!(result, Ok(4950 << 64 | 100));
}

choices! {
    least_of_12_bytes: Least u32 3;
    least_of_20_bytes: Least u32 5;
    least_of_40_bytes: Least u64 5;
    least_of_64_bytes: Least u128 4;
    latest_of_20_bytes: Latest u32 5;
    latest_of_64_bytes: Latest u64 8;
}
