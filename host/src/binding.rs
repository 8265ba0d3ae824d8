//! Device memory and streams of any binding.
//!
//! A call takes memory and streams through three small traits. These types implement the traits:
//!
//! | | memory | streams |
//! |---|---|---|
//! | raw addresses and handles | [`RawItems`], [`RawItemsMut`] | [`RawStream`] |
//! | `cust` (feature `cust`) | `DeviceBuffer`, `DeviceSlice` | `Stream` |
//! | `cudarc` (feature `cudarc`) | `CudaSlice`, `CudaView`, `CudaViewMut` | `CudaStream`, also in an `Arc` |
//!
//! Other bindings can implement the traits for their types: [`DeviceItems`] has an example. For a single call, raw addresses are enough:
//!
//! ```
//! # #[cfg(feature = "cust")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use warpfold::cust::memory::DeviceBuffer;
//! use warpfold::{Gpu, RawItems, Sum, reduce};
//!
//! let gpu = Gpu::new()?;
//! # gpu.make_current()?;
//! # let buffer = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
//! # let address = buffer.as_device_ptr().as_raw();
//! // SAFETY: one allocation of three items at this address, which outlives the request.
//! let items = unsafe { RawItems::<u32>::from_raw(address, 3) };
//! assert_eq!(reduce::<Sum, _>(&items).wait(&gpu)?, 6);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "cust"))]
//! # fn main() {}
//! ```
//!
//! # What a call is ordered with
//!
//! A call that is queued on a stream runs in that stream's order. A waiting call on device memory runs after all work that is already
//! queued on the legacy default stream or on blocking streams. It also runs after the work that the memory's binding keeps track of. The
//! cases:
//!
//! | stream of the earlier work | a waiting call on raw memory or `cust`'s memory runs after the work | a waiting call on `cudarc`'s memory runs after the work |
//! |---|---|---|
//! | the legacy default stream (`NULL`) | yes | yes |
//! | a blocking stream (`CU_STREAM_DEFAULT`; all of `cust`'s) | yes | yes |
//! | the per-thread default stream | yes: it is a blocking stream | yes |
//! | a non-blocking stream (`CU_STREAM_NON_BLOCKING`; all streams that `cudarc` makes) | no: synchronise the stream first | yes, if the work used this memory |
//!
//! `cudarc` records events for each slice if [its event tracking] is on, as by default, and if the slice's context has a stream that
//! `cudarc` created. A call waits for the last write of a slice and, if the call writes the slice, also for the last read. When the call
//! has queued its work, or has waited for it, `cudarc` records one of the slice's events again. If the call writes the slice, this is the
//! event of the last write; otherwise it is the event of the last read. Later uses of the slice through `cudarc` wait for these events by
//! the same rule.
//!
//! [its event tracking]: https://docs.rs/cudarc/latest/cudarc/driver/safe/struct.CudaContext.html

#[cfg(feature = "cudarc")]
mod cudarc;
#[cfg(feature = "cust")]
mod cust;
mod raw;

use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::mem::needs_drop;

use bytemuck::Pod;

pub use raw::{RawItems, RawItemsMut};

use crate::driver::{Address, Stream};
use crate::kernel::Type;
use crate::launch::Span;

/// A CUDA stream, borrowed for `'a`.
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, RawStream, Sum, scan};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// let mut sums = DeviceBuffer::zeroed(3)?;
/// scan::<Sum, _>(&items).to(&mut sums).queue(&gpu, &RawStream::DEFAULT)?;
/// gpu.synchronize()?;
/// assert_eq!(sums.as_host_vec()?, [1, 3, 6]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy)]
pub struct RawStream<'a> {
    handle: *mut c_void,
    binding: Option<&'a dyn Any>,
    lifetime: PhantomData<&'a ()>,
}

