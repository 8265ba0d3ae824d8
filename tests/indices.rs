//! Indices of extremes as 32-bit numbers: they equal the 64-bit indices, truncated, and nothing is written after them.

#[path = "common/buffers.rs"]
#[allow(dead_code, reason = "used in part")]
mod buffers;
mod common;
#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;

use buffers::{assert_begins, zeros};
use common::gpu;
use cust::memory::DeviceBuffer;
use cust::stream::{Stream, StreamFlags};
use data::{Random, ordinary};
use warpfold::cust_half::{bf16, f16};
use warpfold::{ArgMax, ArgMin, ArgMinMax, Cpu, Equal, Error, Extremes, Item, cust, reduce};

/// Lengths from 0 items to several chunks.
const LENGTHS: [usize; 7] = [0, 1, 33, 4097, 8192, 8193, 70_001];

/// Truncates 64-bit indices to 32 bits. `u64::MAX`, the index for no items, becomes `u32::MAX`.
fn short(long: &[Extremes<u64>]) -> Vec<Extremes<u32>> {
    let short = |&Extremes { min, max }: &Extremes<u64>| Extremes {
        min: min as u32,
        max: max as u32,
    };
    long.iter().map(short).collect()
}

/// Checks requests of this shape on a slice, by comparison with the CPU's 64-bit indices. Returns the expected 32-bit indices.
macro_rules! of_slices {
    ($what:expr, $items:expr, $($shape:tt)*) => {{
        let (gpu, what, items) = (gpu(), $what, $items);
        let both = short(&reduce::<ArgMinMax, _>(items)$($shape)*.wait(Cpu).unwrap());
        let least: Vec<u32> = both.iter().map(|both| both.min).collect();
        let greatest: Vec<u32> = both.iter().map(|both| both.max).collect();
        let found = reduce::<ArgMinMax<u32>, _>(items)$($shape)*.wait(gpu);
        assert_eq!(found, Ok(both.clone()), "{what}");
        let found = reduce::<ArgMinMax<u32>, _>(items)$($shape)*.wait(Cpu);
        assert_eq!(found, Ok(both.clone()), "{what}");
        let found = reduce::<ArgMin<u32>, _>(items)$($shape)*.wait(gpu);
        assert_eq!(found, Ok(least), "{what}");
        let found = reduce::<ArgMax<u32>, _>(items)$($shape)*.wait(gpu);
        assert_eq!(found, Ok(greatest), "{what}");
        both
    }};
}

/// Checks requests of this shape in device memory, and that nothing is written after the 32-bit indices.
macro_rules! of_device {
    ($what:expr, $both:expr, $input:expr, $($shape:tt)*) => {{
        let (gpu, what, both) = (gpu(), $what, $both);
        let mut output = zeros::<Extremes<u32>>(both.len() + 1);
        let request = reduce::<ArgMinMax<u32>, _>($input)$($shape)*;
        request.to(&mut output).wait(gpu).unwrap();
        assert_begins(&output, &both, what);
        let greatest: Vec<u32> = both.iter().map(|both| both.max).collect();
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
        let mut output = zeros::<u32>(both.len() + 1);
        let request = reduce::<ArgMax<u32>, _>($input)$($shape)*;
        request.to(&mut output).queue(gpu, &stream).unwrap();
        stream.synchronize().unwrap();
        assert_begins(&output, &greatest, what);
    }};
}

/// Offsets that divide `item_count` items into segments. If there are many items, some segments are empty, some are short, and one is long.
fn offsets(item_count: usize) -> Vec<u32> {
    let mut offsets = vec![0, 0];
    let mut random = Random::new(item_count as u64);
    let mut upto = item_count / 3;
    while upto < item_count {
        offsets.push(upto as u32);
        upto += random.below(40);
    }
    offsets.push(item_count as u32);
    offsets
}

