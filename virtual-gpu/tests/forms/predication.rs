//! Plain and negated guards of branches, returns, exits, traps, calls, warp operations, barriers, and accesses to memory.

use super::{block, warp_gives};
use virtual_gpu::FaultKind;

/// Makes `%p1` true in lanes 0 to 4.
const FEW: &str = "setp.lt.u32 %p1, %r0, 5;";

#[test]
fn branches() {
    for (guard, taken) in [("@%p1", true), ("@!%p1", false)] {
        let body = format!("{FEW} {guard} bra END; mov.u32 %r39, 9; END:");
        warp_gives(&body, |lane| if (lane < 5) == taken { 0 } else { 9 });
        let table = format!(
            "{FEW} and.b32 %r1, %r0, 1; WAYS: .branchtargets EVEN, ODD; \
             {guard} brx.idx %r1, WAYS; mov.u32 %r39, 9; bra END; EVEN: mov.u32 %r39, 20; bra END; \
             ODD: mov.u32 %r39, 21; END:"
        );
        warp_gives(&table, |lane| match (lane < 5) == taken {
            true => 20 + lane % 2,
            false => 9,
        });
    }
}

#[test]
fn guarded_returns_exits_and_traps() {
    for (guard, ends) in [("@%p1", true), ("@!%p1", false)] {
        for end in ["ret", "exit"] {
            // Remaining lanes store the mask of active lanes. Exited lanes store nothing.
            let body = format!("{FEW} {guard} {end}; activemask.b32 %r39;");
            let there = if ends { 0xffff_ffe0 } else { 0x1f };
            warp_gives(&body, |lane| if (lane < 5) == ends { 0 } else { there });
        }
        let body = format!("{FEW} {guard} trap;");
        assert_eq!(block(32, &body), Err(FaultKind::Trap), "{body}");
    }
}

#[test]
fn a_trap_that_no_lane_reaches() {
    warp_gives(
        "setp.eq.u32 %p1, %r0, 99; @%p1 trap; mov.u32 %r39, 1;",
        |_| 1,
    );
}

#[test]
fn calls() {
    let device = super::Device::new();
    for (guard, calls) in [("@%p1", true), ("@!%p1", false)] {
        let text = format!(
            ".version 8.0 .target sm_80 .address_size 64
             .func (.param .b32 result) twice(.param .b32 n) {{
                 .reg .b32 %r<3>; .reg .pred %p<2>; ld.param.u32 %r1, [n]; add.u32 %r2, %r1, %r1;
                 setp.eq.u32 %p1, %r1, 3; st.param.u32 [result], 77; @%p1 ret;
                 st.param.u32 [result], %r2; ret;
             }}
             .entry k(.param .u64 p0) {{
                 .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %d<4>;
                 mov.u32 %r0, %tid.x; {FEW} mov.u32 %r2, 9;
                 {{ .param .b32 arg; .param .b32 res; st.param.b32 [arg], %r0; st.param.b32 [res], 9;
                    {guard} call.uni (res), twice, (arg); ld.param.b32 %r2, [res]; }}
                 ld.param.u64 %d1, [p0]; mad.wide.u32 %d1, %r0, 4, %d1; st.global.u32 [%d1], %r2; ret;
             }}"
        );
        let out = device.zeros(128);
        device.run(&text, 1, 32, &[super::Arg::U64(out)]);
        let expected: Vec<u32> = (0..32)
            .map(|lane| match ((lane < 5) == calls, lane) {
                (false, _) => 9,
                (true, 3) => 77,
                (true, lane) => 2 * lane,
            })
            .collect();
        assert_eq!(device.download::<u32>(out, 32), expected, "{guard}");
    }
}

#[test]
fn guarded_warp_operations_and_barriers() {
    for (guard, members, is_in) in [("@%p1", 0x1f_u32, true), ("@!%p1", 0xffff_ffe0, false)] {
        let takes_part = |lane: u32| (lane < 5) == is_in;
        let count = members.count_ones();
        for (form, gives) in [
            ("redux.sync.add.u32 %r39, 1", count),
            ("vote.sync.ballot.b32 %r39, 1", members),
            ("match.any.sync.b32 %r39, 4", members),
        ] {
            let body = format!("{FEW} mov.u32 %r1, 1; {guard} {form}, {members};");
            warp_gives(&body, |lane| if takes_part(lane) { gives } else { 0 });
        }
    }
    // Barriers that a guard restricts to one of the two warps.
    let body = "setp.lt.u32 %p1, %r0, 32; @%p1 bar.sync 1, 32; @!%p1 bar.arrive 2, 64; \
                @%p1 bar.sync 2, 64; mov.u32 %r39, 3;";
    assert_eq!(block(64, body), Ok(vec![3; 64]));
}

#[test]
fn memory() {
    for (guard, done) in [("@%p1", true), ("@!%p1", false)] {
        let own = "mov.u32 %r9, dynamic; mad.lo.u32 %r8, %r0, 4, %r9; st.shared.u32 [%r8], 6;";
        let get = "ld.shared.u32 %r39, [%r8];";
        for (form, new) in [
            ("st.shared.u32 [%r8], 7;", 7),
            ("red.shared.add.u32 [%r8], 2;", 8),
            ("atom.shared.exch.b32 %r1, [%r8], 5;", 5),
            ("atom.shared.cas.b32 %r1, [%r8], 6, 4;", 4),
            ("atom.shared.cas.b32 %r1, [%r8], 5, 4;", 6),
        ] {
            let body = format!("{FEW} {own} {guard} {form} {get}");
            warp_gives(&body, |lane| if (lane < 5) == done { new } else { 6 });
        }
        let body = format!("{FEW} {own} mov.u32 %r39, 1; {guard} {get}");
        warp_gives(&body, |lane| if (lane < 5) == done { 6 } else { 1 });
    }
}
