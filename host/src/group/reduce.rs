//! A reduction over the ranks of a group.
//!
//! ```text
//! learn of all shares
//! bring torn chunks together                   where shares are not cut between chunks
//! reduce the own chunks, read their partials   the kernel of one GPU: it publishes a partial for each chunk
//! hand the partials to all ranks               4096 at most
//! combine all of them                          on the host, along the contract's tree
//! ```
//!
//! Which chunks there are depends on the number of all items, and a chunk's partial on its items; so nothing depends on the
//! ranks. Where one rank has all chunks it reduces as one GPU does, and hands over the result.

use bytemuck::Zeroable;
use warpfold_kernels::contract::{reduce_chunk_tiles, reduce_tile_items};
use warpfold_kernels::workspace::reduce_state_words;

use super::Fault;
use super::board::{self, Board};
use super::layout::Layout;
use super::session::{Session, Torn};
use super::words::{from_bytes, to_bytes, words_of};
use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Queue, Span};
use crate::reference;

/// Reduces all items, of which this rank has `share`.
pub(super) fn reduce<O: Kernel<kind::reduce, T>, T: Item>(
    session: &mut Session<'_>,
    root: Option<usize>,
    share: Span,
) -> Result<O::Output> {
    let checked = check::<T>(session, root, share);
    let layout = session.begin(
        O::entry().symbol(),
        size_of::<T>(),
        root,
        share,
        checked,
        chunk_items::<T>,
    )?;
    let torn = session.mend::<T>(&layout, share, 0)?;
    match layout.owners()[..] {
        [] => Ok(O::lower(O::identity())),
        [owner] => reduce_on::<O, T>(session, &layout, owner, share, torn.as_ref()),
        _ => reduce_on_many::<O, T>(session, &layout, share, torn.as_ref()),
    }
}

fn check<T: Item>(session: &Session<'_>, root: Option<usize>, share: Span) -> Result<()> {
    let size = session.transport.size();
    if let Some(rank) = root.filter(|&rank| rank >= size) {
        return Err(Fault::NoSuchRank { rank, size }.into());
    }
    share.check_alignment::<T>(Argument::Input)?;
    session.check_memory(Argument::Input, share)
}

/// Items of a chunk, where there are so many in all.
pub(super) fn chunk_items<T>(item_count: u64) -> u64 {
    reduce_chunk_tiles::<T>(item_count).saturating_mul(reduce_tile_items::<T>())
}

/// Has one rank, which has all chunks, reduce them, and hand the result to all.
fn reduce_on<O: Kernel<kind::reduce, T>, T: Item>(
    session: &mut Session<'_>,
    layout: &Layout,
    owner: usize,
    share: Span,
    torn: Option<&Torn>,
) -> Result<O::Output> {
    let bytes = size_of::<O::Output>();
    let mine = match session.rank() == owner {
        true => reduce_all::<O, T>(session, layout, share, torn)
            .map(|result| bytemuck::bytes_of(&result).to_vec()),
        false => Ok(Vec::new()),
    };
    let all = session.agree(mine, bytes)?;
    let mut result = O::Output::zeroed();
    bytemuck::bytes_of_mut(&mut result).copy_from_slice(&all[owner]);
    Ok(result)
}

fn reduce_all<O: Kernel<kind::reduce, T>, T: Item>(
    session: &Session<'_>,
    layout: &Layout,
    share: Span,
    torn: Option<&Torn>,
) -> Result<O::Output> {
    let result = session.call.result()?;
    let board = board_of::<O, T>(layout, true);
    board::run::<O::Accumulator>(
        session,
        board,
        &[],
        |queue| queue_chunks::<O, T>(queue, session.rank(), layout, share, torn, result),
        0..0,
    )?;
    // SAFETY: the reduction is done, all chunks of it.
    unsafe { session.call.read_result() }
}

/// Has each rank reduce its chunks, and combines the partials of all.
fn reduce_on_many<O: Kernel<kind::reduce, T>, T: Item>(
    session: &mut Session<'_>,
    layout: &Layout,
    share: Span,
    torn: Option<&Torn>,
) -> Result<O::Output> {
    let chunks = |rank| layout.units(rank).end - layout.units(rank).start;
    let most = (0..layout.ranks()).map(chunks).max().unwrap_or(0) as usize;
    let value_bytes = 4 * words_of::<O::Accumulator>();
    let mine = partials::<O, T>(session, layout, share, torn);
    let all = session.agree(mine.map(|partials| to_bytes(&partials)), most * value_bytes)?;
    let partials: Vec<_> = all
        .iter()
        .enumerate()
        .flat_map(|(rank, bytes)| from_bytes(&bytes[..chunks(rank) as usize * value_bytes]))
        .collect();
    Ok(O::lower(reference::combine_chunks::<O, T>(&partials)))
}

/// The partials of this rank's chunks.
fn partials<O: Kernel<kind::reduce, T>, T: Item>(
    session: &Session<'_>,
    layout: &Layout,
    share: Span,
    torn: Option<&Torn>,
) -> Result<Vec<O::Accumulator>> {
    let chunks = layout.units(session.rank());
    if chunks.is_empty() {
        return Ok(Vec::new());
    }
    // Not this rank's alone, so that nobody takes the last ticket, and nobody writes a result.
    let result = session.call.result()?;
    let board = board_of::<O, T>(layout, false);
    board::run(
        session,
        board,
        &[],
        |queue| queue_chunks::<O, T>(queue, session.rank(), layout, share, torn, result),
        chunks,
    )
}

/// The board of a reduction; the block that combines all partials looks for them, and only where there is one must it be clear.
fn board_of<O: Kernel<kind::reduce, T>, T: Item>(layout: &Layout, is_whole: bool) -> Board {
    let state_words = reduce_state_words::<T, O::Accumulator>(layout.item_count());
    let slots = state_words / words_of::<O::Accumulator>() as u64;
    Board {
        state_words,
        clear_slots: if is_whole { slots } else { 0 },
    }
}

/// Queues the chunks of a rank: those of its share, and the torn one.
fn queue_chunks<O: Kernel<kind::reduce, T>, T: Item>(
    queue: &mut Queue<'_>,
    rank: usize,
    layout: &Layout,
    share: Span,
    torn: Option<&Torn>,
    result: Address,
) -> Result<()> {
    let item_bytes = size_of::<T>() as u64;
    let mut chunks = layout.units(rank);
    let item_count = layout.item_count() as usize;
    let input = |address: Address, first_item: u64| Span {
        address: address.wrapping_sub(first_item.wrapping_mul(item_bytes)),
        item_count,
    };
    if torn.is_some() {
        chunks.end -= 1;
    }
    if !chunks.is_empty() {
        let input = input(share.address, layout.share(rank).start);
        // SAFETY: the share begins with that item and has all items of these chunks, and is memory of the context, of the length that
        // its owner gave it. The result has a place of its own. Both are aligned.
        unsafe { queue.reduce_piece::<O, T>(input, chunks.clone(), result) }?;
    }
    if let Some(torn) = torn {
        let input = input(torn.items(), layout.items(torn.unit).start);
        // SAFETY: all items of the chunk have been brought there, to memory that is kept until the work is done.
        unsafe { queue.reduce_piece::<O, T>(input, torn.unit..torn.unit + 1, result) }?;
    }
    Ok(())
}
