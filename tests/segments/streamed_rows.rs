//! Reductions of rows that consist of whole vectors, and whose items go straight to registers. The rows have one or several pieces or
//! chunks, and some rows share windows and blocks. `kernel/rows.rs` defines a piece and a step, `kernel/whole.rs` a unit.

use cust::memory::DeviceBuffer;
use virtual_gpu::RunOptions;
use warpfold::cust;
use warpfold::{ArgMax, ArgMin, ArgMinMax, Cpu, LogSumExp, Moments, Op, Sum, kind, reduce};
use warpfold_kernels::segments::tuning::LATER;
use warpfold_kernels::segments::{MOST_WINDOWS, chunk_items};

use crate::data::{Sample, assert_same_bits, ordinary};
use crate::device::{Item, Kernel};
use crate::engine::{Engine, GENERATIONS, SM_90};
use crate::gpus::gpu;
use crate::schedule::schedules;
use crate::whole_rows::{assert_rows, few};

/// Lengths of rows. Some rows have one piece, some have 2 to 7 pieces, some have 2 to 16 chunks, and rows of 70,656 items have 18 chunks.
/// The remaining rows are not streamed. They do not consist of whole vectors, or have fewer than eight vectors, or a number of vectors that
/// is not a multiple of eight, or too many pieces.
const LENGTHS: [usize; 24] = [
    16, 18, 32, 60, 64, 96, 128, 224, 256, 288, 512, 768, 1000, 1024, 1028, 2048, 3072, 4096, 4608,
    5120, 7680, 8192, 65_536, 70_656,
];

/// Fewer lengths, for most operators and types: rows of one piece, of several pieces, and of several chunks.
const FEW_LENGTHS: [usize; 6] = [32, 96, 768, 1024, 5120, 16_384];

const ITEMS: usize = 141_400;

fn lengths<O, T>(lengths: &[usize])
where
    O: Kernel<kind::segmented_reduce, T>,
    Sum: Op<T>,
    T: Sample,
{
    let gpu = gpu();
    let items = ordinary::<Sum, T>(ITEMS);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for &row_items in lengths {
        assert_rows::<O, T>(gpu, &items, &input, row_items, 0);
        // Rows that begin with the second vector, and rows that are not aligned and thus not streamed. They need no large launch.
        for begin in [4, 1] {
            let few = few(&items, row_items, begin);
            assert_rows::<O, T>(gpu, few, &input, row_items, begin);
        }
        // Few rows. For many lengths, the last row ends in the middle of a step.
        for rows in [1, 3] {
            let count = Ord::min(rows * row_items, ITEMS);
            assert_rows::<O, T>(gpu, &items[..count], &input, row_items, 0);
        }
    }
}

#[test]
fn moments_of_rows_have_the_bits_of_the_reference() {
    lengths::<Moments, f32>(&LENGTHS);
    lengths::<Moments, i32>(&FEW_LENGTHS);
    lengths::<Moments, u32>(&FEW_LENGTHS);
}

#[test]
fn log_sum_exps_of_rows_have_the_bits_of_the_reference() {
    lengths::<LogSumExp, f32>(&LENGTHS);
}

#[test]
fn indices_of_extremes_of_rows_have_the_bits_of_the_reference() {
    lengths::<ArgMax, f32>(&LENGTHS);
    lengths::<ArgMin, i32>(&FEW_LENGTHS);
    lengths::<ArgMinMax, f32>(&FEW_LENGTHS);
    lengths::<ArgMax<u32>, u32>(&FEW_LENGTHS);
}

#[test]
fn identities_infinities_and_nans() {
    let mut items = vec![f32::NEG_INFINITY; 40_000];
    // Some rows have only −∞, some also have a few numbers, and some also have +∞ or a NaN.
    for place in (3000..40_000).step_by(1777) {
        items[place] = place as f32 / 1e3;
    }
    for (number, place) in (20_000..40_000).step_by(997).enumerate() {
        items[place] = [f32::INFINITY, f32::NAN, 2.5, -0.0][number % 4];
    }
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for row_items in [20, 32, 100, 128, 1024, 2000, 4096, 20_000] {
        assert_rows::<LogSumExp, f32>(gpu, &items, &input, row_items, 0);
        assert_rows::<Moments, f32>(gpu, &items, &input, row_items, 0);
    }
}

/// The distances between the two items of a pair: in a vector, between lanes, between the vectors of a lane, between steps, and between
/// chunks.
const DISTANCES: [usize; 8] = [1, 4, 32, 128, 512, 1024, 4096, 8192];

/// Pairs of items for a row, equal or of opposite signs. The second item comes later in the row.
const PAIRS: [[f32; 2]; 5] = [
    [7.0, 7.0],
    [-7.0, -7.0],
    [-0.0, 0.0],
    [f32::NAN, -f32::NAN],
    [-f32::NAN, f32::NAN],
];

