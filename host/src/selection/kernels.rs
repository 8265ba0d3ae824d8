//! The selections that have kernels. Selections by a predicate or an equality have kernels for certain types of items. Selections by flags
//! have kernels for all items of 1, 2, 4, 8 or 16 bytes.

use half::{bf16, f16};
use warpfold_kernels::for_each_selection_kernel;
use warpfold_kernels::selection::*;

use crate::error::{Error, Result};
use crate::kernel::{Blocks, Entry, Item};
use crate::selection::Chooser;

/// The predicate `Self` has a kernel for items of type `T`.
///
/// ```
/// use warpfold::{Cpu, Item, NonZero, Result, SelectKernel, select};
///
/// /// How many items are not zero.
/// fn count<T: Item>(items: &[T]) -> Result<usize>
/// where
///     NonZero: SelectKernel<T>,
/// {
///     Ok(select::<NonZero, _>(items).indices().wait(Cpu)?.len())
/// }
/// assert_eq!(count(&[0.5f32, 0.0])?, 1);
/// # Ok::<(), warpfold::Error>(())
/// ```
///
/// # Safety
///
/// - [`Self::entry`] is made for items of type `T`, so that blocks have shared memory for tiles of these items;
/// - in each of the entry's texts, the entry's symbol either names the kernel that was compiled for this predicate and these items, or is
///   missing, so that loading it is an error.
///
/// The table of kernels and [`operators!`](crate::operators) implement this trait; a program does not.
#[diagnostic::on_unimplemented(
    message = "there is no kernel for the predicate `{Self}` and items of type `{T}`",
    label = "neither the table of kernels nor an `operators!` list has such a row",
    note = "of a program's own, it gets its kernel by a row of `warpfold::operators!`: `name: Predicate, item, predicate;`"
)]
pub unsafe trait SelectKernel<T: Item>: Predicate<T> {
    /// The kernel.
    #[doc(hidden)]
    fn entry() -> &'static Entry;
}

/// The equality `Self` has a kernel for items of type `T`.
///
/// ```
/// use warpfold::{Cpu, Equal, Item, Result, RunsKernel, runs};
///
/// /// The first item of each run.
/// fn unique<T: Item>(items: &[T]) -> Result<Vec<T>>
/// where
///     Equal: RunsKernel<T>,
/// {
///     runs::<Equal, _>(items).wait(Cpu)
/// }
/// assert_eq!(unique(&[3u8, 3, 1])?, [3, 1]);
/// # Ok::<(), warpfold::Error>(())
/// ```
///
/// # Safety
///
/// - [`Self::entry`] is made for items of type `T`, so that blocks have shared memory for tiles of these items;
/// - in each of the entry's texts, the entry's symbol either names the kernel that was compiled for this equality and these items, or is
///   missing, so that loading it is an error.
///
/// The table of kernels and [`operators!`](crate::operators) implement this trait; a program does not.
#[diagnostic::on_unimplemented(
    message = "there is no kernel for the equality `{Self}` and items of type `{T}`",
    label = "neither the table of kernels nor an `operators!` list has such a row",
    note = "of a program's own, it gets its kernel by a row of `warpfold::operators!`: `name: Equality, item, equality;`"
)]
pub unsafe trait RunsKernel<T: Item>: HeadsKernel<T> {
    /// The kernel.
    #[doc(hidden)]
    fn entry() -> &'static Entry;
}

/// The equality `Self` has a kernel that marks the heads of runs of items of type `T`. An equality with a [`RunsKernel`] has this kernel
/// too.
///
/// # Safety
///
/// - [`Self::entry`] is an entry of launches that mark heads;
/// - if [`Self::compares_bytes`] is true, two items are equal exactly if their bytes are;
/// - in each of the entry's texts, the entry's symbol either names the kernel that was compiled for this equality and these items, or is
///   missing, so that loading it is an error.
#[doc(hidden)]
pub unsafe trait HeadsKernel<T: Item>: Equality<T> {
    /// The kernel.
    fn entry() -> &'static Entry;

    /// Whether it is known that two items are equal exactly if their bytes are.
    fn compares_bytes() -> bool {
        false
    }
}

