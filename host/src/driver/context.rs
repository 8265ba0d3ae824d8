//! A device's primary context, and what a thread has while it works there: the context is current, and captures of other threads do not
//! concern it.
//!
//! The driver counts the references to a primary context. `cust`'s contexts and the CUDA runtime hold others, so they keep the context
//! when this one is released.

use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr;

use super::{Context, Device, Result, check, raw};

/// A counted reference to a device's primary context.
#[derive(Debug)]
pub(crate) struct PrimaryContext {
    device: Device,
    handle: Context,
}

impl PrimaryContext {
    pub fn retain(device: Device) -> Result<Self> {
        let mut context = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        check("cuDevicePrimaryCtxRetain", unsafe {
            raw::cuDevicePrimaryCtxRetain(&mut context, device.0)
        })?;
        Ok(Self {
            device,
            handle: Context(context),
        })
    }

    pub fn device(&self) -> Device {
        self.device
    }

    pub fn handle(&self) -> Context {
        self.handle
    }

    /// Makes the context current on this thread until the result is dropped. Costs one driver call where it
    /// is current already.
    #[inline]
    pub fn bind(&self) -> Result<Bound<'_>> {
        let pushed = !is_current(self.handle)?;
        if pushed {
            // SAFETY: no pointers but the handle.
            check("cuCtxPushCurrent_v2", unsafe {
                raw::cuCtxPushCurrent_v2(self.handle.0)
            })?;
        }
        Ok(Bound {
            pushed,
            on_this_thread: PhantomData,
        })
    }
}

impl Drop for PrimaryContext {
    fn drop(&mut self) {
        // SAFETY: no pointers; the driver counts. Nobody is left to tell of a failure.
        let _ = unsafe { raw::cuDevicePrimaryCtxRelease_v2(self.device.0) };
    }
}

/// A context that is current on this thread. The previous one is restored when this is dropped.
pub(crate) struct Bound<'context> {
    pushed: bool,
    on_this_thread: PhantomData<(&'context PrimaryContext, *mut ())>,
}

impl Bound<'_> {
    /// The same as a drop, but reports the failure.
    #[inline]
    pub fn unbind(mut self) -> Result<()> {
        self.pop()
    }

    #[inline]
    fn pop(&mut self) -> Result<()> {
        if !std::mem::take(&mut self.pushed) {
            return Ok(());
        }
        let mut popped = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        check("cuCtxPopCurrent_v2", unsafe {
            raw::cuCtxPopCurrent_v2(&mut popped)
        })
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        // There is something left to do only if the caller's work panicked.
        let _ = self.pop();
    }
}

/// Whether `context` is the calling thread's current one.
pub(crate) fn is_current(context: Context) -> Result<bool> {
    let mut current = ptr::null_mut();
    // SAFETY: the pointer is to a live local.
    check("cuCtxGetCurrent", unsafe {
        raw::cuCtxGetCurrent(&mut current)
    })?;
    Ok(current == context.0)
}

pub(crate) fn set_current(context: Context) -> Result<()> {
    // SAFETY: no pointers but the handle.
    check("cuCtxSetCurrent", unsafe {
        raw::cuCtxSetCurrent(context.0)
    })
}

/// Until this is dropped, captures do not forbid calls of the calling thread.
#[derive(Debug)]
pub(crate) struct Unconcerned {
    /// The mode to restore; `None` once it is restored.
    before: Option<c_int>,
    on_this_thread: PhantomData<*mut ()>,
}

impl Unconcerned {
    pub fn begin() -> Result<Self> {
        const RELAXED: c_int = 2;
        Ok(Self {
            before: Some(exchange_mode(RELAXED)?),
            on_this_thread: PhantomData,
        })
    }

    /// The same as a drop, but reports the failure.
    pub fn end(mut self) -> Result<()> {
        self.go_back()
    }

    fn go_back(&mut self) -> Result<()> {
        self.before
            .take()
            .map_or(Ok(()), |mode| exchange_mode(mode).map(drop))
    }
}

impl Drop for Unconcerned {
    fn drop(&mut self) {
        // There is something left to do only if the caller's work panicked.
        let _ = self.go_back();
    }
}

/// Sets the mode of the calling thread, and returns the previous one.
fn exchange_mode(mut mode: c_int) -> Result<c_int> {
    // SAFETY: the pointer is to a live local.
    check("cuThreadExchangeStreamCaptureMode", unsafe {
        raw::cuThreadExchangeStreamCaptureMode(&mut mode)
    })?;
    Ok(mode)
}
