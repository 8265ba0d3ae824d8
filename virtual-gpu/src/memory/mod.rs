//! The global memory of one device: allocations, and the bytes in them.
//!
//! Allocations of device memory are separated by guard gaps, their addresses are never reused, and freed ranges are remembered. So an
//! access one byte past the end of an allocation, or to memory that was freed long ago, is an error.
//!
//! A real device's allocator reuses freed addresses, so a stale pointer may reach a newer allocation. On the virtual GPU, every access
//! through a stale pointer to device memory is an error. One kind of mistake is therefore not found: a host table indexed by device address
//! keeps the entry of a freed allocation. On a real device, a newer allocation may have the same address, and the table then gives it the
//! stale entry. On the virtual GPU, no newer allocation has this address. As on a real device, the addresses of pinned and managed memory
//! are reused, and so are the handles of objects.
//!
//! All methods of [`Memory`] take `&self`. The table of allocations is behind a lock. The bytes are shared atomics, so launches from
//! several host threads run in parallel. A launch looks addresses up in a [`Snapshot`] of the table.
//!
//! Not modelled: capacity lost to fragmentation, page granularity, and virtual memory management. An 8-byte access is two accesses of four
//! bytes, so racing launches on several host threads may see torn values. Within one launch no value is torn.

mod allocation;
mod error;
mod snapshot;
mod table;
#[cfg(test)]
mod tests;
mod words;
mod written;

use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::fault::{Extent, Near};
pub(crate) use allocation::Allocation;
use allocation::Contents;
pub use error::MemoryError;
pub(crate) use snapshot::{Lookup, Snapshot};
use table::Table;

/// The lowest address of device memory. The generic windows of the other memory spaces lie below it.
const FIRST_ADDRESS: u64 = 0x1000_0000_0000;
/// The number of addresses that belong to each device. The addresses of a freed allocation are not used again.
const DEVICE_ADDRESSES: u64 = 0x1000_0000_0000;
/// Allocations start at multiples of this.
///
/// ```
/// let memory = virtual_gpu::Memory::new(1 << 20);
/// assert!(memory.alloc(1)?.is_multiple_of(virtual_gpu::ALLOCATION_ALIGN));
/// # Ok::<(), virtual_gpu::MemoryError>(())
/// ```
pub const ALLOCATION_ALIGN: u64 = 256;
/// Two allocations of device memory have at least this many bytes between them.
const GUARD_BYTES: u64 = 4096;

/// [`Memory::copy`] looks up the written state of this many bytes at a time.
const CHUNK_BYTES: u64 = 16;

/// The size of the chunk that starts at this offset of a range.
fn chunk_bytes(start: u64, bytes: u64) -> u32 {
    (bytes - start).min(CHUNK_BYTES) as u32
}

/// The global memory of one device.
///
/// ```
/// let memory = virtual_gpu::Memory::new(1 << 20);
/// let address = memory.alloc(4)?;
/// memory.write(address, &[1, 2, 3, 4])?;
/// let mut bytes = [0; 4];
/// memory.read(address, &mut bytes)?;
/// assert_eq!(bytes, [1, 2, 3, 4]);
/// # Ok::<(), virtual_gpu::MemoryError>(())
/// ```
#[derive(Debug)]
pub struct Memory {
    capacity: u64,
    /// The end of the device's addresses.
    end: u64,
    table: RwLock<Table>,
    /// The lock that an atomic operation holds. The devices of a machine share it, since managed memory belongs to all of them.
    atomics: Arc<Mutex<()>>,
}

impl Memory {
    /// Memory of `capacity` bytes, all of them free.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// assert_eq!((memory.capacity(), memory.live_bytes(), memory.live_allocations()), (1 << 20, 0, 0));
    /// ```
    pub fn new(capacity: u64) -> Self {
        Self::of_device(0, capacity, Arc::default())
    }

    /// Like [`new`](Self::new), for the device with this ordinal. Devices with different ordinals have different addresses.
    pub(crate) fn of_device(ordinal: u32, capacity: u64, atomics: Arc<Mutex<()>>) -> Self {
        let start = FIRST_ADDRESS + u64::from(ordinal) * DEVICE_ADDRESSES;
        Self {
            capacity,
            end: start + DEVICE_ADDRESSES,
            table: RwLock::new(Table::new(start)),
            atomics,
        }
    }

