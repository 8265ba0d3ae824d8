//! A reference to a device's primary context, and making it current for a while.
//!
//! The driver counts the references. `cust`'s contexts and the CUDA runtime hold others, so they keep the context when this one
//! is released.

use std::marker::PhantomData;

use crate::driver::{self, Context, Device, Failure};

/// A counted reference to a device's primary context.
#[derive(Debug)]
pub(super) struct PrimaryContext {
    device: Device,
    handle: Context,
}

impl PrimaryContext {
    pub fn retain(device: Device) -> Result<Self, Failure> {
        let handle = driver::retain_primary_context(device)?;
        Ok(Self { device, handle })
    }

    pub fn device(&self) -> Device {
        self.device
    }

    pub fn handle(&self) -> Context {
        self.handle
    }

    /// Makes the context current on this thread until the result is dropped. Costs one driver call where it
    /// is current already.
    pub fn bind(&self) -> Result<Bound<'_>, Failure> {
        let pushed = !driver::is_current(self.handle)?;
        if pushed {
            driver::push_current(self.handle)?;
        }
        Ok(Bound {
            pushed,
            on_this_thread: PhantomData,
        })
    }
}

impl Drop for PrimaryContext {
    fn drop(&mut self) {
        // Nobody is left to tell of a failure.
        let _ = driver::release_primary_context(self.device);
    }
}

/// A context that is current on this thread. The previous one is restored when this is dropped.
pub(super) struct Bound<'context> {
    pushed: bool,
    on_this_thread: PhantomData<(&'context PrimaryContext, *mut ())>,
}

impl Bound<'_> {
    /// The same as a drop, but reports the failure.
    pub fn unbind(mut self) -> Result<(), Failure> {
        self.pop()
    }

    fn pop(&mut self) -> Result<(), Failure> {
        match std::mem::take(&mut self.pushed) {
            true => driver::pop_current(),
            false => Ok(()),
        }
    }
}

impl Drop for Bound<'_> {
    fn drop(&mut self) {
        // Reached with work left only when that panicked.
        let _ = self.pop();
    }
}
