//! Some chunks of a reduction of a slice, on one of several GPUs: their partials, to be combined with those of the other chunks.

use std::ops::Range;

use warpfold_kernels::workspace::{
    STATES_OFFSET, reduce_state_words, words_per_accumulator, workspace_bytes,
};

use super::carry::{Piece, Ways, carry};
use super::cut::Cut;
use super::{lanes, span_at};
use crate::error::Result;
use crate::gpu::{Entered, Place};
use crate::kernel::{Item, Kernel, kind};
use crate::launch::Queue;

/// Reduces the items of these chunks of `items`, which are not all of them: the state words of their partials, in order.
pub(crate) fn reduce_chunks<O: Kernel<kind::reduce, T>, T: Item>(
    entered: Entered<'_>,
    items: &[T],
    chunks: Range<u64>,
) -> Result<Vec<u8>> {
    let cut = Cut::of_reduction::<T>(items.len()).part(chunks.clone());
    let begin = (cut.offset::<T>(0) / size_of::<T>() as u64) as usize;
    let end = items.len().min(begin + cut.part_items());
    let bytes: &[u8] = bytemuck::cast_slice(&items[begin..end]);
    let pieces = bytes
        .chunks(cut.piece_bytes())
        .map(|from| Piece { from, to: &mut [] });

    let state_words = reduce_state_words::<T, O::Accumulator>(items.len() as u64);
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
                    let input = span_at(address.wrapping_sub(cut.offset::<T>(piece)), items);
                    // SAFETY: as in `reduce_pieces`: the lane's memory holds the items of these chunks from its start on.
                    unsafe { queue.reduce_piece::<O, T>(input, cut.units(piece), result) }
                })
            })
        })
    })?;
    let slot_bytes = 8 * words_per_accumulator::<O::Accumulator>();
    let start = STATES_OFFSET + chunks.start * slot_bytes;
    let bytes = (chunks.end - chunks.start) * slot_bytes;
    let mut board = board.receive(start as usize, bytes as usize)?.wait()?;
    conductor.wait()?;
    Ok(board.bytes()[..bytes as usize].to_vec())
}
