//! The operators.
//!
//! An operator is a type. Its [`Op`] implementation for an element type defines what the operator does. Narrow elements are combined in a
//! wider type. The result is rounded or truncated once, at the end.
//!
//! Every identity is exact: a value combined with the identity stays the same, bit for bit. (A value with a NaN may become another value
//! with a NaN.) So the identity can take the place of a missing item.

mod counts;
mod dot;
mod extremes;
mod keys;
mod log_sum_exp;
mod mapped;
mod moments;
mod numbers;
mod recurrence;
mod statistics;
mod tuple;

pub use counts::{CountNonZero, SumOfSquares, WideSumOfSquares};
pub use dot::Dot;
pub use extremes::{ArgIndex, ArgMax, ArgMin, ArgMinMax, Extremes, MinMax};
#[doc(hidden)]
pub use keys::{Located, Ordered};
pub use log_sum_exp::{Exponentials, LogSumExp};
pub use moments::{Moments, Number};
pub use recurrence::{Affine, Recurrence};
pub use statistics::Statistics;
pub use tuple::{Pair, Triple};

use num_traits::float::FloatCore;

use crate::contract::Tree;
use crate::element::{for_each_item, item_of, vector_of, Accumulator, Element, Words};
use crate::pairwise;

/// An associative operator on items of type `T`, with an identity.
///
/// Each item is converted to an [accumulator](Self::Accumulator). The accumulators are combined, and the combined value is converted to an
/// [output](Self::Output). Floating-point sums and products are associative only up to rounding, so the order of combination decides their
/// bits. [`crate::contract`] defines this order.
///
/// An example, the sum of vectors in the plane:
///
/// ```
/// use warpfold_kernels::op::Op;
///
/// #[derive(Clone, Copy)]
/// struct VectorSum;
///
/// impl Op<[f32; 2]> for VectorSum {
///     type Accumulator = [f32; 2];
///     type Output = [f32; 2];
///     fn identity() -> [f32; 2] {
///         [-0.0; 2]
///     }
///     fn lift(item: [f32; 2]) -> [f32; 2] {
///         item
///     }
///     fn combine(left: [f32; 2], right: [f32; 2]) -> [f32; 2] {
///         [left[0] + right[0], left[1] + right[1]]
///     }
///     fn lower(value: [f32; 2]) -> [f32; 2] {
///         value
///     }
/// }
/// ```
pub trait Op<T: Element>: Copy + Send + Sync + 'static {
    /// The type of the values that [`Self::combine`] combines. It may be any plain type of 1 to 16 words of 32 bits.
    type Accumulator: Accumulator;

    /// The type of a result. It may be any type that implements [`Element`].
    type Output: Element;

    /// Whether a result has the same bits in any order of combination. This holds for sums of integers, for example, and for all minima and
    /// maxima.
    const EXACT: bool = false;

    /// The identity: `identity ⊕ x` and `x ⊕ identity` are `x`, bit for bit. For an `x` with a NaN, another value with a NaN will do. The
    /// result for no items is the lowered identity.
    ///
    /// ```
    /// use warpfold_kernels::op::{Max, Op, Sum};
    ///
    /// assert_eq!(<Sum as Op<u32>>::identity(), 0);
    /// assert_eq!(<Max as Op<i32>>::identity(), i32::MIN);
    /// ```
    fn identity() -> Self::Accumulator;

    /// An item that [`Self::lift_at`] converts to the identity, whatever the index; `None` if no item does. If an operator has such an
    /// item, kernels lift it in place of missing items, which makes the end of an input cheaper. Otherwise, kernels leave missing items
    /// out.
    ///
    /// ```
    /// use warpfold_kernels::op::{ArgMax, Op, Product};
    ///
    /// assert_eq!(<Product as Op<u32>>::identity_item(), Some(1));
    /// assert_eq!(<ArgMax as Op<u32>>::identity_item(), None); // every item has an index
    /// ```
    #[inline(always)]
    fn identity_item() -> Option<T> {
        None
    }

    /// Converts an item to an accumulator.
    ///
    /// ```
    /// use warpfold_kernels::op::{Op, SumOfSquares};
    ///
    /// assert_eq!(<SumOfSquares as Op<f32>>::lift(3.0), 9.0);
    /// ```
    fn lift(item: T) -> Self::Accumulator;

    /// Converts an item to an accumulator. `index` is the item's index in its part: in the input, or in a segment, a row, a column or a
    /// run. In a reversed scan, `index` counts from the end of the part. An operator that uses the index overrides this function.
    ///
    /// ```
    /// use warpfold_kernels::op::{ArgMax, Op};
    ///
    /// let item = <ArgMax as Op<u32>>::lift_at(7, 40);
    /// assert_eq!(<ArgMax as Op<u32>>::lower(item), 40);
    /// ```
    #[inline(always)]
    fn lift_at(item: T, index: u64) -> Self::Accumulator {
        let _ = index;
        Self::lift(item)
    }

    /// `left ⊕ right`. Unless the operator is [`Commutative`], `left` comes from earlier items than `right`.
    ///
    /// ```
    /// use warpfold_kernels::op::{Max, Op};
    ///
    /// assert_eq!(<Max as Op<u32>>::combine(3, 5), 5);
    /// ```
    fn combine(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator;

    /// The same as [`Self::combine`], bit for bit. An operator may override this function with one that takes less work. If the operator is
    /// not [`Self::EXACT`], `left` and `right` are combined from the same number of items, and this number is a power of two. If the
    /// operator is exact, each of them is combined from at least one item, except that `right` may be the identity. The items of `left`
    /// come before the items of `right`, unless the caller discards the result.
    #[doc(hidden)]
    #[inline(always)]
    fn combine_equal(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
        Self::combine(left, right)
    }

    /// Converts a combined value to a result.
    ///
    /// ```
    /// use warpfold_kernels::op::{Op, Sum};
    ///
    /// // Sums of `u8` are combined in 32 bits, and truncated once.
    /// let sum = <Sum as Op<u8>>::combine(<Sum as Op<u8>>::lift(200), <Sum as Op<u8>>::lift(100));
    /// assert_eq!(<Sum as Op<u8>>::lower(sum), 44);
    /// ```
    fn lower(value: Self::Accumulator) -> Self::Output;

    /// The largest number of items that a part may have. In a longer part, some items would have an index that does not fit in a result. A
    /// part is a whole input, a segment, a row, a column or a run.
    #[doc(hidden)]
    const MOST_ITEMS: u64 = u64::MAX;

    /// The order in which a scan combines the aggregates of a group's tiles.
    #[doc(hidden)]
    const GROUP_TREE: Tree = Tree::Neighbours;

    /// Whether a thread of a reduction combines its items of a tile pairwise: see the last paragraph of step 2 of a reduction in
    /// [`crate::contract`]. The accumulator of such an operator is wide.
    #[doc(hidden)]
    const IS_PAIRWISE: bool = false;

    /// Whether segments and columns combine sixteen values pairwise, neighbours first, instead of by a left fold.
    #[doc(hidden)]
    const PAIRS_SIXTEENS: bool = Self::IS_PAIRWISE;

    /// The combination of the items in 16 bytes. `index` is the first item's index, as in [`Self::lift_at`]. If [`Self::IS_PAIRWISE`], the
    /// items are combined pairwise, neighbours first. Otherwise, they are combined from left to right. If the operator is [`Self::EXACT`],
    /// any order is allowed.
    #[doc(hidden)]
    #[inline(always)]
    fn total(words: Words, index: u64) -> Self::Accumulator {
        if Self::IS_PAIRWISE {
            return pairwise::total::<Self, T>(words, index);
        }
        let vector = vector_of(words);
        let mut total = Self::lift_at(item_of(&vector, 0), index);
        for_each_item!(P of T => {
            if P != 0 {
                let item = Self::lift_at(item_of(&vector, P), index + P as u64);
                total = Self::combine(total, item);
            }
        });
        total
    }

    /// Whether a reduction of rows by this operator *streams* the rows: the items of a streamed row go from global memory straight to
    /// registers, and not through shared memory (see [`streams_rows`](crate::segments::streams_rows)). A row is streamed only if its items
    /// have 4 bytes and fill whole vectors. An operator that streams rows must commute, and must either have [`Self::PAIRS_SIXTEENS`] or be
    /// [`Self::EXACT`].
    #[doc(hidden)]
    const STREAMS_ROWS: bool = false;

    /// A mask of an accumulator's words: bit `i` for word `i`. If bit `i` is set, two values of [streamed rows](Self::STREAMS_ROWS) have
    /// the same word `i` whenever both are combined from the same number of items, and this number is a power of two.
    #[doc(hidden)]
    const EQUAL_WORDS: u32 = 0;

    /// The combination of the items in 16 bytes of a [streamed row](Self::STREAMS_ROWS). If the operator is [`Self::EXACT`], any order is
    /// allowed. Otherwise, the items are combined pairwise, neighbours first. The result may have a special form, which only values of
    /// streamed rows have. [`Self::end_stream`] converts this form to the usual form. `place` is the first item's index. It counts from an
    /// item that the caller chooses, the same item for all values that the caller combines. [`Self::moved`] later converts such an index to
    /// an index in the row.
    #[doc(hidden)]
    #[inline(always)]
    fn stream(words: Words, place: u32) -> Self::Accumulator {
        total_in_sixteen::<Self, T>(words, place as u64)
    }

    /// As [`Self::combine_equal`], for two values of a [streamed row](Self::STREAMS_ROWS). The arguments and the result have the form that
    /// [`Self::stream`] returns. The items of `right` may come before those of `left`.
    #[doc(hidden)]
    #[inline(always)]
    fn combine_streams(left: Self::Accumulator, right: Self::Accumulator) -> Self::Accumulator {
        Self::combine_equal(left, right)
    }

    /// Converts a value of a [streamed row](Self::STREAMS_ROWS) from the form that [`Self::stream`] returns to the usual form of an
    /// accumulator.
    #[doc(hidden)]
    #[inline(always)]
    fn end_stream(value: Self::Accumulator) -> Self::Accumulator {
        value
    }

    /// Adds `distance` to the indices in a value of a [streamed row](Self::STREAMS_ROWS), modulo 2^64. A value without indices stays the
    /// same.
    #[doc(hidden)]
    #[inline(always)]
    fn moved(value: Self::Accumulator, distance: u64) -> Self::Accumulator {
        let _ = distance;
        value
    }

    /// The combination of the items of four consecutive vectors. `index` is the first item's index, as in [`Self::lift_at`]. The
    /// [totals](Self::total) of the vectors are combined pairwise, neighbours first. If [`Self::PAIRS_SIXTEENS`], the items of each vector
    /// are combined in the same way.
    #[doc(hidden)]
    #[inline(always)]
    fn total_of_four(vectors: [Words; 4], index: u64) -> Self::Accumulator {
        four_totals::<Self, T>(vectors, index)
    }

    /// Whether indices are found late. If so, [`Self::bound_of_four`] need not find the index of its winning item. After such values have
    /// been combined, the index is found for the one value that won.
    #[doc(hidden)]
    const FINDS_LATE: bool = false;

    /// The same as [`Self::total_of_four`], with one exception: if indices [are found late](Self::FINDS_LATE), the value may have the index
    /// of the first item instead of the index of the winning item.
    #[doc(hidden)]
    #[inline(always)]
    fn bound_of_four(vectors: [Words; 4], index: u64) -> Self::Accumulator {
        Self::total_of_four(vectors, index)
    }

    /// The index in a value. Only operators that [find indices late](Self::FINDS_LATE) have to override this function.
    #[doc(hidden)]
    #[inline(always)]
    fn index_of(value: Self::Accumulator) -> u64 {
        let _ = value;
        0
    }
}

