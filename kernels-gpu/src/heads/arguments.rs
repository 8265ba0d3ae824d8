//! The arguments of launches on keys, as a list. [`crate::arguments`] makes the struct and the entries' parameters from it.

/// Calls the macro in brackets. Passes it the other tokens, and then the arguments of a launch on keys of type `T`.
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
            /// Bits: [`MARKS`](crate::heads::MARKS), [`GOES_BACKWARD`](crate::heads::GOES_BACKWARD).
            options: u64,
            /// The memory of the heads.
            heads: *mut u8,
            /// The output for the number of runs, if the launch marks. Null if it is not wanted.
            run_count: *mut u64,
            /// The output for the first key of each run, aligned to a key. Null if it is not wanted.
            firsts: *mut T,
            /// The length of `firsts`, in keys. Nothing is written beyond it.
            first_capacity: u64,
            /// The output for the start of each run and the end of the last one, aligned to a start.
            starts: *mut u32,
            /// Bytes of a start, 4 or 8.
            start_bytes: u64,
            /// The length of `starts`, in starts; 0 if they are not wanted. Nothing is written beyond it.
            start_capacity: u64,
        }
    };
}

with_heads_arguments! {
    [arguments]
    /// The arguments of a launch on keys of type `T`.
    HeadsArguments<T>;
}
