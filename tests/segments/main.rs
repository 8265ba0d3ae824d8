//! Segmented reductions: every kernel of the table gives what `warpfold::reference` gives, bit for bit, whatever the segments'
//! lengths; where a segment lies does not show; offsets that are wrong are refused.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
mod shapes;

use common::gpu;
use cust::memory::{CopyDestination, DeviceBuffer};
use data::{Random, Sample, assert_same_bits, ordinary};
use warpfold::{Item, Kernel, Sum, cust, kind, reference, segmented_reduce};

/// The results on the device.
fn reduce<O: Kernel<kind::segmented_reduce, T>, T: Item>(
    items: &[T],
    offsets: &[usize],
) -> Vec<O::Output> {
    let input = DeviceBuffer::from_slice(items).unwrap();
    let starts: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
    let starts = DeviceBuffer::from_slice(&starts).unwrap();
    let count = offsets.len() - 1;
    let mut output = DeviceBuffer::zeroed(count).unwrap();
    segmented_reduce::<O, T, u32>(gpu(), &input, &starts, &mut output).unwrap();
    let mut results = vec![bytemuck::Zeroable::zeroed(); count];
    output.copy_to(&mut results).unwrap();
    results
}

fn check<O: Kernel<kind::segmented_reduce, T>, T: Sample>(begin: usize, lengths: &[usize]) {
    let offsets = shapes::offsets(begin, lengths);
    let items = ordinary::<O, T>(offsets[offsets.len() - 1] + 3);
    let found = reduce::<O, T>(&items, &offsets);
    let expected = reference::segmented_reduce::<O, T>(&items, &offsets);
    assert_same_bits(&found, &expected, &format!("lengths {lengths:?} from {begin}"));
}

#[test]
fn the_borders_of_leaves_nodes_and_chunks() {
    gpu();
    for lengths in shapes::borders::<f32>() {
        check::<Sum, f32>(0, &lengths);
        check::<Sum, f32>(7, &lengths);
    }
}

#[test]
fn random_lengths() {
    gpu();
    let mut random = Random::new(1);
    for _ in 0..20 {
        let items = 1 + random.below(60_000);
        let lengths = shapes::random(&mut random, items);
        check::<Sum, f32>(random.below(40), &lengths);
    }
}
