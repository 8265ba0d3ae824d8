//! The transport between ranks of several processes, on one machine or several: NCCL.
//!
//! Communicators do not block: NCCL's calls return at once, and this module polls the communicator until the call is done or the time limit
//! has passed. After a timeout, this module aborts the communicator. This ends the communicator's work on the device. NCCL's kernels read
//! and write messages in page-locked memory.
//!
//! **Late ranks.** NCCL keeps a sent message in buffers of its own on the receiver's device, even after the sender has given up. So a rank
//! that comes far too late still finds the message. Therefore the envelope of each message has two times: when the sending rank came to the
//! call, and when this rank gives up waiting. From these times, all ranks see which ranks were too late. A rank counts both times from the
//! moment at which it had received all messages of the previous all-gather. Every rank has such a moment, and the ranks' moments are close
//! together. So the times of different ranks can be compared. The error is at most the time between the ranks' moments.

mod library;

use std::ffi::c_int;
use std::fmt;
use std::ptr;
use std::thread;
use std::time::{Duration, Instant};

use self::library::{BYTES, Config, Functions, IN_PROGRESS, RawCommunicator, RawId};
use super::Fault;
use super::post::{ENVELOPE_BYTES, Post};
use super::transport::{Local, Parcel, Transport};
use crate::driver::{self, Event, Stream};
use crate::error::{Error, Result};
use crate::gpu::{Generation, Gpu, Tied, refuse_in_child};

pub(super) use self::library::ID_BYTES;

/// How long to poll without pauses.
const EAGER: Duration = Duration::from_micros(200);

/// The pause between later polls.
const PAUSE: Duration = Duration::from_micros(50);

/// Asks NCCL for an id.
pub(super) fn unique_id() -> Result<[u8; ID_BYTES], Fault> {
    let functions = Functions::find()?;
    let mut id = RawId([0; ID_BYTES]);
    // SAFETY: the pointer is to a live local.
    let code = unsafe { (functions.get_unique_id)(&mut id) };
    functions.check("ncclGetUniqueId", code)?;
    Ok(id.0)
}

/// One rank's transport over NCCL.
pub(super) struct Nccl<'gpu> {
    functions: &'static Functions,
    /// `None` before NCCL has made the communicator, and after it was finalized or aborted.
    communicator: Option<Communicator>,
    rank: usize,
    size: usize,
    gpu: &'gpu Gpu,
    limit: Duration,
    /// The moment from which the times of the next envelope are counted: when the previous all-gather ended, or when the rank joined if
    /// there was no all-gather yet.
    met: Instant,
    /// The context in which the communicator lives.
    generation: Generation,
    /// Recorded on the stream after the rank's own work.
    own_work: Option<Tied<Event>>,
}

/// NCCL's communicator of a rank.
#[derive(Clone, Copy)]
struct Communicator(RawCommunicator);

// SAFETY: NCCL lets any thread use a communicator, one thread at a time. `Nccl` is not `Sync`, so only one thread at a time uses its
// communicator.
unsafe impl Send for Communicator {}

/// The progress of a stream's queued work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The rank's own work is under way.
    OwnWork,
    /// NCCL is waiting for other ranks, or is copying.
    Carrying,
    Done,
}

