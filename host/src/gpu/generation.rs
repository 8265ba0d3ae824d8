//! Telling a device's primary contexts apart: the driver gives a new one the handle of one that is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Which of the contexts that this process has had, and whether it is known that somebody has destroyed it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Generation {
    is_destroyed: Arc<AtomicBool>,
}

impl Generation {
    /// Takes note that somebody has destroyed the context.
    pub fn note_destroyed(&self) {
        self.is_destroyed.store(true, Ordering::Relaxed);
    }

    /// Whether somebody has, as far as is known.
    pub fn is_destroyed(&self) -> bool {
        self.is_destroyed.load(Ordering::Relaxed)
    }

    /// Whether both are the same context.
    #[cfg(feature = "nccl")]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.is_destroyed, &other.is_destroyed)
    }
}
