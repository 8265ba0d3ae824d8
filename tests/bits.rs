//! The bit contract: every reduction of one whole array, and every scan of a whole array, agrees with the CPU, bit for bit.
//!
//! Each kernel row has a test. Its arrays have sizes around the boundaries of warps, blocks and tiles, contain edge values of the types, or
//! begin at misaligned addresses. Scans whose results have the type of their items are also tested in place. A guard is around each input,
//! and around each output of a scan. (See [`Care`] for the cases left out on the virtual GPU.) With most operators, a kernel that reads an
//! input's guard gets a wrong result. No kernel may change an output's guard.

#[path = "bits/accuracy.rs"]
mod accuracy;
#[path = "common/data.rs"]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "bits/edges.rs"]
mod edges;
#[path = "common/gpus.rs"]
mod gpus;
#[path = "bits/guarded.rs"]
mod guarded;
#[path = "bits/narrow.rs"]
mod narrow;
#[path = "common/texts.rs"]
mod texts;

use crate::device::Kernel;
use cust::memory::DeviceSlice;
use data::{assert_same_bits, ordinary};
use edges::{Edges, with_edges, with_nan};
use gpus::{gpu, mode};
use guarded::{Guarded, download};
use texts::{for_each_one_pass_text, for_each_text};
use virtual_gpu::driver::run_with;
use virtual_gpu::{Mode, RunOptions};
use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, Gpu, Result, cust, kind};
use warpfold_kernels::contract::{
    SCAN_GROUP_TILES, SCAN_SHORT_BYTES, reduce_tile_items, vector_items,
};
use warpfold_kernels::for_each_kernel;
use warpfold_kernels::op::*;
use warpfold_kernels::scan::tuning;

/// How much of a row is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// Only the operator's body: some sizes, and the edge values of the types.
    Body,
    /// Also the skeleton, which moves and combines items: all sizes and alignments.
    Text,
}

impl Care {
    /// How much of a row to check. On a real device, every row gets all sizes. On the virtual GPU, to save time, only the rows in [`TEXTS`]
    /// and [`WIDENING`] get all sizes. The other rows get the cases that depend on the operator's body.
    fn of(symbol: &str) -> Self {
        match mode() {
            Mode::Virtual if !stands_for_its_text(symbol) && !WIDENING.contains(&symbol) => {
                Self::Body
            }
            _ => Self::Text,
        }
    }
}

macro_rules! symbols {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { &[$(stringify!($symbol)),*] };
}

/// Rows that stand for all rows with the same text.
const TEXTS: [&[&str]; 2] = [for_each_text!(symbols), for_each_one_pass_text!(symbols)];

/// Whether a row stands for all rows with its text.
fn stands_for_its_text(symbol: &str) -> bool {
    TEXTS.iter().any(|rows| rows.contains(&symbol))
}

/// Scans by [`WideSum`] whose results are wider than their items: one scan for each pair of an item's width and a result's width.
const WIDENING: [&str; 4] = [
    "inclusive_scan_wide_sum_u8",
    "exclusive_scan_wide_sum_i16",
    "inclusive_scan_wide_sum_bf16",
    "exclusive_scan_wide_sum_f32",
];

/// Sizes around the boundaries of a warp, a block and a tile, and sizes of several tiles.
fn sizes<T>(care: Care, tile: usize, several_tiles: usize) -> Vec<usize> {
    if care == Care::Body {
        return vec![0, 1, 257, tile + 5];
    }
    let block = 256 * vector_items::<T>();
    let mut sizes = vec![0, 1, 2, 3, 31, 32, 33, 255, 256, 257];
    sizes.extend([block - 1, block + 1, tile - 1, tile, tile + 1]);
    sizes.extend([3 * tile - 5, several_tiles]);
    sizes
}

/// Whether a test can afford many tiles. A tile of narrow items has too many items for that.
fn is_wide<T>() -> bool {
    size_of::<T>() >= 4
}

/// Offsets in a vector, except 0, at which an array may begin. For narrow items, these are only some of the possible offsets.
fn offsets<T>() -> Vec<usize> {
    let vector = vector_items::<T>();
    let mut offsets = vec![1, 2, 3, vector / 2 + 1, vector - 1];
    offsets.retain(|&offset| offset < vector);
    offsets.sort_unstable();
    offsets.dedup();
    offsets
}

