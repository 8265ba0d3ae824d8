//! How a call gets access to a device's primary context: whether the context is alive, how it becomes current on a thread, and which of
//! its resources a call may use.

use std::mem::{self, ManuallyDrop};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::call_stream::{Call, CallStream, Scratch};
use super::fork::refuse_in_child;
use super::form::{Form, Way};
use super::generation::Generation;
use super::kept::Kept;
use super::kernels::LoadedKernel;
#[cfg(test)]
use super::streams::Streams;
use super::streams::{KnownStream, StreamSlot};
use super::transfer_lanes::TransferLane;
use super::workspace::{Need, WorkspaceSpan};
use super::{Gpu, Properties};
use crate::driver::{
    self, Address, Bound, Capture, Context, Device, Failure, PrimaryContext, Stream, Unconcerned,
};
use crate::error::{Argument, DriverCode, Error, Result};
use crate::kernel::Entry;

/// A `Gpu`'s context.
pub(super) enum State {
    Alive(Arc<Core>),
    /// The context is lost, and was released. Holds the first sticky code.
    Lost(DriverCode),
}

impl Gpu {
    /// The process-wide `Gpu` on the first device, made on first use. The slice functions, such as [`gpu_sum`](crate::gpu_sum), work on
    /// this `Gpu`. If its context was lost, the next call of this function asks the driver for a new context.
    ///
    /// ```
    /// use warpfold::{Gpu, Sum, reduce};
    ///
    /// # fn main() -> warpfold::Result<()> {
    /// assert_eq!(reduce::<Sum, _>(&[1u32, 2, 3]).wait(Gpu::global()?)?, 6);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Self::new`]. A failure is not remembered: the next call tries again.
    pub fn global() -> Result<&'static Self> {
        static GLOBAL: OnceLock<Gpu> = OnceLock::new();
        static MAKING: Mutex<()> = Mutex::new(());
        refuse_in_child()?;
        if let Some(gpu) = GLOBAL.get() {
            return gpu.renewed();
        }
        let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        match GLOBAL.get() {
            Some(gpu) => gpu.renewed(),
            None => Self::new().map(|gpu| GLOBAL.get_or_init(|| gpu)),
        }
    }

    /// Runs `work` with the context current.
    pub(crate) fn enter<R>(&self, work: impl FnOnce(Entered<'_>) -> Result<R>) -> Result<R> {
        let core = self.core()?;
        let result = match core.visit() {
            Ok(visit) => {
                let result = work(visit.entered());
                visit.end(result)
            }
            Err(error) => Err(error),
        };
        self.watch(&core, result)
    }

    /// Releases `core` if `result` shows that its context is lost.
    pub(super) fn watch<R>(&self, core: &Arc<Core>, result: Result<R>) -> Result<R> {
        if let Err(Error::Driver { code, .. }) = &result
            && code.is_sticky()
        {
            core.note_loss(*code);
            self.lose(core, *code);
        }
        result
    }

    pub(super) fn core(&self) -> Result<Arc<Core>> {
        refuse_in_child()?;
        match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Alive(core) => Ok(Arc::clone(core)),
            State::Lost(code) => Err(Error::Poisoned { code: *code }),
        }
    }

    /// Releases a core whose context is lost.
    #[cold]
    fn lose(&self, core: &Arc<Core>, code: DriverCode) {
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let gone = match &*state {
            State::Alive(alive) if Arc::ptr_eq(alive, core) => {
                Some(mem::replace(&mut *state, State::Lost(code)))
            }
            _ => None,
        };
        drop(state);
        // The drop makes driver calls, so no lock is held here.
        drop(gone);
    }

    /// This `Gpu`. If its context is known to be lost, it gets a new context first.
    fn renewed(&self) -> Result<&Self> {
        let is_alive = |state: &State| matches!(state, State::Alive(_));
        if is_alive(&self.state.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(self);
        }
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if !is_alive(&state) {
            let core = Core::new(self.device, Arc::clone(&self.properties))?;
            *state = State::Alive(Arc::new(core));
        }
        Ok(self)
    }
}

