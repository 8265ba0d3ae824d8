//! A block's windows: found by a warp each, handed to the block.

use crate::direction::Heading;
use crate::element::Element;
use crate::op::Op;
use crate::segments::{chunk_items, room_items, vector_items, window_count};
use crate::segments::{Window, Work, NO_CHUNK};
use crate::simt;
use crate::tickets::{self, LAST_TAG};

use super::items::Room;
use super::search::{Offsets, Search};
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Takes the block's ticket, finds the chunks that begin in its windows, and hands them to the block. Clears the bits. False, on all threads,
    /// if the block has no windows: there are fewer segments than there may be.
    ///
    /// # Safety
    /// Convergent: the whole block. The launch is that of [`super::segmented_reduce`].
    #[inline(always)]
    pub unsafe fn begin(&self, room: Room<T, O::Accumulator>) -> bool {
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
            if self.window_number(0) >= self.window_count() {
                return false;
            }
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
                self.hand_over_chunks(warp, window, first, end);
            }
            // Orders the windows before everybody's reads.
            simt::barrier();
        }
        true
    }

    /// Windows of the launch.
    #[inline(always)]
    fn window_count(&self) -> u64 {
        let Offsets {
            item_count,
            segment_count,
            ..
        } = self.offsets;
        window_count::<T, O::Accumulator>(item_count, segment_count)
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

    /// Hands to the block the chunks of window `number`, the block's window `window`, in which the segments from `first` to before `end`
    /// begin; none where the offsets that say where its chunks begin and end are refused. All of its items exist, and they are fewer
    /// than two chunks'.
    ///
    /// # Safety
    /// The same as for [`super::segmented_reduce`]; the segments exist, or end at the last one. Nobody else accesses the window and
    /// its works.
    #[inline(always)]
    unsafe fn hand_over_chunks(&self, window: u32, number: u64, first: u64, end: u64) {
        let offsets = &self.offsets;
        let chunk = chunk_items::<T, O::Accumulator>();
        let count = self.window_count();
        // Numbers, and no structs until they are written: rust-cuda's compiler merges constant structs with others byte by byte.
        let (mut has_tail, mut is_last, mut tail_begin, mut index) = (0, 0, 0, 0);
        let (mut begin, mut last, mut upto, mut is_cut) = (0, 0, 0, false);
        let mut chunk_count = 0;
        let is_sound = 'check: {
            if number >= count {
                break 'check true;
            }
            // Together the windows have all segments.
            let is_gap = number == count - 1 && end != offsets.segment_count;
            if end < first || end - first > chunk || is_gap {
                break 'check false;
            }
            // All at once, since each takes its time.
            // SAFETY: the caller's; there is one offset more than segments.
            let [before, next, last_begin, last_end] = unsafe {
                [
                    offsets.get(first.saturating_sub(1)),
                    offsets.get(first),
                    offsets.get(Ord::max(end, 1) - 1),
                    offsets.get(end),
                ]
            };
            if first > 0 {
                // The search has read them before: they may have changed.
                let is_after = before + first > number * chunk;
                if before > next || next > offsets.item_count || is_after {
                    break 'check false;
                }
                tail_begin = before;
                index = (number * chunk - (tail_begin + first - 1)).div_ceil(chunk);
                last = tail_begin + index * chunk;
                if last < next {
                    has_tail = 1;
                    is_last = (next - last <= chunk) as u32;
                    begin = last;
                    upto = Ord::min(next, last + chunk);
                }
            }
            if end > first {
                last = last_begin;
                let is_ascending = next <= last && last <= last_end;
                // A tail that is not its segment's last chunk fills the window: no segment begins there.
                if !is_ascending || last_end > offsets.item_count || has_tail > is_last {
                    break 'check false;
                }
                if has_tail == 0 {
                    begin = next;
                }
                // All chunks begin in the window, on diagonals of their own.
                if last - begin + (end - first) + has_tail as u64 > chunk {
                    break 'check false;
                }
                is_cut = last_end - last > chunk;
                upto = Ord::min(last_end, last + chunk);
            }
            chunk_count = (end - first) as u32 + has_tail;
            true
        };
        if !is_sound {
            // SAFETY: the caller's.
            unsafe { self.refuse() };
            (has_tail, begin, upto) = (0, 0, 0);
        } else if number < count && !is_cut && has_tail <= is_last && offsets.are_read() {
            // Nobody waits for it, unless the offsets have changed since others read them.
            // SAFETY: the board has a slot for each window, and nobody else publishes this one: the window has no chunk to publish.
            unsafe { self.board().publish(number as u32, O::identity()) };
        }
        // The last chunk is a work of its own, if there is no room for all.
        let room = room_items::<T, O::Accumulator>() as u64;
        let is_followed = (upto - begin + chunk_count as u64 > room) as u32;
        let segment = first.wrapping_sub(has_tail as u64);
        let end_of_first = if is_followed != 0 { last } else { upto };
        let cuts_first = is_cut && is_followed == 0;
        // SAFETY: the caller's.
        unsafe {
            self.window_address(window).write(Window {
                segment: first.wrapping_sub(1),
                begin: tail_begin,
                index,
                has_tail,
                is_last,
            });
            let place = self.place_of(begin);
            self.work_address(2 * window).write(Work {
                base: begin.wrapping_sub(place as u64),
                segment,
                index: index * has_tail as u64 * chunk,
                begin: place,
                end: place + (end_of_first - begin) as u32,
                chunk_count: chunk_count - is_followed,
                tail_chunk: has_tail.wrapping_sub(1),
                cut_chunk: if cuts_first {
                    chunk_count.wrapping_sub(1)
                } else {
                    NO_CHUNK
                },
                window,
                is_followed,
            });
            let place = self.place_of(last);
            self.work_address(2 * window + 1).write(Work {
                base: last.wrapping_sub(place as u64),
                segment: (segment + chunk_count as u64).wrapping_sub(1),
                index: 0,
                begin: place,
                end: place + upto.wrapping_sub(last) as u32,
                chunk_count: is_followed,
                tail_chunk: NO_CHUNK,
                cut_chunk: if is_cut { 0 } else { NO_CHUNK },
                window,
                is_followed: 0,
            });
        }
    }

    /// The place in its vector of an item.
    #[inline(always)]
    fn place_of(&self, item: u64) -> u32 {
        let offsets = &self.offsets;
        let place = offsets.direction.place(item, offsets.item_count);
        let address = self.input.wrapping_add(place as usize).addr();
        let place = address as u64 / size_of::<T>() as u64 % vector_items::<T>() as u64;
        offsets.direction.place(place, vector_items::<T>() as u64) as u32
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

    /// Where the segment is that begins first after the border before a window.
    ///
    /// # Safety
    /// There is such a window, or it is one past the last.
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
