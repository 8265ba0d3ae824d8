//! The table of the library's kernels: the operators, and the types of their items.
//!
//! The table is the macro `with_operators!`. It has sections, and each section has its kinds of kernels. Each line of a section has an
//! operator and a list of types. For each kind of the section and each type of the list, the operator has one kernel. `with_item_types!`
//! has the lists of types. [`entries`](crate::entries) makes the rows. A row's symbol joins the kind, the operator and the type, in snake
//! case: `reduce_wide_sum_f32`.

#[cfg(not(target_arch = "nvptx64"))]
kinds! {
    /// A reduction.
    Reduce: crate::reduce::kind::REDUCE,
    /// A reduction of two inputs.
    ReducePairs: crate::reduce::kind::REDUCE_PAIRS,
    /// An inclusive scan: an item's result combines the item and all items before it.
    InclusiveScan: crate::scan::kind::INCLUSIVE,
    /// An exclusive scan: an item's result combines all items before it.
    ExclusiveScan: crate::scan::kind::EXCLUSIVE,
    /// A reduction of segments.
    SegmentedReduce: crate::segments::kind::REDUCE,
    /// A scan of segments, inclusive or exclusive.
    SegmentedScan: crate::segments::kind::SCAN,
    /// A reduction of the runs of equal keys.
    ByKeyReduce: crate::segments::kind::BY_KEY_REDUCE,
    /// A scan of the runs of equal keys, inclusive or exclusive.
    ByKeyScan: crate::segments::kind::BY_KEY_SCAN,
    /// A reduction of columns.
    ColumnsReduce: crate::columns::kind::REDUCE,
    /// A scan of columns, inclusive or exclusive.
    ColumnsScan: crate::columns::kind::SCAN,
    /// A selection by a predicate.
    SelectIf: crate::selection::kind::IF,
    /// A selection by flags.
    SelectFlagged: crate::selection::kind::FLAGGED,
    /// A selection of the heads of runs.
    Runs: crate::selection::kind::RUNS,
    /// A launch that marks the heads of runs.
    Heads: crate::heads::kind::HEADS,
}

/// Calls the macro that the second brackets name. The arguments are the tokens after these brackets, followed by kinds of kernels. A kind
/// is passed as two names: the kind's name, and the name of the macro that emits its entry. If the first brackets are empty, the macro gets
/// all kinds that a user's operator can have. Otherwise the first brackets choose some of these kinds.
#[doc(hidden)]
#[macro_export]
macro_rules! with_kinds_of {
    ([reduction only] [$($next:tt)*] $($tokens:tt)*) => {
        $($next)*! { $($tokens)* reduce emit_reduce }
    };
    ([scans only] [$($next:tt)*] $($tokens:tt)*) => {
        $($next)*! {
            $($tokens)*
            segmented_reduce emit_segmented_reduce
            segmented_scan emit_segmented_scan
            by_key_reduce emit_by_key_reduce
            by_key_scan emit_by_key_scan
            columns_reduce emit_columns_reduce
            columns_scan emit_columns_scan
            inclusive_scan emit_inclusive_scan
            exclusive_scan emit_exclusive_scan
        }
    };
    ([] $next:tt $($tokens:tt)*) => {
        $crate::with_kinds_of! { [scans only] $next $($tokens)* reduce emit_reduce }
    };
}

/// Calls the macro `$next` with `$arguments`, followed by the lists of item types.
#[doc(hidden)]
#[macro_export]
macro_rules! with_item_types {
    ($next:ident! $($arguments:tt)*) => {
        $crate::$next! {
            $($arguments)*
            numbers: [f32 f64 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64],
            // The number types for whose sums there is a wider type: those of less than 64 bits.
            below_64_bits: [f32 f16 bf16 i8 u8 i16 u16 i32 u32],
            floats: [f32 f64 f16 bf16],
            integers: [i8 u8 i16 u16 i32 u32 i64 u64],
            singles: [f32],
            // The item types of scans by `ArgMin` and `ArgMax`.
            words: [f32 f64 i32 u32 i64 u64],
            maps: [Affine],
        }
    };
}

