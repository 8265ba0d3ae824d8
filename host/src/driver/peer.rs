//! Driver calls for work on several devices.

use std::ffi::c_void;

use super::{Address, Context, Event, Result, Stream, check, raw};
use crate::error::DriverCode;

/// Queues a copy from the memory of one context to the memory of another, or within a context.
pub(crate) fn queue_copy_between(
    (to, to_context): (Address, Context),
    (from, from_context): (Address, Context),
    bytes: u64,
    stream: Stream<'_>,
) -> Result<()> {
    // SAFETY: no pointer is to host memory, and the contexts and the stream live.
    check("cuMemcpyPeerAsync", unsafe {
        raw::cuMemcpyPeerAsync(
            to,
            to_context.0,
            from,
            from_context.0,
            bytes as usize,
            stream.handle,
        )
    })
}

impl Stream<'_> {
    /// Whether all work on the stream is done.
    pub fn is_done(self) -> Result<bool> {
        // SAFETY: the stream lives.
        answer(check("cuStreamQuery", unsafe {
            raw::cuStreamQuery(self.handle)
        }))
    }

    /// The driver's handle, for another library that queues work on the stream.
    pub fn handle(self) -> *mut c_void {
        self.handle
    }
}

impl Event {
    /// Whether the work before the event's latest record is done.
    pub fn is_reached(&self) -> Result<bool> {
        // SAFETY: the event lives.
        answer(check("cuEventQuery", unsafe { raw::cuEventQuery(self.0) }))
    }
}

/// Whether a query answered that the work is done.
fn answer(asked: Result<()>) -> Result<bool> {
    match asked {
        Err(failure) if failure.code == DriverCode::NOT_READY => Ok(false),
        asked => asked.map(|()| true),
    }
}
