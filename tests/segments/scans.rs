//! Segmented scans: every kernel has the CPU's results, bit for bit. Sums of `f32` are also checked in queued calls, on rows, and under
//! many schedules. Wrong offsets are refused.

use crate::device::{Item, Kernel};
use cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use cust::stream::{Stream, StreamFlags};
use virtual_gpu::RunOptions;
use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, Error, Result, cust, kind, scan};
use warpfold_kernels::for_each_segmented_scan_kernel;
use warpfold_kernels::op::*;
use warpfold_kernels::segments::{RoomSize, chunk_items};

use crate::data::{Random, Sample, assert_same_bits, ordinary};
use crate::engine::{Engine, GENERATIONS, SM_90};
use crate::gpus::gpu;
use crate::schedule::schedules;
use crate::shapes;

const KERNEL: &str = "segmented_scan_sum_f32";

/// The CPU's scan of these segments.
fn by_cpu<O: Kernel<kind::segmented_scan, T>, T: Sample>(
    items: &[T],
    offsets: &[usize],
    is_exclusive: bool,
) -> Vec<O::Output>
where
    O::Output: Item,
{
    match is_exclusive {
        false => scan::<O, _>(items).segments(offsets).wait(Cpu),
        true => scan::<O, _>(items).exclusive().segments(offsets).wait(Cpu),
    }
    .unwrap()
}

/// Checks an inclusive and an exclusive scan. The input is a buffer without its first `skipped` items. Results before the first offset and
/// from the last offset on are not written.
fn check<O: Kernel<kind::segmented_scan, T>, T: Sample>(
    skipped: usize,
    begin: usize,
    lengths: &[usize],
) where
    O::Output: Item,
{
    let offsets = shapes::offsets(begin, lengths);
    let end = offsets[lengths.len()];
    let items = ordinary::<O, T>(skipped + end + 3);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let starts: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
    let starts = DeviceBuffer::from_slice(&starts).unwrap();
    let check = |is_exclusive: bool| {
        let expected = by_cpu::<O, T>(&items[skipped..], &offsets, is_exclusive);
        let mut output = DeviceBuffer::<O::Output>::zeroed(end + 3).unwrap();
        let input = &input.index(skipped..);
        match is_exclusive {
            false => scan::<O, _>(input)
                .segments(&starts)
                .to(&mut output)
                .wait(gpu()),
            true => scan::<O, _>(input)
                .exclusive()
                .segments(&starts)
                .to(&mut output)
                .wait(gpu()),
        }
        .unwrap();
        let mut found = vec![<O::Output as bytemuck::Zeroable>::zeroed(); end + 3];
        output.copy_to(&mut found).unwrap();
        let what = format!("exclusive {is_exclusive}, lengths {lengths:?} from {begin}");
        // Outside of segments, the output keeps its zeros.
        assert_same_bits(&found, &expected, &what);
    };
    check(false);
    check(true);
}

#[test]
fn the_borders_of_leaves_nodes_and_chunks() {
    gpu();
    for lengths in shapes::borders::<f32, f32>() {
        check::<Sum, f32>(0, 7, &lengths);
    }
}

#[test]
fn random_lengths_from_any_start() {
    gpu();
    let mut random = Random::new(11);
    for skipped in 0..8 {
        let items = 1 + random.below(30_000);
        let lengths = shapes::random(&mut random, items);
        check::<Sum, f32>(skipped, random.below(40), &lengths);
    }
}

/// Checks a kernel on short segments, on a segment of two chunks, or of three if chunks have 256 items, and on long segments.
fn check_row<O: Kernel<kind::segmented_scan, T>, T: Sample>()
where
    O::Output: Item,
{
    let chunk = chunk_items::<T, O::Accumulator>() as usize;
    let lengths = [0, 1, 2, 15, 16, 17, 31, 33, 0, 300, chunk + 300, 7, 3];
    check::<O, T>(0, 1, &lengths);
    // With most operators, each warp takes whole chunks of these.
    check::<O, T>(0, 16, &[512, 256, 496, 272, 16, 480, 33]);
}

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {$(
        #[test]
        fn $symbol() {
            gpu();
            check_row::<$op, $t>();
        }
    )*};
}

