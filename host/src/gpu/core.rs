//! What lives in a device's primary context: compiled kernels, scratch memory, and what calls that wait need.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use super::Properties;
use super::call_stream::{Call, CallStream};
use super::context::PrimaryContext;
use super::generation::Generation;
use super::kernels::{Kernels, LoadedKernel};
use super::lanes::{Lane, Lanes};
use super::scratch::Scratch;
use super::shelf::{Limits, Shelf};
use super::streams::{KnownStream, Streams};
use super::workspace::Place;
use super::workspaces::Workspaces;
use crate::driver::{self, Address, Capture, Context, Device, Failure, Stream, Unconcerned};
use crate::error::{Argument, DriverCode, Error, Result};
use crate::kernel::Entry;

/// Call streams, with the smallest workspace each.
const CALLS: Limits = Limits { most: 64, idle: 16 };

/// A reference to a device's primary context, and what is kept there for calls.
#[derive(Debug)]
pub(super) struct Core {
    /// Dropped while the context is current, or not at all.
    kept: ManuallyDrop<Kept>,
    pub context: PrimaryContext,
    properties: Arc<Properties>,
    /// Which context it is. If somebody has destroyed it, all that was kept there is gone.
    generation: Generation,
}

/// What is kept in the context.
#[derive(Debug)]
struct Kept {
    kernels: Kernels,
    streams: Streams,
    workspaces: Workspaces,
    calls: Shelf<CallStream>,
    lanes: Lanes,
}

impl Core {
    /// In a context that is alive.
    pub fn new(device: Device, properties: Arc<Properties>) -> Result<Self> {
        let lost = |Failure { call, code }| match code.is_sticky() {
            true => Error::ContextLost { call, code },
            false => Error::Driver { call, code },
        };
        let context = PrimaryContext::retain(device).map_err(lost)?;
        let bound = context.bind()?;
        // Others may hold one that is lost: any question shows it.
        let alive = driver::free_bytes().map_err(lost);
        bound.unbind()?;
        alive?;
        Ok(Self {
            kept: ManuallyDrop::new(Kept {
                kernels: Kernels::default(),
                streams: Streams::default(),
                workspaces: Workspaces::default(),
                calls: Shelf::new(CALLS),
                lanes: Lanes::new(),
            }),
            context,
            properties,
            generation: Generation::default(),
        })
    }

    /// Takes note of the code to which the context is lost.
    pub fn note_loss(&self, code: DriverCode) {
        if code == DriverCode::CONTEXT_IS_DESTROYED {
            self.generation.note_destroyed();
        }
    }

    /// Runs `work` with the context current on this thread, and with no regard to other threads' captures.
    pub fn enter<R>(&self, work: impl FnOnce(Entered<'_>) -> Result<R>) -> Result<R> {
        let bound = self.context.bind()?;
        let unconcerned = Unconcerned::begin()?;
        let result = work(Entered { core: self });
        self.kept.workspaces.tidy_after_graphs();
        // A failure of the work matters more than one of putting back what was before.
        let (concerned, unbound) = (unconcerned.end(), bound.unbind());
        let value = result?;
        concerned?;
        unbound?;
        Ok(value)
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // What a handle of a destroyed context stands for is gone, and NVIDIA's driver follows any.
        if self.generation.is_destroyed() {
            return;
        }
        // Failures have nobody left to tell; a lost context frees all that is in it when it goes. Binding is worth a second
        // try, since without it nothing here can be freed.
        if let Ok(bound) = self.context.bind().or_else(|_| self.context.bind()) {
            let unconcerned = Unconcerned::begin();
            // Freeing memory waits for all work. To wait for the whole context would end captures.
            self.kept.trim();
            self.kept.workspaces.clear();
            // No kernel has run without such memory, so none is running when the kernels go.
            // SAFETY: nobody uses it after this.
            unsafe { ManuallyDrop::drop(&mut self.kept) };
            drop(unconcerned);
            let _ = bound.unbind();
        }
    }
}

impl Kept {
    /// Frees what no call is using.
    fn trim(&self) {
        self.streams.trim(&self.workspaces);
        self.workspaces.trim();
        self.lanes.trim();
        drop(self.calls.clear());
    }
}

/// A [`Gpu`](super::Gpu) whose context is current on this thread.
#[derive(Clone, Copy)]
pub(crate) struct Entered<'gpu> {
    core: &'gpu Core,
}

