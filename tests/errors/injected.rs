//! Makes the driver calls of the library fail in turn.
//!
//! A scenario first runs without a failure, and its driver calls are recorded. Then it runs again for each pair of an error code and a
//! driver call. The codes are several chosen ones. The calls are every third one or, in a sweep, all. In the run of a pair, this call fails
//! with this code. Each run has a thread of its own, on which no context is current at first. The scenario must return an error with the
//! call and the raw code. (If the driver lacks memory, the error may name no call. If the library can do without the call, there may be no
//! error.) The scenario must not panic. It must leak no object that the library can still release. Then the scenario runs again without a
//! failure. It must work, or report that the code has ended the context. With the real driver, live objects are not counted, and everything
//! else is checked.

use std::thread;

use cust::memory::DeviceBuffer;
use cust::stream::{Stream, StreamFlags};
use virtual_gpu::driver::{Code, Live, live_of_this_thread};
use virtual_gpu::inject::{Armed, Calls, Failure, Moment, fail, record};
use warpfold::{DriverCode, Error, Gpu, Result, Sum, cust, gpu_sum, reduce, scan};

use crate::common::gpu;
use crate::sweep;

/// Codes that leave the context alive, and two codes that CUDA does not have.
const HARMLESS: [i32; 21] = [
    1, 2, 3, 100, 101, 200, 201, 209, 218, 222, 400, 401, 500, 600, 701, 720, 801, 900, 999, 1000,
    -1,
];

/// Codes that end the context.
const STICKY: [i32; 5] = [700, 702, DESTROYED, 716, 719];

/// The code of a destroyed context.
const DESTROYED: i32 = 709;

/// Calls that release something. In a run without a failure, the library makes them when it already has its result.
const RELEASES: [&str; 6] = [
    "cuMemFree_v2",
    "cuMemFreeHost",
    "cuStreamDestroy_v2",
    "cuEventDestroy_v2",
    "cuModuleUnload",
    "cuDevicePrimaryCtxRelease_v2",
];

/// The code of too little device memory.
const OUT_OF_MEMORY: i32 = 2;

/// Work of the library. The tests make its driver calls fail. `work` gets the value that `prepare` makes.
struct Scenario<P, W> {
    prepare: P,
    work: W,
}

/// The outcome of a scenario.
#[derive(Debug)]
struct Attempt {
    result: Result<()>,
    /// The result of the same work on the same memory, done a second time without a failure.
    retry: Result<()>,
    calls: Vec<&'static str>,
    has_fired: bool,
    /// The live objects; unknown on a real device.
    alive: Option<Live>,
}

impl<S, P: Fn() -> S + Sync, W: Fn(&S) -> Result<()> + Sync> Scenario<P, W> {
    fn attempt(&self, failure: Option<Failure>) -> Attempt {
        let on_this_thread = || {
            let prepared = (self.prepare)();
            let armed = failure.map(fail);
            let (result, calls) = record(|| (self.work)(&prepared));
            let has_fired = armed.as_ref().is_some_and(Armed::has_fired);
            drop(armed);
            let retry = (self.work)(&prepared);
            drop(prepared);
            Attempt {
                result,
                retry,
                calls,
                has_fired,
                alive: live_of_this_thread(),
            }
        };
        thread::scope(|scope| scope.spawn(on_this_thread).join().unwrap())
    }

    /// The second of two runs without a failure. The first run may make objects that the library keeps.
    fn clean_attempt(&self) -> Attempt {
        self.attempt(None);
        self.attempt(None)
    }