for_each_segmented_scan_kernel!(rows);

#[test]
fn waiting_and_queued_calls_agree_and_rows_are_segments() {
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let (rows, row_items) = (30, 333);
    let items = ordinary::<Sum, f32>(rows * row_items);
    let offsets: Vec<usize> = (0..=rows).map(|row| row * row_items).collect();
    let inclusive = scan::<Sum, _>(&items).segments(&offsets).wait(Cpu).unwrap();
    let exclusive = scan::<Sum, _>(&items)
        .exclusive()
        .segments(&offsets)
        .wait(Cpu)
        .unwrap();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let starts = DeviceBuffer::from_slice(&offsets).unwrap();
    type Call<'a> = &'a dyn Fn(&mut DeviceSlice<f32>) -> Result<()>;
    let check = |what: &str, expected: &[f32], call: Call<'_>| {
        let mut output = DeviceBuffer::zeroed(items.len()).unwrap();
        call(&mut output).unwrap();
        stream.synchronize().unwrap();
        let mut found = vec![0.0; items.len()];
        output.copy_to(&mut found).unwrap();
        assert_same_bits(&found, expected, what);
    };
    check("inclusive, queued", &inclusive, &|output| {
        scan::<Sum, _>(&input)
            .segments(&starts)
            .to(output)
            .queue(gpu, &stream)
    });
    check("exclusive, queued", &exclusive, &|output| {
        scan::<Sum, _>(&input)
            .exclusive()
            .segments(&starts)
            .to(output)
            .queue(gpu, &stream)
    });
    check("inclusive rows", &inclusive, &|output| {
        scan::<Sum, _>(&input).rows(row_items).to(output).wait(gpu)
    });
    check("exclusive rows", &exclusive, &|output| {
        scan::<Sum, _>(&input)
            .exclusive()
            .rows(row_items)
            .to(output)
            .wait(gpu)
    });
    check("inclusive rows, queued", &inclusive, &|output| {
        scan::<Sum, _>(&input)
            .rows(row_items)
            .to(output)
            .queue(gpu, &stream)
    });
    check("exclusive rows, queued", &exclusive, &|output| {
        scan::<Sum, _>(&input)
            .exclusive()
            .rows(row_items)
            .to(output)
            .queue(gpu, &stream)
    });
}

#[test]
fn wrong_arguments_are_refused() {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&[1_i32; 100]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[0_i32; 100]).unwrap();
    let bad = DeviceBuffer::from_slice(&[0_u32, 3, 2, 100]).unwrap();
    assert_eq!(
        scan::<Sum, _>(&input)
            .segments(&bad)
            .to(&mut output)
            .wait(gpu),
        Err(Error::BadOffset {
            index: 2,
            offset: 2,
            before: 3,
            item_count: 100,
        })
    );
    let good = DeviceBuffer::from_slice(&[0_u32, 3, 100]).unwrap();
    assert_eq!(
        scan::<Sum, _>(&input)
            .exclusive()
            .segments(&good)
            .to(&mut output.index(..99))
            .wait(gpu),
        Err(Error::OutputTooShort {
            offered_items: 99,
            needed_items: 100,
        })
    );
    // SAFETY: nothing accesses the memory through this buffer, since the call is refused. The buffer is forgotten below.
    let mut same = unsafe { DeviceBuffer::from_raw_parts(input.as_device_ptr(), 100) };
    let overlap = scan::<Sum, _>(&input).rows(10).to(&mut same).wait(gpu);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    std::mem::forget(same);
}

