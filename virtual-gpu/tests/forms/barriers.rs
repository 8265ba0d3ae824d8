//! The barriers of a block: which threads wait, which are counted, and what the combining forms
//! return.

use super::block;
use virtual_gpu::FaultKind;

/// The ways to write a barrier: the text before the operation (such as `.sync`), the text after it, and whether the barrier is aligned.
const FAMILIES: [(&str, &str, bool); 6] = [
    ("bar", "", true),
    ("bar.cta", "", true),
    ("barrier", "", false),
    ("barrier", ".aligned", true),
    ("barrier.cta", "", false),
    ("barrier.cta", ".aligned", true),
];

/// Each thread writes its number, waits at the barrier, and reads the number of a thread of the other warp.
#[test]
fn threads_that_synchronise_wait() {
    let operands = ["0", "7, 64", "%r8", "%r8, %r9", "3, %r9"];
    for (name, aligned, _) in FAMILIES {
        for operands in operands {
            let body = format!(
                "mov.u32 %r8, 15; mov.u32 %r9, 64; mov.u32 %r7, dynamic; mad.lo.u32 %r1, %r0, 4, %r7; \
                 st.shared.u32 [%r1], %r0; {name}.sync{aligned} {operands}; \
                 xor.b32 %r2, %r0, 63; mad.lo.u32 %r2, %r2, 4, %r7; ld.shared.u32 %r39, [%r2];"
            );
            let expected: Vec<u32> = (0..64).map(|thread| thread ^ 63).collect();
            assert_eq!(block(64, &body), Ok(expected), "{body}");
        }
    }
}

/// If `arrive` waited, the warps would deadlock.
#[test]
fn threads_that_only_arrive_do_not_wait() {
    for (name, aligned, _) in FAMILIES {
        for operands in ["1, 64", "1, %r9", "%r8, 64", "%r8, %r9"] {
            let body = format!(
                "mov.u32 %r8, 1; mov.u32 %r9, 64; setp.lt.u32 %p1, %r0, 32; @!%p1 bra WAIT; \
                 setp.eq.u32 %p2, %r0, 0; @%p2 st.shared.u32 [dynamic], 5; {name}.arrive{aligned} {operands}; bar.sync 2, 64; \
                 bra.uni END; WAIT: bar.sync 2, 64; bar.sync 1, 64; ld.shared.u32 %r39, [dynamic]; END:"
            );
            let expected: Vec<u32> = (0..64).map(|t| if t < 32 { 0 } else { 5 }).collect();
            assert_eq!(block(64, &body), Ok(expected), "{body}");
        }
    }
}

#[test]
fn reductions_over_a_block() {
    // The predicate holds in none, in some and in all of 64 threads.
    for (name, aligned, _) in FAMILIES {
        for (below, holds) in [(0, 0), (40, 40), (64, 64)] {
            for (not, holds) in [("", holds), ("!", 64 - holds)] {
                for operands in ["0", "%r8, 64"] {
                    let body = format!(
                        "mov.u32 %r8, 9; setp.lt.u32 %p1, %r0, {below}; \
                         {name}.red.popc{aligned}.u32 %r1, {operands}, {not}%p1; \
                         {name}.red.and{aligned}.pred %p2, {operands}, {not}%p1; \
                         {name}.red.or{aligned}.pred %p3, {operands}, {not}%p1; \
                         mov.u32 %r39, %r1; @%p2 add.u32 %r39, %r39, 100; @%p3 add.u32 %r39, %r39, 1000;"
                    );
                    let all = if holds == 64 { 100 } else { 0 };
                    let any = if holds > 0 { 1000 } else { 0 };
                    assert_eq!(block(64, &body), Ok(vec![holds + all + any; 64]), "{body}");
                }
            }
        }
    }
}

#[test]
fn aligned_barriers_require_whole_warps() {
    for (name, aligned, is_aligned) in FAMILIES {
        let body = format!(
            "setp.lt.u32 %p1, %r0, 7; @%p1 bra FEW; {name}.sync{aligned} 0; bra.uni END; \
             FEW: {name}.sync{aligned} 0; END:"
        );
        let outcome = block(64, &body);
        match is_aligned {
            false => assert_eq!(outcome, Ok(vec![0; 64]), "{body}"),
            true => assert!(
                matches!(outcome, Err(FaultKind::BarrierDivergence { .. })),
                "{body}: {outcome:?}"
            ),
        }
    }
}

#[test]
fn a_barrier_reduction_requires_the_same_operation_of_all() {
    let reductions = [
        "bar.red.popc.u32 %r1, 0, %p1;",
        "bar.red.and.pred %p2, 0, %p1;",
        "bar.red.or.pred %p2, 0, %p1;",
        "bar.sync 0;",
    ];
    for (i, first) in reductions.iter().enumerate() {
        for (j, second) in reductions.iter().enumerate() {
            let body = format!(
                "setp.lt.u32 %p1, %r0, 32; @!%p1 bra OTHER; {first} bra.uni END; OTHER: {second} END:"
            );
            let outcome = block(64, &body);
            let is_fault = matches!(outcome, Err(FaultKind::InvalidBarrier { .. }));
            assert!(
                is_fault == (i != j) && outcome.is_ok() == (i == j),
                "{body}: {outcome:?}"
            );
        }
    }
}
