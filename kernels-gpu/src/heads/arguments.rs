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
            /// The number of keys, or the most keys if `key_count_at` is not null. At least 1.
            key_count: u64,
            /// Null, or the address in device memory of the number of keys. A number above `key_count` counts as `key_count`.
            key_count_at: *const u64,
            /// 1 for a backward scan: item 0 is the last key in memory. Otherwise 0: item 0 is key 0.
            is_backward: u64,
            /// The memory that the heads are written to. `heads::Layout` says how it is divided.
            heads: *mut u8,
        }
    };
}

with_heads_arguments! {
    [arguments]
    /// The arguments of a launch that marks heads of keys of type `T`.
    HeadsArguments<T>;
}
