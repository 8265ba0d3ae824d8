//! The global memory of one device: allocations, and the bytes in them.
//!
//! Every allocation stands alone. Between two of them lies a guard gap, addresses are never handed
//! out twice, and what was freed is remembered, so that an access one byte past an end, or to
//! something freed long ago, is recognised for what it is.
//!
//! In this the virtual device is stricter than a real one, whose allocator gives out again what was
//! freed: a pointer that is used too late is always an error here, and there it may reach a newer
//! allocation. What a program keeps by address (that a range was seen before, say) cannot go stale
//! here, so it is not tested. Handles of streams and the like do come back, as they do there.
//! Pinned host memory is the host allocator's, and its addresses come back too.
//!
//! All methods take `&self`. The table of allocations is behind a lock; the bytes are shared and
//! atomic, so launches from several host threads run side by side. A launch looks addresses up in
//! a [`Snapshot`] of the table.
//!
//! Not modelled: the capacity that fragmentation costs, page granularity, and virtual memory
//! management. An 8-byte access is done as two of four bytes, so host threads that race on one
//! may see halves; within a launch they cannot.

mod allocation;
mod snapshot;
mod words;
mod written;

use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::fault::{Extent, Near};
pub(crate) use allocation::Allocation;
use allocation::Contents;
pub(crate) use snapshot::{Lookup, Snapshot};

/// Addresses below this belong to no allocation; the windows of the other spaces lie there.
const FIRST_ADDRESS: u64 = 0x1000_0000_0000;
/// Addresses that belong to each device.
const DEVICE_ADDRESSES: u64 = 0x1000_0000_0000;
/// Allocations start at multiples of this.
pub const ALLOCATION_ALIGN: u64 = 256;
/// The least number of bytes between two allocations.
const GUARD_BYTES: u64 = 4096;
/// An access this far from an allocation is not said to be near it.
const NEAR_BYTES: u64 = 1 << 24;

/// Bytes for which it is looked up at once whether they were written.
const CHUNK_BYTES: u64 = 16;

/// Bytes of the chunk that starts so far into a range.
fn chunk_bytes(start: u64, bytes: u64) -> u32 {
    (bytes - start).min(CHUNK_BYTES) as u32
}

/// Why a call on [`Memory`] was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// Not enough memory is left.
    #[error("out of memory: {asked} bytes were asked for and {free} of {capacity} are free")]
    OutOfMemory {
        /// Bytes asked for.
        asked: u64,
        /// Bytes that are free.
        free: u64,
        /// Bytes that the device has.
        capacity: u64,
    },
    /// An allocation of no bytes.
    #[error("an allocation of zero bytes")]
    ZeroBytes,
    /// The address is not the start of an allocation that is alive.
    #[error("{address:#x} is not the start of an allocation: {near}")]
    NotAllocated {
        /// The address.
        address: u64,
        /// What is near.
        near: Near,
    },
    /// The allocation was freed before.
    #[error("{address:#x} was freed before: {freed}")]
    Freed {
        /// The address.
        address: u64,
        /// The allocation that was there.
        freed: Extent,
    },
    /// A range that does not lie inside one live allocation.
    #[error("{bytes} bytes at {address:#x} do not lie inside one allocation: {near}")]
    OutOfBounds {
        /// The address.
        address: u64,
        /// Bytes of the range.
        bytes: u64,
        /// What is near.
        near: Near,
    },
}

/// The global memory of one device.
#[derive(Debug)]
pub struct Memory {
    capacity: u64,
    table: RwLock<Table>,
    atomics: Mutex<()>,
}

#[derive(Debug)]
struct Table {
    live: BTreeMap<u64, Arc<Allocation>>,
    /// Pinned host memory, which kernels reach and which is no memory of the device's.
    pinned: BTreeMap<u64, Arc<Allocation>>,
    /// Memory that host and kernels reach at one address. It is no memory of the device's either.
    managed: BTreeMap<u64, Arc<Allocation>>,
    freed: BTreeMap<u64, u64>,
    next: u64,
    live_bytes: u64,
}

impl Memory {
    /// Memory of `capacity` bytes, all of them free.
    pub fn new(capacity: u64) -> Self {
        Self::of_device(0, capacity)
    }

