//! The memory that a request takes: slices of the host, and device memory of any binding.
//!
//! ```
//! use warpfold::request::memory::Input;
//! use warpfold::{Cpu, Result, Sum, reduce, request::memory::OnTheHost};
//!
//! /// The sum of whatever a request takes as items of the host.
//! fn sum<'a>(items: impl Input<'a, Item = u32, Place = OnTheHost>) -> Result<u32> {
//!     reduce::<Sum, _>(items).wait(Cpu)
//! }
//! assert_eq!(sum(&[1, 2])? + sum(&vec![3])?, 6);
//! # Ok::<(), warpfold::Error>(())
//! ```

use bytemuck::{NoUninit, Pod};
use warpfold_kernels::op::Pair;

use super::shape::Shape;
use crate::arguments::{HostItems, Memory};
use crate::binding::{DeviceItems, DeviceItemsMut};
use crate::kernel::Type;

/// Where memory is: [`OnTheDevice`] or [`OnTheHost`]. [`PairsIn`] stands for two inputs in one place.
///
/// ```
/// use warpfold::request::{Runner, memory::Place};
/// use warpfold::{Cpu, Reduce, Result, Sum, reduce};
///
/// /// Ends a sum, wherever its items are.
/// fn end<'a, P: Place, Where>(sum: Reduce<'a, Sum, u32, P>, on: Where) -> Result<u32>
/// where
///     Where: Runner<Reduce<'a, Sum, u32, P>, Given = u32>,
/// {
///     sum.wait(on)
/// }
/// assert_eq!(end(reduce::<Sum, _>(&[1u32, 2]), Cpu)?, 3);
/// # Ok::<(), warpfold::Error>(())
/// ```
pub trait Place: sealed::Place {
    /// The place of outputs, offsets and other memory of the request: [`OnTheDevice`] or [`OnTheHost`].
    type Side: Place;

    /// The shape `S` with a count. Host memory takes no count, so this is `S` itself for host memory. Because of this, a call of
    /// `.count(…)` on a request with host memory causes a single error of the compiler: the count is refused.
    type Counted<S: Shape>;
}

/// Memory in the place `P`: all memory of a request is in one place.
///
/// ```
/// use warpfold::request::memory::{Input, Is, Place};
/// use warpfold::request::shape::Rows;
/// use warpfold::{Cpu, Reduce, Result, Sum, reduce};
///
/// /// Sums of segments, items and offsets in one place.
/// fn sums<'a, I, F>(items: I, offsets: F) -> Reduce<'a, Sum, u32, I::Place, warpfold::request::shape::Segments>
/// where
///     I: Input<'a, Item = u32, Place: warpfold::request::bounds::Single>,
///     F: Input<'a, Item = u32, Place: Is<I::Place>>,
/// {
///     reduce::<Sum, _>(items).segments(offsets)
/// }
/// assert_eq!(sums(&[1, 2, 3], &[0, 1, 3]).wait(Cpu)?, [1, 5]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "all memory of a request is in one place: this is `{Self}`, and the items are `{P}`",
    label = "expected memory that is `{P}`",
    note = "slices are of the host; buffers of `cust` and `cudarc`, and `RawItems`, are of the device"
)]
pub trait Is<P>: Place {}

impl<P: Place> Is<P> for P {}

/// Device memory.
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::request::memory::OnTheDevice;
/// use warpfold::{Gpu, Reduce, Sum, reduce};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// let sum: Reduce<'_, Sum, u32, OnTheDevice> = reduce(&items);
/// assert_eq!(sum.wait(&gpu)?, 6);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub enum OnTheDevice {}

/// A slice of the host.
///
/// ```
/// use warpfold::request::memory::OnTheHost;
/// use warpfold::{Cpu, Reduce, Sum, reduce};
///
/// let sum: Reduce<'_, Sum, u32, OnTheHost> = reduce(&[1, 2, 3]);
/// assert_eq!(sum.wait(Cpu)?, 6);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum OnTheHost {}

/// Two inputs in one place: the first and the second items of pairs, or items and their flags.
///
/// ```
/// use warpfold::request::memory::{OnTheHost, PairsIn};
/// use warpfold::{Cpu, Dot, Pair, Reduce, reduce};
///
/// let dot: Reduce<'_, Dot, Pair<f32, f32>, PairsIn<OnTheHost>> = reduce((&[1.0f32, 2.0], &[3.0f32, 4.0]));
/// assert_eq!(dot.wait(Cpu)?, 11.0);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum PairsIn<P> {
    #[doc(hidden)]
    Never(P),
}

