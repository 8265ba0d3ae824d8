//! Stale reads: if a kernel does not order its accesses, some of its results are wrong under `Policy::StaleReads`.

mod support;

use support::{Arg, Device, kernel};
use virtual_gpu::{Checks, LaunchError, Policy, Switch};

/// Block 0 writes data and then a flag; block 1 waits for the flag, reads the data and stores it.
fn message(write_flag: &str, read_flag: &str, after: &str) -> String {
    kernel(
        1,
        &format!(
            "ld.param.u64 %d1, [p0]; mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 0; @!%p1 bra READ; \
             st.global.u32 [%d1], 42; {write_flag} ret; READ: {read_flag} setp.eq.u32 %p2, %r2, 0; \
             @%p2 bra READ; {after} ld.global.u32 %r3, [%d1]; st.global.u32 [%d1+64], %r3; ret;"
        ),
    )
}

/// For each of several seeds, whether the message arrives intact.
fn arrives(text: &str, race: Switch) -> Vec<bool> {
    let run = |seed| {
        let mut device = Device::new();
        device.options.seed = seed;
        device.options.policy = Policy::StaleReads;
        let mut checks = Checks::none();
        checks.race = race;
        device.options.checks = checks;
        let buffer = device.zeros(1024);
        let module = device.load(text);
        match device.launch(&module, "k", 2, 1, &[Arg::U64(buffer)]) {
            Ok(_) => device.download::<u32>(buffer + 64, 1) == [42],
            Err(LaunchError::Fault(_)) => false,
            Err(error) => panic!("{error}"),
        }
    };
    (0..20).map(run).collect()
}

const RELEASE: &str = "st.release.gpu.global.u32 [%d1+128], 1;";
const RELAXED_WRITE: &str = "st.relaxed.gpu.global.u32 [%d1+128], 1;";
const ACQUIRE: &str = "ld.acquire.gpu.global.u32 %r2, [%d1+128];";
const RELAXED_READ: &str = "ld.relaxed.gpu.global.u32 %r2, [%d1+128];";
const FENCE: &str = "fence.acq_rel.gpu;";

#[test]
fn ordered_messages_arrive() {
    let fenced = format!("{FENCE} {RELAXED_WRITE}");
    for (write, read, after) in [
        (RELEASE, ACQUIRE, ""),
        (RELEASE, RELAXED_READ, FENCE),
        (&fenced, ACQUIRE, ""),
        (&fenced, RELAXED_READ, FENCE),
    ] {
        let text = message(write, read, after);
        for race in [Switch::On, Switch::Off] {
            assert!(!arrives(&text, race).contains(&false), "{text}");
        }
    }
}

#[test]
fn some_unordered_messages_do_not_arrive() {
    for (write, read) in [
        (RELAXED_WRITE, ACQUIRE),
        (RELEASE, RELAXED_READ),
        (RELAXED_WRITE, RELAXED_READ),
    ] {
        let arrived = arrives(&message(write, read, ""), Switch::Off);
        assert!(arrived.contains(&false), "{write} {read}");
    }
}

#[test]
fn a_reader_never_sees_an_older_value_again() {
    // One thread counts up. The other threads read the count again and again, and must not see it go down.
    let text = kernel(
        1,
        "ld.param.u64 %d1, [p0]; mov.u32 %r1, %ctaid.x; mov.u32 %r5, 0; setp.eq.u32 %p1, %r1, 0; \
         @!%p1 bra READ; UP: add.u32 %r5, %r5, 1; st.relaxed.gpu.global.u32 [%d1], %r5; \
         setp.lt.u32 %p2, %r5, 500; @%p2 bra UP; ret; \
         READ: ld.relaxed.gpu.global.u32 %r2, [%d1]; ld.relaxed.gpu.global.u32 %r3, [%d1]; \
         setp.lt.u32 %p3, %r3, %r2; @%p3 trap; setp.lt.u32 %p2, %r3, 500; @%p2 bra READ; ret;",
    );
    for seed in 0..20 {
        let mut device = Device::new();
        device.options.seed = seed;
        device.options.policy = Policy::StaleReads;
        let buffer = device.zeros(64);
        device.run(&text, 5, 1, &[Arg::U64(buffer)]);
    }
}
