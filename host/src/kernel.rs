//! The table of kernels, as implementations of a trait: `Sum: Kernel<kind::reduce, f32>` holds because the table has the row `reduce Sum
//! f32`. A bound for which there is no row does not compile.
//!
//! The texts of the table's rows are in this library. If a program adds rows by [`operators!`](crate::operators), the texts of these rows
//! are in the program.

mod blocks;
pub mod kind;

use std::any::TypeId;
use std::ops::Deref;

use half::{bf16, f16};
use warpfold_kernels::contract::{ReduceTiles, ScanTiles};
use warpfold_kernels::element::Element;
use warpfold_kernels::launch::Copies;
use warpfold_kernels::op::*;
use warpfold_kernels::scan::tuning;
use warpfold_kernels::segments;
use warpfold_kernels::segments::rings::{has_rings, row_bytes};
use warpfold_kernels::workspace::{scan_most_state_words, scan_state_words, words_per_accumulator};
use warpfold_kernels::{columns, selection};

pub use self::blocks::{Block, Blocks};
use crate::error::{Error, Result};
use crate::ptx::Texts;

/// An item of a request: any [`Element`].
///
/// Every bit pattern is a value of an item's type ([`bytemuck::Pod`]), so device memory cannot hold an invalid value.
///
/// ```
/// use warpfold::{Cpu, Equal, Item, Result, RunsKernel, runs};
///
/// /// How many runs of equal neighbours there are.
/// fn run_count<T: Item>(items: &[T]) -> Result<usize>
/// where
///     Equal: RunsKernel<T>,
/// {
///     Ok(runs::<Equal, _>(items).wait(Cpu)?.len())
/// }
/// assert_eq!(run_count(&[3u8, 3, 1])?, 2);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub trait Item: Element {}

impl<T: Element> Item for T {}

/// The operator `Self` has a kernel of kind `K` for items of type `T`.
///
/// ```
/// use warpfold::{Gpu, Item, Kernel, Result, Sum, kind, reduce};
///
/// /// The mean of items of any type that `Sum` reduces.
/// fn mean<T: Item + Into<f64>>(gpu: &Gpu, items: &[T]) -> Result<f64>
/// where
///     Sum: Kernel<kind::reduce, T, Output = T>,
/// {
///     let sum: f64 = reduce::<Sum, _>(items).wait(gpu)?.into();
///     Ok(sum / items.len() as f64)
/// }
///
/// # fn main() -> Result<()> {
/// let gpu = Gpu::new()?;
/// assert_eq!(mean(&gpu, &[1.0f32, 2.0])?, 1.5);
/// assert_eq!(mean(&gpu, &[1u32, 2, 6])?, 3.0);
/// # Ok(())
/// # }
/// ```
///
/// The library's operators have these kernels. In the table below, "segments" stands for `.segments`, `.rows`, `.by_key` and `.in_order`.
/// An operator with segments and columns has `.axis` and `.pitch`, too. Scans with `ArgMin` or `ArgMax` take items of 32 or 64 bits only.
///
#[doc = include_str!("kernel/operators.md")]
///
/// # Safety
///
/// - [`Self::row`] is made from `K`, `Self` and `T`, so that launches know the sizes and the division of this operator;
/// - in the row's texts, the row's symbol names the kernel of kind `K` that was compiled for this operator and these items; or the texts
///   lack the symbol, and then loading the kernel is an error.
///
/// The table of kernels and [`operators!`](crate::operators) implement this trait; a program does not.
#[diagnostic::on_unimplemented(
    message = "there is no `{K}` kernel for the operator `{Self}` and items of type `{T}`",
    label = "needs a kernel that this operator does not have for these items",
    note = "of the library's operators, some only reduce, and each has its item types: the documentation of `warpfold::Kernel` has a table",
    note = "an operator of a program's own gets its kernels by a row of `warpfold::operators!`: `name: Operator, item;`",
    note = "a row with `scans only` has no `reduce` kernel: write `reduce::<…>(&items).in_order()`"
)]
pub unsafe trait Kernel<K: kind::Kind, T: Item>: Op<T, Output: Item> {
    /// The kernel's row.
    #[doc(hidden)]
    fn row() -> &'static Row;
}

/// A type of values in the device's memory. A `Type` is only a reference, since a call's functions pass many types to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Type(&'static Layout);

/// The properties of a type that launches need.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    id: TypeId,
    pub bytes: usize,
    pub alignment: usize,
}

impl Type {
    pub const fn of<T: 'static>() -> Self {
        Self(
            const {
                &Layout {
                    id: TypeId::of::<T>(),
                    bytes: size_of::<T>(),
                    alignment: align_of::<T>(),
                }
            },
        )
    }
}

impl Deref for Type {
    type Target = Layout;

    fn deref(&self) -> &Layout {
        self.0
    }
}

