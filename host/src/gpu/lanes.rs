//! Lanes: on each, one piece at a time of a slice of the host travels to the device or back.
//!
//! A copy runs beside the host, and at the bus's full rate, only from and to page-locked memory, and page-locking takes
//! far longer than a copy. So a lane has a buffer of it, a stream, and a piece of the device's memory, and is kept for
//! the next call. Whoever holds a [`Lane`] has its buffer alone; while work on its stream may use the buffer, there
//! is a [`BusyLane`] in its place.

use std::sync::{Arc, Mutex, PoisonError};

use super::{DeviceMemory, PinnedMemory};
use crate::driver::{self, Address, OwnStream, Stream};
use crate::error::Result;

/// Bytes of a piece: long enough for the bus's full rate, and whole tiles and groups of tiles.
pub(crate) const PIECE_BYTES: usize = 4 << 20;

/// The lanes of a context that no call uses.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    idle: Mutex<Vec<Arc<Parts>>>,
}

/// A lane on which nothing moves. Dropped, it is kept for the next call.
#[derive(Debug)]
pub(crate) struct Lane<'gpu> {
    parts: Arc<Parts>,
    state: State,
    home: &'gpu Lanes,
}

/// A lane whose stream may be using the buffer. Waits when dropped.
#[derive(Debug)]
pub(crate) struct BusyLane<'gpu>(Lane<'gpu>);

/// What a lane is made of.
#[derive(Debug)]
struct Parts {
    // Goes first, and waits: nothing uses what goes after it.
    stream: LaneStream,
    device: DeviceMemory,
    buffer: PinnedMemory,
}

/// Whether a lane's stream may be using the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Busy,
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

    /// So many lanes, at least one. Those that there are not are made, in the current context.
    pub fn take(&self, count: usize) -> Result<Vec<Lane<'_>>> {
        let kept = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let others = idle.len().saturating_sub(count.max(1));
            idle.split_off(others)
        };
        let lent = |parts| Lane {
            parts,
            state: State::Idle,
            home: self,
        };
        let mut lanes: Vec<Lane<'_>> = kept.into_iter().map(lent).collect();
        while lanes.len() < count.max(1) {
            lanes.push(lent(Arc::new(Parts::new()?)));
        }
        Ok(lanes)
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
    fn new() -> Result<Self> {
        Ok(Self {
            stream: LaneStream(OwnStream::create()?),
            device: DeviceMemory::allocate(PIECE_BYTES as u64)?,
            buffer: PinnedMemory::allocate(PIECE_BYTES)?,
        })
    }
}

impl<'gpu> Lane<'gpu> {
    /// The piece of the device's memory.
    pub fn device(&self) -> Address {
        self.parts.device.address()
    }

    /// The buffer's bytes, [`PIECE_BYTES`] of them.
    pub fn bytes(&mut self) -> &mut [u8] {
        let start = self.parts.buffer.start().as_ptr();
        // SAFETY: the buffer is so long. Nobody else has it, and nothing is queued that uses it: that would be a
        // `BusyLane`.
        unsafe { std::slice::from_raw_parts_mut(start, PIECE_BYTES) }
    }

    /// The lane, for work to be queued on its stream.
    pub fn into_busy(mut self) -> BusyLane<'gpu> {
        self.state = State::Busy;
        BusyLane(self)
    }

    /// Queues the copy of so many bytes of the buffer, at most all, to the device.
    pub fn send(self, bytes: usize, to: Address) -> Result<BusyLane<'gpu>> {
        let busy = self.into_busy();
        let (from, bytes) = (busy.0.parts.buffer.start(), bytes.min(PIECE_BYTES));
        // SAFETY: the buffer is so long, and is not touched while there is a `BusyLane`, whose end waits.
        unsafe { driver::queue_copy_to_device(to, from, bytes, busy.stream()) }?;
        Ok(busy)
    }
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        if self.state == State::Busy && self.parts.stream.0.as_stream().synchronize().is_err() {
            // The lane is not used again, and what it is made of is freed here.
            return;
        }
        let mut idle = self
            .home
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        idle.push(Arc::clone(&self.parts));
    }
}

impl<'gpu> BusyLane<'gpu> {
    /// What the lane's work is queued on.
    pub fn stream(&self) -> Stream<'_> {
        self.0.parts.stream.0.as_stream()
    }

    /// Queues the copy of so many bytes of the device, at most as many as the buffer has, to the buffer.
    pub fn receive(self, bytes: usize, from: Address) -> Result<Self> {
        let (to, bytes) = (self.0.parts.buffer.start(), bytes.min(PIECE_BYTES));
        // SAFETY: the buffer is so long, and is not touched while there is a `BusyLane`, whose end waits.
        unsafe { driver::queue_copy_to_host(to, from, bytes, self.stream()) }?;
        Ok(self)
    }

    /// Waits for the lane's work.
    pub fn wait(mut self) -> Result<Lane<'gpu>> {
        self.stream().synchronize()?;
        self.0.state = State::Idle;
        Ok(self.0)
    }
}
