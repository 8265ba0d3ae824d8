//! Memory orders and scopes of fences, accesses and atomic operations. A message between threads is a race if its order is too weak or its
//! scope is too narrow.

use super::support::{Arg, Device};
use virtual_gpu::{Checks, FaultKind, LaunchError, Switch};

const SEEDS: std::ops::Range<u64> = 0..3;
const SCOPES: [(&str, bool); 4] = [
    ("cta", false),
    ("cluster", false),
    ("gpu", true),
    ("sys", true),
];

/// The reader of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    OtherWarp,
    OtherBlock,
}

/// Whether passing a message is a race. Thread 0 writes data, and then a flag with `write`. Another
/// thread waits with `read` until `%r2` is not 0, executes `after`, and reads the data.
fn races(reader: Reader, write: &str, read: &str, after: &str) -> bool {
    let text = format!(
        ".version 8.6 .target sm_90 .address_size 64
         .entry k(.param .u64 p0) {{
             .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b128 %q<3>;
             ld.param.u64 %d1, [p0]; mov.u32 %r1, %tid.x; and.b32 %r3, %r1, 31;
             setp.ne.u32 %p1, %r3, 0; @%p1 exit; mov.u32 %r3, %ctaid.x; or.b32 %r1, %r1, %r3;
             mov.u64 %d3, 1; mov.b128 %q1, {{%d3, %d3}};
             setp.ne.u32 %p1, %r1, 0; @%p1 bra READ;
             st.global.u32 [%d1], 42; {write} ret;
             READ: {read} setp.eq.u32 %p2, %r2, 0; @%p2 bra READ; {after}
             ld.global.u32 %r3, [%d1]; ret;
         }}"
    );
    let (blocks, threads) = match reader {
        Reader::OtherWarp => (1, 64),
        Reader::OtherBlock => (2, 1),
    };
    let race_in = |seed| {
        let mut device = Device::new();
        device.options.seed = seed;
        device.options.checks = Checks::none();
        device.options.checks.race = Switch::On;
        let buffer = device.zeros(256);
        let module = device.load(&text);
        match device.launch(&module, "k", blocks, threads, &[Arg::U64(buffer)]) {
            Ok(_) => false,
            Err(LaunchError::Fault(fault)) if matches!(fault.kind, FaultKind::Race { .. }) => true,
            Err(error) => panic!("{error}"),
        }
    };
    let found: Vec<bool> = SEEDS.map(race_in).collect();
    assert!(
        found.iter().all(|&race| race == found[0]),
        "{found:?}: {text}"
    );
    found[0]
}

/// Checks whether a message arrives without a race, within a block and across blocks.
fn check((write, read, after): (&str, &str, &str), within: bool, across: bool) {
    for (reader, arrives) in [(Reader::OtherWarp, within), (Reader::OtherBlock, across)] {
        let race = races(reader, write, read, after);
        assert_eq!(race, !arrives, "{reader:?}: {write} / {read} {after}");
    }
}

const WRITE: &str = "st.relaxed.sys.global.u32 [%d1+128], 1;";
const READ: &str = "ld.relaxed.sys.global.u32 %r2, [%d1+128];";

#[test]
fn fences_order_both_directions_within_their_scope() {
    let levels = [
        ("membar.cta", false),
        ("membar.gl", true),
        ("membar.sys", true),
    ];
    for (fence, is_wide) in levels {
        check(
            (&format!("{fence}; {WRITE}"), READ, &format!("{fence};")),
            true,
            is_wide,
        );
    }
    for (scope, is_wide) in SCOPES {
        for order in ["", ".sc", ".acq_rel"] {
            let fence = format!("fence{order}.{scope};");
            check((&format!("{fence} {WRITE}"), READ, &fence), true, is_wide);
        }
    }
    check((WRITE, READ, ""), false, false);
    check((WRITE, READ, "fence.acq_rel.sys;"), false, false);
    check(
        (&format!("fence.acq_rel.sys; {WRITE}"), READ, ""),
        false,
        false,
    );
}

#[test]
fn one_directional_fences_order_only_as_release_and_acquire() {
    let (release, acquire) = ("fence.release.gpu;", "fence.acquire.gpu;");
    for (before, after, arrives) in [
        (release, acquire, true),
        (release, release, false),
        (acquire, acquire, false),
        (release, "fence.acq_rel.gpu;", true),
        ("fence.acq_rel.gpu;", acquire, true),
    ] {
        check(
            (&format!("{before} {WRITE}"), READ, after),
            arrives,
            arrives,
        );
    }
}

