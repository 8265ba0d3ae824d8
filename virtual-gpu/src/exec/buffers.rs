//! Parameter buffers: memory for the parameters of a grid that a kernel is about to launch.
//!
//! Buffers are ordinary allocations of global memory, so accesses to them are checked. Launching the
//! grid frees its buffer. If the grid is never launched, the buffer is freed when the host's launch ends.

use std::collections::BTreeMap;

use crate::config::Shape;
use crate::memory::{Memory, Snapshot};

/// A grid that has a parameter buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prepared {
    /// The index of the kernel in its module.
    pub kernel: usize,
    pub shape: Shape,
}

/// The live buffers, by address.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    memory: &'a Memory,
    prepared: BTreeMap<u64, Prepared>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(memory: &'a Memory) -> Self {
        Self {
            memory,
            prepared: BTreeMap::new(),
        }
    }

    /// A new buffer. `None` if memory is short.
    pub(super) fn add(
        &mut self,
        snapshot: &mut Snapshot,
        bytes: u32,
        prepared: Prepared,
    ) -> Option<u64> {
        let address = self.memory.alloc(bytes.max(1).into()).ok()?;
        snapshot.add(self.memory.allocation(address)?);
        self.prepared.insert(address, prepared);
        Some(address)
    }

    pub(super) fn get(&self, address: u64) -> Option<Prepared> {
        self.prepared.get(&address).copied()
    }

    /// Frees a buffer.
    pub(super) fn remove(&mut self, snapshot: &mut Snapshot, address: u64) {
        if self.prepared.remove(&address).is_some() {
            snapshot.remove(address);
            // Freeing cannot fail: the buffer is live, because nothing else frees it.
            let _ = self.memory.free(address);
        }
    }
}

impl Drop for Buffers<'_> {
    fn drop(&mut self) {
        for address in self.prepared.keys() {
            // Freeing cannot fail, as above: the buffer is live.
            let _ = self.memory.free(*address);
        }
    }
}
