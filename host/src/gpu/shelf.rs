//! A shelf: a pool of things that calls borrow and give back. It bounds the number of all things, and the number of idle things.

use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::Result;

/// How many things a shelf may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The shelf has at most this many things, those in use and the idle ones together. [`Shelf::take`] waits while this many things are in
    /// use.
    pub most: usize,
    /// At most this many idle things are kept for later calls.
    pub idle: usize,
}

/// A pool of things for calls.
#[derive(Debug)]
pub(super) struct Shelf<T> {
    limits: Limits,
    state: Mutex<State<T>>,
    /// Signalled when fewer things are in use than before.
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    idle: Vec<Arc<T>>,
    /// The number of things in use.
    out: usize,
}

/// A thing in use by a call. A drop gives it back.
#[derive(Debug)]
pub(super) struct Loan<'shelf, T> {
    item: Arc<T>,
    /// Whether another call may use the thing.
    is_fit: bool,
    shelf: &'shelf Shelf<T>,
}

impl<T> Shelf<T> {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            state: Mutex::new(State {
                idle: Vec::new(),
                out: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// Borrows an idle thing, or makes a new one. Blocks while [`Limits::most`] things are in use. So a call that already holds a thing of
    /// this shelf must use [`Self::try_take`] to borrow another one.
    pub fn take(&self, make: impl FnOnce() -> Result<T>) -> Result<Loan<'_, T>> {
        let mut state = self.lock();
        while state.out >= self.limits.most {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        self.lend(state, make)
    }

    /// Borrows an idle thing, or makes a new one. `None` if [`Limits::most`] things are in use.
    pub fn try_take(&self, make: impl FnOnce() -> Result<T>) -> Result<Option<Loan<'_, T>>> {
        let state = self.lock();
        match state.out < self.limits.most {
            true => self.lend(state, make).map(Some),
            false => Ok(None),
        }
    }

    fn lend(
        &self,
        mut state: MutexGuard<'_, State<T>>,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<Loan<'_, T>> {
        state.out += 1;
        let idle = state.idle.pop();
        // `make` makes slow driver calls, so no lock is held.
        drop(state);
        let item = match idle {
            Some(item) => Ok(item),
            None => make().map(Arc::new),
        };
        match item {
            Ok(item) => Ok(Loan {
                item,
                is_fit: true,
                shelf: self,
            }),
            Err(error) => {
                self.lock().out -= 1;
                self.changed.notify_one();
                Err(error)
            }
        }
    }

    /// Takes out all idle things, for the caller to drop.
    pub fn clear(&self) -> Vec<Arc<T>> {
        std::mem::take(&mut self.lock().idle)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Loan<'_, T> {
    /// A shared reference to the thing, with which to wait for work that uses the thing.
    pub fn share(&self) -> Arc<T> {
        Arc::clone(&self.item)
    }

    /// Records that the thing is to be dropped at the end of the loan.
    pub fn discard(&mut self) {
        self.is_fit = false;
    }
}

impl<T> Deref for Loan<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item
    }
}

impl<T> Drop for Loan<'_, T> {
    fn drop(&mut self) {
        let mut state = self.shelf.lock();
        state.out -= 1;
        if self.is_fit && state.idle.len() < self.shelf.limits.idle {
            state.idle.push(Arc::clone(&self.item));
        }
        drop(state);
        self.shelf.changed.notify_one();
    }
}

#[cfg(test)]
mod tests;
