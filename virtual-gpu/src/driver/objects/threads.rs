//! The identity of the calling host thread. It is available until the thread has ended.
//!
//! Programs call the driver from destructors of thread-local storage and from functions registered with `atexit`. When these run, the
//! standard library may already have dropped its own id of the thread. So the driver gives each thread a number, and keeps it in storage
//! without a destructor.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// A host thread. The numbers of ended threads are not reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ThreadId(u64);

thread_local! {
    /// The thread's number. 0 until the thread first calls [`ThreadId::current`].
    static OWN: Cell<u64> = const { Cell::new(0) };
}

impl ThreadId {
    /// The calling thread.
    pub(crate) fn current() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        OWN.with(|own| {
            if own.get() == 0 {
                own.set(NEXT.fetch_add(1, Ordering::Relaxed));
            }
            Self(own.get())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_has_its_own_number() {
        let here = ThreadId::current();
        let there = std::thread::spawn(ThreadId::current).join().unwrap();
        assert_ne!(here, there);
        assert_eq!(here, ThreadId::current());
    }
}
