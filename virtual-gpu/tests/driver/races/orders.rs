//! The calls that order work of different streams, and the calls that do not.

use super::*;
use std::ffi::c_void;

/// Whether a fill on stream A races with a read of the same words on stream B, if `between` is called after the fill and before the read.
fn races_with(between: impl FnOnce(&Bed)) -> bool {
    races(|bed| {
        bed.fill(bed.a);
        between(bed);
        bed.get(bed.b);
    })
}

#[test]
fn the_legacy_stream_orders_blocking_streams_only() {
    if only_on_virtual_devices() {
        return;
    }
    for (flags, is_race) in [(BLOCKING, false), (NON_BLOCKING, true)] {
        let before = race_in(flags, |bed| {
            bed.fill(0);
            bed.get(bed.a);
        });
        let after = race_in(flags, |bed| {
            bed.get(bed.a);
            bed.fill(0);
        });
        let between = race_in(flags, |bed| {
            bed.fill(bed.a);
            assert_eq!(cuMemsetD32_v2(bed.own, 1, 1), 0);
            bed.copy_out(bed.b);
        });
        let found = [before, after].map(|race| race.is_some());
        assert_eq!(found, [is_race; 2]);
        assert_eq!(between.is_some(), is_race);
    }
}

#[test]
fn a_destroyed_stream_keeps_its_order() {
    if only_on_virtual_devices() {
        return;
    }
    for (flags, is_race) in [(BLOCKING, false), (NON_BLOCKING, true)] {
        let race = race_in(flags, |bed| {
            bed.fill(bed.a);
            assert_eq!(cuStreamDestroy_v2(bed.a), 0);
            bed.get(0);
        });
        assert_eq!(race.is_some(), is_race);
    }
    assert!(!races_with(|bed| {
        assert_eq!(cuStreamDestroy_v2(bed.a), 0);
        assert_eq!(cuCtxSynchronize(), 0);
    }));
}

#[test]
fn an_event_orders_work_enqueued_before_its_recording() {
    if only_on_virtual_devices() {
        return;
    }
    assert!(races_with(|_| ()));
    assert!(!races_with(Bed::a_before_b));
    assert!(races(|bed| {
        bed.a_before_b();
        bed.fill(bed.a);
        bed.get(bed.b);
    }));
    // `cuStreamWaitEvent` makes the stream wait for the event's most recent recording at the time of the call. A later recording does not
    // change this wait.
    assert!(races(|bed| {
        let event = event();
        assert_eq!(cuEventRecord(event, bed.a), 0);
        assert_eq!(cuStreamWaitEvent(bed.b, event, 0), 0);
        bed.fill(bed.a);
        assert_eq!(cuEventRecord(event, bed.a), 0);
        bed.get(bed.b);
    }));
    // An event that was never recorded orders nothing.
    assert!(races_with(|bed| {
        assert_eq!(cuStreamWaitEvent(bed.b, event(), 0), 0);
    }));
}

#[test]
fn order_is_transitive_across_streams() {
    if only_on_virtual_devices() {
        return;
    }
    let by_way_of = |is_whole: bool| {
        races(|bed| {
            let (third, events) = (stream(1), [event(), event()]);
            bed.fill(bed.a);
            assert_eq!(cuEventRecord(events[0], bed.a), 0);
            if is_whole {
                assert_eq!(cuStreamWaitEvent(third, events[0], 0), 0);
            }
            assert_eq!(cuEventRecord(events[1], third), 0);
            assert_eq!(cuStreamWaitEvent(bed.b, events[1], 0), 0);
            bed.get(bed.b);
        })
    };
    assert!(!by_way_of(true));
    assert!(by_way_of(false));
}

#[test]
fn work_awaited_by_the_host_precedes_newly_enqueued_work() {
    if only_on_virtual_devices() {
        return;
    }
    assert!(!races_with(|bed| assert_eq!(cuStreamSynchronize(bed.a), 0)));
    assert!(races_with(|bed| assert_eq!(cuStreamSynchronize(bed.b), 0)));
    assert!(!races_with(|_| assert_eq!(cuCtxSynchronize(), 0)));
    let recorded = |bed: &Bed| {
        let event = event();
        assert_eq!(cuEventRecord(event, bed.a), 0);
        event
    };
    assert!(!races_with(|bed| assert_eq!(
        cuEventSynchronize(recorded(bed)),
        0
    )));
    assert!(!races_with(|bed| {
        let mut word = 0;
        // SAFETY: `word` is four bytes of pageable memory, and the call writes them before it returns.
        let copied = unsafe { cuMemcpyDtoHAsync_v2(&mut word, bed.own, 4, bed.a) };
        assert_eq!(copied, 0);
    }));
    assert!(!races_with(|_| assert_eq!(cuMemFree_v2(alloc(1)), 0)));
}