impl Place for OnTheDevice {
    type Side = OnTheDevice;
    type Counted<S: Shape> = S::Counted;
}

impl Place for OnTheHost {
    type Side = OnTheHost;
    type Counted<S: Shape> = S;
}

impl<P: Place> Place for PairsIn<P> {
    type Side = P;
    type Counted<S: Shape> = P::Counted<S>;
}

/// Results are returned: the request has no output for them.
///
/// ```
/// use warpfold::request::{memory::{OnTheHost, Returned}, shape::{Inclusive, Whole}};
/// use warpfold::{Cpu, Scan, Sum, scan};
///
/// let sums: Scan<'_, Sum, u32, OnTheHost, Whole, Inclusive, Returned> = scan(&[1, 2, 3]);
/// assert_eq!(sums.wait(Cpu)?, [1, 3, 6]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Returned {}

/// As [`Returned`], for an input that may be overwritten.
///
/// ```
/// use warpfold::request::{memory::{OnTheHost, Replaceable}, shape::{Inclusive, Whole}};
/// use warpfold::{Cpu, Scan, Sum, scan};
///
/// let mut items = [1, 2, 3];
/// let sums: Scan<'_, Sum, u32, OnTheHost, Whole, Inclusive, Replaceable> = scan(&mut items);
/// sums.in_place().wait(Cpu)?;
/// assert_eq!(items, [1, 3, 6]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Debug)]
pub enum Replaceable {}

/// The input of a request: a slice of the host, device memory, or a tuple of two inputs in the same place.
///
/// | written | is |
/// |---|---|
/// | `&slice`, `&vec`, `&array` | items of the host |
/// | `&buffer` of a binding, `&items` ([`RawItems`](crate::RawItems)) | items in the device's memory |
/// | `&mut` of these | the same items; a scan may overwrite them (`.in_place()`) |
/// | `(left, right)` | two inputs of the same length: the two items of each pair, for operators like [`Dot`](crate::Dot), or items and flags |
///
/// Device memory has to be aligned for its items: see [`Error::Misaligned`](crate::Error::Misaligned).
///
/// ```
/// use warpfold::request::memory::{Input, OnTheHost};
/// use warpfold::{Cpu, Result, Sum, reduce};
///
/// /// The sum of whatever a request takes as items of the host.
/// fn sum<'a>(items: impl Input<'a, Item = u32, Place = OnTheHost>) -> Result<u32> {
///     reduce::<Sum, _>(items).wait(Cpu)
/// }
/// assert_eq!(sum(&[1, 2])? + sum(&vec![3])?, 6);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no input of a request",
    label = "expected `&items`: a reference to a slice of the host, or to device memory",
    note = "two inputs are a tuple of references: `(&left, &right)`",
    note = "for memory of another binding: `unsafe {{ warpfold::RawItems::from_raw(address, item_count) }}`"
)]
pub trait Input<'a>: sealed::Input<'a> {
    /// The type of an item.
    type Item;
    /// Where the items are.
    type Place: Place;
    /// Whether the items may be overwritten: [`Returned`] or [`Replaceable`].
    type Start;
}

/// An output of a request: a slice of the host, or device memory, borrowed mutably.
///
/// Device memory has to be aligned for its items. It must not overlap an input or another output. The only exception is a scan of the
/// whole, which is not divided into parts: its output may be its input, if each result overwrites its own item. See
/// [`Error::Overlap`](crate::Error::Overlap).
///
/// ```
/// use warpfold::request::memory::{OnTheHost, Output};
/// use warpfold::{Cpu, Result, Sum, scan};
///
/// /// Writes running totals to whatever takes results of the host.
/// fn sums<'a>(items: &'a [u32], to: impl Output<'a, Item = u32, Place = OnTheHost>) -> Result<()> {
///     scan::<Sum, _>(items).to(to).wait(Cpu)
/// }
/// let mut totals = vec![0; 3];
/// sums(&[1, 2, 3], &mut totals)?;
/// assert_eq!(totals, [1, 3, 6]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot take results",
    label = "expected `&mut results`: a mutable reference to a slice of the host, or to device memory",
    note = "for memory of another binding: `unsafe {{ warpfold::RawItemsMut::from_raw(address, item_count) }}`"
)]
pub trait Output<'a>: sealed::Output<'a> {
    /// The type of an item.
    type Item;
    /// Where the items are.
    type Place: Place;
}

/// The private parts of the traits.
pub(crate) mod sealed {
    use super::Memory;

