//! The arguments of selections, as a list. [`crate::arguments`] says what is made from the list.

/// Calls the macro in brackets. Passes it the other tokens, and then the arguments of a selection of items of type `T`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_selection_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The address of item 0, aligned to an item.
            input: *const T,
            /// How many items there are.
            item_count: u64,
            /// Null, or the address of a second item count, in device memory. Of the two counts, the lesser is used.
            item_count_at: *const u64,
            /// The address of the items' flags, a byte each. An item is chosen if its flag is not 0. Null if items are not chosen by flags.
            flags: *const u8,
            /// The output for the chosen items, aligned to an item. Null if it is not wanted.
            items: *mut T,
            /// The output for the chosen items' indices, aligned to an index. Null if it is not wanted.
            indices: *mut u32,
            /// Bytes of an index, 4 or 8.
            index_bytes: u64,
            /// The length of `indices`, in indices. Nothing is written beyond it.
            index_capacity: u64,
            /// The output for the lengths of the runs whose heads are chosen, aligned to a length. Null if it is not wanted.
            lengths: *mut u32,
            /// Bytes of a length, 4 or 8.
            length_bytes: u64,
            /// The length of `items` or `lengths`; if both are wanted, of the shorter one. Nothing is written beyond it.
            capacity: u64,
            /// The output for the items that are not chosen, aligned to an item. Null if it is not wanted.
            others: *mut T,
            /// The length of `others`, in items. Nothing is written beyond it.
            other_capacity: u64,
            /// 0 or the bit [`WRITES_END`](crate::selection::WRITES_END).
            options: u64,
            /// The output for the number of chosen items.
            count: *mut u64,
            /// The workspace's beginning.
            control: *mut $crate::workspace::Control,
            /// The workspace's state words.
            states: *mut u64,
            /// The number of state words.
            state_words: u64,
        }
    };
}

with_selection_arguments! {
    [arguments]
    /// The arguments of a selection of items of type `T`.
    SelectionArguments<T>;
}
