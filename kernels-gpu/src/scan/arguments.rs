//! The arguments of scans, as a list. [`crate::arguments`] says what is made from the list.

/// Calls the macro in brackets with the other tokens, followed by the arguments of a scan. Items have the type `T`, and results have the
/// type `R`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_scan_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The address of item 0, aligned to an item.
            input: *const T,
            /// The address for the result of item 0, aligned to a result.
            output: *mut R,
            /// Null, or the address for the total, aligned to a result.
            total: *mut R,
            /// The number of items of the whole scan, or the most items if `item_count_at` is not null.
            item_count: u64,
            /// Null, or the address in device memory at which the number of items is stored. A number above `item_count` counts as
            /// `item_count`.
            item_count_at: *const u64,
            /// The first of the launch's tiles.
            first_tile: u64,
            /// One past the launch's last tile. The bits [`SCAN_PUBLISHES_ONLY`](crate::launch::SCAN_PUBLISHES_ONLY) and
            /// [`SCAN_HAS_INITIAL`](crate::launch::SCAN_HAS_INITIAL) may also be set.
            end_tile: u64,
            /// The beginning of the workspace.
            control: *mut $crate::workspace::Control,
            /// The workspace's state words.
            states: *mut u64,
            /// The number of state words.
            state_words: u64,
        }
    };
}

with_scan_arguments! {
    [arguments]
    /// The arguments of a scan: items of type `T`, results of type `R`.
    ScanArguments<T, R>;
}
