//! Data races: what orders two accesses, and what does not.

mod support;

use support::{Arg, Device, kernel};
use virtual_gpu::{FaultKind, Switch};

fn watched(ptx: &str, grid: u32, block: u32) -> Option<String> {
    let mut found = None;
    for seed in 0..4 {
        let mut device = Device::new();
        device.options.checks.race = Switch::On;
        device.options.seed = seed;
        let buffer = device.zeros(1024);
        let module = device.load(ptx);
        let outcome = device.launch(&module, "k", grid, block, &[Arg::U64(buffer)]);
        let this = match outcome {
            Ok(_) => None,
            Err(virtual_gpu::LaunchError::Fault(fault)) => match fault.kind {
                FaultKind::Race { .. } => Some(fault.kind.to_string()),
                _ => panic!("{fault}"),
            },
            Err(error) => panic!("{error}"),
        };
        // A race must be found under every schedule or under no schedule.
        assert!(
            seed == 0 || found.is_some() == this.is_some(),
            "seed {seed}: {this:?}"
        );
        found = this;
    }
    found
}

fn exchange(order: &str) -> String {
    kernel(
        1,
        &format!(
            "mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2; mov.u32 %r2, dynamic; add.u32 %r1, %r1, %r2; \
             st.shared.u32 [%r1], %r0; {order} xor.b32 %r3, %r1, 4; ld.shared.u32 %r4, [%r3]; ret;"
        ),
    )
}

#[test]
fn barriers_order_accesses_and_lockstep_does_not() {
    assert_eq!(watched(&exchange("bar.sync 0;"), 2, 64), None);
    assert_eq!(watched(&exchange("bar.warp.sync -1;"), 2, 64), None);
    let what = watched(&exchange(""), 2, 64).expect("a race");
    assert!(
        what.contains("nothing orders the write of 4 bytes by thread"),
        "{what}"
    );
    assert!(what.contains("line 1: st.shared.u32 [%r1], %r0"), "{what}");
    let shuffle = "shfl.sync.idx.b32 %r7, %r0, 0, 31, -1;";
    assert!(watched(&exchange(shuffle), 2, 64).is_some());
    assert!(watched(&exchange("membar.cta;"), 2, 64).is_some());
}

#[test]
fn a_warp_barrier_does_not_order_other_warps() {
    let across = exchange("bar.warp.sync -1;").replace("%r1, 4;", "%r1, 128;");
    assert!(watched(&across, 1, 64).is_some());
    let across = exchange("bar.sync 0;").replace("%r1, 4;", "%r1, 128;");
    assert_eq!(watched(&across, 1, 64), None);
}

#[test]
fn a_barrier_is_needed_between_read_and_next_write() {
    let again = |order: &str| {
        exchange("bar.sync 0;").replace("ret;", &format!("{order} st.shared.u32 [%r1], 5; ret;"))
    };
    assert_eq!(watched(&again("bar.sync 0;"), 1, 64), None);
    let what = watched(&again(""), 1, 64).expect("a race");
    assert!(what.contains("read of 4 bytes"), "{what}");
}

/// Block 0 writes data and then a flag; block 1 waits for the flag and reads the data.
fn message(write_flag: &str, read_flag: &str, after: &str) -> String {
    kernel(
        1,
        &format!(
            "ld.param.u64 %d1, [p0]; mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @!%p1 bra READ; \
             st.global.u32 [%d1], 42; {write_flag} ret; READ: {read_flag} setp.eq.u32 %p2, %r2, 0; \
             @%p2 bra READ; {after} ld.global.u32 %r3, [%d1]; ret;"
        ),
    )
}

#[test]
fn messages_between_blocks_need_release_and_acquire() {
    let release = "st.release.gpu.global.u32 [%d1+128], 1;";
    let acquire = "ld.acquire.gpu.global.u32 %r2, [%d1+128];";
    let strong_write = "st.relaxed.gpu.global.u32 [%d1+128], 1;";
    let strong_read = "ld.relaxed.gpu.global.u32 %r2, [%d1+128];";
    assert_eq!(watched(&message(release, acquire, ""), 2, 1), None);
    assert!(watched(&message(strong_write, acquire, ""), 2, 1).is_some());
    assert!(watched(&message(release, strong_read, ""), 2, 1).is_some());
    let fenced = format!("fence.acq_rel.gpu; {strong_write}");
    assert_eq!(watched(&message(&fenced, acquire, ""), 2, 1), None);
    assert_eq!(
        watched(&message(&fenced, strong_read, "membar.gl;"), 2, 1),
        None
    );
    assert!(watched(&message(&fenced, strong_read, ""), 2, 1).is_some());
    let narrow = format!("fence.acq_rel.cta; {strong_write}");
    assert!(watched(&message(&narrow, acquire, ""), 2, 1).is_some());
}

