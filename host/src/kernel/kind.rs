//! The kinds of kernels that operators have, named as in the table of kernels. They are types without values.
//!
//! ```
//! use warpfold::{Cpu, Kernel, Result, Sum, kind, reduce};
//!
//! /// Each item's share of the sum of all.
//! fn shares(items: &[f32]) -> Result<Vec<f32>>
//! where
//!     Sum: Kernel<kind::reduce, f32, Output = f32>,
//! {
//!     let sum = reduce::<Sum, _>(items).wait(Cpu)?;
//!     Ok(items.iter().map(|item| item / sum).collect())
//! }
//! assert_eq!(shares(&[1.0, 3.0])?, [0.25, 0.75]);
//! # Ok::<(), warpfold::Error>(())
//! ```

#![allow(non_camel_case_types)]

use warpfold_kernels::element::Element;
use warpfold_kernels::launch::Copies;
use warpfold_kernels::op::Op;

use super::Blocks;

/// A kind of kernel, in bounds such as `Sum: Kernel<kind::reduce, T>`: [`Kernel`](super::Kernel) has an example.
///
/// ```
/// use warpfold::kind::{Kind, exclusive_scan, reduce};
/// use warpfold::{Kernel, Sum};
///
/// /// Compiles if `Sum` has a kernel of kind `K` for `f64`.
/// const fn sums<K: Kind>()
/// where
///     Sum: Kernel<K, f64>,
/// {
/// }
/// sums::<reduce>();
/// sums::<exclusive_scan>();
/// ```
pub trait Kind: 'static {
    /// The blocks of a kernel of this kind, for an operator on items of type `T`. A block may have `available` bytes of shared memory.
    #[doc(hidden)]
    fn blocks<O: Op<T>, T: Element>(copies: Copies, available: u32) -> Blocks;
}

