//! Document 5, dynamic parallelism: kernels that launch kernels.
//!
//! ```text
//! hello                        prints; then one thread launches half as many threads
//! recursive_waiting            halves the block's items; then one thread of each block launches the block's next level, as
//!                              a block of half the threads
//! recursive                    the same without a wait for the launched grid
//! recursive_one_launcher       halves the items of all blocks; then one thread of the grid launches the next level of all
//!                              blocks, as blocks of half the threads
//! ```
//!
//! Cost with 2,048 blocks of 512 items: at each of 8 levels, `recursive_waiting` launches 2,048 grids of one block, and so does
//! `recursive`. For each kernel, these are 16,384 grids in all. `recursive_one_launcher` launches 8 grids. Every level goes through global
//! memory.
//!
//! Corrected:
//! - The document's `gpuRecursiveReduce` waits with `cudaDeviceSynchronize`, which kernels cannot call since CUDA 12. Here a tail launch
//!   takes the place of the wait: the new grid begins when the whole launching grid has ended. So the document's barrier after the wait is
//!   not needed.
//! - The document's `gpuRecursiveReduceNosync` has no barrier before the launch. But a launched grid sees only the writes that the
//!   launching *thread* has seen: without a barrier, these are the writes of that thread, or at best of its warp. Here the kernel has this
//!   barrier.
//! - In the document's last kernel, block 0 may launch the next level before other blocks have halved their items. Here this launch is a
//!   tail launch too.
//! - A launch can fail on the device, and the document does not check for that. Here the kernels store the highest error code of all
//!   launches in a word of global memory, which the host checks.
//! - As in `paired`, the host pads the items to whole blocks with the identity.

use core::ffi::c_void;

use crate::runtime::{launch, print, ChildStream};
use crate::PlainCommutative;
use warpfold_kernels::device::{atomic, block, thread};
use warpfold_kernels::element::Element;

/// One level: combines a block's `item_count` items in pairs. One thread combines a pair, whose items are half of `item_count` apart.
///
/// # Safety
/// `items` points to `item_count` items, which no other block uses; `item_count` is even.
#[inline(always)]
unsafe fn halve<O: PlainCommutative<T>, T: Element>(items: *mut T, item_count: u64) {
    let (thread, half) = (thread::index() as usize, item_count as usize / 2);
    if thread < half {
        // SAFETY: `thread + half < item_count`, and no other block uses the items (this function's conditions); no other thread of this
        // block has either item.
        unsafe {
            let item = items.add(thread);
            item.write(O::combine(item.read(), item.add(half).read()));
        }
    }
}

/// If a launch failed, raises the word at `refusal` to at least `code`, the launch's error code.
///
/// # Safety
/// `refusal` points to a word of global memory that only atomic operations use at the same time.
#[inline(always)]
unsafe fn note(refusal: *mut u32, code: u32) {
    if code != 0 {
        // SAFETY: `refusal` points to a word of global memory that only atomic operations use at the same time (this function's condition).
        unsafe { atomic::global_max_u32(refusal, code) }
    }
}

/// The line that [`hello`] prints from each thread. It is exported under a fixed name, since a name that the compiler chooses may differ
/// from build to build.
#[export_name = "ladder_hello_greeting"]
static GREETING: [u8; 51] = *b"Recursion=%d: Hello World from thread %d block %d\n\0";

/// The line that [`hello`] prints after a launch.
#[export_name = "ladder_hello_deeper"]
static DEEPER: [u8; 37] = *b"-------> nested execution depth: %d\n\0";

/// Prints from each thread. In a block of two or more threads, the first thread then launches a block of half as many threads.
///
/// # Safety
/// The [conditions of every launch](crate). `kernel` is the address of this kernel, `thread_count` is the block size, and `refusal` points
/// to a word.
#[inline(always)]
pub unsafe fn hello(kernel: *const c_void, refusal: *mut u32, thread_count: u64, depth: u64) {
    let thread = thread::index();
    // SAFETY: the formats end with a NUL and have a `%d` for each number. `kernel` has these three parameters, one of which is the launched
    // block's size. `refusal` points to a word (this function's conditions), which only atomic operations use.
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

/// `gpuRecursiveReduce`: the next level begins when this level's grid has ended.
///
/// # Safety
/// The [conditions of every launch](crate). `kernel` is the address of this kernel. The block size is a power of two, at least 2, and
/// `item_count` equals it. `items` points to an item for each thread of the grid, `partials` to an item for each block, and `refusal` to a
/// word.
#[inline(always)]
pub unsafe fn recursive_waiting<O: PlainCommutative<T>, T: Element>(
    kernel: *const c_void,
    items: *mut T,
    partials: *mut T,
    refusal: *mut u32,
    item_count: u64,
) {
    // SAFETY: `descend` has the conditions of this function.
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

/// `gpuRecursiveReduceNosync`: the next level may begin at once.
///
/// # Safety
/// The conditions of [`recursive_waiting`].
#[inline(always)]
pub unsafe fn recursive<O: PlainCommutative<T>, T: Element>(
    kernel: *const c_void,
    items: *mut T,
    partials: *mut T,
    refusal: *mut u32,
    item_count: u64,
) {
    // SAFETY: `descend` has the conditions of this function.
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

/// One level of a block: halves the block's items, and then launches the next level or, if one item is left, writes the block's result.
///
/// # Safety
/// The conditions of [`recursive_waiting`].
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
    // SAFETY: `items` has an item for each thread of the grid, and `partials` an item for each block (this function's conditions). So the
    // block's items and its partial are in bounds. No other block uses them. The launched grid runs this kernel with half the threads and
    // half the items, and uses the block's items and partial only after the barrier. Only atomic operations use the word at `refusal`.
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

/// `gpuRecursiveReduce2`: one thread of the grid launches the next level of all blocks.
///
/// # Safety
/// The [conditions of every launch](crate). `kernel` is the address of this kernel. `block_items` and `stride` are powers of two, `stride`
/// is less than `block_items`, and the block size is `stride`. `items` points to `block_items` items for each block, `partials` to an item
/// for each block, and `refusal` to a word.
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
    // SAFETY: `2 · stride` is at most `block_items`, and each block has `block_items` items and a partial (this function's conditions). No
    // other block uses them. The launched grid runs this kernel with half the stride, and begins when all blocks have ended. Only atomic
    // operations use the word at `refusal`.
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
