//! Scans from the last item to the first. For the expected results, the tests scan the reversed items forward, and reverse the results.
//! Found and expected results must have the same bits. Every kernel for scans of arrays, segments or columns is tested at several lengths,
//! and at several alignments unless it scans columns.

#[path = "common/data.rs"]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "common/gpus.rs"]
mod gpus;

use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags};
use data::{Random, Sample, assert_same_bits, ordinary};
use device::{Item, Kernel};
use gpus::gpu;
use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, Equal, cust, kind, scan};
use warpfold_kernels::op::*;
use warpfold_kernels::{
    for_each_columns_scan_kernel, for_each_kernel, for_each_segmented_scan_kernel,
};

fn turned<T: Copy>(items: &[T]) -> Vec<T> {
    items.iter().rev().copied().collect()
}

/// Calls `write` with device memory that is 0, and returns the last `count` values. The `skipped` values before these must still be 0.
fn written<R: Item>(
    count: usize,
    skipped: usize,
    write: impl FnOnce(&mut DeviceBuffer<R>),
) -> Vec<R> {
    let mut output = DeviceBuffer::<R>::zeroed(skipped + count).unwrap();
    write(&mut output);
    let mut found = vec![R::zeroed(); skipped + count];
    output.copy_to(&mut found).unwrap();
    assert_same_bits(
        &found[..skipped],
        &vec![R::zeroed(); skipped],
        "before the output",
    );
    found.split_off(skipped)
}

/// Numbers of items around the sizes of vectors, warps, blocks and tiles, each with the offsets of input and output.
const SIZES: [(usize, usize, usize); 9] = [
    (1, 0, 0),
    (2, 1, 0),
    (7, 0, 3),
    (33, 1, 1),
    (257, 0, 0),
    (1000, 3, 2),
    (4096, 0, 0),
    (4099, 1, 0),
    (20_011, 2, 3),
];

fn inclusive_scan<O: Kernel<kind::inclusive_scan, T>, T: Sample>()
where
    O::Output: Item,
{
    for (count, from, to) in SIZES {
        let items = ordinary::<O, T>(from + count);
        let input = DeviceBuffer::from_slice(&items).unwrap();
        let items = &items[from..];
        let expected = turned(&scan::<O, _>(&turned(items)).wait(Cpu).unwrap());
        let found = written(count, to, |output| {
            let (input, mut output) = (input.index(from..), output.index(to..));
            scan::<O, _>(&input)
                .reversed()
                .to(&mut output)
                .wait(gpu())
                .unwrap();
        });
        let what = format!("{count} items from {from} to {to}");
        assert_same_bits(&found, &expected, &what);
        assert_same_bits(
            &scan::<O, _>(items).reversed().wait(Cpu).unwrap(),
            &expected,
            &what,
        );
    }
}

fn exclusive_scan<O: Kernel<kind::exclusive_scan, T>, T: Sample>()
where
    O::Output: Item,
{
    for (count, from, to) in SIZES {
        let items = ordinary::<O, T>(from + count);
        let input = DeviceBuffer::from_slice(&items).unwrap();
        let items = &items[from..];
        let expected = turned(&scan::<O, _>(&turned(items)).exclusive().wait(Cpu).unwrap());
        let found = written(count, to, |output| {
            let (input, mut output) = (input.index(from..), output.index(to..));
            let request = scan::<O, _>(&input).exclusive().reversed();
            request.to(&mut output).wait(gpu()).unwrap();
        });
        assert_same_bits(
            &found,
            &expected,
            &format!("{count} items from {from} to {to}"),
        );
    }
}

/// Lengths of segments: none or a few items, about one or two leaves, more than a node, and more than a chunk.
const LENGTHS: [usize; 14] = [0, 1, 2, 15, 16, 17, 31, 33, 0, 300, 5000, 7, 3, 0];

/// Lengths of long segments. With most operators, each warp takes whole chunks of these, if the last segment ends where a vector ends.
const LONG: [usize; 7] = [33, 480, 16, 272, 496, 256, 512];