/// Calls the macro `$callback` with some rows of the set `$rows`: the rows whose items are 16-bit floats, and the rows of selections by
/// flags. The caller uses the rows for another version of the crate `half`. The types of that version have the same names.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_narrow_float {
    ($callback:ident $rows:ident) => {
        $crate::with_operators! {
            $callback $rows
            numbers: [f16 bf16],
            below_64_bits: [f16 bf16],
            floats: [f16 bf16],
            integers: [],
            singles: [],
            words: [],
            maps: [],
        }
    };
}

/// Calls the macro [`rows_of!`](crate::rows_of) with `$callback`, `$rows`, and the sections of the table. The comment of a section says
/// which kinds of kernels its operators have.
#[doc(hidden)]
#[macro_export]
macro_rules! with_operators {
    (
        $callback:ident $rows:ident
        numbers: $numbers:tt,
        below_64_bits: $below_64_bits:tt,
        floats: $floats:tt,
        integers: $integers:tt,
        singles: $singles:tt,
        words: $words:tt,
        maps: $maps:tt,
    ) => {
        $crate::rows_of! {
            $callback $rows
            // Reductions and scans of whole arrays, of segments, of runs of keys and of columns.
            {
                Sum: $numbers;
                Product: $numbers;
                Min: $numbers;
                Max: $numbers;
                WideSum: $below_64_bits;
                MinNum: $floats;
                MaxNum: $floats;
                And: $integers;
                Or: $integers;
                Xor: $integers;
                LogSumExp: $singles;
            }
            // Reductions of whole arrays, of segments, of runs of keys and of columns.
            {
                All: $integers;
                Any: $integers;
                SumOfSquares: $numbers;
                WideSumOfSquares: $singles;
                CountNonZero: $numbers;
            }
            // Reductions of whole arrays, of segments and of columns. A reduction of runs of keys by one of these operators uses the kernel
            // for segments. Most of these operators have accumulators of more than two words.
            {
                ArgMin: $numbers;
                ArgMax: $numbers;
                ArgMinMax: $numbers;
                MinMax: $numbers;
                Moments: $numbers;
                Statistics: $numbers;
            }
            // Reductions of two inputs.
            {
                Dot: $numbers;
            }
            // Selections by a predicate.
            {
                NonZero: $numbers;
                NotNan: $floats;
            }
            // Selections of the heads of runs, and launches that mark the heads. Both use an equality.
            {
                Equal: $numbers;
            }
            // Scans of whole arrays, of segments, of runs of keys and of columns, by operators whose reductions are in a section above.
            {
                ArgMin: $words;
                ArgMax: $words;
            }
            // Scans of whole arrays, and reductions and scans of segments, of runs of keys and of columns, by operators that do not
            // commute.
            {
                Recurrence: $maps;
            }
        }
    };
}

/// Calls the macro `$callback` with the integer types among the item types.
#[macro_export]
macro_rules! for_each_integer {
    ($callback:ident) => {
        $crate::with_item_types! { integers_of! $callback }
    };
}

/// Calls the macro `$callback` with the types of the list `integers`.
#[doc(hidden)]
#[macro_export]
macro_rules! integers_of {
    (
        $callback:ident
        numbers: $numbers:tt,
        below_64_bits: $below_64_bits:tt,
        floats: $floats:tt,
        integers: [$($t:ident)*],
        singles: $singles:tt,
        words: $words:tt,
        maps: $maps:tt,
    ) => {
        $callback! { $($t)* }
    };
}

