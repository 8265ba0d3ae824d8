//! The functions of the machine, implemented with rustc's own NVPTX back end.
//!
//! Convergent instructions (barriers, shuffles, votes) are LLVM intrinsics, because rustc does not mark `asm!` as convergent.

use core::arch::nvptx;

use crate::contract::WARP_LANES;

/// The major number of the target's compute capability, at most 9.
pub const CAPABILITY_MAJOR: u32 = if cfg!(target_feature = "sm_90") {
    9
} else if cfg!(target_feature = "sm_80") {
    8
} else {
    7
};

const FULL_MASK: u32 = u32::MAX;
/// The segment operand of the shuffles `down` and `idx`: the segment is the whole warp, and the highest lane is the clamp.
const SEGMENT_DOWN: u32 = 0x1f;
/// The segment operand of the shuffle `up`: the segment is the whole warp, and the lowest lane is the clamp.
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
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.count"]
    fn barrier_cta_sync_count(barrier: u32, threads: u32);
    #[link_name = "llvm.nvvm.barrier.cta.arrive.aligned.count"]
    fn barrier_cta_arrive_count(barrier: u32, threads: u32);
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn bar_warp_sync(mask: u32);
}

/// This thread's index in its block.
#[inline(always)]
pub fn thread_index() -> u32 {
    // SAFETY: the instruction reads a special register.
    unsafe { nvptx::_thread_idx_x() }
}

/// This block's index in the grid.
#[inline(always)]
pub fn block_index() -> u32 {
    // SAFETY: the instruction reads a special register.
    unsafe { nvptx::_block_idx_x() }
}

/// The number of threads in a block.
#[inline(always)]
pub fn block_threads() -> u32 {
    // SAFETY: the instruction reads a special register.
    unsafe { nvptx::_block_dim_x() }
}

/// The number of blocks in the grid.
#[inline(always)]
pub fn block_count() -> u32 {
    // SAFETY: the instruction reads a special register.
    unsafe { nvptx::_grid_dim_x() }
}

/// Waits for all threads of the block. Their memory accesses before the barrier come before their accesses after it.
///
/// # Safety
/// Convergent (see [`crate::simt`]): the whole block.
#[inline(always)]
pub unsafe fn barrier() {
    // SAFETY: the whole block calls it (condition of this function).
    unsafe { nvptx::_syncthreads() }
}

/// Waits until `warps` warps of the block have arrived at barrier number `barrier` (1 to 15). Their accesses before the barrier come before
/// the caller's accesses after it.
///
/// # Safety
/// - Convergent: the whole warp.
/// - `barrier` is 1 to 15. At each use of the barrier, `warps` warps arrive, by this function or by [`arrive_at_barrier`].
#[inline(always)]
pub unsafe fn wait_at_barrier(barrier: u32, warps: u32) {
    // SAFETY: the whole warp calls it, and `warps` warps arrive at each use (conditions of this function). Barrier 0 is kept for barriers
    // of the whole block.
    unsafe { barrier_cta_sync_count(barrier, warps * WARP_LANES) }
}

/// Arrives at barrier `barrier` without waiting for the other warps.
///
/// # Safety
/// - The conditions of [`wait_at_barrier`].
/// - At least one other warp waits at the barrier, by [`wait_at_barrier`].
#[inline(always)]
pub unsafe fn arrive_at_barrier(barrier: u32, warps: u32) {
    // SAFETY: as in [`wait_at_barrier`]; another warp waits at the barrier (condition of this function).
    unsafe { barrier_cta_arrive_count(barrier, warps * WARP_LANES) }
}

/// Waits for all lanes of the warp. Their memory accesses before the barrier come before their accesses after it.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn warp_barrier() {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { bar_warp_sync(FULL_MASK) }
}

/// The block's dynamic shared memory.
#[inline(always)]
pub fn shared_memory<T>() -> *mut T {
    core::intrinsics::gpu::gpu_launch_sized_workgroup_mem::<T>()
}

/// The `value` of the lane whose number is greater by `delta`, or the calling lane's own value if there is no such lane.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_down(value: u32, delta: u32) -> u32 {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { shfl_sync_down(FULL_MASK, value, delta, SEGMENT_DOWN) }
}

/// The `value` of the lane whose number is smaller by `delta`, or the calling lane's own value if there is no such lane.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_up(value: u32, delta: u32) -> u32 {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { shfl_sync_up(FULL_MASK, value, delta, SEGMENT_UP) }
}

/// The `value` of lane `lane`.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_from(value: u32, lane: u32) -> u32 {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { shfl_sync_idx(FULL_MASK, value, lane, SEGMENT_DOWN) }
}

/// The lanes whose `predicate` holds: bit `i` for lane `i`.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn ballot(predicate: bool) -> u32 {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { vote_ballot_sync(FULL_MASK, predicate) }
}
