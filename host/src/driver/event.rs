//! Events, by which streams wait for each other.

use std::ffi::c_void;
use std::ptr;

use super::{Result, Stream, check, raw};

/// A point in a stream's work.
#[derive(Debug)]
pub(crate) struct Event(pub(super) *mut c_void);

// SAFETY: a handle names an object that the driver keeps and locks; any thread may use the handle.
unsafe impl Send for Event {}
// SAFETY: the driver locks the object that the handle names, so threads may use it at the same time.
unsafe impl Sync for Event {}

impl Event {
    /// Makes an event of the current context, without timing.
    pub fn new() -> Result<Self> {
        const DISABLE_TIMING: u32 = 2;
        let mut event = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        check("cuEventCreate", unsafe {
            raw::cuEventCreate(&mut event, DISABLE_TIMING)
        })?;
        Ok(Self(event))
    }

    /// Queues a record of the event on the stream, behind the work that is already queued there. The new record replaces any earlier
    /// record.
    pub fn record(&self, stream: Stream<'_>) -> Result<()> {
        // SAFETY: event and stream live.
        check("cuEventRecord", unsafe {
            raw::cuEventRecord(self.0, stream.handle)
        })
    }

    /// Makes later work on the stream wait for the event's latest record.
    pub fn hold_up(&self, stream: Stream<'_>) -> Result<()> {
        // SAFETY: event and stream live.
        check("cuStreamWaitEvent", unsafe {
            raw::cuStreamWaitEvent(stream.handle, self.0, 0)
        })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the handle is this event's own, and is not used again. A failure means that the context is lost or was destroyed.
        let _ = unsafe { raw::cuEventDestroy_v2(self.0) };
    }
}