/// A peer copy between contexts comes after all earlier work of both contexts, and before all their later work. A plain copy between
/// contexts is ordered only in its stream.
#[test]
fn a_copy_between_contexts_orders_their_work() {
    if only_on_virtual_devices() {
        return;
    }
    for is_peer in [false, true] {
        let (first, second) = (Bed::new(NON_BLOCKING), Bed::new(NON_BLOCKING));
        assert_eq!(cuCtxSetCurrent(first._context.0), 0);
        first.fill(first.a);
        assert_eq!(cuCtxSetCurrent(second._context.0), 0);
        let bytes = 4 * WORDS;
        let (to, from) = (second.own, first.shared);
        let copied = match is_peer {
            true => cuMemcpyPeer(to, second._context.0, from, first._context.0, bytes),
            false => cuMemcpyDtoDAsync_v2(to, from, bytes, second.b),
        };
        assert_eq!(copied, 0);
        // The second copy reads what the first copy writes, and writes what the first copy reads.
        let copied = cuMemcpyDtoDAsync_v2(first.shared, second.own, bytes, second.a);
        assert_eq!(copied, 0);
        let code = if is_peer { 0 } else { LAUNCH_FAILED };
        assert_eq!(cuCtxSynchronize(), code);
        assert_eq!(found().is_empty(), is_peer);
        // The first context's fill may still be queued. Destroying the context runs the fill, and finds its race if there is one.
        drop((first, second));
        assert_eq!(found().is_empty(), is_peer);
    }
}

/// Work that was enqueued before the host waited is not ordered by the wait.
#[test]
fn a_host_wait_does_not_order_work_enqueued_earlier() {
    if only_on_virtual_devices() {
        return;
    }
    assert!(races(|bed| {
        bed.get(bed.b);
        bed.fill(bed.a);
        assert_eq!(cuStreamSynchronize(bed.a), 0);
    }));
}

#[test]
fn a_query_orders_work_if_it_answers_done() {
    if only_on_virtual_devices() {
        return;
    }
    assert!(races_with(|bed| assert_eq!(
        cuStreamQuery(bed.a),
        NOT_READY
    )));
    assert!(!races_with(|bed| {
        assert_eq!(ask_until_ready(|| cuStreamQuery(bed.a)), 0);
    }));
    let ask_event = |often: bool| {
        races_with(|bed| {
            let event = event();
            assert_eq!(cuEventRecord(event, bed.a), 0);
            match often {
                true => assert_eq!(ask_until_ready(|| cuEventQuery(event)), 0),
                false => assert_eq!(cuEventQuery(event), NOT_READY),
            }
        })
    };
    assert!(!ask_event(true));
    assert!(ask_event(false));
}

#[test]
fn an_elapsed_time_orders_the_work_before_its_events() {
    if only_on_virtual_devices() {
        return;
    }
    let with_question = |asks: bool| {
        races_with(|bed| {
            let events = [event(), event()];
            let recorded = events.map(|event| cuEventRecord(event, bed.a));
            assert_eq!(recorded, [0; 2]);
            // This call carries out the work, but does not count as a wait of the host.
            assert_eq!(cuStreamDestroy_v2(bed.a), 0);
            if asks {
                let mut time = 0.0;
                assert_eq!(cuEventElapsedTime(&mut time, events[0], events[1]), 0);
            }
        })
    };
    assert!(!with_question(true));
    assert!(with_question(false));
}

/// A host function may signal host threads. So when the function has run, the work that is ordered before the function counts as awaited by
/// the host.
#[test]
fn a_host_function_orders_the_work_before_it() {
    unsafe extern "C" fn nothing(_: *mut c_void) {}
    if only_on_virtual_devices() {
        return;
    }
    let with_function = |has_function: bool| {
        races_with(|bed| {
            if has_function {
                // SAFETY: the function ignores its argument, which may be null.
                let launched =
                    unsafe { cuLaunchHostFunc(bed.a, Some(nothing), std::ptr::null_mut()) };
                assert_eq!(launched, 0);
            }
            // This call carries out the work, but does not count as a wait of the host.
            assert_eq!(cuStreamDestroy_v2(bed.a), 0);
        })
    };
    assert!(!with_function(true));
    assert!(with_function(false));
}

/// Whether a race is reported does not depend on which stream is waited for first, or on which thread does the work.
#[test]
fn a_races_report_is_independent_of_execution_order() {
    if only_on_virtual_devices() {
        return;
    }
    for b_first in [false, true] {
        for mended in [false, true] {
            let race = races(|bed| {
                bed.fill(bed.a);
                if mended {
                    bed.a_before_b();
                }
                bed.get(bed.b);
                let context = bed._context.0;
                let mut streams = [bed.a, bed.b];
                if b_first {
                    streams.reverse();
                }
                for stream in streams {
                    let waiting = std::thread::spawn(move || {
                        assert_eq!(cuCtxSetCurrent(context), 0);
                        cuStreamSynchronize(stream);
                    });
                    waiting.join().unwrap();
                }
            });
            assert_eq!(race, !mended);
        }
    }
}

/// If one thread has waited for work, all threads count as having waited: the order between threads is not tracked.
#[test]
fn order_between_host_threads_is_not_tracked() {
    if only_on_virtual_devices() {
        return;
    }
    assert!(!races_with(|bed| {
        let (context, stream) = (bed._context.0, bed.a);
        let waiting = std::thread::spawn(move || {
            assert_eq!(cuCtxSetCurrent(context), 0);
            cuStreamSynchronize(stream)
        });
        assert_eq!(waiting.join().unwrap(), 0);
    }));
}
