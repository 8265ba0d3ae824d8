//! Slices of the host. Their pieces are copied to the device through page-locked memory, and are worked on as they arrive. Uploads,
//! downloads and kernels overlap. Only a few pieces are on the device at a time, however long the slice is. Each of these pieces has a
//! transfer lane, a [`TransferLane`].
//!
//! ```text
//! workers      copy piece p + k to a lane's buffer, each a strip of it   (and results out of a buffer)
//! this thread  queues on a lane: upload of piece p, the piece's part of the call, perhaps a download;
//!              waits for the lane of piece p − 2
//! the bus      carries piece p − 1
//! ```
//!
//! A call queues its launches in order on one stream, its *conductor*. Events make each launch wait for the upload of its piece, and make
//! the download of its results wait for the launch. Only this thread makes driver calls.
//!
//! For a slice that needs up to 512 KiB on the device, [`reduce`] and [`scan`] take one lane. The lane's stream does all the work, without
//! workers.

mod carry;
#[cfg(feature = "nccl")]
mod chain;
#[cfg(feature = "nccl")]
mod chunks;
mod copy;
mod cut;
mod pairs;
pub(crate) mod results;
#[cfg(feature = "nccl")]
mod shared_scan;
mod workers;

use std::iter;
use std::mem::MaybeUninit;

use crate::driver::Address;
use crate::error::Result;
use crate::gpu::{BusyTransferLane, Entered, PIECE_BYTES, SHORT_BYTES, TransferLane};
use crate::kernel::{Item, Row, Type};
use crate::launch::{Queue, Span};
use crate::whole::ReducePlan;
use carry::{Piece, Ways, carry};
use cut::{Cut, Room};
use results::Results;

pub(crate) use pairs::reduce_pairs;

#[cfg(feature = "nccl")]
pub(crate) use chunks::reduce_chunks;
#[cfg(feature = "nccl")]
pub(crate) use shared_scan::scan_shared;

/// The items of a slice of the host: their bytes, and their type.
#[derive(Clone, Copy)]
pub(crate) struct Items<'slice> {
    bytes: &'slice [u8],
    item: Type,
}

impl<'slice, T: bytemuck::NoUninit> From<&'slice [T]> for Items<'slice> {
    fn from(items: &'slice [T]) -> Self {
        Self {
            bytes: bytemuck::cast_slice(items),
            item: Type::of::<T>(),
        }
    }
}

impl<'slice> Items<'slice> {
    /// No items.
    pub const NONE: Items<'static> = Items {
        bytes: &[],
        item: Type::of::<u8>(),
    };

    /// Items of this type, with these bytes.
    pub fn new(bytes: &'slice [u8], item: Type) -> Self {
        Self { bytes, item }
    }

    pub fn bytes(self) -> &'slice [u8] {
        self.bytes
    }

    pub fn item(self) -> Type {
        self.item
    }

    pub fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    pub fn count(self) -> usize {
        self.bytes.len() / self.item.bytes
    }

    /// A span of the same number of items at this device address.
    fn at(self, address: Address) -> Span {
        Span {
            address,
            item_count: self.count(),
            item: self.item,
        }
    }
}

/// Reduces a slice that is not empty, and writes the result's bytes to `result`.
pub(crate) fn reduce(
    entered: Entered<'_>,
    row: &'static Row,
    items: Items<'_>,
    result: &mut [u8],
) -> Result<()> {
    row.check_indices(items.count())?;
    if items.bytes.len() <= SHORT_BYTES {
        return reduce_at_once(entered, row, items, result);
    }
    let cut = Cut::of_reduction(row, items.count());
    reduce_pieces(entered, row, cut, items, result)
}

/// Scans a slice that is not empty, and returns the results. `R` is the row's type of results.
pub(crate) fn scan<R: Item>(
    entered: Entered<'_>,
    row: &'static Row,
    items: Items<'_>,
) -> Result<Vec<R>> {
    debug_assert_eq!(Type::of::<R>(), row.result);
    let mut results = Results::<R>::new(items.count())?;
    if !is_short_scan(row, items) {
        results.make_pages();
    }
    scan_to(entered, row, items, results.bytes())?;
    // SAFETY: without an error, `scan_to` has written all of the memory with the scan's results, which are of type `R`.
    Ok(unsafe { results.written() })
}

/// Scans a slice that is not empty, and writes the results to `results`, which has room for one result per item. Unless the scan fails, it
/// writes all of `results`.
pub(crate) fn scan_to(
    entered: Entered<'_>,
    row: &'static Row,
    items: Items<'_>,
    results: &mut [MaybeUninit<u8>],
) -> Result<()> {
    if is_short_scan(row, items) {
        return scan_at_once(entered, row, items, results);
    }
    let cut = Cut::of_scan(row, items.count());
    scan_pieces(entered, row, cut, items, results)
}

/// Whether a scan's slice is so short that it is uploaded in one piece, on one lane.
fn is_short_scan(row: &Row, items: Items<'_>) -> bool {
    Room::of_scan(row, items.count()).bytes <= SHORT_BYTES
}

/// Reduces a slice of one piece.
fn reduce_at_once(
    entered: Entered<'_>,
    row: &'static Row,
    items: Items<'_>,
    result: &mut [u8],
) -> Result<()> {
    let lane = send(entered, items, items.bytes.len())?;
    let span = items.at(lane.device());
    let output = lane.call().result()?;
    // SAFETY: `span` is in the lane's memory, to which the same stream copies the items first (condition 1 of `reduce_piece`). The result
    // goes to page-locked memory (condition 2), which is separate from the items. The items are aligned to 256 bytes, and the result to a
    // page (condition 3). The lane keeps the memory of items and result until the work is done.
    unsafe { Queue::on_own(entered, lane.call()).reduce_unchecked(row, span, output) }?;
    let lane = lane.wait()?;
    // SAFETY: the lane's `wait` ended the reduction (condition 1). `result` is as long as a row's result (condition 2).
    unsafe { lane.call().read_result_to(result) }
}

