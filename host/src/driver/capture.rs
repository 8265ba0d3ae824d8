//! Stream captures: how to recognise a capture, keep alive what its graph needs, and leave other captures undisturbed.
//!
//! During a capture, the driver rejects calls that might wait for work. The capture's mode decides whose calls are rejected: those of every
//! thread, only those of the thread that began the capture, or nobody's. A thread may declare that captures do not concern it
//! ([`Unconcerned`](super::Unconcerned)). Even then, each of the following calls by the thread ends a capture: `cuStreamGetId` for a
//! captured stream; a wait for the whole context; a use of the default stream while a stream that is ordered with the default stream is
//! being captured. The library makes none of these calls, except after a rare race: see the [crate's documentation](crate#captures).

use std::ffi::{c_int, c_void};
use std::ptr;

use super::{Failure, Result, Stream, check, raw};
use crate::error::{DriverCode, Error};

/// A capture that a stream takes part in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capture {
    /// The driver's number for the capture. It is never reused.
    pub id: u64,
    /// The graph that is being captured.
    graph: *mut c_void,
}

impl Stream<'_> {
    /// The capture that the stream takes part in. An invalidated capture is an error.
    pub fn capture(self) -> Result<Option<Capture>> {
        const CALL: &str = "cuStreamGetCaptureInfo_v2";
        const CAPTURING: c_int = 1;
        const INVALIDATED: c_int = 2;
        let (mut status, mut id, mut graph) = (0, 0, ptr::null_mut());
        // SAFETY: the pointers are to live locals, or null where an answer is not wanted; the stream lives.
        check(CALL, unsafe {
            raw::cuStreamGetCaptureInfo_v2(
                self.handle,
                &mut status,
                &mut id,
                &mut graph,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        })?;
        match status {
            CAPTURING => Ok(Some(Capture { id, graph })),
            INVALIDATED => Err(Failure {
                call: CALL,
                code: DriverCode::STREAM_CAPTURE_INVALIDATED,
            }),
            _ => Ok(None),
        }
    }
}

impl Capture {
    /// Keeps a value alive as long as the graph, an executable graph made from it, or a launch of such a graph exists. If this function
    /// succeeds, the driver later drops the value on one of its own threads. On that thread, no driver call may be made.
    pub fn keep<T: Send + 'static>(self, kept: Box<T>) -> Result<()> {
        const NO_DESTRUCTOR_SYNC: u32 = 1;
        const MOVE: u32 = 1;
        let data = Box::into_raw(kept);
        let mut object = ptr::null_mut();
        // SAFETY: the pointer is to a live local. The driver calls the destructor once, with `data`, which is a `Box<T>`'s pointer.
        let made = check("cuUserObjectCreate", unsafe {
            raw::cuUserObjectCreate(
                &mut object,
                data.cast(),
                Some(drop_box::<T>),
                1,
                NO_DESTRUCTOR_SYNC,
            )
        });
        if let Err(failure) = made {
            // SAFETY: `data` is the box's pointer from above. No user object was made, so nobody else drops the box.
            drop(unsafe { Box::from_raw(data) });
            return Err(failure);
        }
        // SAFETY: no pointers except handles. The stream is being captured, so the capture and its graph live.
        let moved = check("cuGraphRetainUserObject", unsafe {
            raw::cuGraphRetainUserObject(self.graph, object, 1, MOVE)
        });
        if moved.is_err() {
            // SAFETY: no pointers except the handle. The reference was not moved to the graph, so it is still ours, and is released once.
            // A failure leaks the object and its value.
            let _ = unsafe { raw::cuUserObjectRelease(object, 1) };
        }
        moved
    }
}

/// The destructor of a user object: drops its box.
///
/// # Safety
///
/// `data` came from a `Box<T>`, and is not used again.
unsafe extern "C" fn drop_box<T>(data: *mut c_void) {
    // SAFETY: `data` came from a `Box<T>` and is not used again: this function's condition.
    drop(unsafe { Box::from_raw(data.cast::<T>()) });
}

/// Checks that the default stream of the current context can be used: no stream that is ordered with it is being captured. The check itself
/// ends no capture.
pub(crate) fn check_default_stream() -> Result<(), Error> {
    let mut status = 0;
    // SAFETY: the pointer is to a live local; null stands for the default stream.
    let asked = check("cuStreamIsCapturing", unsafe {
        raw::cuStreamIsCapturing(ptr::null_mut(), &mut status)
    });
    asked.map_err(in_capture)
}

/// The library's error for a failed call on the default stream.
pub(crate) fn in_capture(failure: Failure) -> Error {
    match failure.code {
        DriverCode::STREAM_CAPTURE_IMPLICIT => Error::CaptureUnderWay,
        _ => failure.into(),
    }
}
