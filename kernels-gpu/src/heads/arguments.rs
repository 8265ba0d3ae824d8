//! The arguments of a launch that marks heads, as a list. [`crate::arguments`] makes the struct and the entries' parameters from it.

/// Calls the macro in brackets. Passes it the other tokens, and then the arguments of a launch that marks heads of keys of type `T`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_heads_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The address of key 0, aligned to a key.
            keys: *const T,
            /// How many keys there are, at least one.
            key_count: u64,
            /// Null, or the address of a second number of keys, in device memory. Of the two numbers, the lesser is used.
            key_count_at: *const u64,
            /// Whether items are numbered from the end: 0 or 1.
            is_backward: u64,
            /// The memory of the heads.
            heads: *mut u8,
        }
    };
}

with_heads_arguments! {
    [arguments]
    /// The arguments of a launch that marks heads of keys of type `T`.
    HeadsArguments<T>;
}
