//! An event is a position in a stream's work. The program or another stream can wait for it. An event may also keep the time at which the
//! stream reached it.
//!
//! The time is read from the host's clock. The time between two events measures the interpreter, and says nothing about a GPU.

use crate::driver::code::{Code, Outcome};
use crate::driver::objects::capture::Tail;
use crate::driver::objects::context::{Context, Ticket};
use crate::driver::objects::lock;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;

/// Whether an event keeps the time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timing {
    Kept,
    Disabled,
}

/// An event.
pub(crate) struct Event {
    pub(crate) context: Arc<Context>,
    pub(crate) timing: Timing,
    recording: Mutex<Recording>,
}

/// The last recording of an event.
#[derive(Clone)]
pub(crate) enum Recording {
    Never,
    Stream {
        ticket: Ticket,
        time: Arc<OnceLock<Instant>>,
    },
    Capture(Tail),
}

impl Event {
    pub(crate) fn new(context: Arc<Context>, timing: Timing) -> Self {
        Self {
            context,
            timing,
            recording: Mutex::new(Recording::Never),
        }
    }

    pub(crate) fn recording(&self) -> Recording {
        lock(&self.recording).clone()
    }

    pub(crate) fn record(&self, recording: Recording) {
        *lock(&self.recording) = recording;
    }

    /// The time when the stream reached the event, and the ticket of the event's recording.
    pub(crate) fn reached(&self) -> Outcome<(Instant, Ticket)> {
        match (self.timing, self.recording()) {
            (Timing::Disabled, _) | (_, Recording::Never) => Err(Code::INVALID_HANDLE),
            (_, Recording::Capture(_)) => Err(Code::CAPTURED_EVENT),
            (_, Recording::Stream { time, ticket }) => {
                let time = time.get().ok_or(Code::NOT_READY)?;
                Ok((*time, ticket))
            }
        }
    }
}
