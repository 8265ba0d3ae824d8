//! Pinned host memory: allocated by the driver, or registered by the program.
//!
//! If the driver allocated the memory, kernels on the allocating context's device can access it at its host address. No kernel can access
//! registered memory.

use crate::driver::abi::{HostPointer, Out};
use crate::driver::calls::{check_unsafe_call, finish_context};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::current::current;
use crate::driver::objects::machine::machine;
use std::ffi::c_void;

/// The allowed flags: portable, mapped, write-combined.
const ALLOC_FLAGS: u32 = 0x7;
/// The allowed flags: portable, mapped, I/O memory, read-only.
const REGISTER_FLAGS: u32 = 0xf;

pub(crate) fn alloc(pointer: Out<*mut c_void>, bytes: usize) -> Outcome {
    alloc_with_flags(pointer, bytes, 0)
}

pub(crate) fn alloc_with_flags(pointer: Out<*mut c_void>, bytes: usize, flags: u32) -> Outcome {
    let context = current()?;
    check_unsafe_call()?;
    let place = pointer.required()?;
    if flags & !ALLOC_FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let start = machine()?.known_memory.alloc_host(&context, bytes, flags)?;
    place.write(start.as_ptr().cast())
}

/// First waits for all work of the current context, because this work may use the memory.
pub(crate) fn free(pointer: HostPointer) -> Outcome {
    let context = current()?;
    check_unsafe_call()?;
    finish_context(&context)?;
    machine()?.known_memory.free_host(pointer)
}

pub(crate) fn register(pointer: HostPointer, bytes: usize, flags: u32) -> Outcome {
    let context = current()?;
    check_unsafe_call()?;
    if flags & !REGISTER_FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let known = &machine()?.known_memory;
    known.register_host(&context, pointer, bytes, flags)
}

/// First waits for all work of the current context, because this work may use the memory.
pub(crate) fn unregister(pointer: HostPointer) -> Outcome {
    let context = current()?;
    check_unsafe_call()?;
    finish_context(&context)?;
    machine()?.known_memory.unregister_host(pointer)
}

/// `flags` must be 0.
pub(crate) fn device_pointer(address: Out<u64>, pointer: HostPointer, flags: u32) -> Outcome {
    current()?;
    if flags != 0 {
        return Err(Code::INVALID_VALUE);
    }
    address.write(
        machine()?
            .known_memory
            .device_pointer_of(pointer.address())?,
    )
}

pub(crate) fn flags(flags: Out<u32>, pointer: HostPointer) -> Outcome {
    current()?;
    let found = machine()?.known_memory.find_host(pointer.address());
    let (_, of_range) = found.ok_or(Code::INVALID_VALUE)?;
    flags.write(of_range)
}
