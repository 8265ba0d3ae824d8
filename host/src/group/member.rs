//! A rank of a group.

use std::fmt;
use std::mem::ManuallyDrop;
use std::time::Duration;

use super::board::Board;
use super::nccl::Nccl;
use super::post::Post;
use super::session::Session;
use super::transport::Transport;
use super::{Fault, UniqueId, reduce, scan};
use crate::driver;
use crate::error::Result;
use crate::gpu::{Gpu, Tied, refuse_in_child};
use crate::kernel::kind::Kind;
use crate::kernel::{Item, Kernel, kind};
use crate::launch::Span;

/// A rank of a group: a GPU that works together with the GPUs of the other ranks.
///
/// The ranks hold consecutive items, in rank order. The share of a rank may have any length, also 0. All ranks make the same calls in the
/// same order. A call waits for the other ranks. A call runs after the work that is queued on the default stream of the rank's device. It
/// also runs after the work on streams that are ordered with the default stream, such as `cust`'s streams.
///
/// The results have the same bits as on one GPU, for any number of ranks and wherever the items are cut: see the
/// [module's documentation](super).
///
/// From its first call on, a member keeps page-locked memory for its messages (21 KiB, and 16 KiB more for each rank). From its first scan
/// on, or from its first reduction in which several ranks have chunks, it may also keep a board of 128 KiB on its device. Calls on many
/// items need longer messages and a larger board. The board of a scan has about `8 * w` bytes for each 56 KiB of all items, where `w` is
/// the number of 32-bit words of an accumulator.
///
/// # Failures
///
/// After most failures the group can still be used. If a call fails on one rank, that rank gets the reason, and the other ranks get
/// [`Fault::RankFailed`]. If a rank makes a different call from the other ranks, all ranks get [`Fault::Disagreement`].
///
/// Other failures end the group: a timeout, a lost context, a call that would end a [capture](crate#captures), a rank that leaves, or any
/// other failure after which the ranks are no longer at the same call. After such a failure, every later call of every rank fails within
/// the time limit. The program has to make a new group.
///
/// ```
/// use std::time::Duration;
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, group, reduce};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// // A group of one rank. In a group of several, each member goes to a thread of its own.
/// let mut member = group::within([&gpu], Duration::from_secs(10)).remove(0);
/// assert_eq!((member.rank(), member.size()), (0, 1));
/// member.gpu().make_current()?;
/// let share = DeviceBuffer::from_slice(&[1.5f32, 2.0])?;
/// assert_eq!(reduce::<Sum, _>(&share).wait(&mut member)?, 3.5);
/// assert_eq!(reduce::<Sum, _>(&share).wait(member.at_root(0))?, Some(3.5));
/// # Ok(())
/// # }
/// ```
pub struct Member<'gpu> {
    gpu: &'gpu Gpu,
    /// Dropped with the member, except in a forked process.
    transport: ManuallyDrop<Box<dyn Transport + 'gpu>>,
    limit: Duration,
    /// Made by the first call.
    kept: Option<Tied<Kept>>,
    /// The number of calls so far.
    calls: u64,
    /// Whether the group has ended for this member, because the ranks may no longer be at the same call.
    is_dissolved: bool,
}

/// The memory that a member keeps in its context between calls.
struct Kept {
    post: Post,
    board: Board,
}

/// A member, and the rank of its group that gets the result: see [`Member::at_root`].
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, group, reduce};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let share = DeviceBuffer::from_slice(&[1.5f32, 2.0])?;
/// let mut member = group::within([&gpu], Duration::from_secs(10)).remove(0);
/// assert_eq!(reduce::<Sum, _>(&share).wait(member.at_root(0))?, Some(3.5));
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct AtRoot<'member, 'gpu> {
    pub(crate) member: &'member mut Member<'gpu>,
    pub(crate) root: usize,
}

