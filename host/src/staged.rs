//! Slices of the host, brought to the device piece by piece through page-locked memory, and worked on there as they
//! come: copies one way, copies the other way and kernels run at the same time, and no more than a few pieces are on the
//! device, however long the slice is.
//!
//! ```text
//! workers      copy piece p + k to a lane's buffer, each a strip of it   (and out of it what has come back)
//! this thread  queues on a lane: copy of piece p there, its part of the call, perhaps the copy back;
//!              waits for the lane of piece p − 2
//! the bus      carries piece p − 1
//! ```
//!
//! The parts of a call are queued in order on one stream, that of a lane of its own. Events order them with the
//! copies of their pieces. All driver calls are this thread's.
//!
//! A short slice takes one lane, whose stream does all there is to do: no worker, no allocation.

mod carry;
mod copy;
mod cut;
mod results;
mod workers;

use std::iter;
use std::mem::MaybeUninit;

use warpfold_kernels::workspace::{reduce_state_words, scan_state_words};

use crate::driver::Address;
use crate::error::Result;
use crate::gpu::{BusyLane, Entered, Lane, PIECE_BYTES, ResultSlot};
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Queue, Span};
use carry::{Piece, Ways, carry};
use cut::Cut;
use results::Results;

/// Bytes of the longest slice that is not worth being cut into pieces.
const SHORT_BYTES: usize = 512 << 10;

const _: () = assert!(SHORT_BYTES <= PIECE_BYTES);

/// Reduces at least one item.
pub(crate) fn reduce<O: Kernel<kind::reduce, T>, T: Item>(
    entered: Entered<'_>,
    items: &[T],
) -> Result<O::Output> {
    let (lane, slot) = match size_of_val(items) {
        0..=SHORT_BYTES => {
            let lane = send(entered, items)?;
            let slot = Queue::on_own(entered, lane.stream(), |queue| {
                queue.reduce_to_slot::<O, T>(span_at(lane.device(), items))
            })?;
            (lane, slot)
        }
        _ => {
            let lane = entered.lane()?.into_busy();
            let cut = Cut::of_reduction::<T>(items.len());
            let slot = reduce_pieces::<O, T>(entered, &lane, cut, items)?;
            (lane, slot)
        }
    };
    lane.wait()?;
    // SAFETY: the reduction is done.
    Ok(unsafe { entered.read_result(slot) })
}

/// Scans at least one item.
pub(crate) fn scan<Kind, O: Kernel<Kind, T>, T: Item>(
    entered: Entered<'_>,
    items: &[T],
) -> Result<Vec<T>> {
    let mut results = Results::new(items.len())?;
    if size_of_val(items) <= SHORT_BYTES {
        let lane = send(entered, items)?;
        let span = span_at(lane.device(), items);
        Queue::on_own(entered, lane.stream(), |queue| {
            queue.scan::<Kind, O, T>(span, span)
        })?;
        let to = results.bytes();
        let mut lane = lane.receive(to.len())?.wait()?;
        to.write_copy_of_slice(&lane.bytes()[..to.len()]);
    } else {
        results.make_pages();
        let lane = entered.lane()?.into_busy();
        let cut = Cut::of_scan::<T>(items.len());
        scan_pieces::<Kind, O, T>(entered, &lane, cut, items, results.bytes())?;
        lane.wait()?;
    }
    // SAFETY: every piece has come back, with the scan's items.
    Ok(unsafe { results.written() })
}

/// Queues the copy of a slice of one piece to a lane's memory.
fn send<'gpu, T: Item>(entered: Entered<'gpu>, items: &[T]) -> Result<BusyLane<'gpu>> {
    let bytes: &[u8] = bytemuck::cast_slice(items);
    let mut lane = entered.lane()?;
    lane.bytes()[..bytes.len()].copy_from_slice(bytes);
    lane.send(bytes.len())
}

/// As many items as these, at that address of the device.
fn span_at<T>(address: Address, items: &[T]) -> Span {
    Span {
        address,
        item_count: items.len(),
    }
}

/// Reduces piece by piece, the parts queued on the conductor's stream.
fn reduce_pieces<'gpu, O: Kernel<kind::reduce, T>, T: Item>(
    entered: Entered<'gpu>,
    conductor: &BusyLane<'gpu>,
    cut: Cut,
    items: &[T],
) -> Result<ResultSlot> {
    let bytes: &[u8] = bytemuck::cast_slice(items);
    let pieces = bytes
        .chunks(cut.piece_bytes())
        .map(|from| Piece { from, to: &mut [] });
    Queue::on_own(entered, conductor.stream(), |queue| {
        // Before the lanes, which do with what memory is left.
        queue.prepare::<_, O, T>(reduce_state_words::<T, O::Accumulator>(items.len() as u64))?;
        let slot = entered.result_slot()?;
        let lanes = lanes(entered, Ways::There, cut);
        let reduced = lanes.and_then(|lanes| {
            carry(lanes, Ways::There, pieces, |lane, piece| {
                lane.lend(conductor, |address| {
                    let input = span_at(address.wrapping_sub(cut.offset(piece)), items);
                    queue.reduce_piece::<O, T>(input, cut.units(piece), slot.address())
                })
            })
        });
        match reduced {
            Ok(()) => Ok(slot),
            Err(error) => {
                if conductor.stream().synchronize().is_ok() {
                    entered.return_result_slot(slot);
                }
                Err(error)
            }
        }
    })
}

/// Scans piece by piece, each in place, the parts queued on the conductor's stream. Without an error, all results are
/// written.
fn scan_pieces<'gpu, Kind, O: Kernel<Kind, T>, T: Item>(
    entered: Entered<'gpu>,
    conductor: &BusyLane<'gpu>,
    cut: Cut,
    items: &[T],
    results: &mut [MaybeUninit<u8>],
) -> Result<()> {
    let bytes: &[u8] = bytemuck::cast_slice(items);
    let pieces = iter::zip(
        bytes.chunks(cut.piece_bytes()),
        results.chunks_mut(cut.piece_bytes()),
    )
    .map(|(from, to)| Piece { from, to });
    Queue::on_own(entered, conductor.stream(), |queue| {
        // As above.
        queue.prepare::<_, O, T>(scan_state_words::<T, O::Accumulator>(items.len() as u64))?;
        let lanes = lanes(entered, Ways::ThereAndBack, cut)?;
        carry(lanes, Ways::ThereAndBack, pieces, |lane, piece| {
            lane.lend(conductor, |address| {
                let first = address.wrapping_sub(cut.offset(piece));
                queue.scan_piece::<Kind, O, T>(span_at(first, items), first, cut.units(piece))
            })
        })
    })
}

/// The lanes for the pieces.
fn lanes<'gpu>(entered: Entered<'gpu>, ways: Ways, cut: Cut) -> Result<Vec<Lane<'gpu>>> {
    let (piece_count, piece_bytes) = (cut.piece_count(), cut.piece_bytes());
    // Lanes of the usual size serve whatever fits.
    let piece_bytes = piece_bytes.max(PIECE_BYTES);
    entered.lanes(ways.useful_lanes(piece_count, piece_bytes), piece_bytes)
}

#[cfg(test)]
mod tests;