/// Short lists with edge values or NaNs.
fn special_lists<O: Op<T>, T: Edges>(tile: usize) -> Vec<Vec<T>> {
    let edges = [33, tile + 1].map(with_edges::<O, T>);
    let nans = T::NANS.iter().map(|&nan| with_nan::<O, T>(1000, nan));
    edges
        .into_iter()
        .chain(nans)
        .chain(T::EDGES.iter().map(|&edge| vec![edge; 300]))
        .collect()
}

/// The number of items of a tile in a short scan.
fn small_tile<O: Op<T>, T: Edges>() -> usize {
    tuning::tiles::<O, T>().items(0) as usize
}

fn reduce<O: Kernel<kind::reduce, T>, T: Edges>(care: Care) {
    let tile = reduce_tile_items::<T>() as usize;
    let several_tiles = if is_wide::<T>() { 33 } else { 5 } * tile + 1;
    let ordinary_lists = sizes::<T>(care, tile, several_tiles)
        .into_iter()
        .map(ordinary::<O, T>);
    for items in ordinary_lists.chain(special_lists::<O, T>(tile)) {
        check_reduce::<O, T>(&items, 0);
    }
    if care == Care::Body {
        return;
    }
    let across_tiles = ordinary::<O, T>(tile + 77);
    for offset in offsets::<T>() {
        check_reduce::<O, T>(&across_tiles, offset);
        check_reduce::<O, T>(&across_tiles[..offset], offset);
    }
}

fn check_reduce<O: Kernel<kind::reduce, T>, T: Edges>(items: &[T], offset: usize) {
    let input = Guarded::input::<O>(items, offset);
    let result = warpfold::reduce::<O, _>(&input.slice())
        .wait(gpu())
        .unwrap();
    let what = format!("{} items at {offset}", items.len());
    assert_same_bits(
        &[result],
        &[warpfold::reduce::<O, _>(items).wait(Cpu).unwrap()],
        &what,
    );
}

/// One kind of scan in three forms: to an output, in place, and on the CPU as the reference.
struct Scan<T: Edges, R: Edges> {
    to_output: fn(&Gpu, &DeviceSlice<T>, &mut DeviceSlice<R>) -> Result<()>,
    /// `None` if the results have another type than the items.
    in_place: Option<InPlace<T>>,
    reference: fn(&[T]) -> Vec<R>,
}

/// A scan that writes its results over its input.
struct InPlace<T: Edges> {
    scan: fn(&Gpu, &mut DeviceSlice<T>) -> Result<()>,
    reference: fn(&[T]) -> Vec<T>,
}

fn inclusive_scan<O: Kernel<kind::inclusive_scan, T, Output = T>, T: Edges>(care: Care) {
    check_scans::<O, T, T>(
        care,
        Scan {
            to_output: |gpu, input, output| warpfold::scan::<O, _>(input).to(output).wait(gpu),
            in_place: Some(InPlace {
                scan: |gpu, items| warpfold::scan::<O, _>(items).in_place().wait(gpu),
                reference: |items| warpfold::scan::<O, _>(items).wait(Cpu).unwrap(),
            }),
            reference: |items| warpfold::scan::<O, _>(items).wait(Cpu).unwrap(),
        },
    );
}

fn exclusive_scan<O: Kernel<kind::exclusive_scan, T, Output = T>, T: Edges>(care: Care) {
    check_scans::<O, T, T>(
        care,
        Scan {
            to_output: |gpu, input, output| {
                warpfold::scan::<O, _>(input)
                    .exclusive()
                    .to(output)
                    .wait(gpu)
            },
            in_place: Some(InPlace {
                scan: |gpu, items| {
                    warpfold::scan::<O, _>(items)
                        .exclusive()
                        .in_place()
                        .wait(gpu)
                },
                reference: |items| warpfold::scan::<O, _>(items).exclusive().wait(Cpu).unwrap(),
            }),
            reference: |items| warpfold::scan::<O, _>(items).exclusive().wait(Cpu).unwrap(),
        },
    );
}

