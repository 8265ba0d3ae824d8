//! Lanes that diverge and meet; lanes, threads and blocks that wait for each other.

mod support;

use support::{Arg, Device, kernel};

/// Runs one block. Returns the value of `%r39` in each thread, and the counters.
fn one_block(threads: u32, body: &str) -> (Vec<u32>, virtual_gpu::Counters) {
    let device = Device::new();
    let out = device.zeros(4 * u64::from(threads));
    let store = "shl.b32 %r38, %r0, 2; cvt.u64.u32 %d18, %r38; ld.param.u64 %d19, [p0]; \
                 add.u64 %d19, %d19, %d18; st.global.u32 [%d19], %r39; ret;";
    let text = kernel(1, &format!("mov.u32 %r0, %tid.x; {body} {store}"));
    let counters = device.run(&text, 1, threads, &[Arg::U64(out)]);
    (device.download(out, threads as usize), counters)
}

#[test]
fn both_sides_of_a_conditional_reconverge() {
    let (out, counters) = one_block(
        32,
        "setp.lt.u32 %p1, %r0, 12; @%p1 bra LOW; mov.u32 %r1, 100; bra.uni END; \
         LOW: mov.u32 %r1, 200; END: activemask.b32 %r2; popc.b32 %r3, %r2; \
         add.u32 %r39, %r1, %r3;",
    );
    let expected: Vec<u32> = (0..32).map(|t| if t < 12 { 232 } else { 132 }).collect();
    assert_eq!(out, expected);
    assert_eq!(counters.divergent_branches, 1);
}

#[test]
fn lanes_that_leave_a_loop_wait_for_the_others() {
    // The exit of the loop is written before its body.
    let (out, counters) = one_block(
        32,
        "mov.u32 %r1, 0; bra.uni HEAD; EXIT: activemask.b32 %r39; bra.uni END; \
         HEAD: setp.ge.u32 %p1, %r1, %r0; @%p1 bra EXIT; add.u32 %r1, %r1, 1; bra.uni HEAD; END:",
    );
    assert_eq!(out, [u32::MAX; 32]);
    assert_eq!(counters.divergent_branches, 31);
}

#[test]
fn nested_conditionals_and_early_returns() {
    let (out, _) = one_block(
        64,
        "mov.u32 %r39, 7; and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 1; @!%p1 bra OUT; \
         and.b32 %r1, %r0, 2; setp.eq.u32 %p2, %r1, 2; @%p2 ret; mov.u32 %r39, 9; \
         OUT: activemask.b32 %r2; popc.b32 %r2, %r2; mad.lo.u32 %r39, %r2, 100, %r39;",
    );
    for (t, value) in out.into_iter().enumerate() {
        let expected = match t & 3 {
            1 => 2409,
            3 => 0,
            _ => 2407,
        };
        assert_eq!(value, expected, "thread {t}");
    }
}

#[test]
fn a_lane_may_wait_for_another_of_its_warp() {
    // Lane 0 spins until lane 31, which takes the other branch, sets the flag.
    let (out, _) = one_block(
        32,
        "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [dynamic], 0; bar.sync 0; mov.u32 %r39, 1; \
         @%p1 bra SPIN; setp.eq.u32 %p2, %r0, 31; @%p2 st.volatile.shared.u32 [dynamic], 5; \
         bra.uni END; SPIN: ld.volatile.shared.u32 %r39, [dynamic]; setp.eq.u32 %p3, %r39, 0; \
         @%p3 bra SPIN; END:",
    );
    assert_eq!(out[0], 5);
    assert!(out[1..].iter().all(|&v| v == 1));
}

#[test]
fn a_wait_for_the_clock_ends_soon() {
    // The kernel waits for a thousand million ticks, in at most a million warp instructions.
    let mut device = Device::new();
    device.options.step_budget = 1_000_000;
    for clock in ["clock64", "globaltimer"] {
        let text = kernel(
            0,
            &format!(
                "mov.u64 %d1, %{clock}; SPIN: mov.u64 %d2, %{clock}; sub.u64 %d2, %d2, %d1; \
                 setp.lt.u64 %p1, %d2, 1000000000; @%p1 bra SPIN; ret;"
            ),
        );
        device.run(&text, 2, 64, &[]);
    }
}

