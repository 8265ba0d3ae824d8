//! Faulty kernels, and their reports.

mod support;

use support::{Arg, Device, kernel};
use virtual_gpu::{AccessKind, Extent, FaultKind, LoadError, Memory, Module, Near, Space, Switch};

#[test]
fn an_out_of_bounds_access_has_a_full_report() {
    let device = Device::new();
    let buffer = device.zeros(400);
    let text = kernel(
        1,
        "\nld.param.u64 %d1, [p0];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n\
         mad.lo.u32 %r1, %r2, 64, %r1;\nmul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\n\
         ld.global.u32 %r3,\n  [%d1];\nret;",
    );
    let fault = device.fault(&text, 2, 64, &[Arg::U64(buffer)]);
    let extent = Extent {
        base: buffer,
        bytes: 400,
    };
    assert_eq!(
        fault.kind,
        FaultKind::OutOfBounds {
            space: Space::Global,
            access: AccessKind::Read,
            address: buffer + 400,
            bytes: 4,
            near: Near::After(extent, 0),
        }
    );
    assert_eq!((fault.block, fault.thread), ([1, 0, 0], [36, 0, 0]));
    assert_eq!((fault.warp, fault.lane, fault.line), (1, 4, 8));
    assert_eq!(fault.instruction, "ld.global.u32 %r3, [%d1]");
    assert_eq!(fault.cu_result(), 700);
    assert_eq!(
        fault.to_string(),
        format!(
            "out of bounds: read of 4 bytes at global address {:#x}; it is 0 bytes past the end of \
             the allocation {buffer:#x} (400 bytes)\n  in kernel `k`, block (1, 0, 0), thread \
             (36, 0, 0) = warp 1 lane 4\n  at PTX line 8: ld.global.u32 %r3, [%d1]",
            buffer + 400
        )
    );
}

#[test]
fn accesses_across_the_end_and_before_the_start() {
    let device = Device::new();
    let first = device.zeros(12);
    let text = kernel(
        1,
        "ld.param.u64 %d1, [p0]; ld.global.u64 %d2, [%d1+8]; ret;",
    );
    let fault = device.fault(&text, 1, 1, &[Arg::U64(first)]);
    let extent = Extent {
        base: first,
        bytes: 12,
    };
    let FaultKind::OutOfBounds { near, .. } = fault.kind else {
        panic!("{fault}");
    };
    assert_eq!(near, Near::Across(extent));
    let text = kernel(1, "ld.param.u64 %d1, [p0]; st.global.u8 [%d1+-1], 3; ret;");
    let fault = device.fault(&text, 1, 1, &[Arg::U64(first)]);
    let FaultKind::OutOfBounds { near, access, .. } = fault.kind else {
        panic!("{fault}");
    };
    assert_eq!((near, access), (Near::Before(extent, 1), AccessKind::Write));
    let fault = device.fault(&text, 1, 1, &[Arg::U64(0)]);
    assert_eq!(fault.cu_result(), 700);
}

#[test]
fn use_after_free() {
    let device = Device::new();
    let buffer = device.zeros(64);
    device.memory.free(buffer).unwrap();
    let other = device.zeros(64);
    assert_ne!(buffer, other);
    let text = kernel(
        1,
        "ld.param.u64 %d1, [p0]; red.global.add.u32 [%d1+16], 1; ret;",
    );
    let fault = device.fault(&text, 1, 1, &[Arg::U64(buffer)]);
    assert_eq!(
        fault.kind,
        FaultKind::UseAfterFree {
            access: AccessKind::Atomic,
            address: buffer + 16,
            bytes: 4,
            freed: Extent {
                base: buffer,
                bytes: 64
            },
        }
    );
}

#[test]
fn alignment_to_the_full_width_of_a_vector() {
    let device = Device::new();
    let buffer = device.zeros(64);
    let text = kernel(
        1,
        "ld.param.u64 %d1, [p0]; ld.v4.b32 {%r1, %r2, %r3, %r4}, [%d1+8]; ret;",
    );
    let fault = device.fault(&text, 1, 1, &[Arg::U64(buffer)]);
    let expected = FaultKind::Misaligned {
        space: Space::Global,
        access: AccessKind::Read,
        address: buffer + 8,
        bytes: 16,
    };
    assert_eq!(fault.kind, expected);
    assert_eq!(fault.cu_result(), 716);
}

#[test]
fn shared_and_local_memory_have_bounds_too() {
    let device = Device::new();
    let shared = device.fault(
        &kernel(0, "st.shared.u32 [dynamic+4096], 1; ret;"),
        1,
        1,
        &[],
    );
    assert!(
        shared
            .to_string()
            .contains("write of 4 bytes at shared address 0x1000"),
        "{shared}"
    );
    assert!(
        shared.to_string().contains("the space has 4096 bytes"),
        "{shared}"
    );
    let text = kernel(0, ".local .b8 depot[8]; ld.local.u8 %r1, [depot+16]; ret;");
    let local = device.fault(&text, 1, 1, &[]);
    assert!(local.to_string().contains("at local address"), "{local}");
    let text = kernel(
        0,
        "cvta.shared.u64 %d1, dynamic; ld.u32 %r1, [%d1+-4]; ret;",
    );
    assert_eq!(device.fault(&text, 1, 1, &[]).cu_result(), 700);
}

#[test]
fn traps_and_endless_launches() {
    let mut device = Device::new();
    let text = kernel(
        0,
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 37; @%p1 trap; ret;",
    );
    let fault = device.fault(&text, 1, 64, &[]);
    assert_eq!(
        (fault.kind.clone(), fault.thread, fault.lane),
        (FaultKind::Trap, [37, 0, 0], 5)
    );
    assert_eq!(fault.cu_result(), 719);
    device.options.step_budget = 10_000;
    let fault = device.fault(&kernel(0, "L: bra L;"), 3, 64, &[]);
    assert_eq!(fault.kind, FaultKind::StepBudget { steps: 10_000 });
    assert_eq!(fault.cu_result(), 702);
}