    /// As [`new`](Self::new), for a device of this ordinal: no two devices hand out the same address.
    pub(crate) fn of_device(ordinal: u32, capacity: u64) -> Self {
        Self {
            capacity,
            table: RwLock::new(Table {
                live: BTreeMap::new(),
                pinned: BTreeMap::new(),
                managed: BTreeMap::new(),
                freed: BTreeMap::new(),
                next: FIRST_ADDRESS + u64::from(ordinal) * DEVICE_ADDRESSES,
                live_bytes: 0,
            }),
            atomics: Mutex::new(()),
        }
    }

    /// Hands out `bytes` bytes at an address that was never handed out before.
    ///
    /// They read as zero, but count as never written: a real device promises nothing about them.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let address = memory.alloc(8)?;
    /// memory.write(address, &[1, 2, 3])?;
    /// assert_eq!(memory.first_unwritten(address, 8)?, Some(3));
    /// assert!(memory.read(address + 6, &mut [0; 4]).is_err(), "it runs past the end");
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// No bytes are asked for, or more than are free.
    pub fn alloc(&self, bytes: u64) -> Result<u64, MemoryError> {
        self.alloc_with(bytes, Contents::Undefined)
    }

    /// As [`alloc`](Self::alloc), for a variable of a module: the zeros count as written.
    pub(crate) fn alloc_zeros(&self, bytes: u64) -> Result<u64, MemoryError> {
        self.alloc_with(bytes, Contents::Zeros)
    }

    fn alloc_with(&self, bytes: u64, contents: Contents) -> Result<u64, MemoryError> {
        if bytes == 0 {
            return Err(MemoryError::ZeroBytes);
        }
        let mut table = self.write_table();
        let free = self.capacity - table.live_bytes;
        let out_of_memory = MemoryError::OutOfMemory {
            asked: bytes,
            free,
            capacity: self.capacity,
        };
        if bytes > free {
            return Err(out_of_memory);
        }
        let base = table.next;
        let end = base.checked_add(bytes);
        let next = end
            .and_then(|end| end.checked_add(GUARD_BYTES))
            .and_then(|next| next.checked_next_multiple_of(ALLOCATION_ALIGN));
        let next = next.ok_or(out_of_memory)?;
        let allocation = Allocation::new(base, bytes, contents).ok_or(out_of_memory)?;
        table.next = next;
        table.live_bytes += bytes;
        table.live.insert(base, Arc::new(allocation));
        Ok(base)
    }

