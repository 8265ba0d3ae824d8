//! Lanes: on each, one piece at a time of a slice of the host travels to the device, is worked on there, and perhaps
//! travels back.
//!
//! A copy runs beside the host, and at the bus's full rate, only from and to page-locked memory, and page-locking takes
//! far longer than a copy. So a lane has a buffer of it, a piece of the device's memory as large, a stream, and an event
//! to have other streams wait for that one; and is kept for the next call. Whoever holds a [`Lane`] has its buffer and its
//! memory alone; while work on its stream may use them, there is a [`BusyLane`] in its place.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::{DeviceMemory, PinnedMemory};
use crate::driver::{self, Address, Event, OwnStream, Stream};
use crate::error::{Error, Result};

/// Bytes of a piece, as long as a unit of work is not longer: enough for the bus's full rate, and little enough that a
/// call begins and ends quickly.
pub(crate) const PIECE_BYTES: usize = 4 << 20;

/// The lanes of a context that no call uses, with pieces of [`PIECE_BYTES`].
#[derive(Debug, Default)]
pub(super) struct Lanes {
    idle: Mutex<Vec<Arc<Parts>>>,
}

/// A lane on which nothing moves. Dropped, it is kept for the next call.
#[derive(Debug)]
pub(crate) struct Lane<'gpu> {
    parts: Arc<Parts>,
    user: User,
    home: &'gpu Lanes,
}

/// A part of a lane's buffer, for one of the threads that have the buffer together.
#[derive(Debug)]
pub(crate) struct Strip<'gpu> {
    lane: Arc<Lane<'gpu>>,
    range: Range<usize>,
}

/// A lane whose buffer and memory may be in use. Waits when dropped.
#[derive(Debug)]
pub(crate) struct BusyLane<'gpu>(Lane<'gpu>);

/// What a lane is made of.
#[derive(Debug)]
struct Parts {
    // Goes first, and waits: nothing uses what goes after it.
    stream: LaneStream,
    event: Event,
    device: DeviceMemory,
    buffer: PinnedMemory,
    piece_bytes: usize,
}

/// What may be using a lane's buffer and memory.
#[derive(Debug)]
enum User {
    Nobody,
    /// Work on the lane's stream.
    Own,
    /// Work on that stream, and on the one of another lane.
    Lent(Arc<Parts>),
}

/// A stream that is waited for and destroyed when dropped.
#[derive(Debug)]
struct LaneStream(OwnStream);

impl Drop for LaneStream {
    fn drop(&mut self) {
        // A failure is that of the work, or of a context that is gone, and the stream with it.
        let _ = self.0.as_stream().synchronize();
        let _ = self.0.destroy();
    }
}

impl Lanes {
    pub fn new() -> Self {
        Self::default()
    }

