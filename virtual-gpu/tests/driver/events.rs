//! Events.

use crate::raw::*;
use crate::support::*;

#[test]
fn an_event_is_ready_when_its_work_is_done() {
    let _context = Context::new();
    let (stream, start, end, address) = (stream(1), event(), event(), zeros(1));
    assert_eq!(cuEventQuery(start), 0, "never recorded");
    assert_eq!(cuEventSynchronize(start), 0);
    let mut time = 0.0;
    assert_eq!(cuEventElapsedTime(&mut time, start, end), INVALID_HANDLE);
    let gate = Gate::closed(stream);
    assert_eq!(cuEventRecord(start, stream), 0);
    assert_eq!(cuMemsetD32Async(address, 5, 1, stream), 0);
    assert_eq!(cuEventRecord(end, stream), 0);
    assert_eq!(cuEventElapsedTime(&mut time, start, end), NOT_READY);
    assert_eq!(cuEventQuery(end), NOT_READY);
    gate.open();
    assert_eq!(ask_until_ready(|| cuEventQuery(end)), 0);
    assert_eq!(peek(address), 5);
    assert_eq!(cuEventElapsedTime(&mut time, start, end), 0);
    assert!(time >= 0.0);
    assert_eq!(cuEventElapsedTime(&mut time, end, start), 0);
    assert!(time <= 0.0);
}

#[test]
fn each_query_does_one_piece_of_work() {
    if virtual_only("a real device works by itself") {
        return;
    }
    let _context = Context::new();
    let (stream, start, end, address) = (stream(0), event(), event(), alloc(1));
    assert_eq!(cuEventRecord(start, stream), 0);
    assert_eq!(cuMemsetD32Async(address, 5, 1, stream), 0);
    assert_eq!(cuEventRecord(end, stream), 0);
    let answers = [0; 4].map(|_: i32| cuEventQuery(end));
    assert_eq!(answers, [NOT_READY, NOT_READY, NOT_READY, 0]);
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
fn a_later_recording_does_not_affect_earlier_waits() {
    let _context = Context::new();
    let (first, second, event, address) = (stream(1), stream(1), event(), zeros(2));
    assert_eq!(cuMemsetD32Async(address, 1, 1, first), 0);
    assert_eq!(cuEventRecord(event, first), 0);
    assert_eq!(cuStreamWaitEvent(second, event, 0), 0);
    let gate = Gate::closed(first);
    assert_eq!(cuMemsetD32Async(address, 3, 1, first), 0);
    // Recording the event again does not affect earlier waits.
    assert_eq!(cuEventRecord(event, first), 0);
    let copied = without_race_check(|| cuMemcpyDtoDAsync_v2(address + 4, address, 4, second));
    assert_eq!(copied, 0);
    assert_eq!(cuStreamSynchronize(second), 0);
    assert_eq!((peek(address), peek(address + 4)), (1, 1));
    gate.open();
    assert_eq!(cuEventSynchronize(event), 0);
    assert_eq!(peek(address), 3);
}
