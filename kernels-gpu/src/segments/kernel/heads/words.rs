//! Words in shared memory that say where a window's chunks begin: one word for each 32 items of a window of full size.
//!
//! The last chunk may end after the items of these words. One more word stands for all later items. The window's flags follow.

use crate::element::{Accumulator, Element};
use crate::segments::{chunk_items, Layout};
use crate::simt;

use super::super::items::Room;
use super::keys::NEAR_WORDS;
use super::window::NODE_WORDS;

/// Says at which of 32 consecutive items chunks begin, and where the nearest chunks before and after these items begin. Places are counted
/// from the window's first item.
#[derive(Clone, Copy)]
pub struct Word {
    /// A bit for each item at which a chunk of the window begins.
    pub heads: u32,
    /// One more than the start of the window's last chunk that begins before these items; 0 if no chunk begins before them.
    pub before: u32,
    /// The start of the window's first chunk that begins after these items. If no chunk begins after them, the end of the window's last
    /// chunk.
    pub after: u32,
}

/// The size in bytes of the window's flags. The words before them and the numbers after them are aligned.
pub const FLAG_BYTES: usize = 8;

/// The number of bits of [`Word::heads`], one for each item.
const WORD_BITS: u32 = u32::BITS;

impl Word {
    /// No chunks.
    pub const NONE: Self = Word {
        heads: 0,
        before: 0,
        after: 0,
    };

    /// The word in the form in which it is kept in shared memory.
    #[inline(always)]
    pub fn packed(&self) -> u64 {
        self.heads as u64 | ((self.before | self.after << 16) as u64) << 32
    }

    /// The end of the chunk that begins at bit `bit` of the word. The word is number `number`.
    #[inline(always)]
    pub fn end_of(&self, number: u32, bit: u32) -> u32 {
        let later = self.heads >> bit >> 1;
        match later {
            0 => self.after,
            _ => number * WORD_BITS + bit + 1 + later.trailing_zeros(),
        }
    }

    /// A bit for each chunk that begins at these 32 items and has at most 16 items. The word is number `number`.
    #[inline(always)]
    pub fn short_heads(&self, number: u32) -> u32 {
        // The 16 places before each head.
        let mut near = self.heads >> 1;
        near |= near >> 1;
        near |= near >> 2;
        near |= near >> 4;
        near |= near >> 8;
        let last_bit = (u32::BITS - 1).wrapping_sub(self.heads.leading_zeros());
        let last_length = self.after.wrapping_sub(number * WORD_BITS + last_bit);
        if self.heads != 0 && last_length <= 16 {
            near |= 1 << last_bit;
        }
        self.heads & near
    }
}

impl<T: Element, A: Accumulator> Room<T, A> {
    /// How many words a window of full size has. A smaller window has as many; its last words have no heads.
    pub const WINDOW_WORDS: u32 = chunk_items::<T, A>() as u32 / WORD_BITS;

    /// The address of word `number`, which has the form of [`Word::packed`].
    #[inline(always)]
    pub fn word_address(&self, number: u32) -> *mut u64 {
        let words: *mut u64 = self.bits_memory().cast();
        words.wrapping_add(number as usize)
    }

    /// Word `number` of the window. If `number` is past the window's words, returns the word that stands for all later items.
    ///
    /// # Safety
    /// The words are written.
    #[inline(always)]
    pub unsafe fn word(&self, number: u32) -> Word {
        let number = Ord::min(number, Self::WINDOW_WORDS);
        // SAFETY: the word is in shared memory, and written: this function's condition.
        let packed = unsafe { simt::read_shared(self.word_address(number)) };
        let around = (packed >> 32) as u32;
        Word {
            heads: packed as u32,
            before: around & 0xffff,
            after: around >> 16,
        }
    }

    /// The address of a word's count: how many chunks of the window begin before the word's items. Only a reduction has these counts.
    #[inline(always)]
    pub fn heads_count(&self, number: u32) -> *mut u32 {
        const {
            let words = Self::WINDOW_WORDS as usize + 1;
            let bytes = words * (size_of::<u64>() + size_of::<u32>()) + FLAG_BYTES;
            assert!(bytes <= Layout::word_bytes::<T, A>());
        }
        let counts: *mut u32 = self.after_flags().cast();
        counts.wrapping_add(number as usize)
    }

    /// How many chunks of the window begin before `place`. Only a reduction calls this.
    ///
    /// # Safety
    /// The words and their counts are written.
    #[inline(always)]
    pub unsafe fn heads_before(&self, place: u32) -> u32 {
        let (number, bit) = (place / WORD_BITS, place % WORD_BITS);
        // SAFETY: the words and their counts are written: this function's condition.
        unsafe {
            let heads = self.word(number).heads & ((1 << bit) - 1);
            simt::read_shared(self.heads_count(number)) + heads.count_ones()
        }
    }

    /// The address of the bits that a block makes from the keys: one for each item of the window, and of a few items before and after the
    /// window. A bit says whether the item is a head. The bits take the room of the leaves' values, and begin at a multiple of 16 bytes.
    #[inline(always)]
    pub fn raw_bits(&self) -> *mut u32 {
        const {
            let layout = Self::KEYED_LAYOUT;
            let words = NEAR_WORDS + Self::WINDOW_WORDS + NODE_WORDS;
            let bytes = words as usize * size_of::<u32>();
            assert!(layout.leaves.is_multiple_of(16) && layout.leaves + bytes <= layout.nodes);
        }
        self.leaf(0, 0).cast()
    }

    /// The address of the flags of the window's work.
    #[inline(always)]
    pub fn flags_of_runs(&self) -> *mut u32 {
        self.word_address(Self::WINDOW_WORDS + 1).cast()
    }

    /// The address of the memory after the flags.
    #[inline(always)]
    pub fn after_flags(&self) -> *mut u8 {
        let flags: *mut u8 = self.flags_of_runs().cast();
        flags.wrapping_add(FLAG_BYTES)
    }
}
