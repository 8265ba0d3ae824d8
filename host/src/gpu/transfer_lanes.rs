//! Transfer lanes, called lanes here. On each lane, one piece of a host slice at a time is uploaded, worked on, and perhaps downloaded.
//!
//! Only copies from and to page-locked memory are asynchronous and run at the bus's full rate. So a lane has a page-locked buffer, device
//! memory of the same size, and a stream. Page-locking takes far longer than a copy, so lanes are kept for later calls. The holder of a
//! [`TransferLane`] has exclusive use of its buffer and memory. While queued work may use them, the holder has a [`BusyTransferLane`]
//! instead.
//!
//! The number of lanes is bounded, and so is the number of idle lanes that are kept. A call waits only for its first lane of each size. It
//! works with fewer lanes than it wants if other calls have taken too many.

use std::ops::Range;
use std::sync::Arc;

use super::call_stream::{Call, CallStream};
use super::shelf::{Limits, Loan, Shelf};
use crate::driver::{self, Address, Context, DeviceMemory, PinnedMemory};
use crate::error::{Error, Result};

/// A *short* lane is for pieces of at most this many bytes. A slice that needs at most this many bytes on the device is uploaded in one
/// piece.
pub(crate) const SHORT_BYTES: usize = 512 << 10;

/// If a slice needs more than [`SHORT_BYTES`] and is uploaded piece by piece, a piece has at most this many bytes. Only if one chunk or
/// tile is longer than that, a piece has more bytes: it is one chunk or tile. The number is large enough for the bus's full rate, and small
/// enough that a call begins and ends quickly.
pub(crate) const PIECE_BYTES: usize = 4 << 20;

const _: () = assert!(SHORT_BYTES <= PIECE_BYTES);

/// The bounds on short lanes. The idle lanes that are kept have buffers of at most 8 MiB in device memory, and of 8 MiB in page-locked
/// memory. All short lanes together have at most 32 MiB of each.
const SHORT: Limits = Limits { most: 64, idle: 16 };

/// The bounds on lanes for pieces of at most [`PIECE_BYTES`]. There are enough lanes for two calls that upload and download their pieces.
/// The idle lanes that are kept have buffers of at most 80 MiB in device memory, and of 80 MiB in page-locked memory. All these lanes
/// together have at most 160 MiB of each.
const PIECES: Limits = Limits { most: 40, idle: 20 };

/// The bounds on lanes for pieces longer than [`PIECE_BYTES`]. Reductions of more than 16 GiB have such pieces. A slice that is uploaded
/// all at once is also such a piece, if it needs more than `PIECE_BYTES`. These lanes are not kept.
const LONG_PIECES: Limits = Limits { most: 4, idle: 0 };

/// The lanes of a context.
#[derive(Debug)]
pub(super) struct TransferLanes {
    short: Shelf<Parts>,
    pieces: Shelf<Parts>,
    long_pieces: Shelf<Parts>,
}

/// A lane without queued work. A drop gives the lane back to its shelf, which may keep it for later calls.
#[derive(Debug)]
pub(crate) struct TransferLane<'gpu> {
    parts: Loan<'gpu, Parts>,
    user: User,
}

/// A part of a lane's buffer, for one of the threads that share the buffer.
#[derive(Debug)]
pub(crate) struct Strip<'gpu> {
    lane: Arc<TransferLane<'gpu>>,
    range: Range<usize>,
}

/// A lane whose buffer and memory may be in use. Waits for the work when dropped.
#[derive(Debug)]
pub(crate) struct BusyTransferLane<'gpu>(TransferLane<'gpu>);

/// The resources of a lane.
#[derive(Debug)]
pub(super) struct Parts {
    // Dropped first. The drop waits for the stream's work, so nothing uses the other fields afterwards.
    call: CallStream,
    device: DeviceMemory,
    buffer: PinnedMemory,
    piece_bytes: usize,
}

/// The work that may be using a lane's buffer and memory.
#[derive(Debug)]
enum User {
    Nobody,
    /// Work on the lane's stream.
    Own,
    /// Work on another call's stream, and on the lane's stream.
    Lent(Arc<CallStream>),
}

