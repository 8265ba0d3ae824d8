//! The way between ranks of several processes, on one machine or several: NCCL.
//!
//! Communicators do not block: NCCL's calls return at once, and this asks how far they are until they are done or the
//! limit is over. Then the communicator is aborted, which ends whatever of it is on the device. Bytes of the host travel through
//! page-locked memory, which NCCL's kernels read and write.

mod library;

use std::ffi::c_int;
use std::fmt;
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

use self::library::{BYTES, Config, Functions, IN_PROGRESS, RawCommunicator, RawId};
use super::Fault;
use super::transport::{Local, Parcel, Transport};
use crate::driver::Stream;
use crate::error::{Error, Result};
use crate::gpu::{Gpu, PinnedMemory};

pub(super) use self::library::ID_BYTES;

/// How long is asked again and again, before there are pauses.
const EAGER: Duration = Duration::from_micros(200);

/// The pauses between questions.
const PAUSE: Duration = Duration::from_micros(50);

/// The fewest bytes of page-locked memory.
const LEAST_BYTES: usize = 64 << 10;

/// Asks NCCL for an id.
pub(super) fn unique_id() -> Result<[u8; ID_BYTES], Fault> {
    let functions = Functions::find()?;
    let mut id = RawId([0; ID_BYTES]);
    // SAFETY: the pointer is to a live local.
    let code = unsafe { (functions.get_unique_id)(&mut id) };
    functions.check("ncclGetUniqueId", code)?;
    Ok(id.0)
}

/// One rank's way to the others.
pub(super) struct Nccl<'gpu> {
    functions: &'static Functions,
    /// None when it is aborted.
    communicator: Option<Communicator>,
    rank: usize,
    size: usize,
    gpu: &'gpu Gpu,
    limit: Duration,
    /// What the host sends and gets.
    buffer: Option<Buffer>,
}

/// NCCL's name for a rank's way.
#[derive(Clone, Copy)]
struct Communicator(RawCommunicator);

// SAFETY: NCCL lets any thread use a communicator, one at a time; `Nccl` is used by one at a time.
unsafe impl Send for Communicator {}

/// Page-locked memory of so many bytes.
struct Buffer {
    memory: PinnedMemory,
    bytes: usize,
}

impl<'gpu> Nccl<'gpu> {
    /// Joins the group of this id. Waits for the others, no longer than the limit.
    pub fn join(
        gpu: &'gpu Gpu,
        id: [u8; ID_BYTES],
        rank: usize,
        size: usize,
        limit: Duration,
    ) -> Result<Self> {
        let functions = Functions::find()?;
        let number = |number: usize| c_int::try_from(number).unwrap_or(c_int::MAX);
        gpu.enter(|_| {
            let mut nccl = Self {
                functions,
                communicator: None,
                rank,
                size,
                gpu,
                limit,
                buffer: None,
            };
            let mut communicator = ptr::null_mut();
            let mut config = Config::not_blocking();
            // SAFETY: the pointers are to live locals. A context is current.
            let code = unsafe {
                (functions.init_rank)(
                    &mut communicator,
                    number(size),
                    RawId(id),
                    number(rank),
                    &mut config,
                )
            };
            if !communicator.is_null() {
                nccl.communicator = Some(Communicator(communicator));
            }
            let begun = functions.check("ncclCommInitRankConfig", code);
            let joined = begun
                .map_err(Error::from)
                .and_then(|()| nccl.poll("ncclCommInitRankConfig", limit, || Ok(true)));
            match joined {
                Ok(()) => Ok(nccl),
                Err(error) => {
                    nccl.abort();
                    Err(error)
                }
            }
        })
    }

    fn communicator(&self) -> Result<RawCommunicator, Fault> {
        let communicator = self.communicator.ok_or(Fault::Dissolved)?;
        Ok(communicator.0)
    }

    /// Waits until NCCL is done with a call, and `is_done` too.
    fn poll(
        &self,
        call: &'static str,
        limit: Duration,
        is_done: impl Fn() -> Result<bool>,
    ) -> Result<()> {
        let begin = Instant::now();
        loop {
            let mut state = IN_PROGRESS;
            // SAFETY: the pointer is to a live local, and the communicator is not aborted.
            let asked = unsafe { (self.functions.async_error)(self.communicator()?, &mut state) };
            self.functions.check("ncclCommGetAsyncError", asked)?;
            self.functions.check(call, state)?;
            if state != IN_PROGRESS && is_done()? {
                return Ok(());
            }
            let passed = begin.elapsed();
            if passed >= limit {
                return Err(Fault::TimedOut {
                    limit,
                    missing: Vec::new(),
                }
                .into());
            }
            match passed < EAGER {
                true => std::hint::spin_loop(),
                false => thread::sleep(PAUSE.min(limit - passed)),
            }
        }
    }

