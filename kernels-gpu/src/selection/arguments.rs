//! The arguments of selections: lists, from which [`crate::arguments`] makes structs and entries' parameters.

/// Hands the arguments of a selection of items of type `T` to the macro in brackets, after the other tokens.
#[doc(hidden)]
#[macro_export]
macro_rules! with_selection_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// Item 0, aligned to an item.
            input: *const T,
            /// How many items there are.
            item_count: u64,
            /// A number of items in the device's memory, if that may be less than `item_count`; else null.
            item_count_at: *const u64,
            /// A byte for each item, which is chosen if its byte is not 0. Null if items are not chosen by flags.
            flags: *const u8,
            /// The output for the chosen items, aligned to an item; or null.
            items: *mut T,
            /// The output for their indices, aligned to an index; or null.
            indices: *mut u32,
            /// Bytes of an index, 4 or 8.
            index_bytes: u64,
            /// Its length. Nothing is written beyond it.
            index_capacity: u64,
            /// The output for the lengths of the runs that the chosen heads begin, aligned to a length; or null.
            lengths: *mut u32,
            /// Bytes of a length, 4 or 8.
            length_bytes: u64,
            /// The length of the outputs for items and for lengths, whichever is less. Nothing is written beyond it.
            capacity: u64,
            /// The output for the items that are not chosen, aligned to an item; or null.
            others: *mut T,
            /// Places there.
            other_capacity: u64,
            /// Perhaps the bit [`WRITES_END`](crate::selection::WRITES_END).
            options: u64,
            /// Where the number of chosen items goes.
            count: *mut u64,
            /// The workspace's beginning.
            control: *mut $crate::workspace::Control,
            /// Its state words.
            states: *mut u64,
            /// How many these are.
            state_words: u64,
        }
    };
}

with_selection_arguments! {
    [arguments]
    /// The arguments of a selection of items of type `T`.
    SelectionArguments<T>;
}