/// Scans a slice of one piece.
fn scan_at_once(
    entered: Entered<'_>,
    row: &'static Row,
    items: Items<'_>,
    results: &mut [MaybeUninit<u8>],
) -> Result<()> {
    let room = Room::of_scan(row, items.count());
    let lane = send(entered, items, room.bytes)?;
    let input = items.at(lane.device());
    let output = Span {
        item: row.result,
        ..items.at(lane.device() + room.results_at as u64)
    };
    Queue::on_own(entered, lane.call()).scan(row, input, output)?;
    let mut lane = lane.receive(room.results_at, results.len())?.wait()?;
    results.write_copy_of_slice(&lane.bytes()[..results.len()]);
    Ok(())
}

/// Queues the upload of a slice of one piece, on a lane whose memory has at least `room_bytes`.
fn send<'gpu>(
    entered: Entered<'gpu>,
    items: Items<'_>,
    room_bytes: usize,
) -> Result<BusyTransferLane<'gpu>> {
    let bytes = items.bytes;
    let mut lane = entered.lane(room_bytes)?;
    lane.bytes()[..bytes.len()].copy_from_slice(bytes);
    lane.send(bytes.len())
}

/// Reduces piece by piece.
fn reduce_pieces(
    entered: Entered<'_>,
    row: &'static Row,
    cut: Cut,
    items: Items<'_>,
    result: &mut [u8],
) -> Result<()> {
    let pieces = items
        .bytes
        .chunks(cut.piece_bytes())
        .map(|from| Piece { from, to: &mut [] });
    let item_count = items.count() as u64;
    let state_words = ReducePlan::whole(row, item_count).state_words;
    let mut conductor = entered.call()?;
    conductor.begin();
    let mut queue = Queue::on_own(entered, &conductor);
    // The workspace is prepared before the lanes are taken. If memory is then short, the call takes fewer lanes. Without a workspace, it
    // would fail.
    queue.prepare(&row.entry, state_words)?;
    let output = conductor.result()?;
    let lanes = lanes(entered, Ways::There, cut)?;
    carry(lanes, Ways::There, pieces, |lane, piece| {
        lane.lend(&conductor, |address| {
            let input = items.at(address.wrapping_sub(cut.offset(items.item, piece)));
            // SAFETY: the lane's memory starts with the items of the piece's chunks, and is lent to the conductor's stream until the work
            // is done (condition 1). The result goes to the call's result memory (condition 2), which is separate from the items. The
            // lane's memory is aligned to 256 bytes, the piece's offset in the slice is a multiple of an item's size, and the result is
            // aligned to a page (condition 3).
            unsafe { queue.reduce_piece(row, input, cut.units(piece), output) }
        })
    })?;
    drop(queue);
    conductor.wait()?;
    // SAFETY: `wait` ended the reduction (condition 1). `result` is as long as a row's result (condition 2).
    unsafe { conductor.read_result_to(result) }
}

/// Scans piece by piece. If the results have the items' type, each piece is scanned in place. Otherwise, a piece's results follow its items
/// in the lane's memory. Unless the scan fails, all results are written.
fn scan_pieces(
    entered: Entered<'_>,
    row: &'static Row,
    cut: Cut,
    items: Items<'_>,
    results: &mut [MaybeUninit<u8>],
) -> Result<()> {
    let pieces = iter::zip(
        items.bytes.chunks(cut.piece_bytes()),
        results.chunks_mut(cut.piece_items() * row.result.bytes),
    )
    .map(|(from, to)| Piece { from, to });
    let item_count = items.count() as u64;
    let state_words = (row.division.scan_state_words)(row.division.scan_tiles, item_count);
    let mut conductor = entered.call()?;
    conductor.begin();
    let mut queue = Queue::on_own(entered, &conductor);
    // The workspace is prepared before the lanes are taken, as in `reduce_pieces`.
    queue.prepare(&row.entry, state_words)?;
    let results_at = cut.results_at();
    let ways = Ways::ThereAndBack { results_at };
    let lanes = lanes(entered, ways, cut)?;
    carry(lanes, ways, pieces, |lane, piece| {
        lane.lend(&conductor, |address| {
            let input = items.at(address.wrapping_sub(cut.offset(items.item, piece)));
            let output = (address + results_at as u64).wrapping_sub(cut.offset(row.result, piece));
            // SAFETY: the lane's memory starts with the items of the piece's tiles, and has room for their results. This memory is lent to
            // the conductor's stream until the work is done (condition 1). The results follow the items, or replace them if the types are
            // the same. In the lane's memory, items and results start at multiples of 256 bytes. The offset that is subtracted from each
            // address is a multiple of the size of an item or a result (condition 2).
            unsafe { queue.scan_piece(row, input, output, cut.units(piece)) }
        })
    })?;
    drop(queue);
    conductor.wait()
}

/// The lanes for the pieces.
fn lanes<'gpu>(entered: Entered<'gpu>, ways: Ways, cut: Cut) -> Result<Vec<TransferLane<'gpu>>> {
    // Calls with smaller pieces take lanes of the usual size, `PIECE_BYTES`, so they can reuse the lanes of other calls.
    let piece_bytes = cut.room_bytes().max(PIECE_BYTES);
    let piece_count = cut.piece_count();
    entered.lanes(ways.useful_lanes(piece_count, piece_bytes), piece_bytes)
}

#[cfg(test)]
mod tests;