macro_rules! row {
    (select_if $predicate:ident $t:ident $symbol:ident) => {
        // SAFETY: the entry is made for the items of this row (condition 1). This library's texts are made from the same table, where each
        // symbol names one kernel; `cargo xtask ptx` checks that the texts have exactly these symbols (condition 2).
        unsafe impl SelectKernel<$t> for $predicate {
            fn entry() -> &'static Entry {
                static ENTRY: Entry = Entry::with_blocks(
                    stringify!($symbol),
                    None,
                    Blocks::of_selection::<$t, Before>,
                );
                &ENTRY
            }
        }
    };
    (runs $equality:ident $t:ident $symbol:ident) => {
        // SAFETY: the entry is made for the items of this row (condition 1). This library's texts are made from the same table, where each
        // symbol names one kernel; `cargo xtask ptx` checks that the texts have exactly these symbols (condition 2).
        unsafe impl RunsKernel<$t> for $equality {
            fn entry() -> &'static Entry {
                static ENTRY: Entry = Entry::with_blocks(
                    stringify!($symbol),
                    None,
                    Blocks::of_selection::<$t, BeforeRun>,
                );
                &ENTRY
            }
        }
    };
    (heads $equality:ident $t:ident $symbol:ident) => {
        // SAFETY: the entry is made for launches that mark heads (condition 1). Integers are equal exactly if their bytes are (condition
        // 2). This library's texts are made from the same table, where each symbol names one kernel; `cargo xtask ptx` checks that the
        // texts have exactly these symbols (condition 3).
        unsafe impl HeadsKernel<$t> for $equality {
            fn entry() -> &'static Entry {
                static ENTRY: Entry =
                    Entry::with_blocks(stringify!($symbol), None, Blocks::of_heads);
                &ENTRY
            }

            fn compares_bytes() -> bool {
                // The names of the table's integer types begin with these letters. The names of its float types begin with others.
                const { matches!(stringify!($t).as_bytes()[0], b'i' | b'u') }
            }
        }
    };
    (select_flagged Flags $t:ident $symbol:ident) => {};
}

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { $(row!($kind $op $t $symbol);)* };
}

for_each_selection_kernel!(rows);

/// The rows for the 16-bit floats that `cust` can copy, which are types of an older version of `half`. These rows have the same kernels as
/// the floats of `half` 2.
#[cfg(feature = "cust")]
mod of_cust {
    use cust_half::{bf16, f16};

    use super::*;

    warpfold_kernels::for_each_narrow_float!(rows selection_kernels);
}

macro_rules! flagged_row {
    (select_flagged $t:ident $symbol:ident $bytes:ident) => {
        if $bytes == size_of::<$t>() {
            static ENTRY: Entry = Entry::with_blocks(
                stringify!($symbol),
                None,
                Blocks::of_selection::<$t, Before>,
            );
            return Some(Chooser::new::<$t, Before>(&ENTRY));
        }
    };
    ($kind:ident $t:ident $symbol:ident $bytes:ident) => {};
}

macro_rules! flagged_rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
        /// The kernel that chooses items of `bytes` bytes by flags.
        fn by_flags_of(bytes: usize) -> Option<Chooser> {
            $(flagged_row!($kind $t $symbol bytes);)*
            None
        }
    };
}

for_each_selection_kernel!(flagged_rows);

/// The kernel that chooses items of type `T` by flags.
pub fn by_flags<T: Item>() -> Result<Chooser> {
    const {
        assert!(
            matches!(size_of::<T>(), 1 | 2 | 4 | 8 | 16),
            "flags select items of 1, 2, 4, 8 or 16 bytes; of others, select the indices"
        );
    }
    by_flags_of(size_of::<T>()).ok_or(Error::KernelMissing {
        symbol: "select_flagged",
    })
}

/// The kernel that chooses items of type `T` by a predicate.
pub fn by_predicate<P: SelectKernel<T>, T: Item>() -> Chooser {
    Chooser::new::<T, Before>(P::entry())
}

/// The kernel that chooses the heads of runs of items of type `T`.
pub fn heads<E: RunsKernel<T>, T: Item>() -> Chooser {
    Chooser::new::<T, BeforeRun>(<E as RunsKernel<T>>::entry())
}
