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
            /// Where the device's memory has how many items there are, of which `item_count` is the most; or nowhere, if there are as many.
            item_count_at: *const u64,
            /// A byte for each item: it is chosen if that is not 0. Nothing where something else chooses.
            flags: *const u8,
            /// Where the chosen items go, aligned to an item; or nowhere.
            items: *mut T,
            /// Where their indices go, aligned to such a number; or nowhere.
            indices: *mut u32,
            /// Bytes of an index, 4 or 8.
            index_bytes: u64,
            /// Places there. What has none is not written.
            index_capacity: u64,
            /// Where the lengths of the runs go that chosen heads begin, aligned to such a number; or nowhere.
            lengths: *mut u32,
            /// Bytes of a length, 4 or 8.
            length_bytes: u64,
            /// Places of the items and of the lengths, whichever are fewer. What has none is not written.
            capacity: u64,
            /// Where the items go that are not chosen, aligned to an item; or nowhere.
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
    /// What a launch tells a selection of items of type `T`.
    SelectionArguments<T>;
}