impl<'gpu> Entered<'gpu> {
    /// Checks that memory which starts at `address` belongs to the context.
    pub fn check_memory(self, argument: Argument, address: Address) -> Result<()> {
        let context = &self.core.context;
        match driver::is_memory_of(address, context.handle(), context.device())? {
            true => Ok(()),
            false => Err(Error::ForeignMemory { argument, address }),
        }
    }

    /// The kernel, compiled now if it never was.
    pub fn kernel(self, entry: &'static Entry) -> Result<Arc<LoadedKernel>> {
        self.core.kept.kernels.get(entry, &self.core.properties)
    }

    /// Runs `work` with what is known of the stream, which is the context's. Calls on the same stream wait for
    /// each other here, so `work` should only queue.
    pub fn with_stream<R>(
        self,
        stream: Stream<'_>,
        capture: Option<Capture>,
        work: impl FnOnce(&mut KnownStream) -> Result<R>,
    ) -> Result<R> {
        let Kept {
            streams,
            workspaces,
            ..
        } = &*self.core.kept;
        streams.with(stream, capture, &self.core.context, workspaces, work)
    }

    /// The workspace of a stream's launches, with at least `state_words` state words.
    pub fn place(
        self,
        scratch: &mut Scratch,
        stream: Stream<'_>,
        state_words: u64,
    ) -> Result<Place> {
        self.with_room(|| scratch.place(stream, state_words, &self.core.kept.workspaces))
    }

    /// The workspace of the launches that are captured on a stream, with at least `state_words` state words.
    pub fn captured_place(
        self,
        known: &mut KnownStream,
        capture: Capture,
        state_words: u64,
    ) -> Result<Place> {
        known.captured_place(capture, state_words, || {
            let mut aside = self.call()?;
            aside.begin();
            let workspaces = &self.core.kept.workspaces;
            self.with_room(|| workspaces.lease(capture, aside.stream(), state_words))
        })
    }

    /// What is known of streams.
    #[cfg(test)]
    pub(super) fn streams(self) -> &'gpu Streams {
        &self.core.kept.streams
    }

    /// A stream for a call that waits.
    pub fn call(self) -> Result<Call<'gpu>> {
        Call::new(
            self.core
                .kept
                .calls
                .take(|| self.with_room(|| CallStream::new(self.home())))?,
        )
    }

    /// A lane for one piece of a slice, of at most `piece_bytes` bytes.
    pub fn lane(self, piece_bytes: usize) -> Result<Lane<'gpu>> {
        self.with_room(|| self.core.kept.lanes.take(self.home(), piece_bytes))
    }

    /// `most` lanes for pieces of `piece_bytes` bytes; fewer, but at least one, where others have them or the memory does not
    /// suffice.
    pub fn lanes(self, most: usize, piece_bytes: usize) -> Result<Vec<Lane<'gpu>>> {
        self.with_room(|| {
            self.core
                .kept
                .lanes
                .take_some(self.home(), most, piece_bytes)
        })
    }

    /// Where memory does not suffice, frees what is kept for later calls, and tries once more.
    pub fn with_room<R>(self, mut make: impl FnMut() -> Result<R>) -> Result<R> {
        match make() {
            Err(Error::OutOfMemory { .. } | Error::OutOfHostMemory { .. }) => {
                self.core.kept.trim();
                make()
            }
            other => other,
        }
    }

    /// Frees what no call is using.
    pub fn trim(self) {
        self.core.kept.trim();
    }

    /// Which context it is, for what is [tied](super::tied::Tied) to it.
    #[cfg(feature = "nccl")]
    pub fn generation(self) -> &'gpu Generation {
        &self.core.generation
    }

    /// The context.
    pub fn home(self) -> Context {
        self.core.context.handle()
    }
}