#[test]
fn stores_release_and_loads_acquire_within_their_scope() {
    for (scope, is_wide) in SCOPES {
        let write = format!("st.release.{scope}.global.u32 [%d1+128], 1;");
        let read = format!("ld.acquire.{scope}.global.u32 %r2, [%d1+128];");
        check((&write, &read, ""), true, is_wide);
        check(
            (&write, "ld.acquire.sys.global.u32 %r2, [%d1+128];", ""),
            true,
            is_wide,
        );
        check(
            ("st.release.sys.global.u32 [%d1+128], 1;", &read, ""),
            true,
            is_wide,
        );
        // Relaxed accesses order other accesses only together with fences.
        let relaxed = format!("st.relaxed.{scope}.global.u32 [%d1+128], 1;");
        check((&relaxed, &read, ""), false, false);
        let fenced = format!("fence.acq_rel.sys; {relaxed}");
        check((&fenced, READ, "fence.acq_rel.sys;"), true, is_wide);
    }
}

#[test]
fn volatile_accesses_are_strong_but_order_nothing() {
    let fence = "fence.acq_rel.sys;";
    let (write, read) = (
        "st.volatile.global.u32 [%d1+128], 1;",
        "ld.volatile.global.u32 %r2, [%d1+128];",
    );
    check((write, read, ""), false, false);
    check((&format!("{fence} {write}"), read, fence), true, true);
    for weak in [
        "st.global.u32 [%d1+128], 1;",
        "st.weak.global.u32 [%d1+128], 1;",
    ] {
        check((&format!("{fence} {weak}"), read, fence), false, false);
    }
}

#[test]
fn atomic_operations_follow_their_order_and_scope() {
    let releases = |order: &str| matches!(order, "release" | "acq_rel");
    let acquires = |order: &str| matches!(order, "acquire" | "acq_rel");
    for order in ["relaxed", "acquire", "release", "acq_rel"] {
        for (scope, is_wide) in SCOPES {
            let write = format!("atom.{order}.{scope}.global.exch.b32 %r4, [%d1+128], 1;");
            let arrives = releases(order);
            let acquire = "atom.acquire.sys.global.or.b32 %r2, [%d1+128], 0;";
            check((&write, acquire, ""), arrives, arrives && is_wide);
            let read = format!("atom.{order}.{scope}.global.or.b32 %r2, [%d1+128], 0;");
            let arrives = acquires(order);
            let release = "atom.release.sys.global.exch.b32 %r4, [%d1+128], 1;";
            check((release, &read, ""), arrives, arrives && is_wide);
        }
    }
    // The default order is relaxed, and the default scope is the device.
    let (write, read) = (
        "atom.global.exch.b32 %r4, [%d1+128], 1;",
        "atom.global.or.b32 %r2, [%d1+128], 0;",
    );
    check((write, read, ""), false, false);
    let fence = "fence.acq_rel.gpu;";
    check((&format!("{fence} {write}"), read, fence), true, true);
}

#[test]
fn reductions_release() {
    let acquire = "ld.acquire.gpu.global.u32 %r2, [%d1+128];";
    for (order, arrives) in [(".release.gpu", true), (".relaxed.gpu", false), ("", false)] {
        let write = format!("red{order}.global.add.u32 [%d1+128], 1;");
        check((&write, acquire, ""), arrives, arrives);
    }
    check(
        ("red.release.cta.global.add.u32 [%d1+128], 1;", acquire, ""),
        true,
        false,
    );
}

#[test]
fn atomic_exchanges_of_16_bytes_follow_their_order() {
    let read = |order: &str| {
        format!(
            "atom.{order}.gpu.global.exch.b128 %q2, [%d1+128], %q1; \
                 mov.b128 {{%d5, %d6}}, %q2; cvt.u32.u64 %r2, %d5;"
        )
    };
    for (order, arrives) in [
        ("release", true),
        ("acq_rel", true),
        ("acquire", false),
        ("relaxed", false),
    ] {
        let write = format!("atom.{order}.gpu.global.exch.b128 %q2, [%d1+128], %q1;");
        // The exchange of the waiting thread writes zeros. Reading these zeros back does not end its loop.
        let first = "mov.u64 %d3, 0; mov.b128 %q1, {%d3, %d3};";
        check(
            (&write, &format!("{first} {}", read("acquire")), ""),
            arrives,
            arrives,
        );
    }
    for (order, arrives) in [
        ("acquire", true),
        ("acq_rel", true),
        ("release", false),
        ("relaxed", false),
    ] {
        let write = "atom.release.gpu.global.exch.b128 %q2, [%d1+128], %q1;";
        let first = "mov.u64 %d3, 0; mov.b128 %q1, {%d3, %d3};";
        check(
            (write, &format!("{first} {}", read(order)), ""),
            arrives,
            arrives,
        );
    }
}
