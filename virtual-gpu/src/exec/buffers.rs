//! Parameter buffers: where a thread puts the parameters of a grid before it launches it.
//!
//! They are allocations of global memory like any other, so that what goes wrong in them is found.
//! A buffer is freed by its launch, and one that is never launched when the host's launch ends.

use std::collections::BTreeMap;

use crate::config::Shape;
use crate::memory::{Memory, Snapshot};

/// A grid that has a parameter buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prepared {
    /// Where the kernel stands in its module.
    pub kernel: usize,
    pub shape: Shape,
}

/// The buffers that are alive, by address.
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

    /// A new buffer; `None` where memory is short.
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
            // It is alive: nobody else knows of it.
            let _ = self.memory.free(address);
        }
    }
}

impl Drop for Buffers<'_> {
    fn drop(&mut self) {
        for address in self.prepared.keys() {
            // As above.
            let _ = self.memory.free(*address);
        }
    }
}
