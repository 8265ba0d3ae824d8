//! A block's windows: found by a warp each, told to the block.

use crate::element::Element;
use crate::op::Op;
use crate::segments::{chunk_items, room_items, vector_items, window_count};
use crate::segments::{Window, Work, NO_CHUNK};
use crate::simt;
use crate::tickets::{self, LAST_TAG};

use super::items::Room;
use super::search::Search;
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Takes the block's ticket, finds the chunks that begin in its windows, and tells the block. Clears the bits.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch is that of [`super::segmented_reduce`].
    #[inline(always)]
    pub unsafe fn begin(&self, room: Room<T, O::Accumulator>) {
        let warp = simt::warp();
        let is_first_lane = simt::lane() == 0;
        // SAFETY: the caller's; nobody takes a ticket after the last. What decides is the same on all lanes of a warp.
        unsafe {
            let taken = tickets::take_if(self.control, warp == 0 && is_first_lane);
            // While the ticket is on its way.
            let mut search = Search::new(&self.offsets);
            let first_look = if warp <= self.windows_per_block {
                search.look(&self.offsets)
            } else {
                0
            };
            self.clear_bits(room);
            self.clear_bits(room.next());
            if warp == 0 && is_first_lane {
                let ticket = taken.ticket();
                if ticket.index == simt::block_count() - 1 && ticket.tag != LAST_TAG {
                    tickets::restart(self.control, ticket.tag);
                }
                (*self.header).ticket = ticket.index;
                (*self.header).tag = ticket.tag;
                (*self.header).is_refused = 0;
            }
            // Orders the ticket, and the cleared bits, before everybody's accesses.
            simt::barrier();
            let window = self.window_number(warp);
            if warp <= self.windows_per_block {
                let diagonal = window * chunk_items::<T, O::Accumulator>();
                let border = search.run(diagonal, first_look, &self.offsets);
                if is_first_lane {
                    self.border(warp).write(border);
                }
            }
            // Orders the borders before the reads just below.
            simt::barrier();
            if warp < self.windows_per_block && is_first_lane {
                let first = simt::read_shared(self.border(warp));
                let end = simt::read_shared(self.border(warp + 1));
                let (window, works) = self.chunks(warp, window, first, end).unwrap_or_else(|| {
                    self.refuse();
                    (Window::NONE, [Work::NONE; 2])
                });
                self.window_address(warp).write(window);
                self.work_address(2 * warp).write(works[0]);
                self.work_address(2 * warp + 1).write(works[1]);
            }
            // Orders the windows before everybody's reads.
            simt::barrier();
        }
    }

    /// The number of the block's window `window`.
    ///
    /// # Safety
    /// The ticket is written.
    #[inline(always)]
    pub unsafe fn window_number(&self, window: u32) -> u64 {
        // SAFETY: the caller's.
        let ticket = unsafe { simt::read_shared(&raw const (*self.header).ticket) };
        ticket as u64 * self.windows_per_block as u64 + window as u64
    }

    /// The chunks of window `number`, the block's window `window`, in which the segments from `first` to before `end` begin, unless the
    /// offsets that say where its chunks begin and end are refused. All of its items exist, and they are fewer than two chunks'.
    ///
    /// # Safety
    /// That of [`super::segmented_reduce`]; the segments exist, or are none behind the last one.
    #[inline(always)]
    unsafe fn chunks(
        &self,
        window: u32,
        number: u64,
        first: u64,
        end: u64,
    ) -> Option<(Window, [Work; 2])> {
        let offsets = &self.offsets;
        let chunk = chunk_items::<T, O::Accumulator>();
        let count = window_count::<T, O::Accumulator>(offsets.item_count, offsets.segment_count);
        if number >= count {
            return Some((Window::NONE, [Work::NONE; 2]));
        }
        // Together the windows have all segments.
        let is_gap = number == count - 1 && end != offsets.segment_count;
        if end < first || end - first > chunk || is_gap {
            return None;
        }
        let mut tail = Window::NONE;
        let mut begin = None;
        let (mut upto, mut last, mut is_cut) = (0, 0, false);
        // SAFETY: the caller's; there is one offset more than segments.
        unsafe {
            // All at once, since each takes its time.
            let tail_begin = offsets.get(first.saturating_sub(1));
            let next = offsets.get(first);
            let last_begin = offsets.get(Ord::max(end, 1) - 1);
            let last_end = offsets.get(end);
            let tail_end = next;
            if first > 0 {
                if tail_begin > tail_end || tail_end > offsets.item_count {
                    return None;
                }
                let before = number * chunk - (tail_begin + first - 1);
                let index = before.div_ceil(chunk);
                last = tail_begin + index * chunk;
                if last < tail_end {
                    tail = Window {
                        segment: first - 1,
                        begin: tail_begin,
                        index,
                        has_tail: 1,
                        is_last: (tail_end - last <= chunk) as u32,
                    };
                    begin = Some(last);
                    upto = Ord::min(tail_end, last + chunk);
                }
            }
            if end > first {
                last = last_begin;
                let is_sound = next <= last && last - next <= chunk && last <= last_end;
                let overlaps = tail.has_tail != 0 && tail.is_last == 0;
                if !is_sound || last_end > offsets.item_count || overlaps {
                    return None;
                }
                begin = begin.or(Some(next));
                is_cut = last_end - last > chunk;
                upto = Ord::min(last_end, last + chunk);
            }
        }
        let begin = begin.unwrap_or(upto);
        let chunk_count = (end - first) as u32 + tail.has_tail;
        let work = Work {
            segment: first - tail.has_tail as u64,
            index: tail.index * chunk,
            chunk_count,
            tail_chunk: tail.has_tail.wrapping_sub(1),
            window,
            ..Work::NONE
        };
        let cut_chunk = |chunk: u32| if is_cut { chunk } else { NO_CHUNK };
        let room = room_items::<T, O::Accumulator>() as u64;
        if upto - begin + chunk_count as u64 <= room {
            let all = Work {
                cut_chunk: cut_chunk(chunk_count.wrapping_sub(1)),
                ..work
            };
            return Some((tail, [self.placed(all, begin, upto), Work::NONE]));
        }
        let others = Work {
            chunk_count: chunk_count - 1,
            is_followed: 1,
            ..work
        };
        let alone = Work {
            segment: work.segment + others.chunk_count as u64,
            chunk_count: 1,
            cut_chunk: cut_chunk(0),
            window,
            ..Work::NONE
        };
        let works = [
            self.placed(others, begin, last),
            self.placed(alone, last, upto),
        ];
        Some((tail, works))
    }

    /// A work with the items from `begin` to before `end`.
    #[inline(always)]
    fn placed(&self, work: Work, begin: u64, end: u64) -> Work {
        let first = self.input.wrapping_add(begin as usize);
        let place = first.addr() / size_of::<T>() % vector_items::<T>() as usize;
        Work {
            base: begin.wrapping_sub(place as u64),
            begin: place as u32,
            end: place as u32 + (end - begin) as u32,
            ..work
        }
    }

    /// A work of the block; of each window there are two, of which the second may be none.
    ///
    /// # Safety
    /// The works are written; there is such a one.
    #[inline(always)]
    pub unsafe fn work(&self, number: u32) -> Work {
        // SAFETY: the caller's.
        unsafe { simt::read_shared(self.work_address(number)) }
    }

    /// The work after a work.
    ///
    /// # Safety
    /// The works are written; there is such a one.
    #[inline(always)]
    pub unsafe fn work_after(&self, number: u32) -> u32 {
        // SAFETY: the caller's.
        let is_followed = unsafe { self.work(number).is_followed };
        // The first of a window's is perhaps its only one.
        number + 2 - ((number % 2) | is_followed)
    }

    /// How many works there are.
    #[inline(always)]
    pub fn work_count(&self) -> u32 {
        2 * self.windows_per_block
    }

    /// Where the segment is that begins first behind the border before a window.
    ///
    /// # Safety
    /// There is such a window, or it is the one behind the last.
    #[inline(always)]
    unsafe fn border(&self, window: u32) -> *mut u64 {
        // SAFETY: the caller's.
        unsafe {
            let borders: *mut u64 = (&raw mut (*self.header).borders).cast();
            borders.add(window as usize)
        }
    }

    /// Where a window is.
    ///
    /// # Safety
    /// There is such a window.
    #[inline(always)]
    unsafe fn window_address(&self, window: u32) -> *mut Window {
        // SAFETY: the caller's.
        unsafe {
            let windows: *mut Window = (&raw mut (*self.header).windows).cast();
            windows.add(window as usize)
        }
    }

    /// Where a work is.
    ///
    /// # Safety
    /// There is such a work.
    #[inline(always)]
    unsafe fn work_address(&self, number: u32) -> *mut Work {
        // SAFETY: the caller's.
        unsafe {
            let works: *mut Work = (&raw mut (*self.header).works).cast();
            works.add(number as usize)
        }
    }

    /// One of the block's windows.
    ///
    /// # Safety
    /// The windows are written; there is such a one.
    #[inline(always)]
    pub unsafe fn window(&self, number: u32) -> Window {
        // SAFETY: the caller's.
        unsafe { simt::read_shared(self.window_address(number)) }
    }

    /// Where the value is of a window's chunk that is combined with what stands before it.
    ///
    /// # Safety
    /// There is such a window.
    #[inline(always)]
    pub unsafe fn tail(&self, window: u32) -> *mut O::Accumulator {
        // SAFETY: the caller's.
        unsafe {
            let tails: *mut O::Accumulator = (&raw mut (*self.header).tails).cast();
            tails.add(window as usize)
        }
    }
}
