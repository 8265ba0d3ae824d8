//! Finds the allocation of an address quickly. The snapshot has the allocations that are live when a launch starts, and the live
//! allocations that the launch has made.

use std::sync::Arc;

use super::Allocation;

/// The allocations, in the order of their addresses.
#[derive(Debug)]
pub(crate) struct Snapshot {
    allocations: Vec<Arc<Allocation>>,
}

/// The allocation that was found last. Most lanes access the same allocation as the previous lane.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lookup {
    last: usize,
}

impl Snapshot {
    pub(super) fn new(allocations: Vec<Arc<Allocation>>) -> Self {
        Self { allocations }
    }

    /// Adds an allocation that the launch has made.
    pub(crate) fn add(&mut self, allocation: Arc<Allocation>) {
        let above = self.first_above(allocation.base());
        self.allocations.insert(above, allocation);
    }

    /// Forgets the allocation that starts at an address.
    pub(crate) fn remove(&mut self, address: u64) {
        self.allocations.retain(|each| each.base() != address);
    }

    /// Every byte counts as written from now on.
    pub(crate) fn trust(&self) {
        self.allocations.iter().for_each(|each| each.trust());
    }

    /// The allocation that holds the whole range, if any.
    #[inline]
    pub(crate) fn find(
        &self,
        lookup: &mut Lookup,
        address: u64,
        bytes: u32,
    ) -> Option<&Allocation> {
        if let Some(last) = self.allocations.get(lookup.last)
            && last.holds(address, bytes.into())
        {
            return Some(last);
        }
        let index = self.first_above(address).checked_sub(1)?;
        let found = &self.allocations[index];
        if !found.holds(address, bytes.into()) {
            return None;
        }
        lookup.last = index;
        Some(found)
    }

    /// The index of the first allocation that starts above an address.
    fn first_above(&self, address: u64) -> usize {
        self.allocations
            .partition_point(|each| each.base() <= address)
    }
}
