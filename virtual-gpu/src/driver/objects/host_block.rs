//! Host memory that the driver hands out: page-aligned, zeroed, freed when dropped.

use crate::driver::code::{Code, Outcome};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// Alignment of what `cuMemAllocHost` gives: a page.
const PAGE_BYTES: usize = 4096;

/// A block of host memory.
pub(crate) struct HostBlock {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the block owns its memory, and never reads or writes it.
unsafe impl Send for HostBlock {}

impl HostBlock {
    /// A block of so many bytes, at least one.
    pub(crate) fn new(bytes: usize) -> Outcome<Self> {
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let layout = Layout::from_size_align(bytes, PAGE_BYTES).map_err(|_| Code::OUT_OF_MEMORY)?;
        // SAFETY: the layout has at least one byte.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or(Code::OUT_OF_MEMORY)?;
        Ok(Self { start, layout })
    }

    pub(crate) fn start(&self) -> NonNull<u8> {
        self.start
    }
}

impl Drop for HostBlock {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout, and freed here only.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
