//! Memory and streams of `cust`.

use bytemuck::Pod;
use cust::memory::{DeviceBuffer, DeviceCopy, DeviceSlice};
use cust::stream::Stream;

use super::{DeviceItems, DeviceItemsMut, DeviceStream, Lent, RawStream, User};

// SAFETY: a `Stream` owns its handle, and destroys it when it is dropped.
unsafe impl DeviceStream for Stream {
    fn as_raw(&self) -> RawStream<'_> {
        // SAFETY: the handle is the driver's, and lives as long as the borrow.
        unsafe { RawStream::from_raw(self.as_inner().cast()) }
    }
}

macro_rules! lends {
    ($($name:ident)*) => {$(
        // SAFETY: a slice has its items in one allocation, which is freed by `cuMemFree`, or on a stream in whose order the program
        // has to do it. Its items are reached by copies alone, never by references.
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

        // SAFETY: the conditions of `DeviceItems` are met as for that trait, by the same allocation. Whoever borrows
        // a slice mutably may write to it: `cust` copies to it in the same way.
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
