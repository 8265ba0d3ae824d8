//! Likely mistakes after which every call still succeeds: leaks, and copies of unwritten bytes.

use crate::kernels::PTX;
use crate::raw::*;
use crate::support::*;
use virtual_gpu::driver::{Finding, Left, run_with, take_findings};
use virtual_gpu::{Checks, RunOptions};

fn reported_by_virtual_devices_only() -> bool {
    virtual_only("what is left alive, and copies of what nothing wrote")
}

#[test]
fn leaked_objects_of_a_context_are_reported() {
    let context = Context::new();
    if reported_by_virtual_devices_only() {
        return;
    }
    let (first, _second) = (alloc(25), alloc(1));
    assert_eq!(cuMemFree_v2(first), 0);
    let (module, _event) = (load(PTX), event());
    let (gone, _stream) = (stream(0), stream(0));
    assert_eq!(cuStreamDestroy_v2(gone), 0);
    function(module, c"write");
    drop(context);
    let left = Left {
        allocations: 1,
        allocated_bytes: 4,
        modules: 1,
        streams: 1,
        events: 1,
        ..Left::default()
    };
    let leak = Finding::Leak { device: 0, left };
    assert_eq!(
        leak.to_string(),
        "leak: a context of device 0 went with 1 allocation (4 bytes), 1 module, 1 stream, 1 event"
    );
    assert_eq!(take_findings(), [leak]);
    assert_eq!(take_findings(), []);
}

#[test]
fn tidy_and_poisoned_contexts_report_no_leak() {
    let context = Context::new();
    if reported_by_virtual_devices_only() {
        return;
    }
    let (module, address) = (load(PTX), alloc(1));
    assert_eq!(cuMemFree_v2(address), 0);
    assert_eq!(cuModuleUnload(module), 0);
    drop(context);
    assert_eq!(take_findings(), []);

    let context = Context::new();
    let trap = function(load(PTX), c"trap");
    assert_eq!(launch(trap, 1, 1, 0, &[]), 0);
    assert_ne!(cuCtxSynchronize(), 0);
    drop(context);
    assert_eq!(take_findings(), []);
}

#[test]
fn copies_of_unwritten_memory_are_reported_on_request() {
    let _context = Context::new();
    if reported_by_virtual_devices_only() {
        return;
    }
    let address = alloc(4);
    assert_eq!(upload(address, &[1, 2]), 0);
    let mut words = [0; 4];
    assert_eq!(download(&mut words, address), 0);
    assert_eq!(take_findings(), []);
    let asked_for = RunOptions {
        checks: Checks::all(),
        ..RunOptions::default()
    };
    run_with(asked_for, || {
        assert_eq!(download(&mut words[..2], address), 0);
        assert_eq!(download(&mut words, address), 0);
        assert_eq!(words, [1, 2, 0, 0], "the copy is done all the same");
        let write = function(load(PTX), c"write");
        for word in [2, 3] {
            assert_eq!(launch(write, 1, 1, 0, &[address + 4 * word, 5]), 0);
        }
        assert_eq!(download(&mut words, address), 0);
    });
    let copy = Finding::UninitialisedCopy {
        address,
        bytes: 16,
        first: 8,
    };
    assert_eq!(
        copy.to_string(),
        format!(
            "uninitialised: 16 bytes were copied to the host from {address:#x}, of which byte 8 is \
             the first that nothing wrote"
        )
    );
    assert_eq!(take_findings(), [copy]);
}
