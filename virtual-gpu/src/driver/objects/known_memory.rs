//! The memory that the driver knows: its allocations on devices, and pinned host memory.
//!
//! Only managed memory has the same address on several devices. The type `Memory` checks the bounds of accesses. This module tracks which
//! context owns a range.

use crate::driver::abi::HostPointer;
use crate::driver::code::{Code, Outcome};
use crate::driver::findings::Left;
use crate::driver::objects::context::Context;
use crate::driver::objects::copy;
use crate::driver::objects::lock;
use crate::driver::objects::machine::Machine;
use crate::driver::objects::table::Owner;
use crate::driver::objects::threads::ThreadId;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// All memory that the driver knows of.
#[derive(Default)]
pub(crate) struct KnownMemory {
    device: Mutex<BTreeMap<u64, Range<Order>>>,
    host: Mutex<BTreeMap<u64, Range<Pinned>>>,
}

/// A range of memory.
pub(crate) struct Range<T> {
    context: Arc<Context>,
    bytes: u64,
    id: u64,
    maker: ThreadId,
    kind: T,
}

/// How device memory was allocated: at once (as by `cuMemAlloc`), in the order of a stream, or as managed memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    AtOnce,
    OfStream,
    Managed,
}

/// The flags and the owner of pinned host memory.
pub(crate) struct Pinned {
    flags: u32,
    owner: PinnedOwner,
}

/// The owner of pinned host memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PinnedOwner {
    /// Allocated by the driver. Kernels on the context's device can access it.
    Driver,
    /// The program's own memory, registered. Kernels cannot access it.
    Program,
}

/// The range of known memory that an address lies in.
pub(crate) struct Found {
    pub(crate) device: i32,
    /// The owning context. `None` for stream-ordered memory, which belongs to the device.
    pub(crate) context: Option<Arc<Context>>,
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    pub(crate) id: u64,
    pub(crate) is_managed: bool,
}

/// A count of memory ranges, and of their bytes.
pub(crate) struct Amount {
    pub(crate) ranges: usize,
    pub(crate) bytes: u64,
}

impl<T> Range<T> {
    fn new(context: &Arc<Context>, bytes: u64, kind: T) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        Self {
            context: Arc::clone(context),
            bytes,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            maker: ThreadId::current(),
            kind,
        }
    }

    /// Forgets the recorded accesses to memory that was freed or unregistered, because its host addresses may be reused for other memory.
    fn forget_accesses(&self, start: u64) {
        self.context.device.orders.forget(start, self.bytes);
    }

    fn found(&self, start: u64) -> Found {
        Found {
            device: self.context.device.ordinal,
            context: Some(Arc::clone(&self.context)),
            start,
            bytes: self.bytes,
            id: self.id,
            is_managed: false,
        }
    }
}

/// Frees managed memory on all devices.
pub(crate) fn free_managed(machine: &Machine, address: u64) -> Outcome {
    let devices = machine.devices.iter();
    let freed: Vec<_> = devices
        .map(|device| device.memory.free_managed(address))
        .collect();
    freed
        .contains(&true)
        .then_some(())
        .ok_or(Code::INVALID_VALUE)
}

fn amount<'a, T: 'a>(ranges: impl Iterator<Item = &'a Range<T>>, owner: Owner) -> Amount {
    let none = Amount {
        ranges: 0,
        bytes: 0,
    };
    let of_owner = ranges.filter(|range| owner.made(range.maker));
    of_owner.fold(none, |sum, range| Amount {
        ranges: sum.ranges + 1,
        bytes: sum.bytes + range.bytes,
    })
}

impl KnownMemory {
    /// Allocates on the context's device.
    pub(crate) fn alloc(&self, context: &Arc<Context>, bytes: usize, order: Order) -> Outcome<u64> {
        let bytes = bytes as u64;
        let address = context.device.memory.alloc(bytes).map_err(copy::code)?;
        let range = Range::new(context, bytes, order);
        lock(&self.device).insert(address, range);
        Ok(address)
    }

    /// Allocates memory that the host and all devices can access.
    pub(crate) fn alloc_managed(
        &self,
        machine: &Machine,
        context: &Arc<Context>,
        bytes: usize,
    ) -> Outcome<u64> {
        let bytes = bytes as u64;
        let own = &context.device.memory;
        let allocation = own.alloc_managed(bytes).ok_or(Code::OUT_OF_MEMORY)?;
        for device in &machine.devices {
            device.memory.adopt_managed(&allocation);
        }
        let address = allocation.base();
        lock(&self.device).insert(address, Range::new(context, bytes, Order::Managed));
        Ok(address)
    }

    /// Whether the allocation that starts at `address` is managed memory.
    pub(crate) fn is_managed(&self, address: u64) -> bool {
        let device = lock(&self.device);
        device
            .get(&address)
            .is_some_and(|range| range.kind == Order::Managed)
    }

    /// The context in which the allocation that starts at `address` was made.
    pub(crate) fn owner(&self, address: u64) -> Outcome<Arc<Context>> {
        let device = lock(&self.device);
        let range = device.get(&address).ok_or(Code::INVALID_VALUE)?;
        Ok(Arc::clone(&range.context))
    }

    /// Forgets the allocation that starts at `address`. The caller frees the memory.
    pub(crate) fn forget(&self, address: u64) -> Outcome {
        let known = lock(&self.device).remove(&address);
        known.map(drop).ok_or(Code::INVALID_VALUE)
    }

