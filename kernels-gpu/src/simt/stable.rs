//! The machine through stable rustc's NVPTX back end. Every instruction is a hook (see [`super::hook`]).
//!
//! # Convergence
//!
//! To the compiler a hook is an ordinary call, so LLVM may copy the call into the arms of a branch. LLVM does not copy loops in this way.
//! So each call that has to be convergent is the body of a loop ([`convergent!`]) that runs once. The driver's compiler removes the loop.
//! rustc's MIR passes do copy loops, so `warpfold-build` compiles this crate without these passes. Afterwards `warpfold-build` counts the
//! barriers in the PTX: a kernel of the library must have exactly as many as its source has.

use crate::contract::WARP_LANES;

/// The major number of the target's compute capability: 7, 8 or 9. Targets after 9.x count as 9. Stable rustc has no `cfg` for it, so the
/// build sets a feature.
pub const CAPABILITY_MAJOR: u32 = if cfg!(feature = "stable_sm_90") {
    9
} else if cfg!(feature = "stable_sm_80") {
    8
} else {
    7
};

/// Runs PTX that has to be convergent, in a loop with one iteration. The compiler does not know that there is only one.
macro_rules! convergent {
    ($name:ident: $text:literal, $($rest:tt)*) => {
        loop {
            let again: u32;
            ptx!($name: $text, " mov.u32 {again}, 0;", again = out(reg32) again, $($rest)*);
            if again == 0 {
                break;
            }
        }
    };
}

/// Reads a special register.
macro_rules! special_register {
    ($(#[$doc:meta])* $name:ident, $text:literal) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name() -> u32 {
            let value: u32;
            // SAFETY: the instruction reads a special register.
            unsafe { ptx!($name: $text, value = out(reg32) value, options(pure, nomem, nostack)) }
            value
        }
    };
}

special_register!(
    /// This thread's index in its block.
    thread_index,
    "mov.u32 {value}, %tid.x;"
);
special_register!(
    /// This block's index in the grid.
    block_index,
    "mov.u32 {value}, %ctaid.x;"
);
special_register!(
    /// The number of threads in a block.
    block_threads,
    "mov.u32 {value}, %ntid.x;"
);
special_register!(
    /// The number of blocks in the grid.
    block_count,
    "mov.u32 {value}, %nctaid.x;"
);

/// Waits for all threads of the block. The barrier also orders their memory accesses: each access that one of these threads makes before
/// the barrier precedes all accesses that these threads make after it.
///
/// # Safety
/// Convergent (see [`crate::simt`]): the whole block.
#[inline(always)]
pub unsafe fn barrier() {
    // SAFETY: the whole block calls it (condition of this function).
    unsafe { convergent!(barrier: "bar.sync 0;", options(nostack)) }
}

/// Waits until `warps` warps of the block have arrived at barrier number `barrier` (1 to 15). The memory accesses that these warps make
/// before they arrive precede the caller's accesses after the wait.
///
/// # Safety
/// - Convergent: the whole warp.
/// - `barrier` is 1 to 15. At each use of the barrier, `warps` warps arrive, by this function or by [`arrive_at_barrier`].
#[inline(always)]
pub unsafe fn wait_at_barrier(barrier: u32, warps: u32) {
    // SAFETY: the whole warp calls it, and `warps` warps arrive at each use (conditions of this function). `barrier` is not 0: the whole
    // block's barrier has that number.
    unsafe {
        convergent!(wait_at_barrier: "bar.sync {barrier}, {threads};",
            barrier = in(number) barrier,
            threads = in(number) warps * WARP_LANES,
            options(nostack)
        );
    }
}

/// Arrives at barrier `barrier` without waiting for the other warps.
///
/// # Safety
/// - The conditions of [`wait_at_barrier`].
/// - At least one other warp waits at the barrier, by [`wait_at_barrier`].
#[inline(always)]
pub unsafe fn arrive_at_barrier(barrier: u32, warps: u32) {
    // SAFETY: as in [`wait_at_barrier`]; another warp waits at the barrier (condition of this function).
    unsafe {
        convergent!(arrive_at_barrier: "bar.arrive {barrier}, {threads};",
            barrier = in(number) barrier,
            threads = in(number) warps * WARP_LANES,
            options(nostack)
        );
    }
}