impl<'a> RawStream<'a> {
    /// The legacy default stream.
    pub const DEFAULT: RawStream<'static> = RawStream {
        handle: std::ptr::null_mut(),
        binding: None,
        lifetime: PhantomData,
    };

    /// The stream with this handle, a `CUstream`.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Gpu, RawStream, Sum, scan};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// use warpfold::cust::stream::{Stream, StreamFlags};
    ///
    /// let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    /// // SAFETY: the handle is that of a stream, which is destroyed after the call's work.
    /// let raw = unsafe { RawStream::from_raw(stream.as_inner().cast()) };
    /// let mut items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
    /// scan::<Sum, _>(&mut items).in_place().queue(&gpu, &raw)?;
    /// stream.synchronize()?;
    /// assert_eq!(items.as_host_vec()?, [1, 3, 6]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Safety
    ///
    /// - The handle is a stream that the driver created, or one of the driver's special values for streams.
    /// - The stream is not destroyed during `'a`.
    pub const unsafe fn from_raw(handle: *mut c_void) -> Self {
        Self {
            handle,
            binding: None,
            lifetime: PhantomData,
        }
    }

    /// The same stream, with a value of its binding attached. When memory of that binding is lent, the binding reads the value by
    /// [`Self::binding`].
    ///
    /// ```
    /// use warpfold::RawStream;
    ///
    /// /// The other binding's record of its stream.
    /// struct Events(u32);
    ///
    /// let events = Events(3);
    /// let stream = RawStream::DEFAULT.with_binding(&events);
    /// let known = stream.binding().and_then(|known| known.downcast_ref::<Events>());
    /// assert_eq!(known.map(|events| events.0), Some(3));
    /// ```
    #[must_use]
    pub fn with_binding(self, binding: &'a dyn Any) -> Self {
        Self {
            binding: Some(binding),
            ..self
        }
    }

    /// The handle, a `CUstream`.
    ///
    /// ```
    /// assert!(warpfold::RawStream::DEFAULT.handle().is_null());
    /// ```
    pub fn handle(self) -> *mut c_void {
        self.handle
    }

    /// The value that [`Self::with_binding`] attached, if there is one.
    ///
    /// ```
    /// assert!(warpfold::RawStream::DEFAULT.binding().is_none());
    /// ```
    pub fn binding(self) -> Option<&'a dyn Any> {
        self.binding
    }

    pub(crate) fn as_driver(self) -> Stream<'a> {
        // SAFETY: the handle is a stream of the driver's that is not destroyed during `'a`: both conditions of `RawStream::from_raw`. The
        // legacy default stream of `DEFAULT` is never destroyed.
        unsafe { Stream::from_raw(self.handle) }
    }
}

impl fmt::Debug for RawStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RawStream").field(&self.handle).finish()
    }
}

/// A stream of some binding.
///
/// ```
/// use warpfold::{DeviceStream, RawStream};
///
/// /// The stream of another binding.
/// struct OtherStream(*mut std::ffi::c_void);
///
/// // SAFETY: the handle is that of a stream, which is destroyed when the value is dropped.
/// unsafe impl DeviceStream for OtherStream {
///     fn as_raw(&self) -> RawStream<'_> {
///         // SAFETY: the stream lives as long as `self`, which is borrowed.
///         unsafe { RawStream::from_raw(self.0) }
///     }
/// }
/// # let _ = OtherStream(std::ptr::null_mut()).as_raw();
/// ```
///
/// # Safety
///
/// [`Self::as_raw`] returns a stream of the driver's that is not destroyed while `self` is borrowed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stream that calls can be queued on",
    label = "expected a stream of `cust`, of `cudarc`, or a `RawStream`",
    note = "for a stream of another binding: `unsafe {{ warpfold::RawStream::from_raw(handle) }}`"
)]
pub unsafe trait DeviceStream {
    /// The stream.
    ///
    /// ```
    /// use warpfold::{DeviceStream, RawStream};
    ///
    /// assert!(RawStream::DEFAULT.as_raw().handle().is_null());
    /// ```
    fn as_raw(&self) -> RawStream<'_>;
}

// SAFETY: by both conditions of `RawStream::from_raw`, the stream is the driver's and is not destroyed during the `RawStream`'s lifetime.
// This lifetime outlives the borrow. The stream of `DEFAULT` is never destroyed.
unsafe impl DeviceStream for RawStream<'_> {
    fn as_raw(&self) -> RawStream<'_> {
        *self
    }
}

