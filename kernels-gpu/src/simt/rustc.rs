//! The machine through rustc's own NVPTX back end.
//!
//! What must stay convergent (barriers, shuffles, votes) is an LLVM intrinsic, since `asm!` calls are emitted
//! without that property. Loads, stores and atomics are `asm!`, since the compiler's own have the wrong
//! scope (`.sys`), the wrong order (none, for read-modify-write) or no cache hint.

use core::arch::asm;
use core::arch::nvptx;

const FULL_MASK: u32 = u32::MAX;
/// The segment of a shuffle: the whole warp, with no clamp for `down` and `idx`…
const SEGMENT_DOWN: u32 = 0x1f;
/// … and for `up`, where the clamp is the lowest lane.
const SEGMENT_UP: u32 = 0;

extern "C" {
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    fn shfl_sync_down(mask: u32, value: u32, delta: u32, segment: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
    fn shfl_sync_up(mask: u32, value: u32, delta: u32, segment: u32) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shfl_sync_idx(mask: u32, value: u32, lane: u32, segment: u32) -> u32;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn vote_ballot_sync(mask: u32, predicate: bool) -> u32;
}

/// This thread's index in its block.
#[inline(always)]
pub fn thread_index() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_thread_idx_x() }
}

/// This block's index in the grid.
#[inline(always)]
pub fn block_index() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_block_idx_x() }
}

/// The number of blocks in the grid.
#[inline(always)]
pub fn block_count() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_grid_dim_x() }
}

/// Waits for all threads of the block, and orders what they did before it before what they do after it.
///
/// # Safety
/// Convergent (see the module): the whole block.
#[inline(always)]
pub unsafe fn barrier() {
    // SAFETY: the caller's.
    unsafe { nvptx::_syncthreads() }
}

/// The block's shared memory.
#[inline(always)]
pub fn shared_memory<T>() -> *mut T {
    core::intrinsics::gpu::gpu_launch_sized_workgroup_mem::<T>()
}

/// `value` of the lane `delta` above; the lane's own where there is none.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_down(value: u32, delta: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { shfl_sync_down(FULL_MASK, value, delta, SEGMENT_DOWN) }
}

/// `value` of the lane `delta` below; the lane's own where there is none.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_up(value: u32, delta: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { shfl_sync_up(FULL_MASK, value, delta, SEGMENT_UP) }
}

/// `value` of `lane`.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_from(value: u32, lane: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { shfl_sync_idx(FULL_MASK, value, lane, SEGMENT_DOWN) }
}

/// The lanes whose `predicate` holds: bit `i` for lane `i`.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn ballot(predicate: bool) -> u32 {
    // SAFETY: the caller's.
    unsafe { vote_ballot_sync(FULL_MASK, predicate) }
}

/// Loads 16 bytes that this kernel reads once.
///
/// # Safety
/// `address` is in global memory, aligned to 16 bytes, readable, and no other thread writes there.
#[inline(always)]
pub unsafe fn load_vector(address: *const u32) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: the caller's; the address is global, so its generic form converts.
    unsafe {
        asm!(
            "{{ .reg .u64 %g; cvta.to.global.u64 %g, {address};",
            "ld.global.L1::no_allocate.v4.b32 {{{a}, {b}, {c}, {d}}}, [%g]; }}",
            address = in(reg64) address,
            a = out(reg32) a, b = out(reg32) b, c = out(reg32) c, d = out(reg32) d,
            options(nostack, readonly),
        );
    }
    [a, b, c, d]
}

/// Stores 16 bytes.
///
/// # Safety
/// `address` is in global memory, aligned to 16 bytes, writable, and no other thread reads or writes there.
#[inline(always)]
pub unsafe fn store_vector(address: *mut u32, words: [u32; 4]) {
    let [a, b, c, d] = words;
    // SAFETY: the caller's; the address is global, so its generic form converts.
    unsafe {
        asm!(
            "{{ .reg .u64 %g; cvta.to.global.u64 %g, {address};",
            "st.global.v4.b32 [%g], {{{a}, {b}, {c}, {d}}}; }}",
            address = in(reg64) address,
            a = in(reg32) a, b = in(reg32) b, c = in(reg32) c, d = in(reg32) d,
            options(nostack),
        );
    }
}

/// Reads a 64-bit word that other blocks may be writing: relaxed, GPU scope.
///
/// # Safety
/// `address` is in global memory, aligned and readable.
#[inline(always)]
pub unsafe fn load_word(address: *const u64) -> u64 {
    let word: u64;
    // SAFETY: the caller's; the address is global, so its generic form converts.
    unsafe {
        asm!(
            "{{ .reg .u64 %g; cvta.to.global.u64 %g, {address};",
            "ld.relaxed.gpu.global.b64 {word}, [%g]; }}",
            address = in(reg64) address,
            word = out(reg64) word,
            options(nostack),
        );
    }
    word
}

/// Reads a 32-bit word that a block leaving the grid may be writing: relaxed, GPU scope.
///
/// # Safety
/// `address` is in global memory, aligned and readable.
#[inline(always)]
pub unsafe fn load_relaxed(address: *const u32) -> u32 {
    let word: u32;
    // SAFETY: the caller's; the address is global, so its generic form converts.
    unsafe {
        asm!(
            "{{ .reg .u64 %g; cvta.to.global.u64 %g, {address};",
            "ld.relaxed.gpu.global.b32 {word}, [%g]; }}",
            address = in(reg64) address,
            word = out(reg32) word,
            options(nostack),
        );
    }
    word
}

/// Writes a 64-bit word that other blocks may be reading: relaxed, GPU scope.
///
/// # Safety
/// `address` is in global memory, aligned and writable.
#[inline(always)]
pub unsafe fn store_word(address: *mut u64, word: u64) {
    // SAFETY: the caller's; the address is global, so its generic form converts.
    unsafe {
        asm!(
            "{{ .reg .u64 %g; cvta.to.global.u64 %g, {address};",
            "st.relaxed.gpu.global.b64 [%g], {word}; }}",
            address = in(reg64) address,
            word = in(reg64) word,
            options(nostack),
        );
    }
}

/// Adds 1 and gives the value before: relaxed, GPU scope.
///
/// # Safety
/// `counter` is in global memory, aligned and writable.
#[inline(always)]
pub unsafe fn take_ticket(counter: *mut u32) -> u32 {
    let ticket: u32;
    // SAFETY: the caller's; the address is global, so its generic form converts.
    unsafe {
        asm!(
            "{{ .reg .u64 %g; cvta.to.global.u64 %g, {counter};",
            "atom.relaxed.gpu.global.add.u32 {ticket}, [%g], 1; }}",
            counter = in(reg64) counter,
            ticket = out(reg32) ticket,
            options(nostack),
        );
    }
    ticket
}

/// Adds 1 and gives the value before: releases what this thread did so far, acquires what earlier callers
/// released, GPU scope.
///
/// # Safety
/// `counter` is in global memory, aligned and writable.
#[inline(always)]
pub unsafe fn arrive(counter: *mut u32) -> u32 {
    let before: u32;
    // SAFETY: the caller's; the address is global, so its generic form converts.
    unsafe {
        asm!(
            "{{ .reg .u64 %g; cvta.to.global.u64 %g, {counter};",
            "atom.acq_rel.gpu.global.add.u32 {before}, [%g], 1; }}",
            counter = in(reg64) counter,
            before = out(reg32) before,
            options(nostack),
        );
    }
    before
}
