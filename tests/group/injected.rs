//! Makes the driver calls of a rank fail in turn. If the rank cannot do without the call, its error must name the call. The other ranks
//! must report, in their next call at the latest, that this rank failed or left. No rank may wait until the time limit. Memory may leak
//! only if a call fails after its effect, if a release fails, or if a call of the member's drop fails.

use std::time::{Duration, Instant};

use virtual_gpu::Mode;
use virtual_gpu::driver::Code;
use virtual_gpu::inject::{Armed, Calls, Failure, Moment, fail, record};
use warpfold::cust::memory::mem_get_info;
use warpfold::group::{Fault, Member};
use warpfold::{Error, Result, Sum, reduce, scan};

use crate::ranks::{Held, as_ranks, devices, on_four_devices};
use crate::sweep;

const RANKS: usize = 3;

const LIMIT: Duration = Duration::from_secs(120);

/// The code with which the calls fail: `CUDA_ERROR_UNKNOWN`, which does not end the context.
const CODE: i32 = 999;

/// Calls that release something. The library has its result before it makes them. If such a call fails before its effect, the object stays.
const RELEASES: [&str; 4] = [
    "cuMemFree_v2",
    "cuMemFreeHost",
    "cuStreamDestroy_v2",
    "cuEventDestroy_v2",
];

/// The outcome on a rank.
struct Seen {
    /// The result of each call of the library.
    results: Vec<Result<()>>,
    /// The driver calls that the library's calls make, and those that the member's drop makes.
    driver_calls: [Vec<&'static str>; 2],
    has_fired: bool,
}

/// The memory of a rank.
struct Buffers {
    many: Held<u64>,
    output: Held<u64>,
    /// One item on rank 1, none on the others.
    one: Held<u64>,
}

impl Buffers {
    fn new(rank: usize) -> Self {
        Self {
            many: Held::new(&[1; 9_001], 1),
            output: Held::new(&[0; 9_001], 1),
            one: Held::new(&vec![1; usize::from(rank == 1)], 0),
        }
    }