/// Waits for all lanes of the warp. The barrier also orders their memory accesses: each access that one of these lanes makes before the
/// barrier precedes all accesses that these lanes make after it.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn warp_barrier() {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { convergent!(warp_barrier: "bar.warp.sync 0xffffffff;", options(nostack)) }
}

/// The block's dynamic shared memory.
#[inline(always)]
pub fn shared_memory<T>() -> *mut T {
    let base: *mut T;
    // SAFETY: the instruction only returns an address. The PTX declares the array `warpfold_shared`.
    unsafe {
        ptx!(shared_memory: "mov.u64 {base}, warpfold_shared;", base = out(reg64) base, options(pure, nomem, nostack));
    }
    base
}

/// Returns `pointer` as an address in global memory. `warpfold-build` adds `.global` to the loads and stores that use this address.
#[inline(always)]
pub fn in_global_memory<T>(pointer: *mut T) -> *mut T {
    let global: *mut T;
    // SAFETY: the instruction converts an address.
    unsafe {
        ptx!(
            in_global_memory: "cvta.to.global.u64 {global}, {pointer};",
            pointer = in(reg64) pointer,
            global = out(reg64) global,
            options(pure, nomem, nostack)
        );
    }
    global
}

/// The word that a scan stores: `inclusive` in an inclusive scan, `exclusive` in an exclusive scan. The instruction `placed` is not PTX.
/// From the compiler's text, `warpfold-build` makes the texts of both scans: in each text, a copy of the right word replaces `placed`.
#[inline(always)]
pub fn placed(inclusive: u32, exclusive: u32) -> u32 {
    let word: u32;
    // SAFETY: the instruction copies a register.
    unsafe {
        ptx!(
            placed: "placed.b32 {word}, {inclusive}, {exclusive};",
            inclusive = in(reg32) inclusive,
            exclusive = in(reg32) exclusive,
            word = out(reg32) word,
            options(pure, nomem, nostack)
        );
    }
    word
}

/// A shuffle of the whole warp. `$operand` decides the source lane. The fourth operand in `$text` contains the clamp value and the segment
/// mask, as PTX defines them.
macro_rules! shuffle {
    ($(#[$doc:meta])* $name:ident, $operand:ident, $text:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Convergent: the whole warp.
        #[inline(always)]
        pub unsafe fn $name(value: u32, $operand: u32) -> u32 {
            let mut shuffled: u32;
            // SAFETY: the whole warp calls it (condition of this function).
            unsafe {
                convergent!(
                    $name: $text,
                    value = in(reg32) value,
                    lane = in(reg32) $operand,
                    shuffled = out(reg32) shuffled,
                    options(nomem, nostack)
                );
            }
            shuffled
        }
    };
}

shuffle!(
    /// The `value` of the lane whose number is greater by `delta`, or the calling lane's own value if there is no such lane.
    shuffle_down,
    delta,
    "shfl.sync.down.b32 {shuffled}, {value}, {lane}, 31, -1;"
);
shuffle!(
    /// The `value` of the lane whose number is smaller by `delta`, or the calling lane's own value if there is no such lane.
    shuffle_up,
    delta,
    "shfl.sync.up.b32 {shuffled}, {value}, {lane}, 0, -1;"
);
shuffle!(
    /// The `value` of lane `lane`.
    shuffle_from,
    lane,
    "shfl.sync.idx.b32 {shuffled}, {value}, {lane}, 31, -1;"
);

/// The lanes on which `predicate` holds, as a mask: bit `i` is for lane `i`.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn ballot(predicate: bool) -> u32 {
    let mut lanes: u32;
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe {
        convergent!(
            ballot: "{{ .reg .pred %holds; setp.ne.u32 %holds, {predicate}, 0; vote.sync.ballot.b32 {lanes}, %holds, 0xffffffff; }}",
            predicate = in(reg32) predicate as u32,
            lanes = out(reg32) lanes,
            options(nomem, nostack)
        );
    }
    lanes
}
