//! An allocator that counts the allocations of each thread, except those that the virtual GPU's driver makes.

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
            // If the counter of a thread that ends is already destroyed, the allocation is not counted.
            let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        }
        // SAFETY: the layout's size is not 0: this function's condition.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `alloc` above returned the pointer for this layout: this function's condition. `alloc` takes its memory from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// How many allocations this thread makes while it runs `work`, except those of the virtual GPU's driver.
pub fn allocations_of(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}
