//! A shelf keeps idle things up to its bound. While all things that the shelf may have are in use, callers wait.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::*;
use crate::error::Error;

const LIMITS: Limits = Limits { most: 3, idle: 2 };

#[test]
fn returned_things_are_reused_up_to_the_idle_limit() {
    let shelf = Shelf::new(LIMITS);
    let made = AtomicUsize::new(0);
    let make = || Ok(made.fetch_add(1, Ordering::Relaxed));
    let loans = [shelf.take(make), shelf.take(make), shelf.take(make)].map(Result::unwrap);
    assert!(shelf.try_take(make).unwrap().is_none());
    drop(loans);
    assert_eq!(shelf.lock().idle.len(), 2);
    let mut loan = shelf.take(make).unwrap();
    assert_eq!((*loan < 3, made.load(Ordering::Relaxed)), (true, 3));
    loan.discard();
    drop(loan);
    assert_eq!(shelf.clear().len(), 1);
    assert_eq!(*shelf.take(make).unwrap(), 3);
}

#[test]
fn a_failed_creation_occupies_no_slot() {
    let shelf = Shelf::<u32>::new(LIMITS);
    for _ in 0..10 {
        assert_eq!(shelf.take(|| Err(Error::Forked)).err(), Some(Error::Forked));
    }
    assert_eq!(*shelf.take(|| Ok(7)).unwrap(), 7);
}

#[test]
fn callers_wait_when_all_things_are_in_use() {
    let shelf = &Shelf::new(LIMITS);
    let made = &AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(move || {
                for _ in 0..100 {
                    let loan = shelf.take(|| Ok(made.fetch_add(1, Ordering::Relaxed)));
                    thread::yield_now();
                    drop(loan.unwrap());
                }
            });
        }
    });
    let state = shelf.lock();
    assert!(state.out == 0 && state.idle.len() <= LIMITS.idle);
    // Surplus idle things were dropped, so later callers may have made new things.
    assert!(made.load(Ordering::Relaxed) >= 1);
}
