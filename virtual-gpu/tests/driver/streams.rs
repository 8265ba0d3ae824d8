//! Streams: what they wait for, the order between them, and lazy work on the virtual device.

use crate::raw::*;
use crate::support::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, Ordering};

#[test]
fn queued_work_runs_only_when_needed() {
    if virtual_only("a real device works by itself") {
        return;
    }
    let _context = Context::new();
    let (stream, address) = (stream(1), zeros(1));
    assert_eq!(cuMemsetD32Async(address, 5, 1, stream), 0);
    assert_eq!(peek(address), 0);
    assert_eq!(cuStreamSynchronize(stream), 0);
    assert_eq!(peek(address), 5);
}

#[test]
fn repeated_queries_complete_the_work() {
    let _context = Context::new();
    let (stream, address) = (stream(1), zeros(1));
    assert_eq!(cuStreamQuery(stream), 0);
    let gate = Gate::closed(stream);
    assert_eq!(cuMemsetD32Async(address, 5, 1, stream), 0);
    assert_eq!(cuMemsetD32Async(address, 6, 1, stream), 0);
    assert_eq!(cuStreamQuery(stream), NOT_READY);
    gate.open();
    assert_eq!(ask_until_ready(|| cuStreamQuery(stream)), 0);
    assert_eq!(peek(address), 6);
}

#[test]
fn each_query_does_one_piece_of_work() {
    if virtual_only("a real device works by itself") {
        return;
    }
    let _context = Context::new();
    let (stream, address) = (stream(1), alloc(1));
    assert_eq!(cuMemsetD32Async(address, 5, 1, stream), 0);
    assert_eq!(cuMemsetD32Async(address, 6, 1, stream), 0);
    let answers = [0; 3].map(|_: i32| cuStreamQuery(stream));
    assert_eq!(answers, [NOT_READY, NOT_READY, 0]);
}

#[test]
fn the_legacy_stream_and_blocking_streams_wait_for_each_other() {
    let _context = Context::new();
    let (blocking, address) = (stream(0), zeros(2));
    let gate = Gate::closed(blocking);
    assert_eq!(cuMemsetD32Async(address, 1, 1, blocking), 0);
    // This copy comes after the fill with 1, and the fill with 2 comes after the copy.
    assert_eq!(cuMemcpyDtoDAsync_v2(address + 4, address, 4, 0), 0);
    assert_eq!(cuMemsetD32Async(address, 2, 1, blocking), 0);
    assert_eq!(cuStreamQuery(0), NOT_READY);
    gate.open();
    assert_eq!(cuStreamSynchronize(blocking), 0);
    assert_eq!((peek(address), peek(address + 4)), (2, 1));
    assert_eq!(cuMemsetD32Async(address, 3, 1, blocking), 0);
    let mut word = [0];
    assert_eq!(download(&mut word, address), 0);
    assert_eq!(word, [3]);
}

/// `cuMemsetD32_v2` queues a fill on the legacy stream, and the host does not wait for the fill.
#[test]
fn a_fill_of_the_legacy_stream_runs_only_when_needed() {
    if virtual_only("a real device works by itself") {
        return;
    }
    let _context = Context::new();
    let (blocking, address) = (stream(0), zeros(1));
    assert_eq!(cuMemsetD32_v2(address, 2, 1), 0);
    assert_eq!(peek(address), 0);
    assert_eq!(cuStreamSynchronize(blocking), 0);
    assert_eq!(peek(address), 0, "the blocking stream had nothing to do");
    assert_eq!(cuEventRecord(event(), blocking), 0);
    assert_eq!(cuStreamSynchronize(blocking), 0);
    assert_eq!(peek(address), 2);
}

#[test]
fn a_synchronous_copy_does_not_wait_for_non_blocking_streams() {
    let _context = Context::new();
    let (other, address) = (stream(1), zeros(1));
    let gate = Gate::closed(other);
    assert_eq!(cuMemsetD32Async(address, 1, 1, other), 0);
    let mut word = [7];
    assert_eq!(without_race_check(|| download(&mut word, address)), 0);
    assert_eq!(word, [0]);
    gate.open();
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(download(&mut word, address), 0);
    assert_eq!(word, [1]);
}

#[test]
fn freeing_waits_for_all_work() {
    let _context = Context::new();
    let (stream, address, kept) = (stream(1), alloc(1), alloc(1));
    assert_eq!(cuMemsetD32Async(address, 5, 1, stream), 0);
    assert_eq!(cuMemcpyDtoDAsync_v2(kept, address, 4, stream), 0);
    assert_eq!(cuMemFree_v2(address), 0);
    assert_eq!(peek(kept), 5);
}

