//! The error of each rank when one of them fails, makes a different call from the others, leaves, or never arrives.

use std::thread;
use std::time::{Duration, Instant};

use virtual_gpu::Mode;
use warpfold::cust::memory::{DeviceBuffer, DeviceSlice, mem_get_info};
use warpfold::group::{Fault, Matter, Member};
use warpfold::{Argument, Error, Gpu, Max, Result, Sum, reduce, scan};

use crate::ranks::{Held, PATIENCE, Way, as_ranks, devices, most_ranks, on_four_devices, way};
use crate::skip::skip;

/// How long a rank waits in tests in which it may wait in vain.
const LIMIT: Duration = Duration::from_secs(2);

/// Makes a call with one item on each rank, and checks its result.
fn works(member: &mut Member<'_>) {
    let share = Held::new(&[member.rank() as u32 + 1], 0);
    let ranks = member.size() as u32;
    let sum = reduce::<Sum, _>(&share.slice()).wait(member);
    assert_eq!(sum, Ok(ranks * (ranks + 1) / 2));
}

/// A slice whose buffer has been freed. The buffer is so large that the driver does not reuse the freed memory for the small buffers of
/// other ranks.
fn gone() -> DeviceSlice<u32> {
    DeviceBuffer::<u32>::zeroed(1 << 24).unwrap().index(..3)
}

/// The number of ranks: three, or two if a test cannot have three.
fn three() -> usize {
    most_ranks().min(3)
}

/// Checks that a rank's error is this fault. Over NCCL, the error may be less specific.
fn assert_dissolved<R: std::fmt::Debug + PartialEq>(end: &Result<R>, fault: &Fault) {
    let Err(Error::Group(found)) = end else {
        panic!("{end:?} in place of {fault:?}");
    };
    match way() {
        Way::InProcess => assert_eq!(found, fault),
        Way::Nccl => assert!(matches!(found, Fault::TimedOut { .. } | Fault::Nccl { .. })),
    }
}

#[test]
fn a_call_refused_by_one_rank_fails_on_all() {
    on_four_devices("faults::a_call_refused_by_one_rank_fails_on_all", || {
        let ends = as_ranks(three(), PATIENCE, |mut member| {
            works(&mut member);
            let items = Held::new(&[1u32, 2, 3], 0);
            let mut share = items.slice();
            let last = member.size() - 1;
            if member.rank() == 1 {
                share = gone();
            }
            let reduced = reduce::<Sum, _>(&share).wait(&mut member).map(drop);
            let output = Held::new(&[0u32; 2], 0);
            let scanned = match member.rank() == last {
                true => scan::<Sum, _>(&items.slice())
                    .to(&mut output.slice())
                    .wait(&mut member),
                false => scan::<Sum, _>(&mut items.slice())
                    .in_place()
                    .wait(&mut member),
            };
            works(&mut member);
            (reduced, scanned)
        });
        let last = three() - 1;
        let failed = |rank| Err(Error::Group(Fault::RankFailed { rank }));
        for (rank, (reduced, scanned)) in ends.into_iter().enumerate() {
            match rank {
                1 => assert!(matches!(
                    reduced,
                    Err(Error::ForeignMemory {
                        argument: Argument::Input,
                        ..
                    })
                )),
                _ => assert_eq!(reduced, failed(1)),
            }
            match rank == last {
                true => assert!(matches!(
                    scanned,
                    Err(Error::OutputTooShort {
                        offered_items: 2,
                        needed_items: 3
                    })
                )),
                false => assert_eq!(scanned, failed(last)),
            }
        }
    });
}

#[test]
fn all_ranks_that_disagree_get_an_error() {
    on_four_devices("faults::all_ranks_that_disagree_get_an_error", || {
        let ends = as_ranks(three(), PATIENCE, |mut member| {
            let differs = member.rank() == member.size() - 1;
            let (words, longs) = (Held::new(&[1u32], 0), Held::new(&[1u64], 0));
            let ends: [Result<()>; 4] = [
                match differs {
                    true => reduce::<Max, _>(&words.slice()).wait(&mut member).map(drop),
                    false => reduce::<Sum, _>(&words.slice()).wait(&mut member).map(drop),
                },
                match differs {
                    true => reduce::<Sum, _>(&longs.slice()).wait(&mut member).map(drop),
                    false => reduce::<Sum, _>(&words.slice()).wait(&mut member).map(drop),
                },
                match differs {
                    true => scan::<Sum, _>(&mut words.slice())
                        .exclusive()
                        .in_place()
                        .wait(&mut member),
                    false => scan::<Sum, _>(&mut words.slice())
                        .in_place()
                        .wait(&mut member),
                },
                reduce::<Sum, _>(&words.slice())
                    .wait(member.at_root(usize::from(differs)))
                    .map(drop),
            ];
            works(&mut member);
            ends
        });
        let kernel =
            |found: &str, expected: &str| (Matter::Kernel, found.to_owned(), expected.to_owned());
        let expected = [
            kernel("reduce_max_u32", "reduce_sum_u32"),
            kernel("reduce_sum_u64", "reduce_sum_u32"),
            kernel("exclusive_scan_sum_u32", "inclusive_scan_sum_u32"),
            (Matter::Root, "1".to_owned(), "0".to_owned()),
        ];
        for ends in ends {
            for (end, (matter, found, expected)) in ends.into_iter().zip(expected.clone()) {
                let disagreement = Fault::Disagreement {
                    rank: three() - 1,
                    matter,
                    found,
                    expected,
                };
                assert_eq!(end, Err(Error::Group(disagreement)));
            }
        }
    });
}

