//! Kernels that fail: the error stays with the context, and the fault is reported in full. Also the counters and the options of launches.

use crate::kernels::PTX;
use crate::raw::*;
use crate::support::*;
use virtual_gpu::driver::{last_fault, live_of_this_thread, run_with, watch_launches};
use virtual_gpu::{FaultKind, RunOptions};

/// An address at which no device has memory.
const NOWHERE: u64 = 8;

#[test]
fn a_fault_poisons_only_its_context() {
    let bystander = Context::new();
    let context = Context::new();
    let (module, stream, address, old_event) = (load(PTX), stream(0), alloc(1), event());
    let write = function(module, c"write");
    let gate = Gate::closed(stream);
    assert_eq!(launch(write, 1, 1, stream, &[NOWHERE, 1]), 0);
    assert_eq!(
        launch(write, 1, 1, stream, &[address, 1]),
        0,
        "no fault yet"
    );
    gate.open();
    assert_eq!(cuStreamSynchronize(stream), ILLEGAL_ADDRESS);

    let mut compare = Comparison::default();
    let mut poisoned = |what: &str, code| compare.expect(what, code, ILLEGAL_ADDRESS);
    poisoned("copying", download(&mut [0], address));
    poisoned("allocating", cuMemAlloc_v2(Some(&mut 0), 4));
    poisoned("freeing", cuMemFree_v2(address));
    poisoned("launching", launch(write, 1, 1, stream, &[address, 1]));
    poisoned("recording", cuEventRecord(old_event, stream));
    poisoned("asking about an event", cuEventQuery(old_event));
    poisoned("asking about the stream", cuStreamQuery(stream));
    poisoned("synchronising", cuCtxSynchronize());
    poisoned("making a stream", cuStreamCreate(&mut 0, 0));
    poisoned("making an event", cuEventCreate(&mut 0, 0));
    poisoned("destroying an event", cuEventDestroy_v2(old_event));
    poisoned("destroying the stream", cuStreamDestroy_v2(stream));
    poisoned("unloading", cuModuleUnload(module));
    poisoned("asking for the memory", cuMemGetInfo_v2(&mut 0, &mut 0));
    compare.expect("setting it current", cuCtxSetCurrent(context.0), 0);
    let destroyed = cuCtxDestroy_v2(context.0);
    std::mem::forget(context);
    compare.expect("destroying the context", destroyed, 0);
    if virtual_only("a fault on a real device ends all contexts of the process") {
        std::mem::forget(bystander);
        return;
    }
    assert_eq!(cuCtxSetCurrent(bystander.0), 0);
    assert_eq!(peek(zeros(1)), 0, "all is well in another context");
}

#[test]
fn a_fault_has_its_kind_kernel_and_instruction() {
    if virtual_only("a real device has no checks") {
        return;
    }
    let _context = Context::new();
    let (write, address) = (function(load(PTX), c"write"), alloc(1));
    assert_eq!(launch(write, 1, 1, 0, &[address + 4, 1]), 0);
    assert_eq!(cuCtxSynchronize(), ILLEGAL_ADDRESS, "one word too far");
    let fault = last_fault().unwrap();
    assert!(
        matches!(fault.kind, FaultKind::OutOfBounds { .. }),
        "{fault}"
    );
    assert_eq!(fault.kernel, "write");
    assert!(fault.instruction.contains("st.global"), "{fault}");
}

#[test]
fn a_misaligned_access_has_its_own_code() {
    const MISALIGNED_ADDRESS: i32 = 716;
    let _context = Context::new();
    let (write, address) = (function(load(PTX), c"write"), alloc(2));
    assert_eq!(launch(write, 1, 1, 0, &[address + 1, 1]), 0);
    assert_eq!(cuCtxSynchronize(), MISALIGNED_ADDRESS);
}

#[test]
fn a_primary_context_can_be_reset() {
    // The tests that use `cust` need the primary context of this process. So this test starts a new process, and resets the primary context
    // there.
    if in_a_process_of_its_own("faults::a_primary_context_can_be_reset") {
        reset_primary(retain_primary());
    }
}