/// Checks every shape for an item type.
fn check<T: Indexed>(lengths: &[usize]) {
    for &length in lengths {
        let items = T::ordinary(length);
        let what = format!("{length} items of type {}", std::any::type_name::<T>());
        let what = what.as_str();
        T::check_whole(what, &items);
        T::check_shapes(what, &items);
    }
}

/// An item type with kernels for the indices of extremes.
trait Indexed: Item {
    fn ordinary(length: usize) -> Vec<Self>;
    fn check_whole(what: &str, items: &[Self]);
    fn check_shapes(what: &str, items: &[Self]);
}

macro_rules! indexed {
    ($($t:ident)*) => {$(
        impl Indexed for $t {
            fn ordinary(length: usize) -> Vec<$t> {
                ordinary::<ArgMax, $t>(length)
            }

            fn check_whole(what: &str, items: &[$t]) {
                let gpu = gpu();
                let input = DeviceBuffer::from_slice(items).unwrap();
                let long = reduce::<ArgMinMax, _>(items).wait(Cpu).unwrap();
                let both = short(&[long])[0];
                assert_eq!(reduce::<ArgMin<u32>, _>(items).wait(gpu), Ok(both.min), "{what}");
                assert_eq!(reduce::<ArgMin<u32>, _>(items).wait(Cpu), Ok(both.min), "{what}");
                assert_eq!(reduce::<ArgMax<u32>, _>(&input).wait(gpu), Ok(both.max), "{what}");
                assert_eq!(reduce::<ArgMinMax<u32>, _>(&input).wait(gpu), Ok(both), "{what}");
                of_device!(what, vec![both], &input, );
                let found = reduce::<ArgMinMax<u32>, _>(items).in_order().wait(gpu);
                assert_eq!(found, Ok(both), "{what}");
                of_device!(what, vec![both], &input, .in_order());
            }

            fn check_shapes(what: &str, items: &[$t]) {
                let input = DeviceBuffer::from_slice(items).unwrap();
                let cut = offsets(items.len());
                let device_cut = DeviceBuffer::from_slice(&cut).unwrap();
                let both = of_slices!(what, items, .segments(&cut));
                of_device!(what, both, &input, .segments(&device_cut));

                let keys: Vec<u32> = (0..items.len()).map(|item| item as u32 / 700).collect();
                let long = reduce::<ArgMinMax, _>(items).by_key::<Equal, _>(&keys).wait(Cpu);
                let (runs, long) = long.unwrap();
                let both = short(&long);
                let found = reduce::<ArgMinMax<u32>, _>(items).by_key::<Equal, _>(&keys);
                assert_eq!(found.wait(gpu()), Ok((runs.clone(), both.clone())), "{what}");
                let device_keys = DeviceBuffer::from_slice(&keys).unwrap();
                let mut output = zeros::<Extremes<u32>>(both.len() + 1);
                let found = reduce::<ArgMinMax<u32>, _>(&input).by_key::<Equal, _>(&device_keys);
                assert_eq!(found.to(&mut output).wait(gpu()), Ok(runs.len()), "{what}");
                assert_begins(&output, &both, what);

                let items = &items[..items.len() / 30 * 30];
                if items.is_empty() {
                    return;
                }
                let input = input.index(..items.len());
                let both = of_slices!(what, items, .rows(items.len() / 10));
                of_device!(what, both, &input, .rows(items.len() / 10));
                let both = of_slices!(what, items, .rows(items.len()));
                of_device!(what, both, &input, .rows(items.len()));
                let both = of_slices!(what, items, .columns(6));
                of_device!(what, both, &input, .columns(6));
                let both = of_slices!(what, items, .axis(2, items.len() / 10, 5));
                of_device!(what, both, &input, .axis(2, items.len() / 10, 5));
                let both = of_slices!(what, items, .axis(1, items.len(), 1));
                of_device!(what, both, &input, .axis(1, items.len(), 1));
                let both = of_slices!(what, items, .rows(7).pitch(10));
                of_device!(what, both, &input, .rows(7).pitch(10));
            }
        }
    )*};
}