/// The size limit of a result, in bytes. Items and accumulators have the same limit.
pub(crate) const RESULT_MAX_BYTES: usize = 64;

/// A row of a table of kernels, as a value: the kernel, and all properties of its operator and types that launches need. So the code of
/// launches is compiled once, and not for each row.
#[derive(Debug)]
pub struct Row {
    pub(crate) entry: Entry,
    pub(crate) item: Type,
    pub(crate) result: Type,
    pub(crate) division: Division,
    /// The most items that a part may have. Results that are indices could not hold all indices of a longer part.
    pub(crate) most_items: u64,
    /// In some rows for reductions of segments: the operator's row for whole arrays. Both rows make the same bits.
    pub(crate) whole: Option<fn() -> &'static Row>,
    /// In some rows for reductions of segments: the row of the operator's reductions by key.
    pub(crate) by_key: Option<fn() -> &'static Row>,
    lower: fn(Option<&[u8]>, &mut [u8]),
}

impl Row {
    /// The row of a kernel of kind `K`, for an operator on items of type `T`. Its text is in `texts`.
    #[doc(hidden)]
    pub const fn new<K: kind::Kind, O: Op<T>, T: Element>(
        symbol: &'static str,
        texts: &'static Texts,
    ) -> Self {
        Self::of::<K, O, T>(symbol, Some(texts))
    }

    /// The row of a kernel of the table.
    const fn shipped<K: kind::Kind, O: Op<T>, T: Element>(symbol: &'static str) -> Self {
        Self::of::<K, O, T>(symbol, None)
    }

    const fn of<K: kind::Kind, O: Op<T>, T: Element>(
        symbol: &'static str,
        texts: Option<&'static Texts>,
    ) -> Self {
        assert!(
            size_of::<O::Output>() <= RESULT_MAX_BYTES,
            "a result must have at most 64 bytes"
        );
        Self {
            entry: Entry::with_blocks(symbol, texts, K::blocks::<O, T>),
            item: Type::of::<T>(),
            result: Type::of::<O::Output>(),
            division: Division::of::<O, T>(tuning::tiles::<O, T>()),
            most_items: O::MOST_ITEMS,
            whole: None,
            by_key: None,
            lower: lower::<O, T>,
        }
    }

    /// This row, with a reference to the operator's row for whole arrays if the operator is exact: then both rows make the same bits.
    const fn with_whole<O: Kernel<kind::reduce, T>, T: Item>(self) -> Self {
        let whole: Option<fn() -> &'static Row> = match O::EXACT {
            true => Some(O::row),
            false => None,
        };
        Self { whole, ..self }
    }

    /// This row, with a reference to the row of the operator's reductions by key.
    #[doc(hidden)]
    pub const fn with_by_key<O: Kernel<kind::by_key_reduce, T>, T: Item>(self) -> Self {
        Self {
            by_key: Some(O::row),
            ..self
        }
    }

    /// This row, with indices of 32 bits as results.
    const fn with_short_indices(self) -> Self {
        Self {
            entry: Entry {
                has_short_indices: true,
                ..self.entry
            },
            ..self
        }
    }

    /// Checks that results can hold the indices of `item_count` items.
    pub(crate) fn check_indices(&self, item_count: usize) -> Result<()> {
        check_indices(self.most_items, item_count)
    }

    /// Lowers an accumulator to `result`: the accumulator with the bytes `value`, or the operator's identity if `value` is `None`.
    pub(crate) fn lower(&self, value: Option<&[u8]>, result: &mut [u8]) {
        (self.lower)(value, result);
    }
}

/// Checks that there are at most `most_items` items, so that results can hold their indices.
pub(crate) fn check_indices(most_items: u64, item_count: usize) -> Result<()> {
    match item_count as u64 <= most_items {
        true => Ok(()),
        false => Err(Error::TooManyItems {
            item_count,
            number_bytes: size_of::<u32>(),
        }),
    }
}

/// How a row's work is divided, and how much memory the work needs: numbers from [`warpfold_kernels`], or functions that compute them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Division {
    pub reduce_tiles: ReduceTiles,
    /// State words of an accumulator. A reduction needs this many state words for each chunk.
    pub accumulator_words: u64,
    pub scan_tiles: ScanTiles,
    pub scan_state_words: fn(ScanTiles, u64) -> u64,
    pub scan_most_state_words: fn(ScanTiles, u64) -> u64,
    /// The most items of a segment's chunk.
    pub chunk_items: u64,
    /// Bytes of dynamic shared memory that a [short](Blocks::short) block needs if it takes whole rows; `None` unless [`has_rings`] holds.
    pub row_bytes: Option<u32>,
    /// The number of state words that a launch over columns needs, as a function of the numbers of rows and of columns.
    pub columns_state_words: fn(u64, u64) -> u64,
}

