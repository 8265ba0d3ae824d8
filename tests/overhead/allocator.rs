//! An allocator that counts each thread's allocations, without those of the virtual GPU's driver.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use virtual_gpu::driver::inside_a_call;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

pub struct Counting;

// SAFETY: `System` does the work and meets the trait's conditions. The counter neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !inside_a_call() {
            // If the thread's storage is already destroyed, nothing is counted.
            let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        }
        // SAFETY: the layout's size is not 0: the same condition as this function's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System`, by `alloc` above, with this layout: the same conditions as this function's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// How many allocations this thread makes in `work`, without the driver's.
pub fn allocations_of(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}