fn segmented_scan<O: Kernel<kind::segmented_scan, T>, T: Sample>()
where
    O::Output: Item,
{
    for (lengths, begin, from, to, after) in [
        (&LENGTHS[..], 0, 0, 0, 0),
        (&LENGTHS, 3, 1, 2, 5),
        (&LENGTHS, 16, 0, 0, 16),
        (&LENGTHS, 1, 0, 3, 2),
        (&LONG, 15, 0, 0, 16),
    ] {
        let mut offsets = vec![begin];
        offsets.extend(lengths.iter().scan(begin, |end, length| {
            *end += length;
            Some(*end)
        }));
        let count = offsets[lengths.len()] + after;
        let items = ordinary::<O, T>(from + count);
        let input = DeviceBuffer::from_slice(&items).unwrap();
        let items = &items[from..];
        let numbers: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
        let starts = DeviceBuffer::from_slice(&numbers).unwrap();
        let backward: Vec<usize> = offsets.iter().rev().map(|&offset| count - offset).collect();
        let scanned = scan::<O, _>(&turned(items))
            .segments(&backward)
            .wait(Cpu)
            .unwrap();
        let found = written(count, to, |output| {
            let (input, mut output) = (input.index(from..), output.index(to..));
            let request = scan::<O, _>(&input).segments(&starts).reversed();
            request.to(&mut output).wait(gpu()).unwrap();
        });
        let what = format!("from {from} to {to}, offsets from {begin}");
        assert_same_bits(&found, &turned(&scanned), &what);
        let scanned = scan::<O, _>(&turned(items))
            .segments(&backward)
            .exclusive()
            .wait(Cpu)
            .unwrap();
        let found = written(count, to, |output| {
            let (input, mut output) = (input.index(from..), output.index(to..));
            let request = scan::<O, _>(&input)
                .segments(&starts)
                .exclusive()
                .reversed();
            request.to(&mut output).wait(gpu()).unwrap();
        });
        assert_same_bits(&found, &turned(&scanned), &what);
    }
}

fn columns_scan<O: Kernel<kind::columns_scan, T>, T: Sample>()
where
    O::Output: Item,
{
    for (rows, columns) in [(1, 5), (17, 33), (275, 9), (600, 3)] {
        let items = ordinary::<O, T>(rows * columns);
        let input = DeviceBuffer::from_slice(&items).unwrap();
        let scanned = scan::<O, _>(&turned(&items))
            .columns(columns)
            .wait(Cpu)
            .unwrap();
        let found = written(items.len(), 0, |output| {
            let request = scan::<O, _>(&input).columns(columns).reversed();
            request.to(output).wait(gpu()).unwrap();
        });
        assert_same_bits(
            &found,
            &turned(&scanned),
            &format!("{rows} rows of {columns}"),
        );
    }
}

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { $(rows!(@ $kind $op $t $symbol);)* };
    (@ reduce $op:ident $t:ident $symbol:ident) => {};
    (@ $kind:ident $op:ident $t:ident $symbol:ident) => {
        #[test]
        fn $symbol() {
            gpu();
            $kind::<$op, $t>();
        }
    };
}

for_each_kernel!(rows);
for_each_segmented_scan_kernel!(rows);
for_each_columns_scan_kernel!(rows);

/// Compares suffix sums with plain loops, without the library's reference.
#[test]
fn suffix_sums_equal_those_of_a_loop() {
    let mut random = Random::new(5);
    let items: Vec<u32> = (0..30_000).map(|_| random.bits() as u32).collect();
    let (mut sum, mut expected) = (0u32, vec![0; items.len()]);
    for (place, item) in items.iter().enumerate().rev() {
        sum = sum.wrapping_add(*item);
        expected[place] = sum;
    }
    assert_eq!(
        scan::<Sum, _>(&items).reversed().wait(gpu()).unwrap(),
        expected
    );
    let mut to = vec![0; items.len()];
    scan::<Sum, _>(&items)
        .reversed()
        .to(&mut to)
        .wait(gpu())
        .unwrap();
    assert_eq!(to, expected);
    let mut device = DeviceBuffer::from_slice(&items).unwrap();
    scan::<Sum, _>(&mut device)
        .reversed()
        .in_place()
        .wait(gpu())
        .unwrap();
    device.copy_to(&mut to).unwrap();
    assert_eq!(to, expected);
    for (place, row) in items.chunks(300).enumerate() {
        let total = row.iter().fold(0u32, |sum, item| sum.wrapping_add(*item));
        let rows = scan::<Sum, _>(&items)
            .rows(300)
            .reversed()
            .wait(gpu())
            .unwrap();
        assert_eq!(rows[300 * place], total);
        if place == 3 {
            break;
        }
    }
}

