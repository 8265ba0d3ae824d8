//! Memory and streams of `cudarc`.
//!
//! `cudarc` keeps two events of each slice: one of the last read, and one of the last write. A stream that reads a slice waits for the last
//! write, and a stream that writes it waits for both. The event of a read or a write is recorded after the work, when a `SyncOnDrop` is
//! dropped. So the drop of a call's guard drops a `SyncOnDrop`. If `cudarc` does not know the call's stream, the call is ordered with the
//! slice's own stream instead: it runs after the stream's queued work, and before the stream's later work.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{
    CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop,
};

use super::{DeviceItems, DeviceItemsMut, DeviceStream, Lent, RawStream, User};

// SAFETY: a `CudaStream` holds a stream of the driver's. If the `CudaStream` created the stream, the stream is destroyed only when the
// `CudaStream` is dropped. Default streams are not destroyed. If the stream came from another library, the code that made the `CudaStream`
// has promised that the stream outlives the `CudaStream`.
unsafe impl DeviceStream for CudaStream {
    fn as_raw(&self) -> RawStream<'_> {
        // SAFETY: the handle is a stream of the driver's, which is not destroyed while `self` is borrowed: see above.
        unsafe { RawStream::from_raw(self.cu_stream().cast()) }.with_binding(self)
    }
}

// SAFETY: as above; the `Arc` keeps the `CudaStream` alive while the `Arc` is borrowed.
unsafe impl DeviceStream for Arc<CudaStream> {
    fn as_raw(&self) -> RawStream<'_> {
        (**self).as_raw()
    }
}

/// The user's stream, if it is a stream of `cudarc`'s.
fn known(user: User<'_>) -> Option<&CudaStream> {
    match user {
        User::Stream(stream) => stream.binding()?.downcast_ref(),
        User::WaitingCall => None,
    }
}

/// The guard of `cudarc`'s memory that is lent for writing. Its drop records the event of the last write.
pub struct WriteGuard<'a, T, S: DevicePtrMut<T>>(Writes<'a, T, S>);

enum Writes<'a, T, S: DevicePtrMut<T>> {
    /// The memory is used on a stream of `cudarc`'s.
    There { _recorded: SyncOnDrop<'a> },
    /// The memory is used on a stream that `cudarc` does not know. The event is recorded on the slice's own stream. `items` borrows the
    /// slice mutably, so the stream cannot be borrowed from the slice too. Instead, the `Arc` keeps the stream alive.
    OnOwn {
        items: &'a mut S,
        stream: Arc<CudaStream>,
        item: PhantomData<T>,
    },
}

impl<T, S: DevicePtrMut<T>> Drop for WriteGuard<'_, T, S> {
    fn drop(&mut self) {
        if let Writes::OnOwn { items, stream, .. } = &mut self.0 {
            let (_, recorded) = items.device_ptr_mut(stream);
            drop(recorded);
        }
    }
}

impl<T, S: DevicePtrMut<T>> fmt::Debug for WriteGuard<'_, T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WriteGuard")
    }
}

macro_rules! lends {
    ($($name:ty)*) => {$(
        // SAFETY: the items of a slice are in one allocation. `cudarc` frees the allocation after the slice's own stream has waited for the
        // events that the guard records. If `cudarc` records no events, one of two cases holds: the program has promised to order all uses
        // of its slices, or all of its `cudarc` streams are default streams, which wait for each other. The host reaches the items by
        // copies only, never by references.
        unsafe impl<T: Pod> DeviceItems for $name {
            type Item = T;
            type Guard<'a>
                = SyncOnDrop<'a>
            where
                Self: 'a;

            fn item_count(&self) -> usize {
                DeviceSlice::len(self)
            }

            fn lend<'a>(&'a self, to: User<'a>) -> Lent<'a, SyncOnDrop<'a>> {
                let (stream, ordered_with) = match known(to) {
                    Some(stream) => (stream, None),
                    None => {
                        let own: &CudaStream = DeviceSlice::stream(self);
                        (own, Some(own.as_raw()))
                    }
                };
                let (address, guard) = self.device_ptr(stream);
                Lent {
                    address,
                    ordered_with,
                    guard,
                }
            }
        }
    )*};
}

macro_rules! lends_mut {
    ($($name:ty)*) => {$(
        // SAFETY: the conditions of `DeviceItems` are met as above: the allocation is the same, and the guard records a use that writes.
        // The program may write a slice that it borrows mutably, and all memory of `cudarc`'s slices can be written.
        unsafe impl<T: Pod> DeviceItemsMut for $name {
            type GuardMut<'a>
                = WriteGuard<'a, T, Self>
            where
                Self: 'a;

            fn lend_mut<'a>(&'a mut self, to: User<'a>) -> Lent<'a, WriteGuard<'a, T, Self>> {
                if let Some(stream) = known(to) {
                    let (address, recorded) = self.device_ptr_mut(stream);
                    return Lent {
                        address,
                        ordered_with: None,
                        guard: WriteGuard(Writes::There { _recorded: recorded }),
                    };
                }
                let stream = Arc::clone(DeviceSlice::stream(self));
                // SAFETY: the handle is a stream of the driver's. The slice has an `Arc` of the stream. (If `self` is a view, this is the
                // slice that the view borrows from.) The slice is borrowed during `'a`, so the stream is not destroyed during `'a`.
                let own = unsafe { RawStream::from_raw(stream.cu_stream().cast()) };
                // The drop of `early` records the event here, before the work. The guard's drop records the event again, after the work.
                let (address, early) = self.device_ptr_mut(&stream);
                drop(early);
                let item = PhantomData;
                Lent {
                    address,
                    ordered_with: Some(own),
                    guard: WriteGuard(Writes::OnOwn { items: self, stream, item }),
                }
            }
        }
    )*};
}

lends!(CudaSlice<T> CudaView<'_, T> CudaViewMut<'_, T>);
lends_mut!(CudaSlice<T> CudaViewMut<'_, T>);
