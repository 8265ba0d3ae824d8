//! A trial of a kernel. If the first launch seems right, the kernel runs again on the same workspace, with other items. The second launch
//! finds the state words that the first launch has left in the workspace.

use std::iter::repeat_n;

use crate::device::Item;
use bytemuck::cast_slice;
use virtual_gpu::{FaultKind, LaunchError, RunOptions};
use warpfold::{Cpu, Equal, Op, reduce, scan};
use warpfold_kernels::segments::chunk_items;
use warpfold_kernels::segments::tuning::LEAST_WINDOW_SHIFT;

use crate::data::{Sample, ordinary};
use crate::engine::{Engine, Generation};

/// The signs that a kernel is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// An access that is misaligned, outside of allocated memory, or made before earlier work has ended.
    Memory,
    /// An invalid barrier, a barrier that some threads do not reach, or a `*.sync` instruction with a wrong member mask.
    Sync,
    /// A race, in the sense of [`FaultKind::Race`].
    Race,
    /// Uninitialised bytes decide something, such as a branch or an address.
    Init,
    /// The launch does not end.
    Hang,
    /// The result differs from the reference's.
    Bits,
}

/// More warp instructions than any trial needs.
const STEP_BUDGET: u64 = 1_500_000;

/// Runs a text under a schedule. Returns the check that finds the kernel wrong, or `None`.
pub type Trial = Box<dyn Fn(&str, &RunOptions) -> Option<Check>>;

/// The circumstances of a trial.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances {
    pub generation: Generation,
    pub multiprocessors: u32,
    pub item_count: usize,
    /// The epoch of the workspace before the trial: as if this many launches had used the workspace.
    pub epoch: u32,
    /// How many windows each block of a launch on segments has.
    pub windows_per_block: u64,
    /// If this is not 0, blocks that reduce segments take spans of `1 << span_shift` windows.
    pub span_shift: u32,
}

/// A reduction's trial.
pub fn of_reduction<O: Op<T, Output: Item>, T: Sample>(it: Circumstances) -> Trial {
    let lists = lists::<O, T>(it.item_count);
    let expected = lists
        .clone()
        .map(|items| vec![reduce::<O, _>(&items).wait(Cpu).unwrap()]);
    of::<O, T, O::Output>(it, lists, expected, |engine, items, options| {
        Ok(vec![engine.reduce::<O, T>(items, options)?.0])
    })
}

/// An inclusive scan's trial.
pub fn of_inclusive_scan<O: Op<T, Output = T>, T: Sample>(it: Circumstances) -> Trial {
    let lists = lists::<O, T>(it.item_count);
    let expected = lists
        .clone()
        .map(|items| scan::<O, _>(&items).wait(Cpu).unwrap());
    of::<O, T, T>(it, lists, expected, |engine, items, options| {
        Ok(engine.scan::<O, T>(items, options)?.0)
    })
}

/// A segmented reduction's trial.
pub fn of_segmented_reduction<O: Op<T, Output: Item>, T: Sample>(it: Circumstances) -> Trial {
    of_segments::<O, T>(it, segments(it.item_count))
}

/// A trial of a reduction of long and shorter segments, among them an empty segment.
pub fn of_long_segments<O: Op<T, Output: Item>, T: Sample>(it: Circumstances) -> Trial {
    of_segments::<O, T>(it, vec![0, 5000, 5700, 5700, 8700, it.item_count])
}

/// A trial of a reduction of short segments, which make the first span dense, and of two long segments.
pub fn of_spans<O: Op<T, Output: Item>, T: Sample>(it: Circumstances) -> Trial {
    let mut offsets: Vec<usize> = (0..=40).map(|number| 20 * number).collect();
    offsets.extend([4000, it.item_count]);
    of_segments::<O, T>(it, offsets)
}

/// A trial of a reduction of the segments with these offsets.
fn of_segments<O: Op<T, Output: Item>, T: Sample>(it: Circumstances, offsets: Vec<usize>) -> Trial {
    let lists = lists::<O, T>(it.item_count);
    let expected = lists
        .clone()
        .map(|items| reduce::<O, _>(&items).segments(&offsets).wait(Cpu).unwrap());
    let offsets: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
    of::<O, T, O::Output>(it, lists, expected, move |engine, items, options| {
        Ok(engine.segmented_reduce::<O, T>(items, &offsets, options)?.0)
    })
}

/// A trial of a reduction of rows. Each row has two chunks.
pub fn of_rows_reduction<O: Op<T, Output: Item>, T: Sample>(it: Circumstances) -> Trial {
    let row_items = 2 * chunk_items::<T, O::Accumulator>() as usize;
    let lists = lists::<O, T>(it.item_count);
    let expected = lists
        .clone()
        .map(|items| reduce::<O, _>(&items).rows(row_items).wait(Cpu).unwrap());
    of::<O, T, O::Output>(it, lists, expected, move |engine, items, options| {
        engine.reduce_rows::<O, T>(items, row_items, options)
    })
}

/// A segmented scan's trial, with the segments of [`of_segmented_reduction`].
pub fn of_segmented_scan<O: Op<T, Output: Item>, T: Sample>(it: Circumstances) -> Trial {
    of_scanned_segments::<O, T>(it, segments(it.item_count))
}

/// A trial of a segmented scan in which each warp takes whole chunks.
pub fn of_chunk_scan<O: Op<T, Output: Item>, T: Sample>(it: Circumstances) -> Trial {
    let starts = (0..it.item_count).step_by(1020);
    of_scanned_segments::<O, T>(it, starts.chain([it.item_count]).collect())
}