#[test]
fn blocks_of_a_cooperative_launch_wait_for_each_other() {
    // Each block stores a number. After a barrier of the grid it reads the number of the next block.
    let device = Device::new();
    let (blocks, threads) = (6, 48);
    let numbers = device.zeros(4 * blocks);
    let text = format!(
        ".version 8.0 .target sm_80 .address_size 64 \
         .extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope); \
         .extern .func (.param .b32 code) cudaCGSynchronize(.param .b64 handle, .param .b32 flags); \
         .visible .entry k(.param .u64 p0) {{ .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<9>; \
         .param .b32 scope; .param .b64 handle; .param .b32 flags; .param .b32 code; \
         st.param.b32 [scope], 1; call (handle), cudaCGGetIntrinsicHandle, (scope); \
         ld.param.u64 %d1, [p0]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; \
         setp.eq.u32 %p1, %r2, 0; mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d1, %d2; \
         mov.u32 %r7, 0; LOOP: add.u32 %r3, %r1, %r7; add.u32 %r3, %r3, 10; \
         @%p1 st.global.u32 [%d2], %r3; st.param.b32 [flags], 0; \
         call (code), cudaCGSynchronize, (handle, flags); \
         add.u32 %r4, %r1, 1; rem.u32 %r4, %r4, {blocks}; mul.wide.u32 %d3, %r4, 4; \
         add.u64 %d3, %d1, %d3; ld.global.u32 %r5, [%d3]; \
         call (code), cudaCGSynchronize, (handle, flags); \
         add.u32 %r6, %r4, %r7; add.u32 %r6, %r6, 10; setp.ne.u32 %p2, %r5, %r6; @%p2 trap; \
         add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 3; @%p2 bra LOOP; ret; }}"
    );
    device.run(&text, blocks as u32, threads, &[Arg::U64(numbers)]);
    let expected: Vec<u32> = (0..blocks as u32).map(|block| block + 12).collect();
    assert_eq!(device.download::<u32>(numbers, blocks as usize), expected);
}

/// Block 0 of the first launch waits at a barrier of the grid. Block 1 arrives there only after all blocks of a second launch of the
/// kernel, by another host thread, have passed their barrier.
#[test]
fn two_launches_at_once_have_barriers_of_their_own() {
    let mut device = Device::new();
    device.options.step_budget = 200_000_000;
    let text = ".version 8.0 .target sm_80 .address_size 64 \
         .extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope); \
         .extern .func (.param .b32 code) cudaCGSynchronize(.param .b64 handle, .param .b32 flags); \
         .visible .entry k(.param .u64 p0, .param .u64 p1) { .reg .pred %p<9>; .reg .b32 %r<9>; \
         .reg .b64 %d<9>; .param .b32 scope; .param .b64 handle; .param .b32 flags; \
         .param .b32 code; st.param.b32 [scope], 1; st.param.b32 [flags], 0; \
         call (handle), cudaCGGetIntrinsicHandle, (scope); ld.param.u64 %d1, [p0]; \
         ld.param.u64 %d2, [p1]; mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; \
         setp.eq.u64 %p2, %d2, 1; @%p2 bra FIRST; \
         BEGUN: ld.relaxed.gpu.global.u32 %r2, [%d1]; setp.eq.u32 %p3, %r2, 0; @%p3 bra BEGUN; \
         mov.u32 %r2, 0; DELAY: add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 20000; @%p3 bra DELAY; \
         call (code), cudaCGSynchronize, (handle, flags); \
         red.relaxed.gpu.global.add.u32 [%d1+4], 1; ret; \
         FIRST: @%p1 st.relaxed.gpu.global.u32 [%d1], 1; @%p1 bra ARRIVE; \
         DONE: ld.relaxed.gpu.global.u32 %r2, [%d1+4]; setp.lt.u32 %p3, %r2, 2; @%p3 bra DONE; \
         ARRIVE: call (code), cudaCGSynchronize, (handle, flags); \
         ld.relaxed.gpu.global.u32 %r2, [%d1+4]; setp.lt.u32 %p3, %r2, 2; @%p3 trap; ret; }";
    let module = device.load(text);
    let words = device.zeros(8);
    let launch = |number: u64| {
        let arguments = [Arg::U64(words), Arg::U64(number)];
        device.launch(&module, "k", 2, 1, &arguments).unwrap();
    };
    std::thread::scope(|scope| {
        scope.spawn(|| launch(1));
        launch(2);
    });
    assert_eq!(device.download::<u32>(words, 2), [1, 2]);
    module.unload(&device.memory).unwrap();
    assert_eq!(device.memory.live_allocations(), 1);
}

