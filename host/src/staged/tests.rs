//! Slices on their way: every byte arrives, by however many lanes, and no failure leaves anything behind.

use virtual_gpu::driver::{Code, live_of_this_thread};
use virtual_gpu::inject::{Calls, Failure, Moment, fail, record};

use super::*;
use crate::driver;
use crate::error::Error;
use crate::gpu::Gpu;

fn some_bytes(count: usize) -> Vec<u8> {
    (0..count)
        .map(|index| ((index * index) >> 7) as u8)
        .collect()
}

/// There and back again, with so many lanes.
fn round_trip(entered: Entered<'_>, lane_count: usize, bytes: &[u8]) -> Result<Vec<u8>> {
    let memory = DeviceMemory::allocate(bytes.len() as u64)?;
    let lanes = transfer::to_device(entered.lanes(lane_count)?, bytes, memory.address())?;
    assert_eq!(lanes.len(), lane_count);
    let mut back = vec![0; bytes.len()];
    transfer::to_host(lanes, memory.address(), &mut back)?;
    Ok(back)
}

#[test]
fn every_byte_arrives_by_however_many_lanes() {
    let gpu = Gpu::new().unwrap();
    let bytes = some_bytes(5 * PIECE_BYTES + 1);
    for lane_count in [1, 2, 3, 8] {
        for byte_count in [1, PIECE_BYTES, PIECE_BYTES + 1, bytes.len()] {
            let bytes = &bytes[..byte_count];
            let back = gpu.enter(|entered| round_trip(entered, lane_count, bytes));
            assert!(
                back.unwrap() == bytes,
                "{lane_count} lanes, {byte_count} bytes"
            );
        }
    }
}

#[test]
fn a_failure_on_the_way_is_told_and_leaves_nothing_behind() {
    let before = live_of_this_thread();
    let bytes = some_bytes(2 * PIECE_BYTES + 1);
    let work = || {
        let gpu = Gpu::new()?;
        gpu.enter(|entered| round_trip(entered, 2, &bytes))
    };
    let (back, calls) = record(work);
    assert!(back.unwrap() == bytes);
    let made = ["cuStreamCreate", "cuMemAlloc_v2", "cuMemHostAlloc"];
    let moved = [
        "cuMemcpyHtoDAsync_v2",
        "cuMemcpyDtoHAsync_v2",
        "cuStreamSynchronize",
    ];
    for name in made.into_iter().chain(moved) {
        // The streams that go are waited for too; what comes of that is nobody's error.
        let told = calls.iter().filter(|&&call| call == name).count()
            - if name == "cuStreamSynchronize" { 2 } else { 0 };
        assert!(told > 0, "{name}");
        for nth in 1..=told as u64 {
            let armed = fail(Failure {
                calls: Calls::Named(name),
                nth,
                code: Code(999),
                moment: Moment::Before,
            });
            match work().unwrap_err() {
                Error::Driver { call, code } => assert_eq!((call, code.0), (name, 999)),
                other => panic!("{other:?}"),
            }
            drop(armed);
            assert_eq!(live_of_this_thread(), before, "{name} {nth}");
        }
    }
}

#[test]
fn lanes_are_kept() {
    let gpu = Gpu::new().unwrap();
    let made = |calls: &[&str]| calls.contains(&"cuMemHostAlloc");
    let bytes = some_bytes(PIECE_BYTES + 1);
    let work = || gpu.enter(|entered| round_trip(entered, 2, &bytes)).unwrap();
    assert!(made(&record(work).1));
    assert!(!made(&record(work).1));
    gpu.enter(|_| Ok(driver::synchronize_context()?)).unwrap();
}
