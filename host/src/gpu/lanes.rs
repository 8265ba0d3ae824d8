//! Lanes: on each, one piece at a time of a slice of the host travels to the device or back.
//!
//! A copy runs beside the host, and at the bus's full rate, only from and to page-locked memory, and page-locking takes
//! far longer than a copy. So a lane has a buffer of it, a stream, and a piece of the device's memory, and is kept for
//! the next call. Whoever holds a [`Lane`] has its buffer alone; while work on its stream may use the buffer, there
//! is a [`BusyLane`] in its place.

use std::sync::{Mutex, PoisonError};

use super::{DeviceMemory, PinnedMemory};
use crate::driver::{self, Address, OwnStream, Stream};
use crate::error::Result;

/// Bytes of a piece: long enough for the bus's full rate, and whole tiles and groups of tiles.
pub(crate) const PIECE_BYTES: usize = 4 << 20;

/// The lanes of a context that no call uses.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    idle: Mutex<Vec<Lane>>,
}

/// A lane on which nothing moves.
#[derive(Debug)]
pub(crate) struct Lane {
    // Goes first, and waits: nothing uses what goes after it.
    stream: LaneStream,
    device: DeviceMemory,
    buffer: PinnedMemory,
}

/// A lane whose stream may be using the buffer.
#[derive(Debug)]
pub(crate) struct BusyLane(Lane);

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

    /// So many lanes, at least one. Those that there are not are made, in the current context.
    pub fn take(&self, count: usize) -> Result<Vec<Lane>> {
        let mut taken = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let kept = idle.len().saturating_sub(count.max(1));
            idle.split_off(kept)
        };
        while taken.len() < count.max(1) {
            match Lane::new() {
                Ok(lane) => taken.push(lane),
                Err(error) => {
                    self.give_back(taken);
                    return Err(error);
                }
            }
        }
        Ok(taken)
    }

    /// Keeps lanes for the next call.
    pub fn give_back(&self, lanes: impl IntoIterator<Item = Lane>) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.extend(lanes);
    }

    /// Frees all lanes.
    pub fn clear(&mut self) {
        self.idle
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}

impl Lane {
    fn new() -> Result<Self> {
        Ok(Self {
            stream: LaneStream(OwnStream::create()?),
            device: DeviceMemory::allocate(PIECE_BYTES as u64)?,
            buffer: PinnedMemory::allocate(PIECE_BYTES)?,
        })
    }

    /// The piece of the device's memory.
    pub fn device(&self) -> Address {
        self.device.address()
    }

    /// The buffer's bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: nothing is queued that uses them: that would be a `BusyLane`.
        unsafe { self.buffer.bytes_mut() }
    }

    /// The lane, for work to be queued on its stream.
    pub fn into_busy(self) -> BusyLane {
        BusyLane(self)
    }

    /// Queues the copy of so many bytes of the buffer, at most all, to the device.
    pub fn send(self, bytes: usize, to: Address) -> Result<BusyLane> {
        let (from, bytes) = (self.buffer.start(), bytes.min(PIECE_BYTES));
        // SAFETY: the buffer is so long. It is not touched before the stream is done, since there is a `BusyLane`
        // from now on, and on an error the lane is dropped, which waits.
        unsafe { driver::queue_copy_to_device(to, from, bytes, self.stream.0.as_stream()) }?;
        Ok(BusyLane(self))
    }

    /// Queues the copy of so many bytes of the device, at most as many as the buffer has, to the buffer.
    pub fn receive(self, bytes: usize, from: Address) -> Result<BusyLane> {
        BusyLane(self).receive(bytes, from)
    }
}

impl BusyLane {
    /// What the lane's work is queued on.
    pub fn stream(&self) -> Stream<'_> {
        self.0.stream.0.as_stream()
    }

    /// Queues the copy of so many bytes of the device, at most as many as the buffer has, to the buffer.
    pub fn receive(self, bytes: usize, from: Address) -> Result<Self> {
        let (to, bytes) = (self.0.buffer.start(), bytes.min(PIECE_BYTES));
        // SAFETY: the buffer is so long. Nobody but the stream's work touches it before that is done: this stays a
        // `BusyLane`, and on an error the lane is dropped, which waits.
        unsafe { driver::queue_copy_to_host(to, from, bytes, self.stream()) }?;
        Ok(self)
    }

    /// Waits for the lane's work.
    pub fn wait(self) -> Result<Lane> {
        self.stream().synchronize()?;
        Ok(self.0)
    }
}
