//! Asynchronous copies and mbarriers: their results under many schedules, and the faults of wrong uses.

mod support;

use support::{Arg, Device};
use virtual_gpu::{Checks, FaultKind, LaunchError, Policy};

const SEEDS: std::ops::Range<u64> = 0..12;

/// A kernel with two parameters, 4096 bytes of shared memory, an mbarrier, and registers.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.6 .target sm_90 .address_size 64
         .entry k(.param .u64 p0, .param .u64 p1) {{
             .shared .align 128 .b8 data[4096]; .shared .align 8 .b64 bar;
             .reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %d<20>;
             ld.param.u64 %d1, [p0]; ld.param.u64 %d2, [p1];
             mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 16;
             add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;
             mov.u32 %r2, data; mad.lo.u32 %r3, %r1, 16, %r2;
             {body}
             ret;
         }}"
    )
}

/// Runs a kernel of 64 threads. Its input and its output have 16 bytes for each thread.
fn run(body: &str, seed: u64) -> Result<Vec<u32>, LaunchError> {
    let mut device = Device::new();
    device.options.seed = seed;
    let input: Vec<u32> = (0..256).map(|i| i * 3 + 1).collect();
    let (from, to) = (device.upload(&input), device.zeros(1024));
    let module = device.load(&kernel(body));
    device.launch(&module, "k", 1, 64, &[Arg::U64(from), Arg::U64(to)])?;
    Ok(device.download(to, 256))
}

