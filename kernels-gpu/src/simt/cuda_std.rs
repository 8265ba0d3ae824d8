//! The functions of the machine, implemented with rust-cuda: by `rustc_codegen_nvvm` and the crate `cuda_std`.
//!
//! This module works with the published `cuda_std` 0.2.2. It also works with the later version in rust-cuda's repository, whose version
//! number is still 0.2.2. On the host it is type-checked against the published version. The published version has no shuffles, but both
//! versions link the compiler's `libintrinsics`, which wraps libNVVM's shuffle. This module calls that wrapper directly.
//!
//! # Convergent calls
//!
//! rust-cuda marks neither functions nor `asm!` as convergent, so its LLVM may copy a call into several branches. Copies of shuffles and
//! votes are harmless: from compute capability 7.0 on, a lane waits until all lanes of the mask have executed an instruction of the same
//! kind, in whatever branch. Copies of a block's barrier are wrong. One pass of rustc made such copies, so builds with rust-cuda turn that
//! pass off. One pass of LLVM made such copies too, but [`barrier`] prevents this. `cargo xtask rust-cuda` counts the barriers in the PTX.
//! On a machine without a GPU, it also runs the kernels on the virtual GPU, which faults if the lanes of a warp come to different copies of
//! a barrier.

use cuda_std::{shared, thread, warp};

use crate::contract::WARP_LANES;

/// The major number of the target's compute capability, at most 9. For a target, rust-cuda sets one `compute_…` feature for its compute
/// capability, and one for each lower capability.
pub const CAPABILITY_MAJOR: u32 = if cfg!(target_feature = "compute_90") {
    9
} else if cfg!(target_feature = "compute_80") {
    8
} else {
    7
};

const FULL_MASK: u32 = u32::MAX;

/// Three of the four modes of libNVVM's shuffle.
const MODE_FROM: u32 = 0;
const MODE_UP: u32 = 1;
const MODE_DOWN: u32 = 2;

/// The segment operand of the shuffles `down` and `from`: the segment is the whole warp, and the highest lane is the clamp.
const SEGMENT_DOWN: u32 = 0x1f;
/// The segment operand of the shuffle `up`: the segment is the whole warp, and the lowest lane is the clamp.
const SEGMENT_UP: u32 = 0;

/// The result of libNVVM's shuffle: the value, and whether the source lane is in range.
#[repr(C)]
struct Shuffled {
    value: u32,
    _is_others: u8,
}

extern "C" {
    fn __nvvm_warp_shuffle(mask: u32, mode: u32, value: u32, lane: u32, segment: u32) -> Shuffled;
}

/// This thread's index in its block.
#[inline(always)]
pub fn thread_index() -> u32 {
    thread::thread_idx_x()
}

/// This block's index in the grid.
#[inline(always)]
pub fn block_index() -> u32 {
    thread::block_idx_x()
}

/// The number of threads in a block.
#[inline(always)]
pub fn block_threads() -> u32 {
    thread::block_dim_x()
}

/// The number of blocks in the grid.
#[inline(always)]
pub fn block_count() -> u32 {
    thread::grid_dim_x()
}

/// Waits for all threads of the block. Their memory accesses before the barrier come before their accesses after it.
///
/// # Safety
/// Convergent (see [`crate::simt`]): the whole block.
#[inline(always)]
pub unsafe fn barrier() {
    thread::sync_threads();
    stay_one_block();
}

/// Makes the basic block of a barrier too long to be copied. LLVM's pass `SimplifyCFG` copies a basic block of up to ten instructions, with
/// its barrier, into the branches that lead there. This function consists of twelve `ptx!` with an empty text. LLVM counts each as an
/// instruction, but they add no instruction to the PTX.
#[inline(always)]
fn stay_one_block() {
    macro_rules! each {
        ($($nothing:literal)*) => {$(
            // SAFETY: the text is empty.
            unsafe { ptx!(stay_one_block: $nothing, options(nostack)) };
        )*};
    }
    each!("" "" "" "" "" "" "" "" "" "" "" "");
}

