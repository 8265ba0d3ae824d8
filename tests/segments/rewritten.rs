//! Offsets that are rewritten while the kernel reads them: each read of the same offset may return another value. Even so, nothing is read
//! or written out of bounds, threads do not race for a word of shared memory, and no block waits forever.

use virtual_gpu::{Checks, RunOptions, Switch};
use warpfold::{Element, Op, Sum};
use warpfold_kernels::segments::{MOST_WINDOWS, chunk_items};

use crate::device::Item;
use crate::engine::{Engine, SM_70, SM_90};
use crate::schedule::schedules;
use crate::shapes;

/// Warp instructions after which a launch counts as hung.
const STEP_BUDGET: u64 = 8_000_000;

/// Random changes to the offsets that the kernel reads.
#[derive(Debug, Clone, Copy)]
struct Noise {
    /// One of `1 << rareness` reads is changed, on average.
    rareness: u32,
    /// One less than a power of two. A change adds a number from 0 to `most`, minus half of `most`.
    most: u32,
}

/// Rare changes of several sizes, and frequent small changes.
const NOISES: [Noise; 6] = [
    noise(9, 7),
    noise(7, 63),
    noise(6, 1023),
    noise(8, 0x3fff),
    noise(10, u32::MAX),
    noise(1, 3),
];

const fn noise(rareness: u32, most: u32) -> Noise {
    Noise { rareness, most }
}

/// The start of an instruction that reads a 32-bit offset: no other 32-bit load goes to a 64-bit register. rust-cuda's compiler writes the
/// second form.
const READ: [&str; 2] = ["ld.global.b32 \t%rd", "ld.global.u32 \t%rd"];

impl Noise {
    /// A kernel's text with changes after its reads of 32-bit offsets. A hash of the clock and the address decides which reads are changed.
    fn added_to(self, text: &str) -> String {
        let mut reads = 0;
        let changed = text.lines().map(|line| {
            let operands = READ.iter().find_map(|read| line.trim().strip_prefix(read));
            let Some(operands) = operands else {
                return format!("{line}\n");
            };
            reads += 1;
            let (number, address) = operands.split_once(", [").unwrap();
            let to = format!("%rd{number}");
            let (address, _) = address.split_once(['+', ']']).unwrap();
            let Self { rareness, most } = self;
            format!(
                "{{ .reg .b64 %chance, %change; .reg .pred %changes;\n\
                 mov.u64 %chance, %clock64; mad.lo.s64 %chance, %chance, 64, {address};\n\
                 mul.lo.s64 %chance, %chance, 2862933555777941757; shr.u64 %change, %chance, 29;\n\
                 xor.b64 %chance, %chance, %change; mul.lo.s64 %chance, %chance, 3202034522624059733;\n\
                 shr.u64 %change, %chance, {}; setp.eq.u64 %changes, %change, 0;\n\
                 shr.u64 %change, %chance, 16; and.b64 %change, %change, {most}; sub.s64 %change, %change, {};\n\
                 {line}\n\
                 @%changes add.s64 {to}, {to}, %change; and.b64 {to}, {to}, 4294967295; }}\n",
                64 - rareness,
                most / 2,
            )
        });
        let changed = changed.collect();
        assert!(reads > 4, "{reads} reads of offsets");
        changed
    }
}

/// The start of the error for a race in global memory, such as between two blocks that write the same word of the output.
const TWO_RESULTS: &str = "race: at global address";

fn without_races(options: &RunOptions) -> RunOptions {
    let mut options = options.clone();
    options.checks.race = Switch::Off;
    options
}

/// Lists of lengths of segments: mixed lengths, short segments before a long one, many empty segments, and segments of nearly a chunk.
fn shapes_of(chunk: usize) -> [Vec<usize>; 4] {
    let mixed = [3, 5 * chunk, 700, 2 * chunk, 1, 0, 0, 18 * chunk, 40];
    let short = (0..900).map(|number| number % 37);
    let tiny = (0..3 * chunk).map(|number| usize::from(number % 3 == 0));
    [
        mixed.to_vec(),
        short.chain([3 * chunk, 20]).collect(),
        tiny.chain([17 * chunk]).collect(),
        vec![chunk - 40; 12],
    ]
}

