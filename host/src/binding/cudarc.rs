//! Memory and streams of `cudarc`.
//!
//! `cudarc` records, for each slice, an event of its last read and one of its last write. To use a slice on a stream is to have the stream
//! wait for these, and to record one after the work: its `SyncOnDrop`, which is a call's guard here. On a stream that `cudarc` does not know, the
//! slice's own stream stands between: the call comes after it, and it after the call.

use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{
    CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop,
};

use super::{DeviceItems, DeviceItemsMut, DeviceStream, Lent, RawStream, User};

// SAFETY: a `CudaStream` owns its handle, and destroys it when it is dropped.
unsafe impl DeviceStream for CudaStream {
    fn as_raw(&self) -> RawStream<'_> {
        // SAFETY: the handle is the driver's, and lives as long as the borrow.
        unsafe { RawStream::from_raw(self.cu_stream().cast()) }.with_binding(self)
    }
}

// SAFETY: as above; the `Arc` keeps the stream.
unsafe impl DeviceStream for Arc<CudaStream> {
    fn as_raw(&self) -> RawStream<'_> {
        (**self).as_raw()
    }
}

/// The stream on which a slice is put in order, and whether it is another than the user's.
fn order<'a>(own: &'a CudaStream, user: User<'a>) -> (&'a CudaStream, Option<RawStream<'a>>) {
    let known = match user {
        User::Stream(stream) => stream.binding().and_then(|stream| stream.downcast_ref()),
        User::WaitingCall => None,
    };
    match known {
        Some(stream) => (stream, None),
        None => (own, Some(own.as_raw())),
    }
}

macro_rules! lends {
    ($($name:ty)*) => {$(
        // SAFETY: a slice has its items in one allocation. It is freed on its stream after the events that the guard records, or
        // synchronously. Its items are reached by copies alone, never by references.
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
                let (stream, ordered_with) = order(DeviceSlice::stream(self), to);
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
        // SAFETY: as above; the memory is the device's, and can be written.
        unsafe impl<T: Pod> DeviceItemsMut for $name {
            type GuardMut<'a>
                = SyncOnDrop<'a>
            where
                Self: 'a;

            fn lend_mut<'a>(&'a mut self, to: User<'a>) -> Lent<'a, SyncOnDrop<'a>> {
                // The stream is kept by what the slice is of, for as long.
                let own = Arc::as_ptr(DeviceSlice::stream(self));
                // SAFETY: the slice has a share of the stream, or borrows from one that has, during `'a`.
                let (stream, ordered_with) = order(unsafe { &*own }, to);
                let (address, guard) = self.device_ptr_mut(stream);
                Lent {
                    address,
                    ordered_with,
                    guard,
                }
            }
        }
    )*};
}

lends!(CudaSlice<T> CudaView<'_, T> CudaViewMut<'_, T>);
lends_mut!(CudaSlice<T> CudaViewMut<'_, T>);