#[test]
fn a_reset_primary_context_works_again() {
    if virtual_only("a fault on a real device is there to stay")
        || !in_a_process_of_its_own("faults::a_reset_primary_context_works_again")
    {
        return;
    }
    let context = retain_primary();
    assert_eq!(launch(function(load(PTX), c"trap"), 1, 1, 0, &[]), 0);
    assert_eq!(cuCtxSynchronize(), LAUNCH_FAILED);
    assert_eq!(cuCtxSynchronize(), LAUNCH_FAILED);
    reset_primary(context);
}

fn retain_primary() -> usize {
    start();
    let mut context = 0;
    assert_eq!(cuDevicePrimaryCtxRetain(&mut context, 0), 0);
    assert_eq!(cuCtxSetCurrent(context), 0);
    context
}

/// Resets the current primary context, and checks its state.
fn reset_primary(context: usize) {
    let mut compare = Comparison::default();
    compare.expect("resetting", cuDevicePrimaryCtxReset_v2(0), 0);
    let gone = cuCtxSynchronize();
    compare.expect("after the reset", gone, CONTEXT_IS_DESTROYED);
    compare.expect("letting go of it", cuCtxSetCurrent(0), 0);
    let pushed = cuCtxPushCurrent_v2(context);
    compare.expect("pushing it, as its handle stays good", pushed, 0);
    let allocated = cuMemAlloc_v2(Some(&mut 0), 4);
    compare.expect("working in it", allocated, CONTEXT_IS_DESTROYED);
    if let Some(live) = live_of_this_thread() {
        let left = (live.contexts, live.modules, live.primary_retains);
        compare.expect("what is left", left, (0, 0, 1));
    }
    let mut again = 0;
    let retained = cuDevicePrimaryCtxRetain(&mut again, 0);
    compare.expect("retaining anew", retained, 0);
    compare.expect("is it the same handle", again == context, true);
    compare.expect("setting it current", cuCtxSetCurrent(again), 0);
    compare.expect("all is well", cuCtxSynchronize(), 0);
    let releases = [0; 3].map(|_: i32| cuDevicePrimaryCtxRelease_v2(0));
    compare.expect("releasing", releases, [0, 0, INVALID_CONTEXT]);
}

#[test]
fn launches_are_counted_for_the_thread_that_enqueued_them() {
    if virtual_only("nothing is counted on a real device") {
        return;
    }
    let _context = Context::new();
    let increment = function(load(PTX), c"increment");
    let (stream, counter) = (stream(0), zeros(1));
    let watch = watch_launches();
    assert_eq!(launch(increment, 3, 32, stream, &[counter]), 0);
    assert_eq!(watch.take().len(), 0, "not done yet");
    std::thread::spawn(move || assert_eq!(cuStreamSynchronize(stream), 0))
        .join()
        .unwrap();
    let launches = watch.take();
    let [launch] = &launches[..] else {
        panic!("one launch, not {}", launches.len())
    };
    assert_eq!(
        (launch.kernel.as_str(), launch.shape.grid),
        ("increment", [3, 1, 1])
    );
    let counters = launch.outcome.as_ref().unwrap();
    assert_eq!((counters.blocks, counters.atomics), (3, 96));
    assert_eq!(peek(counter), 96);
}

#[test]
fn a_launch_takes_the_options_of_the_thread_that_enqueued_it() {
    const LAUNCH_TIMEOUT: i32 = 702;
    if virtual_only("a real device takes no such options") {
        return;
    }
    let _context = Context::new();
    let increment = function(load(PTX), c"increment");
    let counter = zeros(1);
    let options = RunOptions {
        step_budget: 2,
        ..Default::default()
    };
    run_with(options, || {
        assert_eq!(launch(increment, 1, 32, 0, &[counter]), 0)
    });
    assert_eq!(cuCtxSynchronize(), LAUNCH_TIMEOUT);
}
