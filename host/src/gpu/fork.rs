//! Processes that were forked after this library had initialised the driver. In these processes no driver call works, and only the thread
//! that forked still exists.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

static FORKED: AtomicBool = AtomicBool::new(false);

/// The first call of this function begins to watch for forks. Later calls do nothing.
pub(super) fn watch() {
    static WATCHING: Once = Once::new();
    WATCHING.call_once(|| {
        #[cfg(unix)]
        // SAFETY: `in_child` only stores to an atomic. A child process is allowed to do this right after a fork.
        let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

#[cfg(unix)]
unsafe extern "C" fn in_child() {
    FORKED.store(true, Ordering::Relaxed);
}

/// Whether this process was forked after [`watch`] had been called.
pub(super) fn is_child() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// Returns an error if [`is_child`] is true.
pub(crate) fn refuse_in_child() -> Result<()> {
    match is_child() {
        true => Err(Error::Forked),
        false => Ok(()),
    }
}
