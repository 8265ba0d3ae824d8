//! Every driver call that a rank makes, made to fail in turn: each time the rank is told which, the others that it failed or left,
//! nobody waits for the limit, and nothing is lost.

use std::time::{Duration, Instant};

use virtual_gpu::driver::Code;
use virtual_gpu::inject::{Armed, Calls, Failure, Moment, fail, record};
use warpfold::cust::memory::mem_get_info;
use warpfold::group::{Fault, Member};
use warpfold::{DriverCode, Error, Result, Sum};

use crate::ranks::{Held, Way, as_ranks, devices, on_four_devices, way};

const RANKS: usize = 3;

const LIMIT: Duration = Duration::from_secs(120);

/// Calls that let go of something: whoever makes them has a result already.
const RELEASES: [&str; 4] = [
    "cuMemFree_v2",
    "cuMemFreeHost",
    "cuStreamDestroy_v2",
    "cuEventDestroy_v2",
];

/// What a rank sees.
struct Seen {
    /// Of each call of the library.
    results: Vec<Result<()>>,
    driver_calls: Vec<&'static str>,
    has_fired: bool,
}

/// Calls of all kinds: with torn chunks and tiles, in place and apart, and with all items on one rank.
fn calls(member: &mut Member<'_>) -> Vec<Result<()>> {
    let long = Held::new(&vec![1u64; 9_001], 1);
    let output = Held::new(&vec![0u64; 9_001], 1);
    let one = Held::new(&vec![1u64; usize::from(member.rank() == 1)], 0);
    vec![
        member.reduce::<Sum, _>(&long.slice()).map(drop),
        member.inclusive_scan_in_place::<Sum, _>(&mut long.slice()),
        member.reduce::<Sum, _>(&one.slice()).map(drop),
        member.exclusive_scan::<Sum, _>(&long.slice(), &mut output.slice()),
        member.reduce_to::<Sum, _>(0, &one.slice()).map(drop),
    ]
}

/// Makes the calls as each rank, with a failure in wait on one.
fn attempt(failing: usize, failure: Option<Failure>) -> Vec<Seen> {
    as_ranks(RANKS, LIMIT, |mut member| {
        let failure = failure.filter(|_| member.rank() == failing);
        let mut has_fired = false;
        let (results, driver_calls) = record(|| {
            // The items are brought there without a failure.
            let results = calls_with(&mut member, failure, &mut has_fired);
            drop(member);
            results
        });
        Seen {
            results,
            driver_calls,
            has_fired,
        }
    })
}

fn calls_with(
    member: &mut Member<'_>,
    failure: Option<Failure>,
    has_fired: &mut bool,
) -> Vec<Result<()>> {
    let armed = failure.map(fail);
    let results = calls(member);
    *has_fired = armed.as_ref().is_some_and(Armed::has_fired);
    results
}

/// The call and the code that an error of the driver carries.
fn carried(error: &Error) -> Option<(&'static str, i32)> {
    match error {
        Error::Driver { call, code } => Some((call, code.0)),
        _ => None,
    }
}

/// What must hold of a failure of this driver call on this rank.
fn check(failing: usize, nth: usize, call: &'static str, code: i32, moment: Moment) {
    let begin = Instant::now();
    let failure = Failure {
        calls: Calls::Any,
        nth: nth as u64 + 1,
        code: Code(code),
        moment,
    };
    let seen = attempt(failing, Some(failure));
    let results: Vec<_> = seen.iter().map(|seen| &seen.results).collect();
    let what = format!("rank {failing}, call {nth} ({call}) with {code}: {results:?}");
    assert!(seen[failing].has_fired, "{what}");
    assert!(begin.elapsed() < LIMIT, "{what}");

    let first_error = |rank: usize| results[rank].iter().position(Result::is_err);
    let Some(place) = first_error(failing) else {
        assert!(RELEASES.contains(&call), "{what}");
        assert!((0..RANKS).all(|rank| first_error(rank).is_none()), "{what}");
        return;
    };
    let error = results[failing][place].as_ref().unwrap_err();
    assert_eq!(carried(error), Some((call, code)), "{what}");
    for rank in (0..RANKS).filter(|&rank| rank != failing) {
        // What fails when the others have all they need is seen by them in their next call.
        let told = first_error(rank).map_or(results[rank].len(), |told| told);
        assert!(told == place || told == place + 1, "{what}");
        if let Some(Err(error)) = results[rank].get(told) {
            let faults = [
                Fault::RankFailed { rank: failing },
                Fault::RankLeft { rank: failing },
            ];
            assert!(faults.map(Error::Group).contains(error), "{what}");
        }
        // Either the group is used on by all, or by nobody.
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

fn fail_each_call(failing: usize, code: i32, moment: Moment) {
    if way() == Way::Nccl {
        // NCCL makes calls of its own, on threads of its own.
        return;
    }
    attempt(failing, None);
    let clean = attempt(failing, None);
    for seen in &clean {
        assert!(seen.results.iter().all(Result::is_ok), "{:?}", seen.results);
    }
    let before = free_bytes();
    // What the test itself brings there, and lets go of, fails in the test.
    let of_library = library_calls(&clean[failing].driver_calls);
    for (nth, call) in of_library {
        check(failing, nth, call, code, moment);
    }
    if moment == Moment::Before {
        assert_eq!(free_bytes(), before);
    }
}
