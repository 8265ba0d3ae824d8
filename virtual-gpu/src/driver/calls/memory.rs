//! Device memory: allocating and freeing it, at once or stream-ordered. Also queries for the amounts of memory, and for the range that
//! contains an address.

use crate::driver::abi::{Handle, Out};
use crate::driver::calls::{check_legacy, check_unsafe_call, enqueue, finish_context};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::context::Context;
use crate::driver::objects::current::current;
use crate::driver::objects::known_memory::{Order, free_managed};
use crate::driver::objects::machine::machine;
use crate::driver::objects::stream::{Stream, resolve};
use crate::driver::objects::work::Action;
use std::sync::Arc;

pub(crate) fn alloc(address: Out<u64>, bytes: usize) -> Outcome {
    let context = current()?;
    check_unsafe_call()?;
    alloc_in(&context, address, bytes, Order::AtOnce)
}

/// A pitch is a multiple of this number of bytes.
const PITCH_BYTES: usize = 512;

pub(crate) fn alloc_rows(
    address: Out<u64>,
    pitch: Out<usize>,
    width: usize,
    rows: usize,
    element_bytes: u32,
) -> Outcome {
    let pitch_place = pitch.required()?;
    if !matches!(element_bytes, 4 | 8 | 16) {
        return Err(Code::INVALID_VALUE);
    }
    let pitch = width.checked_next_multiple_of(PITCH_BYTES);
    let bytes = pitch.and_then(|pitch| pitch.checked_mul(rows));
    let (pitch, bytes) = pitch.zip(bytes).ok_or(Code::OUT_OF_MEMORY)?;
    alloc(address, bytes)?;
    pitch_place.write(pitch)
}

/// The memory is usable at once, before the stream reaches the allocation. A program must not rely on that.
pub(crate) fn alloc_async(address: Out<u64>, bytes: usize, stream: Handle<Stream>) -> Outcome {
    let stream = resolve(stream)?;
    stream.check_not_capturing()?;
    alloc_in(&stream.context, address, bytes, Order::OfStream)
}

fn alloc_in(context: &Arc<Context>, address: Out<u64>, bytes: usize, order: Order) -> Outcome {
    let place = address.required()?;
    if bytes == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let known = &machine()?.known_memory;
    let mut allocated = known.alloc(context, bytes, order);
    if allocated == Err(Code::OUT_OF_MEMORY) {
        // Stream-ordered frees that are still queued may make room.
        finish_context(context)?;
        allocated = known.alloc(context, bytes, order);
    }
    place.write(allocated?)
}

/// Waits for all work of the context that owns the memory, since this work may use the memory. Then frees the memory.
pub(crate) fn free(address: u64) -> Outcome {
    current()?;
    if address == 0 {
        return Ok(());
    }
    check_unsafe_call()?;
    let machine = machine()?;
    let known = &machine.known_memory;
    let owner = known.owner(address)?;
    finish_context(&owner)?;
    let is_managed = known.is_managed(address);
    known.forget(address)?;
    let device = owner.device;
    let extent = device.memory.find(address);
    if is_managed {
        free_managed(machine, address)?;
    } else {
        let freed = device.memory.free(address);
        freed.map_err(|_| Code::INVALID_VALUE)?;
    }
    if let Some(extent) = extent {
        device.orders.forget(extent.base, extent.bytes);
    }
    Ok(())
}

pub(crate) fn free_async(address: u64, stream: Handle<Stream>) -> Outcome {
    let stream = resolve(stream)?;
    if address == 0 {
        return Ok(());
    }
    stream.check_not_capturing()?;
    let known = &machine()?.known_memory;
    let device = known.owner(address)?.device;
    if known.is_managed(address) {
        return Err(Code::INVALID_VALUE);
    }
    // `enqueue` makes the next check too, but only after `forget`.
    check_legacy(&stream)?;
    known.forget(address)?;
    enqueue(&stream, Action::Free(device, address))?;
    Ok(())
}

pub(crate) fn info(free: Out<usize>, total: Out<usize>) -> Outcome {
    let context = current()?;
    let memory = &context.device.memory;
    let (capacity, live) = (memory.capacity(), memory.live_bytes());
    let bytes = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let (free, total) = (free.required()?, total.required()?);
    free.write(bytes(capacity.saturating_sub(live)))?;
    total.write(bytes(capacity))
}

pub(crate) fn address_range(start: Out<u64>, bytes: Out<usize>, address: u64) -> Outcome {
    current()?;
    let known = &machine()?.known_memory;
    let of_host = || known.find_host(address).map(|(found, _)| found);
    let found = known.find(address).or_else(of_host);
    let found = found.ok_or(Code::NOT_FOUND)?;
    start.write_unless_null(found.start);
    bytes.write_unless_null(usize::try_from(found.bytes).unwrap_or(usize::MAX));
    Ok(())
}