    /// Makes driver calls fail with each code: in a sweep each call, and otherwise every third call, to save time. If `moment` is `Before`,
    /// the failing call has no effect. If it is `After`, the call has its effect, and then fails.
    fn fail_each_call(&self, codes: &[i32], moment: Moment) {
        let clean = self.clean_attempt();
        assert_eq!((&clean.result, &clean.retry), (&Ok(()), &Ok(())));
        for (nth, &call) in clean.calls.iter().enumerate().step_by(sweep::step(3)) {
            for &code in codes {
                let attempt = self.attempt(failure(nth, code, moment));
                let what = format!("call {nth} ({call}) with {code}: {attempt:?}");
                assert!(attempt.has_fired, "{what}");
                match &attempt.result {
                    Ok(()) => assert!(may_pass(nth, code, &clean.calls), "{what}"),
                    Err(error) => assert!(tells_of(error, call, code), "{what}"),
                }
                match &attempt.retry {
                    Ok(()) => {}
                    Err(Error::Poisoned { code: first }) => {
                        assert!(first.is_sticky() && first.0 == code, "{what}");
                    }
                    Err(_) => panic!("{what}"),
                }
                // The library frees nothing of a context that is reported as destroyed.
                let is_left =
                    moment == Moment::After || RELEASES.contains(&call) || code == DESTROYED;
                // If memory runs out, the library frees what it keeps for later calls, except kernels and the workspaces of graphs. Some of
                // the freed objects are counted for this thread, so fewer may be alive than in the clean run.
                let is_freed = code == OUT_OF_MEMORY && attempt.result.is_ok();
                assert!(
                    is_left || is_freed || attempt.alive == clean.alive,
                    "{what}"
                );
            }
        }
    }

    /// Runs the scenario for every third driver call (in a sweep, for each). In each run, the driver call succeeds, and the next call that
    /// synchronises returns `code`.
    fn fail_after_each_call(&self, code: i32) {
        let clean = self.clean_attempt();
        for (nth, &call) in clean.calls.iter().enumerate().step_by(sweep::step(3)) {
            let attempt = self.attempt(failure(nth, code, Moment::Deferred));
            let what = format!("after call {nth} ({call}): {attempt:?}");
            match &attempt.result {
                Ok(()) => assert!(!waits(&clean.calls[nth + 1..]), "{what}"),
                Err(error) => assert_eq!(carried(error).1, code, "{what}"),
            }
        }
    }
}

fn failure(nth: usize, code: i32, moment: Moment) -> Option<Failure> {
    Some(Failure {
        calls: Calls::Any,
        nth: nth as u64 + 1,
        code: Code(code),
        moment,
    })
}

/// The index of the first driver call that a `Gpu`'s drop makes: three calls before the first release. These three bind the context
/// and set the capture mode.
fn dropping(calls: &[&str]) -> usize {
    let frees = calls.iter().position(|call| RELEASES.contains(call));
    frees.map_or(calls.len(), |first| first.saturating_sub(3))
}

/// Whether one of these calls waits for earlier work, and so reports a failure of that work. The calls that a `Gpu`'s drop makes do not
/// count.
fn waits(calls: &[&str]) -> bool {
    calls[..dropping(calls)]
        .iter()
        .any(|call| ["cuMemcpyDtoH_v2", "cuStreamSynchronize"].contains(call))
}

/// Whether a failure of this call may be ignored.
fn may_pass(nth: usize, code: i32, calls: &[&str]) -> bool {
    nth >= dropping(calls)
        // This call looks up a function that older drivers lack. If the call fails, the library works without that function.
        || calls[nth] == "cuGetProcAddress"
        // After this code, the library tries the next variant of the PTX.
        || (calls[nth] == "cuModuleLoadDataEx" && code == 222)
        // If memory runs out, the library frees the memory that it keeps, and makes the call again.
        || code == OUT_OF_MEMORY
}

/// Whether an error carries this call and this code. If the driver itself lacks memory, the error names no call.
fn tells_of(error: &Error, call: &str, code: i32) -> bool {
    match error {
        Error::OutOfMemory {
            asked_bytes: None, ..
        } => code == OUT_OF_MEMORY,
        _ => carried(error) == (call, code),
    }
}

/// The call and the code in an error.
fn carried(error: &Error) -> (&'static str, i32) {
    match error {
        Error::Driver { call, code }
        | Error::NoDevice { call, code, .. }
        | Error::ContextLost { call, code } => (call, code.0),
        Error::KernelRejected { code, .. } => ("cuModuleLoadDataEx", code.0),
        Error::OutOfMemory { .. } => ("cuMemAlloc_v2", OUT_OF_MEMORY),
        Error::OutOfHostMemory { .. } => ("cuMemHostAlloc", OUT_OF_MEMORY),
        Error::NoSuchDevice { .. } => ("cuDeviceGet", 101),
        other => panic!("{other:?}"),
    }
}

