//! The scratch memory of one stream's launches: one allocation, zeroed once.
//!
//! What a workspace holds and why it need not be cleared again: [`warpfold_kernels::workspace`]. Which stream has
//! which, and when another is made: [`super::streams`].

use warpfold_kernels::workspace::{STATES_OFFSET, workspace_bytes};

use super::DeviceMemory;
use crate::driver::{self, Address, Stream};
use crate::error::Result;

/// Bytes of a stream's first workspace.
const INITIAL_BYTES: u64 = 1 << 20;

/// State words of a stream's first workspace.
pub(super) const INITIAL_STATE_WORDS: u64 = (INITIAL_BYTES - STATES_OFFSET) / 8;

/// The scratch memory of one stream's launches.
#[derive(Debug)]
pub(crate) struct Workspace {
    memory: DeviceMemory,
    state_words: u64,
}

impl Workspace {
    /// Allocates, and queues the zeroing.
    pub fn allocate(stream: Stream<'_>, state_words: u64) -> Result<Self> {
        let bytes = workspace_bytes(state_words);
        let memory = DeviceMemory::allocate(bytes)?;
        driver::fill(memory.address(), 0, (bytes / 4) as usize, stream)?;
        Ok(Self {
            memory,
            state_words,
        })
    }

    /// Where the tickets are.
    pub fn control(&self) -> Address {
        self.memory.address()
    }

    /// Where the state words are.
    pub fn states(&self) -> Address {
        self.memory.address() + STATES_OFFSET
    }

    /// How many state words there are.
    pub fn state_words(&self) -> u64 {
        self.state_words
    }
}

#[cfg(test)]
mod tests;