#[test]
fn a_root_beyond_the_groups_size_is_refused() {
    on_four_devices("faults::a_root_beyond_the_groups_size_is_refused", || {
        let ends = as_ranks(2, PATIENCE, |mut member| {
            let share = Held::new(&[1u32], 0);
            let end = reduce::<Sum, _>(&share.slice()).wait(member.at_root(2));
            works(&mut member);
            end
        });
        let expected = Err(Error::Group(Fault::NoSuchRank { rank: 2, size: 2 }));
        assert_eq!(ends, [expected.clone(), expected]);
    });
}

#[test]
fn a_missing_rank_is_waited_for_until_the_limit() {
    let test = "faults::a_missing_rank_is_waited_for_until_the_limit";
    on_four_devices(test, || {
        let ends = as_ranks(three(), LIMIT, |mut member| {
            works(&mut member);
            let share = Held::new(&[1u32], 0);
            let begin = Instant::now();
            if member.rank() == 1 {
                thread::sleep(2 * LIMIT);
            }
            let end = reduce::<Sum, _>(&share.slice()).wait(&mut member);
            let waited = begin.elapsed();
            // After the group has ended, no rank waits.
            assert_eq!(
                reduce::<Sum, _>(&share.slice()).wait(&mut member),
                Err(Error::Group(Fault::Dissolved))
            );
            (end, waited)
        });
        for (end, waited) in ends {
            let missing = Fault::TimedOut {
                limit: LIMIT,
                missing: vec![1],
            };
            assert_dissolved(&end, &missing);
            assert!(waited >= LIMIT / 2);
        }
    });
}

#[test]
fn a_rank_that_leaves_is_not_waited_for() {
    on_four_devices("faults::a_rank_that_leaves_is_not_waited_for", || {
        let limit = match way() {
            Way::InProcess => PATIENCE,
            Way::Nccl => LIMIT,
        };
        let ends = as_ranks(three(), limit, |mut member| {
            works(&mut member);
            if member.rank() == member.size() - 1 {
                return None;
            }
            let share = Held::new(&[1u32], 0);
            Some(
                scan::<Sum, _>(&mut share.slice())
                    .in_place()
                    .wait(&mut member),
            )
        });
        let left = Fault::RankLeft { rank: three() - 1 };
        let told = ends.iter().flatten();
        assert_eq!(told.clone().count(), three() - 1);
        told.for_each(|end| assert_dissolved(end, &left));
    });
}

#[test]
fn a_rank_that_panics_is_not_waited_for() {
    on_four_devices("faults::a_rank_that_panics_is_not_waited_for", || {
        let ends = as_ranks(2, LIMIT, |mut member| {
            if member.rank() == 1 {
                let end = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
                    let _member = member;
                    panic!("on purpose");
                }));
                assert!(end.is_err());
                return Ok(0);
            }
            reduce::<Sum, _>(&Held::new(&[1u32], 0).slice()).wait(&mut member)
        });
        assert_dissolved(&ends[0], &Fault::RankLeft { rank: 1 });
    });
}

#[test]
fn no_memory_is_lost() {
    let test = "faults::no_memory_is_lost";
    if virtual_gpu::mode() != Ok(Mode::Virtual) {
        skip(test, "other processes and NCCL also use real memory");
        return;
    }
    on_four_devices(test, || {
        let free = || -> Vec<usize> {
            let of = |gpu: &Gpu| {
                gpu.trim().unwrap();
                gpu.make_current().unwrap();
                mem_get_info().unwrap().0
            };
            devices().iter().map(of).collect()
        };
        let round = || {
            as_ranks(3, LIMIT, |mut member| {
                let items = vec![1u64; 20_000 + member.rank()];
                let share = Held::new(&items, 1);
                let output = Held::new(&[0u64; 1], 0);
                reduce::<Sum, _>(&share.slice()).wait(&mut member).unwrap();
                let in_place = scan::<Sum, _>(&mut share.slice())
                    .in_place()
                    .wait(&mut member);
                in_place.unwrap();
                let short = scan::<Sum, _>(&share.slice())
                    .to(&mut output.slice())
                    .wait(&mut member);
                assert!(short.is_err());
                if member.rank() != 1 {
                    // Rank 1 leaves without this call, and so dissolves the group.
                    let end = reduce::<Sum, _>(&share.slice()).wait(&mut member);
                    assert!(end.is_err());
                }
            });
        };
        // The first round compiles the kernels, which stay in memory.
        round();
        let before = free();
        round();
        assert_eq!(free(), before);
    });
}
