//! Kernels that fail: the error stays with the context, and is told in full.

use crate::kernels::PTX;
use crate::raw::*;
use virtual_gpu::driver::{last_fault, live_of_this_thread, run_with, watch_launches};
use virtual_gpu::{FaultKind, RunOptions};

#[test]
fn a_fault_poisons_its_context_and_no_other() {
    let bystander = Context::new();
    let context = Context::new();
    let (module, stream, address) = (load(PTX), stream(0), alloc(1));
    let write = function(module, c"write");
    assert_eq!(
        launch(write, 1, 1, stream, &[address + 4, 1]),
        0,
        "nothing is wrong yet"
    );
    assert_eq!(launch(write, 1, 1, stream, &[address, 1]), 0);
    assert_eq!(cuStreamSynchronize(stream), ILLEGAL_ADDRESS);

    let mut word = [0];
    assert_eq!(download(&mut word, address), ILLEGAL_ADDRESS);
    assert_eq!(cuMemAlloc_v2(Some(&mut 0), 4), ILLEGAL_ADDRESS);
    assert_eq!(cuMemFree_v2(address), ILLEGAL_ADDRESS);
    assert_eq!(launch(write, 1, 1, stream, &[address, 1]), ILLEGAL_ADDRESS);
    assert_eq!(cuStreamQuery(stream), ILLEGAL_ADDRESS);
    assert_eq!(cuStreamDestroy_v2(stream), ILLEGAL_ADDRESS);
    assert_eq!(cuModuleUnload(module), ILLEGAL_ADDRESS);
    assert_eq!(cuEventCreate(&mut 0, 0), ILLEGAL_ADDRESS);

    let fault = last_fault().unwrap();
    assert!(
        matches!(fault.kind, FaultKind::OutOfBounds { .. }),
        "{fault}"
    );
    assert_eq!(fault.kernel, "write");
    assert!(fault.instruction.contains("st.global"), "{fault}");

    drop(context);
    assert_eq!(cuCtxSetCurrent(bystander.0), 0);
    assert_eq!(peek(alloc(1)), 0, "all is well in another context");
}

#[test]
fn a_reset_primary_context_is_well_again() {
    // On a machine of its own, since `cust`'s tests are in the primary context of this one.
    if std::env::var_os("FAULTS_CHILD").is_none() {
        let program = std::env::current_exe().unwrap();
        let mut child = std::process::Command::new(program);
        child.args(["--exact", "faults::a_reset_primary_context_is_well_again"]);
        let output = child.env("FAULTS_CHILD", "1").output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{text}"
        );
        return;
    }
    start();
    let mut context = 0;
    assert_eq!(cuDevicePrimaryCtxRetain(&mut context, 0), 0);
    assert_eq!(cuCtxSetCurrent(context), 0);
    assert_eq!(launch(function(load(PTX), c"trap"), 1, 1, 0, &[]), 0);
    assert_eq!(cuCtxSynchronize(), ILLEGAL_INSTRUCTION);
    assert_eq!(cuCtxSynchronize(), ILLEGAL_INSTRUCTION);
    assert_eq!(cuDevicePrimaryCtxReset_v2(0), 0);
    assert_eq!(cuCtxSynchronize(), CONTEXT_IS_DESTROYED);
    let live = live_of_this_thread().unwrap();
    assert_eq!(
        (live.contexts, live.modules, live.primary_retains),
        (0, 0, 1)
    );
    let mut again = 0;
    assert_eq!(cuDevicePrimaryCtxRetain(&mut again, 0), 0);
    assert_eq!(again, context);
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), 0);
    assert_eq!(cuDevicePrimaryCtxRelease_v2(0), INVALID_CONTEXT);
}

#[test]
fn launches_are_counted_for_the_thread_that_enqueued_them() {
    let _context = Context::new();
    let increment = function(load(PTX), c"increment");
    let (stream, counter) = (stream(0), alloc(1));
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
    let _context = Context::new();
    let increment = function(load(PTX), c"increment");
    let counter = alloc(1);
    let options = RunOptions {
        step_budget: 2,
        ..Default::default()
    };
    run_with(options, || {
        assert_eq!(launch(increment, 1, 32, 0, &[counter]), 0)
    });
    assert_eq!(cuCtxSynchronize(), LAUNCH_TIMEOUT);
}