    /// Makes calls of all kinds: with chunks and tiles that lie on two ranks, in place and to another buffer, with all items on one rank,
    /// and with the result on one rank.
    fn calls(&self, member: &mut Member<'_>) -> Vec<Result<()>> {
        let (many, one) = (self.many.slice(), self.one.slice());
        vec![
            reduce::<Sum, _>(&many).wait(&mut *member).map(drop),
            scan::<Sum, _>(&mut self.many.slice())
                .in_place()
                .wait(&mut *member),
            reduce::<Sum, _>(&one).wait(&mut *member).map(drop),
            scan::<Sum, _>(&many)
                .exclusive()
                .to(&mut self.output.slice())
                .wait(&mut *member),
            reduce::<Sum, _>(&one).wait(member.at_root(0)).map(drop),
        ]
    }
}

/// Makes the calls of [`Buffers::calls`] on each rank. `failure`, if any, is injected on the rank `failing` alone. Earlier attempts leave
/// only loaded kernels, so all attempts after the first make the same driver calls until a driver call fails.
fn attempt(failing: usize, failure: Option<Failure>) -> Vec<Seen> {
    devices().iter().for_each(|gpu| gpu.trim().unwrap());
    as_ranks(RANKS, LIMIT, |mut member| {
        let buffers = Buffers::new(member.rank());
        let failure = failure.filter(|_| member.rank() == failing);
        let armed = failure.map(fail);
        let (results, calls) = record(|| buffers.calls(&mut member));
        let ((), end) = record(|| drop(member));
        Seen {
            results,
            driver_calls: [calls, end],
            has_fired: armed.as_ref().is_some_and(Armed::has_fired),
        }
    })
}

/// The call and the code in an error of the driver.
fn carried(error: &Error) -> Option<(&'static str, i32)> {
    match error {
        Error::Driver { call, code } => Some((call, code.0)),
        _ => None,
    }
}

/// Checks the outcome if this driver call fails on this rank. If `may_pass`, the failure need not cause an error.
fn check(failing: usize, (nth, call): (usize, &'static str), moment: Moment, may_pass: bool) {
    let begin = Instant::now();
    let failure = Failure {
        calls: Calls::Any,
        nth: nth as u64 + 1,
        code: Code(CODE),
        moment,
    };
    let seen = attempt(failing, Some(failure));
    let results: Vec<_> = seen.iter().map(|seen| &seen.results).collect();
    let what = format!("rank {failing}, call {nth} ({call}), {moment:?}: {results:?}");
    assert!(seen[failing].has_fired, "{what}");
    assert!(begin.elapsed() < LIMIT, "{what}");

    let first_error = |rank: usize| results[rank].iter().position(Result::is_err);
    let Some(place) = first_error(failing) else {
        assert!(may_pass, "{what}");
        assert!((0..RANKS).all(|rank| first_error(rank).is_none()), "{what}");
        return;
    };
    let error = results[failing][place].as_ref().unwrap_err();
    assert_eq!(carried(error), Some((call, CODE)), "{what}");
    for rank in (0..RANKS).filter(|&rank| rank != failing) {
        // If a rank already has all values from other ranks that this call needs, it sees the failure only in its next call.
        let told = first_error(rank).map_or(results[rank].len(), |told| told);
        assert!(told == place || told == place + 1, "{what}");
        if let Some(Err(error)) = results[rank].get(told) {
            let faults = [
                Fault::RankFailed { rank: failing },
                Fault::RankLeft { rank: failing },
            ];
            assert!(faults.map(Error::Group).contains(error), "{what}");
        }
        // Either all ranks can still use the group, or none can.
        let last = |rank: usize| results[rank].last().is_some_and(Result::is_ok);
        let is_too_late = place + 1 == results[rank].len();
        assert!(is_too_late || last(rank) == last(failing), "{what}");
    }
}

/// Bytes that are free on each device.
fn free_bytes() -> Vec<usize> {
    let free = devices().iter().map(|gpu| {
        gpu.trim().unwrap();
        gpu.make_current().unwrap();
        mem_get_info().unwrap().0
    });
    free.collect()
}

/// The distance from one driver call that the test makes fail to the next. To save time, only every third call of the middle rank fails,
/// and every fifteenth call of the first and the last rank. In a sweep, every call fails.
fn step(failing: usize) -> usize {
    match failing {
        1 => sweep::step(3),
        _ => sweep::step(15),
    }
}

fn fail_each_call(test: &str, failing: usize, moment: Moment) {
    on_four_devices(test, || {
        if virtual_gpu::mode() != Ok(Mode::Virtual) {
            // On real GPUs, neither the driver calls nor the free memory can be compared: NCCL makes driver calls of its own, and other
            // processes use the memory too.
            return;
        }
        attempt(failing, None);
        let mut clean = attempt(failing, None);
        for seen in &clean {
            assert!(seen.results.iter().all(Result::is_ok), "{:?}", seen.results);
        }
        let [calls, end] = clean.swap_remove(failing).driver_calls;
        // Before the library keeps a stream for later calls, it waits for the stream once more. If nothing was queued since the previous
        // wait, the failure of this wait need not cause an error.
        let is_idle = |nth: usize| {
            let before = calls[..nth].iter().rfind(|call| !RELEASES.contains(call));
            calls[nth] == "cuStreamSynchronize" && before == Some(&calls[nth])
        };
        let may_pass = |nth| nth >= calls.len() || is_idle(nth);
        // If a member's drop cannot enter the context, it frees nothing, since the member's addresses may belong to other memory by now. So
        // the driver calls of the drop are tested together with the releases.
        let all = calls.iter().chain(&end).copied().enumerate();
        let (releases, others): (Vec<_>, Vec<_>) =
            all.partition(|&(nth, call)| RELEASES.contains(&call) || nth >= calls.len());
        let before = free_bytes();
        for call in others.into_iter().step_by(step(failing)) {
            check(failing, call, moment, may_pass(call.0));
        }
        if moment == Moment::Before {
            assert_eq!(free_bytes(), before);
        }
        for call in releases.into_iter().step_by(step(failing)) {
            check(failing, call, moment, true);
        }
    });
}

#[test]
fn driver_calls_of_the_first_rank() {
    let test = "injected::driver_calls_of_the_first_rank";
    fail_each_call(test, 0, Moment::Before);
}

#[test]
fn each_driver_call_of_a_rank_in_the_middle() {
    let test = "injected::each_driver_call_of_a_rank_in_the_middle";
    fail_each_call(test, 1, Moment::Before);
}

#[test]
fn driver_calls_of_the_last_rank() {
    let test = "injected::driver_calls_of_the_last_rank";
    fail_each_call(test, 2, Moment::Before);
}

#[test]
fn driver_calls_that_fail_after_their_effect() {
    let test = "injected::driver_calls_that_fail_after_their_effect";
    fail_each_call(test, 1, Moment::After);
}
