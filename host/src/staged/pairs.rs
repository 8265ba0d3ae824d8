//! Two slices of the host reduced as pairs, piece by piece: in a lane's memory the first values of a piece's pairs, and behind them
//! the second values.
//!
//! This thread copies the pieces itself, while those before are on their way.

use std::collections::VecDeque;

use warpfold_kernels::op::Pair;
use warpfold_kernels::workspace::reduce_state_words;

use super::cut::Cut;
use crate::error::Result;
use crate::gpu::{BusyLane, Entered};
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{PairSpan, Queue};

/// Alignment of the second values in a lane's memory.
const ALIGNMENT: usize = 256;

/// Pieces that are on their way while one is copied.
const MOST_BUSY: usize = 2;

/// Reduces at least one pair.
pub(crate) fn reduce_pairs<O, A, B>(
    entered: Entered<'_>,
    left: &[A],
    right: &[B],
) -> Result<O::Output>
where
    A: Item,
    B: Item,
    O: Kernel<kind::reduce_pairs, Pair<A, B>>,
{
    let item_count = left.len();
    let cut = Cut::of_reduction::<Pair<A, B>>(item_count);
    let mut conductor = entered.call()?;
    conductor.begin();
    Queue::on_own(entered, &conductor, |queue| {
        queue.prepare::<_, O, _>(reduce_state_words::<Pair<A, B>, O::Accumulator>(
            item_count as u64,
        ))?;
        let result = conductor.result()?;
        let pieces = left
            .chunks(cut.piece_items())
            .zip(right.chunks(cut.piece_items()));
        let mut busy = VecDeque::new();
        for (piece, (left, right)) in pieces.enumerate() {
            if busy.len() == MOST_BUSY {
                busy.pop_front()
                    .map_or(Ok(()), |lane: BusyLane<'_>| lane.wait().map(drop))?;
            }
            let right_at = size_of_val(left).next_multiple_of(ALIGNMENT);
            let bytes = right_at + size_of_val(right);
            let mut lane = entered.lane(bytes)?;
            let room = lane.bytes();
            room[..size_of_val(left)].copy_from_slice(bytemuck::cast_slice(left));
            room[right_at..bytes].copy_from_slice(bytemuck::cast_slice(right));
            busy.push_back(lane.send(bytes)?.lend(&conductor, |address| {
                let pairs = PairSpan {
                    left: address.wrapping_sub(cut.offset::<A>(piece)),
                    right: (address + right_at as u64).wrapping_sub(cut.offset::<B>(piece)),
                    item_count,
                };
                // SAFETY: the lane's memory holds the values of these chunks' pairs in these places, and is lent to the
                // conductor's stream until the work is done. Both places are aligned to 256 bytes, and the offsets are multiples
                // of a value's size. The result has a place of its own.
                unsafe { queue.reduce_pairs_piece::<O, A, B>(pairs, cut.units(piece), result) }
            })?);
        }
        Ok(())
    })?;
    conductor.wait()?;
    // SAFETY: the reduction is done.
    unsafe { conductor.read_result() }
}
