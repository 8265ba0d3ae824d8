//! Some chunks of a reduction of a slice, on one of several GPUs: their partials, to be combined with those of the other chunks.

use std::ops::Range;

use warpfold_kernels::workspace::{STATES_OFFSET, workspace_bytes};

use super::carry::{Piece, Ways, carry};
use super::cut::Cut;
use super::{Items, lanes};
use crate::error::Result;
use crate::gpu::{Entered, Place};
use crate::kernel::Row;
use crate::launch::Queue;

/// Reduces the items of these chunks of `items`, which are not all of them: the state words of their partials, in order.
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
    let state_words = (row.division.reduce_state_words)(item_count);
    let mut conductor = entered.call()?;
    conductor.begin();
    // Where nothing is written: others have the last ticket.
    let result = conductor.result()?;
    let mut board = entered.lane(workspace_bytes(state_words) as usize)?;
    board.bytes()[..STATES_OFFSET as usize].fill(0);
    let board = board.send(STATES_OFFSET as usize)?;
    let board = board.lend(&conductor, |control| {
        let place = Place {
            control,
            states: control + STATES_OFFSET,
            state_words,
        };
        Queue::on_board(entered, &conductor, place, |queue| {
            let lanes = lanes(entered, Ways::There, cut)?;
            carry(lanes, Ways::There, pieces, |lane, piece| {
                lane.lend(&conductor, |address| {
                    let input = items.at(address.wrapping_sub(cut.offset(items.item, piece)));
                    // SAFETY: as in `reduce_pieces`: the lane's memory holds the items of these chunks from its start on.
                    unsafe { queue.reduce_piece(row, input, cut.units(piece), result) }
                })
            })
        })
    })?;
    let slot_bytes = 8 * row.division.words_per_accumulator;
    let start = STATES_OFFSET + chunks.start * slot_bytes;
    let bytes = (chunks.end - chunks.start) * slot_bytes;
    let mut board = board.receive(start as usize, bytes as usize)?.wait()?;
    conductor.wait()?;
    Ok(board.bytes()[..bytes as usize].to_vec())
}