indexed!(f32 f64 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64);

#[test]
fn indices_equal_64_bit_indices() {
    check::<f32>(&LENGTHS);
    check::<u32>(&LENGTHS);
}

#[test]
fn indices_of_narrow_items_equal_64_bit_indices() {
    check::<i8>(&[33, 8193]);
    check::<u8>(&[33, 8193]);
    check::<i16>(&[33, 8193]);
    check::<u16>(&[33, 8193]);
    check::<f16>(&[33, 8193]);
    check::<bf16>(&[33, 8193]);
}

#[test]
fn indices_of_other_items_equal_64_bit_indices() {
    check::<i32>(&[33, 8193]);
    check::<i64>(&[33, 8193]);
    check::<u64>(&[33, 8193]);
    check::<f64>(&[33, 8193]);
}

/// Only the device knows the number of rows or of segments. Nothing is written after their results.
#[test]
fn counts_from_the_device() {
    let gpu = gpu();
    let items = ordinary::<ArgMax, f32>(6000);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let count = DeviceBuffer::from_slice(&[3u64]).unwrap();
    let indices = |both: Vec<Extremes<u64>>| {
        let both = short(&both);
        both.iter().map(|both| both.max).collect::<Vec<_>>()
    };

    let mut output = zeros::<u32>(6);
    let rows = reduce::<ArgMax<u32>, _>(&input).rows(1000).count(&count);
    rows.to(&mut output).wait(gpu).unwrap();
    let expected = reduce::<ArgMinMax, _>(&items[..3000]).rows(1000).wait(Cpu);
    assert_begins(&output, &indices(expected.unwrap()), "rows");

    let offsets = DeviceBuffer::from_slice(&[0u32, 10, 10, 4200, 6000]).unwrap();
    let mut output = zeros::<u32>(4);
    let segments = reduce::<ArgMax<u32>, _>(&input).segments(&offsets);
    segments.count(&count).to(&mut output).wait(gpu).unwrap();
    let expected = reduce::<ArgMinMax, _>(&items)
        .segments(&[0u32, 10, 10, 4200])
        .wait(Cpu);
    assert_begins(&output, &indices(expected.unwrap()), "segments");
}

/// The index of the first greatest or the first least item, found by a plain loop; `is_before` decides which of the two. A NaN counts as
/// the greatest item and also as the least item. −0.0 is less than 0.0.
fn first_extreme(items: &[f32], is_before: impl Fn(f32, f32) -> bool) -> u32 {
    let mut found: Option<usize> = None;
    for (index, &item) in items.iter().enumerate() {
        let wins = match found.map(|found| items[found]) {
            None => true,
            Some(best) => !best.is_nan() && (item.is_nan() || is_before(item, best)),
        };
        if wins {
            found = Some(index);
        }
    }
    found.map_or(u32::MAX, |found| found as u32)
}

fn first_extremes(items: &[f32]) -> Extremes<u32> {
    Extremes {
        min: first_extreme(items, |item, best| item.total_cmp(&best).is_lt()),
        max: first_extreme(items, |item, best| item.total_cmp(&best).is_gt()),
    }
}