impl<'gpu> Nccl<'gpu> {
    /// Joins the group of this id. Waits for the other ranks, but no longer than the limit.
    pub fn join(
        gpu: &'gpu Gpu,
        id: [u8; ID_BYTES],
        rank: usize,
        size: usize,
        limit: Duration,
    ) -> Result<Self> {
        let functions = Functions::find()?;
        let number = |number: usize| c_int::try_from(number).unwrap_or(c_int::MAX);
        gpu.enter(|entered| {
            let mut nccl = Self {
                functions,
                communicator: None,
                rank,
                size,
                gpu,
                limit,
                met: Instant::now(),
                generation: entered.generation().clone(),
                own_work: None,
            };
            let mut communicator = ptr::null_mut();
            let mut config = Config::not_blocking();
            // SAFETY: the pointers are to live locals, and `config` states its own size. A context is current.
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
                .and_then(|()| nccl.wait_for("ncclCommInitRankConfig", limit));
            match joined {
                Ok(()) => {
                    nccl.met = Instant::now();
                    Ok(nccl)
                }
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

    /// Waits until NCCL is done with a call that queues nothing, but no longer than the limit.
    fn wait_for(&self, call: &'static str, limit: Duration) -> Result<()> {
        let communicator = self.communicator()?;
        Self::poll(self.functions, communicator, call, limit, || {
            Ok(Stage::Done)
        })
    }

    /// Waits until NCCL and the stream are done with a call. The limit counts from the end of the rank's own work.
    fn poll(
        functions: &Functions,
        communicator: RawCommunicator,
        call: &'static str,
        limit: Duration,
        stage: impl Fn() -> Result<Stage>,
    ) -> Result<()> {
        let mut begin = Instant::now();
        loop {
            let mut state = IN_PROGRESS;
            // SAFETY: the pointer is to a live local. The communicator is not aborted: `communicator()` has just returned it, and `abort`
            // cannot run while the caller borrows the `Nccl`.
            let asked = unsafe { (functions.async_error)(communicator, &mut state) };
            functions.check("ncclCommGetAsyncError", asked)?;
            functions.check(call, state)?;
            // `stage` calls the driver. While `state` is `IN_PROGRESS`, NCCL's own thread queues work. In this state, `stage` is called
            // only after the limit has passed.
            let mut passed = begin.elapsed();
            if state != IN_PROGRESS || passed >= limit {
                match stage()? {
                    Stage::Done if state != IN_PROGRESS => return Ok(()),
                    Stage::OwnWork => (begin, passed) = (Instant::now(), Duration::ZERO),
                    Stage::Done | Stage::Carrying => {}
                }
            }
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

    /// Makes an NCCL call that queues work on the stream, and waits for this work. Aborts the communicator if the call or the wait fails.
    fn carry_out(
        &mut self,
        call: &'static str,
        local: Local<'_>,
        queue: impl FnOnce(&Functions, RawCommunicator, Stream<'_>) -> c_int,
    ) -> Result<()> {
        let done = self.queue_and_wait(call, local, queue);
        if done.is_err() {
            self.abort();
        }
        done
    }

    fn queue_and_wait(
        &mut self,
        call: &'static str,
        local: Local<'_>,
        queue: impl FnOnce(&Functions, RawCommunicator, Stream<'_>) -> c_int,
    ) -> Result<()> {
        let entered = local.entered;
        if !self.generation.is(entered.generation()) {
            return Err(Fault::Dissolved.into());
        }
        let communicator = self.communicator()?;
        if self.own_work.is_none() {
            self.own_work = Some(Tied::new(entered, Event::new()?));
        }
        let own_work = self.own_work.as_mut().and_then(|event| event.of(entered));
        let own_work = own_work.ok_or(Fault::Dissolved)?;
        own_work.record(local.stream)?;
        let code = queue(self.functions, communicator, local.stream);
        self.functions.check(call, code)?;
        let own_work = &*own_work;
        Self::poll(self.functions, communicator, call, local.limit, || {
            let is_own_work = !own_work.is_reached()?;
            Ok(match local.stream.is_done()? {
                true => Stage::Done,
                false if is_own_work => Stage::OwnWork,
                false => Stage::Carrying,
            })
        })
    }

    /// Whether the communicator's memory on the device still exists. It does not exist in a forked process, or after the context was
    /// destroyed. In both cases an abort would free memory that may belong to other code.
    fn is_there(&self) -> bool {
        if refuse_in_child().is_err() {
            return false;
        }
        let mut is_another = false;
        // The `Gpu` notices only at a driver call that a context was destroyed. The result of this call, the number of free bytes, is not
        // used.
        let _ = self.gpu.enter(|entered| {
            is_another = !self.generation.is(entered.generation());
            Ok(driver::free_bytes()?)
        });
        !is_another && !self.generation.is_destroyed()
    }

    /// The envelope of this rank's next message.
    fn envelope(&self, limit: Duration) -> [u8; ENVELOPE_BYTES] {
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let came = self.met.elapsed();
        let mut envelope = [0; ENVELOPE_BYTES];
        envelope[..8].copy_from_slice(&nanoseconds(came).to_ne_bytes());
        envelope[8..].copy_from_slice(&nanoseconds(came.saturating_add(limit)).to_ne_bytes());
        envelope
    }
}

/// The late ranks: according to the times in the messages, they came to the call after another rank had given up.
fn late_ranks<'a>(messages: impl Iterator<Item = &'a [u8]> + Clone) -> Vec<usize> {
    let number = |message: &[u8], at: usize| {
        let mut number = [0; 8];
        number.copy_from_slice(&message[at..][..8]);
        u64::from_ne_bytes(number)
    };
    let given_up = messages.clone().map(|message| number(message, 8)).min();
    let came = messages.map(|message| number(message, 0)).enumerate();
    came.filter(|&(_, came)| given_up.is_some_and(|given_up| came > given_up))
        .map(|(rank, _)| rank)
        .collect()
}

impl Transport for Nccl<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn all_gather(&mut self, local: Local<'_>, post: &mut Post, body_bytes: usize) -> Result<()> {
        let envelope = self.envelope(local.limit);
        // The rank's own work may still write the body, so only the envelope is written here.
        post.seal(&envelope);
        let (outgoing, incoming) = post.addresses();
        let message_bytes = Post::message_bytes(body_bytes);
        self.carry_out("ncclAllGather", local, |functions, communicator, stream| {
            // SAFETY: the communicator is not aborted, and the stream belongs to the communicator's context: `queue_and_wait` has checked
            // both conditions. The post has room for a message at the first address, and for the messages of all ranks at the second
            // address, in memory that the device reaches. The host does not use this memory before the stream is done, since `carry_out`
            // waits for the stream, or aborts the communicator.
            unsafe {
                (functions.all_gather)(
                    outgoing as *const _,
                    incoming as *mut _,
                    message_bytes,
                    BYTES,
                    communicator,
                    stream.handle(),
                )
            }
        })?;
        self.met = Instant::now();
        let late = late_ranks(post.incoming(body_bytes).chunks_exact(message_bytes));
        if late.is_empty() {
            return Ok(());
        }
        self.abort();
        Err(Fault::TimedOut {
            limit: local.limit,
            missing: late,
        }
        .into())
    }

    fn exchange(&mut self, local: Local<'_>, sends: &[Parcel], receives: &[Parcel]) -> Result<()> {
        if sends.is_empty() && receives.is_empty() {
            return Ok(());
        }
        self.carry_out("ncclGroupEnd", local, |functions, communicator, stream| {
            // SAFETY: the function has no arguments and no conditions.
            let mut code = unsafe { (functions.group_start)() };
            for parcel in sends {
                // SAFETY: the communicator and the stream are as for `all_gather`. A parcel is `bytes` bytes of this rank's device memory.
                // Nobody changes it before the stream is done, since `carry_out` waits for the stream, or aborts the communicator.
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
                // SAFETY: the communicator and the stream are as for `all_gather`. A parcel is `bytes` bytes of this rank's device memory.
                // Nobody reads or changes it before the stream is done, since `carry_out` waits for the stream, or aborts the communicator.
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
            // SAFETY: as for `group_start`.
            let ended = unsafe { (functions.group_end)() };
            first_failure(code, ended)
        })
    }

    fn abort(&mut self) {
        let is_there = self.is_there();
        // The communicator is taken in any case. If its context is gone, the communicator is leaked.
        if let Some(Communicator(communicator)) = self.communicator.take()
            && is_there
        {
            // SAFETY: NCCL created the communicator. It was taken out of `self`, so it is not used again. By `is_there`, its device memory
            // still exists. A failure is ignored, since nothing could be done about it.
            let _ = unsafe { (self.functions.abort)(communicator) };
        }
    }
}

/// Returns `first` if it is a failure, and `second` otherwise.
fn first_failure(first: c_int, second: c_int) -> c_int {
    match first {
        library::SUCCESS | IN_PROGRESS => second,
        _ => first,
    }
}

impl Drop for Nccl<'_> {
    fn drop(&mut self) {
        let ended = self.gpu.enter(|entered| {
            if let Some(own_work) = self.own_work.take() {
                own_work.end(entered);
            }
            if !self.is_there() {
                return Err(Fault::Dissolved.into());
            }
            if let Ok(communicator) = self.communicator() {
                // SAFETY: NCCL created the communicator, and it is not aborted. After this call it is only polled, and then destroyed or
                // aborted.
                let code = unsafe { (self.functions.finalize)(communicator) };
                self.functions.check("ncclCommFinalize", code)?;
                self.wait_for("ncclCommFinalize", self.limit)?;
                self.communicator = None;
                // SAFETY: the communicator is finalized: `wait_for` has waited for that. It was taken out of `self`, so it is not used
                // again.
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

#[cfg(test)]
mod tests {
    use super::late_ranks;

    /// A message whose rank came after `came` nanoseconds, and gives up after `gives_up`.
    fn message(came: u64, gives_up: u64) -> [u8; 20] {
        let mut message = [7; 20];
        message[..8].copy_from_slice(&came.to_ne_bytes());
        message[8..16].copy_from_slice(&gives_up.to_ne_bytes());
        message
    }

    #[test]
    fn ranks_that_start_after_another_ranks_deadline_are_late() {
        let late = |messages: &[[u8; 20]]| late_ranks(messages.iter().map(<[u8; 20]>::as_slice));
        assert_eq!(late(&[message(5, 105), message(105, 205)]), []);
        assert_eq!(late(&[message(5, 105), message(106, 206)]), [1]);
        // The ranks' limits may differ.
        assert_eq!(
            late(&[message(90, 91), message(3, 103), message(200, 300)]),
            [2]
        );
        assert_eq!(
            late(&[message(10, 20), message(1, 9), message(11, 99)]),
            [0, 2]
        );
        assert_eq!(late(&[message(u64::MAX, u64::MAX)]), []);
    }
}
