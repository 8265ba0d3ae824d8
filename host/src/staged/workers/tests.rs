//! Workers run all tasks. Outcomes and panics reach the caller.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

struct Double<'data>(&'data usize);

impl Job for Double<'_> {
    type Outcome = usize;

    fn perform(self) -> Option<usize> {
        (*self.0 != 0).then_some(2 * self.0)
    }
}

#[test]
fn every_outcome_of_the_jobs_is_returned() {
    let numbers: Vec<usize> = (0..1000).collect();
    let mut doubled: Vec<usize> = with_workers(|workers| {
        workers.give(numbers.iter().map(Double));
        // The first job has no outcome.
        numbers[1..]
            .iter()
            .filter_map(|_| workers.take_outcome())
            .collect()
    });
    doubled.sort_unstable();
    assert!(doubled.iter().copied().eq((2..2000).step_by(2)));
}

#[test]
fn unclaimed_outcomes_are_dropped_on_the_callers_thread() {
    struct Traced;

    impl Drop for Traced {
        fn drop(&mut self) {
            let name = thread::current().name().map(str::to_owned);
            assert!(!name.is_some_and(|name| name.starts_with("warpfold")));
            DROPPED.fetch_add(1, Ordering::SeqCst);
        }
    }

    struct Make;

    impl Job for Make {
        type Outcome = Traced;

        fn perform(self) -> Option<Traced> {
            Some(Traced)
        }
    }

    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    with_workers(|workers| workers.give((0..100).map(|_| Make)));
    assert_eq!(DROPPED.load(Ordering::SeqCst), 100);
}

#[test]
fn every_part_is_processed_before_the_call_returns() {
    let mut parts = vec![0; 777];
    for _ in 0..20 {
        for_each(parts.iter_mut(), |part| *part += 1);
    }
    assert!(parts.iter().all(|&part| part == 20));
}

#[test]
fn a_tasks_panic_reaches_the_caller_after_all_tasks() {
    let done = AtomicUsize::new(0);
    let caught = catch_unwind(AssertUnwindSafe(|| {
        for_each(0..50, |index| {
            done.fetch_add(1, Ordering::SeqCst);
            assert_ne!(index, 7, "unlucky");
        });
    }));
    let message = caught.unwrap_err();
    let message = message.downcast_ref::<String>().unwrap();
    assert!(message.contains("unlucky"), "{message}");
    assert_eq!(done.load(Ordering::SeqCst), 50);
    // The workers still take tasks.
    for_each(0..10, |_| {
        done.fetch_add(1, Ordering::SeqCst);
    });
    assert_eq!(done.load(Ordering::SeqCst), 60);
}
