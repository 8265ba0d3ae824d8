//! What is measured, for one element type.

use anyhow::{Result, ensure};
use warpfold::cust::memory::{AsyncCopyDestination, CopyDestination, DeviceBuffer};
use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::{
    Gpu, Item, Kernel, Max, Sum, exclusive_scan_on, inclusive_scan_on, kind, reduce_into, reference,
};

use crate::timing::{Timing, time};

/// Element types that are measured: how their data are made.
pub trait Measured: Item + Default {
    /// An item from random bits. Sums of many stay finite.
    fn from_random(bits: u32) -> Self;
}

macro_rules! measured {
    ($($t:ident: $from:expr),*) => {$(
        impl Measured for $t {
            fn from_random(bits: u32) -> Self { $from(bits) }
        }
    )*};
}

measured!(
    f32: |bits| (bits >> 8) as f32 / (1 << 24) as f32,
    f64: |bits| f64::from(bits) / f64::from(u32::MAX),
    i32: |bits| bits as i32,
    u64: |bits| u64::from(bits) * 0x9e37_79b9
);

/// The random items that all sizes repeat: more than any cache line or page pattern.
const PERIOD: usize = 1 << 20;

/// The largest size whose result is compared with the reference, in items.
const CHECKED: usize = 1 << 24;

/// Measures all cases for items of type `T`, for each power of two.
pub fn measure<T: Measured>(gpu: &Gpu, sizes: &[u32]) -> Result<()>
where
    Sum:
        Kernel<kind::reduce, T> + Kernel<kind::inclusive_scan, T> + Kernel<kind::exclusive_scan, T>,
    Max: Kernel<kind::reduce, T>,
{
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let mut output = DeviceBuffer::from_slice(&[T::from_random(0)])?;
    for &size in sizes {
        let item_count = 1_usize << size;
        let items = items::<T>(item_count);
        let input = upload(&items, item_count)?;
        let mut scanned = upload(&items, item_count)?;
        let bytes = (item_count * size_of::<T>()) as f64;
        let row = |what: &str, bytes: f64, timing: Timing| {
            let Timing { median, least } = timing;
            let (name, rate) = (T::NAME, bytes / median / 1e3);
            println!("warpfold,{what},{name},{item_count},{median:.3},{least:.3},{rate:.1}");
        };
        let checked = (item_count <= CHECKED).then(|| repeated(&items, item_count));

        let timing = time(&stream, item_count, || {
            Ok(reduce_into::<Max, _>(gpu, &stream, &input, &mut output)?)
        })?;
        row("reduce_max", bytes, timing);
        let timing = time(&stream, item_count, || {
            Ok(reduce_into::<Sum, _>(gpu, &stream, &input, &mut output)?)
        })?;
        row("reduce_sum", bytes, timing);
        if let Some(items) = &checked {
            let sum = reference::reduce::<Sum, T>(items);
            ensure!(
                output.as_host_vec()? == [sum],
                "the sum of {item_count} is wrong"
            );
        }

        let timing = time(&stream, item_count, || {
            Ok(exclusive_scan_on::<Sum, _>(
                gpu,
                &stream,
                &input,
                &mut scanned,
            )?)
        })?;
        row("exclusive_sum", 2.0 * bytes, timing);
        let timing = time(&stream, item_count, || {
            Ok(inclusive_scan_on::<Sum, _>(
                gpu,
                &stream,
                &input,
                &mut scanned,
            )?)
        })?;
        row("inclusive_sum", 2.0 * bytes, timing);
        if let Some(items) = &checked {
            let expected = reference::inclusive_scan::<Sum, T>(items);
            ensure!(
                scanned.as_host_vec()? == expected,
                "the scan of {item_count} is wrong"
            );
        }

        let timing = time(&stream, item_count, || {
            // SAFETY: both buffers outlive the stream's work, which `time` waits for.
            Ok(unsafe { input.async_copy_to(&mut scanned, &stream) }?)
        })?;
        row("memcpy_d2d", 2.0 * bytes, timing);
    }
    Ok(())
}

/// Random items, the same in every run.
fn items<T: Measured>(item_count: usize) -> Vec<T> {
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        T::from_random((state >> 32) as u32)
    };
    (0..item_count.min(PERIOD)).map(|_| next()).collect()
}

/// `items` over and over, `item_count` in all.
fn repeated<T: Copy>(items: &[T], item_count: usize) -> Vec<T> {
    items.iter().copied().cycle().take(item_count).collect()
}

/// A device buffer of `items` over and over, `item_count` in all: a power of two, as is their number.
fn upload<T: Measured>(items: &[T], item_count: usize) -> Result<DeviceBuffer<T>> {
    // SAFETY: every item is written below before it is read.
    let buffer = unsafe { DeviceBuffer::uninitialized(item_count) }?;
    for part in 0..item_count / items.len() {
        let begin = part * items.len();
        buffer.index(begin..begin + items.len()).copy_from(items)?;
    }
    Ok(buffer)
}
