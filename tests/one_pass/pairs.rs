//! Reductions of two inputs: their results have the same bits on the device as on the CPU, at lengths around those of warps, blocks and
//! tiles, and at several offsets. Wrong arguments are refused.

use crate::device::Kernel;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags};
use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, Dot, Error, cust, gpu_dot, kind, reduce};
use warpfold_kernels::contract::{reduce_tile_items, vector_items};
use warpfold_kernels::for_each_pair_kernel;
use warpfold_kernels::op::*;

use crate::common::gpu;
use crate::data::{Random, Sample, assert_same_bits};

fn items<T: Sample>(count: usize, seed: u64) -> Vec<T> {
    let mut random = Random::new(seed);
    (0..count).map(|_| T::any(&mut random)).collect()
}

fn zipped<T: Copy>(left: &[T], right: &[T]) -> Vec<Pair<T, T>> {
    left.iter()
        .zip(right)
        .map(|(&left, &right)| Pair(left, right))
        .collect()
}

/// Checks a reduction of `count` pairs in device buffers. The two inputs begin at these offsets.
fn check<O, T: Sample>(count: usize, offsets: [usize; 2])
where
    O: Kernel<kind::reduce_pairs, Pair<T, T>>,
{
    let [left, right] = offsets.map(|offset| items::<T>(count + offset, (count + offset) as u64));
    let (left_buffer, right_buffer) = (
        DeviceBuffer::from_slice(&left).unwrap(),
        DeviceBuffer::from_slice(&right).unwrap(),
    );
    let [from_left, from_right] = offsets;
    let found = warpfold::reduce::<O, _>((
        &left_buffer.index(from_left..),
        &right_buffer.index(from_right..),
    ))
    .wait(gpu());
    let pairs = zipped(&left[from_left..], &right[from_right..]);
    let expected = reduce::<O, _>(&pairs).wait(Cpu).unwrap();
    let what = format!("{count} pairs from {offsets:?}");
    assert_same_bits(&[found.unwrap()], &[expected], &what);
}

fn reduce_pairs<O, T: Sample>()
where
    O: Kernel<kind::reduce_pairs, Pair<T, T>>,
{
    let tile = reduce_tile_items::<Pair<T, T>>() as usize;
    for count in [0, 1, 33, 256, tile - 1, tile, 3 * tile + 5] {
        check::<O, T>(count, [0, 0]);
    }
    let vector = vector_items::<Pair<T, T>>();
    check::<O, T>(tile + 77, [1, 1]);
    check::<O, T>(tile + 77, [0, 1]);
    check::<O, T>(tile + 77, [vector, 0]);
}

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {$(
        #[test]
        fn $symbol() {
            $kind::<$op, $t>();
        }
    )*};
}

for_each_pair_kernel!(rows);

#[test]
fn slices_are_multiplied_piece_by_piece() {
    for count in [1, 1000, 300_001] {
        let (left, right) = (items::<f32>(count, 1), items::<f32>(count, 2));
        let expected = reduce::<Dot, _>(&zipped(&left, &right)).wait(Cpu).unwrap();
        let found = gpu_dot(&left, &right).unwrap();
        assert_same_bits(&[found], &[expected], "of slices");
    }
    assert_eq!(
        gpu_dot::<f64>(&[], &[]).unwrap().to_bits(),
        (-0.0f64).to_bits()
    );
}

#[test]
fn integers_are_multiplied_in_64_bits() {
    let (left, right) = (items::<i16>(5000, 1), items::<i16>(5000, 2));
    let pairs = left.iter().zip(&right);
    let expected: i64 = pairs.map(|(&a, &b)| i64::from(a) * i64::from(b)).sum();
    assert_eq!(gpu_dot(&left, &right), Ok(expected));
    assert_eq!(gpu_dot(&[u64::MAX, 2], &[u64::MAX, 3]), Ok(7));
}

#[test]
fn a_result_is_queued_on_a_stream() {
    gpu();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let left = DeviceBuffer::from_slice(&[1.0f32, 2.0]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[9.0f32, 9.0]).unwrap();
    for (count, expected) in [(2, 5.0), (0, 0.0)] {
        let left = left.index(..count);
        reduce::<Dot, _>((&left, &left))
            .to(&mut output)
            .queue(gpu(), &stream)
            .unwrap();
        stream.synchronize().unwrap();
        let mut written = [0.0; 2];
        output.copy_to(&mut written).unwrap();
        assert_eq!(written, [expected, 9.0]);
    }
}

#[test]
fn inputs_of_different_lengths_and_overlapping_outputs_are_refused() {
    let differ = |left_items, right_items| Error::LengthsDiffer {
        left_items,
        right_items,
    };
    assert_eq!(gpu_dot(&[1, 2, 3], &[1]), Err(differ(3, 1)));
    let gpu = gpu();
    let buffer = DeviceBuffer::from_slice(&[1.0f32; 8]).unwrap();
    let (long, short) = (buffer.index(..5), buffer.index(5..));
    assert_eq!(
        reduce::<Dot, _>((&long, &short)).wait(gpu),
        Err(differ(5, 3))
    );
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    for inputs in [[0..3, 5..8], [5..8, 0..3]] {
        let [left, right] = inputs.map(|range| buffer.index(range));
        let queued = reduce::<Dot, _>((&left, &right))
            .to(&mut buffer.index(1..2))
            .queue(gpu, &stream);
        assert!(matches!(queued, Err(Error::Overlap { .. })), "{queued:?}");
    }
    let queued = reduce::<Dot, _>((&short, &short))
        .to(&mut buffer.index(..0))
        .queue(gpu, &stream);
    assert!(
        matches!(queued, Err(Error::OutputTooShort { .. })),
        "{queued:?}"
    );
}
