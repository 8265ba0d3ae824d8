//! Operators of a user's kind give the same bits on the device as by `reference`, for random items and lengths, and keep to
//! the laws that `check_operator` knows.

mod common;
#[path = "../../common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;

use std::any::type_name;

use bytemuck::bytes_of;
use common::{Numbers, items};
use device::{Item, Kernel};
use own_operators::operators::*;
use virtual_gpu::Mode;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::kind::{
    columns_reduce, columns_scan, exclusive_scan, inclusive_scan, reduce, segmented_reduce,
    segmented_scan,
};
use warpfold::{
    Commutative, Cpu, Gpu, Pair, Triple, check_operator, check_reduce_operator,
    check_scan_operator, reduce, scan,
};

/// Lengths about the borders of vectors, warps, blocks and tiles, and some between. Scans of more than 16 MiB have other tiles.
const LENGTHS: [usize; 14] = [
    1, 2, 5, 31, 32, 33, 255, 257, 1000, 2049, 8192, 8193, 65_537, 300_001,
];

/// The lengths to run: all on a GPU, those that are quick on the virtual one.
fn lengths() -> impl Iterator<Item = usize> {
    let most = match virtual_gpu::mode().unwrap() {
        Mode::Virtual => 10_000,
        Mode::Real => usize::MAX,
    };
    LENGTHS.into_iter().filter(move |&length| length <= most)
}