/// The user of lent memory: the argument of [`DeviceItems::lend`] and of [`DeviceItemsMut::lend_mut`].
///
/// ```
/// use warpfold::RawStream;
/// use warpfold::binding::User;
///
/// /// What a binding with events of its own does before it lends memory.
/// fn describe(user: User<'_>) -> &'static str {
///     match user {
///         User::Stream(_) => "makes that stream wait for the memory's events",
///         User::WaitingCall => "names the stream that the memory was last used on",
///     }
/// }
/// assert!(describe(User::Stream(RawStream::DEFAULT)).starts_with("makes"));
/// ```
#[derive(Debug, Clone, Copy)]
pub enum User<'a> {
    /// Work that is queued on this stream.
    Stream(RawStream<'a>),
    /// A call that runs on a stream of the library's own, and waits for its work.
    WaitingCall,
}

/// Memory that is lent to a call: the result of [`DeviceItems::lend`] and of [`DeviceItemsMut::lend_mut`].
///
/// ```
/// use warpfold::RawItems;
/// use warpfold::binding::{DeviceItems, User};
///
/// // SAFETY: there are no items.
/// let items = unsafe { RawItems::<u32>::from_raw(0, 0) };
/// let lent = items.lend(User::WaitingCall);
/// assert_eq!(lent.address, 0);
/// assert!(lent.ordered_with.is_none()); // raw memory keeps track of no stream
/// ```
#[derive(Debug)]
pub struct Lent<'a, G> {
    /// The address of the first item.
    pub address: u64,
    /// A stream that the call has to be ordered with: the call runs after the stream's queued work, and before its later work. If the
    /// memory has a stream, and the memory's binding does not know the user's stream, `ordered_with` is the memory's stream. `None` if no
    /// such order is needed.
    pub ordered_with: Option<RawStream<'a>>,
    /// A call that only queues drops the guard when the work is queued. A call that waits drops it when the work is done.
    pub guard: G,
}

/// Items in the device's memory, which a call reads.
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::binding::{DeviceItems, DeviceItemsMut, Lent, User};
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, scan};
///
/// /// Numbers in memory of another binding.
/// struct Numbers {
///     address: u64,
///     count: usize,
///     # _keep: DeviceBuffer<u32>,
/// }
///
/// // SAFETY: `count` numbers lie from `address` on, in one allocation. It is freed when the value is dropped, by a call that waits for
/// // queued work. The value gives nobody a reference to the numbers.
/// unsafe impl DeviceItems for Numbers {
///     type Item = u32;
///     type Guard<'a> = ();
///
///     fn item_count(&self) -> usize {
///         self.count
///     }
///
///     fn lend<'a>(&'a self, _: User<'a>) -> Lent<'a, ()> {
///         Lent { address: self.address, ordered_with: None, guard: () }
///     }
/// }
///
/// // SAFETY: as above, and the device may write the numbers.
/// unsafe impl DeviceItemsMut for Numbers {
///     type GuardMut<'a> = ();
///
///     fn lend_mut<'a>(&'a mut self, to: User<'a>) -> Lent<'a, ()> {
///         self.lend(to)
///     }
/// }
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// # let buffer = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// # let address = buffer.as_device_ptr().as_raw();
/// let mut numbers = Numbers {
///     address,
///     count: 3,
///     # _keep: buffer,
/// };
/// scan::<Sum, _>(&mut numbers).in_place().wait(&gpu)?;
/// # assert_eq!(numbers._keep.as_host_vec()?, [1, 3, 6]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
///
/// # Safety
///
/// While the result of [`Self::lend`] is alive, and until all work that was queued during that time is done:
///
/// - [`Self::item_count`] items of type `Item` begin at the address, in one allocation;
/// - the memory is not freed, or it is freed in a way that waits for the work, as `cuMemFree` does;
/// - `self` gives nobody a host reference to these items.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory",
    label = "expected device memory of `cust`, of `cudarc`, or `RawItems`",
    note = "for memory of another binding: `unsafe {{ warpfold::RawItems::from_raw(address, item_count) }}`"
)]
pub unsafe trait DeviceItems {
    /// The type of the items.
    type Item: Pod;

    /// A guard that lives as long as the memory is lent.
    type Guard<'a>
    where
        Self: 'a;

    /// The number of items.
    ///
    /// ```
    /// use warpfold::RawItems;
    /// use warpfold::binding::DeviceItems;
    ///
    /// // SAFETY: there are no items.
    /// let items = unsafe { RawItems::<u32>::from_raw(0, 0) };
    /// assert_eq!(items.item_count(), 0);
    /// ```
    fn item_count(&self) -> usize;