/// A reference to a device's primary context, and the resources that are kept in it for calls.
#[derive(Debug)]
pub(super) struct Core {
    /// Dropped while the context is current. Leaked if the context cannot be made current.
    kept: ManuallyDrop<Kept>,
    pub context: PrimaryContext,
    properties: Arc<Properties>,
    /// Identifies the context, and records whether it was destroyed. Everything that was kept in a destroyed context is gone.
    generation: Generation,
}

impl Core {
    /// Retains the device's primary context, and checks that it is alive.
    pub fn new(device: Device, properties: Arc<Properties>) -> Result<Self> {
        let lost = |Failure { call, code }| match code.is_sticky() {
            true => Error::ContextLost { call, code },
            false => Error::Driver { call, code },
        };
        let context = PrimaryContext::retain(device).map_err(lost)?;
        let bound = context.bind()?;
        // The context may be lost already, while other code in the process still holds it. Then the query of the device's free memory
        // fails.
        let alive = driver::free_bytes().map_err(lost);
        bound.unbind()?;
        alive?;
        Ok(Self {
            kept: ManuallyDrop::new(Kept::new()),
            context,
            properties,
            generation: Generation::default(),
        })
    }

    /// Records that the context was destroyed, if `code` says so.
    pub fn note_loss(&self, code: DriverCode) {
        if code == DriverCode::CONTEXT_IS_DESTROYED {
            self.generation.note_destroyed();
        }
    }

    /// Begins a [`Visit`] on this thread.
    #[inline]
    pub fn visit(&self) -> Result<Visit<'_>> {
        let bound = self.context.bind()?;
        Ok(Visit {
            core: self,
            unconcerned: Unconcerned::begin()?,
            bound,
        })
    }
}

/// While this exists, the context is current on this thread, and captures do not forbid the thread's driver calls.
pub(super) struct Visit<'core> {
    core: &'core Core,
    // Dropped before `bound`.
    unconcerned: Unconcerned,
    bound: Bound<'core>,
}

impl<'core> Visit<'core> {
    pub fn entered(&self) -> Entered<'core> {
        Entered { core: self.core }
    }

    /// Restores the thread's previous state, and may free surplus workspaces. If the work failed, this returns the work's error, even if
    /// restoring fails too.
    #[inline]
    pub fn end<R>(self, result: Result<R>) -> Result<R> {
        let workspaces = &self.core.kept.workspaces;
        if workspaces.is_crowded.load(Ordering::Relaxed) {
            workspaces.tidy();
        }
        let (concerned, unbound) = (self.unconcerned.end(), self.bound.unbind());
        let value = result?;
        concerned?;
        unbound?;
        Ok(value)
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // The handles of a destroyed context are invalid, and NVIDIA's driver does not check them.
        if self.generation.is_destroyed() {
            return;
        }
        // A drop cannot report failures. A lost context frees all its resources when it ends. Binding is tried twice, since nothing can be
        // freed without a current context.
        if let Ok(bound) = self.context.bind().or_else(|_| self.context.bind()) {
            let unconcerned = Unconcerned::begin();
            // Freeing memory waits for all work. `cuCtxSynchronize` would wait too, but would end captures.
            self.kept.trim();
            self.kept.workspaces.clear();
            // Queued launches used some of the freed memory, so freeing it has waited for them. Waiting calls have waited for their own
            // launches. So no kernel is running when the kernels are unloaded.
            // SAFETY: `self` is being dropped, and does not use `kept` after this.
            unsafe { ManuallyDrop::drop(&mut self.kept) };
            drop(unconcerned);
            let _ = bound.unbind();
        }
    }
}

/// A [`Gpu`](super::Gpu) whose context is current on this thread.
#[derive(Clone, Copy)]
pub(crate) struct Entered<'gpu> {
    core: &'gpu Core,
}

impl<'gpu> Entered<'gpu> {
    /// Checks that the memory at `address` belongs to the context.
    pub fn check_memory(self, argument: Argument, address: Address) -> Result<()> {
        let context = &self.core.context;
        match driver::is_memory_of(address, context.handle(), context.device())? {
            true => Ok(()),
            false => Err(Error::ForeignMemory { argument, address }),
        }
    }

