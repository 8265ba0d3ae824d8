//! The host memory that backs an allocation: zeroed words that launches share as atomics.
//!
//! The host program knows the host addresses only of pinned and managed memory. It reads and writes such memory through its own pointers.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fmt;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU8, AtomicU32};

/// Zeroed bytes. The host provides the pages of a long slice when they are first touched. `None` if the host has no more memory.
pub(super) fn zeroed_bytes(count: usize) -> Option<Box<[AtomicU8]>> {
    if count == 0 {
        return Some(Box::default());
    }
    let layout = Layout::array::<AtomicU8>(count).ok()?;
    // SAFETY: the layout has at least one byte, as was checked above.
    let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
    let bytes = ptr::slice_from_raw_parts_mut(start.as_ptr().cast(), count);
    // SAFETY: the global allocator allocated the bytes with the layout of the slice, and zero is a value of `AtomicU8`. Nothing else owns
    // the bytes.
    Some(unsafe { Box::from_raw(bytes) })
}

/// Zeroed words of four bytes.
pub(super) struct Words {
    start: NonNull<AtomicU32>,
    count: usize,
    layout: Layout,
}

// SAFETY: a `Words` owns its words, and any thread may free memory of the global allocator.
unsafe impl Send for Words {}
// SAFETY: a `&Words` gives access only to `&[AtomicU32]`, which threads may share, and to an address.
unsafe impl Sync for Words {}

impl Words {
    /// Zeroed words at a multiple of `alignment` bytes. At a small alignment, the host provides the pages of a large allocation when they
    /// are first touched. `None` if the host has no more memory, or if `count` is 0.
    pub(super) fn zeroed(count: usize, alignment: usize) -> Option<Self> {
        let layout = Layout::array::<AtomicU32>(count).ok()?;
        let layout = layout.align_to(alignment).ok()?;
        if layout.size() == 0 {
            return None;
        }
        // SAFETY: the layout has at least one byte, as was checked above.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?.cast();
        Some(Self {
            start,
            count,
            layout,
        })
    }

    /// Where the words lie.
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start.cast()
    }
}

impl Deref for Words {
    type Target = [AtomicU32];

    #[inline]
    fn deref(&self) -> &[AtomicU32] {
        // SAFETY: `zeroed` allocated `count` words at `start`, aligned and zeroed, and zero is a value of `AtomicU32`. They are freed in
        // `drop`, so they outlive the borrow of `self`. If the memory is pinned or managed, the host program also has a pointer to it. By
        // CUDA's contract, the host program does not access this memory while work on the device uses the memory, unless both use atomic
        // operations.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        // SAFETY: `zeroed` allocated the words with this layout, and only `drop` frees them.
        unsafe { dealloc(self.start.as_ptr().cast(), self.layout) };
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} words at {:?}", self.count, self.start)
    }
}
