//! Checks that a user's operator gives the same bits on the device as on the CPU. The checks cover reductions and scans of whole arrays,
//! segments and columns, and also reductions in order and reductions by key.

#[path = "runs.rs"]
mod runs;

use std::any::type_name;

use bytemuck::{bytes_of, cast_slice};
use virtual_gpu::Mode;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::kind::{
    columns_reduce, columns_scan, exclusive_scan, inclusive_scan, reduce, segmented_reduce,
    segmented_scan,
};
use warpfold::{Commutative, Cpu, Equal, check_operator, reduce, scan};

use crate::device::{Item, Kernel};
use crate::gpus::gpu;
use crate::numbers::{Random, items};
use runs::keys;

/// Lengths around the boundaries of vectors, warps, blocks and tiles, and a few lengths between these. With items of 56 bytes or more, the
/// last length exceeds 16 MiB, so its scan has the tiles of a long scan.
const LENGTHS: [usize; 14] = [
    1, 2, 5, 31, 32, 33, 255, 257, 1000, 2049, 8192, 8193, 65_537, 300_001,
];

/// The lengths to check. On a real GPU: all [`LENGTHS`]. On the virtual GPU: only those up to 10,000 items and 200,000 bytes, since longer
/// ones take too long. Even the largest items then have several chunks and tiles.
pub fn lengths<T>() -> impl Iterator<Item = usize> {
    let most = match virtual_gpu::mode().unwrap() {
        Mode::Virtual => (200_000 / size_of::<T>()).min(10_000),
        Mode::Real => usize::MAX,
    };
    LENGTHS.into_iter().filter(move |&length| length <= most)
}

/// Asserts that the results `found` have the same bytes as the results `expected`.
pub fn assert_same<R: Item>(found: &[R], expected: &[R], what: &str) {
    assert_eq!(found.len(), expected.len());
    // In a build without optimisation, this comparison is much faster than one of single items.
    if cast_slice::<R, u8>(found) == cast_slice::<R, u8>(expected) {
        return;
    }
    let differs = |(found, expected): (&R, &R)| bytes_of(found) != bytes_of(expected);
    if let Some(place) = std::iter::zip(found, expected).position(differs) {
        panic!(
            "{what} of {} items, place {place}: {:02x?} for {:02x?}",
            found.len(),
            bytes_of(&found[place]),
            bytes_of(&expected[place])
        );
    }
}

/// Checks empty segments, segments of about one leaf (16 items), of about one node (256 items), and of several chunks.
fn check_segments<O, T: Item>(item: fn(&mut Random) -> T)
where
    O: Kernel<segmented_reduce, T> + Kernel<segmented_scan, T>,
{
    let gpu = gpu();
    let lengths = [3, 0, 1, 15, 16, 17, 0, 33, 255, 257, 5, 600, 4500, 2];
    let mut offsets = vec![1];
    for length in lengths {
        offsets.push(offsets[offsets.len() - 1] + length);
    }
    let items = items(offsets[lengths.len()] + 2, item);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let starts = DeviceBuffer::from_slice(&offsets).unwrap();
    let mut output = DeviceBuffer::<O::Output>::zeroed(lengths.len()).unwrap();
    warpfold::reduce::<O, _>(&input)
        .segments(&starts)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    let mut found = vec![bytemuck::Zeroable::zeroed(); lengths.len()];
    output.copy_to(&mut found).unwrap();
    let expected = reduce::<O, _>(&items).segments(&offsets).wait(Cpu).unwrap();
    assert_same(&found, &expected, type_name::<O>());
    let mut output = DeviceBuffer::<O::Output>::zeroed(items.len()).unwrap();
    let mut found = vec![bytemuck::Zeroable::zeroed(); items.len()];
    let within = offsets[0]..offsets[lengths.len()];
    warpfold::scan::<O, _>(&input)
        .segments(&starts)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    output.copy_to(&mut found).unwrap();
    let expected = scan::<O, _>(&items).segments(&offsets).wait(Cpu).unwrap();
    assert_same(
        &found[within.clone()],
        &expected[within.clone()],
        type_name::<O>(),
    );
    warpfold::scan::<O, _>(&input)
        .exclusive()
        .segments(&starts)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    output.copy_to(&mut found).unwrap();
    let expected = scan::<O, _>(&items)
        .exclusive()
        .segments(&offsets)
        .wait(Cpu)
        .unwrap();
    assert_same(&found[within.clone()], &expected[within], type_name::<O>());
}

/// Checks a reduction by key that has few keys. For most operators, one launch finds and reduces the runs.
fn check_by_key<O: Kernel<segmented_reduce, T>, T: Item>(item: fn(&mut Random) -> T) {
    let lengths = [3, 1, 15, 16, 17, 33, 255, 257, 5, 1, 1];
    let keys = keys(&lengths, |run| run as u32);
    let items = items(keys.len(), item);
    let reduced = reduce::<O, _>(&items).by_key::<Equal, _>(&keys);
    let (_, expected) = reduced.wait(Cpu).unwrap();
    let reduced = reduce::<O, _>(&items).by_key::<Equal, _>(&keys);
    let (firsts, found) = reduced.wait(gpu()).unwrap();
    assert_eq!(firsts, Vec::from_iter(0..lengths.len() as u32));
    assert_same(&found, &expected, type_name::<O>());
}

