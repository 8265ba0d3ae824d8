//! The bytes of one allocation, as relaxed atomic words of four bytes.
//!
//! Words are faster than bytes, because most kernel accesses are at least four bytes wide. A narrower write changes its part of the word in
//! one atomic step.

use std::ptr::NonNull;
use std::sync::atomic::Ordering::Relaxed;

use super::words::Words;
use super::written::Written;
use crate::fault::Extent;

#[derive(Debug)]
pub(crate) struct Allocation {
    base: u64,
    bytes: u64,
    words: Words,
    written: Written,
}

/// Whether a new allocation counts as written. It reads as zeros in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    Undefined,
    Zeros,
}

/// Alignment of pinned and managed memory: a page.
const PAGE_BYTES: usize = 4096;

impl Allocation {
    /// An allocation of at least one byte, all zeros. The host provides the pages of a large allocation when they are first touched. `None`
    /// if the host has no more memory.
    pub(super) fn new(base: u64, bytes: u64, contents: Contents) -> Option<Self> {
        let count = usize::try_from(bytes.div_ceil(4)).ok()?;
        Some(Self {
            base,
            bytes,
            words: Words::zeroed(count, align_of::<u32>())?,
            written: match contents {
                Contents::Undefined => Written::nothing(count)?,
                Contents::Zeros => Written::everything(count)?,
            },
        })
    }

    /// Like [`new`](Self::new), but kernels use the host address of the bytes. The host's writes are not tracked, so every byte counts as
    /// written.
    pub(super) fn pinned(bytes: u64) -> Option<Self> {
        let count = usize::try_from(bytes.div_ceil(4)).ok()?;
        let words = Words::zeroed(count, PAGE_BYTES)?;
        let written = Written::nothing(0)?;
        written.trust();
        Some(Self {
            base: words.start().addr().get() as u64,
            bytes,
            words,
            written,
        })
    }

    /// The host address of the bytes.
    pub(super) fn host_start(&self) -> NonNull<u8> {
        self.words.start()
    }

    /// Every byte counts as written from now on.
    pub(crate) fn trust(&self) {
        self.written.trust();
    }

    /// Which of the `count` bytes at `address` are written: one bit for each byte, set if it is written. The bytes lie inside the
    /// allocation, and `count` is at most 16.
    #[inline]
    pub(crate) fn written(&self, address: u64, count: u32) -> u32 {
        self.written.bytes((address - self.base) as usize, count)
    }

    /// Records the state of the `count` bytes at `address`. A byte counts as written if its bit in `mask` is set, and as not written
    /// otherwise. The bytes lie inside the allocation, and `count` is at most 16.
    #[inline]
    pub(crate) fn set_written(&self, address: u64, count: u32, mask: u32) {
        let offset = (address - self.base) as usize;
        self.written.set(offset, count, mask);
    }

    /// Records that a range inside the allocation was written.
    pub(crate) fn mark_written(&self, address: u64, bytes: u64) {
        self.written.mark(address - self.base, bytes);
    }

    /// The first unwritten byte of a range, as an offset from the start of the range. `None` if all its bytes are written. The range lies
    /// inside the allocation.
    pub(crate) fn first_unwritten(&self, address: u64, bytes: u64) -> Option<u64> {
        self.written.first_unwritten(address - self.base, bytes)
    }

    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn extent(&self) -> Extent {
        Extent {
            base: self.base,
            bytes: self.bytes,
        }
    }

    /// Whether the range lies inside the allocation.
    #[inline]
    pub(crate) fn holds(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        offset <= self.bytes && bytes <= self.bytes - offset
    }

    /// Reads `width` bytes (1, 2, 4 or 8) at an aligned address inside the allocation.
    #[inline]
    pub(crate) fn load(&self, address: u64, width: u32) -> u64 {
        let offset = (address - self.base) as usize;
        let word = u64::from(self.words[offset / 4].load(Relaxed));
        match width {
            4 => word,
            8 => word | u64::from(self.words[offset / 4 + 1].load(Relaxed)) << 32,
            2 => word >> (offset % 4 * 8) & 0xffff,
            _ => word >> (offset % 4 * 8) & 0xff,
        }
    }

    /// Writes `width` bytes (1, 2, 4 or 8) at an aligned address inside the allocation.
    #[inline]
    pub(crate) fn store(&self, address: u64, width: u32, value: u64) {
        let offset = (address - self.base) as usize;
        match width {
            4 => self.words[offset / 4].store(value as u32, Relaxed),
            8 => {
                self.words[offset / 4].store(value as u32, Relaxed);
                self.words[offset / 4 + 1].store((value >> 32) as u32, Relaxed);
            }
            2 => self.merge(offset, 0xffff, value as u32),
            _ => self.merge(offset, 0xff, value as u32),
        }
    }

    fn merge(&self, offset: usize, mask: u32, value: u32) {
        let shift = offset % 4 * 8;
        let merged = |old: u32| Some(old & !(mask << shift) | (value & mask) << shift);
        // The closure always returns a value, so the update cannot be refused.
        let _ = self.words[offset / 4].fetch_update(Relaxed, Relaxed, merged);
    }

    pub(crate) fn read(&self, address: u64, to: &mut [u8]) {
        let mut at = address;
        let (head, body) = to.split_at_mut(head_bytes(address, to.len()));
        for byte in head {
            *byte = self.load(at, 1) as u8;
            at += 1;
        }
        let mut words = body.chunks_exact_mut(4);
        let first = ((at - self.base) / 4) as usize;
        for (chunk, word) in words.by_ref().zip(self.words.get(first..).unwrap_or(&[])) {
            chunk.copy_from_slice(&word.load(Relaxed).to_le_bytes());
            at += 4;
        }
        for byte in words.into_remainder() {
            *byte = self.load(at, 1) as u8;
            at += 1;
        }
    }

    pub(crate) fn write(&self, address: u64, from: &[u8]) {
        let mut at = address;
        let (head, body) = from.split_at(head_bytes(address, from.len()));
        for &byte in head {
            self.store(at, 1, byte.into());
            at += 1;
        }
        let mut words = body.chunks_exact(4);
        let first = ((at - self.base) / 4) as usize;
        for (chunk, word) in words.by_ref().zip(self.words.get(first..).unwrap_or(&[])) {
            word.store(
                u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]),
                Relaxed,
            );
            at += 4;
        }
        for &byte in words.remainder() {
            self.store(at, 1, byte.into());
            at += 1;
        }
    }

    /// Repeats the pattern, which is not empty, over a range inside the allocation.
    pub(crate) fn fill(&self, address: u64, bytes: u64, pattern: &[u8]) {
        const BUFFER_BYTES: usize = 4096;
        let buffer_bytes = (BUFFER_BYTES / pattern.len()).max(1) * pattern.len();
        let buffer: Vec<u8> = pattern.iter().copied().cycle().take(buffer_bytes).collect();
        let mut done = 0;
        while done < bytes {
            let step = (bytes - done).min(buffer_bytes as u64);
            self.write(address + done, &buffer[..step as usize]);
            done += step;
        }
    }
}

/// The number of bytes before the first aligned word of a range.
fn head_bytes(address: u64, bytes: usize) -> usize {
    (address.next_multiple_of(4).wrapping_sub(address) as usize).min(bytes)
}
