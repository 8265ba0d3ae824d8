//! A rank's messages: page-locked memory that both the host and the device write and read.
//!
//! ```text
//! notes       values that are copied to a board                  5 KiB
//! outgoing    this rank's message
//! incoming    the messages of all ranks, one after the other
//! ```
//!
//! A message has three parts: an envelope, which the transport uses; a status word, which says whether the message's rank has failed; and a
//! body. Kernels and copies may write the body, so that the message can be sent without waiting for the host.
//!
//! The host accesses notes, bodies and incoming messages only while no queued work uses them: before a call's launches, and after a message
//! was sent. (Sending waits for all queued work.) Only the host writes the envelope and the status word of the outgoing message. It may
//! write them even while queued work writes the body. A call waits for its stream before it ends, so it leaves no work queued.

use std::ptr::NonNull;

use warpfold_kernels::contract::SCAN_GROUP_TILES;
use warpfold_kernels::element::ACCUMULATOR_MAX_WORDS;

use crate::driver::{Address, PinnedMemory};
use crate::error::Result;
use crate::gpu::Entered;
use crate::kernel::RESULT_MAX_BYTES;

/// Bytes of a message's envelope.
pub(super) const ENVELOPE_BYTES: usize = 16;

/// The end of the status word.
const STATUS_END: usize = ENVELOPE_BYTES + 8;

/// Bytes before a body: the size of the longest result. So the start of a body is aligned for every type, and a kernel may write its result
/// there.
pub(super) const HEAD_BYTES: usize = RESULT_MAX_BYTES;

const _: () = assert!(STATUS_END <= HEAD_BYTES && NOTES_BYTES.is_multiple_of(HEAD_BYTES));
const _: () = assert!(HEAD_BYTES.is_power_of_two());

/// Bytes of the notes: the control words of a board, the aggregates of a tile group's tiles, and the tile group's prefix.
const NOTES_BYTES: usize = 5 << 10;

const _: () =
    assert!(16 + (SCAN_GROUP_TILES as usize + 1) * 8 * ACCUMULATOR_MAX_WORDS <= NOTES_BYTES);

/// Bytes of the smallest room for a message, enough for the first message of any call.
const LEAST_BYTES: usize = 16 << 10;

/// A rank's messages.
pub(super) struct Post {
    memory: PinnedMemory,
    ranks: usize,
    /// Bytes of the room for a message.
    room: usize,
}

impl Post {
    /// Memory for messages between `ranks` ranks. A context is current.
    pub fn new(entered: Entered<'_>, ranks: usize) -> Result<Self> {
        Self::with_room(entered, ranks, LEAST_BYTES)
    }

    fn with_room(entered: Entered<'_>, ranks: usize, room: usize) -> Result<Self> {
        let bytes = room.saturating_mul(1 + ranks).saturating_add(NOTES_BYTES);
        let memory = entered.with_room(|| PinnedMemory::allocate(bytes))?;
        Ok(Self {
            memory,
            ranks,
            room,
        })
    }

    /// Checks that the memory still exists: it is freed with its context, which may have been reset.
    pub fn check(&self) -> Result<()> {
        Ok(self.memory.check()?)
    }

    /// Makes room for bodies of `body_bytes` bytes. If the room grows, the notes and all messages are lost.
    pub fn make_room(&mut self, entered: Entered<'_>, body_bytes: usize) -> Result<()> {
        let bytes = body_bytes.saturating_add(HEAD_BYTES);
        if bytes > self.room {
            *self = Self::with_room(entered, self.ranks, bytes.next_power_of_two())?;
        }
        Ok(())
    }

    /// Bytes of a message with a body of `body_bytes` bytes.
    pub fn message_bytes(body_bytes: usize) -> usize {
        HEAD_BYTES + body_bytes
    }

    /// The device addresses of the outgoing message and of the incoming messages.
    pub fn addresses(&self) -> (Address, Address) {
        let outgoing = self.memory.address() + NOTES_BYTES as u64;
        (outgoing, outgoing + self.room as u64)
    }

    /// The device address of the body of the outgoing message.
    pub fn body(&self) -> Address {
        self.addresses().0 + HEAD_BYTES as u64
    }

