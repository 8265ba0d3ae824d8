//! What a request takes as memory: slices of the host, and device memory of any binding.
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

/// Where memory is: [`OnTheDevice`] or [`OnTheHost`]. [`PairsIn`] are two inputs of one place.
pub trait Place: sealed::Place {
    /// Where the other arguments are.
    type Side: Place;

    /// The shape `S` with a count. Of the host's memory it stays as it is: the compiler refuses the count, and nothing else.
    type Counted<S: Shape>;
}

/// The place `P`: all memory of a request is in one.
#[diagnostic::on_unimplemented(
    message = "all memory of a request is in one place: this is `{Self}`, and the items are `{P}`",
    label = "expected memory that is `{P}`",
    note = "slices are of the host; buffers of `cust` and `cudarc`, and `RawItems`, are of the device"
)]
pub trait Is<P>: Place {}

impl<P: Place> Is<P> for P {}

/// Device memory.
#[derive(Debug)]
pub enum OnTheDevice {}

/// A slice of the host.
#[derive(Debug)]
pub enum OnTheHost {}

/// Two inputs, item by item.
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

/// Results are returned, unless the request says where they go.
#[derive(Debug)]
pub enum Returned {}

/// As [`Returned`], of an input that may be overwritten.
#[derive(Debug)]
pub enum Replaceable {}

/// What a request reads: a slice of the host, device memory, or a pair of either.
///
/// | written | is |
/// |---|---|
/// | `&slice`, `&vec`, `&array` | items of the host |
/// | `&buffer` of a binding, `&items` ([`RawItems`](crate::RawItems)) | items in the device's memory |
/// | `&mut` of these | the same; a scan may replace them (`.in_place()`) |
/// | `(left, right)` | two inputs of equally many items: those of [`Dot`](crate::Dot), or items and flags |
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

/// Where a request writes: a slice of the host, or device memory, borrowed mutably.
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

/// What of the traits is the library's alone.
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