impl TransferLanes {
    pub fn new() -> Self {
        Self {
            short: Shelf::new(SHORT),
            pieces: Shelf::new(PIECES),
            long_pieces: Shelf::new(LONG_PIECES),
        }
    }

    /// A lane for a piece of `piece_bytes` bytes, in the context `home`, which has to be current.
    pub fn take(&self, home: Context, piece_bytes: usize) -> Result<TransferLane<'_>> {
        let (shelf, piece_bytes) = self.shelf(piece_bytes);
        TransferLane::new(shelf.take(|| Parts::new(home, piece_bytes))?)
    }

    /// At least one and at most `most` lanes for pieces of `piece_bytes` bytes. There are fewer than `most` lanes if other calls have taken
    /// too many, or if memory is short.
    pub fn take_some(
        &self,
        home: Context,
        most: usize,
        piece_bytes: usize,
    ) -> Result<Vec<TransferLane<'_>>> {
        let mut lanes = vec![self.take(home, piece_bytes)?];
        let (shelf, piece_bytes) = self.shelf(piece_bytes);
        while lanes.len() < most {
            match shelf.try_take(|| Parts::new(home, piece_bytes)) {
                Ok(Some(parts)) => lanes.push(TransferLane::new(parts)?),
                Ok(None) | Err(Error::OutOfMemory { .. } | Error::OutOfHostMemory { .. }) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(lanes)
    }

    /// The shelf of the lanes for pieces of `piece_bytes` bytes, and the size of a buffer of these lanes.
    fn shelf(&self, piece_bytes: usize) -> (&Shelf<Parts>, usize) {
        match piece_bytes {
            0..=SHORT_BYTES => (&self.short, SHORT_BYTES),
            _ if piece_bytes <= PIECE_BYTES => (&self.pieces, PIECE_BYTES),
            _ => (&self.long_pieces, piece_bytes),
        }
    }

    /// Frees all idle lanes.
    pub fn trim(&self) {
        for shelf in [&self.short, &self.pieces, &self.long_pieces] {
            drop(shelf.clear());
        }
    }
}

impl Parts {
    fn new(home: Context, piece_bytes: usize) -> Result<Self> {
        Ok(Self {
            call: CallStream::new(home)?,
            device: DeviceMemory::allocate(piece_bytes as u64)?,
            buffer: PinnedMemory::allocate(piece_bytes)?,
            piece_bytes,
        })
    }
}

impl<'gpu> TransferLane<'gpu> {
    fn new(parts: Loan<'gpu, Parts>) -> Result<Self> {
        parts.call.check_home()?;
        // The caller may write to the buffer next, so the buffer must still exist.
        parts.buffer.check()?;
        Ok(Self {
            parts,
            user: User::Nobody,
        })
    }

    /// The lane's stream.
    pub fn call(&self) -> &CallStream {
        &self.parts.call
    }

    /// All bytes of the buffer: at least as many as the lane's holder asked for.
    pub fn bytes(&mut self) -> &mut [u8] {
        let start = self.parts.buffer.start().as_ptr();
        // SAFETY: the buffer has `piece_bytes` bytes. Nobody else has it, and no queued work uses it: a lane with queued work is a
        // `BusyTransferLane`.
        unsafe { std::slice::from_raw_parts_mut(start, self.parts.piece_bytes) }
    }

