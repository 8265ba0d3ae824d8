//! The bounds of a request's methods. If a bound does not hold, the compiler's message explains why.
//!
//! The bounds decide which methods a request has. They are traits without methods, and only this crate implements them. A generic function
//! may name them:
//!
//! ```
//! use warpfold::request::{bounds::Single, memory::Place, shape::Rows};
//! use warpfold::{Cpu, Reduce, Sum, reduce};
//!
//! /// Sums of pairs of neighbours, wherever the items are.
//! fn of_neighbours<P: Place + Single>(sum: Reduce<'_, Sum, u32, P>) -> Reduce<'_, Sum, u32, P, Rows> {
//!     sum.rows(2)
//! }
//! assert_eq!(of_neighbours(reduce(&[1, 2, 3, 4])).wait(Cpu)?, [3, 7]);
//! # Ok::<(), warpfold::Error>(())
//! ```

use super::memory::{OnTheDevice, OnTheHost, PairsIn, Place, Replaceable, Returned};
use super::shape::{
    Axis, ByKey, ByKeyTo, Columns, Exclusive, Inclusive, Order, Reversed, Rows, Shape, Whole,
    WholeCounted, WholeWith,
};
use super::{Replaced, ReturnedWithTotal, Written, WrittenWithTotal};

/// Implements the bound `$bound` for the types `$of`. The compiler's messages do not list the types, since programs rarely name them.
macro_rules! holds {
    ($bound:ident: $($of:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl $bound for $of {}
    )*};
}

/// A place with one input, whose items can be divided into parts: rows, segments and so on.
///
/// ```
/// use warpfold::{Cpu, Sum, reduce};
///
/// assert_eq!(reduce::<Sum, _>(&[1u32, 2, 3, 4]).rows(2).wait(Cpu)?, [3, 7]); // one input, so it has rows
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "two inputs, item by item, are for reductions of the whole and for selections by flags",
    label = "expects one input",
    note = "two inputs are written `reduce::<Dot, _>((&left, &right))` or `select::<Flagged, _>((&items, &flags))`"
)]
pub trait Single: Place {}

holds!(Single: OnTheDevice, OnTheHost);

/// A place whose work can be queued: device memory, for one input or for a pair of inputs.
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, RawStream, Sum, scan};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let mut items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// scan::<Sum, _>(&mut items).in_place().queue(&gpu, &RawStream::DEFAULT)?; // device memory, so it can be queued
/// gpu.synchronize()?;
/// assert_eq!(items.as_host_vec()?, [1, 3, 6]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[diagnostic::on_unimplemented(
    message = "work on slices of the host cannot be queued",
    label = "end it by `.wait(&gpu)`",
    note = "work on device memory can be queued: copy the items there first"
)]
pub trait Queueable: Place {}

holds!(Queueable: OnTheDevice);
#[diagnostic::do_not_recommend]
impl<P: Queueable> Queueable for PairsIn<P> {}

/// The shape of a request for which no shape has been chosen yet: [`Whole`] and [`WholeCounted`].
///
/// ```
/// use warpfold::{Cpu, Max, reduce};
///
/// let request = reduce::<Max, _>(&[1u32, 4, 3, 2]); // no shape yet
/// assert_eq!(request.columns(2).wait(Cpu)?, [3, 4]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a request has one shape, and this one has it already",
    label = "expects a request without a shape",
    note = "the shapes are `.in_order()`, `.segments(…)`, `.rows(…)`, `.columns(…)`, `.axis(…)` and `.by_key(…)`",
    note = "`.initial(…)`, `.total(…)` and `.and_total()` go with scans of the whole"
)]
pub trait Unshaped {}

holds!(Unshaped: Whole, WholeCounted);

/// The shape of a scan of the whole: [`Whole`], [`WholeCounted`] and [`WholeWith`].
///
/// ```
/// use warpfold::{Cpu, Sum, scan};
///
/// assert_eq!(scan::<Sum, _>(&[1u32, 2]).initial(10).wait(Cpu)?, [11, 13]); // the whole, so it has an initial value
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "this is said of scans of the whole only",
    label = "expects a scan without `.segments(…)`, `.rows(…)`, `.columns(…)`, `.axis(…)` and `.by_key(…)`",
    note = "scans of several groups begin each group with the identity, have no total, and write to `.to(&mut results)`"
)]
pub trait OfAll {}

holds!(OfAll: Whole, WholeCounted, WholeWith);

