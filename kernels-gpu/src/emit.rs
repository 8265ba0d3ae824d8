//! The kernels' entries, one for each row of [`crate::entries`].
//!
//! The names and the parameters are what the host launches; what a launch must keep to is said where the
//! entries forward to, in `grid`.
#![allow(missing_docs, clippy::missing_safety_doc)]
// With skeletons, few rows are emitted here.
#![cfg_attr(feature = "skeletons", allow(unused_imports, unused_macros))]

use half::{bf16, f16};

use crate::block::{Exclusive, Inclusive};
use crate::grid::selection::{Flagged, Heads, If};
use crate::op::*;
use crate::selection::*;

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

/// Emits an entry that hands its parameters on to a function, as the struct of its kind.
macro_rules! forward {
    ($symbol:ident, $arguments:ident to $function:expr; $($(#[$documentation:meta])* $field:ident: $type:ty,)*) => {
        entry!($symbol($($field: $type,)*) {
            // SAFETY: the launch keeps the contract of the function.
            unsafe { $function($crate::arguments::$arguments { $($field),* }) }
        });
    };
}

/// Emits the entry of a reduction.
macro_rules! reduce_entry {
    ($symbol:ident: $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_reduce_arguments! {
                [forward] $symbol, ReduceArguments to $crate::grid::reduce::reduce::<$op, $t>;
            }
        };
    };
}

/// Emits the entry of a reduction of pairs, whose values are of one type.
macro_rules! reduce_pairs_entry {
    ($symbol:ident: $op:ty, $t:ty) => {
        const _: () = {
            type A = $t;
            type B = $t;
            type R = <$op as $crate::op::Op<$crate::op::Pair<$t, $t>>>::Output;
            $crate::with_reduce_pairs_arguments! {
                [forward] $symbol, ReducePairsArguments to $crate::grid::reduce::reduce_pairs::<$op, $t, $t>;
            }
        };
    };
}

/// Emits the entry of a scan.
macro_rules! scan_entry {
    ($symbol:ident: $placement:ty, $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_scan_arguments! {
                [forward] $symbol, ScanArguments to $crate::grid::scan::scan::<$placement, $op, $t>;
            }
        };
    };
}

/// Emits the entry of a segmented reduction.
macro_rules! segmented_reduce_entry {
    ($symbol:ident: $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_segmented_reduce_arguments! {
                [forward] $symbol, SegmentedReduceArguments to $crate::grid::segments::segmented_reduce::<$op, $t>;
            }
        };
    };
}

/// Emits the entry of a selection.
macro_rules! selection_entry {
    ($symbol:ident: $choice:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            $crate::with_selection_arguments! {
                [forward] $symbol, SelectionArguments to $crate::grid::selection::select::<$choice, $t>;
            }
        };
    };
}

/// Emits the entry of a segmented scan.
macro_rules! segmented_scan_entry {
    ($symbol:ident: $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_segmented_scan_arguments! {
                [forward] $symbol, SegmentedScanArguments to $crate::grid::segments::segmented_scan::<$op, $t>;
            }
        };
    };
}

/// Emits the entry of a reduction of columns.
macro_rules! columns_reduce_entry {
    ($symbol:ident: $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_columns_reduce_arguments! {
                [forward] $symbol, ColumnsReduceArguments to $crate::grid::columns::columns_reduce::<$op, $t>;
            }
        };
    };
}

/// Emits the entry of a scan of columns.
macro_rules! columns_scan_entry {
    ($symbol:ident: $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_columns_scan_arguments! {
                [forward] $symbol, ColumnsScanArguments to $crate::grid::columns::columns_scan::<$op, $t>;
            }
        };
    };
}

macro_rules! select_if {
    ($predicate:ident $t:ident $symbol:ident) => { selection_entry!($symbol: If<$predicate>, $t); };
}

macro_rules! runs {
    ($equality:ident $t:ident $symbol:ident) => { selection_entry!($symbol: Heads<$equality>, $t); };
}

macro_rules! select_flagged {
    ($flags:ident $t:ident $symbol:ident) => { selection_entry!($symbol: Flagged, $t); };
}

macro_rules! segmented_reduce {
    ($op:ident $t:ident $symbol:ident) => { segmented_reduce_entry!($symbol: $op, $t); };
}

macro_rules! segmented_scan {
    ($op:ident $t:ident $symbol:ident) => { segmented_scan_entry!($symbol: $op, $t); };
}

macro_rules! columns_reduce {
    ($op:ident $t:ident $symbol:ident) => { columns_reduce_entry!($symbol: $op, $t); };
}

macro_rules! columns_scan {
    ($op:ident $t:ident $symbol:ident) => { columns_scan_entry!($symbol: $op, $t); };
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
crate::for_each_row!(entries);

// The others are put together of skeletons and bodies.
#[cfg(feature = "skeletons")]
crate::for_each_whole_kernel!(entries);

#[cfg(not(feature = "cuda_std"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
