//! Events.

use crate::raw::*;

#[test]
fn an_event_is_ready_when_its_work_is_done() {
    let _context = Context::new();
    let (stream, start, end) = (stream(0), event(), event());
    assert_eq!(cuEventQuery(start), 0, "never recorded");
    assert_eq!(cuEventSynchronize(start), 0);
    let mut time = 0.0;
    assert_eq!(cuEventElapsedTime(&mut time, start, end), INVALID_HANDLE);
    let address = alloc(1);
    assert_eq!(cuEventRecord(start, stream), 0);
    assert_eq!(cuMemsetD32Async(address, 5, 1, stream), 0);
    assert_eq!(cuEventRecord(end, stream), 0);
    assert_eq!(cuEventElapsedTime(&mut time, start, end), NOT_READY);
    let asked = (0..10)
        .take_while(|_| cuEventQuery(end) == NOT_READY)
        .count();
    assert_eq!(
        asked, 3,
        "each question does one of the three pieces of work"
    );
    assert_eq!(peek(address), 5);
    assert_eq!(cuEventElapsedTime(&mut time, start, end), 0);
    assert!(time >= 0.0);
    assert_eq!(cuEventElapsedTime(&mut time, end, start), 0);
    assert!(time <= 0.0);
}

#[test]
fn an_event_without_timing_has_no_time() {
    let _context = Context::new();
    let mut quiet = 0;
    assert_eq!(cuEventCreate(&mut quiet, 2), 0);
    assert_eq!(cuEventRecord(quiet, 0), 0);
    assert_eq!(cuEventSynchronize(quiet), 0);
    assert_eq!(cuEventElapsedTime(&mut 0.0, quiet, quiet), INVALID_HANDLE);
    assert_eq!(cuEventCreate(&mut quiet, 64), INVALID_VALUE);
}

#[test]
fn a_stream_waits_for_an_event_as_it_was_recorded() {
    let _context = Context::new();
    let (first, second, event, address) = (stream(1), stream(1), event(), alloc(2));
    assert_eq!(cuMemsetD32Async(address, 1, 1, first), 0);
    assert_eq!(cuEventRecord(event, first), 0);
    assert_eq!(cuStreamWaitEvent(second, event, 0), 0);
    assert_eq!(cuMemsetD32Async(address, 3, 1, first), 0);
    // Recorded anew: who waits already is not concerned.
    assert_eq!(cuEventRecord(event, first), 0);
    assert_eq!(cuMemcpyDtoDAsync_v2(address + 4, address, 4, second), 0);
    assert_eq!(cuStreamSynchronize(second), 0);
    assert_eq!((peek(address), peek(address + 4)), (1, 1));
    assert_eq!(cuEventSynchronize(event), 0);
    assert_eq!(peek(address), 3);
}
