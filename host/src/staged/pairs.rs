//! Two slices of the host, reduced as pairs, piece by piece. In a lane's memory, the left values of a piece's pairs come first, and the
//! right values follow them.
//!
//! The calling thread fills the lanes itself, while earlier pieces are uploaded. It takes all its lanes at once: calls that hold a lane and
//! wait for another lane could deadlock.

use std::collections::VecDeque;

use super::Items;
use super::carry::Ways;
use super::cut::Cut;
use crate::error::Result;
use crate::gpu::{BusyTransferLane, Entered};
use crate::kernel::Row;
use crate::launch::Queue;
use crate::whole::{PairSpan, ReducePlan};

/// Alignment of the right values in a lane's memory.
const ALIGNMENT: usize = 256;

/// A call takes at most this many lanes: one that is being filled, and two that are being uploaded.
const MOST_LANES: usize = 3;

/// Reduces the pairs of two slices that are not empty, and writes the result's bytes to `result`.
pub(crate) fn reduce_pairs(
    entered: Entered<'_>,
    row: &'static Row,
    left: Items<'_>,
    right: Items<'_>,
    result: &mut [u8],
) -> Result<()> {
    let item_count = left.count();
    let cut = Cut::of_reduction(row, item_count);
    let state_words = ReducePlan::whole(row, item_count as u64).state_words;
    let mut conductor = entered.call()?;
    conductor.begin();
    let mut queue = Queue::on_own(entered, &conductor);
    queue.prepare(&row.entry, state_words)?;
    let output = conductor.result()?;
    let [left_bytes, right_bytes] = [left, right].map(|side| {
        let piece_bytes = cut.piece_items() * side.item.bytes;
        (piece_bytes, piece_bytes.min(side.bytes.len()))
    });
    let longest = left_bytes.1.next_multiple_of(ALIGNMENT) + right_bytes.1;
    let useful = Ways::There.useful_lanes(cut.piece_count(), longest);
    let mut idle = entered.lanes(useful.min(MOST_LANES), longest)?;
    let mut busy = VecDeque::<BusyTransferLane<'_>>::new();
    let lefts = left.bytes.chunks(left_bytes.0);
    let rights = right.bytes.chunks(right_bytes.0);
    for (piece, (lefts, rights)) in lefts.zip(rights).enumerate() {
        let mut lane = match idle.pop() {
            Some(lane) => lane,
            // The call has at least one lane, so if no lane is idle, a lane is busy.
            None => match busy.pop_front() {
                Some(oldest) => oldest.wait()?,
                None => entered.lane(longest)?,
            },
        };
        let right_at = lefts.len().next_multiple_of(ALIGNMENT);
        let bytes = right_at + rights.len();
        let room = lane.bytes();
        room[..lefts.len()].copy_from_slice(lefts);
        room[right_at..bytes].copy_from_slice(rights);
        busy.push_back(lane.send(bytes)?.lend(&conductor, |address| {
            let right_address = address + right_at as u64;
            let pairs = PairSpan {
                left: left.at(address.wrapping_sub(cut.offset(left.item, piece))),
                right: right.at(right_address.wrapping_sub(cut.offset(right.item, piece))),
            };
            // SAFETY:
            // - `send` uploads the left values of the piece's pairs to the start of the lane's memory, and the right values to the offset
            //   `right_at`. The memory is lent to the conductor's stream until the work is done (condition 1);
            // - the result goes to the call's result memory, which is page-locked and separate from the lane's memory (condition 2);
            // - the start of the memory and `right_at` are aligned to 256 bytes. The piece's offset in each slice is a multiple of the size
            //   of the slice's values. The result is aligned to a page (condition 3).
            unsafe { queue.reduce_pairs_piece(row, pairs, cut.units(piece), output) }
        })?);
    }
    drop((queue, busy));
    conductor.wait()?;
    // SAFETY: the `wait` of `conductor` ended the reduction (condition 1). `result` is as long as a row's result (condition 2).
    unsafe { conductor.read_result_to(result) }
}
