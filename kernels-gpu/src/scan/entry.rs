//! The entries of scans.

/// Emits the entry of a scan, inclusive or exclusive. The arguments: the macro that emits an entry, the tokens from which that macro makes
/// the symbol, the placement (inclusive or exclusive), and the types of the operator and of the items.
#[doc(hidden)]
#[macro_export]
macro_rules! emit_scan {
    ([$($emit:tt)*] [$($symbol:tt)*] $placement:ty, $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_scan_arguments! {
                [$($emit)*] $($symbol)*, $crate::scan::ScanArguments =>
                $crate::scan::kernel::scan::<$placement, $op, $t>;
            }
        };
    };
}

/// Emits the entry of an inclusive scan. The arguments are like those of [`emit_reduce!`](crate::emit_reduce).
#[doc(hidden)]
#[macro_export]
macro_rules! emit_inclusive_scan {
    ([$($emit:tt)*] [$($symbol:tt)*] $op:ty, $t:ty) => {
        $crate::emit_scan! { [$($emit)*] [$($symbol)*] $crate::scan::kernel::Inclusive, $op, $t }
    };
}

/// Emits the entry of an exclusive scan. The arguments are like those of [`emit_reduce!`](crate::emit_reduce).
#[doc(hidden)]
#[macro_export]
macro_rules! emit_exclusive_scan {
    ([$($emit:tt)*] [$($symbol:tt)*] $op:ty, $t:ty) => {
        $crate::emit_scan! { [$($emit)*] [$($symbol)*] $crate::scan::kernel::Exclusive, $op, $t }
    };
}