    /// Frees the allocation that starts at `address`. Its addresses are never used again.
    ///
    /// # Errors
    ///
    /// No live allocation starts at `address`.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        let mut table = self.write_table();
        let Some(allocation) = table.live.remove(&address) else {
            return Err(match table.freed_at(address) {
                Some(freed) => MemoryError::Freed { address, freed },
                None => MemoryError::NotAllocated {
                    address,
                    near: table.near(address),
                },
            });
        };
        table.live_bytes -= allocation.bytes();
        table.freed.insert(address, allocation.bytes());
        Ok(())
    }

    /// Memory of the host, at least one byte, that kernels reach at the address where the host has
    /// it; `None` if the host has no more.
    pub(crate) fn pin(&self, bytes: u64) -> Option<NonNull<u8>> {
        let allocation = Allocation::pinned(bytes)?;
        let start = allocation.host_start();
        let mut table = self.write_table();
        table.pinned.insert(allocation.base(), Arc::new(allocation));
        Some(start)
    }

    /// Gives back what [`pin`](Self::pin) gave. Launches that run keep it until they end.
    pub(crate) fn unpin(&self, address: u64) {
        self.write_table().pinned.remove(&address);
    }

    /// Managed memory, at least one byte, at the address where the host has it; `None` if the host has no more. It is as
    /// any allocation, but for its address and the bytes that count as written, which are all of them.
    pub(crate) fn alloc_managed(&self, bytes: u64) -> Option<Arc<Allocation>> {
        let allocation = Arc::new(Allocation::pinned(bytes)?);
        self.adopt_managed(&allocation);
        Some(allocation)
    }

    /// Lets kernels of this device reach managed memory of another one.
    pub(crate) fn adopt_managed(&self, allocation: &Arc<Allocation>) {
        let mut table = self.write_table();
        table
            .managed
            .insert(allocation.base(), Arc::clone(allocation));
    }

    /// Gives managed memory back; whether there was some at this address.
    pub(crate) fn free_managed(&self, address: u64) -> bool {
        self.write_table().managed.remove(&address).is_some()
    }

    /// The live allocation that `address` lies in.
    pub fn find(&self, address: u64) -> Option<Extent> {
        self.read_table().containing(address).map(|a| a.extent())
    }

    /// Bytes of all that is alive.
    pub fn live_bytes(&self) -> u64 {
        self.read_table().live_bytes
    }

    /// Number of allocations that are alive.
    pub fn live_allocations(&self) -> usize {
        self.read_table().live.len()
    }

    /// Bytes that the device has.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Copies bytes out of one allocation.
    ///
    /// # Errors
    ///
    /// The range does not lie inside one live allocation.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), MemoryError> {
        let allocation = self.range(address, to.len() as u64)?;
        allocation.read(address, to);
        Ok(())
    }

    /// Copies bytes into one allocation.
    ///
    /// # Errors
    ///
    /// The range does not lie inside one live allocation.
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), MemoryError> {
        let allocation = self.range(address, from.len() as u64)?;
        allocation.write(address, from);
        allocation.mark_written(address, from.len() as u64);
        Ok(())
    }

    /// Repeats `pattern` over `bytes` bytes of one allocation; the last repeat may be cut short.
    ///
    /// # Errors
    ///
    /// The range does not lie inside one live allocation.
    pub fn fill(&self, address: u64, bytes: u64, pattern: &[u8]) -> Result<(), MemoryError> {
        let allocation = self.range(address, bytes)?;
        allocation.fill(address, bytes, pattern);
        allocation.mark_written(address, bytes);
        Ok(())
    }

    /// Copies between two ranges, each inside one allocation. They may overlap.
    ///
    /// # Errors
    ///
    /// One of the ranges does not lie inside one live allocation.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), MemoryError> {
        let (target, source) = (self.range(to, bytes)?, self.range(from, bytes)?);
        let mut buffer = vec![0; bytes as usize];
        source.read(from, &mut buffer);
        let written = |start: u64| source.written(from + start, chunk_bytes(start, bytes));
        let chunks = (0..bytes).step_by(CHUNK_BYTES as usize);
        let written: Vec<u32> = chunks.clone().map(written).collect();
        target.write(to, &buffer);
        for (start, mask) in chunks.zip(written) {
            target.set_written(to + start, chunk_bytes(start, bytes), mask);
        }
        Ok(())
    }

    /// How far into a range the first byte lies that was never written, if there is one.
    ///
    /// Memory that a launch could write whose check for uninitialised bytes was off counts as
    /// written.
    ///
    /// # Errors
    ///
    /// The range does not lie inside one live allocation.
    pub fn first_unwritten(&self, address: u64, bytes: u64) -> Result<Option<u64>, MemoryError> {
        let allocation = self.range(address, bytes)?;
        Ok(allocation.first_unwritten(address, bytes))
    }

    /// Checks that a range lies inside one live allocation.
    ///
    /// # Errors
    ///
    /// It does not.
    pub fn check(&self, address: u64, bytes: u64) -> Result<(), MemoryError> {
        self.range(address, bytes).map(|_| ())
    }

    /// The freed allocation, if any, that `address` lies in.
    pub fn find_freed(&self, address: u64) -> Option<Extent> {
        self.read_table().freed_at(address)
    }

    /// What lies near `address`, for a diagnostic.
    pub fn near(&self, address: u64) -> Near {
        self.read_table().near(address)
    }

    /// The allocation that starts at an address.
    pub(crate) fn allocation(&self, address: u64) -> Option<Arc<Allocation>> {
        self.read_table().live.get(&address).cloned()
    }

    /// The allocations that are alive now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let table = self.read_table();
        let mut allocations: Vec<_> = table
            .live
            .values()
            .chain(table.pinned.values())
            .chain(table.managed.values())
            .cloned()
            .collect();
        allocations.sort_by_key(|allocation| allocation.base());
        Snapshot::new(allocations)
    }

    /// Held while an atomic operation reads and writes, so that atomic operations of other launches wait.
    pub(crate) fn lock_atomics(&self) -> MutexGuard<'_, ()> {
        self.atomics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn range(&self, address: u64, bytes: u64) -> Result<Arc<Allocation>, MemoryError> {
        let table = self.read_table();
        if let Some(allocation) = table.containing(address)
            && allocation.holds(address, bytes)
        {
            return Ok(Arc::clone(allocation));
        }
        Err(match table.freed_at(address) {
            Some(freed) => MemoryError::Freed { address, freed },
            None => MemoryError::OutOfBounds {
                address,
                bytes,
                near: table.near(address),
            },
        })
    }

    fn read_table(&self) -> std::sync::RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_table(&self) -> std::sync::RwLockWriteGuard<'_, Table> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn containing(&self, address: u64) -> Option<&Arc<Allocation>> {
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

    fn freed_at(&self, address: u64) -> Option<Extent> {
        let (&base, &bytes) = self.freed.range(..=address).next_back()?;
        (address - base < bytes).then_some(Extent { base, bytes })
    }

    fn near(&self, address: u64) -> Near {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_have_a_gap_and_addresses_are_not_reused() {
        let memory = Memory::new(1 << 20);
        let a = memory.alloc(100).unwrap();
        let b = memory.alloc(100).unwrap();
        assert_eq!((a % 256, b % 256), (0, 0));
        assert!(b - a >= 100 + GUARD_BYTES);
        memory.free(b).unwrap();
        assert!(memory.alloc(100).unwrap() > b);
    }

    #[test]
    fn double_free_and_stray_free_are_told_apart() {
        let memory = Memory::new(1 << 20);
        let a = memory.alloc(64).unwrap();
        assert!(matches!(
            memory.free(a + 8),
            Err(MemoryError::NotAllocated {
                near: Near::Across(_),
                ..
            })
        ));
        memory.free(a).unwrap();
        let freed = Extent { base: a, bytes: 64 };
        assert_eq!(
            memory.free(a),
            Err(MemoryError::Freed { address: a, freed })
        );
        assert_eq!(
            memory.read(a, &mut [0; 4]),
            Err(MemoryError::Freed { address: a, freed })
        );
    }

    #[test]
    fn bytes_come_back_at_any_alignment() {
        let memory = Memory::new(1 << 20);
        let base = memory.alloc(67).unwrap();
        for offset in 0..8 {
            for len in 0..24_u8 {
                let data: Vec<u8> = (1..=len).collect();
                memory.fill(base, 67, &[0xee]).unwrap();
                memory.write(base + offset, &data).unwrap();
                let mut all = [0; 67];
                memory.read(base, &mut all).unwrap();
                let mut expected = [0xee; 67];
                expected[offset as usize..][..data.len()].copy_from_slice(&data);
                assert_eq!(all, expected);
            }
        }
        assert!(memory.write(base + 60, &[0; 8]).is_err());
    }

    #[test]
    fn a_copy_hands_on_what_was_written_and_what_was_not() {
        let memory = Memory::new(1 << 20);
        let (a, b) = (memory.alloc(100).unwrap(), memory.alloc(100).unwrap());
        memory.write(a, &[1; 50]).unwrap();
        memory.fill(b, 100, &[2]).unwrap();
        memory.copy(b + 3, a + 1, 90).unwrap();
        assert_eq!(memory.first_unwritten(a, 100), Ok(Some(50)));
        assert_eq!(memory.first_unwritten(b, 100), Ok(Some(52)));
        assert_eq!(memory.first_unwritten(b + 93, 7), Ok(None));
        memory.snapshot().trust();
        assert_eq!(memory.first_unwritten(b, 100), Ok(None));
    }

    #[test]
    fn the_limit_is_on_what_is_alive() {
        let memory = Memory::new(1000);
        let a = memory.alloc(600).unwrap();
        assert_eq!(
            memory.alloc(600),
            Err(MemoryError::OutOfMemory {
                asked: 600,
                free: 400,
                capacity: 1000
            })
        );
        memory.free(a).unwrap();
        memory.alloc(1000).unwrap();
        assert_eq!(memory.live_bytes(), 1000);
    }
}
