//! Tests calls whose number of rows, number of items or outer extent is in device memory. The results have the same bits as those of a call
//! on exactly that much of the input. If the number is too large, the call works on the whole input. The call leaves the rest of the output
//! as it is.

use cust::memory::DeviceBuffer;
use cust::stream::{Stream, StreamFlags};
use warpfold::{ArgMax, Cpu, Error, Max, Moments, Sum, cust, kind, reduce, scan};

use crate::buffers::{assert_begins, zeros};
use crate::data::{Random, Sample, ordinary};
use crate::device::Kernel;
use crate::gpus::gpu;

/// The numbers of rows and columns of matrices whose columns are one leaf, one chunk or several chunks.
const MATRICES: [(usize, usize); 6] =
    [(9, 40), (200, 3), (256, 33), (700, 2), (4400, 1), (600, 35)];

/// The outer extent, the length and the inner extent.
const ARRAYS: [(usize, usize, usize); 6] = [
    (9, 4, 5),
    (40, 17, 3),
    (5, 300, 2),
    (70, 1, 9),
    (50, 33, 1),
    (3, 700, 35),
];

/// Counts around the boundaries of leaves and chunks, and counts above `all`. Each count comes with the number that a call uses in its
/// place: the smaller of the count and `all`.
fn counts(all: usize) -> impl Iterator<Item = (u64, usize)> {
    let borders = [0, 1, 15, 17, 256, 257, all - 1, all];
    let within = borders.into_iter().filter(move |&count| count <= all);
    let within = within.map(|count| (count as u64, count));
    within.chain([(u64::MAX, all), (1 << 63, all)])
}

fn check_columns<O, T: Sample>()
where
    O: Kernel<kind::columns_reduce, T>,
{
    let gpu = gpu();
    for (rows, columns) in MATRICES {
        let items = ordinary::<O, T>(rows * columns);
        let input = DeviceBuffer::from_slice(&items).unwrap();
        for (count, counted) in counts(rows) {
            let expected = reduce::<O, _>(&items[..counted * columns]).columns(columns);
            let expected = expected.wait(Cpu).unwrap();
            let device_count = DeviceBuffer::from_slice(&[count]).unwrap();
            let mut output = zeros::<O::Output>(columns + 3);
            let request = reduce::<O, _>(&input).columns(columns).count(&device_count);
            request.to(&mut output).wait(gpu).unwrap();
            assert_begins(
                &output,
                &expected,
                &format!("{rows} × {columns}, {count} rows"),
            );
        }
    }
}

#[test]
fn columns_have_as_many_rows_as_the_count_says() {
    check_columns::<Sum, f32>();
    check_columns::<Max, i8>();
    check_columns::<ArgMax, f64>();
    check_columns::<Moments, f32>();
}

fn check_scans<O, T: Sample>()
where
    O: Kernel<kind::columns_scan, T, Output = T>,
{
    let gpu = gpu();
    for (rows, columns) in MATRICES {
        let items = ordinary::<O, T>(rows * columns);
        let input = DeviceBuffer::from_slice(&items).unwrap();
        for (count, counted) in counts(rows) {
            let device_count = DeviceBuffer::from_slice(&[count]).unwrap();
            let first = &items[..counted * columns];
            macro_rules! check {
                ($($order:ident)*) => {
                    let mut output = zeros::<T>(items.len() + 3);
                    let request = scan::<O, _>(&input).columns(columns)$(.$order())*;
                    request.count(&device_count).to(&mut output).wait(gpu).unwrap();
                    let expected = scan::<O, _>(first).columns(columns)$(.$order())*.wait(Cpu);
                    let what = format!("{rows} × {columns}, {count} rows {}", stringify!($($order)*));
                    assert_begins(&output, &expected.unwrap(), &what);
                };
            }
            check!();
            check!(exclusive);
            check!(reversed);
            check!(exclusive reversed);
        }
    }
}

#[test]
fn scans_of_columns_have_as_many_rows_as_the_count_says() {
    check_scans::<Sum, f32>();
    check_scans::<Max, u8>();
    check_scans::<Sum, u64>();
}