#[test]
fn a_barrier_that_some_threads_do_not_reach() {
    let mut device = Device::new();
    let text = kernel(
        0,
        "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 48; @%p1 ret;\nbar.sync 0; ret;",
    );
    let fault = device.fault(&text, 1, 64, &[]);
    let FaultKind::BarrierDivergence {
        barrier: 0,
        missing,
    } = &fault.kind
    else {
        panic!("{fault}");
    };
    let lanes: Vec<String> = (16..32).map(|l| l.to_string()).collect();
    assert_eq!(
        *missing,
        format!("lanes {} of warp 1 exited before", lanes.join(", "))
    );
    assert_eq!((fault.line, fault.cu_result()), (2, 719));
    device.options.checks.sync = Switch::Off;
    device.run(&text, 1, 64, &[]);
}

#[test]
fn both_sides_of_a_conditional_wait_at_different_barriers() {
    let device = Device::new();
    let text = kernel(
        0,
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; @%p1 bra L;\nbar.sync 0; ret;\n\
         L: bar.sync 0; ret;",
    );
    let fault = device.fault(&text, 1, 32, &[]);
    let FaultKind::BarrierDivergence { missing, .. } = &fault.kind else {
        panic!("{fault}");
    };
    assert!(
        missing.contains("at line") && missing.contains("instead: bar.sync 0"),
        "{missing}"
    );
}

#[test]
fn warps_that_wait_for_each_other_deadlock() {
    let device = Device::new();
    let text = kernel(
        0,
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 32; @%p1 bra L;\nbar.sync 1, 64; ret;\n\
         L: bar.sync 2, 64; ret;",
    );
    let fault = device.fault(&text, 1, 64, &[]);
    let FaultKind::Deadlock { waiting } = &fault.kind else {
        panic!("{fault}");
    };
    assert_eq!(
        waiting,
        "all lanes of warp 0 at line 3: bar.sync 2, 64; all lanes of warp 1 at line 2: \
         bar.sync 1, 64"
    );
}

#[test]
fn barriers_that_do_not_exist() {
    let device = Device::new();
    let fault = device.fault(&kernel(0, "bar.sync 16; ret;"), 1, 32, &[]);
    assert!(
        fault.to_string().starts_with("invalid barrier: number 16"),
        "{fault}"
    );
    let fault = device.fault(&kernel(0, "bar.sync 0, 33; ret;"), 1, 64, &[]);
    assert!(
        fault.to_string().contains("must be a multiple of 32"),
        "{fault}"
    );
}

#[test]
fn a_lane_outside_its_own_mask() {
    let mut device = Device::new();
    let text = kernel(0, "shfl.sync.idx.b32 %r1, %r2, 0, 31, 0x0000ffff; ret;");
    let fault = device.fault(&text, 1, 32, &[]);
    let FaultKind::WarpSync {
        members: 0xffff,
        what,
    } = &fault.kind
    else {
        panic!("{fault}");
    };
    assert!(what.contains("lanes 16, 17"), "{what}");
    assert_eq!(fault.lane, 16);
    device.options.checks.sync = Switch::Off;
    device.run(&text, 1, 32, &[]);
}

#[test]
fn a_lane_of_the_mask_that_never_arrives() {
    let device = Device::new();
    let text = kernel(
        0,
        "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 16; @%p1 bra L;\nbar.warp.sync -1; ret;\n\
         L: vote.sync.any.pred %p2, %p1, -1; ret;",
    );
    let fault = device.fault(&text, 1, 32, &[]);
    let FaultKind::WarpSync {
        members: u32::MAX,
        what,
    } = &fault.kind
    else {
        panic!("{fault}");
    };
    assert!(what.contains("wait for lanes"), "{what}");
    assert!(what.contains("at line"), "{what}");
}

#[test]
fn a_shuffle_that_reads_an_exited_or_absent_lane() {
    let device = Device::new();
    let text = kernel(
        0,
        "mov.u32 %r1, %tid.x; setp.ge.u32 %p1, %r1, 30; @%p1 ret;\n\
         shfl.sync.down.b32 %r2, %r1, 1, 31, -1; ret;",
    );
    let fault = device.fault(&text, 1, 32, &[]);
    assert!(
        fault
            .to_string()
            .contains("lane 29 reads from lane 30, which has exited"),
        "{fault}"
    );
    let text = kernel(0, "shfl.sync.down.b32 %r2, %r1, 1, 31, -1; ret;");
    let fault = device.fault(&text, 1, 20, &[]);
    assert!(
        fault
            .to_string()
            .contains("lane 19 reads from lane 20, which has no thread"),
        "{fault}"
    );
}

#[test]
fn a_failed_load_frees_its_memory() {
    let device = Device::new();
    let text = format!(
        "{} .global .u32 x[4] = {{1, 2}};",
        kernel(0, "bogus.u32 %r1, %r2;")
    );
    device.problems(&text);
    assert_eq!(
        (device.memory.live_bytes(), device.memory.live_allocations()),
        (0, 0)
    );
    let small = Memory::new(8);
    let text = ".version 8.0 .target sm_80 .global .u32 x[4];";
    let error = Module::load(text, &device.config, &small).unwrap_err();
    assert!(matches!(error, LoadError::Memory(_)));
    assert_eq!((error.cu_result(), small.live_bytes()), (2, 0));
}
