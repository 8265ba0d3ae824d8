//! Copies of one row.
//!
//! As on a real device, a synchronous copy belongs to the default stream. If it involves host memory and is not captured, the call returns
//! when the copy is done. An asynchronous copy reads pageable host memory during the call. If it writes to pageable memory, the call
//! returns when the copy is done. An asynchronous copy reads and writes pinned host memory when the stream reaches the copy. A captured
//! copy treats pageable memory like pinned memory.

use crate::driver::abi::{Handle, HostPointer};
use crate::driver::calls::{check_legacy, check_unsafe_call, enqueue, finish};
use crate::driver::code::Outcome;
use crate::driver::objects::context::Context;
use crate::driver::objects::copy::{Copy, Location, Pitch};
use crate::driver::objects::current::{current, current_in_any_state};
use crate::driver::objects::machine::machine;
use crate::driver::objects::stream::{Stream, default_stream, resolve};
use crate::driver::objects::work::Action;
use std::sync::Arc;

pub(crate) fn host_to_device(to: u64, from: HostPointer, bytes: usize) -> Outcome {
    now(Copy::linear(device(to)?, Location::Host(from), bytes))
}

pub(crate) fn device_to_host(to: HostPointer, from: u64, bytes: usize) -> Outcome {
    now(Copy::linear(Location::Host(to), device(from)?, bytes))
}

pub(crate) fn device_to_device(to: u64, from: u64, bytes: usize) -> Outcome {
    now(Copy::linear(device(to)?, device(from)?, bytes))
}

pub(crate) fn any_to_any(to: u64, from: u64, bytes: usize) -> Outcome {
    now(Copy::linear(place(to)?, place(from)?, bytes))
}

pub(crate) fn host_to_device_async(
    to: u64,
    from: HostPointer,
    bytes: usize,
    stream: Handle<Stream>,
) -> Outcome {
    later(
        Copy::linear(device(to)?, Location::Host(from), bytes),
        stream,
    )
}

pub(crate) fn device_to_host_async(
    to: HostPointer,
    from: u64,
    bytes: usize,
    stream: Handle<Stream>,
) -> Outcome {
    later(
        Copy::linear(Location::Host(to), device(from)?, bytes),
        stream,
    )
}

pub(crate) fn device_to_device_async(
    to: u64,
    from: u64,
    bytes: usize,
    stream: Handle<Stream>,
) -> Outcome {
    later(Copy::linear(device(to)?, device(from)?, bytes), stream)
}

pub(crate) fn any_to_any_async(
    to: u64,
    from: u64,
    bytes: usize,
    stream: Handle<Stream>,
) -> Outcome {
    later(Copy::linear(place(to)?, place(from)?, bytes), stream)
}

/// One end of a copy, at an address of a device or the host. If an allocation on a device contains the address, the end is device memory.
/// Otherwise, it is host memory.
pub(super) fn place(address: u64) -> Outcome<Location> {
    Ok(match machine()?.memory_at(address) {
        Some(memory) => Location::Device(memory, address),
        None => Location::Host(HostPointer::from_address(address)),
    })
}

/// One end of a copy, in the memory of any device. If no allocation contains the address, it counts as an address of the current device.
/// Then a copy of one byte or more fails.
pub(super) fn device(address: u64) -> Outcome<Location> {
    let memory = match machine()?.memory_at(address) {
        Some(memory) => memory,
        None => &current_in_any_state()?.device.memory,
    };
    Ok(Location::Device(memory, address))
}

/// A copy in the default stream. When the call returns, the copy is done, unless it is captured or both ends are on devices.
pub(super) fn now(copy: Copy) -> Outcome {
    let context = current()?;
    if copy.extent.is_empty() {
        return Ok(());
    }
    copy.check()?;
    let stream = default_stream(&context);
    check_legacy(&stream)?;
    check_unsafe_call()?;
    let touches_host = [&copy.to, &copy.from]
        .iter()
        .any(|end| !matches!(end.place, Location::Device(..)));
    match enqueue(&stream, Action::Copy(copy))? {
        Some(ticket) if touches_host => finish(&ticket),
        _ => Ok(()),
    }
}

/// A copy in a stream.
pub(super) fn later(mut copy: Copy, stream: Handle<Stream>) -> Outcome {
    let stream = resolve(stream)?;
    if copy.extent.is_empty() {
        return Ok(());
    }
    copy.check()?;
    if stream.tail().is_none() && is_pageable(&copy, &copy.from.place, copy.from.pitch)? {
        copy.stage()?;
    }
    let waits = is_pageable(&copy, &copy.to.place, copy.to.pitch)?;
    match enqueue(&stream, Action::Copy(copy))? {
        Some(ticket) if waits => finish(&ticket),
        _ => Ok(()),
    }
}

fn is_pageable(copy: &Copy, place: &Location, pitch: Pitch) -> Outcome<bool> {
    match place {
        Location::Device(..) | Location::Staged(_) => Ok(false),
        Location::Host(pointer) => {
            let bytes = copy.extent.span(pitch)?;
            Ok(!machine()?.known_memory.is_pinned(*pointer, bytes))
        }
    }
}

/// Unless it is captured, the copy comes after all earlier work of both contexts, and before all later work. To ensure this, the call
/// waits; a real driver need not wait.
pub(crate) fn peer(
    to: u64,
    to_context: Handle<Context>,
    from: u64,
    from_context: Handle<Context>,
    bytes: usize,
) -> Outcome {
    let contexts = contexts([to_context, from_context])?;
    check_unsafe_call()?;
    contexts.iter().for_each(|context| context.drain());
    device_to_device(to, from, bytes)?;
    finish(&default_stream(&current()?).last())
}

pub(crate) fn peer_async(
    to: u64,
    to_context: Handle<Context>,
    from: u64,
    from_context: Handle<Context>,
    bytes: usize,
    stream: Handle<Stream>,
) -> Outcome {
    contexts([to_context, from_context])?;
    device_to_device_async(to, from, bytes, stream)
}

/// The contexts of a peer copy. They must exist, but are not needed to find the memory.
fn contexts([to, from]: [Handle<Context>; 2]) -> Outcome<[Arc<Context>; 2]> {
    let contexts = &machine()?.contexts;
    Ok([contexts.get(to)?, contexts.get(from)?])
}