    /// The allocation that `address` lies in.
    pub(crate) fn find(&self, address: u64) -> Option<Found> {
        let device = lock(&self.device);
        let (start, range) = device.range(..=address).next_back()?;
        let mut found = range.found(*start);
        if range.kind == Order::OfStream {
            found.context = None;
        }
        found.is_managed = range.kind == Order::Managed;
        (address - start < range.bytes).then_some(found)
    }

    /// Allocates pinned host memory.
    pub(crate) fn alloc_host(
        &self,
        context: &Arc<Context>,
        bytes: usize,
        flags: u32,
    ) -> Outcome<NonNull<u8>> {
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let start = context
            .device
            .memory
            .pin(bytes as u64)
            .ok_or(Code::OUT_OF_MEMORY)?;
        let pinned = Pinned {
            flags,
            owner: PinnedOwner::Driver,
        };
        let range = Range::new(context, bytes as u64, pinned);
        lock(&self.host).insert(start.addr().get() as u64, range);
        Ok(start)
    }

    /// Records that memory of the program is pinned.
    pub(crate) fn register_host(
        &self,
        context: &Arc<Context>,
        pointer: HostPointer,
        bytes: usize,
        flags: u32,
    ) -> Outcome {
        let start = pointer.address();
        let end = start.checked_add(bytes as u64).ok_or(Code::INVALID_VALUE)?;
        if pointer.is_null() || bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let mut host = lock(&self.host);
        let before = host.range(..end).next_back();
        if before.is_some_and(|(other, range)| other + range.bytes > start) {
            return Err(Code::HOST_MEMORY_ALREADY_REGISTERED);
        }
        let pinned = Pinned {
            flags,
            owner: PinnedOwner::Program,
        };
        host.insert(start, Range::new(context, bytes as u64, pinned));
        Ok(())
    }

    /// Frees memory that `alloc_host` has allocated.
    pub(crate) fn free_host(&self, pointer: HostPointer) -> Outcome {
        let mut host = lock(&self.host);
        let range = host.get(&pointer.address()).ok_or(Code::INVALID_VALUE)?;
        if range.kind.owner != PinnedOwner::Driver {
            return Err(Code::INVALID_VALUE);
        }
        range.context.device.memory.unpin(pointer.address());
        range.forget_accesses(pointer.address());
        host.remove(&pointer.address());
        Ok(())
    }

    /// Undoes `register_host`.
    pub(crate) fn unregister_host(&self, pointer: HostPointer) -> Outcome {
        let mut host = lock(&self.host);
        let range = host.get(&pointer.address());
        if range.is_none_or(|range| range.kind.owner != PinnedOwner::Program) {
            return Err(Code::HOST_MEMORY_NOT_REGISTERED);
        }
        if let Some(range) = host.remove(&pointer.address()) {
            range.forget_accesses(pointer.address());
        }
        Ok(())
    }

    /// The device address of pinned host memory that the driver has allocated. It equals the host
    /// address.
    pub(crate) fn device_pointer_of(&self, address: u64) -> Outcome<u64> {
        let host = lock(&self.host);
        let range = host.range(..=address).next_back();
        let is_mapped = range.is_some_and(|(start, range)| {
            address - start < range.bytes && range.kind.owner == PinnedOwner::Driver
        });
        is_mapped.then_some(address).ok_or(Code::INVALID_VALUE)
    }

    /// The pinned range that `address` lies in, and its flags.
    pub(crate) fn find_host(&self, address: u64) -> Option<(Found, u32)> {
        let host = lock(&self.host);
        let (start, range) = host.range(..=address).next_back()?;
        (address - start < range.bytes).then(|| (range.found(*start), range.kind.flags))
    }

    /// Whether the `bytes` bytes of host memory that begin at `pointer` lie in one pinned range.
    pub(crate) fn is_pinned(&self, pointer: HostPointer, bytes: usize) -> bool {
        self.find_host(pointer.address()).is_some_and(|(found, _)| {
            let left = found.start + found.bytes - pointer.address();
            bytes as u64 <= left
        })
    }

    /// Frees all memory that was allocated in a context, and unregisters all memory that was registered there. Returns how much device
    /// memory and how much pinned memory this was.
    pub(crate) fn free_all_of(&self, machine: &Machine, context: &Arc<Context>) -> Left {
        let mut left = Left::default();
        lock(&self.device).retain(|address, range| {
            let stays = !Arc::ptr_eq(&range.context, context);
            if !stays {
                left.allocations += 1;
                left.allocated_bytes += range.bytes;
                range.forget_accesses(*address);
                // Freeing cannot fail, because known memory is live.
                let _ = match range.kind {
                    Order::Managed => free_managed(machine, *address),
                    Order::AtOnce | Order::OfStream => {
                        context.device.memory.free(*address).map_err(copy::code)
                    }
                };
            }
            stays
        });
        lock(&self.host).retain(|address, range| {
            let stays = !Arc::ptr_eq(&range.context, context);
            if !stays {
                // If the memory is the program's own, `unpin` does nothing.
                context.device.memory.unpin(*address);
                range.forget_accesses(*address);
                left.pinned += 1;
                left.pinned_bytes += range.bytes;
            }
            stays
        });
        left
    }

    pub(crate) fn device_amount(&self, owner: Owner) -> Amount {
        amount(lock(&self.device).values(), owner)
    }

    pub(crate) fn pinned_amount(&self, owner: Owner) -> Amount {
        amount(lock(&self.host).values(), owner)
    }
}
