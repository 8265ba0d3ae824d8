//! Workspaces: memory for the barrier of a whole grid.
//!
//! As with NVIDIA's driver, a kernel finds the address of its grid's workspace in `%envreg1` and `%envreg2`. On the virtual device, every
//! grid has a workspace, not only the grid of a cooperative launch. A workspace is allocated when a thread first reads its address, and
//! freed when the host's launch ends.

use std::collections::BTreeMap;

use crate::memory::{Memory, Snapshot};

/// The size of a workspace in bytes: two words for [the grid's barrier](crate::ptx::with_grid_barrier). The words are zero at first.
const BYTES: u64 = 8;

/// The workspaces of a launch.
#[derive(Debug)]
pub(super) struct Workspaces<'a> {
    memory: &'a Memory,
    /// The address of each grid's workspace, by the grid's number. If memory was short, the address is 0.
    addresses: BTreeMap<u32, u64>,
}

impl<'a> Workspaces<'a> {
    pub(super) fn new(memory: &'a Memory) -> Self {
        Self {
            memory,
            addresses: BTreeMap::new(),
        }
    }

    /// The address of a grid's workspace, or 0 if memory is short.
    pub(super) fn address(&mut self, snapshot: &mut Snapshot, grid: u32) -> u64 {
        let memory = self.memory;
        *self.addresses.entry(grid).or_insert_with(|| {
            let address = memory.alloc_zeros(BYTES).unwrap_or(0);
            if let Some(allocation) = memory.allocation(address) {
                snapshot.add(allocation);
            }
            address
        })
    }
}

impl Drop for Workspaces<'_> {
    fn drop(&mut self) {
        for address in self.addresses.values() {
            // Freeing fails only for address 0, which means that memory was short. Nothing else frees a workspace.
            let _ = self.memory.free(*address);
        }
    }
}
