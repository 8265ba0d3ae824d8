//! A block's windows. For each window, one warp finds the chunks that begin in it, and describes them in shared memory for the whole block.

use crate::contract::trailing_zeros;
use crate::direction::Heading;
use crate::element::Element;
use crate::op::Op;
use crate::segments::{self, chunk_items, room_items, row_items, vector_items};
use crate::segments::{RoomSize, Task, Window, Work, NO_CHUNK};
use crate::tickets;
use crate::{simt, warp};

use super::items::Room;
use super::search::{Offsets, Search};
use super::Launch;

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Takes the block's ticket and finds the borders of its windows. Writes the ticket, the tag, `is_refused` and the borders to the
    /// header. Clears the bits of `room` and of the next room. Returns the number that the block's window `warp` has in the launch, where
    /// `warp` is the number of the calling warp. `None` on all threads if the block has no windows: a segment count from device memory may
    /// be less than the count for which the blocks were launched. Then the borders are not written.
    ///
    /// # Safety
    /// Convergent: the whole block, which calls this first, and once.
    #[inline(always)]
    pub unsafe fn begin(&self, room: Room<T, O::Accumulator>) -> Option<u64> {
        let warp = simt::warp();
        let is_first_lane = simt::lane() == 0;
        // SAFETY: the whole block is here, and uses its shared memory for the first time: this function's condition. All threads return
        // early, or none. The branches around the steps of the search go the same way on all lanes of a warp. `control` belongs to the
        // workspace, and the offsets are readable: the launch's conditions 6 and 3. The block with the last ticket restarts the tickets,
        // since no block takes another ticket. Border `warp` is in bounds: `warp <= windows_per_block`.
        unsafe {
            let taken = tickets::take_if(self.control, warp == 0 && is_first_lane);
            // The first look overlaps the wait for the ticket.
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
                tickets::restart_after_last(self.control, ticket);
                (*self.header).ticket = ticket.index;
                (*self.header).tag = ticket.tag;
                (*self.header).is_refused = 0;
                (*self.header).waits_in_vain = 0;
            }
            // Orders the writes of the ticket and of the cleared bits before all threads' accesses.
            simt::barrier();
            if self.window_number(0) >= self.window_count() {
                return None;
            }
            let window = self.window_number(warp);
            if warp <= self.windows_per_block {
                let diagonal = window << self.window_shift;
                let border = search.run(diagonal, first_look, &self.offsets);
                if is_first_lane {
                    self.border(warp).write(border);
                }
            }
            // Orders the writes of the borders before all threads' reads.
            simt::barrier();
            Some(window)
        }
    }

    /// Finds the chunks that begin in the block's windows, and writes the windows and their works to the header. `window` is the result of
    /// [`Self::begin`].
    ///
    /// # Safety
    /// Convergent: the whole block, once. `begin` has returned `window`.
    #[inline(always)]
    pub unsafe fn write_windows(&self, window: u64) {
        let warp = simt::warp();
        // SAFETY: the whole block is here, and `begin` has written the ticket, the tag and the borders: this function's conditions. The
        // search returns at most `segment_count`, so the borders are at most `segment_count`. Each window is written by only one warp.
        unsafe {
            if warp < self.windows_per_block {
                let first = simt::read_shared(self.border(warp));
                let end = simt::read_shared(self.border(warp + 1));
                self.write_window(warp, window, first, end);
            }
            // Orders the writes of the windows before all threads' reads.
            simt::barrier();
        }
    }

    /// The number of windows of the launch.
    #[inline(always)]
    pub fn window_count(&self) -> u64 {
        let Offsets {
            item_count,
            segment_count,
            ..
        } = self.offsets;
        segments::window_count(item_count + segment_count, self.window_shift)
    }

    /// The number that the block's window `window` has in the launch.
    ///
    /// # Safety
    /// The ticket is written.
    #[inline(always)]
    pub unsafe fn window_number(&self, window: u32) -> u64 {
        // SAFETY: the ticket is in shared memory, and written: this function's condition.
        let ticket = unsafe { simt::read_shared(&raw const (*self.header).ticket) };
        ticket as u64 * self.windows_per_block as u64 + window as u64
    }

    /// Writes a window and its works. The window has number `number` in the launch, and number `window` in the block. The segments from
    /// `first` to `end`, exclusive, begin in it. If this function refuses the offsets, it writes a window without chunks. Otherwise, all
    /// items of the window's chunks exist, and they are fewer than the items of two full chunks.
    ///
    /// # Safety
    /// 1. Convergent: the whole warp, with the same arguments. The ticket and the tag are written.
    /// 2. `window < windows_per_block`, and `first` and `end` are at most `segment_count`.
    /// 3. No thread of another warp accesses the window and its works before the next barrier.
    #[inline(always)]
    unsafe fn write_window(&self, window: u32, number: u64, first: u64, end: u64) {
        // SAFETY: the whole warp is here (condition 1); `first` and `end` are at most `segment_count` (condition 2), and the offsets are
        // readable (the launch's condition 3).
        let [before, next, last_begin, last_end] = unsafe { self.offsets_around(first, end) };
        if simt::lane() != 0 {
            return;
        }
        let offsets = &self.offsets;
        let chunk = chunk_items::<T, O::Accumulator>();
        let count = self.window_count();
        let exists = number < count;
        let diagonals = 1 << self.window_shift;
        let diagonal = number << self.window_shift;
        // All values are computed before the offsets are checked, so the values may wrap. There are few branches, since this one lane works
        // while the block waits. Until the values are written, they are plain variables, not structs: rust-cuda's compiler merges constant
        // structs with others byte by byte.
        let follows = exists & (first > 0);
        let begins = exists & (end > first);
        // Of the chunks of segment `first - 1`, the tail is the first one that begins at the window's first diagonal or after it.
        let distance = diagonal.wrapping_sub(before.wrapping_add(first.wrapping_sub(1)));
        let index = distance.div_ceil(chunk);
        let tail = before.wrapping_add(index.wrapping_mul(chunk));
        let in_window = tail.wrapping_add(first) <= diagonal + diagonals;
        let mut has_tail = follows & (tail < next) & in_window;
        let is_last = has_tail & (next.wrapping_sub(tail) <= chunk);
        let mut begin = if has_tail { tail } else { next };
        let (last, stop) = if begins {
            (last_begin, last_end)
        } else {
            (tail, next)
        };
        let mut is_cut = begins & (last_end.wrapping_sub(last) > chunk);
        let mut upto = Ord::min(stop, last.wrapping_add(chunk));
        let started = end.wrapping_sub(first);
        let mut chunk_count = started as u32 + has_tail as u32;
        // The last window must end at the last segment, so that the windows together have all segments.
        let is_gap = (number == count - 1) & (end != offsets.segment_count);
        // The search has read these offsets, but they may have changed since then.
        let is_after = before.wrapping_add(first) > diagonal;
        let is_wrong_before = (before > next) | (next > offsets.item_count) | is_after;
        // A tail that is not its segment's last chunk reaches at least to the window's end, so no segment begins in the window.
        let is_full = has_tail & !is_last;
        // If only one segment begins in the window, `next` and `last` are reads of the same offset.
        let is_same = (next == last) | (started > 1);
        let ascends = (next <= last) & (last <= stop) & (stop <= offsets.item_count) & is_same;
        // All chunks must begin within the window's diagonals.
        let used = last.wrapping_sub(begin).wrapping_add(chunk_count as u64);
        let is_wrong_at = !ascends | is_full | (used > diagonals);
        let is_unsound = exists & ((end < first) | (started > diagonals) | is_gap)
            | follows & is_wrong_before
            | begins & is_wrong_at;
        if is_unsound {
            // SAFETY: the tag is written: condition 1.
            unsafe { self.refuse() };
            has_tail = false;
        } else if exists & !is_cut & !is_full & offsets.are_read() {
            // If all blocks have read the same offsets, none of them waits for this value. A block that has read other offsets may wait for
            // it.
            // SAFETY: the tag is written: condition 1. The board has a slot for each window (the launch's condition 6). No other thread
            // publishes this window's slot: the window has no chunk to publish.
            unsafe { self.board().publish(number as u32, O::identity()) };
        }
        if is_unsound | !(has_tail | begins) {
            (begin, upto, chunk_count, is_cut) = (0, 0, 0, false);
        }
        // If not all chunks fit in one work, the last chunk is a second work.
        let room = self.room_items() as u64;
        let has_tail = has_tail as u32;
        let is_followed = (upto - begin + chunk_count as u64 > room) as u32;
        let segment = first.wrapping_sub(has_tail as u64);
        let end_of_first = if is_followed != 0 { last } else { upto };
        let cuts_first = is_cut && is_followed == 0;
        // SAFETY: `window < windows_per_block` (condition 2), so the header has the window and works `2 * window` and `2 * window + 1`; no
        // other thread accesses them (condition 3).
        unsafe {
            self.window_address(window).write(Window {
                segment: first.wrapping_sub(1),
                begin: before,
                index,
                has_tail,
                is_last: is_last as u32,
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
                starts: self.starts_of(segment, chunk_count - is_followed),
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
                starts: self.starts_of_one(),
            });
        }
    }

    /// Offset `first - 1` (offset 0 if `first` is 0), offset `first`, and the same two for `end`. Each of the lanes 0 to 3 loads one of
    /// these.
    ///
    /// # Safety
    /// Convergent: the whole warp, with the same arguments. The offsets are readable, and `first` and `end` are at most `segment_count`.
    #[inline(always)]
    unsafe fn offsets_around(&self, first: u64, end: u64) -> [u64; 4] {
        let lane = simt::lane();
        let at = if lane & 2 == 0 { first } else { end };
        let index = at - (lane & 1 == 0 && at > 0) as u64;
        // SAFETY: the offsets are readable, `index <= segment_count`, and the whole warp is here: this function's conditions.
        unsafe {
            let offset = self.offsets.get(index);
            [
                warp::shuffle_from(offset, 0),
                warp::shuffle_from(offset, 1),
                warp::shuffle_from(offset, 2),
                warp::shuffle_from(offset, 3),
            ]
        }
    }

    /// The number for the room that the block has: the first one for [`RoomSize::Small`], then for [`RoomSize::Usual`] and
    /// [`RoomSize::Double`]. If windows have fewer diagonals than a chunk has items, even a reduction has at least the usual room.
    #[inline(always)]
    pub fn by_room_size(&self, [small, usual, double]: [u32; 3]) -> u32 {
        let chunk_shift = const { trailing_zeros(chunk_items::<T, O::Accumulator>()) };
        let is_small = self.window_shift < chunk_shift;
        if self.has_double_room() {
            double
        } else if self.task == Task::Scan || is_small {
            usual
        } else {
            small
        }
    }

    /// The most items and chunks of a work.
    #[inline(always)]
    pub fn room_items(&self) -> u32 {
        self.by_room_size(
            const {
                [
                    room_items::<T, O::Accumulator>(RoomSize::Small) as u32,
                    room_items::<T, O::Accumulator>(RoomSize::Usual) as u32,
                    room_items::<T, O::Accumulator>(RoomSize::Double) as u32,
                ]
            },
        )
    }

    /// The place of an item in a work whose place 0 is in the item's row. Rows of 128 bytes of the input begin at multiples of 128 bytes.
    #[inline(always)]
    pub fn place_of(&self, item: u64) -> u32 {
        let offsets = &self.offsets;
        let place = offsets.direction.place(item, offsets.item_count);
        let address = self.input.wrapping_add(place as usize).addr();
        let place = address as u64 / size_of::<T>() as u64 % row_items::<T>() as u64;
        offsets.direction.place(place, row_items::<T>() as u64) as u32
    }

    /// As [`Self::place_of`], for a work whose place 0 is in the item's vector. Works of segments that start at heads are so: windows of
    /// items begin at rows anyway, if the input does.
    #[inline(always)]
    pub fn place_in_vector(&self, item: u64) -> u32 {
        self.place_of(item) % vector_items::<T>()
    }

    /// A work of the block. Each window has two works. Either the second work or both works may be empty.
    ///
    /// # Safety
    /// The header is written, and `number < work_count`. If segments start at heads and `number` is odd, `is_followed` of work `number - 1`
    /// is 1.
    #[inline(always)]
    pub unsafe fn work(&self, number: u32) -> Work {
        // SAFETY: the work is written with the header, and `number < work_count`: this function's conditions.
        unsafe { simt::read_shared(self.work_address(number)) }
    }

    /// The number of the work after work `number`.
    ///
    /// # Safety
    /// The same conditions as for [`Self::work`].
    #[inline(always)]
    pub unsafe fn work_after(&self, number: u32) -> u32 {
        // SAFETY: the same conditions as this function's.
        let is_followed = unsafe { self.work(number).is_followed };
        // A window's second work is skipped if it is empty.
        number + 2 - ((number % 2) | is_followed)
    }

    /// Works `number` and `number + 1` belong to one window. Returns the number of the work that a scan takes first. If the block has no
    /// work `number`, returns `number`.
    ///
    /// # Safety
    /// The header is written, and `number` is even.
    #[inline(always)]
    pub unsafe fn first_scanned(&self, number: u32) -> u32 {
        // SAFETY: the header is written, and `number` is even: this function's conditions. `begins_with_second` is called only if the block
        // has work `number`.
        let begins_with_second =
            number < self.work_count() && unsafe { self.begins_with_second(number) };
        number + begins_with_second as u32
    }

    /// The number of the work that a scan takes after work `number`.
    ///
    /// # Safety
    /// The same conditions as for [`Self::work`].
    #[inline(always)]
    pub unsafe fn scanned_after(&self, number: u32) -> u32 {
        let first = number & !1;
        // SAFETY: the header is written, and the block has the work's window: this function's conditions.
        unsafe {
            let is_last = match self.begins_with_second(first) {
                true => number == first,
                false => number != first || self.work(first).is_followed == 0,
            };
            match is_last {
                true => self.first_scanned(first + 2),
                false => number ^ 1,
            }
        }
    }

    /// Whether a scan takes the second work of a window before the first. It does so if other blocks wait for the value of the second
    /// work's chunk. The first work may have to wait for earlier windows, so if it came first, this value would come later.
    ///
    /// Scans by key had second works too, until 2026-11-27. Those of 2^28 `f32`, in runs whose lengths follow a power law, took 1,122 µs on
    /// an H200 (2026-11-26). They took 1,162 µs when each window's first work always came first.
    ///
    /// # Safety
    /// The header is written, and `first` is even and less than `work_count`.
    #[inline(always)]
    unsafe fn begins_with_second(&self, first: u32) -> bool {
        // SAFETY: the header is written, and the block has the first work: this function's conditions. If its `is_followed` is not 0, the
        // block has the second work.
        unsafe { self.work(first).is_followed != 0 && self.work(first + 1).cut_chunk != NO_CHUNK }
    }

    /// How many works the block has, including the empty ones.
    #[inline(always)]
    pub fn work_count(&self) -> u32 {
        2 * self.windows_per_block
    }

    /// The address of a number in the header: the number of the first segment that begins at the block's border `window` or after it.
    ///
    /// # Safety
    /// `window <= windows_per_block`.
    #[inline(always)]
    pub unsafe fn border(&self, window: u32) -> *mut u64 {
        // SAFETY: in bounds: `window <= windows_per_block <= MOST_WINDOWS` (the launch's condition 1, since a block with a header takes no
        // whole rows), and `borders` has one element more.
        unsafe {
            let borders: *mut u64 = (&raw mut (*self.header).borders).cast();
            borders.add(window as usize)
        }
    }

    /// How many segments begin in the block's windows.
    ///
    /// # Safety
    /// The borders are written.
    #[inline(always)]
    pub unsafe fn segments_begun(&self) -> u64 {
        // SAFETY: the borders are in shared memory, and written: this function's condition.
        unsafe {
            let first = simt::read_shared(self.border(0));
            simt::read_shared(self.border(self.windows_per_block)).wrapping_sub(first)
        }
    }

    /// The address of a window.
    ///
    /// # Safety
    /// `window < windows_per_block`.
    #[inline(always)]
    pub unsafe fn window_address(&self, window: u32) -> *mut Window {
        // SAFETY: in bounds: `window < windows_per_block <= MOST_WINDOWS`, by this function's condition and the launch's condition 1, since
        // a block with a header takes no whole rows.
        unsafe {
            let windows: *mut Window = (&raw mut (*self.header).windows).cast();
            windows.add(window as usize)
        }
    }

    /// The address of a work.
    ///
    /// # Safety
    /// `number < work_count`.
    #[inline(always)]
    pub unsafe fn work_address(&self, number: u32) -> *mut Work {
        // SAFETY: in bounds: `number < work_count <= 2 * MOST_WINDOWS`, by this function's condition and the launch's condition 1, since a
        // block with a header takes no whole rows.
        unsafe {
            let works: *mut Work = (&raw mut (*self.header).works).cast();
            works.add(number as usize)
        }
    }

    /// One of the block's windows.
    ///
    /// # Safety
    /// The header is written, and `number < windows_per_block`.
    #[inline(always)]
    pub unsafe fn window(&self, number: u32) -> Window {
        // SAFETY: the window is written with the header, and `number < windows_per_block`: this function's conditions.
        unsafe { simt::read_shared(self.window_address(number)) }
    }

    /// The address of the value of a window's tail.
    ///
    /// # Safety
    /// `window < windows_per_block`.
    #[inline(always)]
    pub unsafe fn tail(&self, window: u32) -> *mut O::Accumulator {
        // SAFETY: in bounds: `window < windows_per_block <= MOST_WINDOWS`, by this function's condition and the launch's condition 1, since
        // a block with a header takes no whole rows.
        unsafe {
            let tails: *mut O::Accumulator = (&raw mut (*self.header).tails).cast();
            tails.add(window as usize)
        }
    }
}
