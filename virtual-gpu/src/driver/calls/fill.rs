//! Fills. The calls return without waiting for their fills. Fills without a stream argument go to the default stream.

use crate::driver::abi::Handle;
use crate::driver::calls::enqueue;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::copy::{Extent3, Fill, Pattern, Pitch};
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
    rows_of_bytes_async(address, pitch, value, width, rows, Handle::NULL)
}

pub(crate) fn rows_of_halves(
    address: u64,
    pitch: usize,
    value: u16,
    width: usize,
    rows: usize,
) -> Outcome {
    rows_of_halves_async(address, pitch, value, width, rows, Handle::NULL)
}

pub(crate) fn rows_of_words(
    address: u64,
    pitch: usize,
    value: u32,
    width: usize,
    rows: usize,
) -> Outcome {
    rows_of_words_async(address, pitch, value, width, rows, Handle::NULL)
}

pub(crate) fn rows_of_bytes_async(
    address: u64,
    pitch: usize,
    value: u8,
    width: usize,
    rows: usize,
    stream: Handle<Stream>,
) -> Outcome {
    matrix(
        (address, pitch),
        Pattern::Byte(value),
        (width, rows),
        stream,
    )
}

pub(crate) fn rows_of_halves_async(
    address: u64,
    pitch: usize,
    value: u16,
    width: usize,
    rows: usize,
    stream: Handle<Stream>,
) -> Outcome {
    matrix(
        (address, pitch),
        Pattern::Half(value),
        (width, rows),
        stream,
    )
}

pub(crate) fn rows_of_words_async(
    address: u64,
    pitch: usize,
    value: u32,
    width: usize,
    rows: usize,
    stream: Handle<Stream>,
) -> Outcome {
    matrix(
        (address, pitch),
        Pattern::Word(value),
        (width, rows),
        stream,
    )
}

/// Fills `rows` rows of `width` values each.
fn matrix(
    (address, pitch): (u64, usize),
    pattern: Pattern,
    (width, rows): (usize, usize),
    stream: Handle<Stream>,
) -> Outcome {
    let width_bytes = width
        .checked_mul(pattern.bytes())
        .ok_or(Code::INVALID_VALUE)?;
    let fill = Fill {
        address,
        pitch: Pitch { bytes: pitch, rows },
        extent: Extent3::plane(width_bytes, rows),
        pattern,
    };
    submit(fill, stream)
}

fn row(address: u64, pattern: Pattern, count: usize, stream: Handle<Stream>) -> Outcome {
    let width_bytes = count
        .checked_mul(pattern.bytes())
        .ok_or(Code::INVALID_VALUE)?;
    let fill = Fill {
        address,
        pitch: Pitch {
            bytes: width_bytes,
            rows: 1,
        },
        extent: Extent3::plane(width_bytes, 1),
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