    /// The loaded kernel. Compiles it on its first use.
    pub fn kernel(self, entry: &'static Entry) -> Result<&'gpu LoadedKernel> {
        self.kernel_in(entry, Way::Plain.form())
    }

    /// The loaded kernel in this form. Compiles it on its first use.
    pub fn kernel_in(self, entry: &'static Entry, form: Form) -> Result<&'gpu LoadedKernel> {
        let kernels = &self.core.kept.kernels;
        kernels.get(entry, form, &self.core.properties)
    }

    /// The number of the device's multiprocessors.
    pub fn multiprocessors(self) -> u32 {
        self.core.properties.multiprocessors
    }

    /// The slot of a stream, for [`Self::known`].
    pub fn slot(self, stream: Stream<'_>) -> Arc<StreamSlot> {
        let kept = &self.core.kept;
        kept.streams.find(stream.key(), &kept.workspaces)
    }

    /// Locks the record of the slot's stream, and checks that the stream belongs to the context. `capture` is the stream's capture, if
    /// there is one. While one call holds the lock, other calls on the same stream wait in this function. So the holder should only queue
    /// work.
    pub fn known<'slot>(
        self,
        slot: &'slot StreamSlot,
        stream: Stream<'_>,
        capture: Option<Capture>,
    ) -> Result<MutexGuard<'slot, KnownStream>> {
        slot.lock(
            stream,
            capture,
            &self.core.context,
            &self.core.kept.workspaces,
        )
    }

    /// A workspace for a stream's launches. It is large enough for `need`.
    pub fn workspace(
        self,
        scratch: &mut Scratch,
        stream: Stream<'_>,
        need: Need,
    ) -> Result<WorkspaceSpan> {
        match scratch.ready(need) {
            Some(workspace) => Ok(workspace),
            None => self.with_room(|| scratch.grow(stream, need, &self.core.kept.workspaces)),
        }
    }

    /// A workspace for the launches that are captured on a stream. It is large enough for `need`.
    pub fn captured_workspace(
        self,
        known: &mut KnownStream,
        capture: Capture,
        need: Need,
    ) -> Result<WorkspaceSpan> {
        known.captured_workspace(capture, need, |need| {
            let mut aside = self.call()?;
            aside.begin();
            let workspaces = &self.core.kept.workspaces;
            self.with_room(|| workspaces.lease(capture, aside.stream(), need))
        })
    }

    /// The records of the program's streams.
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

    /// A stream for a call that waits. Its work runs after the work that is queued on the default stream.
    pub fn ordered_call(self) -> Result<Call<'gpu>> {
        let mut call = self.call()?;
        driver::check_default_stream()?;
        call.begin().come_after_default_stream()?;
        Ok(call)
    }

    /// A transfer lane for a piece of at most `piece_bytes` bytes.
    pub fn lane(self, piece_bytes: usize) -> Result<TransferLane<'gpu>> {
        self.with_room(|| self.core.kept.lanes.take(self.home(), piece_bytes))
    }

    /// At least one and at most `most` transfer lanes for pieces of `piece_bytes` bytes. There are fewer than `most` lanes if other calls
    /// have taken too many, or if memory is short.
    pub fn lanes(self, most: usize, piece_bytes: usize) -> Result<Vec<TransferLane<'gpu>>> {
        self.with_room(|| {
            self.core
                .kept
                .lanes
                .take_some(self.home(), most, piece_bytes)
        })
    }

    /// Calls `make`. If there is too little memory, frees what [`Self::trim`] frees, and calls `make` once more.
    pub fn with_room<R>(self, mut make: impl FnMut() -> Result<R>) -> Result<R> {
        match make() {
            Err(Error::OutOfMemory { .. } | Error::OutOfHostMemory { .. }) => {
                self.core.kept.trim();
                make()
            }
            other => other,
        }
    }

    /// Frees everything that no call is using, except kernels and the workspaces of graphs.
    pub fn trim(self) {
        self.core.kept.trim();
    }

    /// The context's generation, for values that are [tied](super::tied::Tied) to it.
    #[cfg(feature = "nccl")]
    pub fn generation(self) -> &'gpu Generation {
        &self.core.generation
    }

    /// The context.
    pub fn home(self) -> Context {
        self.core.context.handle()
    }
}
