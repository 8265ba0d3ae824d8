//! Identities for a device's primary contexts. Handles cannot identify them: the driver may give a new context the handle of an old one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Identifies the context of one `Core`, and records whether the context was destroyed. Two `Core`s of one context have different
/// generations.
#[derive(Debug, Clone, Default)]
pub(crate) struct Generation {
    is_destroyed: Arc<AtomicBool>,
}

impl Generation {
    /// Records that the context was destroyed.
    pub fn note_destroyed(&self) {
        self.is_destroyed.store(true, Ordering::Relaxed);
    }

    /// Whether the context is known to be destroyed.
    pub fn is_destroyed(&self) -> bool {
        self.is_destroyed.load(Ordering::Relaxed)
    }

    /// Whether `self` and `other` identify the context of the same `Core`.
    #[cfg(feature = "nccl")]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.is_destroyed, &other.is_destroyed)
    }
}