#[test]
fn equal_extremes_and_nans() {
    const ROW: usize = 16_384;
    let mut items = Vec::new();
    for (number, (distance, [first, second])) in DISTANCES
        .into_iter()
        .flat_map(|distance| PAIRS.map(|pair| (distance, pair)))
        .enumerate()
    {
        // All other items of a row are positive, or all are negative, or they have both signs.
        let others = [[1.0, 2.0], [-2.0, -1.0], [-1.0, 1.0]][number % 3];
        let begin = items.len();
        items.extend((0..ROW).map(|place| others[place % 2]));
        let place = begin + 611 * number % (ROW - distance);
        items[place] = first;
        items[place + distance] = second;
    }
    // Two rows in which all items are equal, and a row of NaNs of both signs.
    items.extend([f32::NEG_INFINITY; ROW]);
    items.extend([f32::INFINITY; ROW]);
    items.extend((0..ROW).map(|place| [-f32::NAN, f32::NAN][place % 2]));
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for row_items in [32, 1024, 3072, ROW] {
        assert_rows::<ArgMax, f32>(gpu, &items, &input, row_items, 0);
        assert_rows::<ArgMin, f32>(gpu, &items, &input, row_items, 0);
    }
    assert_rows::<ArgMinMax, f32>(gpu, &items, &input, ROW, 0);
}

fn assert_right<O: Op<f32, Output: Item>>(
    engine: &Engine,
    items: &[f32],
    row_items: usize,
    options: &RunOptions,
) {
    let expected = reduce::<O, _>(items).rows(row_items).wait(Cpu).unwrap();
    let found = engine
        .reduce_rows::<O, f32>(items, row_items, options)
        .unwrap_or_else(|error| panic!("rows of {row_items}, {options:?}: {error}"));
    assert_same_bits(
        &found,
        &expected,
        &format!("rows of {row_items}, {options:?}"),
    );
}

const KERNEL: &str = "segmented_reduce_moments_f32";

#[test]
fn any_schedule() {
    let items = ordinary::<Sum, f32>(2 * 40_960);
    for (turn, options) in schedules(2).enumerate() {
        let generation = GENERATIONS[turn % 3];
        let text = generation.kernel(KERNEL);
        let multiprocessors = [1, 7, 132][turn / 3 % 3];
        let mut engine =
            Engine::new::<Moments, f32>(generation, multiprocessors, &text, items.len());
        // With 132 multiprocessors, windows have fewer diagonals than a chunk has items. Then a block has one window.
        let most_windows = if multiprocessors == 132 {
            1
        } else {
            MOST_WINDOWS
        };
        engine.set_windows_per_block(1 + turn as u64 % u64::from(most_windows));
        let row_items = [32, 768, 1024, 4096, 5120, 40_960][turn % 6];
        let count = items.len() / row_items * row_items;
        assert_right::<Moments>(&engine, &items[..count], row_items, &options);
    }
}

/// A block combines the long rows that end in an earlier block: the block whose ticket is less by [`LATER`]. The last [`LATER`] blocks also
/// combine the rows that end in themselves.
fn later_rows<O: Op<f32, Output: Item>>(kernel: &str, chunks_of_rows: &[usize], windows: usize) {
    let chunk = chunk_items::<f32, O::Accumulator>() as usize;
    let items = ordinary::<Sum, f32>(windows * (LATER as usize + 40) * chunk);
    let text = SM_90.kernel(kernel);
    for (turn, options) in schedules(1).enumerate() {
        let chunks = chunks_of_rows[turn % chunks_of_rows.len()];
        let mut engine = Engine::new::<O, f32>(SM_90, 3, &text, items.len());
        engine.set_windows_per_block(windows as u64);
        let row_items = chunks * chunk;
        let count = items.len() / row_items * row_items;
        assert_right::<O>(&engine, &items[..count], row_items, &options);
    }
}

#[test]
fn a_later_block_combines_long_rows() {
    later_rows::<Moments>(KERNEL, &[2, 3, 16], 1);
    later_rows::<ArgMax>("segmented_reduce_arg_max_f32", &[5, 8, 2], 1);
    later_rows::<Moments>(KERNEL, &[3, 16, 2], 2);
}

/// Tests chunks of at most one step, of two and of four steps; rows of one and of several chunks; and blocks of several windows, whose
/// warps have several units.
#[test]
fn whole_chunks() {
    let items = ordinary::<Sum, f32>(70 * 4096);
    let text = SM_90.kernel(KERNEL);
    for (turn, options) in schedules(2).enumerate() {
        let mut engine = Engine::new::<Moments, f32>(SM_90, 3, &text, items.len());
        engine.set_windows_per_block([1, 2, 3][turn / 2 % 3]);
        for row_items in [
            [32, 1024, 2048, 8192, 65_536],
            [128, 512, 4096, 12_288, 20_480],
        ][turn % 2]
        {
            // If rows are short, the last unit is incomplete, since the number of rows is odd.
            let rows = (items.len() / row_items - 1) | 1;
            let count = Ord::min(rows * row_items, items.len() / row_items * row_items);
            assert_right::<Moments>(&engine, &items[..count], row_items, &options);
        }
    }
}

/// If rows have several chunks, the launch uses a tag. If rows have one chunk, and single warps combine the rows, the launch uses no tag.
#[test]
fn the_last_tag() {
    let items = ordinary::<Sum, f32>(3 * 20_480);
    let text = SM_90.kernel(KERNEL);
    for options in schedules(1) {
        let mut engine = Engine::new::<Moments, f32>(SM_90, 1, &text, items.len());
        engine.set_windows_per_block(2);
        engine.set_epoch(u32::MAX - 1);
        assert_right::<Moments>(&engine, &items, 20_480, &options);
        assert_eq!(engine.epoch(), 0);
        assert!(engine.is_clear());
        assert_right::<Moments>(&engine, &items, 1024, &options);
        assert_eq!(engine.epoch(), 0);
        assert!(engine.is_clear());
        assert_right::<Moments>(&engine, &items, 20_480, &options);
        assert_eq!(engine.epoch(), 1);
    }
}
