//! A call, as one of its ranks sees it.

use std::ops::Range;
use std::time::Duration;

use super::Fault;
use super::header::{HEADER_BYTES, Header};
use super::layout::Layout;
use super::transport::{Local, Parcel, Transport};
use crate::driver::{self, Address};
use crate::error::{Argument, Result};
use crate::gpu::{Call, DeviceMemory, Entered};
use crate::kernel::Item;
use crate::launch::Span;

/// A call of a rank.
pub(super) struct Session<'a> {
    pub entered: Entered<'a>,
    /// A stream of the call's own, which comes after all that the program has queued.
    pub call: Call<'a>,
    pub transport: &'a mut dyn Transport,
    pub limit: Duration,
    /// Which call of the member this is.
    pub number: u64,
    /// Whether the call has ended with an error that all ranks know of, so that they are in step still.
    pub in_step: &'a mut bool,
}

/// A unit whose items lie on several ranks, brought together on its owner.
pub(super) struct Torn {
    memory: DeviceMemory,
    /// The unit.
    pub unit: u64,
    /// Where results have room.
    results_at: u64,
}

impl Torn {
    /// Where the unit's first item is.
    pub fn items(&self) -> Address {
        self.memory.address()
    }

    /// Where there is room for its first result.
    pub fn results(&self) -> Address {
        self.memory.address() + self.results_at
    }
}

