//! The arguments of reductions and scans of columns, as lists. [`crate::arguments`] says what is made from a list.

/// Calls the macro in brackets. Passes it the other tokens, and then the arguments of a reduction of columns. Items have type `T`, and
/// results have type `R`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_columns_reduce_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The address of item 0, aligned to an item.
            input: *const T,
            /// How many rows a matrix has.
            row_count: u64,
            /// The number of columns of all matrices together. There is a result for each column.
            column_count: u64,
            /// How many columns a matrix has.
            matrix_columns: u64,
            /// Items from the start of a row to the start of the next.
            row_pitch: u64,
            /// Items from the start of a matrix to the start of the next.
            matrix_pitch: u64,
            /// Null, or the address of a count in device memory: the number of rows of a matrix, or the number of matrices. A number of
            /// rows above `row_count` counts as `row_count`. A number of matrices above `column_count / matrix_columns` counts as this
            /// quotient.
            count_at: *const u64,
            /// What the number at `count_at` counts: 1 for rows, 0 for matrices.
            counts_rows: u64,
            /// The start of the workspace.
            control: *mut $crate::workspace::Control,
            /// The workspace's state words.
            states: *mut u64,
            /// How many state words there are.
            state_words: u64,
            /// The address of result 0.
            output: *mut R,
        }
    };
}

/// Calls the macro in brackets. Passes it the other tokens, and then the arguments of a scan of columns. Items have type `T`, and results
/// have type `R`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_columns_scan_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The address of item 0, aligned to an item. In a backward scan, item 0 is in the last row of matrix 0.
            input: *const T,
            /// How many rows a matrix has.
            row_count: u64,
            /// The number of columns of all matrices together.
            column_count: u64,
            /// How many columns a matrix has.
            matrix_columns: u64,
            /// Items from the start of a row to the start of the next. In a backward scan this is a negative number, in two's complement.
            row_pitch: u64,
            /// Items from the start of a matrix to the start of the next.
            matrix_pitch: u64,
            /// Null, or the address of a count in device memory: the number of rows of a matrix, or the number of matrices. A number of
            /// rows above `row_count` counts as `row_count`. A number of matrices above `column_count / matrix_columns` counts as this
            /// quotient.
            count_at: *const u64,
            /// What the number at `count_at` counts: 1 for rows, 0 for matrices.
            counts_rows: u64,
            /// The start of the workspace.
            control: *mut $crate::workspace::Control,
            /// The workspace's state words.
            states: *mut u64,
            /// How many state words there are.
            state_words: u64,
            /// The address of result 0.
            output: *mut R,
            /// 1 if the scan is exclusive, else 0.
            is_exclusive: u64,
        }
    };
}

with_columns_reduce_arguments! {
    [arguments]
    /// The arguments of a reduction of columns: items of type `T`, results of type `R`.
    ColumnsReduceArguments<T, R>;
}

with_columns_scan_arguments! {
    [arguments]
    /// The arguments of a scan of columns: items of type `T`, results of type `R`.
    ColumnsScanArguments<T, R>;
}
