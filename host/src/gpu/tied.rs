//! What lives in a device's primary context, and is kept outside of the `Gpu`.
//!
//! It may outlive its context, which is lost by a fault, or destroyed by somebody who resets the device. What it names is gone then,
//! and the driver may have given the same addresses and handles to others. So it is tied to the [`Generation`] of its context, is
//! used and dropped in that alone, and is leaked in any other case: also in a process that was forked, where no driver call works.

use std::mem::ManuallyDrop;

use super::core::Entered;
use super::generation::Generation;
use crate::driver;

/// Something that was made in a context. It is leaked unless it is [ended](Self::end) there.
#[derive(Debug)]
pub(crate) struct Tied<T> {
    generation: Generation,
    value: ManuallyDrop<T>,
}

impl<T> Tied<T> {
    /// Ties what was made in the context that is entered.
    pub fn new(entered: Entered<'_>, value: T) -> Self {
        Self {
            generation: entered.generation().clone(),
            value: ManuallyDrop::new(value),
        }
    }

    /// The thing, if it is of the context that is entered.
    pub fn of(&mut self, entered: Entered<'_>) -> Option<&mut T> {
        self.generation
            .is(entered.generation())
            .then_some(&mut *self.value)
    }

    /// Drops the thing if it is of the context that is entered, and that is alive.
    pub fn end(self, entered: Entered<'_>) {
        // The `Gpu` may not know yet that somebody has destroyed the context: any question shows it. Another failure does not mean that.
        let is_lost = |failure: driver::Failure| failure.code.is_sticky();
        if self.generation.is(entered.generation()) && !driver::free_bytes().is_err_and(is_lost) {
            drop(ManuallyDrop::into_inner(self.value));
        }
    }
}
