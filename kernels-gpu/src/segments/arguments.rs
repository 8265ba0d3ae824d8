//! The arguments of segmented reductions and scans: lists, from which [`crate::arguments`] makes structs and entries' parameters.

/// Hands the arguments of a segmented reduction of items of type `T` to results of type `R` to the macro in brackets, after the
/// other tokens.
#[doc(hidden)]
#[macro_export]
macro_rules! with_segmented_reduce_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// Item 0, aligned to an item.
            input: *const T,
            /// How many items there are.
            item_count: u64,
            /// Where the segments start, one number more than segments.
            offsets: *const u32,
            /// Bytes of such a number, 4 or 8; or 0: then all segments have the same length.
            offset_bytes: u64,
            /// That length, in items.
            row_items: u64,
            /// How many segments there are.
            segment_count: u64,
            /// Null, or the address of the number of segments in device memory, at most `segment_count`.
            segment_count_at: *const u64,
            /// The workspace's beginning.
            control: *mut $crate::workspace::Control,
            /// Its state words.
            states: *mut u64,
            /// How many these are.
            state_words: u64,
            /// Where the results go.
            output: *mut R,
            /// A word that is set to 1 if the offsets are refused; or nowhere.
            report: *mut u64,
            /// On how many windows a block works.
            windows_per_block: u64,
        }
    };
}

/// Hands the arguments of a segmented scan of items of type `T` to results of type `R` to the macro in brackets, after the
/// other tokens.
#[doc(hidden)]
#[macro_export]
macro_rules! with_segmented_scan_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// Item 0, aligned to an item.
            input: *const T,
            /// How many items there are.
            item_count: u64,
            /// Where the segments start, one number more than segments.
            offsets: *const u32,
            /// Bytes of such a number, 4 or 8; or 0: then all segments have the same length.
            offset_bytes: u64,
            /// That length, in items.
            row_items: u64,
            /// How many segments there are.
            segment_count: u64,
            /// Null, or the address of the number of segments in device memory, at most `segment_count`.
            segment_count_at: *const u64,
            /// The workspace's beginning.
            control: *mut $crate::workspace::Control,
            /// Its state words.
            states: *mut u64,
            /// How many these are.
            state_words: u64,
            /// Where the results go.
            output: *mut R,
            /// A word that is set to 1 if the offsets are refused; or nowhere.
            report: *mut u64,
            /// On how many windows a block works.
            windows_per_block: u64,
            /// Whether a result leaves out its item: 0 or 1.
            is_exclusive: u64,
        }
    };
}

with_segmented_reduce_arguments! {
    [arguments]
    /// The arguments of a segmented reduction: items of type `T`, results of type `R`.
    SegmentedReduceArguments<T, R>;
}

with_segmented_scan_arguments! {
    [arguments]
    /// The arguments of a segmented scan: items of type `T`, results of type `R`.
    SegmentedScanArguments<T, R>;
}
