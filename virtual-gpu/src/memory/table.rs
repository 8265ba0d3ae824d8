//! The table of a device's allocations, live and freed, with searches by address.

use super::allocation::Allocation;
use crate::fault::{Extent, Near};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An access at least this many bytes away from an allocation does not count as near it.
const NEAR_BYTES: u64 = 1 << 24;

#[derive(Debug)]
pub(super) struct Table {
    pub(super) live: BTreeMap<u64, Arc<Allocation>>,
    /// Pinned host memory, which kernels can access. It does not count as the device's memory.
    pub(super) pinned: BTreeMap<u64, Arc<Allocation>>,
    /// Managed memory. Like pinned memory, it does not count as the device's memory.
    pub(super) managed: BTreeMap<u64, Arc<Allocation>>,
    pub(super) freed: BTreeMap<u64, u64>,
    pub(super) next: u64,
    pub(super) live_bytes: u64,
}

impl Table {
    /// An empty table. The first allocation of device memory will be at `first_address`.
    pub(super) fn new(first_address: u64) -> Self {
        Self {
            live: BTreeMap::new(),
            pinned: BTreeMap::new(),
            managed: BTreeMap::new(),
            freed: BTreeMap::new(),
            next: first_address,
            live_bytes: 0,
        }
    }

    pub(super) fn containing(&self, address: u64) -> Option<&Arc<Allocation>> {
        let tables = [&self.live, &self.managed];
        let below = tables.map(|table| table.range(..=address).next_back());
        let found = below
            .into_iter()
            .flatten()
            .map(|(_, allocation)| allocation);
        found
            .into_iter()
            .find(|allocation| allocation.holds(address, 1))
    }

    pub(super) fn freed_at(&self, address: u64) -> Option<Extent> {
        let (&base, &bytes) = self.freed.range(..=address).next_back()?;
        (address - base < bytes).then_some(Extent { base, bytes })
    }

    pub(super) fn near(&self, address: u64) -> Near {
        let below = self.live.range(..=address).next_back();
        let above = self.live.range(address..).next();
        if let Some((_, a)) = below
            && a.holds(address, 1)
        {
            return Near::Across(a.extent());
        }
        let after = below.map(|(_, a)| (address - (a.base() + a.bytes()), a.extent()));
        let before = above.map(|(&base, a)| (base - address, a.extent()));
        match (after, before) {
            (Some((by, extent)), Some((gap, _))) if by <= gap && by < NEAR_BYTES => {
                Near::After(extent, by)
            }
            (_, Some((by, extent))) if by < NEAR_BYTES => Near::Before(extent, by),
            (Some((by, extent)), _) if by < NEAR_BYTES => Near::After(extent, by),
            _ => Near::Nothing,
        }
    }
}