/// Takes the name of a set of rows, such as `all_kernels`, and picks the kinds of that set. For each kind, lists the sections of the table
/// whose operators have a kernel of this kind.
#[doc(hidden)]
#[macro_export]
macro_rules! rows_of {
    (
        $callback:ident all_kernels $both:tt $reductions:tt $wide:tt $pairs:tt
        $predicates:tt $equalities:tt $scans:tt $ordered:tt
    ) => {
        $crate::with_flagged_rows! {
            $callback
            [
                [
                    reduce: $both $reductions $wide,
                    inclusive_scan: $both $scans $ordered,
                    exclusive_scan: $both $scans $ordered,
                    reduce_pairs: $pairs,
                    segmented_reduce: $both $reductions $wide $ordered
                ]
            ]
            [select_if: $predicates, runs: $equalities, heads: $equalities]
            [
                [
                    segmented_scan: $both $scans $ordered,
                    by_key_reduce: $both $reductions $ordered,
                    by_key_scan: $both $scans $ordered,
                    columns_reduce: $both $reductions $wide $ordered,
                    columns_scan: $both $scans $ordered
                ]
            ]
        }
    };
    (
        $callback:ident whole_array_reductions $both:tt $reductions:tt $wide:tt
        $pairs:tt $($others:tt)*
    ) => {
        $crate::name_rows! {
            $callback [reduce: $both $reductions $wide, reduce_pairs: $pairs]
        }
    };
    (
        $callback:ident kernels $both:tt $reductions:tt $wide:tt $pairs:tt $predicates:tt
        $equalities:tt $scans:tt $ordered:tt
    ) => {
        $crate::name_rows! {
            $callback
            [
                reduce: $both $reductions $wide,
                inclusive_scan: $both $scans $ordered,
                exclusive_scan: $both $scans $ordered
            ]
        }
    };
    (
        $callback:ident segmented_kernels $both:tt $reductions:tt $wide:tt $pairs:tt $predicates:tt
        $equalities:tt $scans:tt $ordered:tt
    ) => {
        $crate::name_rows! { $callback [segmented_reduce: $both $reductions $wide $ordered] }
    };
    (
        $callback:ident segmented_scan_kernels $both:tt $reductions:tt $wide:tt $pairs:tt $predicates:tt
        $equalities:tt $scans:tt $ordered:tt
    ) => {
        $crate::name_rows! { $callback [segmented_scan: $both $scans $ordered] }
    };
    (
        $callback:ident by_key_reduce_kernels $both:tt $reductions:tt $wide:tt $pairs:tt $predicates:tt
        $equalities:tt $scans:tt $ordered:tt
    ) => {
        $crate::name_rows! { $callback [by_key_reduce: $both $reductions $ordered] }
    };
    (
        $callback:ident columns_kernels $both:tt $reductions:tt $wide:tt $pairs:tt $predicates:tt
        $equalities:tt $scans:tt $ordered:tt
    ) => {
        $crate::name_rows! { $callback [columns_reduce: $both $reductions $wide $ordered] }
    };
    (
        $callback:ident columns_scan_kernels $both:tt $reductions:tt $wide:tt $pairs:tt $predicates:tt
        $equalities:tt $scans:tt $ordered:tt
    ) => {
        $crate::name_rows! { $callback [columns_scan: $both $scans $ordered] }
    };
    (
        $callback:ident pair_kernels $both:tt $reductions:tt $wide:tt $pairs:tt
        $($others:tt)*
    ) => {
        $crate::name_rows! { $callback [reduce_pairs: $pairs] }
    };
    (
        $callback:ident selection_kernels $both:tt $reductions:tt $wide:tt $pairs:tt
        $predicates:tt $equalities:tt $($others:tt)*
    ) => {
        $crate::with_flagged_rows! {
            $callback [] [select_if: $predicates, runs: $equalities, heads: $equalities] []
        }
    };
}

/// Adds the rows of selections by flags to groups of other rows, and passes all of them to [`name_rows!`].
#[doc(hidden)]
#[macro_export]
macro_rules! with_flagged_rows {
    ($callback:ident [$($before:tt)*] [$($choices:tt)*] [$($after:tt)*]) => {
        $crate::name_rows! {
            $callback
            $($before)*
            [
                $($choices)*;
                select_flagged Flags u8 => select_flagged_8;
                select_flagged Flags u16 => select_flagged_16;
                select_flagged Flags u32 => select_flagged_32;
                select_flagged Flags u64 => select_flagged_64;
                select_flagged Flags Bytes16 => select_flagged_128;
            ]
            $($after)*
        }
    };
}