/// In rows, segments, columns, axes and runs, the index is that of the first of several equal items, or of the first NaN.
#[test]
fn ties_and_nans_in_every_shape() {
    const VALUES: [f32; 5] = [-0.0, 0.0, -0.0, 0.0, 1e-45];
    let gpu = gpu();
    let mut random = Random::new(11);
    for (row_items, nan_each) in [
        (16, 40),
        (48, 100),
        (300, 250),
        (5000, 4000),
        (5000, usize::MAX),
    ] {
        let items: Vec<f32> = (0..10 * row_items)
            .map(|_| match random.below(nan_each) {
                0 => f32::from_bits(0x7fc0_0001 | (random.bits() as u32 & 1 << 31)),
                _ => VALUES[random.below(VALUES.len())],
            })
            .collect();
        let rows = items.chunks(row_items).map(first_extremes).collect();
        let found = reduce::<ArgMinMax<u32>, _>(&items)
            .rows(row_items)
            .wait(gpu);
        assert_eq!(found, Ok(rows), "rows of {row_items}");
        let found = reduce::<ArgMinMax<u32>, _>(&items)
            .rows(items.len())
            .wait(gpu);
        assert_eq!(
            found,
            Ok(vec![first_extremes(&items)]),
            "a row of {}",
            items.len()
        );

        let cut = offsets(items.len());
        let groups = cut
            .windows(2)
            .map(|ends| &items[ends[0] as usize..ends[1] as usize]);
        let segments = groups.map(first_extremes).collect();
        let found = reduce::<ArgMinMax<u32>, _>(&items).segments(&cut).wait(gpu);
        assert_eq!(found, Ok(segments), "segments");

        // Ten columns of one matrix, then the five columns of each of two matrices.
        for (outer, inner) in [(1, 10), (2, 5)] {
            let length = row_items;
            let place =
                |group: usize, step: usize| (group / inner * length + step) * inner + group % inner;
            let group = |group: usize| -> Vec<f32> {
                (0..length).map(|step| items[place(group, step)]).collect()
            };
            let groups = (0..10).map(|number| first_extremes(&group(number)));
            let groups: Vec<_> = groups.collect();
            let along = reduce::<ArgMinMax<u32>, _>(&items).axis(outer, length, inner);
            assert_eq!(along.wait(gpu), Ok(groups.clone()), "axis of {length}");
            if outer == 1 {
                let columns = reduce::<ArgMinMax<u32>, _>(&items).columns(inner);
                assert_eq!(columns.wait(gpu), Ok(groups), "columns of {length}");
            }
        }

        let keys: Vec<u16> = (0..items.len())
            .map(|item| (item / row_items) as u16)
            .collect();
        let rows = items.chunks(row_items).map(first_extremes).collect();
        let runs = (0..10).collect();
        let found = reduce::<ArgMinMax<u32>, _>(&items).by_key::<Equal, _>(&keys);
        assert_eq!(found.wait(gpu), Ok((runs, rows)), "runs of {row_items}");
    }
}

/// There are 2³² items, one more than `u32` indices can number: the greatest index stands for "no items". The calls are refused, so nothing
/// reads the items.
#[test]
fn more_items_than_32_bits_can_number_are_an_error() {
    const COUNT: usize = 1 << 32;
    let gpu = gpu();
    let items = vec![0u8; COUNT];
    let too_many: Error = Error::TooManyItems {
        item_count: COUNT,
        number_bytes: 4,
    };
    macro_rules! refused {
        ($($shape:tt)*) => {
            let request = || reduce::<ArgMax<u32>, _>(&items)$($shape)*;
            assert_eq!(request().wait(gpu).map(drop), Err(too_many.clone()));
            assert_eq!(request().wait(Cpu).map(drop), Err(too_many.clone()));
        };
    }
    refused!();
    refused!(.in_order());
    refused!(.rows(COUNT));
    refused!(.columns(1));
    refused!(.axis(1, COUNT, 1));
    // For segments and runs, the limit applies to the number of all items, not to the lengths.
    refused!(.segments(&[0u64, 7, COUNT as u64]));
    refused!(.by_key::<Equal, _>(&items));
    let both = reduce::<ArgMinMax<u32>, _>(&items).columns(1).wait(gpu);
    assert_eq!(both, Err(too_many.clone()));
    let mut written = [7u32; 1];
    let into = reduce::<ArgMin<u32>, _>(&items)
        .rows(COUNT)
        .to(&mut written);
    assert_eq!(into.wait(gpu), Err(too_many));
    assert_eq!(written, [7]);
}
