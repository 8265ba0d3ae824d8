//! The items of a window's chunks, and where these start, in shared memory.

use core::marker::PhantomData;

use crate::contract::{BLOCK_THREADS, THREAD_VECTORS};
use crate::element::{put_item, Element, Vector};
use crate::launch::Copies;
use crate::op::Op;
use crate::segments::{place_of, row_items, Layout, Work, FAN};
use crate::simt;
use crate::thread::{for_each_vector, Access, Vectors};

use super::Launch;

/// A block's room in shared memory for items of type `T` and values of type `A`.
#[derive(Clone, Copy)]
pub struct Room<T, A> {
    memory: *mut u8,
    items: PhantomData<(T, A)>,
}

impl<T: Element, A: Copy> Room<T, A> {
    const LAYOUT: Layout = Layout::of::<T, A>();

    /// How an item is accessed: it lies at a multiple of its size.
    const ACCESS: Access = Access::new(size_of::<T>(), size_of::<T>());

    /// Items that a thread holds at once: of wide ones, more would fill the registers.
    pub const ITEMS_AT_ONCE: usize = if size_of::<T>() <= 8 { 8 } else { 1 };

    /// Whether items are copied to it asynchronously.
    const HAS_COPIES: bool = matches!(simt::COPIES, Copies::Asynchronous)
        && matches!(size_of::<T>(), 4 | 8 | 16)
        && align_of::<T>() == size_of::<T>();

    /// The room in the shared memory that begins there.
    #[inline(always)]
    pub fn new(memory: *mut u8) -> Self {
        Room {
            memory,
            items: PhantomData,
        }
    }

    /// Where item `index` is.
    #[inline(always)]
    fn item_address(&self, index: u32) -> *mut T {
        let items: *mut T = self.memory.wrapping_add(Self::LAYOUT.items).cast();
        items.wrapping_add(place_of::<T>(index as usize))
    }

    /// Item `index`, as a vector has it first.
    ///
    /// # Safety
    /// It is written.
    #[inline(always)]
    pub unsafe fn item(&self, index: u32) -> Vector {
        // SAFETY: the caller's.
        unsafe { self.read(self.item_address(index)) }
    }

    /// The item at an address, as a vector has it first.
    ///
    /// # Safety
    /// It is written.
    #[inline(always)]
    unsafe fn read(&self, address: *const T) -> Vector {
        // SAFETY: the caller's.
        unsafe { Self::ACCESS.read_shared(address.cast()) }
    }

    /// Puts an item in its place.
    ///
    /// # Safety
    /// There is room for it, and nobody else uses that.
    #[inline(always)]
    unsafe fn put(&self, index: u32, vector: Vector) {
        // SAFETY: the caller's.
        unsafe { Self::ACCESS.write_shared(self.item_address(index).cast(), vector) };
    }

    /// Item `index + N` of a leaf that begins at item `index`.
    ///
    /// # Safety
    /// It is written.
    #[inline(always)]
    pub unsafe fn leaf_item<const N: u32>(&self, index: u32) -> Vector {
        let row = row_items::<T>() as u32;
        // SAFETY: the caller's.
        unsafe {
            if row < FAN {
                return self.item(index + N);
            }
            // A leaf lies in one row, or in two.
            let gap = place_of::<T>(row as usize) - row as usize;
            let is_behind_gap = index % row + N >= row;
            let address = self.item_address(index).wrapping_add(N as usize);
            let behind = address.wrapping_add(gap);
            self.read(if is_behind_gap { behind } else { address })
        }
    }

    #[inline(always)]
    fn start_address(&self, chunk: u32) -> *mut u16 {
        let end: *mut u16 = self.memory.wrapping_add(Self::LAYOUT.end).cast();
        end.wrapping_sub(1 + chunk as usize)
    }

    /// The index of a chunk's first item; of the chunk behind the last, the number of items.
    ///
    /// # Safety
    /// It is written.
    #[inline(always)]
    pub unsafe fn start(&self, chunk: u32) -> u32 {
        // SAFETY: the caller's.
        unsafe { simt::read_shared(self.start_address(chunk)) as u32 }
    }

    /// The number for the sixteen items from `16 * frame` on.
    #[inline(always)]
    pub fn head(&self, frame: u32) -> *mut u16 {
        let heads: *mut u16 = self.memory.wrapping_add(Self::LAYOUT.heads).cast();
        heads.wrapping_add(frame as usize)
    }

    /// The value of leaf `leaf` of a chunk that starts at an item, and that has more than one leaf.
    #[inline(always)]
    pub fn leaf(&self, start: u32, leaf: u32) -> *mut A {
        let leaves: *mut A = self.memory.wrapping_add(Self::LAYOUT.leaves).cast();
        leaves.wrapping_add((start / 8 + leaf) as usize)
    }

