//! Memory that is named by its address.

use std::marker::PhantomData;

use bytemuck::Pod;

use super::{DeviceItems, DeviceItemsMut, Lent, User};

/// Items in the device's memory, named by their address and borrowed for `'a`. Use this type for memory of a binding that the library does
/// not know.
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Max, RawItems, reduce};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let buffer = DeviceBuffer::from_slice(&[1.5f32, 2.5, 0.5])?;
/// // SAFETY: one allocation of three items, which outlives the request.
/// let items = unsafe { RawItems::<f32>::from_raw(buffer.as_device_ptr().as_raw(), 3) };
/// assert_eq!(reduce::<Max, _>(&items).wait(&gpu)?, 2.5);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RawItems<'a, T> {
    address: u64,
    item_count: usize,
    lifetime: PhantomData<&'a [T]>,
}

impl<T: Pod> RawItems<'_, T> {
    /// The items from this address on. A call that uses any of the items asks the driver which context and device the memory belongs to.
    /// The call refuses memory of another device or context, freed memory that was not allocated again, host memory that is not
    /// page-locked, and an address that is not aligned for `T`. A call that uses none of the items does not check the address.
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Gpu, RawItems, Sum, reduce};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let buffer = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
    /// // SAFETY: one allocation of three items, which outlives the request.
    /// let items = unsafe { RawItems::<u32>::from_raw(buffer.as_device_ptr().as_raw(), 3) };
    /// assert_eq!(reduce::<Sum, _>(&items).wait(&gpu)?, 6);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Safety
    ///
    /// - From `address` on there are `item_count` items in one allocation of device memory.
    /// - The allocation is not freed during `'a`, and not before the work that was queued during `'a` is done. (`cuMemFree` waits for the
    ///   work.)
    pub const unsafe fn from_raw(address: u64, item_count: usize) -> Self {
        Self {
            address,
            item_count,
            lifetime: PhantomData,
        }
    }
}

/// Items in the device's memory, named by their address, for reading and writing: see [`RawItems`].
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, RawItemsMut, Sum, scan};
///
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let buffer = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
/// // SAFETY: one allocation of three items, which outlives the request and which nobody else uses.
/// let mut items = unsafe { RawItemsMut::<u32>::from_raw(buffer.as_device_ptr().as_raw(), 3) };
/// scan::<Sum, _>(&mut items).in_place().wait(&gpu)?;
/// assert_eq!(buffer.as_host_vec()?, [1, 3, 6]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct RawItemsMut<'a, T> {
    address: u64,
    item_count: usize,
    lifetime: PhantomData<&'a mut [T]>,
}

impl<T: Pod> RawItemsMut<'_, T> {
    /// The items from this address on, with the checks of [`RawItems::from_raw`].
    ///
    /// ```
    /// # #[cfg(feature = "cust")]
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Gpu, RawItemsMut, Sum, scan};
    ///
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let (items, sums) = (DeviceBuffer::from_slice(&[1u32, 2, 3])?, DeviceBuffer::from_slice(&[0; 3])?);
    /// // SAFETY: one allocation of three items, which outlives the request and which nobody else uses.
    /// let mut output = unsafe { RawItemsMut::<u32>::from_raw(sums.as_device_ptr().as_raw(), 3) };
    /// scan::<Sum, _>(&items).to(&mut output).wait(&gpu)?;
    /// assert_eq!(sums.as_host_vec()?, [1, 3, 6]);
    /// # Ok(())
    /// # }
    /// # #[cfg(not(feature = "cust"))]
    /// # fn main() {}
    /// ```
    ///
    /// # Safety
    ///
    /// - The conditions of [`RawItems::from_raw`] hold.
    /// - The device may write the items during `'a`, and until all work that was queued during `'a` is done.
    pub const unsafe fn from_raw(address: u64, item_count: usize) -> Self {
        Self {
            address,
            item_count,
            lifetime: PhantomData,
        }
    }
}

macro_rules! lends {
    ($($name:ident)*) => {$(
        // SAFETY: by the conditions of `from_raw`, `item_count` items lie from `address` on, in one allocation that is not freed before the
        // work is done. The value holds no reference to the items, and returns none.
        unsafe impl<T: Pod> DeviceItems for $name<'_, T> {
            type Item = T;
            type Guard<'a>
                = ()
            where
                Self: 'a;

            fn item_count(&self) -> usize {
                self.item_count
            }

            fn lend<'a>(&'a self, _: User<'a>) -> Lent<'a, ()> {
                Lent {
                    address: self.address,
                    ordered_with: None,
                    guard: (),
                }
            }
        }
    )*};
}

lends!(RawItems RawItemsMut);

// SAFETY: the conditions of `DeviceItems` are met as above. The device may write the items: the second condition of
// `RawItemsMut::from_raw`.
unsafe impl<T: Pod> DeviceItemsMut for RawItemsMut<'_, T> {
    type GuardMut<'a>
        = ()
    where
        Self: 'a;

    fn lend_mut<'a>(&'a mut self, to: User<'a>) -> Lent<'a, ()> {
        self.lend(to)
    }
}