/// The default of [`Op::total_of_four`]: the vectors' totals, combined pairwise.
#[inline(always)]
pub(crate) fn four_totals<O: Op<T>, T: Element>(vectors: [Words; 4], index: u64) -> O::Accumulator {
    let items = size_of::<Words>() / size_of::<T>();
    let total = |v: usize| total_in_sixteen::<O, T>(vectors[v], index + (v * items) as u64);
    let two = |v: usize| O::combine_equal(total(v), total(v + 1));
    O::combine_equal(two(0), two(2))
}

/// The combination of the items in 16 bytes, as a part of the combination of sixteen items. If [`Op::PAIRS_SIXTEENS`], the items are
/// combined pairwise. Otherwise, the items are combined in the order of [`Op::total`].
#[inline(always)]
pub(crate) fn total_in_sixteen<O: Op<T>, T: Element>(words: Words, index: u64) -> O::Accumulator {
    if O::PAIRS_SIXTEENS && !O::IS_PAIRWISE {
        pairwise::total::<O, T>(words, index)
    } else {
        O::total(words, index)
    }
}

/// An operator for which `a ⊕ b` is `b ⊕ a`. A reduction of a whole array interleaves the items of a tile, so its operator must commute.
/// The operator need not commute in scans, in reductions with `.in_order()`, and in reductions of segments and of columns.
///
/// ```
/// use warpfold_kernels::op::{Commutative, Sum};
///
/// const fn commutes<O: Commutative>() {}
/// commutes::<Sum>();
/// ```
#[diagnostic::on_unimplemented(
    message = "the operator `{Self}` does not say that it commutes",
    label = "a reduction of the whole interleaves items, and needs `impl Commutative`",
    note = "an operator that does not commute gets its other kernels by `name: Operator, item, scans only;`, and reduces by `.in_order()`"
)]
pub trait Commutative {}

