//! Slices in pieces. Every byte arrives, with any number of lanes. However the slice is cut, the results have the same bits as without a
//! cut. A failure leaks nothing.

use bytemuck::Zeroable;
use virtual_gpu::driver::{Code, live_of_this_thread};
use virtual_gpu::inject::{Calls, Failure, Moment, fail, record};
use warpfold_kernels::contract::{reduce_tile_items, scan_tiles};

use super::*;
use crate::Cpu;
use crate::error::Error;
use crate::gpu::Gpu;
use crate::kernel::kind::Kind;
use crate::kernel::{Kernel, kind};
use warpfold_kernels::op::{Max, Sum, WideSum};

fn some_bytes(count: usize) -> Vec<u8> {
    (0..count)
        .map(|index| ((index * index) >> 7) as u8)
        .collect()
}

/// Items whose sum shows the order in which they were added.
fn some_floats(count: usize) -> Vec<f32> {
    let bytes = some_bytes(count);
    (0..)
        .zip(bytes)
        .map(|(index, byte)| f32::from(byte) / (1 + index % 99) as f32 - 1.0)
        .collect()
}

/// Copies bytes to the device and back, with `lane_count` lanes.
fn round_trip(lane_count: usize, piece_bytes: usize, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut back = Results::<u8>::new(bytes.len())?;
    Gpu::new()?.enter(|entered| {
        let lanes = entered.lanes(lane_count, piece_bytes)?;
        assert_eq!(lanes.len(), lane_count);
        let pieces = iter::zip(
            bytes.chunks(piece_bytes),
            back.bytes().chunks_mut(piece_bytes),
        );
        let pieces = pieces.map(|(from, to)| Piece { from, to });
        carry(
            lanes,
            Ways::ThereAndBack { results_at: 0 },
            pieces,
            |lane, _| Ok(lane),
        )
    })?;
    // SAFETY: without an error, every piece has been copied back, and any byte is a `u8`.
    Ok(unsafe { back.written() })
}

#[test]
fn copies_are_exact_with_any_number_of_lanes() {
    let bytes = some_bytes(9 * PIECE_BYTES + 1);
    for lane_count in [1, 2, 3, 8] {
        for byte_count in [1, PIECE_BYTES, PIECE_BYTES + 1, bytes.len()] {
            let bytes = &bytes[..byte_count];
            let back = round_trip(lane_count, PIECE_BYTES, bytes).unwrap();
            assert!(back == bytes, "{lane_count} lanes, {byte_count} bytes");
        }
    }
    let back = round_trip(2, 2 * PIECE_BYTES, &bytes).unwrap();
    assert!(back == bytes, "longer pieces");
}

/// Reduces in pieces of `piece_tiles` tiles. Each tile is a chunk.
fn reduced<O: Kernel<kind::reduce, T>, T: Item>(
    gpu: &Gpu,
    piece_tiles: u64,
    items: &[T],
) -> Result<O::Output> {
    let mut result = O::Output::zeroed();
    gpu.enter(|entered| {
        let cut = Cut::of_reduction(O::row(), items.len()).in_pieces_of(piece_tiles);
        let bytes = bytemuck::bytes_of_mut(&mut result);
        reduce_pieces(entered, O::row(), cut, items.into(), bytes)
    })?;
    Ok(result)
}

/// Scans in pieces of `piece_tiles` tiles.
fn scanned<K: Kind, O: Kernel<K, T, Output = T>, T: Item>(
    gpu: &Gpu,
    piece_tiles: u64,
    items: &[T],
) -> Result<Vec<T>> {
    let mut results = Results::new(items.len())?;
    gpu.enter(|entered| {
        let cut = Cut::of_scan(O::row(), items.len()).in_pieces_of(piece_tiles);
        scan_pieces(entered, O::row(), cut, items.into(), results.bytes())
    })?;
    // SAFETY: without an error, every piece has been copied back, with the scan's results.
    Ok(unsafe { results.written() })
}

#[test]
fn reductions_have_equal_bits_in_pieces_of_any_size() {
    let gpu = Gpu::new().unwrap();
    let tile = reduce_tile_items::<f32>() as usize;
    for count in [1, tile, tile + 1, 6 * tile - 1, 6 * tile, 13 * tile + 5] {
        let items = some_floats(count);
        let sum = crate::reduce::<Sum, _>(&items).wait(Cpu).unwrap().to_bits();
        let wide_sum = crate::reduce::<WideSum, _>(&items)
            .wait(Cpu)
            .unwrap()
            .to_bits();
        for piece_tiles in [1, 2, 3, 20] {
            let found = reduced::<Sum, _>(&gpu, piece_tiles, &items).unwrap();
            assert_eq!(found.to_bits(), sum, "{count} in pieces of {piece_tiles}");
            let found = reduced::<WideSum, _>(&gpu, piece_tiles, &items).unwrap();
            assert_eq!(
                found.to_bits(),
                wide_sum,
                "wide, {count} in pieces of {piece_tiles}"
            );
        }
    }
    let bytes = some_bytes(5 * reduce_tile_items::<u8>() as usize + 3);
    let found = reduced::<Max, _>(&gpu, 2, &bytes);
    assert_eq!(
        found,
        Ok(crate::reduce::<Max, _>(&bytes).wait(Cpu).unwrap())
    );
}