/// A shape whose rows may have a pitch: [`Rows`], [`Columns`] and [`Axis`].
///
/// ```
/// use warpfold::{Cpu, Sum, reduce};
///
/// // Rows of two items, three apart.
/// assert_eq!(reduce::<Sum, _>(&[1u32, 2, 0, 3, 4, 0]).rows(2).pitch(3).wait(Cpu)?, [3, 7]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a pitch is for rows, columns and an axis, and is said once",
    label = "needs `.rows(…)`, `.columns(…)` or `.axis(…)` before it",
    note = "segments may lie anywhere: their offsets say where"
)]
pub trait HasRows: Shape {}

holds!(HasRows: Rows, Columns, Axis);

/// A shape by keys: [`ByKey`] and [`ByKeyTo`].
///
/// ```
/// use warpfold::{Cpu, Equal, Sum, reduce};
///
/// let (mut keys, mut sums) = ([0u8; 2], [0u32; 2]);
/// let by_key = reduce::<Sum, _>(&[1u32, 2, 3]).by_key::<Equal, _>(&[7u8, 7, 9]);
/// assert_eq!(by_key.keys_to(&mut keys).to(&mut sums).wait(Cpu)?, 2);
/// assert_eq!((keys, sums), ([7, 9], [3, 3]));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "this is said of requests by key only",
    label = "needs `.by_key::<Equal, _>(&keys)` before it"
)]
pub trait HasKeys: Shape {
    /// The type of a key.
    type Key;
}

#[diagnostic::do_not_recommend]
impl<E, K> HasKeys for ByKey<E, K> {
    type Key = K;
}

#[diagnostic::do_not_recommend]
impl<E, K> HasKeys for ByKeyTo<E, K> {
    type Key = K;
}

/// A place for which a count of items or parts may be given in device memory: [`OnTheDevice`], alone or in [`PairsIn`].
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, reduce};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// let count = DeviceBuffer::from_slice(&[2u64])?;
/// assert_eq!(reduce::<Sum, _>(&items).count(&count).wait(&gpu)?, 3);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[diagnostic::on_unimplemented(
    message = "a count is taken for items in device memory",
    label = "expects `&items` of the device",
    note = "a slice of the host knows its length: `&items[..count]`"
)]
pub trait Counts: Place {}

holds!(Counts: OnTheDevice, PairsIn<OnTheDevice>);

/// A place for which indices, lengths, starts and counts can be written to outputs: [`OnTheDevice`], alone or in [`PairsIn`].
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, NonZero, select};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[0u32, 5, 0, 6])?;
/// let mut indices = DeviceBuffer::<u64>::zeroed(4)?;
/// assert_eq!(select::<NonZero, _>(&items).indices_to(&mut indices).wait(&gpu)?, 2);
/// assert_eq!(indices.as_host_vec()?[..2], [1, 3]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[diagnostic::on_unimplemented(
    message = "this output is for items in device memory",
    label = "of slices of the host, `wait` returns it",
    note = "`.indices()`, `.partition()`, `.lengths()` and `.starts()` say what `wait` returns"
)]
pub trait WritesOnDevice: Place {}

holds!(WritesOnDevice: OnTheDevice, PairsIn<OnTheDevice>);

/// A place for which `wait` can return indices, lengths, starts, and both parts of a partition: [`OnTheHost`], alone or in [`PairsIn`].
///
/// ```
/// use warpfold::{Cpu, NonZero, select};
///
/// assert_eq!(select::<NonZero, _>(&[0u32, 5, 0, 6]).indices().wait(Cpu)?, [1, 3]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "what is found in device memory is not returned",
    label = "expects slices of the host",
    note = "on the device say where it goes: `.to(…)`, `.rest_to(…)`, `.indices_to(…)`, `.lengths_to(…)`, `.starts_to(…)`"
)]
pub trait ReturnsToHost: Place {}

holds!(ReturnsToHost: OnTheHost, PairsIn<OnTheHost>);

/// Results that `wait` returns: so far, the request has neither an output nor a form of results such as `.indices()`.
///
/// ```
/// use warpfold::{Cpu, NonZero, select};
///
/// let parts = select::<NonZero, _>(&[0u32, 5, 0, 6]).partition().wait(Cpu)?;
/// assert_eq!(parts, (vec![5, 6], vec![0, 0]));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "what this request gives is said already",
    label = "expects a request whose results are returned",
    note = "of slices, `wait` gives one of: what is found, `.indices()`, `.partition()`, `.lengths()`, `.starts()`; with `.to(…)`, how many there are"
)]
pub trait ToReturn {}

holds!(ToReturn: Returned);

/// Results that can be written to outputs: so far, the request has no form of results such as `.indices()`.
///
/// ```
/// use warpfold::{Cpu, NonZero, select};
///
/// let (mut chosen, mut rest) = ([9u32; 4], [9u32; 4]);
/// let count = select::<NonZero, _>(&[0u32, 5, 0, 6]).to(&mut chosen).rest_to(&mut rest).wait(Cpu)?;
/// assert_eq!((count, chosen, rest), (2, [5, 6, 9, 9], [0, 0, 9, 9]));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "what this request returns is said already",
    label = "expects a request with outputs, or with neither",
    note = "either `wait` returns what is found, or it is written to outputs"
)]
pub trait ToWrite {}