    /// Divides the first `bytes` bytes of the buffer, or all if there are fewer, into strips of `strip_bytes`. The last strip may be
    /// shorter.
    pub fn into_strips(self, bytes: usize, strip_bytes: usize) -> Vec<Strip<'gpu>> {
        let bytes = bytes.min(self.parts.piece_bytes);
        let strip_bytes = strip_bytes.max(1);
        // Only the strips hold the lane, so the last strip that is given up can return the lane.
        let lane = Arc::new(self);
        let strip = |start: usize| Strip {
            lane: Arc::clone(&lane),
            range: start..bytes.min(start + strip_bytes),
        };
        (0..bytes).step_by(strip_bytes).map(strip).collect()
    }

    /// Makes the lane busy, so that work can be queued on its stream. Returns an error if the lane's context is no longer current.
    pub fn into_busy(mut self) -> Result<BusyTransferLane<'gpu>> {
        self.parts.call.check_home()?;
        self.user = User::Own;
        Ok(BusyTransferLane(self))
    }

    /// Queues the upload of the buffer's first `bytes` bytes, or of all if there are fewer, to the lane's device memory.
    pub fn send(self, bytes: usize) -> Result<BusyTransferLane<'gpu>> {
        let busy = self.into_busy()?;
        let Parts {
            call,
            buffer,
            device,
            piece_bytes,
        } = &*busy.0.parts;
        let bytes = bytes.min(*piece_bytes);
        // SAFETY: the buffer has at least `bytes` bytes (condition 1). Nobody touches it before the `BusyTransferLane` ends, which waits
        // for the copy (condition 2).
        unsafe {
            driver::queue_copy_to_device(device.address(), buffer.start(), bytes, call.stream())
        }?;
        Ok(busy)
    }
}

impl Drop for TransferLane<'_> {
    fn drop(&mut self) {
        let own = self.parts.call.stream();
        let done = match &self.user {
            User::Nobody => Ok(()),
            User::Own => own.synchronize(),
            User::Lent(other) => {
                let others = other.stream().synchronize();
                own.synchronize().and(others)
            }
        };
        // If waiting fails, the lane is not used again.
        if done.is_err() {
            self.parts.discard();
        }
    }
}

impl<'gpu> Strip<'gpu> {
    pub fn bytes(&mut self) -> &mut [u8] {
        let start = self.lane.parts.buffer.start().as_ptr();
        debug_assert!(self.range.end <= self.lane.parts.piece_bytes);
        // SAFETY: the strips of a lane are disjoint ranges of its buffer, and this strip is borrowed mutably. The lane itself cannot be
        // reached before its last strip is given up, so no queued work uses the buffer.
        unsafe { std::slice::from_raw_parts_mut(start.add(self.range.start), self.range.len()) }
    }

    /// Gives the strip up. Returns the lane if this was its last strip.
    pub fn give_up(self) -> Option<TransferLane<'gpu>> {
        Arc::into_inner(self.lane)
    }
}

impl<'gpu> BusyTransferLane<'gpu> {
    /// The lane's stream.
    pub fn call(&self) -> &CallStream {
        self.0.call()
    }

    /// The address of the lane's device memory.
    pub fn device(&self) -> Address {
        self.0.parts.device.address()
    }

    /// Calls `work` with the address of the lane's device memory. What `work` queues on the stream of `other` runs after this lane's queued
    /// work, and before the lane's later work.
    pub fn lend(
        mut self,
        other: &Call<'gpu>,
        work: impl FnOnce(Address) -> Result<()>,
    ) -> Result<Self> {
        self.call().come_before(other.stream())?;
        self.0.user = User::Lent(other.share());
        work(self.device())?;
        self.call().come_after(other.stream())?;
        self.0.user = User::Own;
        Ok(self)
    }

    /// Queues the download of `bytes` bytes of the lane's device memory to the start of the buffer. The first of these bytes is byte
    /// `start` of the memory. If the memory ends earlier, fewer bytes are downloaded.
    pub fn receive(self, start: usize, bytes: usize) -> Result<Self> {
        let Parts {
            call,
            buffer,
            device,
            piece_bytes,
        } = &*self.0.parts;
        let start = start.min(*piece_bytes);
        let bytes = bytes.min(*piece_bytes - start);
        let from = device.address() + start as u64;
        // SAFETY: the buffer has at least `bytes` bytes (condition 1). Nobody touches it before the `BusyTransferLane` ends, which waits
        // for the copy (condition 2).
        unsafe { driver::queue_copy_to_host(buffer.start(), from, bytes, call.stream()) }?;
        Ok(self)
    }

    /// Waits for the lane's work.
    pub fn wait(mut self) -> Result<TransferLane<'gpu>> {
        self.call().stream().synchronize()?;
        self.0.user = User::Nobody;
        Ok(self.0)
    }
}

#[cfg(test)]
mod tests;
