//! Managed memory: the host and the kernels of every device access it at the same address.
//!
//! Pages do not move, so prefetches and advice have no effect; only their arguments are checked. Attachments to streams have no effect
//! either: on a real device, they only restrict access. The host's writes are not tracked, so no byte of managed memory is ever reported as
//! undefined.

use crate::driver::abi::{Handle, Location, Out};
use crate::driver::calls::check_unsafe_call;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::current::current;
use crate::driver::objects::machine::{Machine, machine};
use crate::driver::objects::stream::{Stream, resolve};

/// Attachments: to all streams, to the host, to one stream.
const ATTACH_GLOBAL: u32 = 1;
const ATTACH_HOST: u32 = 2;
const ATTACH_SINGLE: u32 = 4;

/// The numbers of the kinds of advice.
const ADVICE: std::ops::RangeInclusive<i32> = 1..=6;

/// Kinds of memory locations: a device, the host, a NUMA node, the NUMA node of the calling thread.
const DEVICE: i32 = 1;
const HOST: std::ops::RangeInclusive<i32> = 2..=4;
/// The device number that means the host.
const CPU: i32 = -1;

pub(crate) fn alloc(address: Out<u64>, bytes: usize, flags: u32) -> Outcome {
    let context = current()?;
    check_unsafe_call()?;
    let place = address.required()?;
    if bytes == 0 || !matches!(flags, ATTACH_GLOBAL | ATTACH_HOST) {
        return Err(Code::INVALID_VALUE);
    }
    let machine = machine()?;
    place.write(
        machine
            .known_memory
            .alloc_managed(machine, &context, bytes)?,
    )
}

pub(crate) fn attach(stream: Handle<Stream>, address: u64, _bytes: usize, flags: u32) -> Outcome {
    resolve(stream)?;
    if !matches!(flags, ATTACH_GLOBAL | ATTACH_HOST | ATTACH_SINGLE) {
        return Err(Code::INVALID_VALUE);
    }
    check_range(machine()?, address, 0)
}

pub(crate) fn advise(address: u64, bytes: usize, advice: i32, device: i32) -> Outcome {
    current()?;
    if !ADVICE.contains(&advice) {
        return Err(Code::INVALID_VALUE);
    }
    let machine = machine()?;
    check_device(machine, device)?;
    check_range(machine, address, bytes)
}

pub(crate) fn advise_place(address: u64, bytes: usize, advice: i32, place: Location) -> Outcome {
    current()?;
    if !ADVICE.contains(&advice) {
        return Err(Code::INVALID_VALUE);
    }
    let machine = machine()?;
    check_range(machine, address, bytes)?;
    check_place(machine, place)
}

pub(crate) fn prefetch(address: u64, bytes: usize, device: i32, stream: Handle<Stream>) -> Outcome {
    resolve(stream)?;
    let machine = machine()?;
    check_device(machine, device)?;
    check_range(machine, address, bytes)
}

pub(crate) fn prefetch_to_place(
    address: u64,
    bytes: usize,
    place: Location,
    flags: u32,
    stream: Handle<Stream>,
) -> Outcome {
    resolve(stream)?;
    if flags != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let machine = machine()?;
    check_range(machine, address, bytes)?;
    check_place(machine, place)
}

fn check_device(machine: &Machine, device: i32) -> Outcome {
    match device {
        CPU => Ok(()),
        ordinal => machine.device(ordinal).map(drop),
    }
}

fn check_place(machine: &Machine, place: Location) -> Outcome {
    match place.kind {
        DEVICE => machine.device(place.id).map(drop),
        kind if HOST.contains(&kind) => Ok(()),
        _ => Err(Code::INVALID_VALUE),
    }
}

/// Fails unless the range lies inside one allocation of managed memory.
fn check_range(machine: &Machine, address: u64, bytes: usize) -> Outcome {
    let found = machine
        .known_memory
        .find(address)
        .filter(|found| found.is_managed);
    let found = found.ok_or(Code::INVALID_VALUE)?;
    let left = found.start + found.bytes - address;
    (bytes as u64 <= left)
        .then_some(())
        .ok_or(Code::INVALID_VALUE)
}
