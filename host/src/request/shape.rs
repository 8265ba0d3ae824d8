//! The shapes of a request, and the orders of a scan. A shape says how the items are divided into parts. The items of a part are reduced to
//! one result, or scanned together.
//!
//! The methods of a request choose these types, and the compiler's messages name them. A program names a shape where it writes the type of
//! a request, as in a struct or in the signature of a function:
//!
//! ```
//! use warpfold::request::{memory::OnTheHost, shape::Rows};
//! use warpfold::{Cpu, Reduce, Result, Sum, reduce};
//!
//! /// The greatest sum of a row.
//! fn greatest(sums: Reduce<'_, Sum, u32, OnTheHost, Rows>) -> Result<Option<u32>> {
//!     Ok(sums.wait(Cpu)?.into_iter().max())
//! }
//! assert_eq!(greatest(reduce(&[1, 2, 3, 4]).rows(2))?, Some(7));
//! # Ok::<(), warpfold::Error>(())
//! ```

use std::marker::PhantomData;

use super::bounds::Forward;
#[doc(hidden)]
pub use crate::launch::ScanOrder;

use crate::kernel::kind::{self, Kind};

/// All items are one part.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::Whole};
/// use warpfold::{Cpu, Reduce, Sum, reduce};
///
/// let sum: Reduce<'_, Sum, u32, OnTheHost, Whole> = reduce(&[1, 2, 3]);
/// assert_eq!(sum.wait(Cpu)?, 6);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Whole {}

/// As [`Whole`], with a count in device memory.
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::request::{memory::OnTheDevice, shape::WholeCounted};
/// use warpfold::{Gpu, Reduce, Sum, reduce};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// let count = DeviceBuffer::from_slice(&[2u64])?;
/// let sum: Reduce<'_, Sum, u32, OnTheDevice, WholeCounted> = reduce(&items).count(&count);
/// assert_eq!(sum.wait(&gpu)?, 3);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub enum WholeCounted {}

/// All items are one part, and are combined in their order.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::InOrder};
/// use warpfold::{Cpu, Affine, Recurrence, Reduce, reduce};
///
/// let items = [1.0, 2.0].map(|offset| Affine { scale: 10.0, offset });
/// let last: Reduce<'_, Recurrence, Affine, OnTheHost, InOrder> = reduce(&items).in_order();
/// assert_eq!(last.wait(Cpu)?, 12.0);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum InOrder {}

/// As [`InOrder`], with a count in device memory.
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::request::{memory::OnTheDevice, shape::InOrderCounted};
/// use warpfold::{Gpu, Reduce, Sum, reduce};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// let count = DeviceBuffer::from_slice(&[2u64])?;
/// let sum: Reduce<'_, Sum, u32, OnTheDevice, InOrderCounted> = reduce(&items).in_order().count(&count);
/// assert_eq!(sum.wait(&gpu)?, 3);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub enum InOrderCounted {}

/// As [`Whole`], for a scan with an initial value or a total.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::WholeWith};
/// use warpfold::{Cpu, Scan, Sum, scan};
///
/// let sums: Scan<'_, Sum, u32, OnTheHost, WholeWith> = scan(&[1, 2, 3]).initial(10);
/// assert_eq!(sums.wait(Cpu)?, [11, 13, 16]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum WholeWith {}

/// Segments: parts of consecutive items, from each offset to before the next.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::Segments};
/// use warpfold::{Cpu, Reduce, Sum, reduce};
///
/// let sums: Reduce<'_, Sum, u32, OnTheHost, Segments> = reduce(&[1, 2, 3]).segments(&[0u32, 1, 3]);
/// assert_eq!(sums.wait(Cpu)?, [1, 5]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Segments {}

/// The rows of a row-major matrix.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::Rows};
/// use warpfold::{Cpu, Reduce, Sum, reduce};
///
/// let sums: Reduce<'_, Sum, u32, OnTheHost, Rows> = reduce(&[1, 2, 3, 4]).rows(2);
/// assert_eq!(sums.wait(Cpu)?, [3, 7]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Rows {}

