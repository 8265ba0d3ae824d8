//! The arguments of reductions, as lists. [`crate::arguments`] says what is made from a list.

/// Calls the macro in brackets with the other tokens, followed by the arguments of a reduction. Items have the type `T`, and the result has
/// the type `R`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_reduce_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The address of item 0, aligned to an item.
            input: *const T,
            /// If `item_count_at` is null: the number of items of the whole reduction. Otherwise: the most items that the reduction may
            /// have.
            item_count: u64,
            /// Null, or the address in device memory at which the number of items is stored. A number above `item_count` counts as
            /// `item_count`.
            item_count_at: *const u64,
            /// The number of the launch's first chunk. Each block has at most one chunk.
            first_chunk: u64,
            /// The beginning of the workspace.
            control: *mut $crate::workspace::Control,
            /// The workspace's state words.
            states: *mut u64,
            /// The number of state words.
            state_words: u64,
            /// The address for the result.
            output: *mut R,
        }
    };
}

/// Calls the macro in brackets with the other tokens, followed by the arguments of a reduction of pairs. A pair has values of the types `A`
/// and `B`, and the result has the type `R`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_reduce_pairs_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The address of the first value of pair 0, aligned to a value.
            left: *const A,
            /// The address of the second value of pair 0, aligned to a value.
            right: *const B,
            /// The number of pairs of the whole reduction.
            item_count: u64,
            /// The number of the launch's first chunk. Each block has at most one chunk.
            first_chunk: u64,
            /// The beginning of the workspace.
            control: *mut $crate::workspace::Control,
            /// The workspace's state words.
            states: *mut u64,
            /// The number of state words.
            state_words: u64,
            /// The address for the result.
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
