//! Reductions and scans of rows that begin at different places in a vector. Most of the rows consist of whole leaves or whole nodes.

use cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::cust;
use warpfold::{ArgMax, Cpu, Gpu, LogSumExp, Moments, Op, Sum, kind, reduce, scan};

use crate::data::{Sample, assert_same_bits, ordinary};
use crate::device::Kernel;
use crate::gpus::gpu;

/// Lengths of rows: multiples of 256, other multiples of 16, and 40.
const LENGTHS: [usize; 9] = [16, 40, 48, 256, 272, 768, 1024, 4096, 12_288];

/// The most items that all rows have together.
const ITEMS: usize = 25_000;

/// The first of `items`: enough for several windows, and for a row from item `begin` on.
pub fn few<T>(items: &[T], row_items: usize, begin: usize) -> &[T] {
    &items[..Ord::max(30_000, begin + row_items)]
}

/// Reduces all complete rows from item `begin` on, and compares the results with the reference. If `begin` items fill whole vectors, the
/// first row begins where a vector begins. `input` begins with a copy of `items`.
pub fn assert_rows<O, T>(
    gpu: &Gpu,
    items: &[T],
    input: &DeviceBuffer<T>,
    row_items: usize,
    begin: usize,
) where
    O: Kernel<kind::segmented_reduce, T>,
    T: Sample,
{
    let span = begin..begin + (items.len() - begin) / row_items * row_items;
    let request = reduce::<O, _>(&items[span.clone()]).rows(row_items);
    let expected = request.wait(Cpu).unwrap();
    let mut output = DeviceBuffer::zeroed(expected.len()).unwrap();
    let span = input.index(span);
    let request = reduce::<O, _>(&span).rows(row_items);
    request.to(&mut output).wait(gpu).unwrap();
    let mut found = vec![bytemuck::Zeroable::zeroed(); expected.len()];
    output.copy_to(&mut found).unwrap();
    let what = format!("rows of {row_items} from {begin} on");
    assert_same_bits(&found, &expected, &what);
}

fn reductions<O, T>()
where
    O: Kernel<kind::segmented_reduce, T>,
    Sum: Op<T>,
    T: Sample,
{
    let gpu = gpu();
    let items = ordinary::<Sum, T>(ITEMS + 16);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for row_items in LENGTHS {
        for begin in [0, 1, 3] {
            assert_rows::<O, T>(gpu, &items[..begin + ITEMS], &input, row_items, begin);
        }
    }
}

#[test]
fn reductions_have_the_bits_of_the_reference() {
    reductions::<Sum, f32>();
    reductions::<Sum, u8>();
    reductions::<Sum, f64>();
    reductions::<ArgMax, f32>();
    reductions::<LogSumExp, f32>();
    reductions::<Moments, f32>();
    reductions::<Moments, f64>();
}

#[test]
fn scans_have_the_bits_of_the_reference() {
    let gpu = gpu();
    let items = ordinary::<Sum, f32>(ITEMS + 16);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for row_items in LENGTHS {
        for begin in [0, 1, 3] {
            let span = begin..begin + ITEMS / row_items * row_items;
            let request = scan::<Sum, _>(&items[span.clone()]).rows(row_items);
            let expected = request.wait(Cpu).unwrap();
            let mut output = DeviceBuffer::from_slice(&vec![0.0; expected.len()]).unwrap();
            let span = input.index(span);
            let request = scan::<Sum, _>(&span).rows(row_items);
            request.to(&mut output).wait(gpu).unwrap();
            let what = format!("rows of {row_items} from {begin} on");
            assert_same_bits(&output.as_host_vec().unwrap(), &expected, &what);
        }
    }
}
