//! Reduces some of the chunks of a slice on one of several GPUs. The results are the chunks' partials, which the caller combines with the
//! partials of the other GPUs.

use std::ops::Range;

use warpfold_kernels::contract::REDUCE_MAX_CHUNKS;
use warpfold_kernels::element::ACCUMULATOR_MAX_WORDS;
use warpfold_kernels::workspace::STATES_OFFSET;

use super::carry::{Piece, Ways, carry};
use super::cut::Cut;
use super::{Items, lanes};
use crate::error::Result;
use crate::gpu::{Entered, SHORT_BYTES, WorkspaceSpan};
use crate::kernel::Row;
use crate::launch::Queue;
use crate::whole::ReducePlan;

/// Bytes of the longest board: with two GPUs or more, each GPU has at most half of the chunks, rounded up.
const MOST_BOARD_BYTES: u64 =
    STATES_OFFSET + REDUCE_MAX_CHUNKS.div_ceil(2) * 8 * ACCUMULATOR_MAX_WORDS as u64;

// A call that holds a lane must not wait for another lane of the same kind: otherwise several calls could hold all lanes, and wait for each
// other forever. So the board has a short lane (of [`SHORT_BYTES`]), and the pieces have longer lanes.
const _: () = assert!(MOST_BOARD_BYTES <= SHORT_BYTES as u64);

/// Reduces each of `chunks` to its partial. `chunks` are at most half of all chunks of `items`, rounded up. Returns the state words of
/// these partials, in the order of the chunks.
pub(crate) fn reduce_chunks(
    entered: Entered<'_>,
    row: &'static Row,
    items: Items<'_>,
    chunks: Range<u64>,
) -> Result<Vec<u8>> {
    let cut = Cut::of_reduction(row, items.count()).part(chunks.clone());
    let begin = cut.offset(items.item, 0) as usize;
    let end = items
        .bytes
        .len()
        .min(begin + cut.part_items() * items.item.bytes);
    let bytes = &items.bytes[begin..end];
    let pieces = bytes
        .chunks(cut.piece_bytes())
        .map(|from| Piece { from, to: &mut [] });

    let item_count = items.count() as u64;
    let state_words = ReducePlan::whole(row, item_count).state_words;
    let mut conductor = entered.call()?;
    conductor.begin();
    // Every launch needs an address for the result. Only the block with the last ticket writes the result, and no launch here takes that
    // ticket.
    let result = conductor.result()?;
    let slot_bytes = 8 * row.division.accumulator_words;
    let partial_bytes = (chunks.end - chunks.start) * slot_bytes;
    debug_assert!(STATES_OFFSET + partial_bytes <= MOST_BOARD_BYTES);
    let mut board = entered.lane((STATES_OFFSET + partial_bytes) as usize)?;
    board.bytes()[..STATES_OFFSET as usize].fill(0);
    let board = board.send(STATES_OFFSET as usize)?;
    let board = board.lend(&conductor, |control| {
        let place = WorkspaceSpan {
            control,
            // The launches write only the state words of `chunks`, and read no state words. So only the state words of `chunks` have
            // memory.
            states: (control + STATES_OFFSET).wrapping_sub(chunks.start * slot_bytes),
            state_words,
            heads: 0,
            head_bytes: 0,
        };
        let mut queue = Queue::on_board(entered, &conductor, place);
        let lanes = lanes(entered, Ways::There, cut)?;
        carry(lanes, Ways::There, pieces, |lane, piece| {
            lane.lend(&conductor, |address| {
                let input = items.at(address.wrapping_sub(cut.offset(items.item, piece)));
                // SAFETY:
                // - the lane's memory starts with the items of `cut.units(piece)`: `carry` passes each lane on with the index of the
                //   piece that was copied to it. The memory is lent to the conductor's stream until the work is done (condition 1);
                // - the result's address is the call's result memory, which is page-locked (condition 2);
                // - the lane's memory is aligned to 256 bytes, the piece's offset in the slice is a multiple of an item's size, and the
                //   result is aligned to a page. Items and result do not overlap (condition 3).
                unsafe { queue.reduce_piece(row, input, cut.units(piece), result) }
            })
        })
    })?;
    let mut board = board
        .receive(STATES_OFFSET as usize, partial_bytes as usize)?
        .wait()?;
    conductor.wait()?;
    Ok(board.bytes()[..partial_bytes as usize].to_vec())
}
