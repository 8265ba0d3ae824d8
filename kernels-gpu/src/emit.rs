//! The kernels' entries, one for each row of the table in [`crate::entries`].
//!
//! The names and the parameters are what the host launches; what a launch must keep to is said where the
//! entries forward to, in `grid`.
#![allow(missing_docs, clippy::missing_safety_doc)]
// With skeletons, few rows are emitted here.
#![cfg_attr(feature = "skeletons", allow(unused_imports, unused_macros))]

use half::{bf16, f16};

use crate::block::{Exclusive, Inclusive};
use crate::op::*;

/// Emits an entry, as the compiler in use wants it.
#[cfg(not(feature = "cuda_std"))]
macro_rules! entry {
    ($symbol:ident($($parameter:ident: $type:ty,)*) $body:block) => {
        #[no_mangle]
        pub unsafe extern "ptx-kernel" fn $symbol($($parameter: $type),*) $body
    };
}

/// Emits an entry, as the compiler in use wants it.
#[cfg(feature = "cuda_std")]
macro_rules! entry {
    ($symbol:ident($($parameter:ident: $type:ty,)*) $body:block) => {
        #[cuda_std::kernel]
        pub unsafe fn $symbol($($parameter: $type),*) $body
    };
}

/// Emits the entry of a reduction.
macro_rules! reduce_entry {
    ($symbol:ident: $op:ty, $t:ty) => {
        entry!($symbol(
            input: *const $t,
            item_count: u64,
            first_chunk: u64,
            control: *mut $crate::workspace::Control,
            states: *mut u64,
            state_words: u64,
            output: *mut <$op as $crate::op::Op<$t>>::Output,
        ) {
            // SAFETY: the launch keeps the contract of `grid::reduce::reduce`.
            unsafe {
                $crate::grid::reduce::reduce::<$op, $t>(
                    input, item_count, first_chunk, control, states, state_words, output,
                )
            }
        });
    };
}

/// Emits the entry of a reduction of pairs, whose values are of one type.
macro_rules! reduce_pairs_entry {
    ($symbol:ident: $op:ty, $t:ty) => {
        entry!($symbol(
            left: *const $t,
            right: *const $t,
            item_count: u64,
            first_chunk: u64,
            control: *mut $crate::workspace::Control,
            states: *mut u64,
            state_words: u64,
            output: *mut <$op as $crate::op::Op<$crate::op::Pair<$t, $t>>>::Output,
        ) {
            // SAFETY: the launch keeps the contract of `grid::reduce::reduce_pairs`.
            unsafe {
                $crate::grid::reduce::reduce_pairs::<$op, $t, $t>(
                    left, right, item_count, first_chunk, control, states, state_words, output,
                )
            }
        });
    };
}

/// Emits the entry of a scan.
macro_rules! scan_entry {
    ($symbol:ident: $placement:ty, $op:ty, $t:ty) => {
        entry!($symbol(
            input: *const $t,
            output: *mut <$op as $crate::op::Op<$t>>::Output,
            item_count: u64,
            first_tile: u64,
            end_tile: u64,
            control: *mut $crate::workspace::Control,
            states: *mut u64,
            state_words: u64,
        ) {
            // SAFETY: the launch keeps the contract of `grid::scan::scan`.
            unsafe {
                $crate::grid::scan::scan::<$placement, $op, $t>(
                    input, output, item_count, first_tile, end_tile, control, states, state_words,
                )
            }
        });
    };
}

macro_rules! reduce {
    ($op:ident $t:ident $symbol:ident) => { reduce_entry!($symbol: $op, $t); };
}

macro_rules! reduce_pairs {
    ($op:ident $t:ident $symbol:ident) => { reduce_pairs_entry!($symbol: $op, $t); };
}

macro_rules! inclusive_scan {
    ($op:ident $t:ident $symbol:ident) => { scan_entry!($symbol: Inclusive, $op, $t); };
}

macro_rules! exclusive_scan {
    ($op:ident $t:ident $symbol:ident) => { scan_entry!($symbol: Exclusive, $op, $t); };
}

macro_rules! entries {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { $($kind!($op $t $symbol);)* };
}

#[cfg(not(feature = "skeletons"))]
crate::for_each_kernel!(entries);
#[cfg(not(feature = "skeletons"))]
crate::for_each_pair_kernel!(entries);

// The others are put together of skeletons and bodies.
#[cfg(feature = "skeletons")]
crate::for_each_whole_kernel!(entries);

#[cfg(not(feature = "cuda_std"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