/// The columns of a row-major matrix.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::Columns};
/// use warpfold::{Cpu, Reduce, Sum, reduce};
///
/// let sums: Reduce<'_, Sum, u32, OnTheHost, Columns> = reduce(&[1, 2, 3, 4]).columns(2);
/// assert_eq!(sums.wait(Cpu)?, [4, 6]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Columns {}

/// Parts along the middle axis of an array of three axes.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::Axis};
/// use warpfold::{Cpu, Reduce, Sum, reduce};
///
/// let sums: Reduce<'_, Sum, u32, OnTheHost, Axis> = reduce(&[1, 2, 3, 4, 5, 6, 7, 8]).axis(2, 2, 2);
/// assert_eq!(sums.wait(Cpu)?, [4, 6, 12, 14]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Axis {}

/// As [`Rows`], [`Columns`] or [`Axis`], with a pitch.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::Pitched};
/// use warpfold::{Cpu, Reduce, Sum, reduce};
///
/// let sums: Reduce<'_, Sum, u32, OnTheHost, Pitched> = reduce(&[1, 2, 0, 3, 4, 0]).rows(2).pitch(3);
/// assert_eq!(sums.wait(Cpu)?, [3, 7]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Pitched {}

/// Runs: parts whose neighbouring keys, of type `K`, are equal by `E`.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::ByKey};
/// use warpfold::{Cpu, Equal, Reduce, Sum, reduce};
///
/// let (items, keys) = ([1, 2, 3], [7u8, 7, 9]);
/// let sums: Reduce<'_, Sum, u32, OnTheHost, ByKey<Equal, u8>> = reduce(&items).by_key::<Equal, _>(&keys);
/// assert_eq!(sums.wait(Cpu)?, (vec![7, 9], vec![3, 3]));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub struct ByKey<E, K>(PhantomData<fn() -> (E, K)>);

/// As [`ByKey`], with an output for the number of runs. There may also be an output for the starts of the runs.
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::request::{Written, memory::OnTheDevice, shape::ByKeyTo};
/// use warpfold::{Equal, Gpu, RawStream, Reduce, Sum, reduce};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// let keys = DeviceBuffer::from_slice(&[7u8, 7, 9])?;
/// let (mut sums, mut starts) = (DeviceBuffer::zeroed(3)?, DeviceBuffer::<u32>::zeroed(4)?);
/// let mut count = DeviceBuffer::zeroed(1)?;
/// let request: Reduce<'_, Sum, u32, OnTheDevice, ByKeyTo<Equal, u8>, Written> = reduce(&items)
///     .by_key::<Equal, _>(&keys)
///     .to(&mut sums)
///     .runs_to(&mut starts, &mut count);
/// request.queue(&gpu, &RawStream::DEFAULT)?;
/// gpu.synchronize()?;
/// assert_eq!(count.as_host_vec()?, [2]);
/// assert_eq!(sums.as_host_vec()?[..2], [3, 3]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct ByKeyTo<E, K>(PhantomData<fn() -> (E, K)>);

/// A shape: how the items are divided into parts.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::Shape};
/// use warpfold::{Cpu, Reduce, Sum, reduce};
///
/// /// Sums in any shape, to be run somewhere.
/// struct Sums<'a, S: Shape>(Reduce<'a, Sum, u32, OnTheHost, S>);
///
/// assert_eq!(Sums(reduce(&[1, 2, 3, 4]).rows(2)).0.wait(Cpu)?, [3, 7]);
/// assert_eq!(Sums(reduce(&[1, 2, 3, 4])).0.wait(Cpu)?, 10);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub trait Shape {
    /// The same shape, with a count in device memory.
    type Counted;
    /// For [`ByKey`] and [`ByKeyTo`], this is [`ByKeyTo`]. For all other shapes, it is the same shape.
    type Located;
}

macro_rules! shapes {
    ($([$($parameter:ident)*] $shape:ty: $counted:ty, $located:ty;)*) => {$(
        impl<$($parameter),*> Shape for $shape {
            type Counted = $counted;
            type Located = $located;
        }
    )*};
}