impl Division {
    /// The division for the operator `O` on items of type `T`, with these tiles for its scans.
    const fn of<O: Op<T>, T: Element>(scan_tiles: ScanTiles) -> Self {
        Self {
            reduce_tiles: ReduceTiles::of::<T>(),
            accumulator_words: words_per_accumulator::<O::Accumulator>(),
            scan_tiles,
            scan_state_words: scan_state_words::<O::Accumulator>,
            scan_most_state_words: scan_most_state_words::<O::Accumulator>,
            chunk_items: segments::chunk_items::<T, O::Accumulator>(),
            row_bytes: match has_rings::<O, T>() {
                true => Some(row_bytes::<T, O::Accumulator>()),
                false => None,
            },
            columns_state_words: columns::state_words::<O::Accumulator>,
        }
    }
}

fn lower<O: Op<T>, T: Element>(value: Option<&[u8]>, result: &mut [u8]) {
    let value = value.map_or_else(O::identity, bytemuck::pod_read_unaligned);
    result.copy_from_slice(bytemuck::bytes_of(&O::lower(value)));
}

/// A kernel: its name, its texts and its blocks.
#[derive(Debug)]
pub struct Entry {
    /// The kernel's name in the PTX.
    symbol: &'static str,
    /// The texts that have the kernel; `None` if they are this library's.
    texts: Option<&'static Texts>,
    /// Whether the results are indices of 32 bits. The text is then made for such indices.
    has_short_indices: bool,
    blocks: fn(Copies, u32) -> Blocks,
}

impl Entry {
    /// The kernel of a selection by a predicate among items of type `T`. Its text is in `texts`.
    #[doc(hidden)]
    pub const fn select_if<T: Element>(symbol: &'static str, texts: &'static Texts) -> Self {
        let blocks = Blocks::of_selection::<T, selection::Before>;
        Self::with_blocks(symbol, Some(texts), blocks)
    }

    /// The kernel of a selection of the heads of runs of items of type `T`. Its text is in `texts`.
    #[doc(hidden)]
    pub const fn runs<T: Element>(symbol: &'static str, texts: &'static Texts) -> Self {
        let blocks = Blocks::of_selection::<T, selection::BeforeRun>;
        Self::with_blocks(symbol, Some(texts), blocks)
    }

    /// The kernel that marks the heads of runs of keys of type `T`. Its text is in `texts`.
    #[doc(hidden)]
    pub const fn heads<T: Element>(symbol: &'static str, texts: &'static Texts) -> Self {
        Self::with_blocks(symbol, Some(texts), Blocks::of_heads)
    }

    /// A kernel with blocks of this shape. Its text is in `texts`, or in this library if `texts` is `None`.
    pub(crate) const fn with_blocks(
        symbol: &'static str,
        texts: Option<&'static Texts>,
        blocks: fn(Copies, u32) -> Blocks,
    ) -> Self {
        Self {
            symbol,
            texts,
            has_short_indices: false,
            blocks,
        }
    }

    /// The kernel's name in the PTX.
    pub(crate) fn symbol(&self) -> &'static str {
        self.symbol
    }

    /// Whether the results are indices of 32 bits. The text is then made for such indices.
    pub(crate) fn has_short_indices(&self) -> bool {
        self.has_short_indices
    }

    /// The texts that have the kernel; `None` if they are this library's.
    pub(crate) fn texts(&self) -> Option<&'static Texts> {
        self.texts
    }

    /// The blocks of the kernel in the text for this compute capability, on a device that gives a block `available` bytes of shared
    /// memory.
    pub(crate) fn blocks(&self, capability: (u32, u32), available: u32) -> Blocks {
        (self.blocks)(Copies::of_capability(capability.0), available)
    }
}

/// Turns the table's rows that have an operator into implementations of [`Kernel`].
macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { $(row!($kind $op $t $symbol);)* };
}

