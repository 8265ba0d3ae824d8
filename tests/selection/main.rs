//! Selections. Every kernel is compared with the CPU. Some kernels are compared for many lengths, flags and runs. If an output is too
//! short, the items that do not fit are omitted, and a call that waits returns an error. Wrong arguments are refused.

mod calls;
#[path = "../common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "../common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "../common/engine.rs"]
mod engine;
#[path = "../common/gpus.rs"]
mod gpus;
mod injected;
mod launched;
#[cfg(not(feature = "cuda_builder"))]
mod planted;
#[path = "../common/schedule.rs"]
mod schedule;
mod shapes;
mod slices;

use crate::device::Item;
use cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use data::{Random, Sample, assert_same_bits};
use gpus::gpu;
use warpfold::cust_half::{bf16, f16};
use warpfold::{
    Cpu, Equal, Flagged, NonZero, NotNan, RunsKernel, SelectKernel, Sum, cust, runs, scan, select,
};
use warpfold_kernels::for_each_selection_kernel;
use warpfold_kernels::heads::TILE_ITEMS;
use warpfold_kernels::selection::{Bytes16, tile_items};

/// An output with room for `count` items and one more, filled with the sentinel.
pub fn place<T: Item>(count: usize) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(&vec![sentinel::<T>(); count + 1]).unwrap()
}

fn sentinel<T: Item>() -> T {
    bytemuck::pod_read_unaligned(&[0x5a; 32][..size_of::<T>()])
}

/// Asserts that an output begins with the items of `expected`, and that its other items are untouched.
#[track_caller]
pub fn assert_begins<T: Item>(output: &DeviceSlice<T>, expected: &[T], what: &str) {
    let mut found = vec![T::zeroed(); output.len()];
    output.copy_to(&mut found).unwrap();
    let (first, rest) = found.split_at(expected.len());
    assert_same_bits(first, expected, what);
    assert_same_bits(
        rest,
        &vec![sentinel(); rest.len()],
        &format!("{what}, behind"),
    );
}

/// The numbers as `u32`.
pub fn words(numbers: &[usize]) -> Vec<u32> {
    numbers.iter().map(|&number| number as u32).collect()
}

/// Checks requests that select by flags.
fn check_flagged<T: Item>(items: &[T], flags: &[u8], what: &str) {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(items).unwrap();
    let device_flags = DeviceBuffer::from_slice(flags).unwrap();
    let (selected, rejected) = select::<Flagged, _>((items, flags))
        .partition()
        .wait(Cpu)
        .unwrap();
    let mut output = place::<T>(items.len());
    let count = select::<Flagged, _>((&input, &device_flags))
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    assert_eq!(count, selected.len(), "{what}");
    assert_begins(&output, &selected, what);
    let (mut output, mut others) = (place::<T>(items.len()), place::<T>(items.len()));
    let count = select::<Flagged, _>((&input, &device_flags))
        .to(&mut output)
        .rest_to(&mut others)
        .wait(gpu)
        .unwrap();
    assert_eq!(count, selected.len(), "{what}");
    assert_begins(&output, &selected, &format!("{what}: selected"));
    assert_begins(&others, &rejected, &format!("{what}: rejected"));
}

/// Checks requests that select by a predicate.
fn check_if<P: SelectKernel<T>, T: Item>(items: &[T], what: &str) {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(items).unwrap();
    let (selected, rejected) = select::<P, _>(items).partition().wait(Cpu).unwrap();
    assert_same_bits(&select::<P, _>(items).wait(Cpu).unwrap(), &selected, what);
    let mut output = place::<T>(items.len());
    let count = select::<P, _>(&input).to(&mut output).wait(gpu).unwrap();
    assert_eq!(count, selected.len(), "{what}");
    assert_begins(&output, &selected, what);
    let (mut output, mut others) = (place::<T>(items.len()), place::<T>(items.len()));
    select::<P, _>(&input)
        .to(&mut output)
        .rest_to(&mut others)
        .wait(gpu)
        .unwrap();
    assert_begins(&output, &selected, &format!("{what}: selected"));
    assert_begins(&others, &rejected, &format!("{what}: rejected"));
    let mut indices = place::<u32>(items.len());
    select::<P, _>(&input)
        .indices_to(&mut indices)
        .wait(gpu)
        .unwrap();
    let expected = words(&select::<P, _>(items).indices().wait(Cpu).unwrap());
    assert_begins(&indices, &expected, &format!("{what}: indices"));
}