macro_rules! kinds {
    ($($(#[$documentation:meta])* $kind:ident: $blocks:ident;)*) => {$(
        $(#[$documentation])*
        #[derive(Debug)]
        pub enum $kind {}

        impl Kind for $kind {
            fn blocks<O: Op<T>, T: Element>(copies: Copies, available: u32) -> Blocks {
                Blocks::$blocks::<O, T>(copies, available)
            }
        }
    )*};
}

kinds! {
    /// Combines all items.
    ///
    /// ```
    /// use warpfold::{Cpu, Item, Kernel, Result, Sum, kind, reduce};
    ///
    /// fn reduced<O: Kernel<kind::reduce, T>, T: Item>(items: &[T]) -> Result<O::Output> {
    ///     reduce::<O, _>(items).wait(Cpu)
    /// }
    /// assert_eq!(reduced::<Sum, u32>(&[1, 2, 3])?, 6);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    reduce: of_reduction;
    /// Combines pairs of items: a pair has the items with the same index in two inputs.
    ///
    /// ```
    /// use warpfold::{Cpu, Dot, Item, Kernel, Pair, Result, kind, reduce};
    ///
    /// fn dot<T: Item>(left: &[T], right: &[T]) -> Result<<Dot as warpfold::Op<Pair<T, T>>>::Output>
    /// where
    ///     Dot: Kernel<kind::reduce_pairs, Pair<T, T>>,
    /// {
    ///     reduce::<Dot, _>((left, right)).wait(Cpu)
    /// }
    /// assert_eq!(dot(&[1.0f32, 2.0], &[3.0, 4.0])?, 11.0);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    reduce_pairs: of_reduction;
    /// Replaces each item by the combination of all items up to and including it.
    ///
    /// ```
    /// use warpfold::{Cpu, Item, Kernel, Result, Sum, kind, scan};
    ///
    /// fn scanned<O: Kernel<kind::inclusive_scan, T>, T: Item>(items: &[T]) -> Result<Vec<O::Output>> {
    ///     scan::<O, _>(items).wait(Cpu)
    /// }
    /// assert_eq!(scanned::<Sum, u32>(&[1, 2, 3])?, [1, 3, 6]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    inclusive_scan: of_scan;
    /// Replaces each item by the combination of all items before it.
    ///
    /// ```
    /// use warpfold::{Cpu, Item, Kernel, Result, Sum, kind, scan};
    ///
    /// fn scanned<O: Kernel<kind::exclusive_scan, T>, T: Item>(items: &[T]) -> Result<Vec<O::Output>> {
    ///     scan::<O, _>(items).exclusive().wait(Cpu)
    /// }
    /// assert_eq!(scanned::<Sum, u32>(&[1, 2, 3])?, [0, 1, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    exclusive_scan: of_scan;
    /// Combines the items of each segment to one result.
    ///
    /// ```
    /// use warpfold::{Cpu, Item, Kernel, Result, Sum, kind, reduce};
    ///
    /// fn pairs<O: Kernel<kind::segmented_reduce, T>, T: Item>(items: &[T]) -> Result<Vec<O::Output>> {
    ///     reduce::<O, _>(items).rows(2).wait(Cpu)
    /// }
    /// assert_eq!(pairs::<Sum, u32>(&[1, 2, 3, 4])?, [3, 7]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    segmented_reduce: of_segmented_reduction;
    /// Scans each segment, inclusively or exclusively.
    ///
    /// ```
    /// use warpfold::{Cpu, Item, Kernel, Result, Sum, kind, scan};
    ///
    /// fn pairs<O: Kernel<kind::segmented_scan, T>, T: Item>(items: &[T]) -> Result<Vec<O::Output>> {
    ///     scan::<O, _>(items).rows(2).wait(Cpu)
    /// }
    /// assert_eq!(pairs::<Sum, u32>(&[1, 2, 3, 4])?, [1, 3, 3, 7]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    segmented_scan: of_segmented_scan;
    /// Combines the values of each run of equal keys to one result, and writes the number of runs. Some reductions by key run a
    /// `segmented_reduce` instead: for example, if an output has room for fewer runs than there are keys.
    ///
    /// ```
    /// use warpfold::{Cpu, Equal, Item, Kernel, Result, Sum, kind, reduce};
    ///
    /// /// Compiles if `O` has both kernels of reductions by key.
    /// fn by_pairs<O, T: Item>(items: &[T]) -> Result<Vec<O::Output>>
    /// where
    ///     O: Kernel<kind::segmented_reduce, T> + Kernel<kind::by_key_reduce, T>,
    /// {
    ///     let keys: Vec<u32> = (0..items.len()).map(|index| (index / 2) as u32).collect();
    ///     Ok(reduce::<O, _>(items).by_key::<Equal, _>(&keys).wait(Cpu)?.1)
    /// }
    /// assert_eq!(by_pairs::<Sum, u32>(&[1, 2, 3, 4])?, [3, 7]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    by_key_reduce: of_by_key_reduction;
    /// Scans each run of equal keys, inclusively or exclusively. A scan by key with an output for the runs' starts uses the kind
    /// `segmented_scan` instead.
    ///
    /// ```
    /// use warpfold::{Cpu, Equal, Item, Kernel, Result, Sum, kind, scan};
    ///
    /// fn by_pairs<O: Kernel<kind::by_key_scan, T>, T: Item>(items: &[T]) -> Result<Vec<O::Output>> {
    ///     let keys: Vec<u8> = (0..items.len()).map(|index| (index / 2) as u8).collect();
    ///     scan::<O, _>(items).by_key::<Equal, _>(&keys).wait(Cpu)
    /// }
    /// assert_eq!(by_pairs::<Sum, u32>(&[1, 2, 3, 4])?, [1, 3, 3, 7]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    by_key_scan: of_by_key_scan;
    /// Combines the items of each column of a row-major matrix to one result.
    ///
    /// ```
    /// use warpfold::{Cpu, Item, Kernel, Result, Sum, kind, reduce};
    ///
    /// fn columns<O: Kernel<kind::columns_reduce, T>, T: Item>(items: &[T]) -> Result<Vec<O::Output>> {
    ///     reduce::<O, _>(items).columns(2).wait(Cpu)
    /// }
    /// assert_eq!(columns::<Sum, u32>(&[1, 2, 3, 4])?, [4, 6]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    columns_reduce: of_columns;
    /// Scans each column, inclusively or exclusively.
    ///
    /// ```
    /// use warpfold::{Cpu, Item, Kernel, Result, Sum, kind, scan};
    ///
    /// fn columns<O: Kernel<kind::columns_scan, T>, T: Item>(items: &[T]) -> Result<Vec<O::Output>> {
    ///     scan::<O, _>(items).columns(2).wait(Cpu)
    /// }
    /// assert_eq!(columns::<Sum, u32>(&[1, 2, 3, 4])?, [1, 2, 4, 6]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    columns_scan: of_columns;
}
