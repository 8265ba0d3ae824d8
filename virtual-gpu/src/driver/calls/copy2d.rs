//! Copies of many rows. Arrays are not modelled.

use crate::driver::abi::{Handle, HostPointer, In};
use crate::driver::calls::copy::{device, later, now, place};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::copy::{Copy, End, Extent2, Place};
use crate::driver::objects::stream::Stream;

const HOST: i32 = 1;
const DEVICE: i32 = 2;
const ARRAY: i32 = 3;
const UNIFIED: i32 = 4;

/// `CUDA_MEMCPY2D`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Description {
    from: Side,
    to: Side,
    width_bytes: usize,
    rows: usize,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Side {
    x_bytes: usize,
    y: usize,
    memory_type: i32,
    host: HostPointer,
    device: u64,
    array: HostPointer,
    pitch: usize,
}

pub(crate) fn copy(description: In<Description>) -> Outcome {
    now(read(description)?)
}

pub(crate) fn copy_async(description: In<Description>, stream: Handle<Stream>) -> Outcome {
    later(read(description)?, stream)
}

fn read(description: In<Description>) -> Outcome<Copy> {
    let description = description.read()?;
    let extent = Extent2 {
        width_bytes: description.width_bytes,
        rows: description.rows,
    };
    Ok(Copy {
        to: end(description.to, extent)?,
        from: end(description.from, extent)?,
        extent,
    })
}

fn end(side: Side, extent: Extent2) -> Outcome<End> {
    let pitch = match side.pitch {
        0 => extent.width_bytes,
        pitch => pitch,
    };
    let before = side
        .y
        .checked_mul(pitch)
        .and_then(|rows| rows.checked_add(side.x_bytes));
    let before = before.ok_or(Code::INVALID_VALUE)?;
    let at = |address: u64| {
        address
            .checked_add(before as u64)
            .ok_or(Code::INVALID_VALUE)
    };
    let place = match side.memory_type {
        HOST if side.host.is_null() => return Err(Code::INVALID_VALUE),
        HOST => Place::Host(side.host.offset(before)),
        DEVICE => device(at(side.device)?)?,
        UNIFIED => place(at(side.device)?)?,
        ARRAY => return Err(Code::NOT_SUPPORTED),
        _ => return Err(Code::INVALID_VALUE),
    };
    Ok(End { place, pitch })
}
