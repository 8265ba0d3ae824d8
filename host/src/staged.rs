//! Slices of the host, brought to the device piece by piece through page-locked memory, and worked on there as they
//! come: uploads, downloads and kernels overlap, and no more than a few pieces are on the device, however long the slice is.
//!
//! ```text
//! workers      copy piece p + k to a lane's buffer, each a strip of it   (and out of it what has come back)
//! this thread  queues on a lane: copy of piece p there, its part of the call, perhaps the copy back;
//!              waits for the lane of piece p − 2
//! the bus      carries piece p − 1
//! ```
//!
//! The parts of a call are queued in order on one stream of the call's own. Events order them with the
//! copies of their pieces. All driver calls are this thread's, and while it waits it does nothing else.
//!
//! A short slice takes one lane, whose stream does all there is to do: no worker, no allocation.

mod carry;
#[cfg(feature = "nccl")]
mod chain;
#[cfg(feature = "nccl")]
mod chunks;
mod columns;
mod copy;
mod cut;
mod layout;
mod pairs;
mod results;
mod segments;
mod selection;
#[cfg(feature = "nccl")]
mod shared_scan;
mod workers;

use std::iter;
use std::mem::MaybeUninit;

use warpfold_kernels::contract::Wider;
use warpfold_kernels::workspace::{reduce_state_words, scan_state_words};

use crate::driver::Address;
use crate::error::Result;
use crate::gpu::{BusyLane, Entered, Lane, PIECE_BYTES, SHORT_BYTES};
use crate::kernel::kind::Kind;
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Queue, Span};
use carry::{Piece, Ways, carry};
use cut::{Cut, Room};
use results::Results;

pub(crate) use columns::reduce_columns;
pub(crate) use pairs::reduce_pairs;
pub(crate) use segments::{SliceSegments, reduce_segments};
pub(crate) use selection::{Selected, Wanted, reduce_by_key, select};

#[cfg(feature = "nccl")]
pub(crate) use chunks::reduce_chunks;
#[cfg(feature = "nccl")]
pub(crate) use shared_scan::scan_shared;

/// Reduces at least one item.
pub(crate) fn reduce<O: Kernel<kind::reduce, T>, T: Item>(
    entered: Entered<'_>,
    items: &[T],
) -> Result<O::Output> {
    if size_of_val(items) <= SHORT_BYTES {
        return reduce_at_once::<O, T>(entered, items);
    }
    let cut = Cut::of_reduction::<T>(items.len());
    reduce_pieces::<O, T>(entered, cut, items)
}

/// Scans at least one item.
pub(crate) fn scan<K: Kind, O: Kernel<K, T>, T: Item>(
    entered: Entered<'_>,
    items: &[T],
) -> Result<Vec<O::Output>> {
    let mut results = Results::new(items.len())?;
    if !is_short_scan::<T, O::Output>(items.len()) {
        results.make_pages();
    }
    scan_to::<K, O, T>(entered, items, results.bytes())?;
    // SAFETY: every piece has come back, with the scan's results.
    Ok(unsafe { results.written() })
}

/// Scans at least one item to memory for as many results. Without an error, all of it is written.
pub(crate) fn scan_to<K: Kind, O: Kernel<K, T>, T: Item>(
    entered: Entered<'_>,
    items: &[T],
    results: &mut [MaybeUninit<u8>],
) -> Result<()> {
    if is_short_scan::<T, O::Output>(items.len()) {
        return scan_at_once::<K, O, T>(entered, items, results);
    }
    let cut = Cut::of_scan::<T, O::Output>(items.len());
    scan_pieces::<K, O, T>(entered, cut, items, results)
}

/// Whether a scan of `item_count` items takes one lane.
fn is_short_scan<T: Item, R: Item>(item_count: usize) -> bool {
    Room::of_scan::<T, R>(item_count).bytes <= SHORT_BYTES
}

/// Reduces a slice of one piece.
fn reduce_at_once<O: Kernel<kind::reduce, T>, T: Item>(
    entered: Entered<'_>,
    items: &[T],
) -> Result<O::Output> {
    let lane = send(entered, items, size_of_val(items))?;
    let span = span_at(lane.device(), items);
    Queue::on_own(entered, lane.call(), |queue| {
        queue.reduce_for::<O, T>(lane.call(), span)
    })?;
    let lane = lane.wait()?;
    // SAFETY: the reduction is done.
    unsafe { lane.call().read_result() }
}

