//! The library's own streams, and the workspaces of a stream's launches.
//!
//! Calls that wait use the library's own streams. Each of these streams serves one call at a time. It is not ordered with the default
//! stream, so captures of other streams do not affect it. If a call has to run after the program's queued work, the call's stream waits for
//! an event.

use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::shelf::Loan;
use super::workspace::{Need, Workspace, WorkspaceSpan, Workspaces};
use crate::driver::{self, Address, Context, Event, OwnStream, PinnedMemory, Stream};
use crate::error::{Error, Result};
use crate::kernel::RESULT_MAX_BYTES;

/// A stream, with an event, and memory for a call's launches and result.
#[derive(Debug)]
pub(crate) struct CallStream {
    // Dropped first. The drop waits for the stream's work, so nothing uses the other fields afterwards.
    stream: OwnStream,
    event: Event,
    scratch: Mutex<Scratch>,
    /// Page-locked, so that a kernel can write its result straight to the host.
    result: OnceLock<PinnedMemory>,
    /// The context in which the stream, the event and the memory were made.
    home: Context,
}

/// A call stream in use by a call. A drop waits for the call's queued work.
#[derive(Debug)]
pub(crate) struct Call<'gpu> {
    stream: Loan<'gpu, CallStream>,
    /// Whether unfinished work may be on the stream.
    is_busy: bool,
}

impl CallStream {
    /// Makes a stream in the context `home`, which has to be current.
    pub fn new(home: Context) -> Result<Self> {
        check_current(home)?;
        Ok(Self {
            stream: OwnStream::create()?,
            event: Event::new()?,
            scratch: Mutex::default(),
            result: OnceLock::new(),
            home,
        })
    }

    /// Checks that the context is still current.
    pub fn check_home(&self) -> Result<()> {
        check_current(self.home)
    }

    pub fn stream(&self) -> Stream<'_> {
        self.stream.as_stream()
    }

    /// The workspaces of the stream's launches.
    pub fn scratch(&self) -> MutexGuard<'_, Scratch> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Later work on this stream waits for the work that is queued on `other`.
    pub fn come_after(&self, other: Stream<'_>) -> Result<()> {
        self.event.record(other)?;
        Ok(self.event.hold_up(self.stream())?)
    }

    /// Later work on `other` waits for the work that is queued on this stream.
    pub fn come_before(&self, other: Stream<'_>) -> Result<()> {
        self.event.record(self.stream())?;
        Ok(self.event.hold_up(other)?)
    }

    /// Later work on this stream waits for the work that is queued on the default stream. This includes the work of all streams that are
    /// ordered with the default stream, such as `cust`'s.
    ///
    /// Call [`driver::check_default_stream`] first. If another thread begins to capture one of these streams after that check, this call
    /// ends the capture. The driver has no call that checks and records at once.
    pub fn come_after_default_stream(&self) -> Result<()> {
        self.event
            .record(Stream::DEFAULT)
            .map_err(driver::in_capture)?;
        Ok(self.event.hold_up(self.stream())?)
    }

    /// The address to which the device writes the call's result.
    pub fn result(&self) -> Result<Address> {
        self.result_memory().map(PinnedMemory::address)
    }

    fn result_memory(&self) -> Result<&PinnedMemory> {
        match self.result.get() {
            Some(memory) => Ok(memory),
            None => {
                let memory = PinnedMemory::allocate(RESULT_MAX_BYTES)?;
                Ok(self.result.get_or_init(|| memory))
            }
        }
    }

    /// Writes a number to the result's memory. Call this before queueing the work that uses the number.
    pub fn write_number(&self, number: u64) -> Result<()> {
        let start: NonNull<u64> = self.result_memory()?.start().cast();
        // SAFETY: the memory is page-locked, so it begins at a page boundary. Its `RESULT_MAX_BYTES` bytes have room for a number. Nobody
        // else uses it: the call has the stream to itself, and no queued work uses the memory. The write is volatile because the compiler
        // does not know that the device reads the number.
        unsafe { start.write_volatile(number) };
        Ok(())
    }

    /// Queues a copy of at most [`RESULT_MAX_BYTES`] bytes from device memory to the result's memory.
    pub fn copy_to_result(&self, from: Address, bytes: usize) -> Result<()> {
        let to = self.result_memory()?.start();
        let bytes = bytes.min(RESULT_MAX_BYTES);
        // SAFETY: `to` has `RESULT_MAX_BYTES` writable bytes of page-locked memory. Nobody else uses these bytes: the call has the stream
        // to itself, and reads the bytes only after it has waited for the stream. The memory is kept as long as the stream.
        unsafe { driver::queue_copy_to_host(to, from, bytes, self.stream()) }?;
        Ok(())
    }

    /// Reads a result that is a number.
    ///
    /// # Safety
    ///
    /// The work that writes the number to the result's memory is done.
    pub unsafe fn read_number(&self) -> Result<u64> {
        let mut number = [0; size_of::<u64>()];
        debug_assert!(number.len() <= RESULT_MAX_BYTES);
        // SAFETY: the work that writes the number is done: this function's condition. A number has at most `RESULT_MAX_BYTES` bytes.
        unsafe { self.read_result_to(&mut number) }?;
        Ok(u64::from_ne_bytes(number))
    }

    /// Reads the bytes of the result.
    ///
    /// # Safety
    ///
    /// - The work that writes the result is done.
    /// - `result` has at most [`RESULT_MAX_BYTES`] bytes, as the results of every kernel row have.
    pub unsafe fn read_result_to(&self, result: &mut [u8]) -> Result<()> {
        debug_assert!(result.len() <= RESULT_MAX_BYTES);
        let start = self.result_memory()?.start();
        for (index, byte) in result.iter_mut().enumerate() {
            // SAFETY: the memory has `RESULT_MAX_BYTES` bytes, and `result` has at most as many (condition 2). The device's writes are done
            // (condition 1). The read is volatile because the compiler does not know of those writes.
            *byte = unsafe { start.add(index).read_volatile() };
        }
        Ok(())
    }
}