    /// Makes a call of NCCL's that queues something on the stream, and waits for it. If that fails, aborts.
    fn carry_out(
        &mut self,
        call: &'static str,
        local: Local<'_>,
        queue: impl FnOnce(&Functions, RawCommunicator, Stream<'_>) -> c_int,
    ) -> Result<()> {
        let queued = self.communicator().and_then(|communicator| {
            let code = queue(self.functions, communicator, local.stream);
            self.functions.check(call, code)
        });
        let done = queued
            .map_err(Error::from)
            .and_then(|()| self.poll(call, local.limit, || Ok(local.stream.is_done()?)));
        if done.is_err() {
            self.abort();
        }
        done
    }

    /// Page-locked memory for so many bytes.
    fn buffer(&mut self, local: Local<'_>, bytes: usize) -> Result<&mut Buffer> {
        let kept = self.buffer.take().filter(|buffer| buffer.bytes >= bytes);
        let buffer = match kept {
            Some(buffer) => buffer,
            None => {
                let bytes = bytes.max(LEAST_BYTES).next_power_of_two();
                let memory = local.entered.with_room(|| PinnedMemory::allocate(bytes))?;
                Buffer { memory, bytes }
            }
        };
        // It goes with its context, which somebody may have reset.
        buffer.memory.check()?;
        Ok(self.buffer.insert(buffer))
    }
}

impl Buffer {
    /// The bytes, while nothing on the device uses them.
    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the memory is so long and this owner's alone; what NCCL does with it is done, or aborted, when its call returns.
        unsafe { std::slice::from_raw_parts_mut(self.memory.start().as_ptr(), self.bytes) }
    }
}

impl Transport for Nccl<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn all_gather(&mut self, local: Local<'_>, mine: &[u8]) -> Result<Vec<u8>> {
        let all_bytes = mine.len() * self.size;
        let buffer = match self.buffer(local, mine.len() + all_bytes) {
            Ok(buffer) => buffer,
            Err(error) => {
                self.abort();
                return Err(error);
            }
        };
        // The bytes of all, and behind them this rank's.
        buffer.bytes()[all_bytes..][..mine.len()].copy_from_slice(mine);
        let all = buffer.memory.address();
        self.carry_out("ncclAllGather", local, |functions, communicator, stream| {
            // SAFETY: page-locked memory of these lengths, which the device reaches at these addresses and nobody else uses
            // before the stream has done this.
            unsafe {
                (functions.all_gather)(
                    (all + all_bytes as u64) as *const _,
                    all as *mut _,
                    mine.len(),
                    BYTES,
                    communicator,
                    stream.handle(),
                )
            }
        })?;
        let gathered = self.buffer(local, all_bytes)?;
        Ok(gathered.bytes()[..all_bytes].to_vec())
    }

    fn exchange(&mut self, local: Local<'_>, sends: &[Parcel], receives: &[Parcel]) -> Result<()> {
        if sends.is_empty() && receives.is_empty() {
            return Ok(());
        }
        self.carry_out("ncclGroupEnd", local, |functions, communicator, stream| {
            // SAFETY: no pointers.
            let mut code = unsafe { (functions.group_start)() };
            for parcel in sends {
                // SAFETY: memory of this rank's device of that length, which nobody changes before the stream has done this.
                let sent = unsafe {
                    (functions.send)(
                        parcel.address as *const _,
                        parcel.bytes as usize,
                        BYTES,
                        parcel.peer as c_int,
                        communicator,
                        stream.handle(),
                    )
                };
                code = first_failure(code, sent);
            }
            for parcel in receives {
                // SAFETY: as above, and nobody else uses it.
                let received = unsafe {
                    (functions.receive)(
                        parcel.address as *mut _,
                        parcel.bytes as usize,
                        BYTES,
                        parcel.peer as c_int,
                        communicator,
                        stream.handle(),
                    )
                };
                code = first_failure(code, received);
            }
            // SAFETY: no pointers.
            let ended = unsafe { (functions.group_end)() };
            first_failure(code, ended)
        })
    }

    fn abort(&mut self) {
        if let Some(Communicator(communicator)) = self.communicator.take() {
            // SAFETY: the communicator is not used again. A failure leaves nothing that could be done.
            let _ = unsafe { (self.functions.abort)(communicator) };
        }
    }
}

/// The first of two results that is a failure.
fn first_failure(first: c_int, second: c_int) -> c_int {
    match first {
        library::SUCCESS | IN_PROGRESS => second,
        _ => first,
    }
}

impl Drop for Nccl<'_> {
    fn drop(&mut self) {
        let ended = self.gpu.enter(|_| {
            drop(self.buffer.take());
            if let Ok(communicator) = self.communicator() {
                // SAFETY: the communicator is not used for calls again.
                let code = unsafe { (self.functions.finalize)(communicator) };
                self.functions.check("ncclCommFinalize", code)?;
                self.poll("ncclCommFinalize", self.limit, || Ok(true))?;
                self.communicator = None;
                // SAFETY: it is finalized, and not used again.
                let code = unsafe { (self.functions.destroy)(communicator) };
                self.functions.check("ncclCommDestroy", code)?;
            }
            Ok(())
        });
        if ended.is_err() {
            self.abort();
        }
    }
}

impl fmt::Debug for Nccl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nccl")
            .field("rank", &self.rank)
            .field("size", &self.size)
            .field("is_aborted", &self.communicator.is_none())
            .finish_non_exhaustive()
    }
}