/// Scans a slice of one piece.
fn scan_at_once<K: Kind, O: Kernel<K, T>, T: Item>(
    entered: Entered<'_>,
    items: &[T],
    results: &mut [MaybeUninit<u8>],
) -> Result<()> {
    let room = Room::of_scan::<T, O::Output>(items.len());
    let lane = send(entered, items, room.bytes)?;
    let input = span_at(lane.device(), items);
    let output = span_at(lane.device() + room.results_at as u64, items);
    Queue::on_own(entered, lane.call(), |queue| {
        queue.scan::<K, O, T>(input, output)
    })?;
    let mut lane = lane.receive(room.results_at, results.len())?.wait()?;
    results.write_copy_of_slice(&lane.bytes()[..results.len()]);
    Ok(())
}

/// Queues the copy of a slice of one piece to a lane's memory, which has at least `room_bytes`.
fn send<'gpu, T: Item>(
    entered: Entered<'gpu>,
    items: &[T],
    room_bytes: usize,
) -> Result<BusyLane<'gpu>> {
    let bytes: &[u8] = bytemuck::cast_slice(items);
    let mut lane = entered.lane(room_bytes)?;
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

/// Reduces piece by piece.
fn reduce_pieces<O: Kernel<kind::reduce, T>, T: Item>(
    entered: Entered<'_>,
    cut: Cut,
    items: &[T],
) -> Result<O::Output> {
    let bytes: &[u8] = bytemuck::cast_slice(items);
    let pieces = bytes
        .chunks(cut.piece_bytes())
        .map(|from| Piece { from, to: &mut [] });
    let mut conductor = entered.call()?;
    conductor.begin();
    Queue::on_own(entered, &conductor, |queue| {
        // Before the lanes, which do with what memory is left.
        queue.prepare::<_, O, T>(reduce_state_words::<T, O::Accumulator>(items.len() as u64))?;
        let result = conductor.result()?;
        let lanes = lanes(entered, Ways::There, cut)?;
        carry(lanes, Ways::There, pieces, |lane, piece| {
            lane.lend(&conductor, |address| {
                let input = span_at(address.wrapping_sub(cut.offset::<T>(piece)), items);
                // SAFETY: the lane's memory holds the items of these chunks from its start on, and is lent to the conductor's
                // stream until the work is done. It is aligned to 256 bytes and the offset is a multiple of an item's size.
                // The result has a place of its own.
                unsafe { queue.reduce_piece::<O, T>(input, cut.units(piece), result) }
            })
        })
    })?;
    conductor.wait()?;
    // SAFETY: the reduction is done.
    unsafe { conductor.read_result() }
}

/// Scans piece by piece, each in place where its results have the items' type, and else to behind its items. Without an error, all results are written.
fn scan_pieces<K: Kind, O: Kernel<K, T>, T: Item>(
    entered: Entered<'_>,
    cut: Cut,
    items: &[T],
    results: &mut [MaybeUninit<u8>],
) -> Result<()> {
    let bytes: &[u8] = bytemuck::cast_slice(items);
    let pieces = iter::zip(
        bytes.chunks(cut.piece_bytes()),
        results.chunks_mut(cut.piece_items() * size_of::<O::Output>()),
    )
    .map(|(from, to)| Piece { from, to });
    let mut conductor = entered.call()?;
    conductor.begin();
    Queue::on_own(entered, &conductor, |queue| {
        // As above.
        let item_count = items.len() as u64;
        queue.prepare::<_, O, T>(scan_state_words::<Wider<T, O::Output>, O::Accumulator>(
            item_count,
        ))?;
        let results_at = cut.results_at();
        let ways = Ways::ThereAndBack { results_at };
        let lanes = lanes(entered, ways, cut)?;
        carry(lanes, ways, pieces, |lane, piece| {
            lane.lend(&conductor, |address| {
                let input = span_at(address.wrapping_sub(cut.offset::<T>(piece)), items);
                let output =
                    (address + results_at as u64).wrapping_sub(cut.offset::<O::Output>(piece));
                // SAFETY: the lane's memory holds the items of these tiles from its start on and has room for their results behind
                // them, or in their places if the types are the same; it is lent to the conductor's stream until the work is done.
                // Both places are aligned to 256 bytes, and the offsets are multiples of an item's and of a result's size.
                unsafe { queue.scan_piece::<K, O, T>(input, output, cut.units(piece)) }
            })
        })
    })?;
    conductor.wait()
}

/// The lanes for the pieces.
fn lanes<'gpu>(entered: Entered<'gpu>, ways: Ways, cut: Cut) -> Result<Vec<Lane<'gpu>>> {
    // Lanes of the usual size serve whatever fits.
    let piece_bytes = cut.room_bytes().max(PIECE_BYTES);
    let piece_count = cut.piece_count();
    entered.lanes(ways.useful_lanes(piece_count, piece_bytes), piece_bytes)
}

#[cfg(test)]
mod tests;
