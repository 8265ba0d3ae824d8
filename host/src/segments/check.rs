//! A waiting call on segments. If the kernel refuses the offsets, the call reads them and names the first wrong offset.

use super::Offset;
use crate::driver::{self, PinnedMemory};
use crate::error::{Error, Result};
use crate::gpu::{Call, Entered};
use crate::kernel::Row;
use crate::launch::{Made, Queue, Span};
use crate::segments::{Segments, Starts};

/// The value of the report if the kernel has found no mistake. The report is a number in the call's result memory.
const ACCEPTED: u64 = 0;

/// Bytes of offsets that are checked at a time.
const PIECE_BYTES: usize = 1 << 20;

/// Queues the work on the segments, and waits for it.
pub fn and_wait(
    entered: Entered<'_>,
    row: &'static Row,
    segments: Segments,
    made: Made,
    output: Span,
) -> Result<()> {
    let mut call = entered.ordered_call()?;
    let Starts::Offsets(offsets) = segments.starts else {
        // Rows are never refused.
        Queue::for_caller(entered, &call).segments(row, segments, made, output, 0)?;
        return call.wait();
    };
    call.write_number(ACCEPTED)?;
    let report = call.result()?;
    Queue::for_caller(entered, &call).segments(row, segments, made, output, report)?;
    call.wait()?;
    // SAFETY: `wait` ended the work. The report is the number that the host wrote or, if the offsets are wrong, the number that the kernel
    // wrote.
    let report = unsafe { call.read_number() }?;
    if report == ACCEPTED {
        return Ok(());
    }
    let item_count = segments.items.item_count;
    Err(match offsets.item.bytes {
        4 => first_bad::<u32>(entered, &mut call, offsets, item_count)?,
        _ => first_bad::<u64>(entered, &mut call, offsets, item_count)?,
    })
}

/// Checks that offsets ascend, that the first offset is at least `before`, and that no offset exceeds the number of items. `offsets` may be
/// only a part of a launch's offsets. `index` is the index of `offsets[0]` among all offsets of the launch: an error needs it to name the
/// index of a wrong offset. Returns the last offset, or `before` if there are no offsets.
pub fn ascends<I: Offset>(
    offsets: &[I],
    index: usize,
    mut before: u64,
    item_count: usize,
) -> Result<u64> {
    for (place, offset) in offsets.iter().enumerate() {
        let offset = offset.to_u64();
        if offset < before || offset > item_count as u64 {
            return Err(Error::BadOffset {
                index: index + place,
                offset,
                before,
                item_count,
            });
        }
        before = offset;
    }
    Ok(before)
}

/// Looks for the first wrong offset, and returns the error that names it. If no offset is wrong any more, the index in the error is the
/// number of offsets.
fn first_bad<I: Offset>(
    entered: Entered<'_>,
    call: &mut Call<'_>,
    span: Span,
    item_count: usize,
) -> Result<Error> {
    let piece = entered.with_room(|| PinnedMemory::allocate(PIECE_BYTES))?;
    let mut before = 0;
    let mut index = 0;
    while index < span.item_count {
        let count = (span.item_count - index).min(PIECE_BYTES / size_of::<I>());
        let from = span.address + (index * size_of::<I>()) as u64;
        // SAFETY: `piece` has room for `count` offsets (condition 1). Nobody else uses it before `wait` below ends the copy (condition
        // 2).
        unsafe {
            let stream = call.begin().stream();
            driver::queue_copy_to_host(piece.start(), from, count * size_of::<I>(), stream)?;
        }
        call.wait()?;
        // SAFETY: the copy of `count` offsets is done, so they are initialised. The memory starts at the beginning of a page, so it is
        // aligned. All byte patterns are valid numbers. Nobody writes to the memory while `offsets` lives.
        let offsets =
            unsafe { std::slice::from_raw_parts(piece.start().cast::<I>().as_ptr(), count) };
        match ascends(offsets, index, before, item_count) {
            Ok(last) => before = last,
            Err(wrong) => return Ok(wrong),
        }
        index += count;
    }
    // No offset is wrong now. The kernel found wrong offsets, so other work has changed the offsets meanwhile.
    Ok(Error::BadOffset {
        index: span.item_count,
        offset: before,
        before,
        item_count,
    })
}
