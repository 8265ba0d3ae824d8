//! The kernels' entries: one for each row of the tables in [`crate::entries`], and `ladder_nested_hello`.
//!
//! Each entry calls a function, whose documentation states the conditions of a launch.
#![allow(missing_docs, clippy::missing_safety_doc)]

use core::ffi::c_void;

use crate::nested::{hello, recursive, recursive_one_launcher, recursive_waiting};
use crate::reduce::atomic_tree::{atomic_tree, constant_tree, last_warp_unrolled};
use crate::reduce::atomics::{global_atomics, shared_atomics};
use crate::reduce::first_at_load::{
    distant_pairs, exclusive_cases, first_at_load, without_indices,
};
use crate::reduce::grid_stride::grid_stride;
use crate::reduce::halving::halving;
use crate::reduce::neighbours::{divergent_neighbours, packed_interleaved, packed_neighbours};
use crate::reduce::paired::{interleaved_pair, neighboured_packed, neighboured_pair};
use crate::reduce::shared_tree::{any_size_tree, power_of_two_tree, warp_sync_tree};
use crate::reduce::unrolled::{
    unrolled_2, unrolled_4, unrolled_8, unrolled_8_completely, unrolled_8_constant,
    unrolled_8_last_warp,
};
use crate::scan::brent_kung::*;
use crate::scan::kogge_stone::*;
use crate::scan::naive::*;
use crate::scan::sections::*;
use crate::scan::{Exclusive, Inclusive};
use warpfold_kernels::op::{Max, Sum};

/// Emits an entry, in the form that the compiler in use needs.
#[cfg(not(feature = "cuda_std"))]
macro_rules! entry {
    ($symbol:ident($($parameter:ident: $type:ty,)*) $body:block) => {
        #[no_mangle]
        pub unsafe extern "ptx-kernel" fn $symbol($($parameter: $type),*) $body
    };
}

/// Emits an entry, in the form that the compiler in use needs.
#[cfg(feature = "cuda_std")]
macro_rules! entry {
    ($symbol:ident($($parameter:ident: $type:ty,)*) $body:block) => {
        #[cuda_std::kernel]
        pub unsafe fn $symbol($($parameter: $type),*) $body
    };
}

/// Emits an entry with the parameters of the function that it calls.
macro_rules! forward {
    ($symbol:ident => $function:expr, $($parameter:ident: $type:ty,)*) => {
        entry!($symbol($($parameter: $type,)*) {
            // SAFETY: the entry has the conditions of the function that it calls, and a launch meets them.
            unsafe { $function($($parameter),*) }
        });
    };
}

macro_rules! in_place {
    ($family:ident $op:ident $t:ident => $symbol:ident) => {
        forward!($symbol => $family::<$op, $t>, items: *mut $t, item_count: u64,);
    };
}

macro_rules! reduce {
    ($family:ident $op:ident $t:ident $($block:literal)? => $symbol:ident) => {
        forward!(
            $symbol => $family::<$op, $t $(, $block)?>,
            input: *const $t, output: *mut $t, item_count: u64,
        );
    };
}

macro_rules! reduce_in_place {
    ($family:ident $op:ident $t:ident => $symbol:ident) => {
        forward!(
            $symbol => $family::<$op, $t>,
            items: *mut $t, partials: *mut $t, item_count: u64,
        );
    };
}

macro_rules! padded {
    ($family:ident $op:ident $t:ident $($block:literal)? => $symbol:ident) => {
        forward!($symbol => $family::<$op, $t $(, $block)?>, items: *mut $t, partials: *mut $t,);
    };
}

macro_rules! whole {
    ($placement:ident $family:ident $op:ident $t:ident => $symbol:ident) => {
        entry!($symbol(input: *const $t, output: *mut $t, item_count: u64,) {
            // SAFETY: the entry has the conditions of the function that it calls, and a launch meets them.
            unsafe { $family::<$placement, $op, $t>(input, output, item_count) }
        });
    };
}

macro_rules! sections {
    ($placement:ident $family:ident $op:ident $t:ident => $symbol:ident) => {
        entry!($symbol(input: *const $t, output: *mut $t, totals: *mut $t, item_count: u64,) {
            // SAFETY: the entry has the conditions of the function that it calls, and a launch meets them.
            unsafe { $family::<$placement, $op, $t>(input, output, totals, item_count) }
        });
    };
}

macro_rules! inclusive_whole {
    ($($row:tt)*) => { whole!(Inclusive $($row)*); };
}

macro_rules! exclusive_whole {
    ($($row:tt)*) => { whole!(Exclusive $($row)*); };
}

macro_rules! inclusive_sections {
    ($($row:tt)*) => { sections!(Inclusive $($row)*); };
}

macro_rules! exclusive_sections {
    ($($row:tt)*) => { sections!(Exclusive $($row)*); };
}

macro_rules! prefixes {
    ($family:ident $op:ident $t:ident => $symbol:ident) => {
        entry!($symbol(prefixes: *const $t, items: *mut $t, item_count: u64, section_items: u64,) {
            // SAFETY: the entry has the conditions of the function that it calls, and a launch meets them.
            unsafe { $family::<$op, $t>(prefixes, items, item_count, section_items) }
        });
    };
}

macro_rules! entries {
    ($($kind:ident $family:ident $op:ident $t:ident $($block:literal)? => $symbol:ident;)*) => {
        $($kind!($family $op $t $($block)? => $symbol);)*
    };
}

crate::for_each_ladder_kernel!(entries);

/// Emits an entry that passes its own address, and then its parameters, to a function.
macro_rules! launching {
    ($symbol:ident => $function:expr, $($parameter:ident: $type:ty,)*) => {
        entry!($symbol($($parameter: $type,)*) {
            // SAFETY: the address is this entry's. The entry has the other conditions of the function that it calls, and a launch meets
            // them.
            unsafe { $function($symbol as *const c_void, $($parameter),*) }
        });
    };
}

macro_rules! nested {
    ($family:ident $op:ident $t:ident => $symbol:ident) => {
        launching!(
            $symbol => $family::<$op, $t>,
            items: *mut $t, partials: *mut $t, refusal: *mut u32, item_count: u64,
        );
    };
}

macro_rules! nested_by_one {
    ($family:ident $op:ident $t:ident => $symbol:ident) => {
        launching!(
            $symbol => $family::<$op, $t>,
            items: *mut $t, partials: *mut $t, refusal: *mut u32, stride: u64, block_items: u64,
        );
    };
}

crate::for_each_nested_kernel!(entries);

launching!(ladder_nested_hello => hello, refusal: *mut u32, thread_count: u64, depth: u64,);

#[cfg(not(feature = "cuda_std"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