fn assert_same<R: Item>(found: &[R], expected: &[R], what: &str) {
    assert_eq!(found.len(), expected.len());
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

/// Segments about the borders of leaves, nodes and chunks of 256 items, and one of several chunks.
fn check_segments<O, T: Item>(item: fn(&mut Numbers) -> T)
where
    O: Kernel<segmented_reduce, T> + Kernel<segmented_scan, T>,
{
    let gpu = Gpu::global().unwrap();
    gpu.make_current().unwrap();
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

/// All items in their order: those of the host, and in device memory, waited for and queued. An exact operator gives what one item after
/// the other gives.
fn check_in_order<O: Kernel<segmented_reduce, T>, T: Item>(items: &[T]) {
    let gpu = Gpu::global().unwrap();
    gpu.make_current().unwrap();
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

/// Columns of a few leaves, of two chunks and of more than sixteen.
fn check_columns<O, T: Item>(item: fn(&mut Numbers) -> T)
where
    O: Kernel<columns_reduce, T> + Kernel<columns_scan, T>,
{
    let gpu = Gpu::global().unwrap();
    gpu.make_current().unwrap();
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

fn check_scans<O, T>(item: fn(&mut Numbers) -> T)
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
    check_columns::<O, T>(item);
    for length in lengths() {
        let items = items(length, item);
        check_in_order::<O, T>(&items);
        let found = warpfold::scan::<O, _>(&items)
            .wait(warpfold::Gpu::global())
            .unwrap();
        let expected = scan::<O, _>(&items).wait(Cpu).unwrap();
        assert_same(&found, &expected, type_name::<O>());
        let found = warpfold::scan::<O, _>(&items)
            .exclusive()
            .wait(warpfold::Gpu::global())
            .unwrap();
        let expected = scan::<O, _>(&items).exclusive().wait(Cpu).unwrap();
        assert_same(&found, &expected, type_name::<O>());
    }
}

fn check<O, T>(item: fn(&mut Numbers) -> T)
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
    for length in lengths() {
        let items = items(length, item);
        let found = warpfold::reduce::<O, _>(&items)
            .wait(warpfold::Gpu::global())
            .unwrap();
        let expected = reduce::<O, _>(&items).wait(Cpu).unwrap();
        assert_same(&[found], &[expected], type_name::<O>());
    }
    check_scans::<O, T>(item);
    check_operator::<O, T>(&items(6, item)).unwrap();
}

/// What operators of floats go wrong with: both zeros, subnormals, extremes, infinities, NaN.
const ODD: [f32; 9] = [
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// The same for sums, without the extremes: whether their sum overflows depends on the order.
const SUMMED: [f32; 7] = [
    0.0,
    -0.0,
    1e-45,
    -1e-45,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

#[test]
fn odd_floats_keep_the_laws() {
    check_operator::<ArgMin, f32>(&ODD).unwrap();
    check_operator::<SumAndMax, f32>(&SUMMED).unwrap();
    check_operator::<AbsoluteSum, f32>(&ODD).unwrap();
    check_operator::<LogSumExp, f32>(&ODD).unwrap();
    let vectors = [[0.0, -0.0, 1e-45], [-0.0, 1e-45, 0.0], [-1e-45, -0.0, -0.0]];
    check_operator::<Total, [f32; 3]>(&vectors).unwrap();
    check_reduce_operator::<SumAndPlace, f32>(&SUMMED).unwrap();
    check_reduce_operator::<Summary, f32>(&SUMMED).unwrap();
}

#[test]
fn extreme_integers_keep_the_laws() {
    check_operator::<Gcd, u64>(&[0, 1, 2, u64::MAX, 1 << 63]).unwrap();
    check_operator::<MinMax, i32>(&[0, 1, -1, i32::MIN, i32::MAX]).unwrap();
    check_operator::<SaturatingSum, u16>(&[0, 1, u16::MAX, u16::MAX - 1]).unwrap();
    check_operator::<LastPair, [u32; 2]>(&[[0, 0], [0, u32::MAX], [u32::MAX, 0]]).unwrap();
    check_operator::<Total, u128>(&[0, 1, u128::MAX, 1 << 64]).unwrap();
    check_operator::<Total, [u64; 3]>(&[[0; 3], [u64::MAX; 3], [1, 0, u64::MAX]]).unwrap();
    check_operator::<Total, [u32; 8]>(&[[0; 8], [u32::MAX; 8], [1; 8]]).unwrap();
    check_operator::<WeightedByPlace, i32>(&[0, 1, i32::MIN, i32::MAX]).unwrap();
    check_reduce_operator::<CountEven, u32>(&[0, 1, u32::MAX]).unwrap();
    check_scan_operator::<Concatenation, u8>(&[0, 1, u8::MAX]).unwrap();
    let maps = [(0, 0), (1, 0), (u32::MAX, 1), (1 << 31, u32::MAX)];
    let maps = maps.map(|(scale, offset)| Affine { scale, offset });
    check_scan_operator::<Composition, Affine>(&maps).unwrap();
}

/// One with another zero is not the identity, though `==` says so.
#[test]
fn products_know_their_identity_by_its_bits() {
    let complex = [(1.0, -0.0), (-0.0, 1.0), (-0.0, -0.0), (1e-45, 0.0)];
    let complex = complex.map(|(re, im)| Complex { re, im });
    check_operator::<ComplexProduct, Complex>(&complex).unwrap();
    let matrix = |b, c| Matrix {
        rows: [[1.0, b], [c, 1.0]],
    };
    let matrices = [matrix(-0.0, 0.0), matrix(0.0, -0.0), matrix(0.5, 1e-45)];
    check_scan_operator::<MatrixProduct, Matrix>(&matrices).unwrap();
}

/// About 1 in absolute value, so that a product neither overflows nor vanishes soon.
fn unit(numbers: &mut Numbers) -> Complex {
    let angle = numbers.float();
    Complex {
        re: 1.0 - angle * angle / 2.0,
        im: angle,
    }
}

#[test]
fn complex_product() {
    check::<ComplexProduct, Complex>(unit);
}

#[test]
fn matrix_product() {
    let item = |numbers: &mut Numbers| Matrix {
        rows: [
            [1.0 + numbers.float() / 8.0, numbers.float() / 8.0],
            [numbers.float() / 8.0, 1.0 + numbers.float() / 8.0],
        ],
    };
    check_scans::<MatrixProduct, Matrix>(item);
    check_scan_operator::<MatrixProduct, Matrix>(&items(6, item)).unwrap();
}

#[test]
fn arg_min() {
    check::<ArgMin, f32>(|numbers| (numbers.next() % 64) as f32 - 32.0);
    let items = [f32::NAN, 3.0, -0.0, -0.0, 0.0, -f32::NAN];
    let found = warpfold::reduce::<ArgMin, _>(&items[..5])
        .wait(warpfold::Gpu::global())
        .unwrap();
    assert_eq!((found.value.to_bits(), found.index), (0x8000_0000, 2));
    assert_eq!(
        warpfold::reduce::<ArgMin, _>(&items)
            .wait(warpfold::Gpu::global())
            .unwrap()
            .index,
        5
    );
    assert_eq!(
        warpfold::reduce::<ArgMin, _>(&[])
            .wait(warpfold::Gpu::global())
            .unwrap()
            .count,
        0
    );
}

#[test]
fn log_sum_exp() {
    check::<LogSumExp, f32>(|numbers| numbers.float() * 20.0);
    let found = warpfold::reduce::<LogSumExp, _>(&[1.0; 1000])
        .wait(warpfold::Gpu::global())
        .unwrap();
    assert_eq!((found.exponent, found.scale), (1.0, 1000.0));
}

#[test]
fn gcd() {
    check::<Gcd, u64>(|numbers| numbers.next() % 1000 * 360);
    assert_eq!(
        warpfold::reduce::<Gcd, _>(&[36, 60, 24]).wait(warpfold::Gpu::global()),
        Ok(12)
    );
}

#[test]
fn composition() {
    let item = |numbers: &mut Numbers| Affine {
        scale: numbers.next() as u32,
        offset: numbers.next() as u32,
    };
    check_scans::<Composition, Affine>(item);
    check_scan_operator::<Composition, Affine>(&items(8, item)).unwrap();
}

#[test]
fn min_max() {
    check::<MinMax, i32>(|numbers| numbers.next() as i32);
    let found = warpfold::reduce::<MinMax, _>(&[3, -5, 8])
        .wait(warpfold::Gpu::global())
        .unwrap();
    assert_eq!((found.least, found.greatest), (-5, 8));
}

#[test]
fn several_operators_over_one_reading() {
    check::<SumAndMax, f32>(|numbers| numbers.float());
    let Pair(sum, max) = warpfold::reduce::<SumAndMax, _>(&[3.0, -5.0, 8.0])
        .wait(warpfold::Gpu::global())
        .unwrap();
    assert_eq!((sum, max), (6.0, 8.0));
    reduces_only::<SumAndPlace>();
    reduces_only::<Summary>();
    let items = [3.0, -5.0, 8.0, -5.0, 0.0];
    let Triple(sum, place, count) = warpfold::reduce::<Summary, _>(&items)
        .wait(warpfold::Gpu::global())
        .unwrap();
    assert_eq!((sum, place, count), (1.0, 1, 4));
}

#[test]
fn maps_before_an_operator() {
    check::<AbsoluteSum, f32>(Numbers::float);
    check::<WeightedByPlace, i32>(|numbers| numbers.next() as i32);
    let found = warpfold::reduce::<AbsoluteSum, _>(&[1.5, -2.5]).wait(warpfold::Gpu::global());
    assert_eq!(found, Ok(4.0));
    let found = warpfold::scan::<WeightedByPlace, _>(&[5, -3, 7]).wait(warpfold::Gpu::global());
    assert_eq!(found, Ok(vec![0, -3, 11]));
    let items: Vec<u32> = (0..10_001).collect();
    assert_eq!(
        warpfold::reduce::<CountEven, _>(&items).wait(warpfold::Gpu::global()),
        Ok(5001)
    );
    check_reduce_operator::<CountEven, u32>(&[1, 2, 3, 4]).unwrap();
}

fn reduces_only<O: Commutative + Kernel<reduce, f32>>() {
    for length in lengths() {
        let items = items(length, |numbers| 1.0e5 + numbers.float());
        let found = warpfold::reduce::<O, _>(&items)
            .wait(warpfold::Gpu::global())
            .unwrap();
        let expected = reduce::<O, _>(&items).wait(Cpu).unwrap();
        assert_same(&[found], &[expected], type_name::<O>());
    }
    check_reduce_operator::<O, f32>(&items(6, Numbers::float)).unwrap();
}

#[test]
fn two_inputs() {
    for length in lengths() {
        let left = items(length, Numbers::float);
        let right = items(length, |numbers| numbers.next() as u32 % 9);
        let found = warpfold::reduce::<WeightedMean, _>((&left, &right))
            .wait(warpfold::Gpu::global())
            .unwrap();
        let pairs: Vec<_> = std::iter::zip(&left, &right)
            .map(|(&left, &right)| Pair(left, right))
            .collect();
        let expected = reduce::<WeightedMean, _>(&pairs).wait(Cpu).unwrap();
        assert_same(&[found], &[expected], "a weighted mean");
    }
    let mean = warpfold::reduce::<WeightedMean, _>((&[1.0f32, 5.0], &[3u32, 1]))
        .wait(warpfold::Gpu::global());
    assert_eq!(mean, Ok(2.0));
}

#[test]
fn saturating_sum() {
    check::<SaturatingSum, u16>(|numbers| numbers.next() as u16 % 16);
}

#[test]
fn last_pair() {
    check::<LastPair, [u32; 2]>(|numbers| {
        let pair = numbers.next();
        [pair as u32 % 8, (pair >> 32) as u32]
    });
}

#[test]
fn concatenation() {
    let item = |numbers: &mut Numbers| numbers.next() as u8;
    check_scans::<Concatenation, u8>(item);
    check_scan_operator::<Concatenation, u8>(&items(8, item)).unwrap();
}

#[test]
fn items_of_12_bytes() {
    check::<Total, [f32; 3]>(|numbers| [numbers.float(), numbers.float(), numbers.float()]);
}

#[test]
fn items_of_16_bytes() {
    check::<Total, u128>(|numbers| (numbers.next() as u128) << 64 | numbers.next() as u128);
}

#[test]
fn items_of_24_bytes() {
    check::<Total, [u64; 3]>(|numbers| [numbers.next(), numbers.next(), numbers.next()]);
}

#[test]
fn items_of_32_bytes() {
    check::<Total, [u32; 8]>(|numbers| std::array::from_fn(|_| numbers.next() as u32));
}

macro_rules! records {
    ($($name:ident: $number:ident $count:literal;)*) => {$(
        #[test]
        fn $name() {
            check::<Total, [$number; $count]>(|numbers| {
                std::array::from_fn(|_| numbers.next() as $number)
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