#[test]
fn an_axis_has_the_outer_extent_that_the_count_says() {
    let gpu = gpu();
    for (outer, length, inner) in ARRAYS {
        let items = ordinary::<Sum, f32>(outer * length * inner);
        let input = DeviceBuffer::from_slice(&items).unwrap();
        for (count, counted) in counts(outer) {
            let what = format!("{outer} × {length} × {inner}, {count} outer places");
            let first = &items[..counted * length * inner];
            let device_count = DeviceBuffer::from_slice(&[count]).unwrap();
            let mut sums = zeros::<f32>(outer * inner);
            let request = reduce::<Sum, _>(&input).axis(outer, length, inner);
            request
                .count(&device_count)
                .to(&mut sums)
                .wait(gpu)
                .unwrap();
            let expected = reduce::<Sum, _>(first).axis(counted, length, inner);
            assert_begins(&sums, &expected.wait(Cpu).unwrap(), &what);
            let mut scanned = zeros::<f32>(items.len());
            let request = scan::<Sum, _>(&input).axis(outer, length, inner).reversed();
            request
                .count(&device_count)
                .to(&mut scanned)
                .wait(gpu)
                .unwrap();
            let expected = scan::<Sum, _>(first)
                .axis(counted, length, inner)
                .reversed();
            assert_begins(&scanned, &expected.wait(Cpu).unwrap(), &what);
        }
    }
}

/// Reduces the rows, and then the columns, of a matrix with a pitch. Compares the results with those of plain loops.
#[test]
fn rows_with_a_pitch_are_as_many_as_the_count_says() {
    let (gpu, (rows, row_items, pitch)) = (gpu(), (300, 5, 8));
    let mut random = Random::new(32);
    let items: Vec<u32> = (0..rows * pitch).map(|_| random.bits() as u32).collect();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for (count, counted) in counts(rows) {
        let device_count = DeviceBuffer::from_slice(&[count]).unwrap();
        let sum = |places: &mut dyn Iterator<Item = usize>| {
            places.fold(0u32, |sum, place| sum.wrapping_add(items[place]))
        };
        let of_rows: Vec<u32> = (0..counted)
            .map(|row| sum(&mut (row * pitch..row * pitch + row_items)))
            .collect();
        let of_columns: Vec<u32> = (0..row_items)
            .map(|column| sum(&mut (0..counted).map(|row| row * pitch + column)))
            .collect();
        let mut output = zeros::<u32>(rows);
        let request = reduce::<Sum, _>(&input).rows(row_items).pitch(pitch);
        request
            .count(&device_count)
            .to(&mut output)
            .wait(gpu)
            .unwrap();
        assert_begins(&output, &of_rows, &format!("{count} rows"));
        let mut output = zeros::<u32>(row_items);
        let request = reduce::<Sum, _>(&input).columns(row_items).pitch(pitch);
        request
            .count(&device_count)
            .to(&mut output)
            .wait(gpu)
            .unwrap();
        assert_begins(&output, &of_columns, &format!("columns of {count} rows"));
        // In a single column of contiguous items, the count is the number of rows, which is the number of items.
        let mut output = zeros::<u32>(1);
        let request = reduce::<Sum, _>(&input).columns(1).pitch(1);
        request
            .count(&device_count)
            .to(&mut output)
            .wait(gpu)
            .unwrap();
        let all = count.min(items.len() as u64) as usize;
        assert_begins(&output, &[sum(&mut (0..all))], &format!("{count} items"));
    }
}

#[test]
fn in_order_reductions_have_as_many_items_as_the_count_says() {
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let items = ordinary::<Sum, f32>(70_001);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for (count, counted) in counts(items.len()) {
        let device_count = DeviceBuffer::from_slice(&[count]).unwrap();
        let expected = reduce::<Sum, _>(&items[..counted]).in_order();
        let expected = expected.wait(Cpu).unwrap();
        let request = || reduce::<Sum, _>(&input).in_order().count(&device_count);
        let found = request().wait(gpu).unwrap();
        assert_eq!(found.to_bits(), expected.to_bits(), "{count} items");
        let mut output = zeros::<f32>(2);
        request().to(&mut output).queue(gpu, &stream).unwrap();
        stream.synchronize().unwrap();
        assert_begins(&output, &[expected], &format!("{count} items, queued"));
    }
    let nothing = DeviceBuffer::<f32>::from_slice(&[]).unwrap();
    let count = DeviceBuffer::from_slice(&[5_u64]).unwrap();
    let found = reduce::<Max, _>(&nothing)
        .in_order()
        .count(&count)
        .wait(gpu);
    assert_eq!(found, Ok(f32::NEG_INFINITY));
}

#[test]
fn wrong_counts_are_refused() {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&[1_u64; 24]).unwrap();
    let nothing = DeviceBuffer::<u64>::from_slice(&[]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[9_u64; 4]).unwrap();
    let request = reduce::<Sum, _>(&input).columns(4).count(&nothing);
    let missing = request.to(&mut output).wait(gpu);
    assert_eq!(missing, Err(Error::CountMissing));
    let (count, mut results) = (output.index(2..), output.index(..));
    let request = reduce::<Sum, _>(&input).axis(2, 6, 2).count(&count);
    let overlap = request.to(&mut results).wait(gpu);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    assert_eq!(output.as_host_vec().unwrap(), [9; 4]);
}