    /// Lends the items for reading.
    ///
    /// ```
    /// use warpfold::RawItems;
    /// use warpfold::binding::{DeviceItems, User};
    ///
    /// // SAFETY: there are no items.
    /// let items = unsafe { RawItems::<u32>::from_raw(0, 0) };
    /// assert_eq!(items.lend(User::WaitingCall).address, 0);
    /// ```
    fn lend<'a>(&'a self, to: User<'a>) -> Lent<'a, Self::Guard<'a>>;
}

/// Items in the device's memory, which a call may read and write. The example of [`DeviceItems`] shows how a binding implements this trait.
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::binding::DeviceItemsMut;
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Result, Sum, scan};
///
/// /// Replaces numbers by their running totals, whichever binding they are of.
/// fn sum_up(numbers: &mut impl DeviceItemsMut<Item = u32>, gpu: &Gpu) -> Result<()> {
///     scan::<Sum, _>(numbers).in_place().wait(gpu)
/// }
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let mut numbers = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// sum_up(&mut numbers, &gpu)?;
/// assert_eq!(numbers.as_host_vec()?, [1, 3, 6]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
///
/// # Safety
///
/// For the result of [`Self::lend_mut`]:
///
/// - the conditions of [`DeviceItems`] hold;
/// - the device may write the items.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory that can be written",
    label = "expected device memory of `cust`, of `cudarc`, or `RawItemsMut`",
    note = "for memory of another binding: `unsafe {{ warpfold::RawItemsMut::from_raw(address, item_count) }}`"
)]
pub unsafe trait DeviceItemsMut: DeviceItems {
    /// A guard that lives as long as the memory is lent.
    type GuardMut<'a>
    where
        Self: 'a;

    /// Lends the items for reading and writing.
    ///
    /// ```
    /// use warpfold::RawItemsMut;
    /// use warpfold::binding::{DeviceItemsMut, User};
    ///
    /// // SAFETY: there are no items.
    /// let mut items = unsafe { RawItemsMut::<u32>::from_raw(0, 0) };
    /// assert_eq!(items.lend_mut(User::WaitingCall).address, 0);
    /// ```
    fn lend_mut<'a>(&'a mut self, to: User<'a>) -> Lent<'a, Self::GuardMut<'a>>;
}

/// A guard of any type. A call only drops it.
pub(crate) trait Guard {}

impl<G> Guard for G {}

/// A span that is lent to a call.
pub(crate) struct LentSpan<'a> {
    pub span: Span,
    pub ordered_with: Option<RawStream<'a>>,
    /// `None` if the guard's drop does nothing, as with `cust`'s memory and raw memory.
    pub guard: Option<Box<dyn Guard + 'a>>,
}

impl<'a> LentSpan<'a> {
    fn new<T: 'static, G: 'a>(lent: Lent<'a, G>, item_count: usize) -> Self {
        Self {
            span: Span {
                address: lent.address as Address,
                item_count,
                item: Type::of::<T>(),
            },
            ordered_with: lent.ordered_with,
            guard: needs_drop::<G>().then(|| Box::new(lent.guard) as Box<dyn Guard + 'a>),
        }
    }
}

/// [`DeviceItems`] without associated types, so that a trait object can stand for memory of any binding and item type.
pub(crate) trait Lend {
    fn is_empty(&self) -> bool;
    fn lend_span<'a>(&'a self, to: User<'a>) -> LentSpan<'a>;
}

impl<M: DeviceItems> Lend for M {
    fn is_empty(&self) -> bool {
        self.item_count() == 0
    }

    fn lend_span<'a>(&'a self, to: User<'a>) -> LentSpan<'a> {
        LentSpan::new::<M::Item, _>(self.lend(to), self.item_count())
    }
}

/// [`DeviceItemsMut`] without associated types, so that a trait object can stand for memory of any binding and item type.
pub(crate) trait LendMut: Lend {
    fn lend_span_mut<'a>(&'a mut self, to: User<'a>) -> LentSpan<'a>;
}

impl<M: DeviceItemsMut> LendMut for M {
    fn lend_span_mut<'a>(&'a mut self, to: User<'a>) -> LentSpan<'a> {
        let item_count = self.item_count();
        LentSpan::new::<M::Item, _>(self.lend_mut(to), item_count)
    }
}
