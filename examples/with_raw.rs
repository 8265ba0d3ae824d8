//! Device memory by raw addresses and a stream by its raw handle: for a program that calls the driver itself, or uses a binding that
//! the library does not know.
//!
//!     cargo run --example with_raw

use std::error::Error;
use std::ffi::{c_uint, c_void};
use std::io::{Write, stdout};
use std::marker::PhantomData;
use std::ptr;

use warpfold::{
    Cpu, Gpu, Item, NonZero, RawItems, RawItemsMut, RawStream, Sum, reduce, scan, select,
};

unsafe extern "C" {
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> i32;
    fn cuMemFree_v2(address: u64) -> i32;
    fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> i32;
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> i32;
    fn cuStreamCreate(stream: *mut *mut c_void, flags: c_uint) -> i32;
    fn cuStreamSynchronize(stream: *mut c_void) -> i32;
    fn cuStreamDestroy_v2(stream: *mut c_void) -> i32;
}

/// A driver call that failed.
#[derive(Debug, thiserror::Error)]
#[error("the driver answered {0}")]
struct Code(i32);

fn check(code: i32) -> Result<(), Code> {
    match code {
        0 => Ok(()),
        code => Err(Code(code)),
    }
}

/// Items in the device's memory.
struct Buffer<T> {
    address: u64,
    item_count: usize,
    items: PhantomData<T>,
}

impl<T: Item> Buffer<T> {
    fn new(items: &[T]) -> Result<Self, Code> {
        let mut address = 0;
        // SAFETY: the pointer is to a live local.
        check(unsafe { cuMemAlloc_v2(&mut address, size_of_val(items)) })?;
        let buffer = Self {
            address,
            item_count: items.len(),
            items: PhantomData,
        };
        // SAFETY: both allocations have this many bytes.
        check(unsafe { cuMemcpyHtoD_v2(address, items.as_ptr().cast(), size_of_val(items)) })?;
        Ok(buffer)
    }

    fn to_vec(&self) -> Result<Vec<T>, Code> {
        let mut items = vec![T::zeroed(); self.item_count];
        let bytes = size_of_val(&items[..]);
        // SAFETY: both allocations have this many bytes, and any bytes are items.
        check(unsafe { cuMemcpyDtoH_v2(items.as_mut_ptr().cast(), self.address, bytes) })?;
        Ok(items)
    }

    /// The memory as a request's input.
    fn items(&self) -> RawItems<'_, T> {
        // SAFETY: the allocation has `item_count` items and lives as long as the borrow; `cuMemFree` waits for queued work.
        unsafe { RawItems::from_raw(self.address, self.item_count) }
    }

    /// The memory as a request's output.
    fn items_mut(&mut self) -> RawItemsMut<'_, T> {
        // SAFETY: as above; the buffer is borrowed mutably, so the device may write the items.
        unsafe { RawItemsMut::from_raw(self.address, self.item_count) }
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        // SAFETY: the address came from `cuMemAlloc`, and is freed only here.
        let _ = unsafe { cuMemFree_v2(self.address) };
    }
}

struct Stream(*mut c_void);

impl Stream {
    /// A stream that is not ordered with the default stream.
    fn new() -> Result<Self, Code> {
        const NON_BLOCKING: c_uint = 1;
        let mut handle = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        check(unsafe { cuStreamCreate(&mut handle, NON_BLOCKING) })?;
        Ok(Self(handle))
    }

    fn raw(&self) -> RawStream<'_> {
        // SAFETY: the handle is the driver's, and lives as long as the borrow.
        unsafe { RawStream::from_raw(self.0) }
    }

    fn synchronize(&self) -> Result<(), Code> {
        // SAFETY: the stream is destroyed only when `self` is dropped.
        check(unsafe { cuStreamSynchronize(self.0) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream came from `cuStreamCreate`, and is destroyed only here.
        let _ = unsafe { cuStreamDestroy_v2(self.0) };
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::global()?;
    gpu.make_current()?; // for the program's own driver calls
    let items: Vec<u32> = (0..100_000_u32).map(|i| i % 7 * (i % 2)).collect();
    let x = Buffer::new(&items)?;

    // A waiting call returns its result.
    let total = reduce::<Sum, _>(&x.items()).wait(gpu)?;

    // Work on one stream runs in order: first the indices of the items that are not 0, then the running totals of all items.
    let stream = Stream::new()?;
    let mut indices = Buffer::new(&vec![0_u32; items.len()])?;
    let mut count = Buffer::new(&[0_u64])?;
    let mut sums = Buffer::new(&vec![0_u32; items.len()])?;
    select::<NonZero, _>(&x.items())
        .indices_to(&mut indices.items_mut())
        .count_to(&mut count.items_mut())
        .queue(gpu, &stream.raw())?;
    scan::<Sum, _>(&x.items())
        .to(&mut sums.items_mut())
        .queue(gpu, &stream.raw())?;
    stream.synchronize()?;

    // The same requests give the same bits on the CPU.
    assert_eq!(total, reduce::<Sum, _>(&items).wait(Cpu)?);
    assert_eq!(sums.to_vec()?, scan::<Sum, _>(&items).wait(Cpu)?);
    let chosen = select::<NonZero, _>(&items).indices().wait(Cpu)?;
    assert_eq!(count.to_vec()?, [chosen.len() as u64]);
    let indices = indices.to_vec()?.into_iter().map(|index| index as usize);
    assert!(indices.take(chosen.len()).eq(chosen));
    writeln!(stdout(), "the same bits on {} and on the host", gpu.name())?;
    Ok(())
}