fn check(body: &str, expected: impl Fn(usize) -> u32) {
    for seed in SEEDS {
        match run(body, seed) {
            Ok(output) => assert!(
                output.iter().enumerate().all(|(i, &x)| x == expected(i)),
                "seed {seed}: {output:?}"
            ),
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
}

fn check_fault(body: &str, is_it: impl Fn(&FaultKind) -> bool) {
    for seed in SEEDS {
        match run(body, seed) {
            Err(LaunchError::Fault(fault)) => assert!(is_it(&fault.kind), "seed {seed}: {fault}"),
            other => panic!("seed {seed}: {other:?}"),
        }
    }
}

fn is_race(kind: &FaultKind) -> bool {
    matches!(kind, FaultKind::Race { .. })
}

const STORE: &str = "ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];
                     st.global.v4.u32 [%d2], {%r4, %r5, %r6, %r7};";

#[test]
fn an_awaited_copy_is_complete() {
    let input = |i: usize| i as u32 * 3 + 1;
    let waits = [
        "cp.async.wait_all;",
        "cp.async.commit_group; cp.async.wait_group 0;",
    ];
    for wait in waits {
        let copy = "cp.async.cg.shared.global [%r3], [%d1], 16;";
        check(&format!("{copy} {wait} {STORE}"), input);
        let copy = "cp.async.ca.shared.global [%r3], [%d1], 8;
                    cp.async.ca.shared.global.L2::128B [%r3+8], [%d1+8], 4;
                    cp.async.ca.shared.global [%r3+12], [%d1+12], 4;";
        check(&format!("{copy} {wait} {STORE}"), input);
    }
}

#[test]
fn bytes_that_are_not_read_are_zeros() {
    let wait = "cp.async.wait_all;";
    let copy = "and.b32 %r9, %r1, 15; cp.async.cg.shared.global [%r3], [%d1], 16, %r9;";
    check(&format!("{copy} {wait} {STORE}"), |i| {
        let bytes = (i / 4 % 16).saturating_sub(i % 4 * 4).min(4);
        (i as u32 * 3 + 1) & ((1_u64 << (8 * bytes)) - 1) as u32
    });
    let copy = "setp.lt.u32 %p1, %r1, 32; cp.async.cg.shared.global [%r3], [%d1], 16, %p1;";
    check(&format!("{copy} {wait} {STORE}"), |i| match i < 128 {
        true => 0,
        false => i as u32 * 3 + 1,
    });
}

#[test]
fn a_missing_wait_is_a_race() {
    let copy = "cp.async.cg.shared.global [%r3], [%d1], 16; cp.async.commit_group;";
    check_fault(&format!("{copy} {STORE}"), is_race);
    check_fault(&format!("{copy} cp.async.wait_group 1; {STORE}"), is_race);
    check_fault(&format!("{copy} bar.sync 0; {STORE}"), is_race);
    // The threads wait for their own copies, but read a neighbour's bytes without a barrier.
    let neighbour = "xor.b32 %r3, %r3, 16;";
    let copied = format!("{copy} cp.async.wait_group 0;");
    check_fault(&format!("{copied} {neighbour} {STORE}"), is_race);
    check(&format!("{copied} bar.sync 0; {neighbour} {STORE}"), |i| {
        (i ^ 4) as u32 * 3 + 1
    });
}

#[test]
fn a_missing_wait_passes_without_the_race_check() {
    let copy = "cp.async.cg.shared.global [%r3], [%d1], 16; cp.async.commit_group;";
    let mut device = Device::new();
    device.options.checks = Checks::none();
    for policy in Policy::ALL {
        device.options.policy = policy;
        let (from, to) = (device.zeros(1024), device.zeros(1024));
        let module = device.load(&kernel(&format!("{copy} {STORE}")));
        let outcome = device.launch(&module, "k", 1, 64, &[Arg::U64(from), Arg::U64(to)]);
        assert!(outcome.is_ok(), "{policy:?}: {outcome:?}");
    }
}

#[test]
fn the_latest_groups_may_remain_pending() {
    let copies = "cp.async.cg.shared.global [%r3], [%d1], 16; cp.async.commit_group;
                  cp.async.cg.shared.global [%r3+2048], [%d1], 16; cp.async.commit_group;
                  cp.async.wait_group 1;";
    check(&format!("{copies} {STORE}"), |i| i as u32 * 3 + 1);
    let second = "add.u32 %r3, %r3, 2048;";
    check_fault(&format!("{copies} {second} {STORE}"), is_race);
}

const INIT: &str = "setp.eq.u32 %p1, %r1, 0; mov.u32 %r10, bar;
                    @%p1 mbarrier.init.shared.b64 [%r10], 1;
                    @%p1 fence.mbarrier_init.release.cluster; bar.sync 0;";
const BULK: &str = "@%p1 mbarrier.arrive.expect_tx.shared.b64 %d9, [%r10], 1024;
                    @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
                         [%r2], [%d1], 1024, [%r10];";
const AWAIT: &str = "L: mbarrier.try_wait.parity.shared.b64 %p2, [%r10], 0; @!%p2 bra L;";

#[test]
fn a_bulk_copy_reports_to_its_mbarrier() {
    check(&format!("{INIT} {BULK} {AWAIT} {STORE}"), |i| {
        i as u32 * 3 + 1
    });
    for instead in ["bar.sync 0;", ""] {
        check_fault(&format!("{INIT} {BULK} {instead} {STORE}"), is_race);
    }
    // Even the thread that began the copy has to test the mbarrier. Other waits are not enough.
    let own = "@!%p1 ret; ld.shared.u32 %r4, [%r2];";
    check_fault(&format!("{INIT} {BULK} {own}"), is_race);
    let wait = "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; cp.async.wait_all;";
    check_fault(&format!("{INIT} {BULK} {wait} {own}"), is_race);
    let late = "@!%p1 ret; ld.global.u32 %r4, [%d1]; st.global.u32 [%d1], %r4;";
    check_fault(&format!("{INIT} {BULK} {late}"), is_race);
}

#[test]
fn a_bulk_copy_to_global_memory() {
    let fill = "shl.b32 %r4, %r1, 2; add.u32 %r5, %r4, 1; add.u32 %r6, %r4, 2; add.u32 %r7, %r4, 3;
                st.shared.v4.u32 [%r3], {%r4, %r5, %r6, %r7}; bar.sync 0;
                setp.eq.u32 %p1, %r1, 0;
                @%p1 fence.proxy.async.shared::cta;
                @%p1 cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r2], 1024;
                @%p1 cp.async.bulk.commit_group;";
    let wait = "@%p1 cp.async.bulk.wait_group.read 0;";
    check(&format!("{fill} {wait}"), |i| i as u32);
    // The source of a copy must not be overwritten before the copy has read it.
    check_fault(
        &format!("{fill} @%p1 st.shared.u32 [%r2], 7; {wait}"),
        is_race,
    );
    check(
        &format!("{fill} {wait} @%p1 st.shared.u32 [%r2], 7;"),
        |i| i as u32,
    );
}

#[test]
fn mbarriers_order_the_accesses_of_threads() {
    let init = "setp.eq.u32 %p1, %r1, 0; mov.u32 %r10, bar;
                @%p1 mbarrier.init.shared.b64 [%r10], 64; bar.sync 0;";
    let write = "st.shared.v4.u32 [%r3], {%r1, %r1, %r1, %r1};";
    let meet = "mbarrier.arrive.shared.b64 %d9, [%r10];
                L: mbarrier.test_wait.shared.b64 %p2, [%r10], %d9; @!%p2 bra L;";
    let neighbour = "xor.b32 %r3, %r3, 512;";
    let other = |i: usize| (i / 4) as u32 ^ 32;
    check(&format!("{init} {write} {meet} {neighbour} {STORE}"), other);
    let arrives_only = "mbarrier.arrive.shared.b64 _, [%r10];";
    check_fault(
        &format!("{init} {write} {arrives_only} {neighbour} {STORE}"),
        is_race,
    );
    let relaxed = meet.replace("test_wait", "test_wait.relaxed.cta");
    let body = format!("{init} {write} {relaxed} {neighbour} {STORE}");
    check_fault(&body, is_race);
}

#[test]
fn mbarriers_count_pending_arrivals() {
    let body = "setp.ne.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r10, bar;
                mbarrier.init.shared.b64 [%r10], 3; mbarrier.arrive.noComplete.shared.b64 %d9, [%r10], 2;
                mbarrier.arrive_drop.shared.b64 %d10, [%r10];
                mbarrier.pending_count.b64 %r4, %d9; mbarrier.pending_count.b64 %r5, %d10;
                mbarrier.arrive.shared.b64 %d9, [%r10];
                mbarrier.pending_count.b64 %r6, %d9;
                mbarrier.test_wait.parity.shared.b64 %p2, [%r10], 0; selp.u32 %r7, 1, 0, %p2;
                mbarrier.inval.shared.b64 [%r10];
                st.global.v4.u32 [%d2], {%r4, %r5, %r6, %r7};";
    for seed in SEEDS {
        let output = run(body, seed).map_err(|error| error.to_string());
        assert_eq!(output.map(|o| o[..4].to_vec()), Ok(vec![3, 1, 2, 1]));
    }
}

#[test]
fn invalid_uses_of_mbarriers_are_faults() {
    let one = "setp.ne.u32 %p1, %r1, 0; @%p1 ret; mov.u32 %r10, bar;";
    let invalid = |kind: &FaultKind| matches!(kind, FaultKind::InvalidBarrier { .. });
    let wrong = [
        "mbarrier.arrive.shared.b64 %d9, [%r10];",
        "mbarrier.init.shared.b64 [%r10], 0;",
        "mbarrier.init.shared.b64 [%r10], 1; mbarrier.arrive.shared.b64 %d9, [%r10], 2;",
        "mbarrier.init.shared.b64 [%r10], 3; mbarrier.arrive.noComplete.shared.b64 %d9, [%r10], 2;
         mbarrier.arrive.noComplete.shared.b64 %d9, [%r10], 1;",
        "mbarrier.init.shared.b64 [%r10], 2; mbarrier.arrive_drop.noComplete.shared.b64 %d9, [%r10], 2;",
        "mbarrier.init.shared.b64 [%r10], 1; mov.u64 %d9, 0;
         mbarrier.test_wait.shared.b64 %p2, [%r10], %d9;",
        "mbarrier.init.shared.b64 [%r10], 1; mbarrier.inval.shared.b64 [%r10];
         mbarrier.inval.shared.b64 [%r10];",
    ];
    for body in wrong {
        check_fault(&format!("{one} {body}"), invalid);
    }
}

#[test]
fn copies_report_to_an_mbarrier() {
    let init = "setp.eq.u32 %p1, %r1, 0; mov.u32 %r10, bar;
                @%p1 mbarrier.init.shared.b64 [%r10], 64; bar.sync 0;";
    let copy = "cp.async.cg.shared.global [%r3], [%d1], 16;
                cp.async.mbarrier.arrive.noinc.shared.b64 [%r10];";
    let neighbour = "xor.b32 %r3, %r3, 512;";
    check(&format!("{init} {copy} {AWAIT} {neighbour} {STORE}"), |i| {
        (i ^ 128) as u32 * 3 + 1
    });
    for whose in [neighbour, ""] {
        check_fault(&format!("{init} {copy} {whose} {STORE}"), is_race);
    }
    // Without `.noinc`, the mbarrier also expects the copies' arrivals, in addition to its own count.
    let extra = copy.replace(".noinc", "");
    let extra = format!("{extra} mbarrier.arrive.shared.b64 _, [%r10];");
    check(
        &format!("{init} {extra} {AWAIT} {neighbour} {STORE}"),
        |i| (i ^ 128) as u32 * 3 + 1,
    );
    check_fault(&format!("{init} {extra} {neighbour} {STORE}"), is_race);
}

#[test]
fn out_of_bounds_and_misaligned_copies_are_faults() {
    let body = "add.u64 %d1, %d1, 4096; cp.async.cg.shared.global [%r3], [%d1], 16;";
    check_fault(body, |kind| matches!(kind, FaultKind::OutOfBounds { .. }));
    let body = "cp.async.ca.shared.global [%r3+4], [%d1], 8; cp.async.wait_all;";
    check_fault(body, |kind| matches!(kind, FaultKind::Misaligned { .. }));
}

#[test]
fn hints_have_no_effect() {
    let hints = "createpolicy.fractional.L2::evict_last.b64 %d9, 0f3F000000;
                 griddepcontrol.launch_dependents;
                 ld.global.L2::cache_hint.v4.u32 {%r4, %r5, %r6, %r7}, [%d1], %d9;
                 st.global.L2::cache_hint.v4.u32 [%d2], {%r4, %r5, %r6, %r7}, %d9;
                 cp.async.bulk.prefetch.L2.global [%d1], 16; fence.proxy.async;
                 prefetch.global.L2 [%d1]; setmaxnreg.dec.sync.aligned.u32 40;";
    check(hints, |i| i as u32 * 3 + 1);
}