/// The sum. Integers wrap. Floats round to nearest even at each step. `f16` and `bf16` are combined as `f32`, and rounded to their own type
/// at the end. Identity: 0 for integers. For floats it is −0.0, which is the only exact identity. Rust's `iter().sum()` also returns −0.0
/// for no items.
///
/// ```
/// use warpfold_kernels::op::{Sum, Op};
/// assert_eq!(<Sum as Op<u32>>::combine(u32::MAX, 3), 2);
/// assert!(<Sum as Op<f32>>::identity().is_sign_negative());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sum;

/// The sum in a wider type, so that greater sums fit and less is lost to rounding: `u64` for `u8`, `u16` and `u32`; `i64` for `i8`, `i16`
/// and `i32`; `f32` for `f16` and `bf16`; `f64` for `f32`. Identity: that of [`Sum`].
///
/// ```
/// use warpfold_kernels::op::{WideSum, Op};
/// let (left, right) = (<WideSum as Op<u32>>::lift(u32::MAX), <WideSum as Op<u32>>::lift(3));
/// assert_eq!(<WideSum as Op<u32>>::combine(left, right), 0x1_0000_0002);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WideSum;

/// The product. Integers wrap; floats round as in [`Sum`]. Identity: 1.
///
/// ```
/// use warpfold_kernels::op::{Product, Op};
/// assert_eq!(<Product as Op<u32>>::combine(6, 7), 42);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Product;

