//! Current contexts, destroyed contexts, the primary context, and invalid handles and device numbers.

use crate::kernels::PTX;
use crate::raw::*;
use crate::support::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use virtual_gpu::driver::live_of_this_thread;

#[test]
fn calls_without_a_current_context_are_refused() {
    start();
    let mut context = 7;
    assert_eq!(cuCtxGetCurrent(&mut context), 0);
    assert_eq!(context, 0);
    assert_eq!(cuMemAlloc_v2(Some(&mut 0), 4), INVALID_CONTEXT);
    assert_eq!(cuStreamSynchronize(0), INVALID_CONTEXT);
    assert_eq!(cuCtxPopCurrent_v2(&mut context), INVALID_CONTEXT);
}

#[test]
fn a_destroyed_context_has_a_different_error_than_none() {
    let context = Context::new();
    let handle = context.0;
    let elsewhere = std::thread::spawn(move || {
        assert_eq!(cuCtxSetCurrent(handle), 0);
        assert_eq!(cuCtxDestroy_v2(handle), 0);
    });
    elsewhere.join().unwrap();
    assert_eq!(cuMemAlloc_v2(Some(&mut 0), 4), CONTEXT_IS_DESTROYED);
    assert_eq!(cuCtxSetCurrent(handle), 0, "it is current already");
    assert_eq!(cuMemAlloc_v2(Some(&mut 0), 4), CONTEXT_IS_DESTROYED);
    assert_eq!(cuCtxSetCurrent(0), 0);
    assert_eq!(cuMemAlloc_v2(Some(&mut 0), 4), INVALID_CONTEXT);
    std::mem::forget(context);
    if virtual_only("what a destroyed context's handle does afterwards") {
        return;
    }
    assert_eq!(cuCtxSetCurrent(handle), INVALID_CONTEXT);
    assert_eq!(cuCtxDestroy_v2(handle), INVALID_CONTEXT);
}

#[test]
fn an_event_in_place_of_a_stream_is_refused() {
    let _context = Context::new();
    assert_eq!(cuStreamSynchronize(event()), CONTEXT_IS_DESTROYED);
}

#[test]
fn the_default_stream_cannot_be_destroyed() {
    let _context = Context::new();
    assert_eq!(cuStreamDestroy_v2(0), INVALID_HANDLE);
}

#[test]
fn handles_of_other_kinds_and_invalid_handles_are_refused() {
    if virtual_only("a real driver follows any handle, wherever it leads") {
        return;
    }
    let context = Context::new();
    let stream = stream(0);
    assert_eq!(cuEventSynchronize(stream), INVALID_HANDLE);
    assert_eq!(cuStreamSynchronize(0xdead_beef), INVALID_HANDLE);
    assert_eq!(cuModuleUnload(context.0), INVALID_HANDLE);
    assert_eq!(launch(0x77, 1, 1, 0, &[]), INVALID_HANDLE);
    assert_eq!(cuStreamGetId(0x77, &mut 0), INVALID_HANDLE);
    assert_eq!(cuCtxSetCurrent(stream), INVALID_CONTEXT);
    assert_eq!(cuGraphLaunch(stream, stream), INVALID_VALUE);
}

/// The stream and the function must belong to one context, which need not be current.
#[test]
fn work_belongs_to_the_context_of_its_stream() {
    let first = Context::new();
    let (theirs, their_event, address) = (stream(0), event(), zeros(1));
    let function = function(load(PTX), c"write");
    let _second = Context::new();
    let mut compare = Comparison::default();
    let refused = launch(function, 1, 1, 0, &[address, 1]);
    compare.expect("the current context's stream", refused, INVALID_HANDLE);
    let own = launch(function, 1, 1, stream(0), &[address, 2]);
    compare.expect("a stream of the current context", own, INVALID_HANDLE);
    let accepted = launch(function, 1, 1, theirs, &[address, 3]);
    compare.expect("a stream of its own context", accepted, 0);
    let recorded = cuEventRecord(event(), theirs);
    compare.expect("an event of the current context", recorded, INVALID_HANDLE);
    let recorded = cuEventRecord(their_event, theirs);
    compare.expect("an event of the stream's context", recorded, 0);
    let waited = cuStreamWaitEvent(stream(0), their_event, 0);
    compare.expect("waiting for another context's event", waited, 0);
    compare.expect("synchronising it", cuStreamSynchronize(theirs), 0);
    for _ in 0..2 {
        assert_eq!(cuCtxPopCurrent_v2(&mut 0), 0);
    }
    let contextless = launch(function, 1, 1, theirs, &[address, 4]);
    compare.expect("no context current", contextless, 0);
    let unnamed = launch(function, 1, 1, 0, &[address, 5]);
    compare.expect("its default stream", unnamed, INVALID_CONTEXT);
    assert_eq!(cuCtxSetCurrent(first.0), 0);
    compare.expect("synchronising again", cuStreamSynchronize(theirs), 0);
    compare.expect("what was written", peek(address), 4);
}