fn widening_inclusive_scan<O: Kernel<kind::inclusive_scan, T>, T: Edges>(care: Care)
where
    O::Output: Edges,
{
    check_scans::<O, T, O::Output>(
        care,
        Scan {
            to_output: |gpu, input, output| warpfold::scan::<O, _>(input).to(output).wait(gpu),
            in_place: None,
            reference: |items| warpfold::scan::<O, _>(items).wait(Cpu).unwrap(),
        },
    );
}

fn widening_exclusive_scan<O: Kernel<kind::exclusive_scan, T>, T: Edges>(care: Care)
where
    O::Output: Edges,
{
    check_scans::<O, T, O::Output>(
        care,
        Scan {
            to_output: |gpu, input, output| {
                warpfold::scan::<O, _>(input)
                    .exclusive()
                    .to(output)
                    .wait(gpu)
            },
            in_place: None,
            reference: |items| warpfold::scan::<O, _>(items).exclusive().wait(Cpu).unwrap(),
        },
    );
}

fn check_scans<O: Op<T>, T: Edges, R: Edges>(care: Care, scan: Scan<T, R>) {
    let tile = small_tile::<O, T>();
    let two_groups = SCAN_GROUP_TILES as usize + 1;
    let several_tiles = if is_wide::<T>() { two_groups } else { 5 } * tile + 1;
    let ordinary_lists = sizes::<T>(care, tile, several_tiles)
        .into_iter()
        .map(ordinary::<O, T>);
    for items in ordinary_lists.chain(special_lists::<O, T>(tile)) {
        let expected = (scan.reference)(&items);
        check_scan::<O, T, R>(&scan, (&items, &expected), 0, 0);
    }
    if care == Care::Body {
        return;
    }
    let vector = vector_items::<T>();
    let across_tiles = ordinary::<O, T>(tile + 77);
    let [all, few] = [&across_tiles[..], &across_tiles[..vector]];
    let [all_scanned, few_scanned] = [all, few].map(scan.reference);
    let (all, few) = ((all, &all_scanned[..]), (few, &few_scanned[..]));
    for offset in offsets::<T>() {
        check_scan::<O, T, R>(&scan, all, offset, offset);
        check_scan::<O, T, R>(&scan, all, offset, 0);
        check_scan::<O, T, R>(&scan, all, 0, offset);
        check_scan::<O, T, R>(&scan, few, offset, vector - offset);
    }
    if let Some(in_place) = scan.in_place {
        let expected = (in_place.reference)(&across_tiles);
        for offset in offsets::<T>() {
            check_scan_in_place::<O, T>(&in_place, (&across_tiles, &expected), offset);
        }
        for count in [0, 1, 33, 3 * tile + 1] {
            let items = ordinary::<O, T>(count);
            let expected = (in_place.reference)(&items);
            check_scan_in_place::<O, T>(&in_place, (&items, &expected), 0);
        }
    }
}

/// Checks a scan of items, whose results are expected.
fn check_scan<O: Op<T>, T: Edges, R: Edges>(
    scan: &Scan<T, R>,
    (items, expected): (&[T], &[R]),
    input_offset: usize,
    output_offset: usize,
) {
    let what = format!(
        "{} items from {input_offset} to {output_offset}",
        items.len()
    );
    let input = Guarded::input::<O>(items, input_offset);
    let output = Guarded::output(items.len(), output_offset);
    (scan.to_output)(gpu(), &input.slice(), &mut output.slice()).unwrap();
    assert_same_bits(&output.checked(), expected, &what);
    assert_same_bits(&input.checked(), items, "the input");
}

fn check_scan_in_place<O: Op<T>, T: Edges>(
    in_place: &InPlace<T>,
    (items, expected): (&[T], &[T]),
    offset: usize,
) {
    let what = format!("{} items at {offset}, in place", items.len());
    let data = Guarded::input::<O>(items, offset);
    (in_place.scan)(gpu(), &mut data.slice()).unwrap();
    assert_same_bits(&data.checked(), expected, &what);
}

