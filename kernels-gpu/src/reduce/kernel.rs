//! Reduction of an array in one launch.
//!
//! ```text
//! block b:  take a ticket                                 its latency overlaps the loads of the tiles
//!           fold the tiles of a chunk in registers        16-byte loads, 8 in flight per thread
//!           combine lanes by shuffles, warps through shared memory
//!           one chunk: write the result
//!           otherwise: publish the partial; the block with the last ticket reads all partials as they come, and combines them
//! ```
//!
//! The method is that of Harris, *Optimizing Parallel Reduction in CUDA* (2007), with three changes. The tree inside a warp is made of
//! shuffles. The chunks depend on the number and the size of the items alone, and only one block works on a chunk, so the tree does not
//! depend on the device. There is no second launch that combines the partials: one block waits for the other blocks, and then combines all
//! partials.
//!
//! **Progress.** Only the block with the last ticket waits for other blocks. When it takes this ticket, all other blocks with a chunk have
//! started, and these blocks wait for no block.
//!
//! **Pieces.** A reduction may be cut into several launches on one stream. Each launch reduces consecutive chunks. The tickets of these
//! launches are counted together. The block with the last of all tickets combines the partials. If several GPUs share the chunks, the host
//! combines the partials instead.
//!
//! Every byte of the input is read once. A block with a chunk passes one barrier. The block that combines the partials passes three in all.
//! [`crate::contract`] defines the combination tree, and so every bit of the result.

mod in_pairs;
mod partials;

use crate::block;
use crate::board::Board;
use crate::contract::{reduce_chunk_count, reduce_chunk_tiles, reduce_tile_items};
use crate::contract::{thread_vectors, vector_bytes, vector_items, BLOCK_THREADS, THREAD_VECTORS};
use crate::element::{for_each_item, Element};
use crate::indices::write_result;
use crate::launch::{reduce_has_two_folds, ReduceShared};
use crate::op::{Commutative, Op, Pair};
use crate::pairwise;
use crate::reduce::tuning::CACHED_BYTES;
use crate::reduce::{ReduceArguments, ReducePairsArguments};
use crate::simt;
use crate::thread::{self, for_each_vector, Caching, Items, Part, Slots, Source, TileItems};
use crate::thread::{TilePart, Vectors, MAX_VECTOR_ITEMS};
use crate::tickets::{self, LAST_TAG};
use crate::workspace::Control;

use crate::tiles::counted;

/// The shared memory of a block that reduces items of type `T` by `O`.
type Shared<O, T> = ReduceShared<<O as Op<T>>::Accumulator>;

/// Reduces the items to `output`. This launch reduces the chunks from `first_chunk` on, at most one in each block.
///
/// # Safety
/// - If `item_count_at` is null, the launches of a reduction have at most [`reduce_chunk_count`] blocks in all, or one block if there are
///   no items. If all launches together have fewer blocks than the reduction has chunks, no block combines the partials. A block has
///   [`crate::launch::reduce_shared_bytes`] of dynamic shared memory, and [`BLOCK_THREADS`] threads. All threads of the block call this.
///   The launches follow one another on a stream.
/// - `input` is the address of item 0, aligned to an item. The items of this launch's chunks are readable.
/// - `item_count_at` is null, or it points to a readable number. If it is not null, the launch is the reduction's only launch. The launch
///   then has at least one block. For every number of items up to `item_count`, it has at least as many blocks as a reduction of this
///   number of items has chunks.
/// - `output` points to one writable result, which overlaps nothing else.
/// - `control` and `states`, of `state_words` words, belong to a workspace that no other launch uses at the same time. For every possible
///   number of items, the workspace has at least [`crate::workspace::reduce_state_words`] words. If no block combines the partials, only
///   the state words of the launch's chunks need exist.
#[inline(always)]
pub unsafe fn reduce<O: Op<T> + Commutative, T: Element>(arguments: ReduceArguments<T, O::Output>) {
    simt::await_work_before();
    // SAFETY: earlier work is awaited above, and `item_count_at` is null or readable: condition 3. The conditions of `reduce_from` are this
    // function's.
    unsafe {
        reduce_from::<O, T, _>(
            arguments.input,
            counted(arguments.item_count, arguments.item_count_at),
            arguments.first_chunk,
            arguments.control,
            arguments.states,
            arguments.state_words,
            arguments.output,
        )
    }
}

