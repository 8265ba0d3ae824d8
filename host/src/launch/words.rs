//! The arguments of launches, as the host stores them. Each kind of kernel has a struct of words, in the order of the entry's parameters.
//!
//! The structs are made from the same lists as the kernels' own structs, so the documentation of a field comes from its list. An address
//! is a plain word here, and a typed pointer in the kernel.

use std::slice;

use bytemuck::{Pod, Zeroable};

use crate::driver::MOST_PARAMETERS;

/// Declares the struct of words for a list of arguments.
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
            /// The words, for a launch.
            pub fn list(&mut self) -> &mut [u64] {
                const { assert!(size_of::<Self>() <= MOST_PARAMETERS * size_of::<u64>()) }
                bytemuck::cast_slice_mut(slice::from_mut(self))
            }
        }

        // SAFETY: every field is a `u64`, for which 0 is a valid value.
        unsafe impl Zeroable for $name {}

        // SAFETY: the fields are `u64` in a `repr(C)` struct, so there is no padding, and all bit patterns are values.
        unsafe impl Pod for $name {}
    };
}

/// The number that an argument has in a list of words.
macro_rules! number_of {
    ($words:ident.$argument:ident) => {
        std::mem::offset_of!($words, $argument) / size_of::<u64>()
    };
}

pub(crate) use number_of;

warpfold_kernels::with_reduce_arguments! {
    [words]
    /// The words of a reduction.
    ReduceWords;
}

warpfold_kernels::with_reduce_pairs_arguments! {
    [words]
    /// The words of a reduction of pairs.
    ReducePairsWords;
}

warpfold_kernels::with_scan_arguments! {
    [words]
    /// The words of a scan.
    ScanWords;
}

warpfold_kernels::with_segmented_reduce_arguments! {
    [words]
    /// The words of a segmented reduction.
    SegmentedReduceWords;
}

warpfold_kernels::with_segmented_scan_arguments! {
    [words]
    /// The words of a segmented scan.
    SegmentedScanWords;
}

warpfold_kernels::with_by_key_reduce_arguments! {
    [words]
    /// The words of a reduction by key.
    ByKeyReduceWords;
}

warpfold_kernels::with_by_key_scan_arguments! {
    [words]
    /// The words of a scan by key.
    ByKeyScanWords;
}

warpfold_kernels::with_columns_reduce_arguments! {
    [words]
    /// The words of a reduction of columns.
    ColumnsReduceWords;
}

warpfold_kernels::with_columns_scan_arguments! {
    [words]
    /// The words of a scan of columns.
    ColumnsScanWords;
}

warpfold_kernels::with_selection_arguments! {
    [words]
    /// The words of a selection.
    SelectionWords;
}

warpfold_kernels::with_heads_arguments! {
    [words]
    /// The words of a launch that marks heads.
    HeadsWords;
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
