//! Which bytes of an allocation count as written: a mask of four bits for each word of four bytes.
//!
//! Host calls, and launches with the check for uninitialised bytes, keep this record up to date. After a launch without this check, all
//! memory that the launch could access counts as written.
//!
//! The masks hold differences from the initial state, so they begin as zeros. The masks of a large allocation take no host memory until
//! something changes.

use super::words::zeroed_bytes;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

/// All bytes of a word.
const WHOLE: u8 = 0xf;

#[derive(Debug)]
pub(crate) struct Written {
    /// The bits that differ from the initial state.
    changed: Box<[AtomicU8]>,
    /// The initial state of each word.
    first: u8,
    all: AtomicBool,
}

impl Written {
    /// A record in which no byte is written yet. `None` if the host has no memory for the masks.
    pub(super) fn nothing(words: usize) -> Option<Self> {
        Self::beginning_with(0, words)
    }

    /// A record in which every byte is written at first, and may become undefined later. `None` if the host has no memory for the masks.
    pub(super) fn everything(words: usize) -> Option<Self> {
        Self::beginning_with(WHOLE, words)
    }

    fn beginning_with(first: u8, words: usize) -> Option<Self> {
        Some(Self {
            changed: zeroed_bytes(words)?,
            first,
            all: AtomicBool::new(false),
        })
    }

    /// From now on every byte counts as written.
    pub(super) fn trust(&self) {
        self.all.store(true, Relaxed);
    }

    /// Which of the `count` bytes at `offset` are written: one bit for each byte, set if it is written. `count` is at most 16.
    #[inline]
    pub(super) fn bytes(&self, offset: usize, count: u32) -> u32 {
        let wanted = (1 << count) - 1;
        if self.all.load(Relaxed) {
            return wanted;
        }
        let (first, skipped) = (offset / 4, offset % 4);
        let mut found = 0_u32;
        for index in 0..(skipped + count as usize).div_ceil(4) {
            let word = self.changed.get(first + index);
            let word = word.map_or(0, |word| word.load(Relaxed) ^ self.first);
            found |= u32::from(word) << (4 * index);
        }
        found >> skipped & wanted
    }

    /// Records the state of the `count` bytes at `offset`. A byte counts as written if its bit in `mask` is set, and as not written
    /// otherwise. `count` is at most 16.
    #[inline]
    pub(super) fn set(&self, offset: usize, count: u32, mask: u32) {
        let (first, skipped) = (offset / 4, offset % 4);
        let touched = ((1_u32 << count) - 1) << skipped;
        let mask = mask << skipped & touched;
        for index in 0..(skipped + count as usize).div_ceil(4) {
            let Some(word) = self.changed.get(first + index) else {
                return;
            };
            let part = |bits: u32| (bits >> (4 * index)) as u8 & WHOLE;
            let (touched, changed) = (part(touched), part(mask) ^ self.first);
            match touched {
                WHOLE => word.store(changed, Relaxed),
                _ => {
                    let merged = |old: u8| Some(old & !touched | changed & touched);
                    // The closure always returns a value, so the update cannot be refused.
                    let _ = word.fetch_update(Relaxed, Relaxed, merged);
                }
            }
        }
    }

    /// Records that a range was written.
    pub(super) fn mark(&self, offset: u64, bytes: u64) {
        if self.changed.is_empty() {
            // An allocation that always counts as written has no masks.
            return;
        }
        let mut at = offset as usize;
        let end = at + bytes as usize;
        let head = at.next_multiple_of(4).min(end) - at;
        self.set(at, head as u32, WHOLE.into());
        at += head;
        let whole = (end - at) / 4;
        for word in &self.changed[at / 4..at / 4 + whole] {
            word.store(WHOLE ^ self.first, Relaxed);
        }
        at += 4 * whole;
        self.set(at, (end - at) as u32, WHOLE.into());
    }

    /// The first byte of a range that does not count as written, as an offset from the start of the range.
    pub(super) fn first_unwritten(&self, offset: u64, bytes: u64) -> Option<u64> {
        const STEP: u64 = 16;
        if self.all.load(Relaxed) {
            return None;
        }
        (0..bytes).step_by(STEP as usize).find_map(|start| {
            let count = (bytes - start).min(STEP) as u32;
            let missing = !self.bytes((offset + start) as usize, count) & ((1 << count) - 1);
            (missing != 0).then(|| start + u64::from(missing.trailing_zeros()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_masks_at_every_offset() {
        for offset in 0..9 {
            for count in 0..=16_u32 {
                let written = Written::nothing(8).unwrap();
                written.mark(offset, count.into());
                let expected = ((1_u64 << count) - 1) << offset;
                for at in 0..16 {
                    let found = u64::from(written.bytes(at, 16));
                    assert_eq!(found, expected >> at & 0xffff, "{offset} {count} {at}");
                }
                written.set(offset as usize, count, 0b101);
                let found = u64::from(written.bytes(offset as usize, 16));
                assert_eq!(found, 0b101 & ((1 << count) - 1));
            }
        }
    }

    #[test]
    fn initially_written_bytes_may_become_undefined() {
        for offset in 0..9 {
            for count in 0..=16_u32 {
                let written = Written::everything(8).unwrap();
                assert_eq!(written.bytes(0, 16), 0xffff);
                assert_eq!(written.first_unwritten(0, 32), None);
                written.set(offset, count, 0b101);
                let hole = ((1_u64 << count) - 1) & !0b101;
                let found = u64::from(written.bytes(0, 16));
                assert_eq!(found, 0xffff & !(hole << offset), "{offset} {count}");
                written.mark(offset as u64, count.into());
                assert_eq!(written.first_unwritten(0, 32), None);
            }
        }
    }

    #[test]
    fn the_first_unwritten_byte_is_found() {
        let written = Written::nothing(16).unwrap();
        written.mark(3, 40);
        assert_eq!(written.first_unwritten(3, 40), None);
        assert_eq!(written.first_unwritten(5, 50), Some(38));
        assert_eq!(written.first_unwritten(2, 1), Some(0));
        written.trust();
        assert_eq!(written.first_unwritten(0, 64), None);
    }
}