impl<'gpu> Member<'gpu> {
    pub(super) fn new(gpu: &'gpu Gpu, transport: impl Transport + 'gpu, limit: Duration) -> Self {
        Self {
            gpu,
            transport: ManuallyDrop::new(Box::new(transport)),
            limit,
            kept: None,
            calls: 0,
            is_dissolved: false,
        }
    }

    /// Joins the group with this id over NCCL, as one of `size` ranks. The ranks make this call in separate processes, or on separate
    /// threads. Waits for the other ranks. Neither this call nor a later call waits longer than `limit` for the next message of the other
    /// ranks.
    ///
    /// All ranks need the same `size`, and no two ranks of a group may have the same device. If groups share devices, they have to make
    /// their calls one after the other, in the same order on all of these devices. Otherwise NCCL's kernels of one group could wait for
    /// NCCL's kernels of another group (NCCL's user guide, *Using multiple NCCL communicators concurrently*), and calls would end with
    /// [`Fault::TimedOut`].
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::group::{Member, UniqueId};
    /// use warpfold::{Gpu, Sum, reduce};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let (rank, bytes) = (1, [0; UniqueId::BYTES]);
    /// // Rank 0 has made the id by `UniqueId::new()?`, and sent its bytes to the others.
    /// let id = UniqueId::from_bytes(bytes);
    /// let gpu = Gpu::with_device(rank)?;
    /// let mut member = Member::join(&gpu, &id, rank as usize, 2, Duration::from_secs(60))?;
    /// gpu.make_current()?;
    /// let share = DeviceBuffer::from_slice(&[1.5f32, 2.0])?;
    /// let of_all = reduce::<Sum, _>(&share).wait(&mut member)?;
    /// let at_rank_0 = reduce::<Sum, _>(&share).wait(member.at_root(0))?;
    /// assert_eq!(at_rank_0, (rank == 0).then_some(of_all));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Group`](crate::Error::Group): [`Fault::LibraryNotFound`], [`Fault::FunctionMissing`], [`Fault::NoSuchRank`],
    /// [`Fault::TimedOut`], [`Fault::Nccl`]. Also the errors of [`Gpu::make_current`].
    pub fn join(
        gpu: &'gpu Gpu,
        id: &UniqueId,
        rank: usize,
        size: usize,
        limit: Duration,
    ) -> Result<Self> {
        if rank >= size {
            return Err(Fault::NoSuchRank { rank, size }.into());
        }
        let transport = Nccl::join(gpu, id.to_bytes(), rank, size, limit)?;
        Ok(Self::new(gpu, transport, limit))
    }

