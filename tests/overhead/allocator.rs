//! An allocator that counts the library's allocations by thread, without those of the driver.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use virtual_gpu::driver::inside_a_call;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

pub struct Counting;

// SAFETY: the system's allocator, with a counter beside it that allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !inside_a_call() {
            // If the thread's storage is gone already, nothing is counted.
            let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        }
        // SAFETY: the layout has a size, as this function's caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `alloc` above had the pointer from the system's allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// How many allocations this thread makes in `work`, those of the driver left out.
pub fn allocations_of(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}
