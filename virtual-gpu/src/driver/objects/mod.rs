//! The objects of the virtual driver: devices, contexts, streams with their work, events, modules, libraries, linkers, memory and its
//! pools, captures, graphs and user objects. The calls in [`calls`](super::calls) look up most of them by handle.

pub(crate) mod capture;
pub(crate) mod context;
pub(crate) mod copy;
pub(crate) mod current;
pub(crate) mod event;
pub(crate) mod graph;
pub(crate) mod known_memory;
pub(crate) mod library;
pub(crate) mod linker;
pub(crate) mod machine;
pub(crate) mod module;
pub(crate) mod pool;
pub(crate) mod primary;
pub(crate) mod steps;
pub(crate) mod stream;
pub(crate) mod table;
pub(crate) mod threads;
pub(crate) mod touch;
pub(crate) mod user_object;
pub(crate) mod work;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, even if it was poisoned by a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