#[test]
fn the_scan_begins_with_the_initial_value_and_ends_with_the_total() {
    gpu();
    let items = [1u32, 2, 3, 4, 5];
    let device = DeviceBuffer::from_slice(&items).unwrap();
    let found = scan::<Sum, _>(&items)
        .reversed()
        .initial(100)
        .and_total()
        .wait(gpu())
        .unwrap();
    assert_eq!(found, (vec![115, 114, 112, 109, 105], 115));
    let mut results = DeviceBuffer::<u32>::zeroed(5).unwrap();
    let mut total = DeviceBuffer::<u32>::zeroed(1).unwrap();
    let request = scan::<Sum, _>(&device).exclusive().reversed().initial(100);
    request
        .total(&mut total)
        .to(&mut results)
        .wait(gpu())
        .unwrap();
    assert_eq!(results.as_host_vec().unwrap(), [114, 112, 109, 105, 100]);
    assert_eq!(total.as_host_vec().unwrap(), [115]);
    assert_eq!(
        scan::<Sum, _>(&[0u32; 0]).reversed().wait(gpu()).unwrap(),
        [] as [u32; 0]
    );
}

#[test]
fn counts_in_device_memory_set_the_end() {
    gpu();
    let items: Vec<f32> = ordinary::<Sum, f32>(5000);
    let device = DeviceBuffer::from_slice(&items).unwrap();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    for count in [0u64, 1, 333, 4999, 5000] {
        let number = DeviceBuffer::from_slice(&[count]).unwrap();
        let found = written::<f32>(5000, 0, |output| {
            let request = scan::<Sum, _>(&device).reversed().count(&number);
            request.to(output).queue(gpu(), &stream).unwrap();
            stream.synchronize().unwrap();
        });
        let mut expected = scan::<Sum, _>(&items[..count as usize])
            .reversed()
            .wait(Cpu)
            .unwrap();
        expected.resize(5000, 0.0);
        assert_same_bits(&found, &expected, &format!("{count} items"));

        // Here the count is a number of rows, of 50 items each.
        let number = DeviceBuffer::from_slice(&[count / 50]).unwrap();
        let found = written::<f32>(5000, 0, |output| {
            let request = scan::<Sum, _>(&device).rows(50).reversed().count(&number);
            request.to(output).queue(gpu(), &stream).unwrap();
            stream.synchronize().unwrap();
        });
        let upto = count as usize / 50 * 50;
        let mut expected = scan::<Sum, _>(&items[..upto])
            .rows(50)
            .reversed()
            .wait(Cpu)
            .unwrap();
        expected.resize(5000, 0.0);
        assert_same_bits(&found, &expected, &format!("{} rows", count / 50));
    }
}

#[test]
fn runs_of_keys() {
    let mut random = Random::new(3);
    let mut key = 0;
    let keys: Vec<u32> = (0..9000)
        .map(|_| {
            key += u32::from(random.below(9) == 0);
            key
        })
        .collect();
    let items = ordinary::<Sum, f32>(keys.len());
    let forward = scan::<Sum, _>(&turned(&items))
        .by_key::<Equal, _>(&turned(&keys))
        .wait(Cpu)
        .unwrap();
    let request = scan::<Sum, _>(&items).by_key::<Equal, _>(&keys).reversed();
    assert_same_bits(&request.wait(gpu()).unwrap(), &turned(&forward), "keys");
    let request = scan::<Sum, _>(&items).by_key::<Equal, _>(&keys).reversed();
    assert_same_bits(
        &request.wait(Cpu).unwrap(),
        &turned(&forward),
        "keys on the CPU",
    );
}

/// Discounted returns: `Gᵢ = rᵢ + 0.9 · Gᵢ₊₁`.
#[test]
fn a_recurrence_from_the_end() {
    let rewards = ordinary::<Sum, f32>(3000);
    let maps: Vec<Affine> = rewards
        .iter()
        .map(|&offset| Affine { scale: 0.9, offset })
        .collect();
    let found = scan::<Recurrence, _>(&maps).reversed().wait(gpu()).unwrap();
    let mut exact = 0.0;
    for (place, &reward) in rewards.iter().enumerate().rev() {
        exact = f64::from(reward) + f64::from(0.9f32) * exact;
        let error = (f64::from(found[place]) - exact).abs();
        assert!(
            error < 1e-3 * exact.abs().max(1.0),
            "{} at {place}, not {exact}",
            found[place]
        );
    }
}
