//! Two slices of the host reduced as pairs, piece by piece: in a lane's memory the first values of a piece's pairs, and after them
//! the second values.
//!
//! This thread copies the pieces itself, while those before are on their way.

use std::collections::VecDeque;

use super::Items;
use super::cut::Cut;
use crate::error::Result;
use crate::gpu::{BusyLane, Entered};
use crate::kernel::Row;
use crate::launch::{PairSpan, Queue};

/// Alignment of the second values in a lane's memory.
const ALIGNMENT: usize = 256;

/// Pieces that are on their way while one is copied.
const MOST_BUSY: usize = 2;

/// Reduces at least one pair, and writes the result to these bytes.
pub(crate) fn reduce_pairs(
    entered: Entered<'_>,
    row: &'static Row,
    left: Items<'_>,
    right: Items<'_>,
    result: &mut [u8],
) -> Result<()> {
    let item_count = left.count();
    let cut = Cut::of_reduction(row, item_count);
    let state_words = (row.division.reduce_state_words)(item_count as u64);
    let mut conductor = entered.call()?;
    conductor.begin();
    Queue::on_own(entered, &conductor, |queue| {
        queue.prepare(&row.entry, state_words)?;
        let output = conductor.result()?;
        let lefts = left.bytes.chunks(cut.piece_items() * left.item.bytes);
        let rights = right.bytes.chunks(cut.piece_items() * right.item.bytes);
        let mut busy = VecDeque::new();
        for (piece, (lefts, rights)) in lefts.zip(rights).enumerate() {
            if busy.len() == MOST_BUSY {
                busy.pop_front()
                    .map_or(Ok(()), |lane: BusyLane<'_>| lane.wait().map(drop))?;
            }
            let right_at = lefts.len().next_multiple_of(ALIGNMENT);
            let bytes = right_at + rights.len();
            let mut lane = entered.lane(bytes)?;
            let room = lane.bytes();
            room[..lefts.len()].copy_from_slice(lefts);
            room[right_at..bytes].copy_from_slice(rights);
            busy.push_back(lane.send(bytes)?.lend(&conductor, |address| {
                let right_address = address + right_at as u64;
                let pairs = PairSpan {
                    left: left.at(address.wrapping_sub(cut.offset(left.item, piece))),
                    right: right.at(right_address.wrapping_sub(cut.offset(right.item, piece))),
                };
                // SAFETY: the lane's memory holds the values of these chunks' pairs in these places, and is lent to the
                // conductor's stream until the work is done. Both places are aligned to 256 bytes, and the offsets are multiples
                // of a value's size. The result has a place of its own.
                unsafe { queue.reduce_pairs_piece(row, pairs, cut.units(piece), output) }
            })?);
        }
        Ok(())
    })?;
    conductor.wait()?;
    // SAFETY: the reduction is done.
    unsafe { conductor.read_result_to(result) }
}