/// Waits until `warps` warps of the block have arrived at barrier number `barrier` (1 to 15). Their accesses before the barrier come before
/// the caller's accesses after it.
///
/// # Safety
/// - Convergent: the whole warp.
/// - `barrier` is 1 to 15. At each use of the barrier, `warps` warps arrive, by this function or by [`arrive_at_barrier`].
#[inline(always)]
pub unsafe fn wait_at_barrier(barrier: u32, warps: u32) {
    let threads = warps * WARP_LANES;
    // SAFETY: the whole warp calls it, and `warps` warps arrive at each use (conditions of this function). Barrier 0 is kept for barriers
    // of the whole block.
    unsafe {
        ptx!(wait_at_barrier: "bar.sync {barrier}, {threads};", barrier = in(reg32) barrier, threads = in(reg32) threads, options(nostack));
    }
}

/// Arrives at barrier `barrier` without waiting for the other warps.
///
/// # Safety
/// - The conditions of [`wait_at_barrier`].
/// - At least one other warp waits at the barrier, by [`wait_at_barrier`].
#[inline(always)]
pub unsafe fn arrive_at_barrier(barrier: u32, warps: u32) {
    let threads = warps * WARP_LANES;
    // SAFETY: as in [`wait_at_barrier`]; another warp waits at the barrier (condition of this function).
    unsafe {
        ptx!(arrive_at_barrier: "bar.arrive {barrier}, {threads};", barrier = in(reg32) barrier, threads = in(reg32) threads, options(nostack));
    }
}

/// Waits for all lanes of the warp. Their memory accesses before the barrier come before their accesses after it.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn warp_barrier() {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { warp::sync_warp(FULL_MASK) }
}

/// The block's dynamic shared memory.
#[inline(always)]
pub fn shared_memory<T>() -> *mut T {
    shared::dynamic_shared_mem::<T>()
}

/// The `value` of the lane whose number is greater by `delta`, or the calling lane's own value if there is no such lane.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_down(value: u32, delta: u32) -> u32 {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { __nvvm_warp_shuffle(FULL_MASK, MODE_DOWN, value, delta, SEGMENT_DOWN) }.value
}

/// The `value` of the lane whose number is smaller by `delta`, or the calling lane's own value if there is no such lane.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_up(value: u32, delta: u32) -> u32 {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { __nvvm_warp_shuffle(FULL_MASK, MODE_UP, value, delta, SEGMENT_UP) }.value
}

/// The `value` of lane `lane`.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_from(value: u32, lane: u32) -> u32 {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { __nvvm_warp_shuffle(FULL_MASK, MODE_FROM, value, lane, SEGMENT_DOWN) }.value
}

/// The lanes whose `predicate` holds: bit `i` for lane `i`.
///
/// LLVM copies some of these votes. The copies are harmless (see the module).
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn ballot(predicate: bool) -> u32 {
    let lanes: u32;
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe {
        ptx!(
            ballot: "{{ .reg .pred %holds; setp.ne.u32 %holds, {predicate}, 0;",
            "vote.sync.ballot.b32 {lanes}, %holds, 0xffffffff; }}",
            predicate = in(reg32) predicate as u32,
            lanes = out(reg32) lanes,
            options(nostack),
        );
    }
    lanes
}

/// The word with its bytes in the opposite order.
#[inline(always)]
pub fn swap_bytes(word: u32) -> u32 {
    let swapped: u32;
    // SAFETY: the instruction only computes on registers.
    unsafe {
        ptx!(
            swap_bytes: "prmt.b32 {swapped}, {word}, 0, 0x0123;",
            word = in(reg32) word,
            swapped = out(reg32) swapped,
            options(pure, nomem, nostack),
        );
    }
    swapped
}
