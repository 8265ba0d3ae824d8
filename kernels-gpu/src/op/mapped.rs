//! Operators that first apply a function to each item: a map before a reduction or a scan.

/// Defines operators that apply a function to each item and combine the function's results by another operator. A row of
/// [`operators!`](crate::operators!) can name such an operator. The function may use the item's index in its part: in the input, or in a
/// segment, a row, a column or a run.
///
/// ```
/// use warpfold_kernels::op::{Any, CountNonZero, Op, Sum};
///
/// warpfold_kernels::mapped! {
///     /// The sum of the magnitudes.
///     pub struct AbsoluteSum = Sum, |item: f32| -> f64 { f64::from(item.abs()) };
///     /// How many numbers are even.
///     pub struct CountEven = CountNonZero, |item: u32| -> u8 { (item % 2 == 0) as u8 };
///     /// Whether any item is greater than its index.
///     pub struct AnyAhead = Any, |item: u64, index| -> u8 { (item > index) as u8 };
/// }
///
/// assert_eq!(<AbsoluteSum as Op<f32>>::lift(-2.5), 2.5);
/// assert_eq!([3, 4].map(<CountEven as Op<u32>>::lift), [0, 1]);
/// assert_eq!(<AnyAhead as Op<u64>>::lift_at(7, 6), 1);
/// ```
///
/// The other operator has to commute, as all operators of the library except [`Recurrence`](crate::op::Recurrence) do. The new operator
/// combines in the other operator's order, and is exact if the other operator is exact. If items and mapped items have the same size, the
/// results have the same bits as the other operator's results for the mapped items.
#[macro_export]
macro_rules! mapped {
    ($(
        $(#[$attribute:meta])* $visibility:vis struct $name:ident =
            $operator:ty, |$item:ident: $from:ty $(, $index:ident)?| -> $to:ty $body:block;
    )+) => {$(
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy)]
        $visibility struct $name;

        impl $crate::op::Commutative for $name where $operator: $crate::op::Commutative {}

        impl $crate::op::Op<$from> for $name {
            type Accumulator = <$operator as $crate::op::Op<$to>>::Accumulator;
            type Output = <$operator as $crate::op::Op<$to>>::Output;
            const EXACT: bool = <$operator as $crate::op::Op<$to>>::EXACT;
            const IS_PAIRWISE: bool = <$operator as $crate::op::Op<$to>>::IS_PAIRWISE;
            const PAIRS_SIXTEENS: bool = <$operator as $crate::op::Op<$to>>::PAIRS_SIXTEENS;
            const MOST_ITEMS: u64 = <$operator as $crate::op::Op<$to>>::MOST_ITEMS;
            const GROUP_TREE: $crate::contract::Tree = <$operator as $crate::op::Op<$to>>::GROUP_TREE;

            #[inline(always)]
            fn identity() -> Self::Accumulator {
                <$operator as $crate::op::Op<$to>>::identity()
            }

            #[inline(always)]
            fn lift(item: $from) -> Self::Accumulator {
                Self::lift_at(item, 0)
            }

            #[inline(always)]
            fn lift_at($item: $from, index: u64) -> Self::Accumulator {
                $(let $index = index;)?
                let mapped: $to = $body;
                <$operator as $crate::op::Op<$to>>::lift_at(mapped, index)
            }

            #[inline(always)]
            fn combine(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
                <$operator as $crate::op::Op<$to>>::combine(left, right)
            }

            #[inline(always)]
            fn lower(value: Self::Accumulator) -> Self::Output {
                <$operator as $crate::op::Op<$to>>::lower(value)
            }
        }
    )+};
}