/// Reduces pairs to `output`, as [`reduce`] does. `left` and `right` are the addresses of the two values of pair 0.
///
/// # Safety
/// The conditions of [`reduce`], for both inputs.
#[inline(always)]
pub unsafe fn reduce_pairs<O: Op<Pair<A, B>> + Commutative, A: Element, B: Element>(
    arguments: ReducePairsArguments<A, B, O::Output>,
) {
    simt::await_work_before();
    // SAFETY: earlier work is awaited above, and the other conditions of `reduce_from` are this function's.
    unsafe {
        reduce_from::<O, Pair<A, B>, _>(
            (arguments.left, arguments.right),
            arguments.item_count,
            arguments.first_chunk,
            arguments.control,
            arguments.states,
            arguments.state_words,
            arguments.output,
        )
    }
}

/// Reduces the `item_count` items of a source.
///
/// # Safety
/// The conditions of [`reduce`], for each input. Earlier work has been awaited.
#[inline(always)]
unsafe fn reduce_from<O: Op<T> + Commutative, T: Element, S: Source<T>>(
    source: S,
    item_count: u64,
    first_chunk: u64,
    control: *mut Control,
    states: *mut u64,
    state_words: u64,
    output: *mut O::Output,
) {
    let shared: *mut Shared<O, T> = simt::shared_memory();
    let chunk_count = reduce_chunk_count::<T>(item_count) as u32;
    let chunk = first_chunk as u32 + simt::block_index();
    if chunk >= Ord::max(chunk_count, 1) {
        return;
    }
    let is_first_thread = simt::thread_index() == 0;
    // SAFETY: the conditions are those of [`reduce`]. Condition 1: the dynamic shared memory holds a `Shared`, and each thread has its own
    // slots in it. Condition 2: the chunk's items are readable. Condition 4: `output` is writable; one thread of one block writes it.
    // Condition 5: the board has the slot of the block's chunk, which only this block publishes. If a block combines the partials, the
    // board has the slots of all chunks. The block with the last ticket clears the board, if at all, only after it has read all partials.
    // Then no other block uses the board any more. All threads of the block take the same branches around barriers.
    unsafe {
        let totals = (&raw mut (*shared).totals).cast();
        let tile = (&raw mut (*shared).tile).cast();
        let slots = Slots::new(
            tile,
            simt::thread_index(),
            BLOCK_THREADS,
            vector_bytes::<T>(),
        );
        let takes = is_first_thread && chunk_count > 1;
        let taken = tickets::take_if(control, takes);
        let folded = fold_chunk::<O, T, S>(source, item_count, chunk, slots);
        if takes {
            let ticket = taken.ticket();
            (*shared).is_last = (ticket.index == chunk_count - 1) as u32;
            (*shared).tag = ticket.tag;
        }
        // The barrier in `block::reduce` orders the writes above before all threads' reads.
        let partial = block::reduce::<O, T>(folded, totals);
        if chunk_count <= 1 {
            if is_first_thread {
                write_result!(O, T, output, partial);
            }
            return;
        }

        let board = Board::new(states, (*shared).tag);
        if is_first_thread {
            board.publish(chunk, partial);
        }
        if (*shared).is_last == 0 {
            return;
        }
        let folded = partials::fold::<O, T>(board, chunk_count, tile);
        // Orders warp 0's reads of the totals before the next writes of the totals.
        simt::barrier();
        let total = block::reduce::<O, T>(folded, totals);
        if is_first_thread {
            write_result!(O, T, output, total);
            if (*shared).tag == LAST_TAG {
                board.clear(state_words);
                tickets::restart(control, 0);
            } else {
                tickets::restart(control, (*shared).tag);
            }
        }
    }
}