#[test]
fn a_lock_taken_by_every_lane_in_turn() {
    let (out, _) = one_block(
        64,
        "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.v2.u32 [dynamic], {0, 0}; bar.sync 0; \
         TRY: atom.acquire.cta.shared.cas.b32 %r1, [dynamic], 0, 1; setp.ne.u32 %p2, %r1, 0; \
         @%p2 bra TRY; ld.volatile.shared.u32 %r39, [dynamic+4]; add.u32 %r3, %r39, 1; \
         st.volatile.shared.u32 [dynamic+4], %r3; \
         atom.release.cta.shared.exch.b32 %r4, [dynamic], 0;",
    );
    let mut order = out;
    order.sort_unstable();
    assert!(order.into_iter().eq(0..64));
}

#[test]
fn blocks_wait_for_flags_of_resident_blocks() {
    // Every block waits for the flag after its own. The last of these flags is set before the launch.
    let device = Device::new();
    let blocks = 16;
    let flags = device.zeros(4 * (blocks + 1));
    device.memory.write(flags + 4 * blocks, &[1]).unwrap();
    let text = kernel(
        1,
        "ld.param.u64 %d1, [p0]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %d2, %r1, 4; \
         add.u64 %d1, %d1, %d2; SPIN: ld.acquire.gpu.global.u32 %r2, [%d1+4]; \
         setp.eq.u32 %p1, %r2, 0; @%p1 bra SPIN; add.u32 %r2, %r2, 1; \
         st.release.gpu.global.u32 [%d1], %r2; ret;",
    );
    device.run(&text, blocks as u32, 1, &[Arg::U64(flags)]);
    let expected: Vec<u32> = (0..=blocks as u32).rev().map(|i| i + 1).collect();
    assert_eq!(device.download::<u32>(flags, 17), expected);
}

#[test]
fn more_blocks_than_are_resident_all_run() {
    let device = Device::new();
    let counter = device.zeros(4);
    let text = kernel(
        1,
        "ld.param.u64 %d1, [p0]; red.relaxed.gpu.global.add.u32 [%d1], 1; ret;",
    );
    let counters = device.run(&text, 1000, 256, &[Arg::U64(counter)]);
    assert_eq!(device.download::<u32>(counter, 1), [256_000]);
    assert_eq!((counters.blocks, counters.atomics), (1000, 256_000));
}

#[test]
fn shuffles() {
    let shuffled =
        |instruction: &str| one_block(32, &format!("mul.lo.u32 %r1, %r0, 10; {instruction}")).0;
    let down = shuffled("shfl.sync.down.b32 %r39|%p1, %r1, 4, 31, -1; @!%p1 mov.u32 %r39, 999;");
    assert_eq!(
        down,
        (0..32)
            .map(|t| if t < 28 { (t + 4) * 10 } else { 999 })
            .collect::<Vec<_>>()
    );
    let up = shuffled("shfl.sync.up.b32 %r39, %r1, 1, 0, 0xffffffff;");
    assert_eq!(
        up,
        (0_u32..32)
            .map(|t| t.saturating_sub(1) * 10)
            .collect::<Vec<_>>()
    );
    let across = shuffled("shfl.sync.bfly.b32 %r39, %r1, 16, 31, -1;");
    assert_eq!(across, (0..32).map(|t| (t ^ 16) * 10).collect::<Vec<_>>());
    let halves = shuffled("shfl.sync.idx.b32 %r39, %r1, 3, 0x100f, -1;");
    assert_eq!(
        halves,
        (0..32).map(|t| (t & 16 | 3) * 10).collect::<Vec<_>>()
    );
}

