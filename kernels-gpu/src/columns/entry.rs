//! The entries of reductions and scans of columns.

/// Emits the entry of a reduction of columns. This macro takes the same arguments as [`emit_reduce!`](crate::emit_reduce).
#[doc(hidden)]
#[macro_export]
macro_rules! emit_columns_reduce {
    ([$($emit:tt)*] [$($symbol:tt)*] $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_columns_reduce_arguments! {
                [$($emit)*] $($symbol)*, $crate::columns::ColumnsReduceArguments =>
                $crate::columns::kernel::columns_reduce::<$op, $t>;
            }
        };
    };
}

/// Emits the entry of scans of columns: one entry for inclusive and exclusive scans. This macro takes the same arguments as
/// [`emit_reduce!`](crate::emit_reduce).
#[doc(hidden)]
#[macro_export]
macro_rules! emit_columns_scan {
    ([$($emit:tt)*] [$($symbol:tt)*] $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_columns_scan_arguments! {
                [$($emit)*] $($symbol)*, $crate::columns::ColumnsScanArguments =>
                $crate::columns::kernel::columns_scan::<$op, $t>;
            }
        };
    };
}
