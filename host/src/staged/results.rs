//! Memory of the host for the results of a request on slices.

use std::mem::MaybeUninit;

use super::workers::for_each;
use crate::error::{Error, Result};
use crate::kernel::Item;

/// Bytes of a page, and of a large page on systems that have them.
const PAGE: usize = 4 << 10;
const LARGE_PAGE: usize = 2 << 20;

/// Bytes of the smallest memory for which large pages are requested, as in NumPy.
const LONG_BYTES: usize = 4 << 20;

/// Memory for items that are not written yet.
pub(crate) struct Results<T> {
    items: Vec<T>,
    count: usize,
}

impl<T: Item> Results<T> {
    /// Memory for `count` items.
    pub fn new(count: usize) -> Result<Self> {
        let mut items = Vec::new();
        items
            .try_reserve_exact(count)
            .map_err(|_| Error::OutOfHostMemory {
                asked_bytes: count.saturating_mul(size_of::<T>()),
            })?;
        Ok(Self { items, count })
    }

    /// The memory.
    pub fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        let items = &mut self.items.spare_capacity_mut()[..self.count];
        let bytes = size_of_val(items);
        // SAFETY: this is the memory of `items`, which stays mutably borrowed from the vector for as long as the returned slice lives.
        // Bytes need no alignment, and `MaybeUninit` may hold anything.
        unsafe { std::slice::from_raw_parts_mut(items.as_mut_ptr().cast(), bytes) }
    }

    /// Lets the workers write to each page once. The system makes a page at the first write to the page. Making a page takes longer than
    /// copying its contents over the bus. For the same memory, making large pages takes a fraction of the time.
    pub fn make_pages(&mut self) {
        let bytes = self.bytes();
        let is_long = bytes.len() >= LONG_BYTES;
        let before = bytes.as_ptr().align_offset(LARGE_PAGE).min(bytes.len());
        let (start, whole) = bytes.split_at_mut(before);
        if is_long {
            ask_for_large_pages(whole);
        }
        // No two workers write to the same large page: both would make the page, and one of the two pages would be thrown away.
        for_each(whole.chunks_mut(LARGE_PAGE).chain([start]), |large| {
            for page in large.chunks_mut(PAGE) {
                page[0].write(0);
            }
        });
    }

    /// The items.
    ///
    /// # Safety
    ///
    /// All bytes have been written, with values of type `T`.
    pub unsafe fn written(mut self) -> Vec<T> {
        debug_assert!(self.count <= self.items.capacity());
        // SAFETY: `new` has reserved room for `count` items, and all their bytes are values of type `T`: this function's condition.
        unsafe { self.items.set_len(self.count) };
        self.items
    }
}

/// Requests large pages for memory that is aligned to a large page, except for an incomplete page at the end. Does nothing if the system
/// has no large pages.
fn ask_for_large_pages(whole: &mut [MaybeUninit<u8>]) {
    #[cfg(target_os = "linux")]
    // SAFETY: the range has only whole pages of this allocation. The advice changes neither their contents nor who may access them.
    let _ = unsafe {
        libc::madvise(
            whole.as_mut_ptr().cast(),
            whole.len() / LARGE_PAGE * LARGE_PAGE,
            libc::MADV_HUGEPAGE,
        )
    };
    #[cfg(not(target_os = "linux"))]
    let _ = whole;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_results_read_back_unchanged() {
        for count in [1, 1000, (4 << 20) - 1, (9 << 20) + 5] {
            let mut results = Results::<u8>::new(count).unwrap();
            results.make_pages();
            assert_eq!(results.bytes().len(), count);
            for (index, byte) in results.bytes().iter_mut().enumerate() {
                byte.write(index as u8);
            }
            // SAFETY: the loop above has written every byte, and any byte is a `u8`.
            let items = unsafe { results.written() };
            assert_eq!(items.len(), count);
            assert!((0..).zip(items).all(|(index, byte)| byte == index as u8));
        }
    }

    #[test]
    fn results_larger_than_host_memory_are_an_error() {
        let asked = Results::<u64>::new(usize::MAX / 16);
        let asked_bytes = usize::MAX / 16 * 8;
        assert_eq!(asked.err(), Some(Error::OutOfHostMemory { asked_bytes }));
    }
}
