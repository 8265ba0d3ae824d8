//! The arguments of segmented reductions and scans, as lists. [`crate::arguments`] says what is made from a list.

/// Passes the arguments of a segmented reduction to the macro in brackets, after the other tokens. Items have type `T`, results type `R`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_segmented_reduce_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The address of item 0, aligned to an item.
            input: *const T,
            /// How many items there are.
            item_count: u64,
            /// The address of the offsets: the start of each segment, and then the end of the last segment.
            offsets: *const u32,
            /// The size of an offset in bytes, 4 or 8; or 0 if there are no offsets, because all segments have the same length.
            offset_bytes: u64,
            /// The length of each segment in items, if `offset_bytes` is 0.
            row_items: u64,
            /// How many segments there are.
            segment_count: u64,
            /// Null, or the address in device memory at which a second number of segments is stored. The lesser of this number and
            /// `segment_count` is used.
            segment_count_at: *const u64,
            /// The start of the workspace.
            control: *mut $crate::workspace::Control,
            /// The workspace's state words.
            states: *mut u64,
            /// How many state words there are.
            state_words: u64,
            /// The address of result 0.
            output: *mut R,
            /// Null, or the address of a word that is set to 1 if the offsets are refused.
            report: *mut u64,
            /// How many windows a block works on. The last blocks may have fewer, or none.
            windows_per_block: u64,
            /// The binary logarithm of the number of [diagonals](crate::segments) of a window, or of a
            /// [span](crate::segments::rings::span_shift) if blocks take spans.
            window_shift: u64,
        }
    };
}

/// Passes the arguments of a segmented scan to the macro in brackets, after the other tokens. Items have type `T`, results type `R`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_segmented_scan_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The address of item 0, aligned to an item.
            input: *const T,
            /// How many items there are.
            item_count: u64,
            /// The address of the offsets: the start of each segment, and then the end of the last segment.
            offsets: *const u32,
            /// The size of an offset in bytes, 4 or 8; or 0 if there are no offsets, because all segments have the same length.
            offset_bytes: u64,
            /// The length of each segment in items, if `offset_bytes` is 0.
            row_items: u64,
            /// How many segments there are.
            segment_count: u64,
            /// Null, or the address in device memory at which a second number of segments is stored. The lesser of this number and
            /// `segment_count` is used.
            segment_count_at: *const u64,
            /// The start of the workspace.
            control: *mut $crate::workspace::Control,
            /// The workspace's state words.
            states: *mut u64,
            /// How many state words there are.
            state_words: u64,
            /// The address of result 0.
            output: *mut R,
            /// Null, or the address of a word that is set to 1 if the offsets are refused.
            report: *mut u64,
            /// How many windows a block works on. The last blocks may have fewer, or none.
            windows_per_block: u64,
            /// The binary logarithm of the number of [diagonals](crate::segments) of a window.
            window_shift: u64,
            /// Whether a result leaves out its item: 0 or 1.
            is_exclusive: u64,
            /// Whether each warp may scan whole chunks: 0 or 1. No result depends on it. See `kernel/chunk_scan.rs`.
            warps_scan: u64,
        }
    };
}

/// Passes the arguments of a reduction by key to the macro in brackets, after the other tokens. Items have type `T`, results type `R`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_by_key_reduce_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The address of item 0, aligned to an item.
            input: *const T,
            /// How many items there are.
            item_count: u64,
            /// Null, or the address in device memory at which a second number of items is stored. The lesser of this number and
            /// `item_count` is used.
            item_count_at: *const u64,
            /// The address of the [heads](crate::heads), which are marked for all items that the launch works on. It is ignored if the text
            /// compares keys.
            heads: *mut u8,
            /// The address of the keys, one key for each item. If the text compares keys, this address is a multiple of 16.
            keys: *const u32,
            /// The size of a key in bytes: 1, 2, 4 or 8. If the text compares keys, the size is 4 or 8, and two keys are equal if their
            /// bytes are equal.
            key_bytes: u64,
            /// The start of the workspace.
            control: *mut $crate::workspace::Control,
            /// The workspace's state words.
            states: *mut u64,
            /// How many state words there are.
            state_words: u64,
            /// The address of result 0.
            output: *mut R,
            /// Null, or the address to which the first key of each run is written.
            first_keys: *mut u8,
            /// Null, or the address to which the starts of the runs are written, followed by the number of items.
            starts: *mut u8,
            /// The size of a start in bytes, 4 or 8.
            start_bytes: u64,
            /// The address to which the number of runs is written.
            run_count: *mut u64,
            /// The binary logarithm of the number of items of a window.
            window_shift: u64,
        }
    };
}

/// Passes the arguments of a scan by key to the macro in brackets, after the other tokens. Items have type `T`, results type `R`.
#[doc(hidden)]
#[macro_export]
macro_rules! with_by_key_scan_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The address of item 0, aligned to an item.
            input: *const T,
            /// How many items there are.
            item_count: u64,
            /// Null, or the address in device memory at which a second number of items is stored. The lesser of this number and
            /// `item_count` is used.
            item_count_at: *const u64,
            /// The address of the [heads](crate::heads), which are marked for all items that the launch works on. It is ignored if the text
            /// compares keys.
            heads: *mut u8,
            /// The address of the keys, one key for each item. If the text compares keys, this address is a multiple of 16. Otherwise it is
            /// ignored.
            keys: *const u32,
            /// The size of a key in bytes, 4 or 8. Two keys are equal if their bytes are equal. If the text does not compare keys, the size
            /// is ignored.
            key_bytes: u64,
            /// The start of the workspace.
            control: *mut $crate::workspace::Control,
            /// The workspace's state words.
            states: *mut u64,
            /// How many state words there are.
            state_words: u64,
            /// The address of result 0.
            output: *mut R,
            /// The binary logarithm of the number of items of a window.
            window_shift: u64,
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

with_by_key_reduce_arguments! {
    [arguments]
    /// The arguments of a reduction by key: items of type `T`, results of type `R`.
    ByKeyReduceArguments<T, R>;
}

with_by_key_scan_arguments! {
    [arguments]
    /// The arguments of a scan by key: items of type `T`, results of type `R`.
    ByKeyScanArguments<T, R>;
}