/// Checks requests for runs.
fn check_runs<E: RunsKernel<T>, T: Item>(items: &[T], what: &str) {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(items).unwrap();
    let (expected_keys, expected_lengths) = runs::<E, _>(items).lengths().wait(Cpu).unwrap();
    let mut firsts = place::<T>(items.len());
    let count = runs::<E, _>(&input).to(&mut firsts).wait(gpu).unwrap();
    assert_eq!(count, expected_keys.len(), "{what}");
    assert_begins(&firsts, &expected_keys, what);
    let (mut keys, mut lengths) = (place::<T>(items.len()), place::<u32>(items.len()));
    runs::<E, _>(&input)
        .to(&mut keys)
        .lengths_to(&mut lengths)
        .wait(gpu)
        .unwrap();
    assert_begins(&keys, &expected_keys, &format!("{what}: keys"));
    assert_begins(
        &lengths,
        &words(&expected_lengths),
        &format!("{what}: lengths"),
    );
    let mut starts = place::<u64>(items.len() + 1);
    runs::<E, _>(&input)
        .starts_to(&mut starts)
        .wait(gpu)
        .unwrap();
    let expected = runs::<E, _>(items).starts().wait(Cpu).unwrap();
    let expected: Vec<u64> = expected.iter().map(|&start| start as u64).collect();
    assert_begins(&starts, &expected, &format!("{what}: starts"));
}

/// Random items, of which about `zeros` percent are 0.
fn items_with_zeros<T: Sample>(count: usize, zeros: usize) -> Vec<T> {
    let mut random = Random::new((count + zeros) as u64);
    (0..count)
        .map(|_| match random.below(100) < zeros {
            true => T::zeroed(),
            false => T::any(&mut random),
        })
        .collect()
}

/// Compares scans by key, forward and reversed, with the CPU's.
fn check_heads<E: RunsKernel<K>, K: Sample>(keys: &[K]) {
    let values: Vec<u32> = (0..keys.len() as u32).collect();
    let sums = || scan::<Sum, _>(&values).by_key::<E, _>(keys);
    assert_eq!(sums().wait(gpu()), sums().wait(Cpu));
    assert_eq!(sums().reversed().wait(gpu()), sums().reversed().wait(Cpu));
}

/// Checks a kernel on two whole tiles and a part of a third tile.
macro_rules! row {
    (select_if $op:ident $t:ident) => {
        let count = 2 * tile_items::<$t>() + 77;
        check_if::<$op, $t>(&items_with_zeros::<$t>(count, 40), "a row");
    };
    (runs $op:ident $t:ident) => {
        let count = 2 * tile_items::<$t>() + 77;
        let mut random = Random::new(7);
        let lengths = shapes::random_lengths(&mut random, count, 12);
        check_runs::<$op, $t>(&shapes::runs::<$t>(&lengths), "a row");
    };
    (heads $op:ident $t:ident) => {
        let mut random = Random::new(9);
        let lengths = shapes::random_lengths(&mut random, 2 * TILE_ITEMS as usize + 77, 12);
        check_heads::<$op, $t>(&shapes::runs::<$t>(&lengths));
    };
    (select_flagged $op:ident $t:ident) => {
        let count = 2 * tile_items::<$t>() + 77;
        let mut random = Random::new(8);
        let items: Vec<$t> = (0..count)
            .map(|index| {
                bytemuck::pod_read_unaligned(
                    &[index as u64; 4].map(u64::to_le_bytes).concat()[..size_of::<$t>()],
                )
            })
            .collect();
        let flags: Vec<u8> = (0..count)
            .map(|_| (random.below(5) * random.below(2)) as u8)
            .collect();
        check_flagged::<$t>(&items, &flags, "a row");
    };
}

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {$(
        #[test]
        fn $symbol() {
            gpu();
            row!($kind $op $t);
        }
    )*};
}