    pub trait Place {}
    impl Place for super::OnTheDevice {}
    impl Place for super::OnTheHost {}
    impl<P: Place> Place for super::PairsIn<P> {}

    #[allow(private_interfaces)]
    pub trait Input<'a> {
        #[doc(hidden)]
        fn memories(self) -> (Memory<'a>, Option<Memory<'a>>);
    }

    #[allow(private_interfaces)]
    pub trait Output<'a> {
        #[doc(hidden)]
        fn memory(self) -> Memory<'a>;
    }
}

macro_rules! host_inputs {
    ($($reference:ty, [$($parameter:tt)*], $start:ident, $out:ident;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'a, T: Pod, $($parameter)*> Input<'a> for $reference {
            type Item = T;
            type Place = OnTheHost;
            type Start = $start;
        }

        #[allow(private_interfaces)]
        impl<'a, T: Pod, $($parameter)*> sealed::Input<'a> for $reference {
            fn memories(self) -> (Memory<'a>, Option<Memory<'a>>) {
                ($out(&self[..]), None)
            }
        }
    )*};
}

macro_rules! host_outputs {
    ($($reference:ty, [$($parameter:tt)*];)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'a, T: Pod, $($parameter)*> Input<'a> for $reference {
            type Item = T;
            type Place = OnTheHost;
            type Start = Replaceable;
        }

        #[allow(private_interfaces)]
        impl<'a, T: Pod, $($parameter)*> sealed::Input<'a> for $reference {
            fn memories(self) -> (Memory<'a>, Option<Memory<'a>>) {
                (written(&mut self[..]), None)
            }
        }

        #[diagnostic::do_not_recommend]

        impl<'a, T: Pod, $($parameter)*> Output<'a> for $reference {
            type Item = T;
            type Place = OnTheHost;
        }

        #[allow(private_interfaces)]
        impl<'a, T: Pod, $($parameter)*> sealed::Output<'a> for $reference {
            fn memory(self) -> Memory<'a> {
                written(&mut self[..])
            }
        }
    )*};
}

fn read<T: NoUninit>(items: &[T]) -> Memory<'_> {
    Memory::Host(items.into())
}

fn written<T: Pod>(items: &mut [T]) -> Memory<'_> {
    Memory::HostMut(HostItems {
        bytes: bytemuck::cast_slice_mut(items),
        item: Type::of::<T>(),
    })
}

host_inputs! {
    &'a [T], [], Returned, read;
    &'a Vec<T>, [], Returned, read;
    &'a [T; N], [const N: usize], Returned, read;
}

host_outputs! {
    &'a mut [T], [];
    &'a mut Vec<T>, [];
    &'a mut [T; N], [const N: usize];
}

impl<'a, M: DeviceItems> Input<'a> for &'a M {
    type Item = M::Item;
    type Place = OnTheDevice;
    type Start = Returned;
}

#[allow(private_interfaces)]
impl<'a, M: DeviceItems> sealed::Input<'a> for &'a M {
    fn memories(self) -> (Memory<'a>, Option<Memory<'a>>) {
        (Memory::Device(self), None)
    }
}

impl<'a, M: DeviceItemsMut> Input<'a> for &'a mut M {
    type Item = M::Item;
    type Place = OnTheDevice;
    type Start = Replaceable;
}

#[allow(private_interfaces)]
impl<'a, M: DeviceItemsMut> sealed::Input<'a> for &'a mut M {
    fn memories(self) -> (Memory<'a>, Option<Memory<'a>>) {
        (Memory::DeviceMut(self), None)
    }
}

impl<'a, M: DeviceItemsMut> Output<'a> for &'a mut M {
    type Item = M::Item;
    type Place = OnTheDevice;
}

#[allow(private_interfaces)]
impl<'a, M: DeviceItemsMut> sealed::Output<'a> for &'a mut M {
    fn memory(self) -> Memory<'a> {
        Memory::DeviceMut(self)
    }
}

impl<'a, A, B> Input<'a> for (A, B)
where
    A: Input<'a, Item: Copy>,
    B: Input<'a, Item: Copy, Place = A::Place>,
{
    type Item = Pair<A::Item, B::Item>;
    type Place = PairsIn<A::Place>;
    type Start = Returned;
}

#[allow(private_interfaces)]
impl<'a, A: Input<'a>, B: Input<'a>> sealed::Input<'a> for (A, B) {
    fn memories(self) -> (Memory<'a>, Option<Memory<'a>>) {
        (self.0.memories().0, Some(self.1.memories().0))
    }
}