#[test]
fn votes_matches_and_warp_reductions() {
    let (out, counters) = one_block(
        32,
        "setp.lt.u32 %p1, %r0, 3; vote.sync.ballot.b32 %r1, %p1, -1; vote.sync.any.pred %p2, %p1, -1; \
         vote.sync.all.pred %p3, %p1, -1; vote.sync.uni.pred %p4, !%p3, -1; and.b32 %r2, %r0, 3; \
         match.any.sync.b32 %r3, %r2, -1; match.all.sync.b32 %r4|%p5, %r2, -1; \
         redux.sync.add.u32 %r5, %r0, -1; sub.s32 %r6, %r0, 20; redux.sync.min.s32 %r7, %r6, -1; \
         selp.u32 %r39, 1, 0, %p2; @!%p3 add.u32 %r39, %r39, 10; @%p4 add.u32 %r39, %r39, 100; \
         @!%p5 add.u32 %r39, %r39, 1000; add.u32 %r39, %r39, %r1; add.u32 %r39, %r39, %r5; \
         sub.s32 %r39, %r39, %r7; shr.u32 %r3, %r3, %r2; and.b32 %r3, %r3, 0x1111; \
         add.u32 %r39, %r39, %r3; add.u32 %r39, %r39, %r4;",
    );
    assert_eq!(out, [1111 + 7 + 496 + 20 + 0x1111; 32]);
    assert_eq!(counters.votes, 8);
}

#[test]
fn part_of_a_warp_synchronises_separately() {
    let (out, _) = one_block(
        32,
        "setp.lt.u32 %p1, %r0, 8; @!%p1 bra REST; redux.sync.add.u32 %r39, %r0, 0xff; \
         bar.warp.sync 0xff; bra.uni END; REST: redux.sync.max.u32 %r39, %r0, 0xffffff00; END:",
    );
    let expected: Vec<u32> = (0..32).map(|t| if t < 8 { 28 } else { 31 }).collect();
    assert_eq!(out, expected);
}

/// Lanes 0 to 11 execute `low`, and lanes 12 to 31 execute `high`. For `low`, `%r1` is the thread's number plus 100, `%r2` is 88, and `%p1`
/// holds. For `high`, `%r2` is the thread's number plus 200, `%r1` is 77, and `%p1` does not hold. No lane may receive 77 or 88 from
/// another lane.
fn in_two_branches(low: &str, high: &str) -> Vec<u32> {
    one_block(
        32,
        &format!(
            "setp.lt.u32 %p1, %r0, 12; setp.ge.u32 %p6, %r0, 20; mov.u32 %r39, 7; @%p1 bra LOW; \
             add.u32 %r2, %r0, 200; mov.u32 %r1, 77; {high} bra.uni END; \
             LOW: add.u32 %r1, %r0, 100; mov.u32 %r2, 88; {low} END:"
        ),
    )
    .0
}

/// The value of each thread: `low` of its number if the number is below 12, `high` of it otherwise.
fn each(low: impl Fn(u32) -> u32, high: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..32)
        .map(|t| if t < 12 { low(t) } else { high(t) })
        .collect()
}

#[test]
fn lanes_in_two_branches_shuffle_with_each_other() {
    let shuffled = in_two_branches(
        "shfl.sync.bfly.b32 %r39|%p3, %r1, 16, 31, -1; add.u32 %r39, %r39, %r2;",
        "mov.u32 %r4, 16; mov.u32 %r5, -1; shfl.sync.bfly.b32 %r6, %r2, %r4, 31, %r5; mov.u32 %r39, %r6;",
    );
    let sent = |t| if t < 12 { t + 100 } else { t + 200 };
    assert_eq!(
        shuffled,
        each(|t| sent(t ^ 16) + 88, |t| sent(t ^ 16)),
        "each with its own operands"
    );
    let from = in_two_branches(
        "shfl.sync.idx.b32 %r39, %r1, 31, 31, -1;",
        "shfl.sync.idx.b32 %r39, %r2, 0, 31, -1;",
    );
    assert_eq!(from, each(|_| 231, |_| 100));
}

