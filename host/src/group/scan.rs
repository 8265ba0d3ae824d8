//! A scan over the ranks of a group.
//!
//! ```text
//! learn of all shares
//! bring torn tiles together              where shares are not cut between tiles
//! scan the own tiles                     first rank: for good; last: not yet; others: for what is published
//! hand the aggregates to all ranks       of groups of tiles; of single tiles where a group is shared
//! scan the own tiles for good            all but the first rank, with what stands before on the board
//! bring the results of torn tiles back
//! ```
//!
//! The aggregates of tiles and of whole groups do not depend on what stands before, so the first scan of a rank in the middle
//! begins with identities. Then every rank folds the group's prefix in the contract's order, and the second scan finds it on its board
//! as if the tiles before had published it: it, and the aggregates of the tiles before in the rank's first group.
//!
//! The results of a first scan go where those of the second will. In place, where the items are still needed, they go to a
//! small place of their own, in pieces that have it one after the other.

mod before;

use std::iter;
use std::ops::Range;

use warpfold_kernels::contract::{Wider, scan_tile_items};
use warpfold_kernels::workspace::scan_state_words;

use self::before::{Before, Places, Slot, aggregates_of};
use super::board::Board;
use super::layout::Layout;
use super::session::{Session, Torn};
use super::words::{from_states, state_bytes};
use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::gpu::DeviceMemory;
use crate::kernel::kind::Kind;
use crate::kernel::{Item, Kernel};
use crate::launch::{Queue, Span, check_scan};
use crate::reference;

/// The most bytes of the place for results that are thrown away: enough tiles at a time that a launch takes little.
const SPARE_MOST_BYTES: u64 = 64 << 20;

/// The fewest bytes of it, if that many are needed.
const SPARE_LEAST_BYTES: u64 = 512 << 10;

