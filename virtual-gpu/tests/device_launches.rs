//! Grids launched by kernels: when they run, how they are ordered, and which launches fail.

#[path = "support/launching.rs"]
mod launching;
mod support;

use launching::{FIRE_AND_FORGET, NULL_STREAM, TAIL_LAUNCH, again, buffer, launch, start, text};
use support::{Arg, Device};
use virtual_gpu::{Counters, Dependence, Fault, FaultKind, LaunchError, Policy, Switch};

/// Runs a kernel with this body under every policy and some seeds, with the checks for races and uninitialised bytes. All runs must have
/// the same result. Returns the numbers at `p0` and the first run's counters, or the beginning of the fault's text.
fn run(body: &str, number: u64) -> Result<(Vec<u64>, Counters), String> {
    let mut found = None;
    for policy in Policy::ALL {
        for seed in 0..4 {
            let this = run_once(body, number, policy, seed)
                .map_err(|fault| fault.kind.to_string().chars().take(24).collect::<String>());
            let first = found.get_or_insert_with(|| this.clone());
            let numbers = |outcome: &Result<(Vec<u64>, Counters), String>| {
                outcome
                    .as_ref()
                    .map(|(n, _)| n.clone())
                    .map_err(String::clone)
            };
            assert_eq!(numbers(first), numbers(&this), "{policy:?}, seed {seed}");
        }
    }
    found.expect("there are policies")
}

