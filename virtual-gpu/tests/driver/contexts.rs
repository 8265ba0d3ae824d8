//! Contexts: current ones, destroyed ones, and the primary one.

use crate::raw::*;
use virtual_gpu::driver::live_of_this_thread;

#[test]
fn without_a_current_context_nothing_can_be_done() {
    start();
    let mut context = 7;
    assert_eq!(cuCtxGetCurrent(&mut context), 0);
    assert_eq!(context, 0);
    assert_eq!(cuMemAlloc_v2(Some(&mut 0), 4), INVALID_CONTEXT);
    assert_eq!(cuStreamSynchronize(0), INVALID_CONTEXT);
    assert_eq!(cuCtxPopCurrent_v2(&mut context), INVALID_CONTEXT);
}

#[test]
fn a_destroyed_context_is_told_from_none() {
    let context = Context::new();
    let handle = context.0;
    let elsewhere = std::thread::spawn(move || {
        assert_eq!(cuCtxSetCurrent(handle), 0);
        assert_eq!(cuCtxDestroy_v2(handle), 0);
    });
    elsewhere.join().unwrap();
    assert_eq!(cuMemAlloc_v2(Some(&mut 0), 4), CONTEXT_IS_DESTROYED);
    assert_eq!(cuCtxSetCurrent(handle), INVALID_CONTEXT);
    assert_eq!(cuCtxDestroy_v2(handle), INVALID_CONTEXT);
    assert_eq!(cuCtxSetCurrent(0), 0);
}

#[test]
fn handles_of_other_kinds_and_of_nothing_are_refused() {
    let context = Context::new();
    let (stream, event) = (stream(0), event());
    assert_eq!(cuStreamSynchronize(event), INVALID_HANDLE);
    assert_eq!(cuEventSynchronize(stream), INVALID_HANDLE);
    assert_eq!(cuStreamSynchronize(0xdead_beef), INVALID_HANDLE);
    assert_eq!(cuStreamDestroy_v2(0), INVALID_HANDLE, "the default stream");
    assert_eq!(cuModuleUnload(context.0), INVALID_HANDLE);
    assert_eq!(cuCtxSetCurrent(stream), INVALID_CONTEXT);
    assert_eq!(cuGraphLaunch(stream, stream), INVALID_VALUE);
    assert_eq!(cuStreamDestroy_v2(stream), 0);
    assert_eq!(cuStreamDestroy_v2(stream), INVALID_HANDLE);
    assert_eq!(cuEventDestroy_v2(event), 0);
    assert_eq!(cuEventRecord(event, 0), INVALID_HANDLE);
}

#[test]
fn what_belongs_to_another_context_is_refused() {
    let _first = Context::new();
    let (theirs, function) = (stream(0), function(load(crate::kernels::PTX), c"trap"));
    let _second = Context::new();
    assert_eq!(launch(function, 1, 1, 0, &[]), INVALID_HANDLE);
    assert_eq!(launch(function, 1, 1, theirs, &[]), INVALID_HANDLE);
    assert_eq!(cuEventRecord(event(), theirs), INVALID_HANDLE);
}

#[test]
fn there_is_no_second_device() {
    start();
    assert_eq!(cuDeviceGet(&mut 0, 1), INVALID_DEVICE);
    assert_eq!(cuDeviceGet(&mut 0, -1), INVALID_DEVICE);
    assert_eq!(cuDevicePrimaryCtxRetain(&mut 0, 1), INVALID_DEVICE);
}

/// Other tests use no primary context but through `cust`, and hold it meanwhile, so this one keeps
/// to what holds whether or not somebody else has retained it.
#[test]
fn the_primary_context_is_counted() {
    start();
    let retains = || live_of_this_thread().unwrap().primary_retains;
    let (mut first, mut second) = (0, 0);
    assert_eq!(cuDevicePrimaryCtxRetain(&mut first, 0), 0);
    assert_eq!(cuDevicePrimaryCtxRetain(&mut second, 0), 0);
    assert_eq!((first, retains()), (second, 2));
    let (mut flags, mut active) = (9, 9);
    assert_eq!(cuDevicePrimaryCtxGetState(0, &mut flags, &mut active), 0);
    assert_eq!((flags, active), (0, 1));
    assert_eq!(cuCtxDestroy_v2(first), INVALID_CONTEXT, "only released");
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    assert_eq!(cuCtxSetCurrent(first), 0, "one retain is left");
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    assert_eq!(retains(), 0);
}
