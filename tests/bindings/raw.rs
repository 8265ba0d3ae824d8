//! Raw addresses and handles, as in a program that calls the driver itself.

use std::ffi::{c_uint, c_void};
use std::ptr;

use warpfold::bytemuck::cast_slice_mut;
use warpfold::{DeviceItems, RawItemsMut, RawStream, User};

use super::Plain;
use super::common::gpu;
use super::suite::Binding;

unsafe extern "C" {
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> i32;
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> i32;
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> i32;
    fn cuStreamCreate(stream: *mut *mut c_void, flags: c_uint) -> i32;
    fn cuStreamSynchronize(stream: *mut c_void) -> i32;
}

#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Legacy,
    PerThread,
    Blocking,
    NonBlocking,
}

/// Memory from the driver, and streams of one kind. Neither is freed before the program ends.
pub struct Raw(Kind);

impl Raw {
    pub fn new(kind: Kind) -> Self {
        gpu();
        Self(kind)
    }
}

impl Binding for Raw {
    type Items<T: Plain> = RawItemsMut<'static, T>;
    type Stream = RawStream<'static>;

    fn upload<T: Plain>(&self, items: &[T]) -> RawItemsMut<'static, T> {
        let mut address = 0;
        // SAFETY: the pointer is to a live local.
        let code = unsafe { cuMemAlloc_v2(&mut address, size_of_val(items)) };
        assert_eq!(code, 0);
        // SAFETY: `items` and the allocation both have `size_of_val(items)` bytes.
        let code = unsafe { cuMemcpyHtoD_v2(address, items.as_ptr().cast(), size_of_val(items)) };
        assert_eq!(code, 0);
        // SAFETY: the allocation has `items.len()` items, is never freed, and nothing else uses it.
        unsafe { RawItemsMut::from_raw(address, items.len()) }
    }

    fn download<T: Plain>(&self, items: &RawItemsMut<'static, T>) -> Vec<T> {
        let mut found = vec![T::zeroed(); items.item_count()];
        let from = items.lend(User::WaitingCall).address;
        let bytes: &mut [u8] = cast_slice_mut(&mut found);
        // SAFETY: `found` and the allocation both have `item_count` items, which are `bytes.len()` bytes.
        let code = unsafe { cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), from, bytes.len()) };
        assert_eq!(code, 0);
        found
    }

    fn stream(&self) -> RawStream<'static> {
        let flags = match self.0 {
            Kind::Legacy => return RawStream::DEFAULT,
            Kind::PerThread => {
                // SAFETY: the handle is `CU_STREAM_PER_THREAD`, and that stream is never destroyed.
                return unsafe { RawStream::from_raw(ptr::without_provenance_mut(2)) };
            }
            Kind::Blocking => 0,
            Kind::NonBlocking => 1,
        };
        let mut stream = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        assert_eq!(unsafe { cuStreamCreate(&mut stream, flags) }, 0);
        // SAFETY: `cuStreamCreate` made the stream just now, and it is never destroyed.
        unsafe { RawStream::from_raw(stream) }
    }

    fn synchronize(&self, stream: &RawStream<'static>) {
        assert_eq!(finish(stream), 0);
    }
}

/// Waits for a stream's queued work, and returns the driver's code.
pub fn finish(stream: &RawStream<'static>) -> i32 {
    // SAFETY: the stream is never destroyed.
    unsafe { cuStreamSynchronize(stream.handle()) }
}
