//! A scan over the ranks of a group.
//!
//! ```text
//! exchange the lengths of the shares
//! gather torn tiles                      tiles whose items lie on several ranks, if there are any
//! read this rank's tiles                 all ranks but the last: the kernel publishes aggregates and stores nothing
//! send the aggregates to all ranks       of whole tile groups; of single tiles in tile groups that ranks share
//! scan this rank's tiles                 the prefix of the tiles is on the board
//! send the results of torn tiles back
//! ```
//!
//! The aggregates of tiles and of tile groups do not depend on the prefix, so the first pass needs no prefix: it begins with identities.
//! Then every rank computes the prefix of its first tile group in the contract's order. The rank's scan finds this prefix on the rank's
//! board. The first tiles of this tile group may belong to earlier ranks. The scan finds their aggregates on the board too, as if launches
//! on this rank had published them.

mod before;

use std::iter;
use std::ops::Range;

use warpfold_kernels::scan::tuning;
use warpfold_kernels::workspace::scan_state_words;

use self::before::{Before, Places, aggregate_count, aggregates_of};
use super::board::Board;
use super::layout::Layout;
use super::session::{Session, Torn};
use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::gpu::WorkspaceSpan;
use crate::kernel::kind::Kind;
use crate::kernel::{Item, Kernel};
use crate::launch::states::{from_states, state_bytes};
use crate::launch::{Queue, Span};
use crate::reference;
use crate::whole::check_scan;

/// Scans all ranks' items. `share` has this rank's items, and `output` takes their results.
pub(super) fn scan<K: Kind, O: Kernel<K, T>, T: Item>(
    session: &mut Session<'_>,
    share: Span,
    output: Span,
) -> Result<()> {
    let checked = check(session, share, output);
    let layout = session.begin(
        O::row().entry.symbol(),
        size_of::<T>(),
        None,
        share,
        checked,
        |item_count| tuning::tiles::<O, T>().items(item_count),
    )?;
    let result_bytes = size_of::<O::Output>();
    let torn = session.mend::<T>(&layout, share, result_bytes)?;
    let part = RankScan {
        layout: &layout,
        rank: session.rank(),
        share,
        output,
        torn: torn.as_ref(),
    };
    let done = scan_tiles::<K, O, T>(session, &part);
    if done.is_err() && *session.in_step {
        return done;
    }
    session.send_back::<O::Output>(&layout, torn.as_ref(), output.address, done)
}

fn check(session: &Session<'_>, share: Span, output: Span) -> Result<()> {
    check_scan(share, output)?;
    session.check_memory(Argument::Input, share)?;
    let results = Span {
        item_count: share.item_count,
        ..output
    };
    match output.address == share.address {
        true => Ok(()),
        false => session.check_memory(Argument::Output, results),
    }
}

/// A rank's part of a scan over the group.
struct RankScan<'a> {
    layout: &'a Layout,
    rank: usize,
    share: Span,
    output: Span,
    torn: Option<&'a Torn>,
}

/// A pass over a rank's tiles: publish aggregates, or store results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// The aggregates of the tiles are published.
    Publish,
    /// The tiles are scanned.
    Scan,
}

/// If several ranks have tiles, exchanges the aggregates. Then, in any case, queues the scan of this rank's tiles.
fn scan_tiles<K: Kind, O: Kernel<K, T>, T: Item>(
    session: &mut Session<'_>,
    part: &RankScan<'_>,
) -> Result<()> {
    let owners = part.layout.owners();
    let (Some(first), Some(&last)) = (owners.first(), owners.last()) else {
        return Ok(());
    };
    let mut before = Before::new(O::identity());
    if *first != last {
        before = share_aggregates::<K, O, T>(session, part, last)?;
    }
    match part.layout.units(part.rank).is_empty() {
        true => Ok(()),
        false => queue_pass::<K, O, T>(session, part, Pass::Scan, &before).map(drop),
    }
}

/// Each rank below `last` sends the aggregates of its tiles to all ranks. Returns the prefix of this rank's first tile.
fn share_aggregates<K: Kind, O: Kernel<K, T>, T: Item>(
    session: &mut Session<'_>,
    part: &RankScan<'_>,
    last: usize,
) -> Result<Before<O::Accumulator>> {
    let value_bytes = state_bytes::<O::Accumulator>();
    let tiles = |rank| part.layout.units(rank);
    let counts = (0..last).map(|rank| aggregate_count(tiles(rank)));
    let most = counts.max().unwrap_or(0) as usize;
    session
        .post
        .make_room(session.entered, most * value_bytes)?;
    let queued = match part.rank < last && !tiles(part.rank).is_empty() {
        true => queue_aggregates::<K, O, T>(session, part),
        false => Ok(()),
    };
    let all = session.agree_on_queued(queued, most * value_bytes)?;

    let mut before = Before::<O::Accumulator>::new(O::identity());
    for (rank, body) in iter::zip(0..last, all.bodies()).take(part.rank) {
        for (slot, value) in iter::zip(aggregates_of(tiles(rank)), from_states(body)) {
            before.add(slot, value, O::identity(), O::combine, |tiles| {
                reference::combine_group::<O, T>(tiles)
            });
        }
    }
    Ok(before)
}

