//! The rows of kernels, made from the [table](crate::table): one row for each kernel.
//!
//! A row reads `kind Op element => symbol;`, where the element is the type of the items. If a program calls the host library with an
//! operator and an item type of the table, the call compiles only if a row has the call's kind, this operator and this item type.

/// Passes every row of the kinds `reduce`, `inclusive_scan` and `exclusive_scan` to the macro `$callback`. The form of a row is
/// `kind Op element => symbol;`.
#[macro_export]
macro_rules! for_each_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback kernels }
    };
}

/// Passes every row of the table to the macro `$callback`, in the form of [`for_each_kernel!`].
#[macro_export]
macro_rules! for_each_row {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback all_kernels }
    };
}

/// Passes every row of the kinds `reduce` and `reduce_pairs` to the macro `$callback`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_whole_array_reduction {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback whole_array_reductions }
    };
}

/// Passes every row of reductions of two inputs to the macro `$callback`. The operator's item is a pair of values of the row's element
/// type.
#[macro_export]
macro_rules! for_each_pair_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback pair_kernels }
    };
}

/// Passes every row of segmented reductions to the macro `$callback`.
#[macro_export]
macro_rules! for_each_segmented_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback segmented_kernels }
    };
}

/// Passes every row of segmented scans to the macro `$callback`. One kernel does both inclusive and exclusive scans.
#[macro_export]
macro_rules! for_each_segmented_scan_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback segmented_scan_kernels }
    };
}

/// Passes every row of reductions by key to the macro `$callback`.
#[macro_export]
macro_rules! for_each_by_key_reduce_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback by_key_reduce_kernels }
    };
}

/// Passes every row of reductions of columns to the macro `$callback`.
#[macro_export]
macro_rules! for_each_columns_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback columns_kernels }
    };
}

/// Passes every row of scans of columns to the macro `$callback`. One kernel does both inclusive and exclusive scans.
#[macro_export]
macro_rules! for_each_columns_scan_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback columns_scan_kernels }
    };
}

/// Passes every row of selections, and of launches that mark heads, to the macro `$callback`. For a selection by flags, only the size of an
/// item matters: one row serves all items of a size.
#[macro_export]
macro_rules! for_each_selection_kernel {
    ($callback:ident) => {
        $crate::with_item_types! { with_operators! $callback selection_kernels }
    };
}

/// Passes some rows to the macro `$callback`, in the form of [`for_each_kernel!`]: the rows whose kernels ship as texts of their own. All
/// other kernels ship as skeletons and bodies, because a filled skeleton is as fast as a text that is compiled whole. The reductions below
/// are the exception: the conversion of a `bf16` takes two instructions. In a text that is compiled whole, the compiler can merge these two
/// with the instruction that extracts the item from its word. In a filled skeleton it cannot: for compute capability 9.0, `ptxas` of CUDA
/// 13.0 makes 720 instructions of the filled skeleton, and 672 of the text that is compiled whole.
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

/// Passes rows to the macro `$callback`. A group in brackets lists kinds, and sections of the table for each kind. The macro makes rows
/// from each kind and its sections. Rows that are written out after a semicolon are passed as they are.
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
