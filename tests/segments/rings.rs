//! Left folds of rows and of long segments. In most of the launches, each warp has a ring in shared memory (`kernel/rings.rs` defines a
//! ring and its steps). The tests cover rows that begin at each item of a vector, blocks with several rows, chunks of any length, and empty
//! segments among long segments.

use bytemuck::Zeroable;
use cust::memory::DeviceBuffer;
use virtual_gpu::RunOptions;
use warpfold::cust;
use warpfold::{Cpu, Max, Op, Sum, kind, reduce};
use warpfold_kernels::segments::chunk_items;
use warpfold_kernels::segments::rings::{MOST_ROW_WINDOWS, MOST_SPAN_WINDOWS, span_shift};

use crate::data::{Random, Sample, assert_same_bits, ordinary};
use crate::device::{Item, Kernel};
use crate::engine::{Engine, GENERATIONS};
use crate::gpus::gpu;
use crate::schedule::schedules;
use crate::shapes;
use crate::whole_rows::{assert_rows, few};

/// Lengths of rows: one item, a part of a step, one or several steps, one or several chunks. The last three lengths exceed a chunk, and are
/// not multiples of a chunk.
const LENGTHS: [usize; 14] = [
    1, 16, 32, 128, 256, 512, 1024, 2048, 4096, 8192, 65_536, 5000, 4097, 70_656,
];

fn rows<O, T>()
where
    O: Kernel<kind::segmented_reduce, T>,
    Sum: Op<T>,
    T: Sample,
{
    let gpu = gpu();
    let items = ordinary::<Sum, T>(141_400);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for row_items in LENGTHS {
        for begin in 0..2 {
            assert_rows::<O, T>(gpu, &items, &input, row_items, begin);
        }
        // The other items of a vector need no large launch.
        for begin in 2..4 {
            let few = few(&items, row_items, begin);
            assert_rows::<O, T>(gpu, few, &input, row_items, begin);
        }
        // Few rows. If the rows are short, the last row then ends in the middle of a step.
        for rows in [1, 3] {
            let count = Ord::min(rows * row_items, items.len());
            assert_rows::<O, T>(gpu, &items[..count], &input, row_items, 0);
        }
    }
}

#[test]
fn rows_have_the_bits_of_the_reference() {
    rows::<Sum, f32>();
    rows::<Sum, f64>();
    rows::<Max, u32>();
}

/// Blocks take whole rows of several chunks.
#[test]
fn whole_rows_of_several_chunks() {
    let chunk = chunk_items::<f32, f32>() as usize;
    for (turn, options) in schedules(1).enumerate() {
        let generation = GENERATIONS[turn % 3];
        let text = generation.kernel("segmented_reduce_sum_f32");
        let row_chunks = [2, 3, 16, 7][turn % 4];
        let windows = [row_chunks, MOST_ROW_WINDOWS as usize][turn / 4 % 2];
        let rows = if row_chunks == 16 { 3 } else { 9 };
        let items = ordinary::<Sum, f32>(rows * row_chunks * chunk);
        // With one multiprocessor, blocks have fewer threads.
        let multiprocessors = [1, 132][turn % 2];
        let mut engine = Engine::new::<Sum, f32>(generation, multiprocessors, &text, items.len());
        engine.set_windows_per_block(windows as u64);
        let row_items = row_chunks * chunk;
        let expected = reduce::<Sum, _>(&items).rows(row_items).wait(Cpu).unwrap();
        let found = engine
            .reduce_rows::<Sum, f32>(&items, row_items, &options)
            .unwrap_or_else(|error| panic!("rows of {row_chunks} chunks, {options:?}: {error}"));
        assert_same_bits(
            &found,
            &expected,
            &format!("{row_chunks} chunks, {options:?}"),
        );
    }
}

/// Compares reductions of segments of these lengths with the reference. The first segment begins with item `begin`.
fn assert_segments<O, T>(engine: &Engine, begin: usize, lengths: &[usize], options: &RunOptions)
where
    O: Op<T, Output: Item> + Kernel<kind::segmented_reduce, T>,
    Sum: Op<T>,
    T: Sample,
    O::Output: Zeroable,
{
    let offsets = shapes::offsets(begin, lengths);
    let items = ordinary::<Sum, T>(offsets[offsets.len() - 1]);
    let expected = reduce::<O, _>(&items).segments(&offsets).wait(Cpu).unwrap();
    let offsets: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
    let what = format!("lengths {lengths:?} from {begin}, {options:?}");
    let (found, is_refused, _) = engine
        .segmented_reduce::<O, T>(&items, &offsets, options)
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(!is_refused);
    assert_same_bits(&found, &expected, &what);
}

