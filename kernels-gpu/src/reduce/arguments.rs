//! The arguments of reductions: lists, from which [`crate::arguments`] makes structs and entries' parameters.

/// Hands the arguments of a reduction of items of type `T` to a result of type `R` to the macro in brackets, after the other
/// tokens.
#[doc(hidden)]
#[macro_export]
macro_rules! with_reduce_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// Item 0, aligned to an item.
            input: *const T,
            /// Items of the whole reduction.
            item_count: u64,
            /// Null, or the address of the number of items in device memory, at most `item_count`.
            item_count_at: *const u64,
            /// The first of the launch's chunks. Each block has one chunk.
            first_chunk: u64,
            /// The workspace's beginning.
            control: *mut $crate::workspace::Control,
            /// Its state words.
            states: *mut u64,
            /// How many these are.
            state_words: u64,
            /// Where the result goes.
            output: *mut R,
        }
    };
}

/// Hands the arguments of a reduction of pairs of values of types `A` and `B` to a result of type `R` to the macro in brackets,
/// after the other tokens.
#[doc(hidden)]
#[macro_export]
macro_rules! with_reduce_pairs_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The first value of pair 0, aligned to a value.
            left: *const A,
            /// Its second value, likewise.
            right: *const B,
            /// Pairs of the whole reduction.
            item_count: u64,
            /// The first of the launch's chunks. Each block has one chunk.
            first_chunk: u64,
            /// The workspace's beginning.
            control: *mut $crate::workspace::Control,
            /// Its state words.
            states: *mut u64,
            /// How many these are.
            state_words: u64,
            /// Where the result goes.
            output: *mut R,
        }
    };
}

with_reduce_arguments! {
    [arguments]
    /// The arguments of a reduction: items of type `T`, a result of type `R`.
    ReduceArguments<T, R>;
}

with_reduce_pairs_arguments! {
    [arguments]
    /// The arguments of a reduction of pairs: values of types `A` and `B`, a result of type `R`.
    ReducePairsArguments<A, B, R>;
}