#[test]
fn device_numbers_beyond_the_count_are_refused() {
    start();
    let mut count = 0;
    assert_eq!(cuDeviceGetCount(&mut count), 0);
    assert_eq!(cuDeviceGet(&mut 0, count), INVALID_DEVICE);
    assert_eq!(cuDeviceGet(&mut 0, -1), INVALID_DEVICE);
    assert_eq!(cuDevicePrimaryCtxRetain(&mut 0, count), INVALID_DEVICE);
}

/// Tests that use `cust` may retain the primary context at the same time. This test passes whether or not they do.
#[test]
fn the_primary_context_is_counted() {
    start();
    let (mut first, mut second) = (0, 0);
    assert_eq!(cuDevicePrimaryCtxRetain(&mut first, 0), 0);
    assert_eq!(cuDevicePrimaryCtxRetain(&mut second, 0), 0);
    assert_eq!(first, second);
    let (mut flags, mut active) = (9, 9);
    assert_eq!(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active), 0);
    assert_eq!((flags, active), (0, 1));
    assert_eq!(cuCtxDestroy_v2(first), INVALID_CONTEXT, "only released");
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    assert_eq!(cuCtxSetCurrent(first), 0, "one retain is left");
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
}

/// Flags through which a host function and another thread wait for each other.
#[derive(Default)]
struct Meeting {
    begun: AtomicBool,
    answered: AtomicBool,
    met: AtomicBool,
}

fn wait_for(flag: &AtomicBool) -> bool {
    let begun = Instant::now();
    while !flag.load(Ordering::Acquire) && begun.elapsed() < LONGEST_WAIT {
        thread::sleep(Duration::from_millis(1));
    }
    flag.load(Ordering::Acquire)
}

/// While the driver destroys the primary context, a host function waits for a thread that calls the driver.
#[test]
fn the_end_of_the_primary_context_does_not_block_other_threads() {
    unsafe extern "C" fn meet(data: *mut c_void) {
        // SAFETY: the test passes a `Meeting` that outlives the stream's work.
        let meeting = unsafe { &*data.cast::<Meeting>() };
        meeting.begun.store(true, Ordering::Release);
        let met = wait_for(&meeting.answered);
        meeting.met.store(met, Ordering::Release);
    }
    if virtual_only("a real driver's locks are not known")
        || !in_a_process_of_its_own(
            "contexts::the_end_of_the_primary_context_does_not_block_other_threads",
        )
    {
        return;
    }
    let ends: [fn(i32) -> i32; 2] = [
        |device| cuDevicePrimaryCtxRelease_v2(device),
        |device| cuDevicePrimaryCtxReset_v2(device),
    ];
    for end in ends {
        let mut context = 0;
        assert_eq!(cuDevicePrimaryCtxRetain(&mut context, 0), 0);
        assert_eq!(cuCtxSetCurrent(context), 0);
        let meeting = Meeting::default();
        let data = (&raw const meeting).cast_mut().cast();
        // SAFETY: `meet` takes `data`, the address of a `Meeting` that outlives the stream's work: `end` finishes the work.
        assert_eq!(unsafe { cuLaunchHostFunc(0, Some(meet), data) }, 0);
        thread::scope(|scope| {
            scope.spawn(|| {
                assert!(wait_for(&meeting.begun));
                let (mut flags, mut active) = (9, 9);
                assert_eq!(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active), 0);
                meeting.answered.store(true, Ordering::Release);
            });
            assert_eq!(end(0), 0);
        });
        assert!(meeting.met.load(Ordering::Acquire));
        assert_eq!(cuMemAlloc_v2(Some(&mut 0), 4), CONTEXT_IS_DESTROYED);
    }
}

#[test]
fn a_threads_live_counts_include_its_primary_retains() {
    if virtual_only("nothing is known of what lives on a real device") {
        return;
    }
    let retains = || live_of_this_thread().unwrap().primary_retains;
    assert_eq!(cuDevicePrimaryCtxRetain(&mut 0, 0), 0);
    assert_eq!(cuDevicePrimaryCtxRetain(&mut 0, 0), 0);
    assert_eq!(retains(), 2);
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    assert_eq!(retains(), 0);
}

#[test]
fn the_last_detach_destroys_the_context() {
    let context = Context::new();
    let mut attached = 0;
    assert_eq!(cuCtxAttach(&mut attached, 1), INVALID_VALUE, "no flags");
    assert_eq!(cuCtxAttach(&mut attached, 0), 0);
    assert_eq!(attached, context.0);
    assert_eq!(cuCtxDetach(context.0), 0);
    assert_eq!(cuCtxSynchronize(), 0, "one use is left");
    assert_eq!(cuCtxDetach(context.0), 0);
    assert_eq!(cuCtxSynchronize(), INVALID_CONTEXT);
    std::mem::forget(context);
}