fn check_current(context: Context) -> Result<()> {
    match driver::is_current(context)? {
        true => Ok(()),
        false => Err(Error::ContextChanged),
    }
}

impl<'gpu> Call<'gpu> {
    pub(super) fn new(stream: Loan<'gpu, CallStream>) -> Result<Self> {
        stream.check_home()?;
        Ok(Self {
            stream,
            is_busy: false,
        })
    }

    /// A shared reference to the stream, for waiting.
    pub fn share(&self) -> Arc<CallStream> {
        self.stream.share()
    }

    /// The stream. Call this before queueing work on it, so that the drop of this `Call` waits for the work.
    pub fn begin(&mut self) -> &CallStream {
        self.is_busy = true;
        &self.stream
    }

    /// Waits for the stream's work, then reads the number at this device address.
    pub fn number_at(&mut self, address: Address) -> Result<u64> {
        let to = self.result_memory()?.start();
        // SAFETY: the result's memory has room for a number. The call has the stream to itself, and the stream's work runs in order. So
        // nobody else uses the memory during the copy. `wait` below waits for the end of the copy.
        unsafe {
            let stream = self.begin().stream();
            driver::queue_copy_to_host(to, address, size_of::<u64>(), stream)?;
        }
        self.wait()?;
        // SAFETY: `wait` has waited for the copy, which wrote the number.
        unsafe { self.read_number() }
    }

    /// Waits for the stream's work.
    pub fn wait(&mut self) -> Result<()> {
        self.stream.stream().synchronize()?;
        self.is_busy = false;
        Ok(())
    }
}

impl Deref for Call<'_> {
    type Target = CallStream;

    fn deref(&self) -> &CallStream {
        &self.stream
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        if self.is_busy && self.stream.stream().synchronize().is_err() {
            self.stream.discard();
        }
    }
}

/// The workspaces of one stream's launches.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    workspace: Option<Workspace>,
    outgrown: Vec<Workspace>,
    /// Whether all launches of the last call were queued.
    progress: Progress,
}

/// Whether all launches of a call are queued.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All launches are queued.
    #[default]
    Complete,
    /// Some launches may be queued, others are not.
    Halfway,
}

impl Scratch {
    /// Begins a call. If the previous call failed halfway, the launches that it did not queue took no tickets. So the ticket counter of its
    /// workspace was not reset, and this call gets another workspace.
    pub fn begin_call(&mut self) {
        if self.progress == Progress::Halfway {
            self.progress = Progress::Complete;
            // Freeing the workspace waits for the work that uses it.
            self.workspace = None;
        }
    }

    /// Records whether all launches of a call are queued.
    pub fn set_progress(&mut self, progress: Progress) {
        self.progress = progress;
    }

    /// The stream's workspace, if there is one and it is large enough.
    #[inline]
    pub(super) fn ready(&self, need: Need) -> Option<WorkspaceSpan> {
        let span = self.workspace.as_ref()?.span;
        need.is_met(&span).then_some(span)
    }

    /// Gives the stream a workspace that is large enough. The present workspace, if there is one, is too small.
    #[cold]
    pub(super) fn grow(
        &mut self,
        stream: Stream<'_>,
        need: Need,
        workspaces: &Workspaces,
    ) -> Result<WorkspaceSpan> {
        let workspace = match self.workspace.take() {
            None => workspaces.take(stream, need)?,
            Some(outgrown) => {
                let grown = workspaces.take(stream, need.after(&outgrown.span));
                match grown.is_ok() {
                    true => self.outgrown.push(outgrown),
                    false => self.workspace = Some(outgrown),
                }
                grown?
            }
        };
        Ok(self.workspace.insert(workspace).span)
    }

    /// Gives up all workspaces. Queued work may still use them.
    pub fn give_up(&mut self) -> impl Iterator<Item = Workspace> {
        self.outgrown.drain(..).chain(self.workspace.take())
    }
}
