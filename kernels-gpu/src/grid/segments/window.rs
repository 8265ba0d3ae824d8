//! The chunks of a window.

use crate::element::Element;
use crate::op::Op;
use crate::segments::{chunk_items, room_items};
use crate::simt;

use super::Launch;

/// The chunks that begin in a block's window: consecutive items.
#[derive(Clone, Copy)]
pub struct Window {
    /// The segment of the first chunk.
    pub first: u64,
    /// The first chunk's first item.
    pub begin: u64,
    /// The last chunk's first item.
    pub last: u64,
    /// One past the last chunk's last item.
    pub end: u64,
    pub chunk_count: u32,
    /// Whether the first chunk is of a segment that began in an earlier window.
    pub has_tail: bool,
    /// That segment's first item.
    pub tail_begin: u64,
    /// Which of its chunks it is.
    pub tail_chunk: u64,
    /// Whether the last chunk is not its segment's last.
    pub is_cut: bool,
}

/// Chunks that are worked on at once.
#[derive(Clone, Copy)]
pub struct Work {
    /// The number in the window of the first.
    pub first_chunk: u32,
    pub chunk_count: u32,
    /// The first item.
    pub begin: u64,
    pub item_count: u32,
    /// The segment of the first chunk.
    pub segment: u64,
    /// The index in its segment of the first item.
    pub index: u64,
    /// Whether the first chunk's value is for the header's `tail`.
    pub has_tail: bool,
    /// Whether the last chunk's value is for the header's `cut`.
    pub is_cut: bool,
}

impl Window {
    /// All chunks; all but the last, if there is no room for that beside the others.
    #[inline(always)]
    pub fn first_round<T>(&self) -> Work {
        let items = (self.end - self.begin) as u32;
        let all = Work {
            first_chunk: 0,
            chunk_count: self.chunk_count,
            begin: self.begin,
            item_count: items,
            segment: self.first,
            index: self.tail_chunk * chunk_items::<T>(),
            has_tail: self.has_tail,
            is_cut: self.is_cut && !self.is_one_tail(),
        };
        if items + self.chunk_count <= room_items::<T>() as u32 {
            return all;
        }
        Work {
            chunk_count: self.chunk_count - 1,
            item_count: (self.last - self.begin) as u32,
            is_cut: false,
            ..all
        }
    }

    /// What comes after `work`, if anything.
    #[inline(always)]
    pub fn round_after<T>(&self, work: &Work, step: u32) -> Work {
        let first_chunk = work.first_chunk + work.chunk_count;
        Work {
            first_chunk,
            chunk_count: (self.chunk_count - first_chunk) * step,
            begin: self.last,
            item_count: (self.end - self.last) as u32,
            segment: self.first + first_chunk as u64,
            index: 0,
            has_tail: false,
            is_cut: self.is_cut,
        }
    }

    /// Whether the only chunk is one of an earlier segment's, and not its last.
    #[inline(always)]
    pub fn is_one_tail(&self) -> bool {
        self.has_tail && self.chunk_count == 1
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// The block's window, unless the offsets that say where it begins and ends are refused. It has at most as many segments as
    /// diagonals, and so many items before its last chunk; and all of its items exist.
    ///
    /// # Safety
    /// That of [`super::segmented_reduce`]; the header is written.
    #[inline(always)]
    pub unsafe fn window(&self) -> Option<Window> {
        const fn chunk<T>() -> u64 {
            chunk_items::<T>()
        }
        let offsets = &self.offsets;
        // SAFETY: the caller's; there are one offset more than segments, and the search found one of these numbers.
        unsafe {
            let number = simt::read_shared(&raw const (*self.header).window);
            let first = simt::read_shared(&raw const (*self.header).first);
            let end = simt::read_shared(&raw const (*self.header).end);
            let is_last_window = number == simt::block_count() - 1;
            if end < first
                || end - first > chunk::<T>()
                || is_last_window && end != offsets.segment_count
            {
                return None;
            }
            let mut window = Window {
                first,
                begin: 0,
                last: 0,
                end: 0,
                chunk_count: (end - first) as u32,
                has_tail: false,
                tail_begin: 0,
                tail_chunk: 0,
                is_cut: false,
            };
            if first > 0 {
                let (begin, end) = (offsets.get(first - 1), offsets.get(first));
                if begin > end || end > offsets.item_count {
                    return None;
                }
                let before = number as u64 * chunk::<T>() - (begin + first - 1);
                let tail_chunk = (before + chunk::<T>() - 1) / chunk::<T>();
                let tail = begin + tail_chunk * chunk::<T>();
                if tail < end {
                    window.first = first - 1;
                    window.chunk_count += 1;
                    window.has_tail = true;
                    window.tail_begin = begin;
                    window.tail_chunk = tail_chunk;
                    window.begin = tail;
                    window.last = tail;
                    window.is_cut = end - tail > chunk::<T>();
                    window.end = Ord::min(end, tail + chunk::<T>());
                }
            }
            if end > first {
                let begin = offsets.get(first);
                let (last, upto) = (offsets.get(end - 1), offsets.get(end));
                let has_room = last >= begin && last - begin <= chunk::<T>();
                if !has_room || last > upto || upto > offsets.item_count || window.is_cut {
                    return None;
                }
                if !window.has_tail {
                    window.begin = begin;
                }
                window.last = last;
                window.is_cut = upto - last > chunk::<T>();
                window.end = Ord::min(upto, last + chunk::<T>());
            }
            Some(window)
        }
    }
}
