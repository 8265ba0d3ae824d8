//! Segmented reductions and scans: every kernel has the CPU's results, bit for bit, for segments of many lengths. The position of a segment
//! does not change the bits of its results. Wrong offsets are refused.

mod calls;
mod chunk_scans;
mod counted;
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
mod in_order;
mod keyed;
mod places;
mod refused;
mod rewritten;
mod rings;
#[path = "../common/runs.rs"]
mod runs;
mod scans;
#[path = "../common/schedule.rs"]
mod schedule;
mod scheduled;
mod shapes;
mod slice_scans;
mod slices;
mod small_windows;
mod streamed_rows;
mod whole_rows;

use crate::device::{Item, Kernel};
use cust::memory::{CopyDestination, DeviceBuffer};
use data::{Random, Sample, assert_same_bits, ordinary};
use gpus::gpu;
use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, cust, kind, reduce};
use warpfold_kernels::for_each_segmented_kernel;
use warpfold_kernels::op::*;
use warpfold_kernels::segments::chunk_items;

/// Reduces segments on the device.
fn on_device<O: Kernel<kind::segmented_reduce, T>, T: Item>(
    items: &[T],
    offsets: &[usize],
) -> Vec<O::Output> {
    let input = DeviceBuffer::from_slice(items).unwrap();
    let starts: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
    let starts = DeviceBuffer::from_slice(&starts).unwrap();
    let count = offsets.len() - 1;
    let mut output = DeviceBuffer::zeroed(count).unwrap();
    reduce::<O, _>(&input)
        .segments(&starts)
        .to(&mut output)
        .wait(gpu())
        .unwrap();
    let mut results = vec![bytemuck::Zeroable::zeroed(); count];
    output.copy_to(&mut results).unwrap();
    results
}

fn check<O: Kernel<kind::segmented_reduce, T>, T: Sample>(begin: usize, lengths: &[usize]) {
    let offsets = shapes::offsets(begin, lengths);
    let items = ordinary::<O, T>(offsets[offsets.len() - 1] + 3);
    let found = on_device::<O, T>(&items, &offsets);
    let expected = reduce::<O, _>(&items).segments(&offsets).wait(Cpu).unwrap();
    assert_same_bits(
        &found,
        &expected,
        &format!("lengths {lengths:?} from {begin}"),
    );
}

#[test]
fn the_borders_of_leaves_nodes_and_chunks() {
    gpu();
    for lengths in shapes::borders::<f32, f32>() {
        check::<Sum, f32>(7, &lengths);
    }
}

#[test]
fn random_lengths() {
    gpu();
    let mut random = Random::new(1);
    for _ in 0..12 {
        let items = 1 + random.below(40_000);
        let lengths = shapes::random(&mut random, items);
        check::<Sum, f32>(random.below(40), &lengths);
    }
}

/// Checks a kernel on short segments, and on a segment of two chunks, or of three if chunks have 256 items.
fn check_row<O: Kernel<kind::segmented_reduce, T>, T: Sample>() {
    let chunk = chunk_items::<T, O::Accumulator>() as usize;
    let lengths = [0, 1, 2, 15, 16, 17, 31, 33, 0, 300, chunk + 300, 7, 3];
    check::<O, T>(1, &lengths);
}

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {$(
        #[test]
        fn $symbol() {
            gpu();
            check_row::<$op, $t>();
        }
    )*};
}

for_each_segmented_kernel!(rows);
