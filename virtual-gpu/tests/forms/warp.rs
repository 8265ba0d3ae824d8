//! Votes, matches, reductions, shuffles, active masks and elections of a warp.

use super::{OPERATIONS, Operation, block, warp_gives};

#[test]
fn votes() {
    // The predicate holds in the lanes below a number.
    for below in [0, 1, 20, 32] {
        let ballot = ((1_u64 << below) - 1) as u32;
        for (form, not, expected) in [
            ("all", "", u32::from(below == 32)),
            ("all", "!", u32::from(below == 0)),
            ("any", "", u32::from(below > 0)),
            ("any", "!", u32::from(below < 32)),
            ("uni", "", u32::from(below == 0 || below == 32)),
            ("uni", "!", u32::from(below == 0 || below == 32)),
        ] {
            let body = format!(
                "setp.lt.u32 %p1, %r0, {below}; vote.sync.{form}.pred %p2, {not}%p1, -1; \
                 selp.u32 %r39, 1, 0, %p2;"
            );
            warp_gives(&body, |_| expected);
        }
        for (not, expected) in [("", ballot), ("!", !ballot)] {
            let body =
                format!("setp.lt.u32 %p1, %r0, {below}; vote.sync.ballot.b32 %r39, {not}%p1, -1;");
            warp_gives(&body, |_| expected);
        }
    }
}

#[test]
fn matches_of_words_and_of_double_words() {
    let any = |lane: u32| 0x1111_1111 << (lane & 3);
    warp_gives(
        "and.b32 %r1, %r0, 3; match.any.sync.b32 %r39, %r1, -1;",
        any,
    );
    // Values that differ only in their upper halves.
    let upper = "and.b32 %r1, %r0, 3; mov.b64 %d5, {%r39, %r1};";
    warp_gives(&format!("{upper} match.any.sync.b64 %r39, %d5, -1;"), any);
    for (value, is_same) in [("7", true), ("%r0", false)] {
        let found = if is_same { 0xffff_ffff } else { 0 };
        for (setup, form) in [
            (format!("mov.u32 %r1, {value};"), "b32 %r39|%p1, %r1"),
            (
                format!("mov.u32 %r1, {value}; mov.b64 %d5, {{%r39, %r1}};"),
                "b64 %r39|%p1, %d5",
            ),
        ] {
            warp_gives(&format!("{setup} match.all.sync.{form}, -1;"), |_| found);
            let selected = format!("{setup} match.all.sync.{form}, -1; selp.u32 %r39, 3, 4, %p1;");
            warp_gives(&selected, |_| if is_same { 3 } else { 4 });
        }
    }
}

#[test]
fn reductions_over_a_warp() {
    let value = |lane: u32| (lane.wrapping_mul(0x9e37_79b9) ^ 0x8000_0001) | 1 << 7;
    let add_signed: (&str, Operation) = ("add.s32", u32::wrapping_add);
    let setup =
        "mul.lo.u32 %r1, %r0, 0x9e3779b9; xor.b32 %r1, %r1, 0x80000001; or.b32 %r1, %r1, 128;";
    for (form, combine) in OPERATIONS.into_iter().chain([add_signed]) {
        let all = (0..32).map(value).reduce(combine).unwrap();
        warp_gives(&format!("{setup} redux.sync.{form} %r39, %r1, -1;"), |_| {
            all
        });
        // The two halves of a warp reduce separately.
        let half = |lane: u32| {
            (lane & 16..(lane & 16) + 16)
                .map(value)
                .reduce(combine)
                .unwrap()
        };
        let halves = format!(
            "{setup} setp.lt.u32 %p1, %r0, 16; selp.u32 %r2, 0xffff, 0xffff0000, %p1; \
             redux.sync.{form} %r39, %r1, %r2;"
        );
        warp_gives(&halves, half);
    }
}

#[test]
fn shuffles() {
    // The values that lanes 2, 9, 13 and 30 get; 0 if the source lane is outside the lane's segment.
    for (form, expected) in [
        ("up.b32 %r39|%p1, %r1, 3, 0", [0, 60, 100, 270]),
        ("down.b32 %r39|%p1, %r1, 3, 31", [50, 120, 160, 0]),
        ("bfly.b32 %r39|%p1, %r1, 3, 31", [10, 100, 140, 290]),
        ("idx.b32 %r39|%p1, %r1, 3, 31", [30, 30, 30, 30]),
        // In segments of eight lanes.
        ("up.b32 %r39|%p1, %r1, 3, 0x1800", [0, 0, 100, 270]),
        ("down.b32 %r39|%p1, %r1, 3, 0x181f", [50, 120, 0, 0]),
        ("idx.b32 %r39|%p1, %r1, 3, 0x181f", [30, 110, 110, 270]),
    ] {
        let body = format!("mul.lo.u32 %r1, %r0, 10; shfl.sync.{form}, -1; @!%p1 mov.u32 %r39, 0;");
        let out = block(32, &body);
        let some = out.map(|out| [2, 9, 13, 30].map(|lane| out[lane]));
        assert_eq!(some, Ok(expected), "{body}");
    }
}

#[test]
fn active_masks_and_elected_lanes() {
    warp_gives("activemask.b32 %r39;", |_| u32::MAX);
    warp_gives(
        "setp.lt.u32 %p1, %r0, 5; @%p1 activemask.b32 %r39;",
        |lane| {
            if lane < 5 { 31 } else { 0 }
        },
    );
    let elected = "elect.sync %r39|%p1, -1; @%p1 add.u32 %r39, %r39, 100;";
    warp_gives(elected, |lane| if lane == 0 { 100 } else { 0 });
    let among = "setp.lt.u32 %p2, %r0, 9; @%p2 bra END; elect.sync %r39|%p1, 0xfffffe00; \
                 @%p1 add.u32 %r39, %r39, 100; END:";
    warp_gives(among, |lane| match lane {
        0..9 => 0,
        9 => 109,
        _ => 9,
    });
}
