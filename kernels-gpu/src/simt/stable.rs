//! The machine through stable rustc's NVPTX back end: every instruction is a hook (see [`super::hook`]).
//!
//! # Convergence
//!
//! The compiler takes a hook for an ordinary call, which it may copy into the arms of a branch. LLVM copies no loops in this way. So each
//! call that has to be convergent is the body of a loop ([`convergent!`]) that runs once; the driver's compiler removes the loop. MIR's
//! passes do copy loops, so `warpfold-build` compiles this crate without them, and leaves all optimisation to LLVM. The PTX is inspected
//! afterwards: it has as many barriers as the source.

use crate::contract::WARP_LANES;

/// The major compute capability that the kernels are compiled for. Stable rustc does not say: the build does, by a feature.
pub const CAPABILITY_MAJOR: u32 = if cfg!(feature = "stable_sm_90") {
    9
} else if cfg!(feature = "stable_sm_80") {
    8
} else {
    7
};

/// Runs PTX that has to be convergent, in a loop of one turn. The compiler does not know that it ends after one.
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
            // SAFETY: reads a special register.
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

/// Waits for all threads of the block. Memory accesses before the barrier come before those after it.
///
/// # Safety
/// Convergent (see the module): the whole block.
#[inline(always)]
pub unsafe fn barrier() {
    // SAFETY: the caller's.
    unsafe { convergent!(barrier: "bar.sync 0;", options(nostack)) }
}

/// Waits until `warps` warps of the block have come to a barrier with a number from 1 to 15. Their memory accesses before it come before
/// the caller's accesses after it.
///
/// # Safety
/// Convergent: the whole warp. As many warps come to the barrier each time, by this or by [`arrive_at_barrier`].
#[inline(always)]
pub unsafe fn wait_at_barrier(barrier: u32, warps: u32) {
    // SAFETY: the caller's. Barrier 0 is the whole block's.
    unsafe {
        convergent!(wait_at_barrier: "bar.sync {barrier}, {threads};",
            barrier = in(number) barrier,
            threads = in(number) warps * WARP_LANES,
            options(nostack)
        );
    }
}

/// Arrives at a barrier with a number, without waiting for the other warps.
///
/// # Safety
/// The same as for [`wait_at_barrier`], by which some other warp comes there.
#[inline(always)]
pub unsafe fn arrive_at_barrier(barrier: u32, warps: u32) {
    // SAFETY: the caller's.
    unsafe {
        convergent!(arrive_at_barrier: "bar.arrive {barrier}, {threads};",
            barrier = in(number) barrier,
            threads = in(number) warps * WARP_LANES,
            options(nostack)
        );
    }
}

/// Waits for all lanes of the warp. Memory accesses before the barrier come before those after it.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn warp_barrier() {
    // SAFETY: the caller's.
    unsafe { convergent!(warp_barrier: "bar.warp.sync 0xffffffff;", options(nostack)) }
}

/// The block's shared memory.
#[inline(always)]
pub fn shared_memory<T>() -> *mut T {
    let base: *mut T;
    // SAFETY: an address. The text declares the array.
    unsafe {
        ptx!(shared_memory: "mov.u64 {base}, warpfold_shared;", base = out(reg64) base, options(pure, nomem, nostack));
    }
    base
}

/// The same pointer, marked as one to global memory.
#[inline(always)]
pub fn in_global_memory<T>(pointer: *mut T) -> *mut T {
    let global: *mut T;
    // SAFETY: converts an address.
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

/// A word that a scan stores: of an inclusive scan or of an exclusive one. The instruction is none of PTX: `warpfold-build` makes two
/// texts, with copies of the one and of the other.
#[inline(always)]
pub fn placed(inclusive: u32, exclusive: u32) -> u32 {
    let word: u32;
    // SAFETY: copies a register.
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

/// A shuffle of the whole warp: of the lane that the operand says, with the clamp and the mask of segments.
macro_rules! shuffle {
    ($(#[$doc:meta])* $name:ident, $operand:ident, $text:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Convergent: the whole warp.
        #[inline(always)]
        pub unsafe fn $name(value: u32, $operand: u32) -> u32 {
            let mut shuffled: u32;
            // SAFETY: the caller's.
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
    /// `value` of the lane `delta` above; the lane's own where there is none.
    shuffle_down,
    delta,
    "shfl.sync.down.b32 {shuffled}, {value}, {lane}, 31, -1;"
);
shuffle!(
    /// `value` of the lane `delta` below; the lane's own where there is none.
    shuffle_up,
    delta,
    "shfl.sync.up.b32 {shuffled}, {value}, {lane}, 0, -1;"
);
shuffle!(
    /// `value` of `lane`.
    shuffle_from,
    lane,
    "shfl.sync.idx.b32 {shuffled}, {value}, {lane}, 31, -1;"
);

/// The lanes whose `predicate` holds: bit `i` for lane `i`.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn ballot(predicate: bool) -> u32 {
    let mut lanes: u32;
    // SAFETY: the caller's.
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
