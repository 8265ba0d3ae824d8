//! Document 5, dynamic parallelism: kernels that launch kernels.
//!
//! ```text
//! hello                        prints; then one thread launches half as many threads
//! recursive_waiting            halves the block's items; then one thread of each block launches the next level for it, as
//!                              a block of half the threads
//! recursive                    the same without waiting for what it launched
//! recursive_one_launcher       halves the items of all blocks; then one thread of the grid launches the next level for
//!                              all, as blocks of half the threads
//! ```
//!
//! Cost: with 2,048 blocks of 512 items, the first two launch 8 levels of 2,048 blocks, 16,384 grids of one block each; the
//! last launches 8 grids. Every level goes through global memory.
//!
//! Corrected:
//! - The document waits by `cudaDeviceSynchronize`, which kernels cannot call since CUDA 12. Here a tail launch takes its place: the new grid
//!   begins when the whole launching grid has ended. So the barrier after the wait is not needed.
//! - The document's kernel without waiting has no barrier before the launch either. But a child sees only what its parent *thread* has seen:
//!   without a barrier, the items that this thread, or at best this warp, has written. Here that barrier stays.
//! - The last kernel lets block 0 launch the next level while other blocks may not have halved their items yet. Here that is
//!   a tail launch too.
//! - A launch can fail on the device, and the document does not look. Here its code is left in a word for the host.
//! - `paired` has a remark on numbers of items that are no multiple of the block size. It holds here, too.

use core::ffi::c_void;

use crate::runtime::{launch, print, ChildStream};
use crate::PlainCommutative;
use warpfold_kernels::device::{atomic, block, thread};
use warpfold_kernels::element::Element;

/// Combines the items of a block's `item_count` threads in one level, by threads below half of them.
///
/// # Safety
/// `items` points to `item_count` items, which no other block uses; `item_count` is even.
#[inline(always)]
unsafe fn halve<O: PlainCommutative<T>, T: Element>(items: *mut T, item_count: u64) {
    let (thread, half) = (thread::index() as usize, item_count as usize / 2);
    if thread < half {
        // SAFETY: the caller's; no other thread has either item.
        unsafe {
            let item = items.add(thread);
            item.write(O::combine(item.read(), item.add(half).read()));
        }
    }
}

/// Leaves the code of a launch that failed.
///
/// # Safety
/// `refusal` is a word of global memory that is only written here.
#[inline(always)]
unsafe fn note(refusal: *mut u32, code: u32) {
    if code != 0 {
        // SAFETY: the caller's.
        unsafe { atomic::global_max_u32(refusal, code) }
    }
}

/// The line that [`hello`] prints from each thread. It has a name of its own, since the compiler's name would differ in every build.
#[export_name = "ladder_hello_greeting"]
static GREETING: [u8; 51] = *b"Recursion=%d: Hello World from thread %d block %d\n\0";

/// The line that it prints after a launch.
#[export_name = "ladder_hello_deeper"]
static DEEPER: [u8; 37] = *b"-------> nested execution depth: %d\n\0";

/// Prints from each thread, and launches half as many threads from the first of each block.
///
/// # Safety
/// The ladder's contract of a launch. `kernel` is the address of this kernel, `thread_count` the block size.
#[inline(always)]
pub unsafe fn hello(kernel: *const c_void, refusal: *mut u32, thread_count: u64, depth: u64) {
    let thread = thread::index();
    // SAFETY: the caller's; the formats have a conversion for each number.
    unsafe {
        print(&GREETING, [depth as u32, thread, thread::block()]);
        let half = thread_count / 2;
        if thread == 0 && half > 0 {
            let parameters = [refusal as u64, half, depth + 1];
            let code = launch(kernel, 1, half as u32, parameters, ChildStream::Block);
            note(refusal, code);
            print(&DEEPER, [depth as u32 + 1]);
        }
    }
}

/// `gpuRecursiveReduce`: the next level waits for this one's grid to end.
///
/// # Safety
/// The ladder's contract of a launch. `kernel` is the address of this kernel. The block size is a power of two, at least
/// 2, and `item_count` the same. `items` points to an item for each thread of the grid, `partials` to one for each block,
/// `refusal` to a word.
#[inline(always)]
pub unsafe fn recursive_waiting<O: PlainCommutative<T>, T: Element>(
    kernel: *const c_void,
    items: *mut T,
    partials: *mut T,
    refusal: *mut u32,
    item_count: u64,
) {
    // SAFETY: the caller's.
    unsafe {
        descend::<O, T>(
            kernel,
            items,
            partials,
            refusal,
            item_count,
            ChildStream::Tail,
        );
    }
}

/// `gpuRecursiveReduceNosync`: the next level begins when it can.
///
/// # Safety
/// The same as for [`recursive_waiting`].
#[inline(always)]
pub unsafe fn recursive<O: PlainCommutative<T>, T: Element>(
    kernel: *const c_void,
    items: *mut T,
    partials: *mut T,
    refusal: *mut u32,
    item_count: u64,
) {
    // SAFETY: the caller's.
    unsafe {
        descend::<O, T>(
            kernel,
            items,
            partials,
            refusal,
            item_count,
            ChildStream::Block,
        );
    }
}

/// One level of a block: halves its items, and launches the next level.
///
/// # Safety
/// The same as for [`recursive_waiting`].
#[inline(always)]
unsafe fn descend<O: PlainCommutative<T>, T: Element>(
    kernel: *const c_void,
    items: *mut T,
    partials: *mut T,
    refusal: *mut u32,
    item_count: u64,
    stream: ChildStream,
) {
    let block = thread::block() as usize;
    // SAFETY: the caller's; only the launched grid uses the block's items and its partial.
    unsafe {
        let items = items.add(block * thread::block_threads() as usize);
        let partial = partials.add(block);
        halve::<O, T>(items, item_count);
        let half = item_count / 2;
        if half == 1 {
            if thread::index() == 0 {
                partial.write(items.read());
            }
            return;
        }
        // Orders the writes of the block's items before the launch, and so before the launched grid.
        block::barrier();
        if thread::index() == 0 {
            let parameters = [items as u64, partial as u64, refusal as u64, half];
            let code = launch(kernel, 1, half as u32, parameters, stream);
            note(refusal, code);
        }
    }
}

/// `gpuRecursiveReduce2`: one thread of the grid launches the next level, of all blocks.
///
/// # Safety
/// The ladder's contract of a launch. `kernel` is the address of this kernel. `block_items` is a power of two, `stride` a
/// lower one and the block size. `items` points to `block_items` for each block, `partials` to one for each,
/// `refusal` to a word.
#[inline(always)]
pub unsafe fn recursive_one_launcher<O: PlainCommutative<T>, T: Element>(
    kernel: *const c_void,
    items: *mut T,
    partials: *mut T,
    refusal: *mut u32,
    stride: u64,
    block_items: u64,
) {
    let block = thread::block() as usize;
    // SAFETY: the caller's; only this block uses its items, and the launched grid begins when all blocks have ended.
    unsafe {
        let own = items.add(block * block_items as usize);
        halve::<O, T>(own, 2 * stride);
        if stride == 1 {
            partials.add(block).write(own.read());
            return;
        }
        if block == 0 && thread::index() == 0 {
            let half = stride / 2;
            let parameters = [
                items as u64,
                partials as u64,
                refusal as u64,
                half,
                block_items,
            ];
            let (grid_blocks, block_threads) = (thread::block_count(), half as u32);
            let code = launch(
                kernel,
                grid_blocks,
                block_threads,
                parameters,
                ChildStream::Tail,
            );
            note(refusal, code);
        }
    }
}