/// Runs a kernel under many schedules. The runs take the [`NOISES`] in turn. Returns how many launches refused the offsets, and how many
/// accepted them.
fn run<O: Op<T, Output: Item>, T: Item + Element>(
    kernel: &str,
    launch: impl Fn(&Engine, &[T], &[u32], &RunOptions) -> Result<bool, String>,
) -> (u32, u32) {
    let chunk = chunk_items::<T, O::Accumulator>() as usize;
    let (mut refused, mut accepted) = (0, 0);
    for (turn, options) in schedules(2).enumerate() {
        let generation = [SM_90, SM_70][turn % 2];
        let noise = NOISES[turn % NOISES.len()];
        let text = noise.added_to(&generation.kernel(kernel));
        let options = RunOptions {
            step_budget: STEP_BUDGET,
            checks: Checks::all(),
            ..options
        };
        for (place, lengths) in shapes_of(chunk).iter().enumerate() {
            let offsets = shapes::offsets(2, lengths);
            let item_count = offsets[offsets.len() - 1];
            let offsets: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
            let items = vec![T::zeroed(); item_count];
            let multiprocessors = [1, 7, 132][(turn + place) % 3];
            let room = item_count.max(offsets.len());
            let run = |options: &RunOptions| {
                let mut engine = Engine::new::<O, T>(generation, multiprocessors, &text, room);
                engine.set_windows_of_turn(turn + place);
                launch(&engine, &items, &offsets, options)
            };
            let ran = run(&options).or_else(|error| {
                // Two blocks may write the same result. The result then has the value of one of them, and both blocks continue.
                assert!(
                    error.starts_with(TWO_RESULTS),
                    "shape {place}, {noise:?}, {options:?}: {error}"
                );
                run(&without_races(&options))
            });
            match ran {
                Ok(true) => refused += 1,
                Ok(false) => accepted += 1,
                Err(error) => panic!("shape {place}, {noise:?}, {options:?}: {error}"),
            }
        }
    }
    (refused, accepted)
}

fn run_reduction<T: Item + Element>(kernel: &str)
where
    Sum: Op<T, Output: Item>,
{
    let (refused, accepted) = run::<Sum, T>(kernel, |engine, items, offsets, options| {
        let reduced = engine.segmented_reduce::<Sum, T>(items, offsets, options);
        let (_, is_refused, _) = reduced.map_err(|error| error.to_string())?;
        Ok(is_refused)
    });
    assert!(refused > 10 && accepted > 10, "{refused}, {accepted}");
}

fn run_scan<T: Item + Element>(kernel: &str)
where
    Sum: Op<T, Output: Item>,
{
    let (refused, accepted) = run::<Sum, T>(kernel, |engine, items, offsets, options| {
        let scanned = engine.segmented_scan::<Sum, T>(items, offsets, true, options);
        let (_, is_refused, _) = scanned.map_err(|error| error.to_string())?;
        Ok(is_refused)
    });
    assert!(refused > 10 && accepted > 10, "{refused}, {accepted}");
}

/// Each warp that has a ring reads the offsets of all the block's chunks. Since reads of the same offset differ, the warps may disagree on
/// which chunks have no items. Still, each result must be written exactly once. The launch has only one block, so two blocks cannot write
/// the same result.
#[test]
fn a_block_of_long_chunks_writes_each_result_once() {
    let lengths = [700, 1, 1, 3000, 1, 1].repeat(3);
    let offsets = shapes::offsets(2, &lengths);
    let items = vec![1.0; offsets[lengths.len()]];
    let offsets: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
    let mut accepted = 0;
    for (turn, options) in schedules(2).enumerate() {
        let generation = [SM_90, SM_70][turn % 2];
        let text = noise(2, 1).added_to(&generation.kernel("segmented_reduce_sum_f32"));
        let options = RunOptions {
            step_budget: STEP_BUDGET,
            checks: Checks::all(),
            ..options
        };
        let mut engine = Engine::new::<Sum, f32>(generation, 1, &text, items.len());
        engine.set_windows_per_block(u64::from(MOST_WINDOWS));
        let (found, is_refused, _) = engine
            .segmented_reduce::<Sum, f32>(&items, &offsets, &options)
            .unwrap_or_else(|error| panic!("{options:?}: {error}"));
        accepted += u32::from(!is_refused);
        // If a result is not written, all bits of its memory remain 0. A sum that is written has other bits: even the sum of no items is
        // -0.0.
        let is_written = |sum: &f32| sum.to_bits() != 0;
        assert!(found.iter().all(is_written), "{options:?}: {found:?}");
    }
    assert!(accepted > 0);
}

#[test]
fn a_reduction_stays_in_bounds_and_ends() {
    run_reduction::<f32>("segmented_reduce_sum_f32");
}

#[test]
fn a_reduction_of_wide_items_stays_in_bounds_and_ends() {
    run_reduction::<f64>("segmented_reduce_sum_f64");
}

#[test]
fn a_scan_stays_in_bounds_and_ends() {
    run_scan::<f32>("segmented_scan_sum_f32");
}