/// This thread's fold over the tiles of a chunk. In a tile that is not full or not aligned, the thread's vectors may go through `slots`.
///
/// # Safety
/// The chunk's items below `item_count` are readable. No other thread uses the slots.
#[inline(always)]
unsafe fn fold_chunk<O: Op<T>, T: Element, S: Source<T>>(
    source: S,
    item_count: u64,
    chunk: u32,
    slots: Slots,
) -> O::Accumulator {
    let chunk_items = reduce_chunk_tiles::<T>(item_count) * reduce_tile_items::<T>();
    let mut begin = chunk as u64 * chunk_items;
    let end = Ord::min(begin + chunk_items, item_count);
    let caching = if item_count <= CACHED_BYTES / size_of::<T>() as u64 {
        Caching::Kept
    } else {
        Caching::Streamed
    };
    let mut folds = [O::identity(); MAX_VECTOR_ITEMS];
    while begin < end {
        let count = Ord::min(end - begin, reduce_tile_items::<T>()) as u32;
        let part = source.part(begin, count, simt::thread_index());
        let items = TileItems { begin, count };
        let leaves_out =
            thread::must_leave_out::<O, T>() && (count as u64) < reduce_tile_items::<T>();
        // SAFETY: the tile is in the chunk and ends at or before `item_count`, so its items are readable, and no other thread uses the
        // slots: this function's conditions. `copy` writes the slots before `fold_slots` reads them.
        unsafe {
            if O::IS_PAIRWISE {
                folds[0] = O::combine(
                    folds[0],
                    combine_tile::<O, T, S::Part>(part, slots, items, caching),
                );
            } else if !leaves_out {
                let vectors = part.load::<O>(slots, caching);
                fold_vectors::<O, T>(&mut folds, &vectors, items, |_| Items::All);
            } else if reduce_has_two_folds::<O, T>() {
                part.copy::<O>(slots);
                fold_slots::<O, T>(&mut folds, slots, items);
            } else {
                let vectors = part.load::<O>(slots, caching);
                let lifted = |vector| items.existing(vector, vector_items::<T>());
                fold_vectors::<O, T>(&mut folds, &vectors, items, lifted);
            }
        }
        begin += reduce_tile_items::<T>();
    }
    if O::IS_PAIRWISE {
        folds[0]
    } else if reduce_has_two_folds::<O, T>() {
        O::combine(folds[0], folds[1])
    } else {
        pairwise::items::<O, T>(|place| folds[place])
    }
}

/// Combines a thread's vectors of a tile pairwise.
///
/// # Safety
/// The items of the tile are readable. No other thread uses the slots.
#[inline(always)]
unsafe fn combine_tile<O: Op<T>, T: Element, P: TilePart<T>>(
    part: P,
    slots: Slots,
    items: TileItems,
    caching: Caching,
) -> O::Accumulator {
    // SAFETY: the items are readable, and no other thread uses the slots: this function's conditions. `copy` writes the slots before
    // `combine_slots` reads them.
    unsafe {
        if items.count as u64 == reduce_tile_items::<T>() {
            let vectors = part.load::<O>(slots, caching);
            return in_pairs::combine_vectors::<O, T>(&vectors, items);
        }
        part.copy::<O>(slots);
        in_pairs::combine_slots::<O, T>(slots, items)
    }
}

/// Appends a thread's vectors of a tile to the thread's folds. `lifted` returns which items of a vector are lifted.
#[inline(always)]
fn fold_vectors<O: Op<T>, T: Element>(
    folds: &mut [O::Accumulator; MAX_VECTOR_ITEMS],
    vectors: &Vectors,
    items: TileItems,
    lifted: impl Fn(u32) -> Items,
) {
    let vector = |v: usize| simt::thread_index() + v as u32 * BLOCK_THREADS;
    let index = |v: usize| items.index(vector(v), vector_items::<T>());
    if reduce_has_two_folds::<O, T>() {
        for_each_vector!(V => {
            if V < thread_vectors::<T>() {
                let total = thread::total::<O, T, T>(&vectors[V], index(V), lifted(vector(V)));
                folds[V % 2] = O::combine(folds[V % 2], total);
            }
        });
        return;
    }
    for_each_item!(P of T => {
        let mut column = [O::identity(); THREAD_VECTORS];
        for_each_vector!(V => {
            if V < thread_vectors::<T>() {
                column[V] = thread::lift::<O, T>(&vectors[V], P, index(V), lifted(vector(V)));
            }
        });
        folds[P] = O::combine(folds[P], thread::combine_vectors::<O, T>(|v| column[v]));
    });
}

/// Appends a thread's vectors of a tile to the thread's two folds. The vectors are in `slots`, and missing items are left out. A thread
/// calls this once at most, so the loop is not unrolled.
///
/// # Safety
/// The slots are written.
#[inline(always)]
unsafe fn fold_slots<O: Op<T>, T: Element>(
    folds: &mut [O::Accumulator; MAX_VECTOR_ITEMS],
    slots: Slots,
    items: TileItems,
) {
    // SAFETY: `v` is below `thread_vectors`, and these slots are written: this function's condition.
    let total = |v: usize| unsafe {
        let vector = simt::thread_index() + v as u32 * BLOCK_THREADS;
        let words = slots.read(v, Part::<T, T, BLOCK_THREADS>::ACCESS);
        let index = items.index(vector, vector_items::<T>());
        let existing = items.existing(vector, vector_items::<T>());
        thread::total::<O, T, T>(&words, index, existing)
    };
    let mut v = 0;
    while v < thread_vectors::<T>() {
        let step = simt::opaque_one();
        folds[0] = O::combine(folds[0], total(v));
        folds[1] = O::combine(folds[1], total(v + 1));
        v += 2 * step;
    }
}
