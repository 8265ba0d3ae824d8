//! A reduction over the ranks of a group.
//!
//! ```text
//! exchange the lengths of the shares
//! gather torn chunks                           chunks whose items lie on several ranks, if there are any
//! reduce this rank's chunks                    the kernel of one GPU: it writes each chunk's partial to this rank's message
//! send the partials to all ranks               4096 in all at most; the host waits for the kernel only here
//! combine all partials                         on the host, along the contract's tree
//! ```
//!
//! The ends of the chunks depend only on the number of all items, and a chunk's partial depends only on the chunk's items. So the result
//! does not depend on how the items are divided among the ranks. If one rank has all chunks, it reduces them as one GPU does, and sends the
//! result.

use std::iter;

use bytemuck::Zeroable;

use super::Fault;
use super::board::place_in_body;
use super::layout::Layout;
use super::session::{Session, Torn};
use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::kernel::{Item, Kernel, kind};
use crate::launch::states::{from_states, state_bytes};
use crate::launch::{Queue, Span};
use crate::reference;
use crate::whole::ReducePlan;

/// Reduces all ranks' items. `share` has this rank's items.
pub(super) fn reduce<O: Kernel<kind::reduce, T>, T: Item>(
    session: &mut Session<'_>,
    root: Option<usize>,
    share: Span,
) -> Result<O::Output> {
    has_long_indices::<O, T>();
    let checked = check(session, root, share);
    let layout = session.begin(
        O::row().entry.symbol(),
        size_of::<T>(),
        root,
        share,
        checked,
        |item_count| O::row().division.reduce_tiles.chunk_items(item_count),
    )?;
    let torn = session.mend::<T>(&layout, share, 0)?;
    match layout.owners()[..] {
        [] => Ok(O::lower(O::identity())),
        [owner] => reduce_on::<O, T>(session, &layout, owner, share, torn.as_ref()),
        _ => reduce_on_many::<O, T>(session, &layout, share, torn.as_ref()),
    }
}

/// Refuses, at compile time, operators whose results are indices of 32 bits. Their kernels have the same names as the kernels for indices
/// of 64 bits, so ranks would not notice that they disagree.
pub(super) fn has_long_indices<O: Kernel<kind::reduce, T>, T: Item>() {
    const {
        assert!(
            O::MOST_ITEMS == u64::MAX,
            "groups of GPUs give indices of 64 bits: `ArgMin`, not `ArgMin<u32>`"
        )
    }
}

fn check(session: &Session<'_>, root: Option<usize>, share: Span) -> Result<()> {
    let size = session.transport.size();
    if let Some(rank) = root.filter(|&rank| rank >= size) {
        return Err(Fault::NoSuchRank { rank, size }.into());
    }
    share.check_alignment(Argument::Input)?;
    session.check_memory(Argument::Input, share)
}

/// One rank has all chunks: it reduces them, and sends the result to all ranks.
fn reduce_on<O: Kernel<kind::reduce, T>, T: Item>(
    session: &mut Session<'_>,
    layout: &Layout,
    owner: usize,
    share: Span,
    torn: Option<&Torn>,
) -> Result<O::Output> {
    let bytes = size_of::<O::Output>();
    let mut queued = Ok(());
    if session.rank() == owner {
        let (rank, result) = (owner, session.post.body());
        let mut queue = Queue::on_own(session.entered, &session.call);
        queued = queue_chunks::<O, T>(&mut queue, rank, layout, share, torn, result);
    }
    let mut bodies = session.agree_on_queued(queued, bytes)?.bodies();
    let mut result = O::Output::zeroed();
    if let Some(body) = bodies.nth(owner) {
        bytemuck::bytes_of_mut(&mut result).copy_from_slice(body);
    }
    Ok(result)
}

/// Each rank reduces its chunks, and combines the partials of all ranks.
fn reduce_on_many<O: Kernel<kind::reduce, T>, T: Item>(
    session: &mut Session<'_>,
    layout: &Layout,
    share: Span,
    torn: Option<&Torn>,
) -> Result<O::Output> {
    let chunks = |rank| layout.units(rank).end - layout.units(rank).start;
    let most = (0..layout.ranks()).map(chunks).max().unwrap_or(0) as usize;
    let value_bytes = state_bytes::<O::Accumulator>();
    session
        .post
        .make_room(session.entered, most * value_bytes)?;
    let queued = queue_partials::<O, T>(session, layout, share, torn);
    let all = session.agree_on_queued(queued, most * value_bytes)?;
    let partials = iter::zip(0.., all.bodies())
        .flat_map(|(rank, body)| from_states(&body[..chunks(rank) as usize * value_bytes]));
    Ok(O::lower(reference::combine_chunks::<O, T>(partials)))
}

/// Queues the reduction of this rank's chunks. The partials go to this rank's message.
fn queue_partials<O: Kernel<kind::reduce, T>, T: Item>(
    session: &mut Session<'_>,
    layout: &Layout,
    share: Span,
    torn: Option<&Torn>,
) -> Result<()> {
    let rank = session.rank();
    let chunks = layout.units(rank);
    if chunks.is_empty() {
        return Ok(());
    }
    let state_words = ReducePlan::whole(O::row(), layout.item_count()).state_words;
    let stream = session.call.stream();
    let board = &mut *session.board;
    let place =
        board.prepare::<O::Accumulator>(session.entered, stream, session.post, state_words, &[])?;
    // No rank has all chunks here, so no block takes the last ticket. Therefore no block reads partials or writes a result.
    let place = place_in_body::<O::Accumulator>(place, session.post, chunks.start);
    let result = session.call.result()?;
    let mut queue = Queue::on_board(session.entered, &session.call, place);
    queue_chunks::<O, T>(&mut queue, rank, layout, share, torn, result)
}

/// Queues the reduction of a rank's chunks: first the chunks of its share, then the torn chunk.
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
        ..share
    };
    if torn.is_some() {
        chunks.end -= 1;
    }
    if !chunks.is_empty() {
        let input = input(share.address, layout.share(rank).start);
        // SAFETY: the conditions of `reduce_piece`:
        // - the share has the items of these chunks. In the layout, the length of this share is its true length, and the chunks begin in
        //   the share. A last chunk that ends beyond the share is the torn chunk, left out above. By `check_memory`, the share is memory of
        //   the context, and the call borrows it;
        // - `result` has room for a result: it is the start of the call's page-locked memory for a result, or of a message's body;
        // - by `check_alignment`, the share is aligned. `result` is aligned to a page or, in a body, to `HEAD_BYTES`, which is enough for
        //   every result. It does not overlap the program's memory.
        unsafe { queue.reduce_piece(O::row(), input, chunks.clone(), result) }?;
    }
    if let Some(torn) = torn {
        let input = input(torn.items(), layout.items(torn.unit).start);
        // SAFETY: all items of the chunk were gathered in the torn memory, which is kept until the call has waited for its stream. The torn
        // memory is an allocation of its own, so it is aligned to 256 bytes, and does not overlap the result. `result` is as above.
        unsafe { queue.reduce_piece(O::row(), input, torn.unit..torn.unit + 1, result) }?;
    }
    Ok(())
}