#[test]
fn lanes_in_two_branches_vote_match_and_reduce_together() {
    let select = "selp.u32 %r39, 1, 0, %p3;";
    let all = in_two_branches(
        &format!("vote.sync.all.pred %p3, %p1, -1; {select}"),
        &format!("vote.sync.all.pred %p3, !%p1, -1; {select}"),
    );
    assert_eq!(all, [1; 32]);
    let ballot = in_two_branches(
        "vote.sync.ballot.b32 %r39, %p1, -1;",
        "vote.sync.ballot.b32 %r3, %p6, -1; mov.u32 %r39, %r3;",
    );
    assert_eq!(ballot, [0xfff0_0fff; 32]);
    let equal = in_two_branches(
        "mov.u32 %r3, 5; match.any.sync.b32 %r39, %r3, -1;",
        "setp.lt.u32 %p4, %r0, 16; selp.u32 %r4, 5, 6, %p4; match.any.sync.b32 %r39, %r4, -1;",
    );
    let alike = |t| if t < 16 { 0xffff } else { 0xffff_0000 };
    assert_eq!(equal, each(alike, alike));
    let none_equal = in_two_branches(
        "match.all.sync.b32 %r39, %r1, -1;",
        &format!("match.all.sync.b32 %r3|%p3, %r2, -1; {select}"),
    );
    assert_eq!(none_equal, [0; 32]);
    let least = in_two_branches(
        "redux.sync.min.u32 %r39, %r1, -1;",
        "redux.sync.min.u32 %r39, %r2, -1;",
    );
    assert_eq!(least, [100; 32]);
    let elected = in_two_branches(
        &format!("elect.sync %r3|%p3, -1; {select} add.u32 %r39, %r39, %r3;"),
        &format!("elect.sync _|%p3, -1; {select}"),
    );
    assert_eq!(elected, each(|t| u32::from(t == 0), |_| 0));
}

#[test]
fn lanes_with_different_opcodes_do_not_synchronise() {
    let device = Device::new();
    for (low, high) in [
        (
            "shfl.sync.up.b32 %r1, %r0, 1, 0, -1;",
            "shfl.sync.down.b32 %r1, %r0, 1, 31, -1;",
        ),
        (
            "vote.sync.any.pred %p2, %p1, -1;",
            "vote.sync.all.pred %p2, %p1, -1;",
        ),
    ] {
        let text = kernel(
            0,
            &format!(
                "mov.u32 %r0, %tid.x; setp.lt.u32 %p1, %r0, 16; @%p1 bra LOW; {high} ret; LOW: {low} ret;"
            ),
        );
        let fault = device.fault(&text, 1, 32, &[]).to_string();
        assert!(fault.contains("wait for lanes"), "{fault}");
    }
}

#[test]
fn a_barrier_of_a_warp_in_two_branches_orders_their_accesses() {
    let body = |barrier: &str| {
        format!(
            "setp.lt.u32 %p1, %r0, 16; shl.b32 %r1, %r0, 2; mov.u32 %r2, dynamic; add.u32 %r1, %r1, %r2; \
             @%p1 bra LOW; {barrier} ld.shared.u32 %r39, [%r1+-64]; bra.uni END; \
             LOW: mov.u32 %r3, 500; st.shared.u32 [%r1], %r3; {barrier} mov.u32 %r39, %r0; END:"
        )
    };
    let (out, _) = one_block(32, &body("bar.warp.sync -1;"));
    let expected: Vec<u32> = (0..32).map(|t| if t < 16 { t } else { 500 }).collect();
    assert_eq!(out, expected);
}

#[test]
fn lanes_arrive_at_a_warp_reduction_one_by_one() {
    // The lanes loop different numbers of times, and all lanes meet at the reduction.
    let (out, _) = one_block(
        32,
        "mov.u32 %r1, %r0; SPIN: setp.eq.u32 %p1, %r1, 0; @%p1 bra MEET; sub.u32 %r1, %r1, 1; \
         bra.uni SPIN; MEET: redux.sync.add.u32 %r39, 1, -1;",
    );
    assert_eq!(out, [32; 32]);
}

#[test]
fn barriers_order_the_accesses_of_warps() {
    let (out, counters) = one_block(
        256,
        "shl.b32 %r1, %r0, 2; mov.u32 %r2, dynamic; add.u32 %r1, %r1, %r2; \
         st.shared.u32 [%r1], %r0; bar.sync 0; xor.b32 %r3, %r0, 255; shl.b32 %r3, %r3, 2; \
         add.u32 %r3, %r3, %r2; ld.shared.u32 %r39, [%r3]; barrier.sync.aligned 1, 256;",
    );
    assert!(out.into_iter().eq((0..256).rev()));
    assert_eq!((counters.barriers, counters.barriers_per_block), (2, 2));
}

