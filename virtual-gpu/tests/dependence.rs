//! Programmatic launches: the accesses that are not allowed before a thread has waited for the preceding launches, and the threads that
//! count as having waited.

mod support;

use support::{Arg, Device, kernel};
use virtual_gpu::{AccessKind, Checks, Class, Dependence, FaultKind, LaunchError, Policy};

const WAIT: &str = "griddepcontrol.wait;";
const SEEDS: std::ops::Range<u64> = 0..4;

fn programmatic() -> Device {
    let mut device = Device::new();
    device.options.dependence = Dependence::Programmatic;
    device
}

/// A kernel with the address of its buffer in `%d1`, the thread's number in `%r1`, and a table of constants.
fn text(body: &str) -> String {
    let body = format!("ld.param.u64 %d1, [p0]; mov.u32 %r1, %tid.x; {body} ret;");
    kernel(1, &body) + " .const .align 4 .u32 table[2] = {7, 8};"
}

/// The fault of a kernel, and the address of its buffer of 1024 zero bytes.
fn stopped(device: &Device, body: &str, threads: u32) -> (Option<FaultKind>, u64) {
    let (module, buffer) = (device.load(&text(body)), device.zeros(1024));
    match device.launch(&module, "k", 1, threads, &[Arg::U64(buffer)]) {
        Ok(_) => (None, buffer),
        Err(LaunchError::Fault(fault)) => (Some(fault.kind), buffer),
        Err(error) => panic!("{body}: {error}"),
    }
}

/// Whether 64 threads read the buffer too early if they execute `before` first. The answer must be the same under every schedule.
fn is_early(before: &str) -> bool {
    let body = format!("{before} ld.global.u32 %r2, [%d1];");
    let mut seen = Vec::new();
    for policy in Policy::ALL {
        for seed in SEEDS {
            let mut device = programmatic();
            (device.options.policy, device.options.seed) = (policy, seed);
            let (kind, _) = stopped(&device, &body, 64);
            assert!(
                matches!(kind, None | Some(FaultKind::TooEarly { .. })),
                "{before}: {kind:?}"
            );
            seen.push(kind.is_some());
        }
    }
    assert!(seen.iter().all(|early| *early == seen[0]), "{before}");
    seen[0]
}

#[test]
fn every_access_to_global_memory_must_wait() {
    use AccessKind::{Atomic, Read, Write};
    let accesses = [
        ("ld.global.u32 %r5, [%d1+16];", Read, 4),
        ("ld.u32 %r5, [%d1+16];", Read, 4),
        (
            "ld.global.nc.v4.u32 {%r5, %r6, %r7, %r8}, [%d1+16];",
            Read,
            16,
        ),
        ("ld.acquire.gpu.global.u64 %d5, [%d1+16];", Read, 8),
        ("st.global.u8 [%d1+16], 1;", Write, 1),
        ("st.v2.u32 [%d1+16], {%r1, %r1};", Write, 8),
        ("atom.global.add.u32 %r5, [%d1+16], 1;", Atomic, 4),
        ("red.relaxed.gpu.global.add.u64 [%d1+16], 1;", Atomic, 8),
        (
            "cp.async.ca.shared.global [dynamic], [%d1+16], 8; cp.async.wait_all;",
            Read,
            8,
        ),
        (
            "cp.async.cg.shared.global [dynamic], [%d1+16], 16, 3; cp.async.wait_all;",
            Read,
            3,
        ),
        (
            "cp.async.bulk.global.shared::cta.bulk_group [%d1+16], [dynamic], 32;",
            Write,
            32,
        ),
        (
            "mbarrier.init.shared.b64 [dynamic+64], 1; \
             cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes \
             [dynamic], [%d1+16], 32, [dynamic+64];",
            Read,
            32,
        ),
        // Reads a constant by a generic address.
        (
            "mov.u64 %d1, table; sub.u64 %d1, %d1, 16; ld.u32 %r5, [%d1+16];",
            Read,
            4,
        ),
    ];
    for (body, access, bytes) in accesses {
        let (kind, buffer) = stopped(&programmatic(), body, 1);
        let Some(FaultKind::TooEarly { address, .. }) = kind else {
            panic!("{body}: {kind:?}");
        };
        assert!(address == buffer + 16 || body.contains("table"), "{body}");
        let expected = FaultKind::TooEarly {
            access,
            address,
            bytes,
        };
        assert_eq!(kind, Some(expected), "{body}");
        let waited = format!("{WAIT} {body}");
        assert_eq!(stopped(&programmatic(), &waited, 1).0, None, "{waited}");
        assert_eq!(stopped(&Device::new(), body, 1).0, None, "{body}");
    }
}

