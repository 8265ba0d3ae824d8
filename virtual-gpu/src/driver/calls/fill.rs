//! Fills. None of them waits for its end: the plain ones are work of the legacy default stream.

use crate::driver::abi::Handle;
use crate::driver::calls::enqueue;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::copy::{Extent2, Fill, Pattern};
use crate::driver::objects::stream::{Stream, resolve};
use crate::driver::objects::work::Action;

pub(crate) fn bytes(address: u64, value: u8, count: usize) -> Outcome {
    bytes_async(address, value, count, Handle::NULL)
}

pub(crate) fn halves(address: u64, value: u16, count: usize) -> Outcome {
    halves_async(address, value, count, Handle::NULL)
}

pub(crate) fn words(address: u64, value: u32, count: usize) -> Outcome {
    words_async(address, value, count, Handle::NULL)
}

pub(crate) fn bytes_async(
    address: u64,
    value: u8,
    count: usize,
    stream: Handle<Stream>,
) -> Outcome {
    row(address, Pattern::Byte(value), count, stream)
}

pub(crate) fn halves_async(
    address: u64,
    value: u16,
    count: usize,
    stream: Handle<Stream>,
) -> Outcome {
    row(address, Pattern::Half(value), count, stream)
}

pub(crate) fn words_async(
    address: u64,
    value: u32,
    count: usize,
    stream: Handle<Stream>,
) -> Outcome {
    row(address, Pattern::Word(value), count, stream)
}

pub(crate) fn rows_of_bytes(
    address: u64,
    pitch: usize,
    value: u8,
    width: usize,
    rows: usize,
) -> Outcome {
    let extent = Extent2 {
        width_bytes: width,
        rows,
    };
    let pattern = Pattern::Byte(value);
    let fill = Fill {
        address,
        pitch,
        extent,
        pattern,
    };
    submit(fill, Handle::NULL)
}

fn row(address: u64, pattern: Pattern, count: usize, stream: Handle<Stream>) -> Outcome {
    let width_bytes = count
        .checked_mul(pattern.bytes())
        .ok_or(Code::INVALID_VALUE)?;
    let extent = Extent2 {
        width_bytes,
        rows: 1,
    };
    let fill = Fill {
        address,
        pitch: width_bytes,
        extent,
        pattern,
    };
    submit(fill, stream)
}

fn submit(fill: Fill, stream: Handle<Stream>) -> Outcome {
    let stream = resolve(stream)?;
    if fill.extent.is_empty() {
        return Ok(());
    }
    fill.check(&stream.context.device.memory)?;
    enqueue(&stream, Action::Fill(fill))?;
    Ok(())
}