#[test]
fn barriers_that_count_and_barriers_that_only_arrive() {
    let (out, _) = one_block(
        64,
        "setp.lt.u32 %p1, %r0, 40; bar.red.popc.u32 %r39, 0, %p1; bar.red.and.pred %p2, 0, %p1; \
         bar.red.or.pred %p3, 0, %p1; @%p2 add.u32 %r39, %r39, 100; @%p3 add.u32 %r39, %r39, 1000;",
    );
    assert_eq!(out, [1040; 64]);
    let (out, _) = one_block(
        64,
        "setp.lt.u32 %p1, %r0, 32; @!%p1 bra WAIT; setp.eq.u32 %p2, %r0, 7; @%p2 st.shared.u32 [dynamic], 3; \
         bar.arrive 1, 64; mov.u32 %r39, 0; bra.uni END; WAIT: bar.sync 1, 64; \
         ld.shared.u32 %r39, [dynamic]; END:",
    );
    assert_eq!((out[0], out[63]), (0, 3));
}

#[test]
fn jump_tables_and_calls_in_divergent_code() {
    let device = Device::new();
    let out = device.zeros(4 * 32);
    let text = ".version 8.0 .target sm_80 .address_size 64
        .func (.param .b32 result) collatz(.param .b32 n) {
            .reg .pred %p<3>; .reg .b32 %r<9>;
            ld.param.u32 %r1, [n]; mov.u32 %r2, 0;
            LOOP: setp.le.u32 %p1, %r1, 1; @%p1 bra DONE; and.b32 %r3, %r1, 1;
            setp.eq.u32 %p2, %r3, 1; @%p2 mad.lo.u32 %r1, %r1, 3, 1; @!%p2 shr.u32 %r1, %r1, 1;
            add.u32 %r2, %r2, 1; bra LOOP;
            DONE: st.param.u32 [result], %r2; ret;
        }
        .entry k(.param .u64 p0) {
            .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<4>;
            mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 3;
            ways: .branchtargets A, B, C, C;
            brx.idx %r1, ways;
            A: mov.u32 %r2, 100; bra END;
            B: { .param .b32 arg; .param .b32 res; st.param.b32 [arg], %r0;
                 call.uni (res), collatz, (arg); ld.param.b32 %r2, [res]; } bra END;
            C: call (%r2), collatz, (27);
            END: ld.param.u64 %d1, [p0]; mul.wide.u32 %d2, %r0, 4; add.u64 %d1, %d1, %d2;
            activemask.b32 %r3; setp.ne.u32 %p1, %r3, -1; @%p1 trap;
            st.global.u32 [%d1], %r2; ret;
        }";
    device.run(text, 1, 32, &[Arg::U64(out)]);
    let steps = |mut n: u32| {
        let mut count = 0;
        while n > 1 {
            n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 };
            count += 1;
        }
        count
    };
    let expected: Vec<u32> = (0..32_u32)
        .map(|t| match t % 4 {
            0 => 100,
            1 => steps(t),
            _ => 111,
        })
        .collect();
    assert_eq!(device.download::<u32>(out, 32), expected);
}

#[test]
fn different_seeds_give_equal_results() {
    // Counts the threads of a block, whose warps run at different paces.
    let text = kernel(
        1,
        "mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u32 [dynamic], 0; bar.sync 0; \
         shr.u32 %r1, %r0, 5; SPIN: setp.eq.u32 %p2, %r1, 0; @%p2 bra GO; sub.u32 %r1, %r1, 1; \
         bra.uni SPIN; GO: atom.shared.add.u32 %r2, [dynamic], 1; bar.sync 0; \
         ld.shared.u32 %r3, [dynamic]; ld.param.u64 %d1, [p0]; @%p1 red.global.add.u32 [%d1], %r3; ret;",
    );
    for seed in 0..20 {
        let mut device = Device::new();
        device.options.seed = seed;
        let out = device.zeros(4);
        device.run(&text, 5, 200, &[Arg::U64(out)]);
        assert_eq!(device.download::<u32>(out, 1), [1000], "seed {seed}");
    }
}
