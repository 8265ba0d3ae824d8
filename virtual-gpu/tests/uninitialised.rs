//! Uninitialised bytes: where they are allowed, and where they are reported.

mod support;

use support::{Arg, Device, kernel};
use virtual_gpu::{Fault, FaultKind, LaunchError, Switch};

/// Runs a kernel of one warp on 256 bytes. Only the first 20 bytes are written, with the numbers 1 to 5. Returns the text of the fault, if
/// there is one.
fn found(body: &str) -> Option<String> {
    let body = format!("ld.param.u64 %d1, [p0]; mov.u32 %r0, %tid.x; {body} ret;");
    faulted(&Device::new(), &kernel(1, &body)).map(|fault| fault.kind.to_string())
}

fn faulted(device: &Device, text: &str) -> Option<Fault> {
    let buffer = device.memory.alloc(256).unwrap();
    let words: Vec<u8> = [1_u32, 2, 3, 4, 5]
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    device.memory.write(buffer, &words).unwrap();
    let module = device.load(text);
    match device.launch(&module, "k", 1, 32, &[Arg::U64(buffer)]) {
        Ok(_) => None,
        Err(LaunchError::Fault(fault)) => {
            assert!(
                matches!(fault.kind, FaultKind::Uninitialised { .. }),
                "{fault}"
            );
            Some(*fault)
        }
        Err(error) => panic!("{error}"),
    }
}

/// A branch whose condition is computed from `%r1`.
const DECIDE: &str = "setp.eq.u32 %p1, %r1, 5; @%p1 bra END; add.u32 %r2, %r1, 1; END:";

fn decides(setup: &str) -> Option<String> {
    found(&format!("{setup} {DECIDE}"))
}

#[test]
fn written_values_may_decide() {
    assert_eq!(decides("ld.global.u32 %r1, [%d1];"), None);
    assert_eq!(decides("mov.u32 %r1, %r0;"), None);
    let stored = "st.global.u32 [%d1+64], 1; ld.global.u32 %r1, [%d1+64];";
    assert_eq!(decides_in_lanes(stored), None);
}

#[test]
fn the_origin_is_tracked_through_arithmetic_moves_and_memory() {
    let origin = "from global address 0x";
    for setup in [
        "ld.global.u32 %r1, [%d1+32];",
        "ld.global.u32 %r3, [%d1+32]; add.u32 %r4, %r3, 7; mov.u32 %r1, %r4;",
        "ld.global.v2.u32 {%r5, %r1}, [%d1+32];",
        "ld.global.u64 %d2, [%d1+32]; mov.b64 {%r5, %r1}, %d2;",
        "ld.global.u32 %r3, [%d1+32]; mad.lo.u32 %r1, %r3, %r0, %r3;",
        "ld.global.s8 %r1, [%d1+35];",
        "ld.global.u32 %r3, [%d1+32]; shfl.sync.idx.b32 %r1, %r3, 0, 31, -1;",
    ] {
        let what = decides(setup).unwrap_or_else(|| panic!("{setup}"));
        assert!(
            what.contains(origin) && what.contains("read at line 1: ld.global"),
            "{what}"
        );
        assert!(
            what.starts_with("uninitialised: the predicate comes"),
            "{what}"
        );
    }
    let through_shared = "ld.global.u32 %r3, [%d1+32]; mad.lo.u32 %r4, %r0, 4, 0; \
                          st.shared.u32 [%r4], %r3; ld.shared.u32 %r1, [%r4];";
    let what = decides(through_shared).unwrap();
    assert!(what.contains("from shared address 0x0"), "{what}");
    let what = decides("").unwrap();
    assert!(
        what.ends_with("from a register that nothing wrote"),
        "{what}"
    );
}

