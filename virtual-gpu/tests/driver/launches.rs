//! Launches with attributes, and what a programmatic launch requires of its kernel.

use crate::kernels::{DEPENDENT, PTX};
use crate::raw::*;
use crate::support::*;
use std::ptr;
use virtual_gpu::driver::{inject, last_fault, run_with};
use virtual_gpu::{Dependence, FaultKind, RunOptions};

/// `CU_LAUNCH_ATTRIBUTE_IGNORE`, with any value.
const IGNORE: (i32, i32) = (0, 77);
/// The attribute of programmatic launches. With the value 1, the launch is programmatic. With the value 0, it is not.
const PROGRAMMATIC: (i32, i32) = (6, 1);
const NOT_PROGRAMMATIC: (i32, i32) = (6, 0);

#[test]
fn launches_with_attributes_run_the_kernel() {
    let _context = Context::new();
    let module = load(DEPENDENT);
    let awaits = function(module, c"await_and_increment");
    let hurries = function(module, c"wait_for_nothing");
    let (stream, counter) = (stream(0), zeros(1));
    let launches: [(usize, &[(i32, i32)]); 6] = [
        (hurries, &[]),
        (hurries, &[IGNORE]),
        (hurries, &[NOT_PROGRAMMATIC]),
        (hurries, &[PROGRAMMATIC, NOT_PROGRAMMATIC]),
        (awaits, &[PROGRAMMATIC]),
        (awaits, &[IGNORE, PROGRAMMATIC]),
    ];
    for (function, attributes) in launches {
        let launched = launch_with(attributes, function, stream, &[counter]);
        assert_eq!(launched, 0, "{attributes:?}");
    }
    assert_eq!(cuStreamSynchronize(stream), 0);
    assert_eq!(peek(counter), 6 * 64);
}

#[test]
fn a_programmatic_launch_must_wait() {
    if virtual_only("a real device does not look") {
        return;
    }
    let _context = Context::new();
    let hurries = function(load(DEPENDENT), c"wait_for_nothing");
    let counter = zeros(1);
    assert_eq!(launch_with(&[PROGRAMMATIC], hurries, 0, &[counter]), 0);
    assert_eq!(cuCtxSynchronize(), LAUNCH_FAILED);
    let kind = last_fault().unwrap().kind;
    assert!(
        matches!(kind, FaultKind::TooEarly { address, .. } if address == counter),
        "{kind}"
    );
}

#[test]
fn launch_attributes_override_the_dependence_option() {
    if virtual_only("a real device takes no such options") {
        return;
    }
    let _context = Context::new();
    let (hurries, counter) = (function(load(DEPENDENT), c"wait_for_nothing"), zeros(1));
    let options = RunOptions {
        dependence: Dependence::Programmatic,
        ..Default::default()
    };
    run_with(options, || {
        assert_eq!(launch(hurries, 1, 32, 0, &[counter]), 0);
        assert_eq!(launch_with(&[], hurries, 0, &[counter]), 0);
    });
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(peek(counter), 32 + 64);
}