/// Scans all items, of which this rank has `share`, to `output`.
pub(super) fn scan<K: Kind, O: Kernel<K, T>, T: Item>(
    session: &mut Session<'_>,
    share: Span,
    output: Span,
) -> Result<()> {
    let checked = check::<T, O::Output>(session, share, output);
    let layout = session.begin(
        O::entry().symbol(),
        size_of::<T>(),
        None,
        share,
        checked,
        scan_tile_items::<Wider<T, O::Output>>,
    )?;
    let result_bytes = size_of::<O::Output>();
    let torn = session.mend::<T>(&layout, share, result_bytes)?;
    let part = Part {
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

fn check<T: Item, R: Item>(session: &Session<'_>, share: Span, output: Span) -> Result<()> {
    check_scan::<T, R>(share, output)?;
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

/// A rank's part of a scan.
struct Part<'a> {
    layout: &'a Layout,
    rank: usize,
    share: Span,
    output: Span,
    torn: Option<&'a Torn>,
}

/// Scans this rank's tiles: all of it is queued when this returns, and done up to the last scan.
fn scan_tiles<K: Kind, O: Kernel<K, T>, T: Item>(
    session: &mut Session<'_>,
    part: &Part<'_>,
) -> Result<()> {
    let owners = part.layout.owners();
    let (Some(&first), Some(&last)) = (owners.first(), owners.last()) else {
        return Ok(());
    };
    let is_owner = |rank| part.rank == rank;
    if first == last {
        return match is_owner(first) {
            true => queue_for_good::<K, O, T>(session, part, &[], &[]),
            false => Ok(()),
        };
    }
    let before = share_aggregates::<K, O, T>(session, part, first, last)?;
    match is_owner(first) || part.layout.units(part.rank).is_empty() {
        true => Ok(()),
        false => queue_for_good::<K, O, T>(session, part, &before, &[]),
    }
}

/// Has this rank's tiles scanned, by the first rank for good, and hands their aggregates to all. Gives what stands before this
/// rank's tiles, as it is on its board.
fn share_aggregates<K: Kind, O: Kernel<K, T>, T: Item>(
    session: &mut Session<'_>,
    part: &Part<'_>,
    first: usize,
    last: usize,
) -> Result<Vec<(u64, O::Accumulator)>> {
    let value_bytes = state_bytes::<O::Accumulator>();
    let slots: Vec<_> = (0..last)
        .map(|rank| aggregates_of(part.layout.units(rank)))
        .collect();
    let most = slots.iter().map(Vec::len).max().unwrap_or(0);
    let places = Places::new::<Wider<T, O::Output>>(part.layout.item_count());
    session
        .post
        .make_room(session.entered, most * value_bytes)?;
    let mine = slots.get(part.rank).map_or(&[][..], Vec::as_slice);
    // Kept until the message has been carried.
    let spare;
    let queued = match mine {
        [] => Ok(()),
        _ if part.rank == first => queue_for_good::<K, O, T>(session, part, &[], mine),
        _ => {
            spare = Spare::for_part::<T, O::Output>(session, part);
            match &spare {
                Ok(spare) => queue_for_aggregates::<K, O, T>(session, part, spare.as_ref(), mine),
                Err(error) => Err(error.clone()),
            }
        }
    };
    let all = session.agree_on_queued(queued, most * value_bytes)?;

    let mut before = Before::<O::Accumulator>::new(O::identity());
    for (slots, body) in iter::zip(&slots, all.bodies()).take(part.rank) {
        for (&slot, value) in iter::zip(slots, from_states(body)) {
            before.add(slot, value, O::identity(), O::combine, |tiles| {
                reference::combine_group::<O, T>(tiles)
            });
        }
    }
    Ok(before.seeds(&part.layout.units(part.rank), &places))
}

/// Queues the scan of this rank's tiles, with what stands before them, and the copies of these published slots to its message.
fn queue_for_good<K: Kind, O: Kernel<K, T>, T: Item>(
    session: &mut Session<'_>,
    part: &Part<'_>,
    before: &[(u64, O::Accumulator)],
    taken: &[Slot],
) -> Result<()> {
    queue_scan::<K, O, T>(session, part, before, None, taken)
}

/// Queues the scan of this rank's tiles as if nothing stood before them, for the slots that it publishes.
fn queue_for_aggregates<K: Kind, O: Kernel<K, T>, T: Item>(
    session: &mut Session<'_>,
    part: &Part<'_>,
    spare: Option<&Spare>,
    taken: &[Slot],
) -> Result<()> {
    let places = Places::new::<Wider<T, O::Output>>(part.layout.item_count());
    let tiles = part.layout.units(part.rank);
    let nothing = Before::new(O::identity()).seeds(&tiles, &places);
    queue_scan::<K, O, T>(session, part, &nothing, spare, taken)
}

fn queue_scan<K: Kind, O: Kernel<K, T>, T: Item>(
    session: &mut Session<'_>,
    part: &Part<'_>,
    before: &[(u64, O::Accumulator)],
    spare: Option<&Spare>,
    taken: &[Slot],
) -> Result<()> {
    let item_count = part.layout.item_count();
    let places = Places::new::<Wider<T, O::Output>>(item_count);
    let stream = session.call.stream();
    let board = &mut *session.board;
    let place = board.prepare(
        session.entered,
        stream,
        session.post,
        scan_state_words::<Wider<T, O::Output>, O::Accumulator>(item_count),
        before,
    )?;
    Queue::on_board(session.entered, &session.call, place, |queue| {
        queue_tiles::<K, O, T>(queue, part, spare)
    })?;
    let taken = taken.iter().map(|&slot| places.of(slot));
    Board::take::<O::Accumulator>(place, stream, session.post, taken)
}

/// A place for results that are thrown away.
struct Spare {
    memory: DeviceMemory,
    tiles: u64,
}

impl Spare {
    /// For results of this rank's tiles, if they would be in place of its items.
    fn for_part<T: Item, R: Item>(session: &Session<'_>, part: &Part<'_>) -> Result<Option<Self>> {
        if part.share.address != part.output.address {
            return Ok(None);
        }
        let tiles = part.layout.units(part.rank);
        let tile_items = scan_tile_items::<Wider<T, R>>(part.layout.item_count());
        let tile_bytes = tile_items * size_of::<R>() as u64;
        let made = session.entered.with_room(|| Self::new(&tiles, tile_bytes));
        made.map(Some)
    }

    /// For results of these tiles, each of so many bytes.
    fn new(tiles: &Range<u64>, tile_bytes: u64) -> Result<Self> {
        let count = tiles.end - tiles.start;
        let bytes = (count * tile_bytes / 8).clamp(SPARE_LEAST_BYTES, SPARE_MOST_BYTES);
        let tiles = (bytes / tile_bytes).clamp(1, count);
        Ok(Self {
            memory: DeviceMemory::allocate(tiles * tile_bytes)?,
            tiles,
        })
    }
}

/// Queues the tiles of a rank: those of its share, and the torn one. The results go where they belong or, in place, to a spare
/// place.
fn queue_tiles<K: Kind, O: Kernel<K, T>, T: Item>(
    queue: &mut Queue<'_>,
    part: &Part<'_>,
    spare: Option<&Spare>,
) -> Result<()> {
    let layout = part.layout;
    let item_count = layout.item_count() as usize;
    let input = |address: Address, first_item: u64| Span {
        address: base::<T>(address, first_item),
        item_count,
    };
    let start = layout.share(part.rank).start;
    let mut tiles = layout.units(part.rank);
    if part.torn.is_some() {
        tiles.end -= 1;
    }
    let piece_tiles = spare.map_or(tiles.end - tiles.start, |spare| spare.tiles);
    while !tiles.is_empty() {
        let piece = tiles.start..tiles.end.min(tiles.start + piece_tiles);
        let output = match spare {
            None => base::<O::Output>(part.output.address, start),
            Some(spare) => {
                base::<O::Output>(spare.memory.address(), layout.items(piece.start).start)
            }
        };
        // SAFETY: the share begins with item `start` and has all items of these tiles, and is memory of the context, of the length
        // that its owner gave it; so is the output, which is the share itself or lies apart. A spare place has room for the
        // results of a piece, and is kept until the work is done. All are aligned.
        unsafe {
            queue.scan_piece::<K, O, T>(input(part.share.address, start), output, piece.clone())
        }?;
        tiles.start = piece.end;
    }
    if let Some(torn) = part.torn {
        let first_item = layout.items(torn.unit).start;
        let output = base::<O::Output>(torn.results(), first_item);
        let tiles = torn.unit..torn.unit + 1;
        // SAFETY: all items of the tile have been brought there, to memory that has room for the results behind them, and is kept
        // until the work is done.
        unsafe { queue.scan_piece::<K, O, T>(input(torn.items(), first_item), output, tiles) }?;
    }
    Ok(())
}

/// Where item 0 would be, if the item `first_item` is at `address`.
fn base<T>(address: Address, first_item: u64) -> Address {
    address.wrapping_sub(first_item.wrapping_mul(size_of::<T>() as u64))
}
