//! Calls on slices of the host, beside plain copies of page-locked memory and beside copies by `cust`.

use anyhow::{Result, ensure};
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::{Gpu, Sum, gpu_sum, reduce, scan};

use super::pinned::{Direction, Pinned};
use super::{median, micros, rate, row};

/// Numbers of items of the short slices.
const SHORT: [usize; 4] = [1, 1 << 10, 1 << 16, 1 << 20];

/// MiB of the long slices. The sizes below the requested size are measured, and then the requested size. A scan copies its input to the
/// device and its results back. Its rate counts only the bytes of the input.
const LONG_MIB: [usize; 4] = [16, 64, 256, 1024];

/// The number of runs with the long slices.
const RUNS: u32 = 7;

pub fn measure(slice_mib: usize) -> Result<()> {
    let gpu = Gpu::global()?;
    for item_count in SHORT {
        let items = vec![1.0f32; item_count];
        let sum = median(50, || {
            gpu_sum(&items)?;
            Ok(())
        })?;
        row("gpu_sum", format!("{item_count} items"), micros(sum), "us");
        let cust = median(50, || {
            let device = DeviceBuffer::from_slice(&items)?;
            reduce::<Sum, _>(&device).wait(gpu)?;
            Ok(())
        })?;
        row(
            "cust_copy_and_reduce",
            format!("{item_count} items"),
            micros(cust),
            "us",
        );
    }

    let shorter = LONG_MIB.into_iter().filter(|&mib| mib < slice_mib);
    shorter
        .chain([slice_mib])
        .try_for_each(|mib| long(gpu, mib << 20))
}

fn long(gpu: &Gpu, bytes: usize) -> Result<()> {
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let items = vec![1u32; bytes / 4];
    let of = format!("{} MiB", bytes >> 20);
    {
        let device = DeviceBuffer::from_slice(&items)?;
        let mut pinned = Pinned::new(bytes.min(256 << 20))?;
        for (what, direction) in [
            ("pinned_copy_to_device", Direction::ToDevice),
            ("pinned_copy_to_host", Direction::ToHost),
        ] {
            let took = median(RUNS, || pinned.copy(direction, &device, &stream))?;
            row(what, &of, rate(pinned.bytes().len(), took), "GB/s");
        }
        let mut device = device;
        let took = median(RUNS, || Ok(device.copy_from(&items[..])?))?;
        row("cust_copy_to_device", &of, rate(bytes, took), "GB/s");
        let took = median(RUNS, || {
            device.copy_from(&items[..])?;
            reduce::<Sum, _>(&device).wait(gpu)?;
            Ok(())
        })?;
        row("cust_copy_and_reduce", &of, rate(bytes, took), "GB/s");
    }
    ensure!(gpu_sum(&items)? == items.len() as u32, "the sum is wrong");
    let took = median(RUNS, || {
        gpu_sum(&items)?;
        Ok(())
    })?;
    row("gpu_sum", &of, rate(bytes, took), "GB/s");
    let took = median(RUNS, || {
        scan::<Sum, _>(&items).wait(Gpu::global())?;
        Ok(())
    })?;
    row("scan", &of, rate(bytes, took), "GB/s");
    Ok(())
}