/// Checks `.in_order()` in a waiting call on a slice, a waiting call on device memory, and a queued call. The result of an exact operator
/// is also compared with a sequential fold.
fn check_in_order<O: Kernel<segmented_reduce, T>, T: Item>(items: &[T]) {
    let gpu = gpu();
    let expected = reduce::<O, _>(items).in_order().wait(Cpu).unwrap();
    let what = type_name::<O>();
    if O::EXACT {
        let lifted = std::iter::zip(items, 0..).map(|(&item, index)| O::lift_at(item, index));
        let one_by_one = O::lower(lifted.fold(O::identity(), O::combine));
        assert_same(&[expected], &[one_by_one], what);
    }
    let found = reduce::<O, _>(items).in_order().wait(gpu).unwrap();
    assert_same(&[found], &[expected], what);
    let input = DeviceBuffer::from_slice(items).unwrap();
    let found = reduce::<O, _>(&input).in_order().wait(gpu).unwrap();
    assert_same(&[found], &[expected], what);
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let mut output = DeviceBuffer::<O::Output>::zeroed(1).unwrap();
    let in_order = reduce::<O, _>(&input).in_order();
    in_order.to(&mut output).queue(gpu, &stream).unwrap();
    stream.synchronize().unwrap();
    let mut found = [bytemuck::Zeroable::zeroed()];
    output.copy_to(&mut found).unwrap();
    assert_same(&found, &[expected], what);
}

/// Checks columns of a few leaves, of two chunks, and of more than sixteen chunks.
fn check_columns<O, T: Item>(item: fn(&mut Random) -> T)
where
    O: Kernel<columns_reduce, T> + Kernel<columns_scan, T>,
{
    let gpu = gpu();
    for (rows, columns) in [(40, 3), (300, 33), (4200, 1)] {
        let items = items(rows * columns, item);
        let input = DeviceBuffer::from_slice(&items).unwrap();
        let mut output = DeviceBuffer::<O::Output>::zeroed(columns).unwrap();
        warpfold::reduce::<O, _>(&input)
            .columns(columns)
            .to(&mut output)
            .wait(gpu)
            .unwrap();
        let mut found = vec![bytemuck::Zeroable::zeroed(); columns];
        output.copy_to(&mut found).unwrap();
        let expected = reduce::<O, _>(&items).columns(columns).wait(Cpu).unwrap();
        assert_same(&found, &expected, type_name::<O>());
        let mut output = DeviceBuffer::<O::Output>::zeroed(items.len()).unwrap();
        let mut found = vec![bytemuck::Zeroable::zeroed(); items.len()];
        warpfold::scan::<O, _>(&input)
            .columns(columns)
            .to(&mut output)
            .wait(gpu)
            .unwrap();
        output.copy_to(&mut found).unwrap();
        let expected = scan::<O, _>(&items).columns(columns).wait(Cpu).unwrap();
        assert_same(&found, &expected, type_name::<O>());
        warpfold::scan::<O, _>(&input)
            .exclusive()
            .columns(columns)
            .to(&mut output)
            .wait(gpu)
            .unwrap();
        output.copy_to(&mut found).unwrap();
        let expected = scan::<O, _>(&items)
            .exclusive()
            .columns(columns)
            .wait(Cpu)
            .unwrap();
        assert_same(&found, &expected, type_name::<O>());
    }
}

/// Checks scans of whole arrays, reductions in order, reductions by key, and both reductions and scans of segments and columns.
pub fn check_scans<O, T>(item: fn(&mut Random) -> T)
where
    T: Item,
    O: Kernel<inclusive_scan, T>
        + Kernel<exclusive_scan, T>
        + Kernel<segmented_reduce, T>
        + Kernel<segmented_scan, T>
        + Kernel<columns_reduce, T>
        + Kernel<columns_scan, T>,
{
    check_segments::<O, T>(item);
    check_by_key::<O, T>(item);
    check_columns::<O, T>(item);
    for length in lengths::<T>() {
        let items = items(length, item);
        check_in_order::<O, T>(&items);
        let found = warpfold::scan::<O, _>(&items).wait(gpu()).unwrap();
        let expected = scan::<O, _>(&items).wait(Cpu).unwrap();
        assert_same(&found, &expected, type_name::<O>());
        let found = warpfold::scan::<O, _>(&items)
            .exclusive()
            .wait(gpu())
            .unwrap();
        let expected = scan::<O, _>(&items).exclusive().wait(Cpu).unwrap();
        assert_same(&found, &expected, type_name::<O>());
    }
}

/// Checks reductions of whole arrays, all that [`check_scans`] checks, and the laws of the operator.
pub fn check<O, T>(item: fn(&mut Random) -> T)
where
    T: Item,
    O: Commutative
        + Kernel<reduce, T>
        + Kernel<segmented_reduce, T>
        + Kernel<segmented_scan, T>
        + Kernel<columns_reduce, T>
        + Kernel<columns_scan, T>
        + Kernel<inclusive_scan, T>
        + Kernel<exclusive_scan, T>,
{
    for length in lengths::<T>() {
        let items = items(length, item);
        let found = warpfold::reduce::<O, _>(&items).wait(gpu()).unwrap();
        let expected = reduce::<O, _>(&items).wait(Cpu).unwrap();
        assert_same(&[found], &[expected], type_name::<O>());
    }
    check_scans::<O, T>(item);
    check_operator::<O, T>(&items(6, item)).unwrap();
}