    /// A lane with pieces of [`PIECE_BYTES`].
    pub fn take(&self) -> Result<Lane<'_>> {
        self.take_with(PIECE_BYTES)
    }

    /// So many lanes, with pieces of so many bytes; fewer, but at least one, where the memory does not suffice.
    pub fn take_some(&self, most: usize, piece_bytes: usize) -> Result<Vec<Lane<'_>>> {
        let mut lanes = vec![self.take_with(piece_bytes)?];
        while lanes.len() < most {
            match self.take_with(piece_bytes) {
                Ok(lane) => lanes.push(lane),
                Err(Error::OutOfMemory { .. } | Error::OutOfHostMemory { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(lanes)
    }

    /// A lane that is there or, in the current context, is made.
    fn take_with(&self, piece_bytes: usize) -> Result<Lane<'_>> {
        let kept = match piece_bytes {
            PIECE_BYTES => {
                let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
                idle.pop()
            }
            _ => None,
        };
        let parts = match kept {
            Some(parts) => parts,
            None => Arc::new(Parts::new(piece_bytes)?),
        };
        Ok(Lane {
            parts,
            user: User::Nobody,
            home: self,
        })
    }

    /// Frees all lanes.
    pub fn clear(&mut self) {
        self.idle
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

impl Parts {
    fn new(piece_bytes: usize) -> Result<Self> {
        Ok(Self {
            stream: LaneStream(OwnStream::create()?),
            event: Event::new()?,
            device: DeviceMemory::allocate(piece_bytes as u64)?,
            buffer: PinnedMemory::allocate(piece_bytes)?,
            piece_bytes,
        })
    }

    fn stream(&self) -> Stream<'_> {
        self.stream.0.as_stream()
    }
}

impl<'gpu> Lane<'gpu> {
    /// The buffer's bytes, as many as a piece has.
    pub fn bytes(&mut self) -> &mut [u8] {
        let start = self.parts.buffer.start().as_ptr();
        // SAFETY: the buffer is so long. Nobody else has it, and nothing is queued that uses it: that would be a
        // `BusyLane`.
        unsafe { std::slice::from_raw_parts_mut(start, self.parts.piece_bytes) }
    }

    /// So many bytes of the buffer, at most all, in strips of so many, the last perhaps of fewer.
    pub fn into_strips(self, bytes: usize, strip_bytes: usize) -> Vec<Strip<'gpu>> {
        let bytes = bytes.min(self.parts.piece_bytes);
        let strip_bytes = strip_bytes.max(1);
        // Nobody but the strips holds it on, so that the last one to go finds itself alone.
        let lane = Arc::new(self);
        let strip = |start: usize| Strip {
            lane: Arc::clone(&lane),
            range: start..bytes.min(start + strip_bytes),
        };
        (0..bytes).step_by(strip_bytes).map(strip).collect()
    }

    /// The lane, for work to be queued on its stream.
    pub fn into_busy(mut self) -> BusyLane<'gpu> {
        self.user = User::Own;
        BusyLane(self)
    }

    /// Queues the copy of so many bytes of the buffer, at most all, to the device's memory.
    pub fn send(self, bytes: usize) -> Result<BusyLane<'gpu>> {
        let busy = self.into_busy();
        let Parts { buffer, device, .. } = &*busy.0.parts;
        let bytes = bytes.min(busy.0.parts.piece_bytes);
        // SAFETY: the buffer is so long, and is not touched while there is a `BusyLane`, whose end waits.
        unsafe {
            driver::queue_copy_to_device(device.address(), buffer.start(), bytes, busy.stream())
        }?;
        Ok(busy)
    }
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        let done = match &self.user {
            User::Nobody => Ok(()),
            User::Own => self.parts.stream().synchronize(),
            User::Lent(other) => {
                let others = other.stream().synchronize();
                self.parts.stream().synchronize().and(others)
            }
        };
        // Where waiting fails, or with other pieces, the lane is not used again, and what it is made of is freed here.
        if done.is_ok() && self.parts.piece_bytes == PIECE_BYTES {
            let mut idle = self
                .home
                .idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            idle.push(Arc::clone(&self.parts));
        }
    }
}

impl<'gpu> Strip<'gpu> {
    pub fn bytes(&mut self) -> &mut [u8] {
        let start = self.lane.parts.buffer.start().as_ptr();
        // SAFETY: as for `Lane::bytes`, and the ranges of a lane's strips lie in the buffer, each beside the others. There is
        // no way to the lane itself before the last strip is given up.
        unsafe { std::slice::from_raw_parts_mut(start.add(self.range.start), self.range.len()) }
    }

    /// Gives the strip up; the last of a lane's to go gives the lane back.
    pub fn give_up(self) -> Option<Lane<'gpu>> {
        Arc::into_inner(self.lane)
    }
}

impl<'gpu> BusyLane<'gpu> {
    /// What the lane's work is queued on.
    pub fn stream(&self) -> Stream<'_> {
        self.0.parts.stream()
    }

    /// The piece of the device's memory.
    pub fn device(&self) -> Address {
        self.0.parts.device.address()
    }

    /// Has `work`, given the piece of the device's memory, queue something there on the stream of another lane: behind what
    /// is queued on this one, and before what comes next here.
    pub fn lend(
        mut self,
        other: &BusyLane<'gpu>,
        work: impl FnOnce(Address) -> Result<()>,
    ) -> Result<Self> {
        self.0.parts.event.record(self.stream())?;
        self.0.parts.event.hold_up(other.stream())?;
        self.0.user = User::Lent(Arc::clone(&other.0.parts));
        work(self.device())?;
        self.0.parts.event.record(other.stream())?;
        self.0.parts.event.hold_up(self.stream())?;
        self.0.user = User::Own;
        Ok(self)
    }

    /// Queues the copy of so many bytes of the device's memory, at most all, to the buffer.
    pub fn receive(self, bytes: usize) -> Result<Self> {
        let Parts { buffer, device, .. } = &*self.0.parts;
        let bytes = bytes.min(self.0.parts.piece_bytes);
        // SAFETY: the buffer is so long, and is not touched while there is a `BusyLane`, whose end waits.
        unsafe {
            driver::queue_copy_to_host(buffer.start(), device.address(), bytes, self.stream())
        }?;
        Ok(self)
    }

    /// Waits for the lane's work.
    pub fn wait(mut self) -> Result<Lane<'gpu>> {
        self.stream().synchronize()?;
        self.0.user = User::Nobody;
        Ok(self.0)
    }
}