    /// The value of node `node` of a chunk that starts at an item, and that has more than one node.
    #[inline(always)]
    pub fn node(&self, start: u32, node: u32) -> *mut A {
        let nodes: *mut A = self.memory.wrapping_add(Self::LAYOUT.nodes).cast();
        nodes.wrapping_add((start / 128 + node) as usize)
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Copies items and starts to shared memory, and refuses offsets between that do not ascend.
    ///
    /// # Safety
    /// Convergent: the whole block; all of it has read what was in its room before.
    #[inline(always)]
    pub unsafe fn fill(&self) {
        // SAFETY: the caller's.
        let work = unsafe { &self.work() };
        // SAFETY: the caller's; the items exist, and there is room for them and the starts.
        unsafe {
            if Room::<T, O::Accumulator>::HAS_COPIES {
                self.begin_copies(work);
            }
            self.fill_starts(work);
            if Room::<T, O::Accumulator>::HAS_COPIES {
                simt::await_copies();
            } else {
                self.copy(work);
            }
        }
    }

    /// Begins to copy the items, each thread every 256th.
    ///
    /// # Safety
    /// That of [`Self::fill`].
    #[inline(always)]
    unsafe fn begin_copies(&self, work: &Work) {
        let mut item = simt::thread_index();
        let mut from = self.input.wrapping_add(work.begin as usize + item as usize);
        let mut to = self.room.item_address(item);
        // Of items so far apart, the places are as far apart everywhere.
        const THREADS: usize = BLOCK_THREADS as usize;
        let stride = place_of::<T>(THREADS);
        // SAFETY: the caller's.
        unsafe {
            while item + 3 * BLOCK_THREADS < work.item_count {
                let step = simt::opaque_one();
                simt::begin_copy_item(to, from);
                simt::begin_copy_item(to.add(stride), from.add(THREADS));
                simt::begin_copy_item(to.add(2 * stride), from.add(2 * THREADS));
                simt::begin_copy_item(to.add(3 * stride), from.add(3 * THREADS));
                (to, from) = (to.add(4 * stride), from.add(4 * THREADS));
                item += 4 * BLOCK_THREADS * step as u32;
            }
            while item < work.item_count {
                let step = simt::opaque_one();
                simt::begin_copy_item(to, from);
                (to, from) = (to.wrapping_add(stride), from.wrapping_add(THREADS));
                item += BLOCK_THREADS * step as u32;
            }
        }
    }

    /// Copies the items, each thread every 256th, some at a time.
    ///
    /// # Safety
    /// That of [`Self::fill`].
    #[inline(always)]
    unsafe fn copy(&self, work: &Work) {
        let at_once = Room::<T, O::Accumulator>::ITEMS_AT_ONCE;
        let mut first = simt::thread_index();
        let from = self.input.wrapping_add(work.begin as usize);
        while first < work.item_count {
            let step = simt::opaque_one();
            let mut items: Vectors = [[0; 8]; THREAD_VECTORS];
            for_each_vector!(V => {
                let item = first + V as u32 * BLOCK_THREADS;
                if V < at_once && item < work.item_count {
                    // SAFETY: the caller's.
                    put_item(&mut items[V], 0, unsafe { from.add(item as usize).read() });
                }
            });
            for_each_vector!(V => {
                let item = first + V as u32 * BLOCK_THREADS;
                if V < at_once && item < work.item_count {
                    // SAFETY: the caller's.
                    unsafe { self.room.put(item, items[V]) };
                }
            });
            first += at_once as u32 * step as u32 * BLOCK_THREADS;
        }
    }

    /// Writes where chunks start, and checks the offsets that say so.
    ///
    /// # Safety
    /// That of [`Self::fill`].
    #[inline(always)]
    unsafe fn fill_starts(&self, work: &Work) {
        let mut chunk = simt::thread_index();
        let mut is_refused = false;
        while chunk <= work.chunk_count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the caller's; there is one offset more than segments.
            unsafe {
                let mut start = 0;
                if chunk == work.chunk_count {
                    start = work.item_count as u64;
                } else if chunk > 0 {
                    let segment = work.segment + chunk as u64;
                    let begin = self.offsets.get(segment);
                    let before = self.offsets.get(segment - 1);
                    start = begin.wrapping_sub(work.begin);
                    is_refused |= before > begin || start > work.item_count as u64;
                }
                self.room.start_address(chunk).write(start as u16);
            }
            chunk += step * BLOCK_THREADS;
        }
        if is_refused {
            // SAFETY: the caller's; all threads write the same.
            unsafe {
                simt::store_shared_atomically(&raw mut (*self.header).is_refused, 1);
                self.refuse();
            }
        }
    }
}
