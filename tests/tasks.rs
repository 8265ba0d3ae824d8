//! Calls from rayon's tasks. While a call waits, its thread runs nothing else. So a task of rayon may make a call while it holds a lock or
//! a borrowed value, and other tasks may do anything during the call.

#![forbid(unsafe_code)]

#[path = "common/child.rs"]
mod child;
mod common;

use std::cell::{Cell, RefCell};
use std::sync::Mutex;
use std::thread;

use child::in_child;
use common::gpu;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use warpfold::{Gpu, Sum, gpu_sum, scan};

/// How many items a slice has: two pieces.
const ITEMS: usize = 140_000;

/// How many tasks make calls.
const TASKS: usize = 6;

fn pool() -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(2).build().unwrap()
}

/// Makes a sum and a scan. Asserts that they do not run inside another call on the same thread.
fn call(items: &[u32]) {
    thread_local!(static DEPTH: Cell<usize> = const { Cell::new(0) });
    assert_eq!(DEPTH.replace(1), 0, "a call runs inside another");
    assert_eq!(gpu_sum(items), Ok(ITEMS as u32));
    let scanned = scan::<Sum, _>(items).wait(Gpu::global()).unwrap();
    assert_eq!(scanned.last(), Some(&(ITEMS as u32)));
    DEPTH.set(0);
}

#[test]
fn no_rayon_task_runs_inside_a_call() {
    let _gpu = gpu();
    let items = &vec![1u32; ITEMS];
    // First in rayon's global pool, then in a pool of the test.
    (0..TASKS).into_par_iter().for_each(|_| call(items));
    let pool = pool();
    pool.install(|| (0..TASKS).into_par_iter().for_each(|_| call(items)));
    pool.scope(|scope| {
        for _ in 0..TASKS {
            scope.spawn(move |_| call(items));
        }
    });
    pool.install(|| rayon::join(|| call(items), || call(items)));
    pool.broadcast(|_| call(items));
}

#[test]
fn a_lock_may_be_held_during_a_call() {
    let _gpu = gpu();
    let items = vec![1u32; ITEMS];
    let done = Mutex::new(0);
    pool().install(|| {
        (0..TASKS).into_par_iter().for_each(|_| {
            let mut done = done.lock().unwrap();
            call(&items);
            *done += 1;
        });
    });
    assert_eq!(done.into_inner().unwrap(), TASKS);
}

#[test]
fn a_thread_local_may_be_borrowed_during_a_call() {
    thread_local!(static SPARE: RefCell<Vec<u32>> = const { RefCell::new(Vec::new()) });
    let _gpu = gpu();
    pool().install(|| {
        (0..TASKS).into_par_iter().for_each(|_| {
            SPARE.with_borrow_mut(|items| {
                items.resize(ITEMS, 1);
                call(items);
            });
        });
    });
}

#[test]
fn tasks_beside_a_call_may_make_another_device_current() {
    let test = "tasks_beside_a_call_may_make_another_device_current";
    let variables = [("VIRTUAL_GPU", "on"), ("VIRTUAL_GPU_DEVICES", "2")];
    in_child(test, &variables, || {
        let items = vec![1u32; ITEMS];
        let other = Gpu::with_device(1).unwrap();
        pool().install(|| {
            (0..2 * TASKS).into_par_iter().for_each(|task| {
                if task % 2 == 0 {
                    call(&items);
                } else {
                    other.make_current().unwrap();
                }
            });
        });
        drop(other);
        // The memory that the library keeps for later calls belongs to the first device.
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| call(&items));
            }
        });
        assert_eq!(gpu_sum(&[1u32, 2]), Ok(3));
    });
}

#[test]
fn many_threads_with_long_slices_end() {
    let _gpu = gpu();
    let items = &vec![1u32; ITEMS];
    thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(move || call(items));
        }
    });
}