#[test]
fn every_use_that_decides_is_checked() {
    let load = "ld.global.u32 %r1, [%d1+32];";
    for (decision, what) in [
        ("@%p5 st.global.u32 [%d1], 1;", "the predicate"),
        (
            "mad.wide.u32 %d2, %r1, 4, %d1; ld.global.u32 %r2, [%d2];",
            "the address",
        ),
        (
            "mad.wide.u32 %d2, %r1, 4, %d1; red.global.add.u32 [%d2], 1;",
            "the address",
        ),
        ("vote.sync.any.pred %p1, %p2, %r1;", "the member mask"),
        ("bar.sync %r1;", "the barrier's number"),
        ("bar.sync 0, %r1;", "the barrier's count"),
        ("bar.red.popc.u32 %r2, 0, %p5;", "the barrier's predicate"),
        ("@%p5 ret;", "the predicate"),
        (
            "ways: .branchtargets A, B; brx.idx %r1, ways; A: B:",
            "the index of the label",
        ),
    ] {
        let report = found(&format!("{load} {decision}")).unwrap_or_else(|| panic!("{decision}"));
        assert!(
            report.starts_with(&format!("uninitialised: {what} comes from")),
            "{report}"
        );
    }
}

#[test]
fn undefined_bits_without_effect_are_no_fault() {
    for setup in [
        // The undefined bytes are loaded, moved and stored, but never used.
        "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d1+32]; st.global.v4.u32 [%d1+48], {%r3, %r4, \
         %r5, %r6}; mov.u32 %r1, 0;",
        // Only the half that was written is used.
        "ld.global.u64 %d2, [%d1+16]; mov.b64 {%r1, %r5}, %d2;",
        "ld.global.u64 %d2, [%d1+16]; cvt.u32.u64 %r1, %d2;",
        // The undefined bytes are masked or shifted away.
        "mov.b64 %d3, {%r0, %r9}; and.b64 %d3, %d3, 0xff; cvt.u32.u64 %r1, %d3;",
        "mov.b64 %d3, {%r9, %r0}; shr.u64 %d3, %d3, 32; cvt.u32.u64 %r1, %d3;",
        // The selection takes the defined value.
        "setp.ge.u32 %p3, %r0, 0; selp.b32 %r1, %r0, %r9, %p3;",
        // The defined operand of the `or` is true, so the result does not depend on the undefined operand.
        "setp.eq.u32 %p3, %r9, 0; setp.ge.u32 %p4, %r0, 0; or.pred %p3, %p3, %p4; \
         selp.b32 %r1, 1, 2, %p3;",
        // An atomic exchange does not depend on the old value.
        "atom.global.exch.b32 %r3, [%d1+32], 1; bar.sync 0; atom.global.or.b32 %r1, [%d1+32], 0;",
        // All lanes read one lane, whose value is defined.
        "setp.eq.u32 %p3, %r0, 0; @%p3 mov.u32 %r3, 9; shfl.sync.idx.b32 %r1, %r3, 0, 31, -1;",
        // One lane's defined predicate decides the vote. The predicates of the other lanes are undefined.
        "setp.eq.u32 %p3, %r9, 0; setp.eq.u32 %p4, %r0, 3; @%p4 setp.eq.u32 %p3, %r0, 3; \
         vote.sync.any.pred %p4, %p3, -1; selp.b32 %r1, 1, 2, %p4;",
        // The lanes of both branches read the value of lane 3. In the branch of lane 3, that value is defined.
        "setp.lt.u32 %p3, %r0, 16; @%p3 bra SIDE; shfl.sync.idx.b32 %r1, %r9, 3, 31, -1; bra.uni MEET; \
         SIDE: shfl.sync.idx.b32 %r1, %r0, 3, 31, -1; MEET:",
        // Local memory is written before it is read.
        ".local .align 8 .b8 depot[8]; st.local.u32 [depot], %r0; ld.local.u32 %r1, [depot];",
    ] {
        let setup = format!("bar.warp.sync -1; {setup}");
        assert_eq!(decides_in_lanes(&setup), None, "{setup}");
    }
}

/// Like [`decides`], without the race check: the accesses of some kernels race on purpose.
fn decides_in_lanes(setup: &str) -> Option<String> {
    let body = format!("ld.param.u64 %d1, [p0]; mov.u32 %r0, %tid.x; {setup} {DECIDE} ret;");
    let mut device = Device::new();
    device.options.checks.race = Switch::Off;
    faulted(&device, &kernel(1, &body)).map(|fault| fault.kind.to_string())
}