#[test]
fn invalid_launches_are_refused() {
    if virtual_only("a real driver has more attributes, and follows null pointers") {
        return;
    }
    let _context = Context::new();
    let module = load(PTX);
    let (increment, trap) = (function(module, c"increment"), function(module, c"trap"));
    let counter = zeros(1);
    let try_with = |attribute| launch_with(&[IGNORE, attribute], increment, 0, &[counter]);
    assert_eq!(try_with((6, 2)), INVALID_VALUE);
    for id in [-1, 1, 4, 7] {
        assert_eq!(try_with((id, 1)), NOT_SUPPORTED, "attribute {id}");
    }
    const COOPERATIVE: i32 = 2;
    const PRIORITY: i32 = 8;
    for id in [COOPERATIVE, PRIORITY] {
        assert_eq!(try_with((id, 1)), 0, "attribute {id}");
    }
    let mut config = LaunchConfig {
        grid: [1; 3],
        block: [1; 3],
        shared_bytes: 0,
        stream: 0,
        attributes: ptr::null(),
        attribute_count: 0,
    };
    let none = ptr::null_mut();
    let launch = |config: *const LaunchConfig| {
        // SAFETY: the kernel has no parameters, so both lists may be null. A null configuration and a null list of attributes are refused.
        unsafe { cuLaunchKernelEx(config, trap, none, none) }
    };
    assert_eq!(launch(ptr::null()), INVALID_VALUE);
    config.attribute_count = 1;
    assert_eq!(launch(&config), INVALID_VALUE, "no attributes");
    config.attribute_count = 0;
    config.block = [1, 0, 1];
    assert_eq!(launch(&config), INVALID_VALUE, "no threads");
    config.block = [1, 1, 65];
    assert_eq!(launch(&config), INVALID_VALUE, "too many threads in z");
    config.block = [1; 3];
    config.shared_bytes = 1 << 20;
    assert_eq!(launch(&config), INVALID_VALUE, "too much shared memory");
    config.shared_bytes = 0;
    config.stream = usize::MAX & !0xff;
    assert_eq!(launch(&config), INVALID_HANDLE, "no such stream");
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(peek(counter), 2 * 64);
}

/// In a graph a programmatic launch is a node, with an edge from the previous node.
#[test]
fn a_programmatic_launch_is_captured() {
    const THREAD_LOCAL: i32 = 1;
    let _context = Context::new();
    let awaits = function(load(DEPENDENT), c"await_and_increment");
    let (stream, counter) = (stream(0), zeros(1));
    assert_eq!(cuStreamBeginCapture_v2(stream, THREAD_LOCAL), 0);
    assert_eq!(launch(awaits, 1, 32, stream, &[counter]), 0);
    assert_eq!(launch_with(&[PROGRAMMATIC], awaits, stream, &[counter]), 0);
    let graph = end_with_graph(stream);
    let mut count = 0;
    assert_eq!(cuGraphGetNodes(graph, None, &mut count), 0);
    assert_eq!(count, 2);
    assert_eq!(peek(counter), 0, "nothing was launched");
    let executable = instantiate(graph);
    assert_eq!(cuGraphLaunch(executable, stream), 0);
    assert_eq!(cuStreamSynchronize(stream), 0);
    assert_eq!(peek(counter), 32 + 64);
    if virtual_only("a real driver has an edge of another kind") {
        return;
    }
    assert_eq!(cuGraphGetEdges(graph, None, None, &mut count), 0);
    assert_eq!(count, 1);
}

#[test]
fn a_programmatic_launch_must_wait_in_a_graph() {
    const RELAXED: i32 = 2;
    if virtual_only("a real device does not look") {
        return;
    }
    let _context = Context::new();
    let hurries = function(load(DEPENDENT), c"wait_for_nothing");
    let (stream, counter) = (stream(0), zeros(1));
    assert_eq!(cuStreamBeginCapture_v2(stream, RELAXED), 0);
    assert_eq!(launch_with(&[PROGRAMMATIC], hurries, stream, &[counter]), 0);
    let executable = instantiate(end_with_graph(stream));
    assert_eq!(cuGraphLaunch(executable, stream), 0);
    assert_eq!(cuStreamSynchronize(stream), LAUNCH_FAILED);
    let kind = last_fault().unwrap().kind;
    assert!(matches!(kind, FaultKind::TooEarly { .. }), "{kind}");
}

#[test]
fn cu_launch_kernel_ex_is_recorded_and_fails_by_name() {
    let _context = Context::new();
    let (increment, counter) = (function(load(PTX), c"increment"), zeros(1));
    let launch = || launch_with(&[], increment, 0, &[counter]);
    assert_eq!(inject::record(launch), (0, vec!["cuLaunchKernelEx"]));
    let failure = inject::Failure {
        calls: inject::Calls::Named("cuLaunchKernelEx"),
        nth: 1,
        code: virtual_gpu::driver::Code(NOT_PERMITTED),
        moment: inject::Moment::Before,
    };
    let _armed = inject::fail(failure);
    assert_eq!(launch(), NOT_PERMITTED);
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(peek(counter), 64, "launched once");
}
