//! The chunks of a window: found by one warp, told to the block.

use crate::element::Element;
use crate::op::Op;
use crate::segments::{chunk_items, room_items, Window, Work, NO_CHUNK};
use crate::simt;
use crate::tickets::{self, LAST_TAG};

use super::search::Search;
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Takes the block's ticket, finds the chunks that begin in its window, and tells the block.
    ///
    /// # Safety
    /// Convergent: the whole warp 0 of the block. The launch is that of [`super::segmented_reduce`].
    #[inline(always)]
    pub unsafe fn begin(&self) {
        // SAFETY: the caller's; nobody takes a ticket after the last.
        unsafe {
            let is_first_lane = simt::lane() == 0;
            let ticket = tickets::take_if(self.control, is_first_lane).ticket();
            let number = simt::shuffle_from(ticket.index, 0);
            if is_first_lane && number == simt::block_count() - 1 && ticket.tag != LAST_TAG {
                tickets::restart(self.control, ticket.tag);
            }
            let diagonal = number as u64 * chunk_items::<T>();
            let mut searches = [
                Search::new(diagonal, &self.offsets),
                Search::new(diagonal + chunk_items::<T>(), &self.offsets),
            ];
            let [first, end] = self.offsets.search(&mut searches);
            if is_first_lane {
                (*self.header).tag = ticket.tag;
                (*self.header).is_refused = 0;
                let (window, work) = self.chunks(number, first, end).unwrap_or_else(|| {
                    self.refuse();
                    (Window::NONE, Work::NONE)
                });
                (*self.header).window = window;
                (*self.header).work = work;
            }
        }
    }

    /// The chunks of a window, in which the segments from `first` to before `end` begin, unless the offsets that say where its
    /// chunks begin and end are refused. All of its items exist, and they are fewer than two chunks'.
    ///
    /// # Safety
    /// That of [`super::segmented_reduce`]; the segments exist, or are none behind the last one.
    #[inline(always)]
    unsafe fn chunks(&self, number: u32, first: u64, end: u64) -> Option<(Window, Work)> {
        let offsets = &self.offsets;
        let chunk = chunk_items::<T>();
        let is_last_window = number == simt::block_count() - 1;
        // Together the windows have all segments.
        let is_gap = is_last_window && end != offsets.segment_count;
        if end < first || end - first > chunk || is_gap {
            return None;
        }
        let mut window = Window {
            number,
            ..Window::NONE
        };
        let mut begin = None;
        let mut upto = 0;
        // SAFETY: the caller's; there is one offset more than segments.
        unsafe {
            if first > 0 {
                let (tail_begin, tail_end) = (offsets.get(first - 1), offsets.get(first));
                if tail_begin > tail_end || tail_end > offsets.item_count {
                    return None;
                }
                let before = number as u64 * chunk - (tail_begin + first - 1);
                let index = before.div_ceil(chunk);
                let tail = tail_begin + index * chunk;
                if tail < tail_end {
                    window.has_tail = 1;
                    window.tail_segment = first - 1;
                    window.tail_begin = tail_begin;
                    window.tail_index = index;
                    window.tail_is_last = (tail_end - tail <= chunk) as u32;
                    window.last = tail;
                    begin = Some(tail);
                    upto = Ord::min(tail_end, tail + chunk);
                }
            }
            if end > first {
                let next = offsets.get(first);
                let (last, last_end) = (offsets.get(end - 1), offsets.get(end));
                let is_sound = next <= last && last - next <= chunk && last <= last_end;
                let overlaps = window.has_tail != 0 && window.tail_is_last == 0;
                if !is_sound || last_end > offsets.item_count || overlaps {
                    return None;
                }
                begin = begin.or(Some(next));
                window.last = last;
                window.is_cut = (last_end - last > chunk) as u32;
                upto = Ord::min(last_end, last + chunk);
            }
        }
        let begin = begin.unwrap_or(upto);
        let all = Work {
            begin,
            segment: first - window.has_tail as u64,
            index: window.tail_index * chunk,
            item_count: (upto - begin) as u32,
            chunk_count: (end - first) as u32 + window.has_tail,
            tail_chunk: window.has_tail.wrapping_sub(1),
            cut_chunk: NO_CHUNK,
            next_items: 0,
        };
        if all.item_count + all.chunk_count > room_items::<T>() as u32 {
            let last_items = (upto - window.last) as u32;
            let work = Work {
                item_count: all.item_count - last_items,
                chunk_count: all.chunk_count - 1,
                next_items: last_items,
                ..all
            };
            return Some((window, work));
        }
        let mut work = all;
        if window.is_cut != 0 {
            work.cut_chunk = work.chunk_count - 1;
        }
        Some((window, work))
    }

    /// Takes the window's last chunk in hand.
    ///
    /// # Safety
    /// One thread of the block; none reads the chunks in hand at the time.
    #[inline(always)]
    pub unsafe fn turn_to_next(&self) {
        // SAFETY: the caller's.
        unsafe {
            let (window, work) = (self.window(), self.work());
            (*self.header).work = Work {
                begin: window.last,
                segment: work.segment + work.chunk_count as u64,
                index: 0,
                item_count: work.next_items,
                chunk_count: 1,
                tail_chunk: NO_CHUNK,
                // Its number is 0.
                cut_chunk: window.is_cut.wrapping_sub(1),
                next_items: 0,
            };
        }
    }
}
