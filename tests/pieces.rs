//! Tests of the kernels' bookkeeping: calls that are cut into several launches, called pieces here; calls with the last tag and with the
//! first tag after it; scans whose blocks have room for 1, 2 or 4 tiles; and tiles of short and of long scans.

#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "common/engine.rs"]
mod engine;

use data::{Sample, assert_same_bits, ordinary};
use engine::{Engine, GENERATIONS, Generation, SM_90};
use virtual_gpu::{Checks, Policy, RunOptions};
use warpfold::{Cpu, Op, Sum, reduce, scan};
use warpfold_kernels::contract::{
    SCAN_GROUP_TILES, SCAN_LONG, SCAN_SHORT_BYTES, reduce_chunk_count, reduce_tile_items,
    scan_tiles,
};

const REDUCTION: &str = "reduce_sum_f32";
const SCAN: &str = "inclusive_scan_sum_f32";

/// Items of five chunks. The last chunk is partial.
fn reduced() -> Vec<f32> {
    ordinary::<Sum, f32>(5 * reduce_tile_items::<f32>() as usize - 1001)
}

/// Items of three tile groups. The last group is partial.
fn scanned() -> Vec<f32> {
    let tiles = 2 * SCAN_GROUP_TILES + 7;
    ordinary::<Sum, f32>((tiles * scan_tiles::<f32>().items(0)) as usize - 1001)
}

fn engine(generation: Generation, symbol: &str, items: &[f32]) -> Engine {
    Engine::new::<Sum, f32>(generation, 1, &generation.kernel(symbol), items.len())
}

#[test]
fn a_reduction_in_pieces_has_the_bits_of_one_launch() {
    let items = reduced();
    let expected = reduce::<Sum, _>(&items).wait(Cpu).unwrap();
    let count = reduce_chunk_count::<f32>(items.len() as u64);
    assert_eq!(count, 5);
    for generation in GENERATIONS {
        let engine = engine(generation, REDUCTION, &items);
        let cuts: [&[u64]; 4] = [&[5], &[1, 5], &[4, 5], &[1, 2, 3, 4, 5]];
        for (calls, ends) in (1..).zip(cuts) {
            let options = RunOptions::default();
            let (sum, _) = engine
                .reduce_in_pieces::<Sum, f32>(&items, ends, &options)
                .unwrap();
            assert_same_bits(&[sum], &[expected], &format!("{ends:?}"));
            assert_eq!(engine.epoch(), calls);
        }
    }
}

#[test]
fn a_scan_in_pieces_has_the_bits_of_one_launch() {
    let items = scanned();
    let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
    let count = scan_tiles::<f32>().count(items.len() as u64);
    assert_eq!(count, 71);
    for generation in GENERATIONS {
        let engine = engine(generation, SCAN, &items);
        // Some pieces have fewer tiles than the number of blocks that the device holds at a time. Pieces end within a tile group, or at the
        // end of one.
        let cuts: [&[u64]; 4] = [&[71], &[1, 71], &[32, 64, 71], &[2, 31, 33, 70, 71]];
        for (calls, ends) in (1..).zip(cuts) {
            let options = RunOptions::default();
            let (found, _) = engine
                .scan_in_pieces::<Sum, f32>(&items, ends, &options)
                .unwrap();
            assert_same_bits(&found, &expected, &format!("{ends:?}"));
            assert_eq!(engine.epoch(), calls);
        }
    }
}

/// Calls `work` three times: with the last tag but one, with the last tag, and with the first tag.
fn over_the_last_tag(engine: &Engine, work: impl Fn()) {
    engine.set_epoch(u32::MAX - 2);
    work();
    assert_eq!((engine.epoch(), engine.is_clear()), (u32::MAX - 1, false));
    work();
    assert_eq!((engine.epoch(), engine.is_clear()), (0, true));
    work();
    assert_eq!((engine.epoch(), engine.is_clear()), (1, false));
}

#[test]
fn reductions_go_on_when_the_tags_are_used_up() {
    let items = reduced();
    let expected = reduce::<Sum, _>(&items).wait(Cpu).unwrap();
    for generation in GENERATIONS {
        let engine = engine(generation, REDUCTION, &items);
        for ends in [&[5][..], &[2, 5]] {
            over_the_last_tag(&engine, || {
                let options = RunOptions::default();
                let reduced = engine.reduce_in_pieces::<Sum, f32>(&items, ends, &options);
                assert_same_bits(&[reduced.unwrap().0], &[expected], &format!("{ends:?}"));
            });
        }
    }
}

#[test]
fn scans_go_on_when_the_tags_are_used_up() {
    let items = scanned();
    let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
    for generation in GENERATIONS {
        let engine = engine(generation, SCAN, &items);
        for ends in [&[71][..], &[1, 40, 71]] {
            over_the_last_tag(&engine, || {
                let options = RunOptions::default();
                let scanned = engine.scan_in_pieces::<Sum, f32>(&items, ends, &options);
                assert_same_bits(&scanned.unwrap().0, &expected, &format!("{ends:?}"));
            });
        }
    }
}

/// For how many tiles a block of a scan has room in shared memory.
const ROOMS: [u32; 3] = [1, 2, 4];

#[test]
fn a_scan_has_the_same_bits_for_any_number_of_buffers() {
    let items = ordinary::<Sum, f32>(9 * scan_tiles::<f32>().items(0) as usize - 1001);
    let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
    for buffers in ROOMS {
        let mut engine = engine(SM_90, SCAN, &items);
        engine.set_scan_buffers(buffers);
        for policy in Policy::ALL {
            let options = RunOptions {
                policy,
                ..RunOptions::default()
            };
            let (found, _) = engine.scan::<Sum, f32>(&items, &options).unwrap();
            assert_same_bits(&found, &expected, &format!("{buffers} tiles, {policy:?}"));
        }
    }
}

/// Checks a scan of slightly more items than a short scan can have. Of the virtual GPU's checks, only those of memory accesses are on.
fn assert_long_scan<T: Sample>(symbol: &str, buffers: u32)
where
    Sum: Op<T, Output = T>,
{
    let item_count = SCAN_SHORT_BYTES as usize / size_of::<T>() + 77;
    assert_eq!(scan_tiles::<T>().shape(item_count as u64), SCAN_LONG);
    let items = ordinary::<Sum, T>(item_count);
    let mut engine = Engine::new::<Sum, T>(SM_90, 1, &SM_90.kernel(symbol), item_count);
    engine.set_scan_buffers(buffers);
    let options = RunOptions {
        checks: Checks::none(),
        ..RunOptions::default()
    };
    let (found, _) = engine.scan::<Sum, T>(&items, &options).unwrap();
    let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
    assert_same_bits(&found, &expected, &format!("{symbol}, {buffers} tiles"));
}

#[test]
fn a_long_scan_has_the_same_bits_for_any_number_of_buffers() {
    for buffers in ROOMS {
        assert_long_scan::<f32>(SCAN, buffers);
    }
}

#[test]
fn a_long_scan_of_bytes() {
    assert_long_scan::<u8>("inclusive_scan_sum_u8", 4);
}