fn run_once(
    body: &str,
    number: u64,
    policy: Policy,
    seed: u64,
) -> Result<(Vec<u64>, Counters), Box<Fault>> {
    let mut device = Device::new();
    device.options.checks.race = Switch::On;
    device.options.checks.init = Switch::On;
    device.options.policy = policy;
    device.options.seed = seed;
    let to = device.zeros(64);
    let module = device.load(&text(body));
    let outcome = device.launch(&module, "k", 1, 1, &[Arg::U64(to), Arg::U64(number)]);
    assert_eq!(device.memory.live_allocations(), 1, "a buffer is left");
    match outcome {
        Ok(counters) => Ok((device.download(to, 8), counters)),
        Err(LaunchError::Fault(fault)) => Err(fault),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_launch_ends_after_its_children() {
    let body = launch("set", "7", NULL_STREAM);
    let (numbers, counters) = run(&body, 0).unwrap();
    assert_eq!(numbers[0], 7);
    assert_eq!((counters.blocks, counters.device_launches), (2, 1));
}

#[test]
fn every_block_and_thread_of_a_child_runs() {
    let body = buffer("every", 3, 40) + "st.u64 [%d31], %d1;" + &start(FIRE_AND_FORGET);
    let every = "ret; } .visible .entry every(.param .u64 p0) { .reg .b64 %d<9>; \
                 ld.param.u64 %d1, [p0]; red.relaxed.gpu.global.add.u64 [%d1], 1;";
    let (numbers, counters) = run(&(body + every), 0).unwrap();
    assert_eq!(numbers[0], 120);
    assert_eq!(counters.blocks, 4);
}

#[test]
fn a_child_sees_its_launchers_writes() {
    let body = "st.global.u64 [%d1], 5;".to_owned() + &launch("look", "0", FIRE_AND_FORGET);
    assert_eq!(run(&body, 0).unwrap().0[..2], [5, 5]);
}

#[test]
fn the_null_stream_runs_children_in_order() {
    let both = |stream| {
        "st.global.u64 [%d1], 5;".to_owned()
            + &launch("raise", "3", stream)
            + &launch("look", "0", stream)
    };
    assert_eq!(run(&both(NULL_STREAM), 0).unwrap().0[..2], [8, 8]);
    let what = run(&both(FIRE_AND_FORGET), 0).unwrap_err();
    assert!(what.starts_with("race: at global address"), "{what}");
}

#[test]
fn a_tail_launch_runs_after_children_launched_later() {
    let body = "st.global.u64 [%d1], 5;".to_owned()
        + &launch("look", "0", TAIL_LAUNCH)
        + &launch("raise", "3", FIRE_AND_FORGET);
    assert_eq!(run(&body, 0).unwrap().0[..2], [8, 8]);
}

#[test]
fn a_parents_read_races_with_its_childs_write() {
    let body = launch("set", "7", NULL_STREAM) + "ld.global.u64 %d3, [%d1];";
    let what = run(&body, 0).unwrap_err();
    assert!(what.starts_with("race: at global address"), "{what}");
    let before = "ld.global.u64 %d3, [%d1];".to_owned() + &launch("set", "7", NULL_STREAM);
    assert_eq!(run(&before, 0).unwrap().0[0], 7);
}

#[test]
fn a_kernel_launches_itself_to_a_depth_of_24() {
    let (numbers, counters) = run(&again(NULL_STREAM), 3).unwrap();
    assert_eq!((numbers[0], counters.device_launches), (4, 3));
    assert_eq!(run(&again(FIRE_AND_FORGET), 24).unwrap().0[..2], [25, 0]);
    assert_eq!(run(&again(FIRE_AND_FORGET), 25).unwrap().0[..2], [25, 65]);
    // A tail launch begins after its launcher has ended, so it is not nested in the launcher.
    assert_eq!(run(&again(TAIL_LAUNCH), 100).unwrap().0[..2], [101, 0]);
}

#[test]
fn more_than_2048_pending_launches_are_refused() {
    let repeated = "mov.u32 %r1, 0; AGAIN:".to_owned()
        + &launch("raise", "1", TAIL_LAUNCH)
        + "setp.ne.u32 %p1, %r30, 0; @%p1 bra OUT; add.u32 %r1, %r1, 1; bra AGAIN; \
           OUT: st.global.u32 [%d1+8], %r1; st.global.u32 [%d1+16], %r30;";
    let (numbers, _) = run_once(&repeated, 0, Policy::Seeded, 0).unwrap();
    assert_eq!(numbers[..3], [2048, 2048, 69]);
}

#[test]
fn invalid_launches_are_refused() {
    let code = |launch: String| {
        let (numbers, counters) = run(&(launch + "st.global.u32 [%d1], %r30;"), 0).unwrap();
        assert_eq!(counters.device_launches, 0);
        numbers[0]
    };
    let write = "st.u64 [%d31], %d1; st.u64 [%d31+8], %d1;";
    assert_eq!(code(buffer("set", 0, 1) + write + &start(0)), 9);
    assert_eq!(code(buffer("set", 1, 1025) + write + &start(0)), 9);
    assert_eq!(code(buffer("set", 1, 1) + write + &start(77)), 400);
    assert_eq!(code("mov.u64 %d31, 0;".to_owned() + &start(0)), 1);
    assert_eq!(code("mov.u64 %d31, %d1;".to_owned() + &start(0)), 1);
    // `cudaGetParameterBufferV2` returns a null buffer for a number that is not a kernel's address.
    let none = buffer("1234", 1, 1) + "cvt.u32.u64 %r30, %d31;";
    assert_eq!(code(none), 0);
}

#[test]
fn a_launch_frees_its_parameter_buffer() {
    let twice = launch("set", "7", NULL_STREAM) + &start(NULL_STREAM);
    let body = twice + "st.global.u32 [%d1+8], %r30;";
    assert_eq!(run(&body, 0).unwrap().0[..2], [7, 1]);
    let late = launch("set", "7", NULL_STREAM) + "st.u64 [%d31], %d1;";
    let what = run(&late, 0).unwrap_err();
    assert!(what.starts_with("use after free: write"), "{what}");
}

#[test]
fn an_unwritten_parameter_is_found() {
    let body = buffer("set", 1, 1) + "st.u64 [%d31], %d1;" + &start(NULL_STREAM);
    let fault = run_once(&body, 0, Policy::Seeded, 0).unwrap_err();
    let what = "uninitialised: parameter 1 of the grid of `set` that is launched was never written";
    assert_eq!(fault.kind.to_string(), what);
}

#[test]
fn a_fault_of_a_child_names_the_child() {
    let body = buffer("set", 4, 1) + "st.u64 [%d31], 64; st.u64 [%d31+8], 64;" + &start(0);
    for policy in Policy::ALL {
        let fault = run_once(&body, 0, policy, 0).unwrap_err();
        assert_eq!((fault.kernel.as_str(), fault.cu_result()), ("set", 700));
        assert!(matches!(fault.kind, FaultKind::OutOfBounds { .. }));
        assert!(fault.block[0] < 4);
    }
}

#[test]
fn a_kernel_waits_for_its_child_by_a_flag() {
    let wait = "WAIT: ld.acquire.gpu.global.u64 %d3, [%d1]; setp.eq.u64 %p1, %d3, 0; \
                @%p1 bra WAIT; ld.global.u64 %d4, [%d1+8]; st.global.u64 [%d1+16], %d4;";
    let tell = "ret; } .visible .entry tell(.param .u64 p0, .param .u64 p1) { .reg .b64 %d<9>; \
                ld.param.u64 %d1, [p0]; st.global.u64 [%d1+8], 9; \
                st.release.gpu.global.u64 [%d1], 1;";
    let body = launch("tell", "0", FIRE_AND_FORGET) + wait + tell;
    for policy in [
        Policy::Seeded,
        Policy::StaleReads,
        Policy::StarvedPredecessor,
    ] {
        let (numbers, _) = run_once(&body, 0, policy, 1).unwrap();
        assert_eq!(numbers[..3], [1, 9, 9]);
    }
}

#[test]
fn a_table_of_kernels_in_memory() {
    let device = Device::new();
    let to = device.zeros(64);
    let load = "mov.u64 %d30, table; ld.global.u64 %d30, [%d30+8];";
    let body = launch("set", "7", NULL_STREAM).replace("mov.u64 %d30, set;", load);
    let table = ".global .u64 table[2] = {raise, set};";
    let module = device.load(&(text(&body) + table));
    let outcome = device.launch(&module, "k", 1, 1, &[Arg::U64(to), Arg::U64(0)]);
    assert_eq!(outcome.map(|c| c.device_launches), Ok(1));
    assert_eq!(device.download::<u64>(to, 1), [7]);
}

/// A child of a programmatic launch needs no `griddepcontrol.wait`: its launcher has waited.
#[test]
fn a_child_need_not_wait_for_preceding_launches() {
    for stream in [NULL_STREAM, FIRE_AND_FORGET, TAIL_LAUNCH] {
        let mut device = Device::new();
        device.options.dependence = Dependence::Programmatic;
        let body = "griddepcontrol.wait;".to_owned() + &launch("set", "5", stream);
        let to = device.zeros(8);
        device.run(&text(&body), 1, 1, &[Arg::U64(to), Arg::U64(0)]);
        assert_eq!(device.download::<u64>(to, 1), [5], "stream {stream}");
    }
}