macro_rules! row {
    (reduce_pairs $op:ident $t:ident $symbol:ident) => {
        row!(@ reduce_pairs $op, Pair<$t, $t>, $symbol);
    };
    // These kernels have no operators: `crate::selection` has their traits.
    (select_if $op:ident $t:ident $symbol:ident) => {};
    (select_flagged $op:ident $t:ident $symbol:ident) => {};
    (runs $op:ident $t:ident $symbol:ident) => {};
    (heads $op:ident $t:ident $symbol:ident) => {};
    // Scans with `ArgMin` or `ArgMax` return indices of 64 bits only.
    (inclusive_scan $op:ident $t:ident $symbol:ident) => {
        row!(@ inclusive_scan $op, $t, $symbol);
    };
    (exclusive_scan $op:ident $t:ident $symbol:ident) => {
        row!(@ exclusive_scan $op, $t, $symbol);
    };
    (segmented_scan $op:ident $t:ident $symbol:ident) => {
        row!(@ segmented_scan $op, $t, $symbol);
    };
    (by_key_scan $op:ident $t:ident $symbol:ident) => {
        row!(@ by_key_scan $op, $t, $symbol);
    };
    (columns_scan $op:ident $t:ident $symbol:ident) => {
        row!(@ columns_scan $op, $t, $symbol);
    };
    ($kind:ident ArgMin $t:ident $symbol:ident) => {
        row!(@ $kind ArgMin, $t, $symbol, with_short_indices);
    };
    ($kind:ident ArgMax $t:ident $symbol:ident) => {
        row!(@ $kind ArgMax, $t, $symbol, with_short_indices);
    };
    ($kind:ident ArgMinMax $t:ident $symbol:ident) => {
        row!(@ $kind ArgMinMax, $t, $symbol, with_short_indices);
    };
    ($kind:ident $op:ident $t:ident $symbol:ident) => {
        row!(@ $kind $op, $t, $symbol);
    };
    (@ $kind:ident $op:ident, $item:ty, $symbol:ident, with_short_indices) => {
        row!(@ $kind $op, $item, $symbol);

        // SAFETY: the row is made from this kind, operator and items (condition 1). The text is made from the text of the same kernel with
        // 64-bit indices (condition 2): it combines the same accumulators, and writes their indices without the upper 32 bits, as the
        // operator's `lower` does.
        #[diagnostic::do_not_recommend]
        unsafe impl Kernel<kind::$kind, $item> for $op<u32> {
            fn row() -> &'static Row {
                static ROW: Row = made!($kind $op<u32>, $item, $symbol).with_short_indices();
                &ROW
            }
        }
    };
    (@ $kind:ident $op:ident, $item:ty, $symbol:ident) => {
        // SAFETY: the row is made from the table's kind, operator and items (condition 1). This library's texts are made from the same
        // table, where each symbol names one kernel; `cargo xtask ptx` checks that the texts have exactly these symbols (condition 2).
        #[diagnostic::do_not_recommend]
        unsafe impl Kernel<kind::$kind, $item> for $op {
            fn row() -> &'static Row {
                static ROW: Row = made!($kind $op, $item, $symbol);
                &ROW
            }
        }
    };
}

/// A row of the table. A row for reductions of segments refers to the operator's row for whole arrays, if the operator has that row and is
/// exact. It also refers to the operator's row for reductions by key, if there is one.
macro_rules! made {
    (segmented_reduce Recurrence, $item:ty, $symbol:ident) => {
        Row::shipped::<kind::segmented_reduce, Recurrence, $item>(stringify!($symbol))
            .with_by_key::<Recurrence, $item>()
    };
    (segmented_reduce MinMax, $item:ty, $symbol:ident) => {
        made!(@ MinMax, $item, $symbol)
    };
    (segmented_reduce Moments, $item:ty, $symbol:ident) => {
        made!(@ Moments, $item, $symbol)
    };
    (segmented_reduce Statistics, $item:ty, $symbol:ident) => {
        made!(@ Statistics, $item, $symbol)
    };
    // Only the operators of this arm and of the three arms after it have indices of two types: 32 bits in this arm, and 64 bits in the
    // others.
    (segmented_reduce $op:ident<$index:ident>, $item:ty, $symbol:ident) => {
        made!(@ $op<$index>, $item, $symbol)
    };
    (segmented_reduce ArgMin, $item:ty, $symbol:ident) => {
        made!(@ ArgMin, $item, $symbol)
    };
    (segmented_reduce ArgMax, $item:ty, $symbol:ident) => {
        made!(@ ArgMax, $item, $symbol)
    };
    (segmented_reduce ArgMinMax, $item:ty, $symbol:ident) => {
        made!(@ ArgMinMax, $item, $symbol)
    };
    (segmented_reduce $op:ident, $item:ty, $symbol:ident) => {
        made!(@ $op, $item, $symbol).with_by_key::<$op, $item>()
    };
    (@ $op:ty, $item:ty, $symbol:ident) => {
        Row::shipped::<kind::segmented_reduce, $op, $item>(stringify!($symbol))
            .with_whole::<$op, $item>()
    };
    ($kind:ident $op:ty, $item:ty, $symbol:ident) => {
        Row::shipped::<kind::$kind, $op, $item>(stringify!($symbol))
    };
}

warpfold_kernels::for_each_row!(rows);

/// Rows for the 16-bit floats that `cust` can copy: the types `f16` and `bf16` of `half` 1. They run the kernels of the same types of
/// `half` 2.
#[cfg(feature = "cust")]
mod of_cust {
    use cust_half::{bf16, f16};

    use super::*;

    warpfold_kernels::for_each_narrow_float!(rows all_kernels);
}