shapes! {
    [] Whole: WholeCounted, Whole;
    [] WholeCounted: WholeCounted, WholeCounted;
    [] WholeWith: WholeWith, WholeWith;
    [] InOrder: InOrderCounted, InOrder;
    [] InOrderCounted: InOrderCounted, InOrderCounted;
    [] Segments: Segments, Segments;
    [] Rows: Rows, Rows;
    [] Columns: Columns, Columns;
    [] Axis: Axis, Axis;
    [] Pitched: Pitched, Pitched;
    [E K] ByKey<E, K>: ByKey<E, K>, ByKeyTo<E, K>;
    [E K] ByKeyTo<E, K>: ByKeyTo<E, K>, ByKeyTo<E, K>;
}

/// A shape that divides the items into several parts: [`Segments`], [`Rows`] and [`Columns`]. One kind of kernel reduces the parts, and
/// another kind scans them.
///
/// ```
/// use warpfold::request::shape::{Columns, Rows, Several};
/// use warpfold::{Kernel, Sum};
///
/// /// Compiles if `Sum` reduces groups of this shape.
/// const fn sums_of<S: Several>()
/// where
///     Sum: Kernel<S::Reduce, u32>,
/// {
/// }
/// sums_of::<Rows>();
/// sums_of::<Columns>();
/// ```
pub trait Several {
    /// The kind of the kernels that reduce the parts.
    type Reduce: Kind;
    /// The kind of the kernels that scan the parts.
    type Scan: Kind;
}

impl Several for Segments {
    type Reduce = kind::segmented_reduce;
    type Scan = kind::segmented_scan;
}

impl Several for Rows {
    type Reduce = kind::segmented_reduce;
    type Scan = kind::segmented_scan;
}

impl Several for Columns {
    type Reduce = kind::columns_reduce;
    type Scan = kind::columns_scan;
}

/// Each result combines its own item and all items before it.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::{Inclusive, Whole}};
/// use warpfold::{Cpu, Scan, Sum, scan};
///
/// let sums: Scan<'_, Sum, u32, OnTheHost, Whole, Inclusive> = scan(&[1, 2, 3]);
/// assert_eq!(sums.wait(Cpu)?, [1, 3, 6]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Inclusive {}

/// Each result combines the items before its own item.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::{Exclusive, Whole}};
/// use warpfold::{Cpu, Scan, Sum, scan};
///
/// let sums: Scan<'_, Sum, u32, OnTheHost, Whole, Exclusive> = scan(&[1, 2, 3]).exclusive();
/// assert_eq!(sums.wait(Cpu)?, [0, 1, 3]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Exclusive {}

/// The order `D`, but from the last item to the first.
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::{Inclusive, Reversed, Whole}};
/// use warpfold::{Cpu, Scan, Sum, scan};
///
/// let sums: Scan<'_, Sum, u32, OnTheHost, Whole, Reversed<Inclusive>> = scan(&[1, 2, 3]).reversed();
/// assert_eq!(sums.wait(Cpu)?, [6, 5, 3]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub struct Reversed<D>(PhantomData<fn() -> D>);

/// The order of a scan: [`Inclusive`] or [`Exclusive`], forward or [`Reversed`].
///
/// ```
/// use warpfold::request::{memory::OnTheHost, shape::{Exclusive, Order, Whole}};
/// use warpfold::{Cpu, Scan, Sum, scan};
///
/// /// Running totals in any order, to be run somewhere.
/// struct Totals<'a, D: Order>(Scan<'a, Sum, u32, OnTheHost, Whole, D>);
///
/// let totals: Totals<'_, Exclusive> = Totals(scan(&[1, 2, 3]).exclusive());
/// assert_eq!(totals.0.wait(Cpu)?, [0, 1, 3]);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub trait Order {
    /// The kind of the kernels that scan the whole.
    type Scan: Kind;
    #[doc(hidden)]
    const ORDER: ScanOrder;
}

impl Order for Inclusive {
    type Scan = kind::inclusive_scan;
    const ORDER: ScanOrder = ScanOrder {
        is_exclusive: false,
        is_reversed: false,
    };
}

impl Order for Exclusive {
    type Scan = kind::exclusive_scan;
    const ORDER: ScanOrder = ScanOrder {
        is_exclusive: true,
        is_reversed: false,
    };
}

impl<D: Forward> Order for Reversed<D> {
    type Scan = D::Scan;
    const ORDER: ScanOrder = ScanOrder {
        is_reversed: true,
        ..D::ORDER
    };
}