    /// The rank's number, from 0 on.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use warpfold::{Gpu, group};
    /// # fn main() -> warpfold::Result<()> {
    /// # let gpu = Gpu::new()?;
    /// let members = group::within([&gpu, &gpu], Duration::from_secs(10));
    /// assert_eq!(members[1].rank(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn rank(&self) -> usize {
        self.transport.rank()
    }

    /// The number of ranks.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use warpfold::{Gpu, group};
    /// # fn main() -> warpfold::Result<()> {
    /// # let gpu = Gpu::new()?;
    /// let members = group::within([&gpu, &gpu], Duration::from_secs(10));
    /// assert_eq!(members[0].size(), 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn size(&self) -> usize {
        self.transport.size()
    }

    /// The rank's GPU.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use warpfold::{Gpu, group};
    /// # fn main() -> warpfold::Result<()> {
    /// # let gpu = Gpu::new()?;
    /// let members = group::within([&gpu, &gpu], Duration::from_secs(10));
    /// assert_eq!(members[1].gpu().name(), gpu.name());
    /// # Ok(())
    /// # }
    /// ```
    pub fn gpu(&self) -> &'gpu Gpu {
        self.gpu
    }

    /// This member, for a reduction whose result goes to the rank `root` only. `reduce::<Sum, _>(&share).wait(member.at_root(0))` returns
    /// `Some(result)` on rank 0, and `None` on other ranks. The reduction has the usual errors of a reduction, and [`Fault::NoSuchRank`] if
    /// the group has no rank `root`.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use std::time::Duration;
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Gpu, Sum, group, reduce};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let share = DeviceBuffer::from_slice(&[1.5f32, 2.0])?;
    /// let mut member = group::within([&gpu], Duration::from_secs(10)).remove(0);
    /// assert_eq!(reduce::<Sum, _>(&share).wait(member.at_root(0))?, Some(3.5));
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    pub fn at_root(&mut self, root: usize) -> AtRoot<'_, 'gpu> {
        AtRoot { member: self, root }
    }

    /// Combines all items of all ranks; every rank gets the result.
    pub(crate) fn reduce<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        share: Span,
    ) -> Result<O::Output> {
        self.collective(|session| reduce::reduce::<O, T>(session, None, share))
    }

    /// Combines all items of all ranks; only the rank `root` gets the result.
    pub(crate) fn reduce_to<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        root: usize,
        share: Span,
    ) -> Result<Option<O::Output>> {
        let is_root = root == self.rank();
        let result =
            self.collective(|session| reduce::reduce::<O, T>(session, Some(root), share))?;
        Ok(is_root.then_some(result))
    }

    /// Scans the items of all ranks, inclusively or exclusively.
    pub(crate) fn scan<K: Kind, O: Kernel<K, T>, T: Item>(
        &mut self,
        share: Span,
        output: Span,
    ) -> Result<()> {
        self.collective(|session| scan::scan::<K, O, T>(session, share, output))
    }

    /// Makes a call together with the other ranks.
    fn collective<R>(&mut self, work: impl FnOnce(&mut Session<'_>) -> Result<R>) -> Result<R> {
        refuse_in_child()?;
        if self.is_dissolved {
            return Err(Fault::Dissolved.into());
        }
        // The group counts as dissolved until the call has ended with all ranks in step. So a panic leaves the group dissolved.
        self.is_dissolved = true;
        self.calls += 1;
        let mut in_step = false;
        let result = self.gpu.enter(|entered| {
            let mut call = entered.call()?;
            driver::check_default_stream()?;
            call.begin().come_after_default_stream()?;
            if self.kept.is_none() {
                let post = Post::new(entered, self.transport.size())?;
                let board = Board::default();
                self.kept = Some(Tied::new(entered, Kept { post, board }));
            }
            let kept = self.kept.as_mut().and_then(|kept| kept.of(entered));
            // `None` if the context with the messages was lost, and the `Gpu` has a new context.
            let Kept { post, board } = kept.ok_or(Fault::Dissolved)?;
            post.check()?;
            work(&mut Session {
                entered,
                call,
                transport: &mut **self.transport,
                post,
                board,
                limit: self.limit,
                number: self.calls,
                in_step: &mut in_step,
            })
        });
        match result.is_ok() || in_step {
            true => self.is_dissolved = false,
            false => self.transport.abort(),
        }
        result
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        // In a forked process no driver call works, and a lock that another thread held is never released. So everything is leaked.
        if refuse_in_child().is_err() {
            return;
        }
        if self.is_dissolved {
            self.transport.abort();
        }
        // If the context is lost, its memory is lost too, and there is nothing to free.
        if let Some(kept) = self.kept.take() {
            let _ = self.gpu.enter(|entered| {
                kept.end(entered);
                Ok(())
            });
        }
        // SAFETY: the transport is dropped here only, and not used afterwards, since the member itself is being dropped.
        unsafe { ManuallyDrop::drop(&mut self.transport) };
    }
}

impl fmt::Debug for Member<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member")
            .field("rank", &self.rank())
            .field("size", &self.size())
            .field("gpu", self.gpu)
            .field("limit", &self.limit)
            .field("is_dissolved", &self.is_dissolved)
            .finish()
    }
}
