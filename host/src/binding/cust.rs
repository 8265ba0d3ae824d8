//! Memory and streams of `cust`.

use bytemuck::Pod;
use cust::memory::{DeviceBuffer, DeviceCopy, DeviceSlice};
use cust::stream::Stream;

use super::{DeviceItems, DeviceItemsMut, DeviceStream, Lent, RawStream, User};

// SAFETY: a `Stream` owns a stream of the driver's, and only the `Stream`'s drop destroys that stream.
unsafe impl DeviceStream for Stream {
    fn as_raw(&self) -> RawStream<'_> {
        // SAFETY: the handle is a stream of the driver's, which lives as long as `self`: see above. The result borrows `self`.
        unsafe { RawStream::from_raw(self.as_inner().cast()) }
    }
}

macro_rules! lends {
    ($($name:ident)*) => {$(
        // SAFETY: the items of a slice are in one allocation. It is freed by `cuMemFree`, which waits for the work, or by `drop_async` on a
        // stream that the program has to order after the work. The program must not use a copy of a `DeviceSlice` after the buffer is gone.
        // The host reaches the items by copies only, never by references.
        unsafe impl<T: Pod + DeviceCopy> DeviceItems for $name<T> {
            type Item = T;
            type Guard<'a>
                = ()
            where
                Self: 'a;

            fn item_count(&self) -> usize {
                self.len()
            }

            fn lend<'a>(&'a self, _: User<'a>) -> Lent<'a, ()> {
                Lent {
                    address: self.as_device_ptr().as_raw(),
                    ordered_with: None,
                    guard: (),
                }
            }
        }

        // SAFETY: the conditions of `DeviceItems` are met as above: the allocation is the same. A mutable borrow of a slice is enough to
        // write to the slice, as in `cust`'s own copies.
        unsafe impl<T: Pod + DeviceCopy> DeviceItemsMut for $name<T> {
            type GuardMut<'a>
                = ()
            where
                Self: 'a;

            fn lend_mut<'a>(&'a mut self, to: User<'a>) -> Lent<'a, ()> {
                self.lend(to)
            }
        }
    )*};
}

lends!(DeviceBuffer DeviceSlice);
