//! Keeps the order of conflicting calls. Threads wait on the host, streams wait for events.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use cust::event::{Event, EventFlags};
use cust::stream::{Stream, StreamWaitEventFlags};
use warpfold::cust;

use super::step::{Queue, Step};
use super::{Pace, Plan};

/// The progress of a sequence.
pub struct Order<'a> {
    steps: &'a [Step],
    pace: Pace,
    board: Mutex<Board>,
    changed: Condvar,
}

#[derive(Default)]
struct Board {
    /// Whether each call has been made. A queued call has been made when it is queued, a waiting call when it is done.
    made: Vec<bool>,
    /// The events. The key of an event is the pair (earlier call, later call). An event is recorded after the earlier call. The later call
    /// waits for the event.
    events: HashMap<(usize, usize), Event>,
    /// Whether a thread has given up.
    failed: bool,
}

impl<'a> Order<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        let board = Board {
            made: vec![false; plan.steps.len()],
            ..Board::default()
        };
        Self {
            steps: &plan.steps,
            pace: plan.pace,
            board: Mutex::new(board),
            changed: Condvar::new(),
        }
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until earlier calls have been made: all of them with [`Pace::InTurn`], otherwise those that conflict with this call. Then
    /// makes this call's stream wait for the events of those calls. A waiting call needs no event, since the library begins it after all
    /// earlier work of blocking streams.
    pub fn before(&self, step: usize, stream: Option<&Stream>) {
        let earlier = &self.steps[..step];
        let is_needed = |other: &Step| match self.pace {
            Pace::InTurn => true,
            Pace::AtOnce => other.conflicts(&self.steps[step]),
        };
        let needed = (0..step).filter(|&other| is_needed(&earlier[other]));
        for other in needed {
            let waited = self
                .changed
                .wait_while(self.board(), |board| !board.made[other] && !board.failed);
            let mut board = waited.unwrap_or_else(PoisonError::into_inner);
            assert!(!board.failed, "another thread has failed");
            let event = board.events.remove(&(other, step));
            drop(board);
            if let (Some(event), Some(stream)) = (event, stream) {
                stream
                    .wait_event(event, StreamWaitEventFlags::DEFAULT)
                    .unwrap();
            }
        }
    }

    /// Notes that a call has been made. If it was queued, records an event for each conflicting later call that is queued on another
    /// stream.
    pub fn after(&self, step: usize, stream: Option<&Stream>) {
        let this = &self.steps[step];
        let mut events = Vec::new();
        for (other, later) in self.steps.iter().enumerate().skip(step + 1) {
            let is_elsewhere = later.queue != this.queue && later.queue != Queue::Default;
            if let Some(stream) = stream.filter(|_| is_elsewhere && later.conflicts(this)) {
                let event = Event::new(EventFlags::DISABLE_TIMING).unwrap();
                event.record(stream).unwrap();
                events.push(((step, other), event));
            }
        }
        let mut board = self.board();
        board.events.extend(events);
        board.made[step] = true;
        drop(board);
        self.changed.notify_all();
    }

    /// Returns a guard. If this thread panics, the drop of the guard tells the other threads to give up.
    pub fn watch(&self) -> impl Drop {
        GiveUp(self)
    }
}

struct GiveUp<'a>(&'a Order<'a>);

impl Drop for GiveUp<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.board().failed = true;
            self.0.changed.notify_all();
        }
    }
}
