//! A call over the ranks of a group, as one of the ranks sees it.

use std::ops::Range;
use std::time::Duration;

use super::Fault;
use super::board::Board;
use super::header::{HEADER_BYTES, Header};
use super::layout::Layout;
use super::post::{Post, Received};
use super::transport::{Local, Parcel, Transport};
use crate::driver::{self, Address, DeviceMemory};
use crate::error::{Argument, Result};
use crate::gpu::{Call, Entered};
use crate::kernel::Item;
use crate::launch::Span;

/// One rank's side of a call.
pub(super) struct Session<'a> {
    pub entered: Entered<'a>,
    /// A stream that only this call uses, ordered after the work that was queued on the default stream.
    pub call: Call<'a>,
    pub transport: &'a mut dyn Transport,
    pub post: &'a mut Post,
    pub board: &'a mut Board,
    pub limit: Duration,
    /// The number of this call among the calls of the member.
    pub number: u64,
    /// Whether the call has ended with an error that all ranks know. After such an error the ranks are still in step, and the group can
    /// still be used.
    pub in_step: &'a mut bool,
}

/// A torn unit ([`super::layout`] defines this term) on the rank that owns the unit: memory with all items of the unit, gathered from
/// several ranks.
pub(super) struct Torn {
    memory: DeviceMemory,
    /// The unit.
    pub unit: u64,
    /// The offset of the results in the memory, in bytes.
    results_at: u64,
}

impl Torn {
    /// The address of the unit's first item.
    pub fn items(&self) -> Address {
        self.memory.address()
    }

    /// The address of the unit's first result.
    pub fn results(&self) -> Address {
        self.memory.address() + self.results_at
    }
}

impl Session<'_> {
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// Sends this rank's bytes, or its failure, to all ranks. Each rank sends `bytes` bytes, for which the post has room. If any rank has
    /// failed, this returns an error on all ranks, and the ranks stay in step.
    pub fn agree(&mut self, mine: Result<Vec<u8>>, bytes: usize) -> Result<Received<'_>> {
        let mine = mine.map(|mine| self.post.write(&mine));
        self.agree_on_queued(mine, bytes)
    }

    /// As [`Self::agree`], but work on the call's stream writes the body. `queued` says whether all of this work could be queued.
    pub fn agree_on_queued(&mut self, queued: Result<()>, bytes: usize) -> Result<Received<'_>> {
        self.post.say(queued.is_ok());
        let local = local(self.entered, &self.call, self.limit);
        let gathered = self.transport.all_gather(local, self.post, bytes);
        if let (Err(error), Err(_)) = (&queued, &gathered) {
            // This rank's own failure matters more than the failure to report it.
            return Err(error.clone());
        }
        gathered?;
        let all = self.post.received(bytes);
        let failed = all.first_failed();
        *self.in_step = failed.is_some();
        queued?;
        match failed {
            Some(rank) => Err(Fault::RankFailed { rank }.into()),
            None => Ok(all),
        }
    }

    /// Agrees with the other ranks on which call this is, and exchanges the lengths of the shares. `checked` is the result of this rank's
    /// checks of the arguments. If it is an error, the call fails on all ranks.
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
        let rank = self.rank();
        let all = self.agree(mine, HEADER_BYTES)?;
        let mut headers: Vec<_> = all.bodies().map(Header::from_bytes).collect();
        // This rank's launches must depend on the true length of its share, whatever the peers have sent.
        if let Some(own) = headers.get_mut(rank) {
            *own = header;
        }
        let layout = Header::check_all(&headers).and_then(|()| {
            let lengths = headers.iter().map(|header| header.item_count);
            Layout::new(lengths, unit_items).ok_or(Fault::TooLong)
        });
        *self.in_step = layout.is_err();
        Ok(layout?)
    }

    /// Checks that a share, or the memory for its results, is memory of this rank's context. Memory without items is not checked.
    pub fn check_memory(&self, argument: Argument, span: Span) -> Result<()> {
        match span.item_count {
            0 => Ok(()),
            _ => self.entered.check_memory(argument, span.address),
        }
    }

    /// Gathers torn units. All ranks take part if any unit is torn. Returns this rank's torn unit, if it has one, with room for results of
    /// the given size.
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

    /// Ends a call. If this rank has a torn unit, this function copies the rank's own results of the unit to the output, and sends the
    /// other results to the ranks that sent the items. It also receives the results of the items that this rank has sent to another rank.
    /// Then all ranks agree that they are done. `done` is an error if this rank could not queue its part.
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
        let mut carried = Ok(());
        if layout.is_torn() {
            // The exchange happens after a failure too, since other ranks wait for it. During the exchange, no queued work may write to the
            // exchanged memory.
            if own.is_err() {
                let _ = self.call.stream().synchronize();
            }
            let sends = torn.map_or(Vec::new(), |torn| {
                tails::<R>(layout, rank, torn, torn.results())
            });
            carried = self.exchange(&sends, &head::<R>(layout, rank, output));
        }
        let own = own.and(carried).map(|()| Vec::new());
        self.agree(own, 0).map(drop)
    }

    fn exchange(&mut self, sends: &[Parcel], receives: &[Parcel]) -> Result<()> {
        let local = local(self.entered, &self.call, self.limit);
        self.transport.exchange(local, sends, receives)
    }

    /// If this rank has a torn unit, allocates room for the unit, and copies the rank's own items of the unit into the room. Waits for the
    /// stream, so that the items which this rank sends are complete.
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

    /// Copies this rank's own part of its torn unit, and waits. The part consists of items or results; `share` is the address of the rank's
    /// first item or result.
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

/// The resources that the transport may use. This function is not a method of [`Session`], so that the transport can be borrowed at the
/// same time.
fn local<'a>(entered: Entered<'a>, call: &'a Call<'_>, limit: Duration) -> Local<'a> {
    Local {
        entered,
        stream: call.stream(),
        limit,
    }
}

/// The direction in which a rank's own part of its torn unit is copied: items to the torn unit's memory, or results from there.
#[derive(Clone, Copy)]
enum Direction {
    There,
    Back,
}

/// The part of another rank's torn unit that lies on this rank, if there is one. This rank's items or results, of type `T`, begin at
/// `share`.
fn head<T>(layout: &Layout, rank: usize, share: Address) -> Vec<Parcel> {
    let head = layout.head(rank).map(|(peer, items)| Parcel {
        peer,
        address: share,
        bytes: (items.end - items.start) * size_of::<T>() as u64,
    });
    head.into_iter().collect()
}

/// The parts of a rank's torn unit that lie on other ranks. The unit's items or results, of type `T`, begin at `start`.
fn tails<T>(layout: &Layout, rank: usize, torn: &Torn, start: Address) -> Vec<Parcel> {
    let first = layout.items(torn.unit).start;
    let parcel = |(peer, items): (usize, Range<u64>)| Parcel {
        peer,
        address: start + (items.start - first) * size_of::<T>() as u64,
        bytes: (items.end - items.start) * size_of::<T>() as u64,
    };
    layout.heads_of(rank).into_iter().map(parcel).collect()
}
