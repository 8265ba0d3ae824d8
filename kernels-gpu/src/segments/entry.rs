//! The entries of segmented reductions and scans.

/// Emits the entry of a segmented reduction. The arguments are like those of [`emit_reduce!`](crate::emit_reduce).
#[doc(hidden)]
#[macro_export]
macro_rules! emit_segmented_reduce {
    ([$($emit:tt)*] [$($symbol:tt)*] $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_segmented_reduce_arguments! {
                [$($emit)*] $($symbol)*, $crate::segments::SegmentedReduceArguments =>
                $crate::segments::kernel::segmented_reduce::<$op, $t>;
            }
        };
    };
}

/// Emits the entry of segmented scans: one entry for inclusive and exclusive scans. The arguments are like those of
/// [`emit_reduce!`](crate::emit_reduce).
#[doc(hidden)]
#[macro_export]
macro_rules! emit_segmented_scan {
    ([$($emit:tt)*] [$($symbol:tt)*] $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_segmented_scan_arguments! {
                [$($emit)*] $($symbol)*, $crate::segments::SegmentedScanArguments =>
                $crate::segments::kernel::segmented_scan::<$op, $t>;
            }
        };
    };
}

/// Emits the entry of a reduction by key. The arguments are like those of [`emit_reduce!`](crate::emit_reduce).
#[doc(hidden)]
#[macro_export]
macro_rules! emit_by_key_reduce {
    ([$($emit:tt)*] [$($symbol:tt)*] $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_by_key_reduce_arguments! {
                [$($emit)*] $($symbol)*, $crate::segments::ByKeyReduceArguments =>
                $crate::segments::kernel::by_key_reduce::<$op, $t>;
            }
        };
    };
}

/// Emits the entry of scans by key: one entry for inclusive and exclusive scans. The arguments are like those of
/// [`emit_reduce!`](crate::emit_reduce).
#[doc(hidden)]
#[macro_export]
macro_rules! emit_by_key_scan {
    ([$($emit:tt)*] [$($symbol:tt)*] $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_by_key_scan_arguments! {
                [$($emit)*] $($symbol)*, $crate::segments::ByKeyScanArguments =>
                $crate::segments::kernel::by_key_scan::<$op, $t>;
            }
        };
    };
}