fn long_segments<O, T>(kernel: &str)
where
    O: Op<T, Output: Item> + Kernel<kind::segmented_reduce, T>,
    Sum: Op<T>,
    T: Sample,
    O::Output: Zeroable,
{
    const ITEMS: usize = 40_000;
    let mut random = Random::new(7);
    for (turn, options) in schedules(1).enumerate() {
        let generation = GENERATIONS[turn % 3];
        let text = generation.kernel(kernel);
        let mut engine = Engine::new::<O, T>(generation, 1, &text, 2 * ITEMS);
        engine.set_windows_of_turn(turn);
        let (mut lengths, mut left) = (vec![], ITEMS);
        while left > 0 {
            // Some segments are empty, some have whole steps, and some more than a chunk.
            let length = match random.below(8) {
                0 => 0,
                1 => 512,
                2 => 1024,
                3 => 4096,
                _ => 400 + random.below(5000),
            };
            let length = Ord::min(length, left);
            lengths.push(length);
            left -= length;
        }
        assert_segments::<O, T>(&engine, turn % 5, &lengths, &options);
        assert_segments::<O, T>(&engine, turn % 5, &[ITEMS / 3, 700, ITEMS / 2], &options);
    }
}

#[test]
fn long_segments_have_the_bits_of_the_reference() {
    long_segments::<Sum, f32>("segmented_reduce_sum_f32");
    long_segments::<Sum, f64>("segmented_reduce_sum_f64");
}

/// Segments of which some lie in many spans, and spans in which many segments begin.
fn spans<O, T>(kernel: &str)
where
    O: Op<T, Output: Item> + Kernel<kind::segmented_reduce, T>,
    Sum: Op<T>,
    T: Sample,
    O::Output: Zeroable,
{
    let chunk = chunk_items::<T, O::Accumulator>() as usize;
    let lengths = [
        vec![3, 35 * chunk + 7, 0, 0, chunk, 16 * chunk, 17, 600],
        [
            vec![3 * chunk],
            vec![16; 40],
            vec![0; 40],
            vec![17; 40],
            vec![chunk; 3],
        ]
        .concat(),
        [
            vec![0; 100],
            vec![2 * chunk + 1],
            vec![700; 35],
            vec![1; 100],
        ]
        .concat(),
        vec![chunk - 1; 20],
    ];
    for (turn, options) in schedules(1).enumerate() {
        let generation = GENERATIONS[turn % 3];
        let text = generation.kernel(kernel);
        let mut engine = Engine::new::<O, T>(generation, [1, 7][turn % 2], &text, 70 * chunk);
        engine.set_span_shift(1 + turn as u32 % MOST_SPAN_WINDOWS.trailing_zeros());
        for lengths in &lengths {
            assert_segments::<O, T>(&engine, turn % 5, lengths, &options);
        }
    }
}

#[test]
fn spans_have_the_bits_of_the_reference() {
    spans::<Sum, f32>("segmented_reduce_sum_f32");
    spans::<Sum, f64>("segmented_reduce_sum_f64");
}

/// A device of 132 multiprocessors cannot work on all windows at once. So the launch has spans.
#[test]
fn a_large_launch_has_spans() {
    let gpu = gpu();
    let chunk = chunk_items::<f32, f32>() as usize;
    let lengths: Vec<usize> = (0..600)
        .map(|turn| [2 * chunk - 9, 30_000, 8, 0][turn % 4])
        .collect();
    let offsets = shapes::offsets(1, &lengths);
    let items = ordinary::<Sum, f32>(offsets[lengths.len()]);
    assert_eq!(span_shift(items.len() as u64, 600, 8 * 132), 2);
    let expected = reduce::<Sum, _>(&items)
        .segments(&offsets)
        .wait(Cpu)
        .unwrap();
    let found = reduce::<Sum, _>(&items)
        .segments(&offsets)
        .wait(gpu)
        .unwrap();
    assert_same_bits(&found, &expected, "a large launch");
}