/// The minimum. A float NaN wins, and −0.0 is less than +0.0 (IEEE 754-2019 `minimum`). Identity: the type's largest value; +∞ for floats.
///
/// ```
/// use warpfold_kernels::op::{Min, Op};
/// assert_eq!(<Min as Op<i32>>::combine(6, -7), -7);
/// assert!(<Min as Op<f32>>::combine(1.0, f32::NAN).is_nan());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Min;

/// The maximum. A float NaN wins, and −0.0 is less than +0.0 (IEEE 754-2019 `maximum`). Identity: the type's smallest value; −∞ for floats.
///
/// ```
/// use warpfold_kernels::op::{Max, Op};
/// assert_eq!(<Max as Op<i32>>::combine(6, -7), 6);
/// assert_eq!(<Max as Op<i32>>::identity(), i32::MIN);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Max;

/// The minimum of the floats that are numbers: NaNs are ignored, and −0.0 is less than +0.0 (IEEE 754-2019 `minimumNumber`). Identity: NaN,
/// which is the only exact identity. So the result is NaN if there are no numbers.
///
/// ```
/// use warpfold_kernels::op::{MinNum, Op};
/// assert_eq!(<MinNum as Op<f32>>::combine(1.0, f32::NAN), 1.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MinNum;

/// The maximum of the floats that are numbers: NaNs are ignored, and −0.0 is less than +0.0 (IEEE 754-2019 `maximumNumber`). Identity: NaN,
/// which is the only exact identity. So the result is NaN if there are no numbers.
///
/// ```
/// use warpfold_kernels::op::{MaxNum, Op};
/// assert_eq!(<MaxNum as Op<f32>>::combine(f32::NAN, 1.0), 1.0);
/// assert!(<MaxNum as Op<f32>>::identity().is_nan());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MaxNum;

/// The bits that are set in all integers. Identity: all bits set.
///
/// ```
/// use warpfold_kernels::op::{And, Op};
/// assert_eq!(<And as Op<u32>>::combine(0b110, 0b011), 0b010);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct And;

/// The bits that are set in at least one integer. Identity: 0.
///
/// ```
/// use warpfold_kernels::op::{Or, Op};
/// assert_eq!(<Or as Op<u32>>::combine(0b110, 0b011), 0b111);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Or;

/// The bits that are set in an odd number of integers. Identity: 0.
///
/// ```
/// use warpfold_kernels::op::{Xor, Op};
/// assert_eq!(<Xor as Op<u32>>::combine(0b110, 0b011), 0b101);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Xor;

/// Whether all integers are other than 0, as a `u8`: 1 if so, else 0. Identity: 1.
///
/// ```
/// use warpfold_kernels::op::{All, Op};
/// let lifted = [7u32, 0].map(<All as Op<u32>>::lift);
/// assert_eq!(<All as Op<u32>>::lower(<All as Op<u32>>::combine(lifted[0], lifted[1])), 0u8);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct All;

/// Whether any integer is other than 0, as a `u8`: 1 if so, else 0. Identity: 0.
///
/// ```
/// use warpfold_kernels::op::{Any, Op};
/// let lifted = [7u32, 0].map(<Any as Op<u32>>::lift);
/// assert_eq!(<Any as Op<u32>>::lower(<Any as Op<u32>>::combine(lifted[0], lifted[1])), 1u8);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Any;

macro_rules! commutative {
    ($($op:ident)*) => { $(impl Commutative for $op {})* };
}

commutative!(Sum WideSum Product Min Max MinNum MaxNum And Or Xor All Any);

/// The value. If it is a NaN, the result is Rust's `NAN` (positive, quiet, no payload).
#[inline(always)]
fn canonical<T: FloatCore>(value: T) -> T {
    if value.is_nan() {
        T::nan()
    } else {
        value
    }
}
