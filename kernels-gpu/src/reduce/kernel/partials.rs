//! The block with the last ticket, the *last block*, folds the partials of all chunks.

use crate::board::{Board, Stripe};
use crate::contract::{BLOCK_THREADS, BLOCK_WARPS, THREAD_VECTORS, TILE_BYTES, WARP_LANES};
use crate::element::{Accumulator, Element, ACCUMULATOR_MAX_WORDS};
use crate::launch::slot_words;
use crate::op::Op;
use crate::simt;
use crate::thread::for_each_vector;

/// With up to this many chunks, each thread of the last block has few partials. Unless they are large, the thread reads them one by one.
/// Wide partials that are not large are always read one by one, since several would not fit in registers.
const FEW_CHUNKS: u32 = 2 * BLOCK_THREADS;

/// A lane reads words of 64 partials at a time, into one array. The words of the first 32 partials begin at index 0, and the words of the
/// second 32 partials begin at this index.
const SECOND: usize = 16;

const _: () = assert!(
    4 * (BLOCK_WARPS * WARP_LANES) as usize * slot_words(ACCUMULATOR_MAX_WORDS) <= TILE_BYTES
);

/// This thread's fold over every 256th partial, in order. The first of these partials has the thread's index. `scratch` is as large as a
/// tile.
///
/// # Safety
/// - The whole block calls it.
/// - The board has `count` partials, and blocks that have started will publish them.
/// - The scratch is in shared memory. A barrier lies between this call and all other uses of the scratch.
#[inline(always)]
pub unsafe fn fold<O: Op<T>, T: Element>(
    board: Board,
    count: u32,
    scratch: *mut u32,
) -> O::Accumulator {
    // SAFETY: the conditions are this function's.
    unsafe {
        if O::Accumulator::IS_LARGE {
            fold_together::<O, T>(board, count, scratch)
        } else if count <= FEW_CHUNKS || O::Accumulator::IS_WIDE {
            fold_one_by_one::<O, T, 1>(board, count)
        } else {
            fold_one_by_one::<O, T, THREAD_VECTORS>(board, count)
        }
    }
}

/// [`fold`] of large partials. A warp reads 64 partials at a time, two for each lane. The lanes of the warp read the partials
/// [together](crate::board).
///
/// # Safety
/// The conditions of [`fold`].
#[inline(always)]
unsafe fn fold_together<O: Op<T>, T: Element>(
    board: Board,
    count: u32,
    scratch: *mut u32,
) -> O::Accumulator {
    let words = <O::Accumulator as Accumulator>::WORDS;
    let stripe = Stripe::<O::Accumulator>::of_lane();
    let mut first = simt::warp() * WARP_LANES;
    let scratch = scratch.wrapping_add(first as usize * slot_words(words));
    let mut folded = O::identity();
    while first < count {
        let step = simt::opaque_one() as u32;
        let second = first + BLOCK_THREADS;
        let rounds = |first: u32| stripe.rounds(Ord::min(count.saturating_sub(first), WARP_LANES));
        // `most` is known at compile time. 32 partials have 32 · `words` words, and `most` tells the compiler that a lane reads at most
        // `words` of them.
        let most = (1u32 << words.min(31)) - 1;
        let wanted = rounds(first) & most | (rounds(second) & most) << SECOND;
        let address = |partial: u32| {
            let address = board.address::<O::Accumulator>(partial).cast_const();
            address.wrapping_add(stripe.lane as usize)
        };
        let (low, high) = (
            address(second),
            address(second).wrapping_add(8 * WARP_LANES as usize),
        );
        // SAFETY: a round's bit is set only if the lane's word in this round belongs to a partial below `count`. The board has these
        // partials. The warp's part of the scratch has a slot for each lane, and only this warp uses it. The warp's barriers order the
        // writes of a partial before its reads, and these reads before the writes of the next partial. All lanes take the same branches
        // around barriers and votes.
        unsafe {
            let mut seen;
            loop {
                seen = simt::load_rows(address(first), low, high, wanted);
                let mut unpublished = 0;
                for_each_vector!(I in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
                    unpublished |= (board.is_other(seen[I]) as u32) << I;
                    unpublished |= (board.is_other(seen[SECOND + I]) as u32) << (SECOND + I);
                });
                if simt::ballot(unpublished & wanted != 0) == 0 {
                    break;
                }
            }
            for_each_vector!(I in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
                if I < words {
                    stripe.put(scratch, I, seen[I]);
                }
            });
            simt::warp_barrier();
            if first + stripe.lane < count {
                folded = O::combine(folded, stripe.get(scratch));
            }
            simt::warp_barrier();
            for_each_vector!(I in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => {
                if I < words {
                    stripe.put(scratch, I, seen[SECOND + I]);
                }
            });
            simt::warp_barrier();
            if second + stripe.lane < count {
                folded = O::combine(folded, stripe.get(scratch));
            }
            simt::warp_barrier();
        }
        first += 2 * BLOCK_THREADS * step;
    }
    folded
}

/// This thread's fold over every 256th partial, as in [`fold`]. A partial is folded as soon as it and the thread's earlier partials are
/// published. The thread reads `AT_A_TIME` partials in a round. If it reads one at a time, the latencies of many reads add up. If
/// `AT_A_TIME` is more than the number of the thread's partials, each round takes longer. On an H200, 2^24 `f32` took 18.5 µs with 1 at a
/// time and 17.5 µs with 8; 2^20 `f32` took 2.5 µs with 1 and 2.7 µs with 8.
///
/// # Safety
/// The board has `count` partials, and blocks that have started will publish them.
#[inline(always)]
unsafe fn fold_one_by_one<O: Op<T>, T: Element, const AT_A_TIME: usize>(
    board: Board,
    count: u32,
) -> O::Accumulator {
    let mut folded = O::identity();
    let mut chunk = simt::thread_index();
    while chunk < count {
        let first = chunk;
        let mut partials = [(O::identity(), false); THREAD_VECTORS];
        for_each_vector!(P => {
            if P < AT_A_TIME {
                let other = first + P as u32 * BLOCK_THREADS;
                // In place of partials past the end, the round's first partial is read again: a branch around the read would wait for the
                // previous read.
                let chunk = if other < count { other } else { first };
                // SAFETY: `chunk < count`, and the board has `count` partials: this function's condition.
                partials[P] = unsafe { board.read(chunk) };
            }
        });
        let mut is_next = true;
        for_each_vector!(P => {
            let (partial, is_published) = partials[P];
            is_next &= is_published && chunk < count;
            if P < AT_A_TIME && is_next {
                folded = O::combine(folded, partial);
                chunk += BLOCK_THREADS;
            }
        });
    }
    folded
}