impl Session<'_> {
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// Hands what this rank has, or that it failed, to all: so many bytes of each rank. If any failed, all fail, in step.
    pub fn agree(&mut self, mine: Result<Vec<u8>>, bytes: usize) -> Result<Vec<Vec<u8>>> {
        const FINE: u8 = 1;
        let mut message = vec![0; 1 + bytes];
        if let Ok(mine) = &mine {
            message[0] = FINE;
            message[1..][..mine.len()].copy_from_slice(mine);
        }
        let local = local(self.entered, &self.call, self.limit);
        let gathered = self.transport.all_gather(local, &message);
        let (mine, all) = match (mine, gathered) {
            // What failed here matters more than that others do not hear of it.
            (Err(error), Err(_)) => return Err(error),
            (mine, gathered) => (mine, gathered?),
        };
        let all: Vec<_> = all.chunks_exact(1 + bytes).map(<[u8]>::to_vec).collect();
        let failed = all.iter().position(|message| message[0] != FINE);
        *self.in_step = failed.is_some();
        mine?;
        match failed {
            Some(rank) => Err(Fault::RankFailed { rank }.into()),
            None => Ok(all
                .into_iter()
                .map(|message| message[1..].to_vec())
                .collect()),
        }
    }

    /// Agrees on the call and learns of the shares: what is checked of the arguments here, `checked`, all ranks learn.
    pub fn begin(
        &mut self,
        kernel: &str,
        item_bytes: usize,
        root: Option<usize>,
        share: Span,
        checked: Result<()>,
        unit_items: impl Fn(u64) -> u64,
    ) -> Result<Layout> {
        let mut header = Header::new(self.number, kernel, item_bytes, root);
        header.item_count = share.item_count as u64;
        let mine = checked.map(|()| header.to_bytes());
        let all = self.agree(mine, HEADER_BYTES)?;
        let headers: Vec<_> = all.iter().map(|bytes| Header::from_bytes(bytes)).collect();
        let layout = Header::check_all(&headers).and_then(|()| {
            let lengths = headers.iter().map(|header| header.item_count);
            Layout::new(lengths, unit_items).ok_or(Fault::TooLong)
        });
        *self.in_step = layout.is_err();
        Ok(layout?)
    }

    /// Checks that a share which has items is memory of this rank's device.
    pub fn check_memory(&self, argument: Argument, span: Span) -> Result<()> {
        match span.item_count {
            0 => Ok(()),
            _ => self.entered.check_memory(argument, span.address),
        }
    }

    /// Brings torn units together; gives this rank's, if it has one, with room for results of so many bytes each. All ranks call
    /// it if any unit is torn.
    pub fn mend<T: Item>(
        &mut self,
        layout: &Layout,
        share: Span,
        result_bytes: usize,
    ) -> Result<Option<Torn>> {
        if !layout.is_torn() {
            return Ok(None);
        }
        let made = self.torn::<T>(layout, share, result_bytes);
        let mut torn = None;
        let made = made.map(|made| torn = made);
        self.agree(made.map(|()| Vec::new()), 0)?;
        let rank = self.rank();
        let (sends, receives) = match &torn {
            None => (head::<T>(layout, rank, share.address), Vec::new()),
            Some(torn) => (
                head::<T>(layout, rank, share.address),
                tails::<T>(layout, rank, torn, torn.items()),
            ),
        };
        self.exchange(&sends, &receives)?;
        Ok(torn)
    }

    /// Ends a call whose part here is `done`: agrees that all are, and brings the results of torn units to where their items came
    /// from, this rank's own to its output.
    pub fn send_back<R: Item>(
        &mut self,
        layout: &Layout,
        torn: Option<&Torn>,
        output: Address,
        done: Result<()>,
    ) -> Result<()> {
        let rank = self.rank();
        let own = done.and_then(|()| match torn {
            None => Ok(()),
            Some(torn) => self.copy_own::<R>(layout, torn, output, Direction::Back),
        });
        self.agree(own.map(|()| Vec::new()), 0)?;
        if !layout.is_torn() {
            return Ok(());
        }
        let sends = torn.map_or(Vec::new(), |torn| {
            tails::<R>(layout, rank, torn, torn.results())
        });
        let receives = head::<R>(layout, rank, output);
        self.exchange(&sends, &receives)
    }

    fn exchange(&mut self, sends: &[Parcel], receives: &[Parcel]) -> Result<()> {
        let local = local(self.entered, &self.call, self.limit);
        self.transport.exchange(local, sends, receives)
    }

    /// Room for this rank's torn unit, and its own items of it there. What this rank sends is complete after it.
    fn torn<T: Item>(
        &mut self,
        layout: &Layout,
        share: Span,
        result_bytes: usize,
    ) -> Result<Option<Torn>> {
        let torn = match layout.torn(self.rank()) {
            None => None,
            Some(unit) => {
                let items = layout.items(unit);
                let item_count = items.end - items.start;
                let results_at = (item_count * size_of::<T>() as u64).next_multiple_of(256);
                let bytes = results_at + item_count * result_bytes as u64;
                let memory = self.entered.with_room(|| DeviceMemory::allocate(bytes))?;
                Some(Torn {
                    memory,
                    unit,
                    results_at,
                })
            }
        };
        match &torn {
            Some(torn) => self.copy_own::<T>(layout, torn, share.address, Direction::There)?,
            None => self.call.stream().synchronize()?,
        }
        Ok(torn)
    }

    /// Copies what this rank has itself of its torn unit, of items or results at `share`, and waits.
    fn copy_own<T>(
        &self,
        layout: &Layout,
        torn: &Torn,
        share: Address,
        direction: Direction,
    ) -> Result<()> {
        let own = layout.share(self.rank());
        let items = layout.items(torn.unit);
        let here = share + (items.start - own.start) * size_of::<T>() as u64;
        let bytes = (own.end - items.start) * size_of::<T>() as u64;
        let home = self.entered.home();
        let (to, from) = match direction {
            Direction::There => (torn.items(), here),
            Direction::Back => (here, torn.results()),
        };
        let stream = self.call.stream();
        driver::queue_copy_between((to, home), (from, home), bytes, stream)?;
        Ok(stream.synchronize()?)
    }
}

/// What the transport may use; apart, so that it is borrowed apart.
fn local<'a>(entered: Entered<'a>, call: &'a Call<'_>, limit: Duration) -> Local<'a> {
    Local {
        entered,
        stream: call.stream(),
        limit,
    }
}

/// Which way a rank's own part of a torn unit goes.
#[derive(Clone, Copy)]
enum Direction {
    There,
    Back,
}

/// What a rank has of another's torn unit, of items or results of type `T` that begin at `share`.
fn head<T>(layout: &Layout, rank: usize, share: Address) -> Vec<Parcel> {
    let head = layout.head(rank).map(|(peer, items)| Parcel {
        peer,
        address: share,
        bytes: (items.end - items.start) * size_of::<T>() as u64,
    });
    head.into_iter().collect()
}

/// What others have of a rank's torn unit, whose items or results of type `T` begin at `start`.
fn tails<T>(layout: &Layout, rank: usize, torn: &Torn, start: Address) -> Vec<Parcel> {
    let first = layout.items(torn.unit).start;
    let parcel = |(peer, items): (usize, Range<u64>)| Parcel {
        peer,
        address: start + (items.start - first) * size_of::<T>() as u64,
        bytes: (items.end - items.start) * size_of::<T>() as u64,
    };
    layout.heads_of(rank).into_iter().map(parcel).collect()
}
