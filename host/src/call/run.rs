//! Queues calls on one of the program's streams, or runs them on one of the library's own streams and waits.

use super::{Verb, Work, extras, results};
use crate::arguments::{Arguments, Loans, Memory};
use crate::binding::{RawStream, User};
use crate::columns::{Matrices, reduce_column_to_host};
use crate::driver::{Event, Stream};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::kernel::Row;
use crate::launch::{Queue, ScanOrder};
use crate::segments::reduce_in_order_to_host;
use crate::whole::{Destination, PairSpan, ScanExtras};

/// Queues a call on a stream.
pub(crate) fn queue(
    gpu: &Gpu,
    stream: RawStream<'_>,
    verb: Verb,
    arguments: &mut Arguments<Memory<'_>>,
) -> Result<()> {
    let mut loans = Loans::default();
    let spans = arguments.lend(User::Stream(stream), &mut loans);
    let Some(work) = Work::new(verb, &spans)? else {
        return Ok(());
    };
    let stream = stream.as_driver();
    gpu.enter(|entered| {
        come_after(stream, &loans)?;
        let capture = stream.capture()?;
        let slot = entered.slot(stream);
        let mut known = entered.known(&slot, stream, capture)?;
        work.queue(&mut Queue::on(entered, stream, capture, &mut known), None)?;
        drop(known);
        come_before(stream, &loans)
    })
}

/// Runs a call, and waits for it. Returns the number of chosen items or of runs; 0 for other calls.
pub(crate) fn wait(gpu: &Gpu, verb: Verb, mut arguments: Arguments<Memory<'_>>) -> Result<usize> {
    let mut loans = Loans::default();
    let spans = arguments.lend(User::WaitingCall, &mut loans);
    let Some(work) = Work::new(verb, &spans)? else {
        return Ok(0);
    };
    gpu.enter(|entered| {
        finish_before(&loans)?;
        work.wait(entered)
    })
}

/// Reduces all items to one result, and writes the result's bytes to `result`. There is at least one item, or a count in device memory.
pub(crate) fn wait_for_result(
    gpu: &Gpu,
    verb: Verb,
    mut arguments: Arguments<Memory<'_>>,
    result: &mut [u8],
) -> Result<()> {
    let mut loans = Loans::default();
    let spans = arguments.lend(User::WaitingCall, &mut loans);
    let pairs = spans.second.map(|right| PairSpan::new(spans.input, right));
    let pairs = pairs.transpose()?;
    verb.check_indices(&spans.shape, spans.input.item_count)?;
    gpu.enter(|entered| {
        finish_before(&loans)?;
        let mut call = entered.ordered_call()?;
        let to = Destination::Own(call.result()?);
        let mut queue = Queue::for_caller(entered, &call);
        match (verb, pairs) {
            (Verb::ReducePairs(row), Some(pairs)) => queue.reduce_pairs(row, pairs, to)?,
            (Verb::Reduce(row), _) => queue.reduce(row, spans.input, spans.count, to)?,
            _ => return Ok(()),
        }
        drop(queue);
        call.wait()?;
        // SAFETY: `wait` ended the reduction (condition 1). `result` is as long as a result of the kernel row (condition 2).
        unsafe { call.read_result_to(result) }
    })
}

/// Reduces all items in order to one result, and writes the result's bytes to `result`. There is at least one item, or a count in device
/// memory. `row` is the kernel for segments or, if device memory holds the number of items, the kernel for columns.
pub(crate) fn wait_for_result_in_order(
    gpu: &Gpu,
    row: &'static Row,
    mut arguments: Arguments<Memory<'_>>,
    result: &mut [u8],
) -> Result<()> {
    let mut loans = Loans::default();
    let spans = arguments.lend(User::WaitingCall, &mut loans);
    row.check_indices(spans.input.item_count)?;
    gpu.enter(|entered| {
        finish_before(&loans)?;
        match spans.count {
            Some(count) => {
                let column = Matrices::of_columns(spans.input, 1, Some(count))?;
                reduce_column_to_host(entered, row, column, result)
            }
            None => reduce_in_order_to_host(entered, row, spans.input, result),
        }
    })
}

/// Scans all items, and writes the total's bytes to `total`. There is at least one item.
pub(crate) fn wait_for_total(
    gpu: &Gpu,
    row: &'static Row,
    order: ScanOrder,
    mut arguments: Arguments<Memory<'_>>,
    total: &mut [u8],
) -> Result<()> {
    let mut loans = Loans::default();
    let spans = arguments.lend(User::WaitingCall, &mut loans);
    gpu.enter(|entered| {
        finish_before(&loans)?;
        let mut call = entered.ordered_call()?;
        let to = match spans.total {
            Some(place) => Destination::Callers(place),
            None => Destination::Own(call.result()?),
        };
        let extras = ScanExtras {
            total: Some(to),
            ..extras(order, &spans)
        };
        let (input, output) = (spans.input, results(&spans));
        Queue::for_caller(entered, &call).scan_with(row, input, output, extras)?;
        if let Some(place) = spans.total {
            call.copy_to_result(place.address, total.len())?;
        }
        call.wait()?;
        // SAFETY: `wait` ended the scan, whose total was written or copied to the call's result (condition 1). `total` is as long as a
        // result of `row` (condition 2).
        unsafe { call.read_result_to(total) }
    })
}

/// Waits for the streams that the call's memory is ordered with, except for the default stream. The call runs on a stream of the
/// library's own, which is not ordered with these streams.
pub(crate) fn finish_before(loans: &Loans<'_>) -> Result<()> {
    for stream in loans.ordered_with().map(RawStream::as_driver) {
        if stream.is_default() {
            // A call that waits runs after the default stream's work anyway.
            continue;
        }
        if stream.capture()?.is_some() {
            return Err(Error::CaptureUnderWay);
        }
        stream.synchronize()?;
    }
    Ok(())
}

/// Makes later work on `stream` wait for the work that is queued on the loans' streams.
fn come_after(stream: Stream<'_>, loans: &Loans<'_>) -> Result<()> {
    for other in loans.ordered_with().map(RawStream::as_driver) {
        order(other, stream)?;
    }
    Ok(())
}

/// Makes later work on the loans' streams wait for the work that is queued on `stream`.
fn come_before(stream: Stream<'_>, loans: &Loans<'_>) -> Result<()> {
    for other in loans.ordered_with().map(RawStream::as_driver) {
        order(stream, other)?;
    }
    Ok(())
}

/// Makes later work on `second` wait for the work that is queued on `first`.
fn order(first: Stream<'_>, second: Stream<'_>) -> Result<()> {
    if first.key() == second.key() {
        return Ok(());
    }
    if first.capture()?.is_some() || second.capture()?.is_some() {
        return Err(Error::CaptureUnderWay);
    }
    let event = Event::new()?;
    event.record(first)?;
    event.hold_up(second)?;
    Ok(())
}