/// A trial of a scan of the segments with these offsets.
fn of_scanned_segments<O: Op<T, Output: Item>, T: Sample>(
    it: Circumstances,
    offsets: Vec<usize>,
) -> Trial {
    let lists = lists::<O, T>(it.item_count);
    let expected = lists
        .clone()
        .map(|items| scan::<O, _>(&items).segments(&offsets).wait(Cpu).unwrap());
    let offsets: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
    of::<O, T, O::Output>(it, lists, expected, move |engine, items, options| {
        Ok(engine
            .segmented_scan::<O, T>(items, &offsets, false, options)?
            .0)
    })
}

/// A trial of a reduction by key. Each segment of [`of_segmented_reduction`] that is not empty is a run.
pub fn of_by_key_reduction<O: Op<T, Output: Item>, T: Sample>(it: Circumstances) -> Trial {
    let offsets = segments(it.item_count);
    let runs = offsets.windows(2).zip(0_u32..);
    let keys: Vec<u32> = runs
        .flat_map(|(ends, run)| repeat_n(run, ends[1] - ends[0]))
        .collect();
    let lists = lists::<O, T>(it.item_count);
    let expected = lists.clone().map(|items| {
        let reduced = reduce::<O, _>(&items).by_key::<Equal, _>(&keys);
        reduced.wait(Cpu).unwrap().1
    });
    of::<O, T, O::Output>(it, lists, expected, move |engine, items, options| {
        let shift = LEAST_WINDOW_SHIFT + 1;
        let (results, _, _) = engine.reduce_by_key::<O, T, u32>(&keys, items, shift, options)?;
        Ok(results)
    })
}

/// A trial of a reduction of columns.
pub fn of_columns_reduction<O: Op<T, Output: Item>, T: Sample>(it: Circumstances) -> Trial {
    let lists = lists::<O, T>(it.item_count);
    let expected = lists
        .clone()
        .map(|items| reduce::<O, _>(&items).columns(COLUMNS).wait(Cpu).unwrap());
    of::<O, T, O::Output>(it, lists, expected, |engine, items, options| {
        Ok(engine.columns_reduce::<O, T>(items, COLUMNS, options)?.0)
    })
}

/// A trial of a scan of columns.
pub fn of_columns_scan<O: Op<T, Output: Item>, T: Sample>(it: Circumstances) -> Trial {
    let lists = lists::<O, T>(it.item_count);
    let expected = lists
        .clone()
        .map(|items| scan::<O, _>(&items).columns(COLUMNS).wait(Cpu).unwrap());
    of::<O, T, O::Output>(it, lists, expected, |engine, items, options| {
        let scanned = engine.columns_scan::<O, T>(items, COLUMNS, false, options)?;
        Ok(scanned.0)
    })
}

/// The number of columns of each matrix.
const COLUMNS: usize = 2;

/// Offsets of segments of many lengths. The last segment ends with the last item.
fn segments(item_count: usize) -> Vec<usize> {
    let mut offsets = vec![0];
    // The segments of `many` fill a window. Every fiftieth of them has 20 items, and all others have one item.
    let few = [1300, 5000, 0, 17, 40, 32, 25, 18, 31, 19, 22, 9000];
    let many = (0..2500).map(|number| if number % 50 == 0 { 20 } else { 1 });
    for length in few.into_iter().chain(many) {
        offsets.push(offsets[offsets.len() - 1] + length);
    }
    offsets.push(item_count);
    offsets
}

/// The items of the two launches.
fn lists<O: Op<T>, T: Sample>(item_count: usize) -> [Vec<T>; 2] {
    let first = ordinary::<O, T>(item_count);
    let second = first.iter().rev().copied().collect();
    [first, second]
}

fn of<O: Op<T>, T: Item, R: Item>(
    it: Circumstances,
    lists: [Vec<T>; 2],
    expected: [Vec<R>; 2],
    launch: impl Fn(&Engine, &[T], &RunOptions) -> Result<Vec<R>, LaunchError> + 'static,
) -> Trial {
    Box::new(move |text, options| {
        let options = RunOptions {
            step_budget: STEP_BUDGET,
            ..options.clone()
        };
        let mut engine =
            Engine::new::<O, T>(it.generation, it.multiprocessors, text, it.item_count);
        engine.set_epoch(it.epoch);
        engine.set_windows_per_block(it.windows_per_block);
        engine.set_span_shift(it.span_shift);
        let wrong = |(items, expected): (&Vec<T>, &Vec<R>)| match launch(&engine, items, &options) {
            Ok(found) => (!same_bits(&found, expected)).then_some(Check::Bits),
            Err(error) => Some(check_of(error)),
        };
        lists.iter().zip(&expected).find_map(wrong)
    })
}

fn same_bits<T: Item>(a: &[T], b: &[T]) -> bool {
    cast_slice::<_, u8>(a) == cast_slice::<_, u8>(b)
}

fn check_of(error: LaunchError) -> Check {
    let LaunchError::Fault(fault) = error else {
        panic!("{error}");
    };
    match fault.kind {
        FaultKind::OutOfBounds { .. }
        | FaultKind::UseAfterFree { .. }
        | FaultKind::Misaligned { .. }
        | FaultKind::TooEarly { .. } => Check::Memory,
        FaultKind::BarrierDivergence { .. }
        | FaultKind::InvalidBarrier { .. }
        | FaultKind::WarpSync { .. } => Check::Sync,
        FaultKind::Race { .. } => Check::Race,
        FaultKind::Uninitialised { .. } => Check::Init,
        FaultKind::Deadlock { .. } | FaultKind::StepBudget { .. } => Check::Hang,
        _ => panic!("{fault}"),
    }
}
