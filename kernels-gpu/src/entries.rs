//! The rows of kernels, one for each, made of the [table](crate::table).
//!
//! A row reads `kind operator element => symbol`. An operator and element that have no row do not compile
//! in the host library either.

/// Hands every row of reductions and scans of whole arrays to the macro `$callback`, as `kind Op element => symbol;`.
#[macro_export]
macro_rules! for_each_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback kernels }
    };
}

/// Hands every row of the table to the macro `$callback`, as [`for_each_kernel!`] does some, in the order of the committed kernels.
#[macro_export]
macro_rules! for_each_row {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback all_kernels }
    };
}

/// Hands every row of reductions of whole arrays, of one input and of two, to the macro `$callback`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_whole_array_reduction {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback whole_array_reductions }
    };
}

/// Hands every row of kernels with two inputs to the macro `$callback`: the operator is on pairs of two elements of
/// this type.
#[macro_export]
macro_rules! for_each_pair_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback pair_kernels }
    };
}

/// Hands every row of segmented reductions to the macro `$callback`.
#[macro_export]
macro_rules! for_each_segmented_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback segmented_kernels }
    };
}

/// Hands every row of segmented scans to the macro `$callback`: an inclusive scan and an exclusive one are one kernel.
#[macro_export]
macro_rules! for_each_segmented_scan_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback segmented_scan_kernels }
    };
}

/// Hands every row of reductions of columns to the macro `$callback`.
#[macro_export]
macro_rules! for_each_columns_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback columns_kernels }
    };
}

/// Hands every row of scans of columns to the macro `$callback`: an inclusive scan and an exclusive one are one kernel.
#[macro_export]
macro_rules! for_each_columns_scan_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback columns_scan_kernels }
    };
}

/// Hands every row of selections to the macro `$callback`. Where flags choose, only the bytes of an item matter: a row serves all
/// items of as many.
#[macro_export]
macro_rules! for_each_selection_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback selection_kernels }
    };
}

/// Hands the rows whose kernels ship as a text of their own to the macro `$callback`, as [`for_each_kernel!`] does all. The
/// others ship as skeletons and bodies, since a skeleton with their bodies is as good. Of reductions of `bf16` that round it is not: a
/// conversion of two instructions, which the compiler joins with taking the item out of its word, is left in two parts (by `ptxas` of
/// CUDA 13.0, 672 instructions whole and 720 filled, for 9.0).
#[macro_export]
macro_rules! for_each_whole_kernel {
    ($callback:ident) => {
        $callback! {
            reduce Sum bf16 => reduce_sum_bf16;
            reduce Product bf16 => reduce_product_bf16;
            reduce WideSum bf16 => reduce_wide_sum_bf16;
        }
    };
}

/// Passes rows to the macro `$callback`: those of each kind, from its sections of the table, then other rows that are given as they are.
#[doc(hidden)]
#[macro_export]
macro_rules! name_rows {
    (
        $callback:ident
        $([
            $($kind:ident: $({ $($op:ident: [$($t:ident)*];)* })*),*
            $(; $($written_out:tt)*)?
        ])*
    ) => {
        $crate::pastey::paste! {
            $callback! {
                $(
                    $($($($($kind $op $t => [<$kind _ $op:snake _ $t:snake>];)*)*)*)*
                    $($($written_out)*)?
                )*
            }
        }
    };
}