#[test]
fn block_scope_does_not_order_different_blocks() {
    let release = "st.release.cta.global.u32 [%d1+128], 1;";
    let acquire = "ld.acquire.cta.global.u32 %r2, [%d1+128];";
    assert!(watched(&message(release, acquire, ""), 2, 1).is_some());
}

#[test]
fn atomic_operations_do_not_race_with_each_other() {
    let text = |more: &str| {
        kernel(
            1,
            &format!("ld.param.u64 %d1, [p0]; red.gpu.global.add.u32 [%d1], 1; {more} ret;"),
        )
    };
    assert_eq!(watched(&text(""), 4, 64), None);
    assert!(watched(&text("ld.global.u32 %r1, [%d1];"), 4, 64).is_some());
    assert_eq!(
        watched(&text("ld.relaxed.gpu.global.u32 %r1, [%d1];"), 4, 64),
        None
    );
}

#[test]
fn the_last_block_needs_an_acq_rel_ticket_or_fences() {
    let last = |ticket: &str| {
        kernel(
            1,
            &format!(
                "ld.param.u64 %d1, [p0]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d2, %r1, 4; \
                 add.u64 %d2, %d1, %d2; st.global.u32 [%d2+64], %r1; {ticket} \
                 setp.ne.u32 %p1, %r2, 3; @%p1 ret; ld.global.v4.u32 {{%r3, %r4, %r5, %r6}}, \
                 [%d1+64]; ret;"
            ),
        )
    };
    assert_eq!(
        watched(
            &last("atom.acq_rel.gpu.global.add.u32 %r2, [%d1], 1;"),
            4,
            1
        ),
        None
    );
    let fenced = "membar.gl; atom.global.add.u32 %r2, [%d1], 1; membar.gl;";
    assert_eq!(watched(&last(fenced), 4, 1), None);
    assert!(watched(&last("atom.global.add.u32 %r2, [%d1], 1;"), 4, 1).is_some());
    assert!(
        watched(
            &last("atom.release.gpu.global.add.u32 %r2, [%d1], 1;"),
            4,
            1
        )
        .is_some()
    );
}

#[test]
fn adjacent_bytes_do_not_race() {
    let text = kernel(
        1,
        "ld.param.u64 %d1, [p0]; mov.u32 %r1, %tid.x; cvt.u64.u32 %d2, %r1; \
         add.u64 %d1, %d1, %d2; st.global.u8 [%d1], %r1; ret;",
    );
    assert_eq!(watched(&text, 1, 64), None);
    assert!(watched(&text, 2, 64).is_some());
}

#[test]
fn bar_arrive_orders_writes_before_it_for_waiting_threads() {
    let text = |first: &str, second: &str| {
        kernel(
            1,
            &format!(
                "mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 32; @!%p1 bra WAIT; setp.eq.u32 %p2, %r0, 0; \
                 @%p2 st.shared.u32 [dynamic], 1; {first} ret; WAIT: {second} \
                 ld.shared.u32 %r1, [dynamic]; ret;"
            ),
        )
    };
    assert_eq!(
        watched(&text("bar.arrive 1, 64;", "bar.sync 1, 64;"), 1, 64),
        None
    );
    let late = text("", "bar.sync 1, 64;").replace(
        "setp.eq.u32 %p2, %r0, 0; @%p2",
        "bar.arrive 1, 64; setp.eq.u32 %p2, %r0, 0; @%p2",
    );
    assert!(watched(&late, 1, 64).is_some());
}

#[test]
fn an_acq_rel_atomic_orders_a_later_plain_store() {
    // The last thread to arrive resets the counter with a plain store.
    let reset = |order: &str| {
        kernel(
            1,
            &format!(
                "ld.param.u64 %d1, [p0]; atom.{order}.gpu.global.add.u32 %r2, [%d1], 1; \
                 setp.ne.u32 %p1, %r2, 7; @%p1 ret; st.global.u32 [%d1], 0; ret;"
            ),
        )
    };
    assert_eq!(watched(&reset("acq_rel"), 8, 1), None);
    for weaker in ["release", "acquire", "relaxed"] {
        let what = watched(&reset(weaker), 8, 1).expect(weaker);
        assert!(what.contains("the atomic operation of 4 bytes"), "{what}");
    }
}

