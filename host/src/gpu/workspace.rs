//! The scratch memory of launches that run one after the other: one allocation, zeroed once.
//!
//! [`warpfold_kernels::workspace`] says what a workspace holds and why it is never cleared again. [`super::scratch`] and
//! [`super::workspaces`] say which launches use which workspace, and when another one is made.

use warpfold_kernels::workspace::{STATES_OFFSET, workspace_bytes};

use super::DeviceMemory;
use crate::driver::{self, Address, Stream};
use crate::error::Result;

/// Bytes of the smallest workspace: enough for every reduction, and for scans of several hundred MiB.
const SMALLEST_BYTES: u64 = 128 << 10;

/// State words of the smallest workspace.
pub(super) const LEAST_STATE_WORDS: u64 = (SMALLEST_BYTES - STATES_OFFSET) / 8;

/// Scratch memory.
#[derive(Debug)]
pub(crate) struct Workspace {
    memory: DeviceMemory,
    state_words: u64,
}

/// The address and the size of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Address of the tickets.
    pub control: Address,
    /// Address of the state words.
    pub states: Address,
    /// How many state words there are.
    pub state_words: u64,
}

impl Workspace {
    /// Allocates, and queues the zeroing.
    pub fn allocate(stream: Stream<'_>, state_words: u64) -> Result<Self> {
        let state_words = state_words.max(LEAST_STATE_WORDS);
        let bytes = workspace_bytes(state_words);
        let memory = DeviceMemory::allocate(bytes)?;
        driver::fill(memory.address(), 0, (bytes / 4) as usize, stream)?;
        Ok(Self {
            memory,
            state_words,
        })
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        Place {
            control: self.memory.address(),
            states: self.memory.address() + STATES_OFFSET,
            state_words: self.state_words,
        }
    }

    /// How many state words there are.
    pub fn state_words(&self) -> u64 {
        self.state_words
    }
}

#[cfg(test)]
mod tests;
