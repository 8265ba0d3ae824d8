//! The table that the library's kernels come from: the operators, and the types of their items.
//!
//! An operator is a line: it has a kernel of each kind of its section for each type of its list. A type is a word of each list that it
//! belongs to. [`entries`](crate::entries) makes the rows, in whose symbols the operator's name has small letters: `reduce_wide_sum_f32`.

/// Hands the lists of item types to the macro `$next`, after other arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! with_item_types {
    ($next:ident! $($arguments:tt)*) => {
        $crate::$next! {
            $($arguments)*
            numbers: [f32 f64 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64],
            // All but those of 64 bits, which have no wider type to be summed in.
            below_64_bits: [f32 f16 bf16 i8 u8 i16 u16 i32 u32],
            floats: [f32 f64 f16 bf16],
            integers: [i8 u8 i16 u16 i32 u32 i64 u64],
            singles: [f32],
        }
    };
}

/// Hands the rows of the 16-bit floats, among these kernels, to the macro `$callback`: for types of the same names that are not `half` 2's.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_narrow_float {
    ($callback:ident $rows:ident) => {
        $crate::with_operators! {
            $callback $rows
            numbers: [f16 bf16],
            below_64_bits: [f16 bf16],
            floats: [f16 bf16],
            integers: [],
            singles: [],
        }
    };
}

/// Hands the operators with the types of their items to the macro [`rows_of!`](crate::rows_of), after other arguments. A section says
/// of which kinds its operators have kernels.
#[doc(hidden)]
#[macro_export]
macro_rules! with_operators {
    (
        $callback:ident $rows:ident
        numbers: $numbers:tt,
        below_64_bits: $below_64_bits:tt,
        floats: $floats:tt,
        integers: $integers:tt,
        singles: $singles:tt,
    ) => {
        $crate::rows_of! {
            $callback $rows
            // Reductions and scans of whole arrays, of segments and of columns.
            {
                Sum: $numbers;
                Product: $numbers;
                Min: $numbers;
                Max: $numbers;
                WideSum: $below_64_bits;
                MinNum: $floats;
                MaxNum: $floats;
                And: $integers;
                Or: $integers;
                Xor: $integers;
            }
            // Reductions of whole arrays, of segments and of columns.
            {
                All: $integers;
                Any: $integers;
            }
            // Reductions of whole arrays.
            {
                ArgMin: $numbers;
                ArgMax: $numbers;
                ArgMinMax: $numbers;
                MinMax: $numbers;
                Moments: $numbers;
                Statistics: $numbers;
                SumOfSquares: $numbers;
                WideSumOfSquares: $singles;
                CountNonZero: $numbers;
            }
            // Reductions of two inputs.
            {
                Dot: $numbers;
            }
            // Selections by a predicate.
            {
                NonZero: $numbers;
                NotNan: $floats;
            }
            // Selections of the heads of runs, by an equality.
            {
                Equal: $numbers;
            }
        }
    };
}

/// Hands the integers among the item types to the macro `$callback`.
#[macro_export]
macro_rules! for_each_integer {
    ($callback:ident) => {
        $crate::with_item_types! { integers_of! $callback }
    };
}

/// The integers among the lists of item types.
#[doc(hidden)]
#[macro_export]
macro_rules! integers_of {
    (
        $callback:ident
        numbers: $numbers:tt,
        below_64_bits: $below_64_bits:tt,
        floats: $floats:tt,
        integers: [$($t:ident)*],
        singles: $singles:tt,
    ) => {
        $callback! { $($t)* }
    };
}
