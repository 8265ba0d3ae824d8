//! Rows of whole vectors whose items go straight to registers: all shapes of rows, and rows that share windows and blocks.

use cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::cust;
use warpfold::{Cpu, Gpu, LogSumExp, Moments, Op, Sum, kind, reduce};

use crate::common::gpu;
use crate::data::{Sample, assert_same_bits, ordinary};
use crate::device::Kernel;

/// Lengths of rows: a few vectors; powers of two, one vector more and one less; several steps and chunks; several levels of chunks; and two
/// lengths that are not streamed, a single leaf and a number of items that does not fill vectors.
const LENGTHS: [usize; 37] = [
    16, 18, 20, 24, 28, 32, 36, 48, 60, 64, 68, 100, 124, 128, 132, 252, 256, 260, 508, 512, 516,
    1000, 1020, 1024, 1028, 2000, 2044, 2048, 2052, 3072, 4092, 4096, 4100, 5120, 8192, 65_536,
    70_020,
];

const ITEMS: usize = 140_100;

/// Checks rows that begin at one item of the input, where no vector begins unless it is item 0 or 4.
fn check<O, T>(gpu: &Gpu, items: &[T], input: &DeviceBuffer<T>, row_items: usize, begin: usize)
where
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
    assert_same_bits(
        &found,
        &expected,
        &format!("rows of {row_items} from {begin} on"),
    );
}

fn all_lengths<O, T>()
where
    O: Kernel<kind::segmented_reduce, T>,
    Sum: Op<T>,
    T: Sample,
{
    let gpu = gpu();
    let items = ordinary::<Sum, T>(ITEMS);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for row_items in LENGTHS {
        for begin in [0, 1, 4] {
            check::<O, T>(gpu, &items, &input, row_items, begin);
        }
        // Few rows, the last of which ends in the middle of a step.
        for rows in [1, 3] {
            let count = Ord::min(rows * row_items, ITEMS);
            check::<O, T>(gpu, &items[..count], &input, row_items, 0);
        }
    }
}

#[test]
fn moments_of_rows_have_the_bits_of_the_reference() {
    all_lengths::<Moments, f32>();
    all_lengths::<Moments, i32>();
    all_lengths::<Moments, u32>();
}

#[test]
fn log_sum_exps_of_rows_have_the_bits_of_the_reference() {
    all_lengths::<LogSumExp, f32>();
}

#[test]
fn items_that_add_nothing_and_items_that_are_no_numbers() {
    let mut items = vec![f32::NEG_INFINITY; 40_000];
    // Rows without any number, with one, and with an infinity or a NaN among others.
    for place in (3000..40_000).step_by(1777) {
        items[place] = place as f32 / 1e3;
    }
    for (number, place) in (20_000..40_000).step_by(997).enumerate() {
        items[place] = [f32::INFINITY, f32::NAN, 2.5, -0.0][number % 4];
    }
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for row_items in [20, 32, 100, 128, 1024, 2000, 4096, 20_000] {
        check::<LogSumExp, f32>(gpu, &items, &input, row_items, 0);
        check::<Moments, f32>(gpu, &items, &input, row_items, 0);
    }
}