holds!(ToWrite: Returned, Written);

/// A scan that can overwrite its items: [`Replaceable`].
///
/// ```
/// use warpfold::{Cpu, Sum, scan};
///
/// let mut items = [1u32, 2, 3];
/// scan::<Sum, _>(&mut items).in_place().wait(Cpu)?; // given as `&mut`
/// assert_eq!(items, [1, 3, 6]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "the items of this scan cannot be overwritten",
    label = "needs items that are given as `&mut`: `scan::<Sum, _>(&mut items).in_place()`",
    note = "the input of this scan was given as `&items`, or its results already go elsewhere"
)]
pub trait InPlace {}

holds!(InPlace: Replaceable);

/// A scan that does not overwrite its items.
///
/// ```
/// use warpfold::{Cpu, Sum, scan};
///
/// let mut sums = [0; 4];
/// scan::<Sum, _>(&[1u32, 2, 3, 4]).rows(2).to(&mut sums).wait(Cpu)?;
/// assert_eq!(sums, [1, 3, 3, 7]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "a scan of several groups is not done in place",
    label = "needs `.to(&mut results)` in place of `.in_place()`",
    note = "a block reads items beside its own"
)]
pub trait NotInPlace {}

holds!(NotInPlace: Returned, Replaceable, Written);

/// Results of a scan on which `.and_total()` can be called. After this call, `wait` returns the total, too.
///
/// ```
/// use warpfold::{Cpu, Sum, scan};
///
/// let (offsets, total) = scan::<Sum, _>(&[3u32, 1, 4]).exclusive().and_total().wait(Cpu)?;
/// assert_eq!((offsets, total), (vec![0, 3, 4], 8));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "the total is given already",
    label = "`.and_total()` is said once"
)]
pub trait WithTotal {
    /// The same results, and the total.
    type And;
}

impl WithTotal for Returned {
    type And = ReturnedWithTotal;
}

impl WithTotal for Replaceable {
    type And = ReturnedWithTotal;
}

impl WithTotal for Written {
    type And = WrittenWithTotal;
}

impl WithTotal for Replaced {
    type And = WrittenWithTotal;
}

/// Results of a scan that `.to(…)` can send to an output. If `wait` returns the total, it still does so after `.to(…)`.
///
/// ```
/// use warpfold::{Cpu, Sum, scan};
///
/// let mut offsets = [0; 3];
/// let total = scan::<Sum, _>(&[3u32, 1, 4]).exclusive().and_total().to(&mut offsets).wait(Cpu)?;
/// assert_eq!((offsets, total), ([0, 3, 4], 8));
/// # Ok::<(), warpfold::Error>(())
/// ```
pub trait Writable {
    /// The same results, written to an output.
    type Written;
}

macro_rules! writable {
    ($($results:ty => $written:ty,)*) => {$(
        impl Writable for $results {
            type Written = $written;
        }
    )*};
}

writable! {
    Returned => Written,
    Replaceable => Written,
    Replaced => Written,
    Written => Written,
    ReturnedWithTotal => WrittenWithTotal,
    WrittenWithTotal => WrittenWithTotal,
}

/// An order from the first item to the last: [`Inclusive`] and [`Exclusive`].
///
/// ```
/// use warpfold::{Cpu, Sum, scan};
///
/// assert_eq!(scan::<Sum, _>(&[1u32, 2, 3]).reversed().wait(Cpu)?, [6, 5, 3]); // forward until `.reversed()`
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "this scan goes from the last item to the first",
    label = "expects a scan without `.reversed()`",
    note = "`.reversed()` is said once; groups of GPUs scan forward"
)]
pub trait Forward: Order {}

holds!(Forward: Inclusive, Exclusive);

/// An inclusive order: each item is part of its own result.
///
/// ```
/// use warpfold::{Cpu, Sum, scan};
///
/// assert_eq!(scan::<Sum, _>(&[1u32, 2, 3]).exclusive().wait(Cpu)?, [0, 1, 3]); // inclusive until `.exclusive()`
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "this scan is exclusive already",
    label = "`.exclusive()` is said once"
)]
pub trait Includes {
    /// The same order, with each item left out of its own result.
    type Excluding;
}

#[diagnostic::do_not_recommend]
impl Includes for Inclusive {
    type Excluding = Exclusive;
}

#[diagnostic::do_not_recommend]
impl Includes for Reversed<Inclusive> {
    type Excluding = Reversed<Exclusive>;
}