    /// Allocates `bytes` bytes at an address that was never used before.
    ///
    /// The bytes read as zero, but count as never written: a real device promises nothing about them.
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
    /// The call fails if `bytes` is 0, if the device or the host has fewer than `bytes` bytes free, or if the device has too few unused
    /// addresses. All allocations of a device, freed ones included, share 16 TiB of addresses.
    pub fn alloc(&self, bytes: u64) -> Result<u64, MemoryError> {
        self.alloc_with(bytes, Contents::Undefined)
    }

    /// Like [`alloc`](Self::alloc), but the zeros count as written.
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
        let next = next.filter(|next| *next <= self.end);
        let next = next.ok_or(out_of_memory)?;
        let allocation = Allocation::new(base, bytes, contents).ok_or(out_of_memory)?;
        table.next = next;
        table.live_bytes += bytes;
        table.live.insert(base, Arc::new(allocation));
        Ok(base)
    }

    /// Frees the allocation that starts at `address`. Its addresses are never used again.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let address = memory.alloc(8)?;
    /// memory.free(address)?;
    /// assert!(memory.free(address).is_err(), "it is freed already");
    /// assert!(memory.find_freed(address).is_some());
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
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

    /// Allocates pinned host memory of at least one byte, which kernels access at its host address. `None` if the host has no more memory.
    pub(crate) fn pin(&self, bytes: u64) -> Option<NonNull<u8>> {
        let allocation = Allocation::pinned(bytes)?;
        let start = allocation.host_start();
        let mut table = self.write_table();
        table.pinned.insert(allocation.base(), Arc::new(allocation));
        Some(start)
    }

    /// Frees the memory that [`pin`](Self::pin) allocated at `address`. Running launches keep the memory until they end.
    pub(crate) fn unpin(&self, address: u64) {
        self.write_table().pinned.remove(&address);
    }

    /// Allocates managed memory of at least one byte, which kernels access at its host address. All bytes of managed memory count as
    /// written. `None` if the host has no more memory.
    pub(crate) fn alloc_managed(&self, bytes: u64) -> Option<Arc<Allocation>> {
        let allocation = Arc::new(Allocation::pinned(bytes)?);
        self.adopt_managed(&allocation);
        Some(allocation)
    }

    /// Gives kernels of this device access to managed memory.
    pub(crate) fn adopt_managed(&self, allocation: &Arc<Allocation>) {
        let mut table = self.write_table();
        table
            .managed
            .insert(allocation.base(), Arc::clone(allocation));
    }

    /// Ends the access of this device's kernels to the managed memory that starts at `address`. Returns whether a managed allocation
    /// started at this address.
    pub(crate) fn free_managed(&self, address: u64) -> bool {
        self.write_table().managed.remove(&address).is_some()
    }

    /// The live allocation of device or managed memory that `address` lies in.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let address = memory.alloc(8)?;
    /// assert!(memory.find(address + 7).is_some());
    /// assert!(memory.check(address, 9).is_err(), "it runs past the end");
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
    pub fn find(&self, address: u64) -> Option<Extent> {
        self.read_table().containing(address).map(|a| a.extent())
    }

    /// The total bytes of live allocations of device memory.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// memory.alloc(100)?;
    /// assert_eq!(memory.live_bytes(), 100);
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
    pub fn live_bytes(&self) -> u64 {
        self.read_table().live_bytes
    }

    /// The number of live allocations of device memory.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let address = memory.alloc(100)?;
    /// assert_eq!(memory.live_allocations(), 1);
    /// memory.free(address)?;
    /// assert_eq!(memory.live_allocations(), 0);
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
    pub fn live_allocations(&self) -> usize {
        self.read_table().live.len()
    }

    /// The size of the device's memory in bytes.
    ///
    /// ```
    /// assert_eq!(virtual_gpu::Memory::new(1 << 20).capacity(), 1 << 20);
    /// ```
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Copies bytes out of one allocation.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let address = memory.alloc(4)?;
    /// memory.write(address, &[1, 2, 3, 4])?;
    /// let mut last = [0; 2];
    /// memory.read(address + 2, &mut last)?;
    /// assert_eq!(last, [3, 4]);
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
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
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let address = memory.alloc(4)?;
    /// memory.write(address, &[1, 2, 3, 4])?;
    /// assert!(memory.write(address + 1, &[0; 4]).is_err(), "it runs past the end");
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
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

    /// Repeats `pattern` over `bytes` bytes of one allocation; the last repeat may be cut short. An empty pattern writes nothing.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let address = memory.alloc(5)?;
    /// memory.fill(address, 5, &[1, 2])?;
    /// let mut bytes = [0; 5];
    /// memory.read(address, &mut bytes)?;
    /// assert_eq!(bytes, [1, 2, 1, 2, 1]);
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The range does not lie inside one live allocation.
    pub fn fill(&self, address: u64, bytes: u64, pattern: &[u8]) -> Result<(), MemoryError> {
        let allocation = self.range(address, bytes)?;
        if !pattern.is_empty() {
            allocation.fill(address, bytes, pattern);
            allocation.mark_written(address, bytes);
        }
        Ok(())
    }

    /// Copies between two ranges, each inside one allocation. They may overlap.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let (from, to) = (memory.alloc(4)?, memory.alloc(4)?);
    /// memory.fill(from, 4, &[1, 2])?;
    /// memory.copy(to, from, 4)?;
    /// let mut read = [0; 4];
    /// memory.read(to, &mut read)?;
    /// assert_eq!(read, [1, 2, 1, 2]);
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
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

    /// The first byte of a range that counts as never written, as an offset from the start of the range. `None` if all its bytes count as
    /// written.
    ///
    /// After a launch without the check for uninitialised bytes, all memory that the launch could access counts as written.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let address = memory.alloc(8)?;
    /// memory.write(address, &[0; 4])?;
    /// assert_eq!(memory.first_unwritten(address, 8)?, Some(4));
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The range does not lie inside one live allocation.
    pub fn first_unwritten(&self, address: u64, bytes: u64) -> Result<Option<u64>, MemoryError> {
        let allocation = self.range(address, bytes)?;
        Ok(allocation.first_unwritten(address, bytes))
    }

    /// Checks that a range is inside one live allocation.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let address = memory.alloc(8)?;
    /// assert!(memory.check(address, 8).is_ok() && memory.check(address, 9).is_err());
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The range does not lie inside one live allocation.
    pub fn check(&self, address: u64, bytes: u64) -> Result<(), MemoryError> {
        self.range(address, bytes).map(|_| ())
    }

    /// The freed allocation, if any, that `address` lies in.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let address = memory.alloc(8)?;
    /// assert_eq!(memory.find_freed(address), None);
    /// memory.free(address)?;
    /// assert_eq!(memory.find_freed(address).map(|freed| freed.bytes), Some(8));
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
    pub fn find_freed(&self, address: u64) -> Option<Extent> {
        self.read_table().freed_at(address)
    }

    /// The allocation near `address`, for a diagnostic.
    ///
    /// ```
    /// let memory = virtual_gpu::Memory::new(1 << 20);
    /// let address = memory.alloc(8)?;
    /// assert!(matches!(memory.near(address + 10), virtual_gpu::Near::After(_, 2)));
    /// # Ok::<(), virtual_gpu::MemoryError>(())
    /// ```
    pub fn near(&self, address: u64) -> Near {
        self.read_table().near(address)
    }

    /// The live allocation of device memory that starts at an address.
    pub(crate) fn allocation(&self, address: u64) -> Option<Arc<Allocation>> {
        self.read_table().live.get(&address).cloned()
    }

    /// The live allocations, and all pinned and managed memory.
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

    /// Locks out atomic operations of other launches on the machine's devices. While the guard lives, no such operation comes between the
    /// caller's reads and writes.
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

    fn read_table(&self) -> RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_table(&self) -> RwLockWriteGuard<'_, Table> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }
}
