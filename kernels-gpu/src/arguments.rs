//! What a launch tells a kernel: the arguments of each kind, written once.
//!
//! A kind's list is a macro that hands its fields to another macro. It makes a struct of them here, which the host fills by
//! name; and the parameters of an entry, which puts the struct together again and passes it on. Every field has 64 bits.

use core::ffi::c_void;

/// Hands the arguments of a reduction of items of type `T` to a result of type `R` to the macro in brackets, after the other
/// tokens.
#[doc(hidden)]
#[macro_export]
macro_rules! with_reduce_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// Item 0, aligned to an item.
            input: *const T,
            /// Items of the whole reduction.
            item_count: u64,
            /// Where the device's memory has how many items there are, of which `item_count` is the most; or nowhere, if there are as many.
            item_count_at: *const u64,
            /// The first of the launch's chunks, of which each block has one.
            first_chunk: u64,
            /// The workspace's beginning.
            control: *mut $crate::workspace::Control,
            /// Its state words.
            states: *mut u64,
            /// How many these are.
            state_words: u64,
            /// Where the result goes.
            output: *mut R,
        }
    };
}

/// Hands the arguments of a reduction of pairs of values of types `A` and `B` to a result of type `R` to the macro in brackets,
/// after the other tokens.
#[doc(hidden)]
#[macro_export]
macro_rules! with_reduce_pairs_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// The first value of pair 0, aligned to a value.
            left: *const A,
            /// Its second value, likewise.
            right: *const B,
            /// Pairs of the whole reduction.
            item_count: u64,
            /// The first of the launch's chunks, of which each block has one.
            first_chunk: u64,
            /// The workspace's beginning.
            control: *mut $crate::workspace::Control,
            /// Its state words.
            states: *mut u64,
            /// How many these are.
            state_words: u64,
            /// Where the result goes.
            output: *mut R,
        }
    };
}

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
            /// Where the device's memory has how many segments there are, of which `segment_count` is the most; or nowhere, if there
            /// are as many.
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
            /// Where the device's memory has how many segments there are, of which `segment_count` is the most; or nowhere, if there
            /// are as many.
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
            /// Where the device's memory has how many items there are, of which `item_count` is the most; or nowhere, if there are as many.
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

/// Hands the arguments of a reduction of a matrix's columns of items of type `T` to results of type `R` to the macro in brackets,
/// after the other tokens.
#[doc(hidden)]
#[macro_export]
macro_rules! with_columns_reduce_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// Item 0, aligned to an item.
            input: *const T,
            /// How many rows there are.
            row_count: u64,
            /// How many columns there are: items of a row.
            column_count: u64,
            /// The workspace's beginning.
            control: *mut $crate::workspace::Control,
            /// Its state words.
            states: *mut u64,
            /// How many these are.
            state_words: u64,
            /// Where the results go.
            output: *mut R,
        }
    };
}

/// Hands the arguments of a scan of a matrix's columns of items of type `T` to results of type `R` to the macro in brackets,
/// after the other tokens.
#[doc(hidden)]
#[macro_export]
macro_rules! with_columns_scan_arguments {
    ([$($callback:tt)*] $($tokens:tt)*) => {
        $($callback)*! {
            $($tokens)*
            /// Item 0, aligned to an item.
            input: *const T,
            /// How many rows there are.
            row_count: u64,
            /// How many columns there are: items of a row.
            column_count: u64,
            /// The workspace's beginning.
            control: *mut $crate::workspace::Control,
            /// Its state words.
            states: *mut u64,
            /// How many these are.
            state_words: u64,
            /// Where the results go.
            output: *mut R,
            /// Whether a result leaves out its item: 0 or 1.
            is_exclusive: u64,
        }
    };
}

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

/// Declares the struct of a list.
macro_rules! arguments {
    (
        $(#[$documentation:meta])* $name:ident<$($t:ident),*>;
        $($(#[$field_documentation:meta])* $field:ident: $type:ty,)*
    ) => {
        $(#[$documentation])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy)]
        pub struct $name<$($t),*> {
            $($(#[$field_documentation])* pub $field: $type,)*
        }

        impl<$($t),*> $name<$($t),*> {
            /// A pointer to each of the arguments, in the order of the entry's parameters: so a driver wants them.
            pub fn pointers(&mut self) -> [*mut c_void; [$(stringify!($field)),*].len()] {
                [$((&raw mut self.$field).cast()),*]
            }
        }
    };
}

with_reduce_arguments! {
    [arguments]
    /// What a launch tells a reduction of items of type `T` to a result of type `R`.
    ReduceArguments<T, R>;
}

with_reduce_pairs_arguments! {
    [arguments]
    /// What a launch tells a reduction of pairs of values of types `A` and `B` to a result of type `R`.
    ReducePairsArguments<A, B, R>;
}

with_segmented_reduce_arguments! {
    [arguments]
    /// What a launch tells a segmented reduction of items of type `T` to results of type `R`.
    SegmentedReduceArguments<T, R>;
}

with_segmented_scan_arguments! {
    [arguments]
    /// What a launch tells a segmented scan of items of type `T` to results of type `R`.
    SegmentedScanArguments<T, R>;
}

with_columns_reduce_arguments! {
    [arguments]
    /// What a launch tells a reduction of the columns of items of type `T` to results of type `R`.
    ColumnsReduceArguments<T, R>;
}

with_columns_scan_arguments! {
    [arguments]
    /// What a launch tells a scan of the columns of items of type `T` to results of type `R`.
    ColumnsScanArguments<T, R>;
}

with_scan_arguments! {
    [arguments]
    /// What a launch tells a scan of items of type `T` to results of type `R`.
    ScanArguments<T, R>;
}

with_selection_arguments! {
    [arguments]
    /// What a launch tells a selection of items of type `T`.
    SelectionArguments<T>;
}

#[cfg(test)]
mod tests {
    use core::ptr;

    use super::*;
    use crate::workspace::{Control, Initial};

    #[test]
    fn arguments_are_pointed_at_in_their_order() {
        let mut control = Control {
            tickets: 0,
            departures: 0,
            fault: 0,
            initial: Initial([0; 16]),
        };
        let (mut state, item, mut result) = (4, 5.0f32, 6.0f64);
        let mut arguments = ReduceArguments::<f32, f64> {
            input: &raw const item,
            item_count: 1,
            item_count_at: ptr::null(),
            first_chunk: 2,
            control: &raw mut control,
            states: &raw mut state,
            state_words: 3,
            output: &raw mut result,
        };
        let expected = [
            arguments.input.addr() as u64,
            1,
            0,
            2,
            arguments.control.addr() as u64,
            arguments.states.addr() as u64,
            3,
            arguments.output.addr() as u64,
        ];
        let pointers = arguments.pointers();
        // SAFETY: each points to a field of 64 bits of `arguments`.
        let values = pointers.map(|pointer| unsafe { pointer.cast::<u64>().read() });
        assert_eq!(values, expected);
    }
}