/// Queues a launch that publishes the aggregates of this rank's tiles. Then queues copies of these aggregates to the rank's message.
fn queue_aggregates<K: Kind, O: Kernel<K, T>, T: Item>(
    session: &mut Session<'_>,
    part: &RankScan<'_>,
) -> Result<()> {
    let places = Places::new(tuning::tiles::<O, T>(), part.layout.item_count());
    let nothing = Before::new(O::identity());
    let place = queue_pass::<K, O, T>(session, part, Pass::Publish, &nothing)?;
    let slots = aggregates_of(part.layout.units(part.rank)).map(|slot| places.of(slot));
    Board::take::<O::Accumulator>(place, session.call.stream(), session.post, slots)
}

/// Queues a pass over this rank's tiles. For [`Pass::Scan`], `before` has the prefix of the first tile. For [`Pass::Publish`], it has
/// identities. Returns the board's addresses and sizes.
fn queue_pass<K: Kind, O: Kernel<K, T>, T: Item>(
    session: &mut Session<'_>,
    part: &RankScan<'_>,
    pass: Pass,
    before: &Before<O::Accumulator>,
) -> Result<WorkspaceSpan> {
    let item_count = part.layout.item_count();
    let tiles = tuning::tiles::<O, T>();
    let places = Places::new(tiles, item_count);
    let state_words = scan_state_words::<O::Accumulator>(tiles, item_count);
    let place = session.board.prepare(
        session.entered,
        session.call.stream(),
        session.post,
        state_words,
        &before.seeds(&part.layout.units(part.rank), &places),
    )?;
    let mut queue = Queue::on_board(session.entered, &session.call, place);
    queue_tiles::<K, O, T>(&mut queue, part, pass)?;
    Ok(place)
}

/// Queues a pass over a rank's tiles: first the tiles of its share, then the torn tile.
fn queue_tiles<K: Kind, O: Kernel<K, T>, T: Item>(
    queue: &mut Queue<'_>,
    part: &RankScan<'_>,
    pass: Pass,
) -> Result<()> {
    let layout = part.layout;
    let input = |address: Address, first_item: u64| Span {
        address: base::<T>(address, first_item),
        item_count: layout.item_count() as usize,
        ..part.share
    };
    let mut run = |input: Span, output: Address, tiles: Range<u64>| {
        // SAFETY: the conditions of `publish_piece` and `scan_piece`, for the two calls of `run` below:
        // - the items of the tiles are readable. The share has the items of its tiles: in the layout, the length of this share is its true
        //   length. The torn tile, which ends beyond the share, is not among these tiles. All items of the torn tile were gathered in the
        //   torn memory;
        // - there is room for the results: `check_scan` has compared the output's length with the share's, and the torn memory has
        //   room for a tile of results after the items;
        // - the items and the results are in memory of the context until the work is done: the call borrows the program's memory, and keeps
        //   the torn memory;
        // - addresses are aligned, and either the items and the results do not overlap, or the results replace the items in place and have
        //   the same type. `check_scan` has checked this; in the torn memory, `results_at` is a multiple of 256;
        // - for `publish_piece`: the prefix of the first tile's tile group, and the aggregates of the tile group's earlier tiles, are on
        //   the board. `queue_pass` has put them there. The launch of the share's tiles publishes the aggregates of the tiles before the
        //   torn tile.
        unsafe {
            match pass {
                Pass::Publish => queue.publish_piece(O::row(), input, tiles),
                Pass::Scan => queue.scan_piece(O::row(), input, output, tiles),
            }
        }
    };
    let start = layout.share(part.rank).start;
    let mut tiles = layout.units(part.rank);
    if part.torn.is_some() {
        tiles.end -= 1;
    }
    if !tiles.is_empty() {
        let output = base::<O::Output>(part.output.address, start);
        run(input(part.share.address, start), output, tiles)?;
    }
    if let Some(torn) = part.torn {
        let first_item = layout.items(torn.unit).start;
        let output = base::<O::Output>(torn.results(), first_item);
        run(
            input(torn.items(), first_item),
            output,
            torn.unit..torn.unit + 1,
        )?;
    }
    Ok(())
}

/// The address that item 0 would have if the item `first_item` is at `address`.
fn base<T>(address: Address, first_item: u64) -> Address {
    address.wrapping_sub(first_item.wrapping_mul(size_of::<T>() as u64))
}