for_each_selection_kernel!(rows);

#[test]
fn any_flags_of_any_length() {
    for count in shapes::counts::<u32>() {
        for (name, chosen) in shapes::choices(count) {
            let what = format!("{name} of {count}");
            let items: Vec<u32> = (1..=count as u32).collect();
            check_flagged::<u32>(&items, &chosen, &what);
            let zeroed = items.iter().zip(&chosen);
            let items: Vec<u32> = zeroed
                .map(|(&item, &is)| item * u32::from(is != 0))
                .collect();
            check_if::<NonZero, u32>(&items, &what);
        }
    }
}

#[test]
fn any_runs_of_any_length() {
    for count in shapes::counts::<f32>() {
        for (name, lengths) in shapes::run_lengths(count) {
            check_runs::<Equal, f32>(
                &shapes::runs::<f32>(&lengths),
                &format!("{name} of {count}"),
            );
        }
    }
}

#[test]
fn long_runs_of_narrow_items() {
    let tile = tile_items::<u8>();
    for lengths in [
        vec![3 * tile + 5],
        vec![tile, tile - 1, 1, tile + 1, 9],
        vec![5, 3 * tile],
    ] {
        check_runs::<Equal, u8>(&shapes::runs::<u8>(&lengths), &format!("{lengths:?}"));
    }
}

#[test]
fn nans_are_runs_of_their_own_and_zeros_of_either_sign_are_one() {
    let kinds = [
        f32::NAN,
        -0.0,
        0.0,
        0.0,
        1.0,
        f32::NAN,
        f32::NAN,
        -f32::NAN,
        -0.0,
        0.0,
    ];
    let items: Vec<f32> = kinds.iter().copied().cycle().take(9000).collect();
    check_runs::<Equal, f32>(&items, "NaNs and zeros");
    check_if::<NonZero, f32>(&items, "NaNs and zeros");
    check_if::<NotNan, f32>(&items, "NaNs and zeros");
}

#[test]
fn slices_may_start_anywhere() {
    let gpu = gpu();
    let count = tile_items::<u16>() + 300;
    let items = items_with_zeros::<u16>(count, 50);
    let flags: Vec<u8> = items.iter().map(|&item| (item & 1) as u8).collect();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let device_flags = DeviceBuffer::from_slice(&flags).unwrap();
    for (begin, flag_begin, end) in [(1, 1, 0), (3, 2, 1), (8, 5, 3), (7, 8, 5)] {
        let length = count - 10 - end;
        let what = format!("from {begin} and {flag_begin}");
        let mut output = place::<u16>(count);
        let items = &items[begin..begin + length];
        let from = input.index(begin..begin + length);
        let flags = &flags[flag_begin..flag_begin + length];
        let from_flags = device_flags.index(flag_begin..flag_begin + length);
        let mut to = output.index(begin..);
        let selected = select::<Flagged, _>((&from, &from_flags))
            .to(&mut to)
            .wait(gpu)
            .unwrap();
        let expected = select::<Flagged, _>((items, flags)).wait(Cpu).unwrap();
        assert_eq!(selected, expected.len());
        assert_begins(&output.index(begin..), &expected, &what);
        let mut output_of_runs = place::<u16>(count);
        let mut to = output_of_runs.index(begin..);
        runs::<Equal, _>(&from).to(&mut to).wait(gpu).unwrap();
        assert_begins(&to, &runs::<Equal, _>(items).wait(Cpu).unwrap(), &what);
        output_of_runs.copy_from(&vec![0; count + 1]).unwrap();
        output.copy_from(&vec![0; count + 1]).unwrap();
    }
}