#[test]
fn pageable_memory_is_read_at_once_and_pinned_memory_later() {
    let _context = Context::new();
    let (stream, address, pinned) = (stream(1), alloc(2), pinned(1));
    let gate = Gate::closed(stream);
    let mut pageable = 1;
    // SAFETY: each copy is of one word, and the pinned word stays until the stream is synchronised.
    unsafe {
        pinned.write(1);
        assert_eq!(cuMemcpyHtoDAsync_v2(address, &pageable, 4, stream), 0);
        assert_eq!(cuMemcpyHtoDAsync_v2(address + 4, pinned, 4, stream), 0);
        pinned.write(2);
    }
    pageable += 1;
    gate.open();
    assert_eq!(cuStreamSynchronize(stream), 0);
    assert_eq!((peek(address), peek(address + 4), pageable), (1, 2, 2));
}

#[test]
fn pageable_memory_is_written_at_once_and_pinned_memory_later() {
    let _context = Context::new();
    let (stream, address, pinned) = (stream(1), alloc(1), pinned(1));
    let gate = Gate::closed(stream);
    let mut pageable = 0;
    // SAFETY: each copy is of one word, and the pinned word stays until the context is destroyed.
    unsafe {
        pinned.write(7);
        assert_eq!(cuMemsetD32Async(address, 4, 1, stream), 0);
        assert_eq!(cuMemcpyDtoHAsync_v2(pinned, address, 4, stream), 0);
        assert_eq!(pinned.read_volatile(), 7);
        gate.open();
        assert_eq!(cuMemcpyDtoHAsync_v2(&mut pageable, address, 4, stream), 0);
        assert_eq!(
            (pinned.read_volatile(), pageable),
            (4, 4),
            "what comes before is done too"
        );
    }
}

#[test]
fn a_full_queue_runs_its_oldest_work() {
    if virtual_only("a real device works by itself") {
        return;
    }
    let _context = Context::new();
    let (stream, address) = (stream(1), alloc(1));
    for value in 1..=1030 {
        assert_eq!(cuMemsetD32Async(address, value, 1, stream), 0);
    }
    assert_eq!(peek(address), 6, "1024 are left");
}

/// A long chain of streams that wait for each other must not overflow the stack.
#[test]
fn long_chains_between_streams_run_without_stack_overflow() {
    let _context = Context::new();
    let (blocking, address) = (stream(0), alloc(1));
    for value in 0..900 {
        assert_eq!(cuMemsetD32Async(address, value, 1, blocking), 0);
        assert_eq!(cuMemsetD32_v2(address, value + 1, 1), 0);
    }
    assert_eq!(cuStreamSynchronize(0), 0);
    assert_eq!(peek(address), 900);
}

#[test]
fn a_host_function_runs_in_order_and_may_not_call_the_driver() {
    unsafe extern "C" fn callback(data: *mut c_void) {
        // SAFETY: the test passes an `AtomicI32` that outlives the stream's work.
        let seen = unsafe { &*data.cast::<AtomicI32>() };
        seen.store(cuStreamSynchronize(0), Ordering::Relaxed);
    }
    let _context = Context::new();
    let stream = stream(0);
    let seen = AtomicI32::new(-1);
    let data = (&raw const seen).cast_mut().cast();
    let gate = Gate::closed(stream);
    // SAFETY: `callback` takes `data`, the address of an `AtomicI32` that outlives the stream's work. The call without a function is
    // refused.
    unsafe {
        assert_eq!(cuLaunchHostFunc(stream, None, data), INVALID_VALUE);
        assert_eq!(cuLaunchHostFunc(stream, Some(callback), data), 0);
    }
    assert_eq!(seen.load(Ordering::Relaxed), -1);
    gate.open();
    assert_eq!(cuStreamSynchronize(stream), 0);
    assert_eq!(seen.load(Ordering::Relaxed), NOT_PERMITTED);
}

#[test]
fn streams_have_different_ids() {
    let _context = Context::new();
    let (mut first, mut second) = (0, 0);
    assert_eq!(cuStreamGetId(stream(0), &mut first), 0);
    assert_eq!(cuStreamGetId(0, &mut second), 0);
    assert_ne!(first, second);
    assert_eq!(cuStreamCreate(&mut 0, 2), INVALID_VALUE);
}

/// Threads whose streams wait for each other in one context do not deadlock.
#[test]
fn several_threads_drive_streams_that_wait_for_each_other() {
    let context = Context::new();
    let handle = context.0;
    let (first, second) = (stream(0), stream(0));
    std::thread::scope(|scope| {
        for own in [first, second, 0] {
            scope.spawn(move || {
                assert_eq!(cuCtxSetCurrent(handle), 0);
                let address = alloc(1);
                for value in 1..=200 {
                    assert_eq!(cuMemsetD32Async(address, value, 1, own), 0);
                    assert_eq!(cuMemsetD32_v2(address, value, 1), 0);
                    assert_eq!(cuStreamSynchronize(own), 0);
                }
                let mut word = [0];
                assert_eq!(download(&mut word, address), 0);
                assert_eq!(word, [200]);
            });
        }
    });
}