    /// For copies to the host: the host address of byte `at` of the outgoing body, and the number of bytes from there to the end of
    /// the room.
    pub fn place_in_body(&self, at: usize) -> (NonNull<u8>, usize) {
        let room = self.room - HEAD_BYTES;
        let at = at.min(room);
        // SAFETY: `at` is at most the number of bytes that the outgoing room has after the head, so the place is at most one past the end
        // of the outgoing room. This place is in the allocation, or one past its end.
        let place = unsafe { self.memory.start().add(NOTES_BYTES + HEAD_BYTES + at) };
        (place, room - at)
    }

    /// The host address of the notes, for copies to the device.
    pub fn notes_start(&self) -> NonNull<u8> {
        self.memory.start()
    }

    /// The notes, for the host to write.
    pub fn notes(&mut self) -> &mut [u8] {
        self.bytes(0, NOTES_BYTES)
    }

    /// Writes the outgoing body, as far as there is room.
    pub fn write(&mut self, body: &[u8]) {
        let room = self.room - HEAD_BYTES;
        let bytes = body.len().min(room);
        self.bytes(NOTES_BYTES + HEAD_BYTES, room)[..bytes].copy_from_slice(&body[..bytes]);
    }

    /// Writes the status word of the outgoing message: whether this rank is well, or has failed.
    pub fn say(&mut self, is_well: bool) {
        let word = u64::from(is_well).to_ne_bytes();
        self.bytes(NOTES_BYTES + ENVELOPE_BYTES, 8)
            .copy_from_slice(&word);
    }

    /// Writes the envelope of the outgoing message. Queued work may write the body meanwhile.
    pub fn seal(&mut self, envelope: &[u8; ENVELOPE_BYTES]) {
        self.bytes(NOTES_BYTES, ENVELOPE_BYTES)
            .copy_from_slice(envelope);
    }

    /// The outgoing message, with its envelope. The caller ensures that no queued work writes the body any more.
    pub fn outgoing(&mut self, body_bytes: usize) -> &[u8] {
        let bytes = Self::message_bytes(body_bytes).min(self.room);
        self.bytes(NOTES_BYTES, bytes)
    }

    /// The incoming messages, with their envelopes.
    pub fn incoming(&mut self, body_bytes: usize) -> &mut [u8] {
        let bytes = Self::message_bytes(body_bytes).min(self.room) * self.ranks;
        self.bytes(NOTES_BYTES + self.room, bytes)
    }

    /// The messages that have arrived.
    pub fn received(&mut self, body_bytes: usize) -> Received<'_> {
        Received {
            bytes: self.incoming(body_bytes),
            message_bytes: Self::message_bytes(body_bytes),
        }
    }

    fn bytes(&mut self, start: usize, length: usize) -> &mut [u8] {
        debug_assert!(start + length <= NOTES_BYTES + self.room * (1 + self.ranks));
        // SAFETY:
        // - the bytes lie in the allocation: all callers are in this file, and limit the range to the notes, to the outgoing room, or to
        //   the incoming rooms;
        // - the post is borrowed mutably for as long as the slice lives, and it alone owns the memory;
        // - no queued work uses these bytes. While queued work may write the body, `seal` and `say` ask only for the envelope and the
        //   status word. The other callers run while no queued work uses their bytes: see the module's documentation;
        // - any byte is a valid `u8`. The driver's page-locked memory has arbitrary but initialised bytes.
        unsafe { std::slice::from_raw_parts_mut(self.memory.start().add(start).as_ptr(), length) }
    }
}

/// The messages of all ranks.
pub(super) struct Received<'a> {
    bytes: &'a [u8],
    message_bytes: usize,
}

impl<'a> Received<'a> {
    /// The bodies, in rank order.
    pub fn bodies(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.messages().map(|message| &message[HEAD_BYTES..])
    }

    /// The first rank that has failed.
    pub fn first_failed(&self) -> Option<usize> {
        let well = 1u64.to_ne_bytes();
        self.messages()
            .position(|message| message[ENVELOPE_BYTES..STATUS_END] != well)
    }

    fn messages(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.bytes.chunks_exact(self.message_bytes)
    }
}
