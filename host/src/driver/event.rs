//! Events, which measure time on the device, and copies from one place there to another: what the ladder needs of
//! the driver beyond the library.

use std::ffi::{c_uint, c_void};
use std::ptr;
use std::time::Duration;

use super::{Address, Result, Stream, check};

mod raw {
    use super::{Address, c_uint, c_void};

    // As in the module of this name one level up.
    unsafe extern "C" {
        pub fn cuEventCreate(event: *mut *mut c_void, flags: c_uint) -> i32;
        pub fn cuEventRecord(event: *mut c_void, stream: *mut c_void) -> i32;
        pub fn cuEventSynchronize(event: *mut c_void) -> i32;
        pub fn cuEventElapsedTime(
            milliseconds: *mut f32,
            start: *mut c_void,
            end: *mut c_void,
        ) -> i32;
        pub fn cuEventDestroy_v2(event: *mut c_void) -> i32;
        pub fn cuMemcpyDtoD_v2(to: Address, from: Address, bytes: usize) -> i32;
    }
}

/// A place in a stream, with the time at which the device reached it.
#[derive(Debug)]
pub(crate) struct Event(*mut c_void);

impl Event {
    /// An event of the current context.
    pub fn new() -> Result<Self> {
        let mut event = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        check("cuEventCreate", unsafe {
            raw::cuEventCreate(&mut event, 0)
        })?;
        Ok(Self(event))
    }

    /// Puts the event behind what is queued on the stream.
    pub fn record(&self, stream: Stream<'_>) -> Result<()> {
        // SAFETY: event and stream live.
        check("cuEventRecord", unsafe {
            raw::cuEventRecord(self.0, stream.handle)
        })
    }

    /// Waits for the event, and gives the time since `start`.
    pub fn wait_since(&self, start: &Self) -> Result<Duration> {
        let mut milliseconds = 0.0;
        // SAFETY: both events live, and the pointer is to a live local.
        unsafe {
            check("cuEventSynchronize", raw::cuEventSynchronize(self.0))?;
            check(
                "cuEventElapsedTime",
                raw::cuEventElapsedTime(&mut milliseconds, start.0, self.0),
            )?;
        }
        let seconds = f64::from(milliseconds).max(0.0) / 1e3;
        Ok(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the handle is this event's own, and is not used again. A failure is that of a context that is gone.
        let _ = unsafe { raw::cuEventDestroy_v2(self.0) };
    }
}

/// Copies within the device's memory.
pub(crate) fn copy_within_device(to: Address, from: Address, bytes: usize) -> Result<()> {
    // SAFETY: no host pointers.
    check("cuMemcpyDtoD_v2", unsafe {
        raw::cuMemcpyDtoD_v2(to, from, bytes)
    })
}
