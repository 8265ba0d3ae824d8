//! Things that live in a device's primary context and are kept outside of the `Gpu`.
//!
//! Such a thing may outlive its context: after a fault the context is lost, and a reset of the device destroys it. The thing's addresses
//! and handles are then invalid, and the driver may have reused them. So the thing is tied to the [`Generation`] of its context: it is used
//! and dropped in that context only, and leaked otherwise. It is also leaked in a forked process, where no driver call works.

use std::mem::ManuallyDrop;

use super::core::Entered;
use super::generation::Generation;
use crate::driver;

/// A thing that was made in a context. It is leaked unless it is [ended](Self::end) in that context.
#[derive(Debug)]
pub(crate) struct Tied<T> {
    generation: Generation,
    value: ManuallyDrop<T>,
}

impl<T> Tied<T> {
    /// Ties a thing to the entered context, in which it was made.
    pub fn new(entered: Entered<'_>, value: T) -> Self {
        Self {
            generation: entered.generation().clone(),
            value: ManuallyDrop::new(value),
        }
    }

    /// The thing, if the entered context has the generation that the thing is tied to.
    pub fn of(&mut self, entered: Entered<'_>) -> Option<&mut T> {
        self.generation
            .is(entered.generation())
            .then_some(&mut *self.value)
    }

    /// Drops the thing if the entered context is alive and has the generation that the thing is tied to. Otherwise leaks the thing.
    pub fn end(self, entered: Entered<'_>) {
        // The context may have been lost without the `Gpu`'s knowledge. The query for free memory then fails with a sticky code. Other
        // failures do not mean a lost context.
        let is_lost = |failure: driver::Failure| failure.code.is_sticky();
        if self.generation.is(entered.generation()) && !driver::free_bytes().is_err_and(is_lost) {
            drop(ManuallyDrop::into_inner(self.value));
        }
    }
}