#[test]
fn accesses_outside_global_memory_need_not_wait() {
    for body in [
        "ld.const.u32 %r5, [table+4];",
        "mov.u64 %d2, table; ld.const.u32 %r5, [%d2];",
        "ld.param.u64 %d5, [p0];",
        "st.shared.u32 [dynamic], %r1; atom.shared.add.u32 %r5, [dynamic], 1;",
        "cvta.shared.u64 %d5, dynamic; st.u32 [%d5], %r1; ld.u32 %r5, [%d5];",
        ".local .align 4 .b8 own[8]; st.local.u32 [own], %r1; ld.local.u32 %r5, [own];",
        "prefetch.global.L2 [%d1];",
        "cp.async.cg.shared.global [dynamic], [%d1], 16, 0; cp.async.wait_all;",
    ] {
        assert_eq!(stopped(&programmatic(), body, 1).0, None, "{body}");
    }
}

#[test]
fn a_block_barrier_passes_on_a_wait() {
    let first = format!("setp.lt.u32 %p1, %r1, 32; @%p1 {WAIT}");
    for barrier in [
        "bar.sync 0;",
        "bar.sync 3, 64;",
        "barrier.sync 0;",
        "bar.red.popc.u32 %r5, 0, %p1;",
        "@%p1 bar.arrive 1, 64; @!%p1 bar.sync 1, 64;",
    ] {
        assert!(!is_early(&format!("{first} {barrier}")), "{barrier}");
    }
    for other in [
        "",
        "bar.warp.sync -1;",
        "membar.gl;",
        "@!%p1 bar.arrive 1, 64; @%p1 bar.sync 1, 64;",
    ] {
        assert!(is_early(&format!("{first} {other}")), "{other}");
    }
    let too_late = format!("setp.lt.u32 %p1, %r1, 32; bar.sync 0; @%p1 {WAIT}");
    assert!(is_early(&too_late));
    let arrives_first = format!(
        "setp.lt.u32 %p1, %r1, 32; @!%p1 bra SECOND; bar.arrive 1, 64; {WAIT} bra END; \
         SECOND: bar.sync 1, 64; END:"
    );
    assert!(is_early(&arrives_first));
    // In each warp, the half that waited has exited, and the other half meets at the barrier.
    let halves = format!(
        "and.b32 %r5, %r1, 31; setp.lt.u32 %p1, %r5, 16; @%p1 {WAIT} @%p1 ret; barrier.sync 1, 32;"
    );
    assert!(is_early(&halves));
}

#[test]
fn a_warp_barrier_passes_on_a_wait() {
    let first = format!("and.b32 %r5, %r1, 31; setp.eq.u32 %p1, %r5, 9; @%p1 {WAIT}");
    assert!(!is_early(&format!("{first} bar.warp.sync -1;")));
    for other in ["", "vote.sync.any.pred %p2, %p1, -1;"] {
        assert!(is_early(&format!("{first} {other}")), "{other}");
    }
    // Half a warp meets at a barrier without the other half, which has not waited.
    let half = format!("{first} setp.lt.u32 %p2, %r5, 16; @%p2 bar.warp.sync 0xffff;");
    assert!(is_early(&half));
    assert!(!is_early(&format!("{half} @!%p2 ret;")));
}

#[test]
fn early_accesses_are_found_with_any_checks() {
    for checks in [Checks::none(), Checks::default(), Checks::all()] {
        let mut device = programmatic();
        device.options.checks = checks;
        let (kind, _) = stopped(&device, "ld.global.u32 %r5, [%d1];", 1);
        assert!(
            matches!(kind, Some(FaultKind::TooEarly { .. })),
            "{checks:?}: {kind:?}"
        );
    }
}

#[test]
fn waits_count_as_synchronisation() {
    let count = |body| {
        Device::new()
            .run(&kernel(0, body), 1, 40, &[])
            .of_class(Class::Sync)
    };
    assert_eq!(count("ret;"), 0);
    assert_eq!(count("griddepcontrol.wait; ret;"), 40);
    assert_eq!(count("griddepcontrol.launch_dependents; ret;"), 40);
}
