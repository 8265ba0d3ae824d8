//! A process that was forked from one that had used the driver: nothing of the driver works there, and its threads are gone.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static FORKED: AtomicBool = AtomicBool::new(false);

/// Watches for forks from now on, since the driver is in use.
pub(super) fn watch() {
    static WATCHING: Once = Once::new();
    WATCHING.call_once(|| {
        #[cfg(unix)]
        // SAFETY: the function stores to an atomic, which may be done right after a fork.
        let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

#[cfg(unix)]
unsafe extern "C" fn in_child() {
    FORKED.store(true, Ordering::Relaxed);
}

/// Whether this process is one.
pub(super) fn is_child() -> bool {
    FORKED.load(Ordering::Relaxed)
}