#[test]
fn undefined_bits_with_an_effect_are_a_fault() {
    for setup in [
        "ld.global.u64 %d2, [%d1+16]; mov.b64 {%r5, %r1}, %d2;",
        "mov.b64 %d3, {%r0, %r9}; shr.u64 %d3, %d3, 8; cvt.u32.u64 %r1, %d3;",
        "and.b32 %r1, %r9, 1;",
        "sub.u32 %r1, %r9, %r8;",
        "setp.lt.u32 %p3, %r0, 31; selp.b32 %r1, %r0, %r9, %p3;",
        "setp.eq.u32 %p3, %r9, 0; setp.gt.u32 %p4, %r0, 0; or.pred %p3, %p3, %p4; \
         selp.b32 %r1, 1, 2, %p3;",
        "atom.global.add.u32 %r1, [%d1+32], 1;",
        "setp.eq.u32 %p3, %r0, 0; @%p3 mov.u32 %r3, 9; shfl.sync.idx.b32 %r1, %r3, 1, 31, -1;",
        "setp.lt.u32 %p3, %r0, 16; @%p3 bra SIDE; shfl.sync.idx.b32 %r1, %r9, 3, 31, -1; bra.uni MEET; \
         SIDE: shfl.sync.idx.b32 %r1, %r0, 19, 31, -1; MEET:",
        "setp.lt.u32 %p3, %r0, 16; @%p3 bra SIDE; vote.sync.ballot.b32 %r1, %p7, -1; bra.uni MEET; \
         SIDE: vote.sync.ballot.b32 %r1, %p3, -1; MEET:",
        "redux.sync.add.u32 %r1, %r9, -1;",
        // Half of the new value of `exch`, or of the value that `cas` compares with memory, is undefined.
        ".reg .b128 %q<3>; mov.b128 %q1, {%d2, %d1}; atom.global.b128.exch %q2, [%d1+32], %q1; \
         ld.global.u32 %r1, [%d1+32];",
        ".reg .b128 %q<3>; mov.b128 %q1, {%d2, %d1}; mov.b128 %q2, {%d1, %d1}; \
         atom.cas.b128 %q2, [%d1], %q1, %q2; ld.global.u32 %r1, [%d1];",
        "vote.sync.ballot.b32 %r1, %p7, -1;",
        ".local .align 8 .b8 depot[8]; st.local.u16 [depot], %h0; ld.local.u32 %r1, [depot];",
    ] {
        assert!(decides_in_lanes(setup).is_some(), "{setup}");
    }
}

#[test]
fn memory_counts_as_written_after_an_unchecked_launch() {
    let mut device = Device::new();
    let buffer = device.memory.alloc(64).unwrap();
    let reads = kernel(
        1,
        &format!("ld.param.u64 %d1, [p0]; ld.global.u32 %r1, [%d1]; {DECIDE} ret;"),
    );
    let module = device.load(&reads);
    let mut launch = |init| {
        device.options.checks.init = init;
        device
            .launch(&module, "k", 1, 1, &[Arg::U64(buffer)])
            .is_ok()
    };
    assert!(!launch(Switch::On));
    assert!(launch(Switch::Off));
    assert!(launch(Switch::On), "whatever it wrote was not noted");
}

#[test]
fn module_variables_count_as_written() {
    let text =
        ".version 8.0 .target sm_80 .address_size 64 .global .u32 none; .global .u32 some = 3;
        .entry k(.param .u64 p0) { .reg .b32 %r<3>; .reg .pred %p<2>;
        ld.global.u32 %r1, [none]; ld.global.u32 %r2, [some]; add.u32 %r1, %r1, %r2;
        setp.eq.u32 %p1, %r1, 3; @!%p1 trap; ret; }";
    assert_eq!(faulted(&Device::new(), text), None);
}