/// The memory of the scenarios.
struct Buffers {
    stream: Stream,
    input: DeviceBuffer<u32>,
    output: DeviceBuffer<u32>,
}

impl Buffers {
    fn new() -> Self {
        let _gpu = gpu();
        Self {
            stream: Stream::new(StreamFlags::DEFAULT, None).unwrap(),
            input: DeviceBuffer::from_slice(&[1, 2, 3, 4]).unwrap(),
            output: DeviceBuffer::from_slice(&[0; 4]).unwrap(),
        }
    }

    /// Makes some waiting and some queued calls.
    fn work(&self, gpu: &Gpu) -> Result<()> {
        let mut output = self.output.index(..);
        reduce::<Sum, _>(&self.input)
            .to(&mut output)
            .queue(gpu, &self.stream)?;
        scan::<Sum, _>(&self.input)
            .to(&mut output)
            .queue(gpu, &self.stream)?;
        scan::<Sum, _>(&self.input).to(&mut output).wait(gpu)?;
        assert_eq!(reduce::<Sum, _>(&output).wait(gpu)?, 1 + 3 + 6 + 10);
        Ok(())
    }
}

#[test]
fn the_first_calls_of_a_gpu() {
    let buffers = Buffers::new();
    let first_use = Scenario {
        prepare: || (),
        work: |_: &()| buffers.work(&Gpu::new()?),
    };
    first_use.fail_each_call(&[1, 2, 700], Moment::Before);
    first_use.fail_each_call(&[999], Moment::After);
    first_use.fail_after_each_call(719);
}

#[test]
fn the_calls_of_a_warm_gpu() {
    let buffers = Buffers::new();
    let gpu = Gpu::new().unwrap();
    let warm_use = Scenario {
        prepare: || (),
        work: |_: &()| buffers.work(&gpu),
    };
    warm_use.fail_each_call(&HARMLESS, Moment::Before);
    warm_use.fail_each_call(&[1, 999], Moment::After);
    warm_use.fail_after_each_call(999);
}

#[test]
fn the_last_calls_of_a_gpu() {
    let buffers = Buffers::new();
    let last_use = Scenario {
        prepare: || {
            let gpu = Gpu::new().unwrap();
            buffers.work(&gpu).unwrap();
            gpu
        },
        work: |gpu: &Gpu| buffers.work(gpu),
    };
    last_use.fail_each_call(&STICKY, Moment::Before);
    last_use.fail_after_each_call(700);
}

#[test]
fn the_calls_of_the_slice_functions() {
    let slices = Scenario {
        prepare: || (),
        work: |_: &()| {
            assert_eq!(gpu_sum(&[1u64, 2, 3])?, 6);
            assert_eq!(scan::<Sum, _>(&[1u64, 2]).wait(Gpu::global())?, [1, 3]);
            Ok(())
        },
    };
    // Other tests use the process-wide `Gpu`, so no sticky error code is injected here.
    slices.fail_each_call(&HARMLESS, Moment::Before);
    slices.fail_each_call(&[1], Moment::After);
}

#[test]
fn a_sticky_failure_poisons_the_gpu() {
    let buffers = Buffers::new();
    let gpu = Gpu::new().unwrap();
    buffers.work(&gpu).unwrap();
    let armed = fail(Failure {
        calls: Calls::Named("cuLaunchKernelEx"),
        nth: 1,
        code: Code(716),
        moment: Moment::Sticky,
    });
    let code = DriverCode(716);
    let call = "cuLaunchKernelEx";
    assert_eq!(buffers.work(&gpu), Err(Error::Driver { call, code }));
    assert_eq!(buffers.work(&gpu), Err(Error::Poisoned { code }));
    drop(armed);
    assert_eq!(gpu.synchronize(), Err(Error::Poisoned { code }));
    assert_eq!(gpu.make_current(), Err(Error::Poisoned { code }));
    assert_eq!(
        reduce::<Sum, _>(&buffers.input.index(..0)).wait(&gpu),
        Ok(0)
    );
    // The context is really alive, so another `Gpu` on it works.
    buffers.work(&Gpu::new().unwrap()).unwrap();
}