#[test]
fn accesses_of_different_widths_are_compared_by_byte() {
    let text = |offset: u32| {
        kernel(
            1,
            &format!(
                "ld.param.u64 %d1, [p0]; mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; \
                 @%p1 st.global.v4.u32 [%d1+16], {{%r1, %r1, %r1, %r1}}; \
                 @!%p1 ld.global.u8 %r2, [%d1+{offset}]; ret;"
            ),
        )
    };
    for (offset, races) in [(15, false), (16, true), (23, true), (31, true), (32, false)] {
        let what = watched(&text(offset), 2, 1);
        assert_eq!(what.is_some(), races, "{offset}: {what:?}");
    }
}

#[test]
fn strong_accesses_of_different_widths_race() {
    let text = |width: &str| {
        kernel(
            1,
            &format!(
                "ld.param.u64 %d1, [p0]; mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; \
                 mov.u64 %d2, 1; @%p1 st.relaxed.gpu.global.u64 [%d1], %d2; \
                 @!%p1 ld.relaxed.gpu.global.{width} %d3, [%d1]; ret;"
            ),
        )
    };
    assert_eq!(watched(&text("u64"), 2, 1), None);
    assert!(watched(&text("u32"), 2, 1).is_some());
}

/// Two stores of block 0 to one word, and a strong read by block 1. A store races with the read if it has another width than the read, or
/// only block scope.
#[test]
fn a_strong_access_does_not_hide_one_of_another_width_or_scope() {
    let text = |first: &str, second: &str| {
        kernel(
            1,
            &format!(
                "ld.param.u64 %d1, [p0]; mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; \
                 mov.u64 %d2, 1; @!%p1 bra READ; {first} {second} ret; \
                 READ: ld.relaxed.gpu.global.u32 %r2, [%d1]; ret;"
            ),
        )
    };
    let store = "st.relaxed.gpu.global.u32 [%d1], 1;";
    assert_eq!(watched(&text(store, store), 2, 1), None);
    for first in [
        "st.relaxed.gpu.global.u64 [%d1], %d2;",
        "st.relaxed.cta.global.u32 [%d1], 1;",
    ] {
        assert!(watched(&text(first, store), 2, 1).is_some(), "{first}");
        assert!(watched(&text(store, first), 2, 1).is_some(), "{first}");
    }
}

/// Thread 0 of block 1 adds to a word, ordered after an addition of block 0. Thread 32 of block 1 adds to the word with `scope`. With block
/// scope, this last addition races with the addition of block 0.
#[test]
fn an_access_of_the_same_block_does_not_hide_one_of_another_block() {
    let text = |scope: &str| {
        kernel(
            1,
            &format!(
                "ld.param.u64 %d1, [p0]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; \
                 setp.ne.u32 %p2, %r1, 0; @%p2 bra SECOND; setp.ne.u32 %p3, %r2, 0; @%p3 ret; \
                 red.relaxed.gpu.global.add.u32 [%d1], 1; \
                 st.release.gpu.global.u32 [%d1+128], 1; ret; \
                 SECOND: setp.eq.u32 %p3, %r2, 32; @%p3 bra OTHER; setp.ne.u32 %p3, %r2, 0; \
                 @%p3 ret; SPIN: ld.acquire.gpu.global.u32 %r3, [%d1+128]; \
                 setp.eq.u32 %p3, %r3, 0; @%p3 bra SPIN; \
                 red.relaxed.gpu.global.add.u32 [%d1], 1; \
                 st.relaxed.cta.global.u32 [%d1+256], 1; ret; \
                 OTHER: ld.relaxed.cta.global.u32 %r3, [%d1+256]; setp.eq.u32 %p3, %r3, 0; \
                 @%p3 bra OTHER; red.relaxed.{scope}.global.add.u32 [%d1], 1; ret;"
            ),
        )
    };
    assert_eq!(watched(&text("gpu"), 2, 64), None);
    assert!(watched(&text("cta"), 2, 64).is_some());
}