/// Checks an inclusive scan, whose first segment begins at item 0.
fn assert_right(engine: &Engine, lengths: &[usize], options: &RunOptions) {
    assert_scanned(engine, 0, lengths, false, options);
}

/// Checks a scan of segments with these lengths. The first segment begins at item `begin`.
pub fn assert_scanned(
    engine: &Engine,
    begin: usize,
    lengths: &[usize],
    is_exclusive: bool,
    options: &RunOptions,
) {
    let offsets = shapes::offsets(begin, lengths);
    let items = ordinary::<Sum, f32>(offsets[lengths.len()]);
    let expected = by_cpu::<Sum, f32>(&items, &offsets, is_exclusive);
    let offsets: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
    let what = format!("exclusive {is_exclusive}, lengths {lengths:?} from {begin}, {options:?}");
    let (found, is_refused, _) = engine
        .segmented_scan::<Sum, f32>(&items, &offsets, is_exclusive, options)
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(!is_refused, "{what}");
    assert_same_bits(&found[begin..], &expected[begin..], &what);
}

#[test]
fn any_schedule() {
    let chunk = chunk_items::<f32, f32>() as usize;
    let mut random = Random::new(5);
    for (turn, options) in schedules(2).enumerate() {
        let generation = GENERATIONS[turn % 3];
        let text = generation.kernel(KERNEL);
        let multiprocessors = [1, 7, 132][turn / 3 % 3];
        let mut engine = Engine::new::<Sum, f32>(generation, multiprocessors, &text, 40 * chunk);
        engine.set_windows_per_block(1 + turn as u64 % 2);
        assert_right(&engine, &[17 * chunk + 9, 40, 3 * chunk], &options);
        assert_right(&engine, &shapes::random(&mut random, 5 * chunk), &options);
    }
}

/// In a large launch, a block has less room for items than in a small one.
#[test]
fn a_filled_room_in_a_large_launch() {
    let text = SM_90.kernel(KERNEL);
    let engine = Engine::new::<Sum, f32>(SM_90, 1, &text, 6 * chunk_items::<f32, f32>() as usize);
    for lengths in shapes::filled::<f32, f32>(RoomSize::Usual) {
        assert_right(&engine, &lengths, &RunOptions::default());
    }
}

#[test]
fn the_last_tag() {
    let chunk = chunk_items::<f32, f32>() as usize;
    let text = SM_90.kernel(KERNEL);
    for options in schedules(1) {
        let engine = Engine::new::<Sum, f32>(SM_90, 1, &text, 8 * chunk);
        engine.set_epoch(u32::MAX - 1);
        assert_right(&engine, &[3 * chunk + 1, 8], &options);
        assert!(engine.is_clear());
        assert_right(&engine, &[2 * chunk + 1, 8], &options);
    }
}

#[test]
fn offsets_that_do_not_ascend_are_refused_and_nothing_hangs() {
    let chunk = chunk_items::<f32, f32>() as usize;
    let text = SM_90.kernel(KERNEL);
    let lengths = [3, 5 * chunk, 700, 2 * chunk, 1, 0, 18 * chunk];
    let good = shapes::offsets(0, &lengths);
    let items = vec![1.0; good[lengths.len()]];
    for (turn, options) in schedules(2).enumerate() {
        let engine = Engine::new::<Sum, f32>(SM_90, [1, 7, 132][turn % 3], &text, items.len());
        let mut bad: Vec<u32> = good.iter().map(|&offset| offset as u32).collect();
        let place = 1 + turn % (lengths.len() - 1);
        bad[place] = bad[lengths.len()] + 1;
        let options = RunOptions {
            step_budget: 4_000_000,
            ..options
        };
        let (_, is_refused, _) = engine
            .segmented_scan::<Sum, f32>(&items, &bad, false, &options)
            .unwrap_or_else(|error| panic!("{bad:?}: {error}"));
        assert!(is_refused, "{bad:?}");
        assert_right(&engine, &lengths, &options);
    }
}
