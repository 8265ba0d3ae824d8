//! What a launch tells a kernel, as the host has it: of each kind's arguments a struct of words, in the order of the entry's parameters.
//!
//! They are made of the same lists as the kernels' own structs, so the documentation of a field is that of the list. An address is a
//! word here: the kernel has its type.

use std::slice;

use bytemuck::{Pod, Zeroable};

use crate::driver::MOST_PARAMETERS;

/// Declares the words of a list.
macro_rules! words {
    (
        $(#[$documentation:meta])* $name:ident;
        $($(#[$field_documentation:meta])* $field:ident: $type:ty,)*
    ) => {
        $(#[$documentation])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub(crate) struct $name {
            $($(#[$field_documentation])* pub $field: u64,)*
        }

        impl $name {
            /// As a launch takes them.
            pub fn list(&mut self) -> &mut [u64] {
                const { assert!(size_of::<Self>() <= MOST_PARAMETERS * size_of::<u64>()) }
                bytemuck::cast_slice_mut(slice::from_mut(self))
            }
        }

        // SAFETY: every field is a number of 64 bits, of which 0 is one.
        unsafe impl Zeroable for $name {}

        // SAFETY: the fields are numbers of 64 bits in the order of C, so there is no padding between them, and any bits will do.
        unsafe impl Pod for $name {}
    };
}

warpfold_kernels::with_reduce_arguments! {
    [words]
    /// Of a reduction.
    ReduceWords;
}

warpfold_kernels::with_reduce_pairs_arguments! {
    [words]
    /// Of a reduction of pairs.
    ReducePairsWords;
}

warpfold_kernels::with_scan_arguments! {
    [words]
    /// Of a scan.
    ScanWords;
}

warpfold_kernels::with_segmented_reduce_arguments! {
    [words]
    /// Of a segmented reduction.
    SegmentedReduceWords;
}

warpfold_kernels::with_segmented_scan_arguments! {
    [words]
    /// Of a segmented scan.
    SegmentedScanWords;
}

warpfold_kernels::with_columns_reduce_arguments! {
    [words]
    /// Of a reduction of columns.
    ColumnsReduceWords;
}

warpfold_kernels::with_columns_scan_arguments! {
    [words]
    /// Of a scan of columns.
    ColumnsScanWords;
}

warpfold_kernels::with_selection_arguments! {
    [words]
    /// Of a selection.
    SelectionWords;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_listed_in_the_order_of_the_parameters() {
        let mut words = ReduceWords {
            input: 1,
            item_count: 2,
            item_count_at: 3,
            first_chunk: 4,
            control: 5,
            states: 6,
            state_words: 7,
            output: 8,
        };
        assert_eq!(words.list(), [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