#[test]
fn scans_have_equal_bits_in_pieces_of_any_size() {
    let gpu = Gpu::new().unwrap();
    let tile = scan_tiles::<f32>().items(1) as usize;
    for count in [1, tile, tile + 1, 6 * tile - 1, 6 * tile, 35 * tile + 5] {
        let items = some_floats(count);
        let inclusive = crate::scan::<Sum, _>(&items).wait(Cpu).unwrap();
        let exclusive = crate::scan::<Sum, _>(&items).exclusive().wait(Cpu).unwrap();
        for piece_tiles in [1, 2, 3, 40] {
            let what = format!("{count} in pieces of {piece_tiles}");
            let found = scanned::<kind::inclusive_scan, Sum, _>(&gpu, piece_tiles, &items);
            assert!(found.unwrap() == inclusive, "{what}");
            let found = scanned::<kind::exclusive_scan, Sum, _>(&gpu, piece_tiles, &items);
            assert!(found.unwrap() == exclusive, "exclusive, {what}");
        }
    }
    let bytes = some_bytes(5 * scan_tiles::<u8>().items(1) as usize + 3);
    let found = scanned::<kind::inclusive_scan, Max, _>(&gpu, 2, &bytes);
    assert_eq!(found, Ok(crate::scan::<Max, _>(&bytes).wait(Cpu).unwrap()));
}

/// A reduction and a scan in three pieces each, on more than one lane.
fn both(gpu: &Gpu) -> Result<()> {
    let items = some_floats(2 * reduce_tile_items::<f32>() as usize + 1);
    let sum = reduced::<Sum, _>(gpu, 1, &items)?;
    assert_eq!(
        sum.to_bits(),
        crate::reduce::<Sum, _>(&items).wait(Cpu).unwrap().to_bits()
    );
    let items = some_floats(2 * scan_tiles::<f32>().items(1) as usize + 1);
    let found = scanned::<kind::inclusive_scan, Sum, _>(gpu, 1, &items)?;
    assert!(found == crate::scan::<Sum, _>(&items).wait(Cpu).unwrap());
    Ok(())
}

/// Lists the driver calls that [`both`] makes on a new `Gpu`. For each of these calls, runs `both` on another new `Gpu`, and lets only this
/// call fail with `code`. If there are `names`, only calls with these names fail. Passes the outcome of each run to `check`. Then checks
/// that the `Gpu` still works, and that nothing has leaked.
fn fail_each_call(
    names: &[&str],
    code: i32,
    moment: Moment,
    mut check: impl FnMut(&'static str, Result<()>),
) {
    // Keeps the primary context current on this thread, so that the runs under test need no driver call to make it current. Other tests
    // share this context. The first use of `keeper` also makes the look-ups that a process makes only once.
    let keeper = Gpu::new().unwrap();
    keeper.make_current().unwrap();
    both(&keeper).unwrap();
    let gpu = Gpu::new().unwrap();
    let (result, calls) = record(|| both(&gpu));
    assert_eq!(result, Ok(()));
    drop(gpu);
    let before = live_of_this_thread();
    let wanted = |call: &str| names.is_empty() || names.contains(&call);
    for (nth, call) in (1..).zip(calls).filter(|(_, call)| wanted(call)) {
        let gpu = Gpu::new().unwrap();
        let armed = fail(Failure {
            calls: Calls::Any,
            nth,
            code: Code(code),
            moment,
        });
        let result = both(&gpu);
        assert!(armed.has_fired(), "call {nth} ({call})");
        drop(armed);
        check(call, result);
        assert_eq!(both(&gpu), Ok(()), "after call {nth} ({call})");
        drop(gpu);
        assert_eq!(live_of_this_thread(), before, "call {nth} ({call})");
    }
}

#[test]
fn a_failure_between_pieces_is_reported_and_leaks_nothing() {
    fail_each_call(&[], 999, Moment::Before, |call, result| match result {
        Err(Error::Driver { call: named, code }) => assert_eq!((named, code.0), (call, 999)),
        other => panic!("{call}: {other:?}"),
    });
}

#[test]
fn a_failure_of_queued_work_is_reported_at_synchronisation() {
    let launches = [
        "cuLaunchKernelEx",
        "cuMemcpyHtoDAsync_v2",
        "cuMemcpyDtoHAsync_v2",
    ];
    fail_each_call(
        &launches,
        999,
        Moment::Deferred,
        |call, result| match result {
            Err(Error::Driver { call: named, code }) => {
                assert_eq!((named, code.0), ("cuStreamSynchronize", 999));
            }
            other => panic!("{call}: {other:?}"),
        },
    );
}

#[test]
fn a_call_succeeds_with_fewer_lanes_when_memory_is_short() {
    let mut done_without = 0;
    let allocations = ["cuMemAlloc_v2", "cuMemHostAlloc"];
    fail_each_call(
        &allocations,
        2,
        Moment::Before,
        |call, result| match result {
            Ok(()) => done_without += 1,
            Err(Error::OutOfMemory { .. }) => assert_eq!(call, "cuMemAlloc_v2"),
            Err(Error::OutOfHostMemory { .. }) => assert_eq!(call, "cuMemHostAlloc"),
            Err(other) => panic!("{call}: {other:?}"),
        },
    );
    assert!(done_without >= 2, "{done_without}");
}

#[test]
fn a_second_call_reuses_the_lanes() {
    let gpu = Gpu::new().unwrap();
    let made = |calls: &[&str]| {
        let makers = [
            "cuMemAlloc_v2",
            "cuMemHostAlloc",
            "cuStreamCreate",
            "cuEventCreate",
        ];
        calls.iter().any(|call| makers.contains(call))
    };
    assert!(made(&record(|| both(&gpu)).1));
    assert!(!made(&record(|| both(&gpu)).1));
}