/// Makes a test for each row. The scans of some operators have results of another type than their items.
macro_rules! all_rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { $(all_rows!(@ $kind $op $t $symbol);)* };
    (@ inclusive_scan WideSum $($row:ident)*) => { all_rows!(# widening_inclusive_scan WideSum $($row)*); };
    (@ exclusive_scan WideSum $($row:ident)*) => { all_rows!(# widening_exclusive_scan WideSum $($row)*); };
    (@ inclusive_scan ArgMin $($row:ident)*) => { all_rows!(# widening_inclusive_scan ArgMin $($row)*); };
    (@ exclusive_scan ArgMin $($row:ident)*) => { all_rows!(# widening_exclusive_scan ArgMin $($row)*); };
    (@ inclusive_scan ArgMax $($row:ident)*) => { all_rows!(# widening_inclusive_scan ArgMax $($row)*); };
    (@ exclusive_scan ArgMax $($row:ident)*) => { all_rows!(# widening_exclusive_scan ArgMax $($row)*); };
    (@ inclusive_scan Recurrence $($row:ident)*) => { all_rows!(# widening_inclusive_scan Recurrence $($row)*); };
    (@ exclusive_scan Recurrence $($row:ident)*) => { all_rows!(# widening_exclusive_scan Recurrence $($row)*); };
    (@ $($row:ident)*) => { all_rows!(# $($row)*); };
    (# $check:ident $op:ident $t:ident $symbol:ident) => {
        #[test]
        fn $symbol() {
            $check::<$op, $t>(Care::of(stringify!($symbol)));
        }
    };
}

for_each_kernel!(all_rows);

#[test]
fn prefixes_pass_through_several_groups() {
    let count = 3 * SCAN_GROUP_TILES as usize * small_tile::<Sum, f32>() + 9;
    check_scanned::<Sum, f32>(count, "four groups");
}

#[test]
#[ignore = "half a minute on a virtual device: `.ci/run sweeps`"]
fn long_scans_have_larger_tiles() {
    check_scanned::<Sum, f32>(SCAN_SHORT_BYTES as usize / 4 + 1, "a long scan");
}

#[test]
#[ignore = "half a minute on a virtual device: `.ci/run sweeps`"]
fn long_scans_of_wide_integers_are_blocked() {
    check_scanned::<Sum, u64>(SCAN_SHORT_BYTES as usize / 8 + 1, "a long scan");
}

fn check_scanned<O, T: Edges>(count: usize, what: &str)
where
    O: Kernel<kind::inclusive_scan, T, Output = T>,
{
    let items = ordinary::<O, T>(count);
    let input = Guarded::input::<O>(&items, 1);
    let output = Guarded::output(items.len(), 0);
    warpfold::scan::<O, _>(&input.slice())
        .to(&mut output.slice())
        .wait(gpu())
        .unwrap();
    let expected = warpfold::scan::<O, _>(&items).wait(Cpu).unwrap();
    assert_same_bits(&output.checked(), &expected, what);
}

#[test]
fn a_longer_output_keeps_its_end() {
    let items = ordinary::<Sum, u32>(1000);
    let input = Guarded::input::<Sum>(&items, 0);
    let output = Guarded::output(5000, 0);
    warpfold::scan::<Sum, _>(&input.slice())
        .exclusive()
        .to(&mut output.slice())
        .wait(gpu())
        .unwrap();
    let written = download(&output.slice());
    assert_same_bits(
        &written[..1000],
        &warpfold::scan::<Sum, _>(&items)
            .exclusive()
            .wait(Cpu)
            .unwrap(),
        "start",
    );
    assert_same_bits(&written[1000..], &[u32::SENTINEL; 4000], "end");
}

#[test]
fn repeated_runs_have_equal_bits_under_any_schedule() {
    let items = ordinary::<Sum, f32>(35 * small_tile::<Sum, f32>() - 3);
    let input = Guarded::input::<Sum>(&items, 3);
    let scan = warpfold::scan::<Sum, _>(&items).wait(Cpu).unwrap();
    let sum = warpfold::reduce::<Sum, _>(&items).wait(Cpu).unwrap();
    for seed in 0..6 {
        let options = RunOptions {
            seed,
            ..Default::default()
        };
        run_with(options, || {
            let output = Guarded::output(items.len(), 0);
            warpfold::scan::<Sum, _>(&input.slice())
                .to(&mut output.slice())
                .wait(gpu())
                .unwrap();
            assert_same_bits(&output.checked(), &scan, "scan");
            let again = warpfold::reduce::<Sum, _>(&input.slice())
                .wait(gpu())
                .unwrap();
            assert_same_bits(&[again], &[sum], "sum");
        });
    }
}
