//! Tests: when a graph is gone, its workspaces are used again. When a stream is gone, its workspaces are freed, and not used again. The
//! numbers of both kinds of workspaces are bounded.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use virtual_gpu::inject::record;

use super::super::*;
use crate::driver::OwnStream;
use crate::gpu::{Entered, Gpu};

/// Runs `work` with a context, a new [`Workspaces`], and a stream.
fn with_workspaces(work: impl FnOnce(Entered<'_>, &Workspaces, Stream<'_>) -> Result<()>) {
    let gpu = Gpu::new().unwrap();
    gpu.enter(|entered| {
        let stream = OwnStream::create()?;
        let workspaces = Workspaces::default();
        let done = work(entered, &workspaces, stream.as_stream());
        workspaces.clear();
        done
    })
    .unwrap();
}

#[test]
fn workspaces_returned_by_graphs_are_reused_if_large_enough() {
    with_workspaces(|_, workspaces, stream| {
        let small = workspaces.take(stream, Need::states(0))?;
        let large = workspaces.take(stream, Need::states(LEAST_STATE_WORDS + 1))?;
        let places = [small.span, large.span];
        for workspace in [large, small] {
            drop(workspaces.enter_lease(workspace));
        }
        assert_eq!(workspaces.lock().free.len(), 2);
        assert_eq!(workspaces.take(stream, Need::states(7))?.span, places[0]);
        assert_eq!(
            workspaces
                .take(stream, Need::states(LEAST_STATE_WORDS + 1))?
                .span,
            places[1]
        );
        assert!(workspaces.lock().free.is_empty());
        Ok(())
    });
}

#[test]
fn dropped_graphs_leave_a_bounded_number_of_workspaces() {
    with_workspaces(|_, workspaces, stream| {
        let leases: Result<Vec<_>> = (0..3 * MOST_FREE)
            .map(|_| Ok(workspaces.enter_lease(workspaces.take(stream, Need::states(0))?)))
            .collect();
        assert_eq!(workspaces.lock().leased.len(), 3 * MOST_FREE);
        drop(leases?);
        assert!(workspaces.is_crowded.load(Ordering::Relaxed));
        workspaces.tidy();
        assert!(!workspaces.is_crowded.load(Ordering::Relaxed));
        assert_eq!(workspaces.lock().free.len(), MOST_FREE);
        assert!(workspaces.lock().leased.is_empty());
        Ok(())
    });
}

#[test]
fn retired_streams_leave_a_bounded_number_of_workspaces() {
    with_workspaces(|_, workspaces, stream| {
        for _ in 0..3 * MOST_RETIRED {
            workspaces.retire([workspaces.take(stream, Need::states(0))?]);
            assert!(workspaces.lock().retired.len() <= MOST_RETIRED);
        }
        // Retired workspaces are not taken: unfinished work may still use them.
        let retired = workspaces.lock().retired.len();
        workspaces.take(stream, Need::states(0))?;
        assert_eq!(workspaces.lock().retired.len(), retired);
        workspaces.trim();
        assert!(workspaces.lock().retired.is_empty());
        Ok(())
    });
}

#[test]
fn a_lease_may_outlive_the_workspaces() {
    with_workspaces(|_, workspaces, stream| {
        let others = Workspaces::default();
        let lease = others.enter_lease(others.take(stream, Need::states(0))?);
        others.clear();
        drop(others);
        drop(lease);
        assert!(workspaces.lock().free.is_empty());
        Ok(())
    });
}

#[test]
fn a_lease_may_end_during_an_allocation() {
    with_workspaces(|_, workspaces, stream| {
        let lease = workspaces.enter_lease(workspaces.take(stream, Need::states(0))?);
        let (sender, ended) = mpsc::channel();
        let made = workspaces.take_or(Need::states(0), || {
            // This stands for the driver, which drops a lease on one of its own threads, and blocks allocations meanwhile.
            thread::spawn(move || {
                drop(lease);
                sender.send(())
            });
            assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Ok(()));
            Workspace::allocate(stream, Need::states(0))
        })?;
        assert_eq!(workspaces.lock().free.len(), 1);
        drop(made);
        Ok(())
    });
}

#[test]
fn a_lease_with_the_last_reference_calls_no_driver_function() {
    with_workspaces(|_, _, stream| {
        let workspaces = Workspaces::default();
        let lease = workspaces.enter_lease(workspaces.take(stream, Need::states(0))?);
        // A lease has this reference while it is being dropped.
        let held = lease.held.upgrade();
        workspaces.clear();
        drop(workspaces);
        let ((), calls) = record(|| drop((lease, held)));
        assert_eq!(calls, [""; 0]);
        Ok(())
    });
}
