//! The arguments of scans: lists, from which [`crate::arguments`] makes structs and entries' parameters.

/// Hands the arguments of a scan of items of type `T` to results of type `R` to the macro in brackets, after the other tokens.
#[doc(hidden)]
#[macro_export]
macro_rules! with_scan_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// Item 0, aligned to an item.
            input: *const T,
            /// Where its result goes, aligned to a result.
            output: *mut R,
            /// Where the total goes, aligned to a result; or nowhere.
            total: *mut R,
            /// Items of the whole scan.
            item_count: u64,
            /// Null, or the address of the number of items in device memory, at most `item_count`.
            item_count_at: *const u64,
            /// The first of the launch's tiles.
            first_tile: u64,
            /// The tile after the launch's last; perhaps with the bits
            /// [`SCAN_PUBLISHES_ONLY`](crate::launch::SCAN_PUBLISHES_ONLY) and
            /// [`SCAN_HAS_INITIAL`](crate::launch::SCAN_HAS_INITIAL).
            end_tile: u64,
            /// The workspace's beginning.
            control: *mut $crate::workspace::Control,
            /// Its state words.
            states: *mut u64,
            /// How many these are.
            state_words: u64,
        }
    };
}

with_scan_arguments! {
    [arguments]
    /// The arguments of a scan: items of type `T`, results of type `R`.
    ScanArguments<T, R>;
}
