//! Members of a group that outlive their context, or that a fork copies to another process. The memory that they keep is leaked, and no
//! longer used.

use std::time::Duration;

use cust::context::Context;
use cust::device::Device;
use cust::memory::DeviceBuffer;
use virtual_gpu::inject::record;
use warpfold::group::{Fault, Member, within};
use warpfold::{Error, Gpu, Sum, cust, gpu_sum, reduce};

use crate::child::in_child;

/// Runs `body` with a member that has made a call, on the virtual GPU.
fn with_member(test: &str, body: impl FnOnce(Member<'static>)) {
    in_child(test, &[("VIRTUAL_GPU", "on")], || {
        let gpu = Gpu::global().unwrap();
        gpu.make_current().unwrap();
        let mut member = within([gpu], Duration::from_secs(5)).pop().unwrap();
        let share = DeviceBuffer::from_slice(&[1u32, 2, 3]).unwrap();
        assert_eq!(reduce::<Sum, _>(&share).wait(&mut member), Ok(6));
        // If the buffer outlived its context, its drop would free memory that may belong to others by then.
        drop(share);
        body(member);
    });
}

/// Resets the device, as another library in the process might.
fn reset() {
    // SAFETY: the library and the member recognise the reset. The test has no memory in the context any more.
    unsafe { Context::reset(&Device::get_device(0).unwrap()) }.unwrap();
}

/// Resets the device, and makes calls until the library has the new context.
fn renew() {
    reset();
    assert!(gpu_sum(&[1u32, 2]).is_err());
    assert_eq!(gpu_sum(&[1u32, 2]), Ok(3));
}

/// Checks that a member's drop frees nothing: its memory may belong to others by now.
fn assert_leaks(member: Member<'_>) {
    let ((), calls) = record(|| drop(member));
    let frees = calls.iter().find(|call| call.starts_with("cuMemFree"));
    assert_eq!(frees, None, "{calls:?}");
}

#[test]
fn a_member_that_outlives_its_context_frees_nothing() {
    let test = "members::a_member_that_outlives_its_context_frees_nothing";
    with_member(test, |member| {
        renew();
        assert_leaks(member);
    });
}

#[test]
fn a_member_whose_gpu_does_not_know_of_a_reset_frees_nothing() {
    let test = "members::a_member_whose_gpu_does_not_know_of_a_reset_frees_nothing";
    with_member(test, |member| {
        reset();
        assert_leaks(member);
    });
}

#[test]
fn a_member_that_outlives_its_context_is_dissolved() {
    let test = "members::a_member_that_outlives_its_context_is_dissolved";
    with_member(test, |mut member| {
        renew();
        Gpu::global().unwrap().make_current().unwrap();
        let share = DeviceBuffer::from_slice(&[1u32, 2, 3]).unwrap();
        for _ in 0..2 {
            let found = reduce::<Sum, _>(&share).wait(&mut member);
            assert_eq!(found, Err(Error::Group(Fault::Dissolved)));
        }
        assert_leaks(member);
    });
}

#[test]
fn a_member_of_a_live_context_frees_its_memory() {
    let test = "members::a_member_of_a_live_context_frees_its_memory";
    with_member(test, |member| {
        let ((), calls) = record(|| drop(member));
        assert!(calls.contains(&"cuMemFreeHost"), "{calls:?}");
    });
}

#[test]
#[cfg(unix)]
fn a_member_in_a_forked_process_makes_no_driver_call() {
    let test = "members::a_member_in_a_forked_process_makes_no_driver_call";
    with_member(test, |mut member| {
        let share = DeviceBuffer::from_slice(&[1u32, 2, 3]).unwrap();
        // SAFETY: the child has one thread and only calls `record` and the library, which make no driver call and wait for no lock after a
        // fork. Then the child ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let (refused, calls) = record(|| {
                let refused = reduce::<Sum, _>(&share).wait(&mut member);
                drop(member);
                refused
            });
            let is_right = refused == Err(Error::Forked) && calls.is_empty();
            // SAFETY: `_exit` has no conditions. It runs no destructors, and ends the child here.
            unsafe { libc::_exit(if is_right { 0 } else { 1 }) };
        }
        let mut status = -1;
        // SAFETY: the pointer is to a live local.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0);
        assert_eq!(reduce::<Sum, _>(&share).wait(&mut member), Ok(6));
    });
}
