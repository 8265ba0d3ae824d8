//! Much memory: counts beyond 32 bits, chunks of several tiles, slices that do not fit on the device, and lack of memory. Some
//! tests need a real device. On the virtual GPU they print that they are skipped.
//!
//! One of these tests takes all free memory of a real device. So nothing else may use the GPU meanwhile, not even another test executable.
//! The `run.sh` of `cargo xtask bundle` therefore runs this executable alone.

#[path = "common/child.rs"]
mod child;
mod common;
#[path = "common/data.rs"]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "common/skip.rs"]
mod skip;

use std::sync::{Mutex, MutexGuard, PoisonError};

use child::in_child;
use common::{gpu, mode};
use cust::memory::{CopyDestination, DeviceBuffer};
use data::{Sample, assert_same_bits, ordinary};
use skip::skip;
use virtual_gpu::Mode;
use warpfold::{
    Cpu, Error, Gpu, Max, Min, Op, Sum, WideSum, cust, gpu_min, gpu_sum, gpu_wide_sum, reduce, scan,
};
use warpfold_kernels::contract::{REDUCE_MAX_CHUNKS, reduce_chunk_tiles, reduce_tile_items};

/// Each test holds this lock: there is not enough memory for two at a time.
fn alone() -> MutexGuard<'static, ()> {
    static MEMORY: Mutex<()> = Mutex::new(());
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The real device, if there is one with `needed_bytes` bytes free.
fn real_gpu(test: &str, needed_bytes: usize) -> Option<&'static Gpu> {
    let gpu = gpu();
    if mode() == Mode::Virtual {
        skip(test, "this is not a real device");
        return None;
    }
    let (free_bytes, _) = cust::memory::mem_get_info().unwrap();
    if free_bytes < needed_bytes {
        let reason = format!("{free_bytes} bytes are free and {needed_bytes} needed");
        skip(test, &reason);
        return None;
    }
    Some(gpu)
}

/// Sums and scans `2^32 + 5` ones. The scan's results are 1, 2, 3, …, and their sum is known. Everything wraps at 2³².
#[test]
fn more_items_than_32_bits_can_count() {
    let _memory = alone();
    const ITEMS: usize = (1 << 32) + 5;
    let Some(gpu) = real_gpu("more_items_than_32_bits_can_count", 4 * ITEMS + (1 << 30)) else {
        return;
    };
    // SAFETY: `set_32` writes all items before anything reads them.
    let mut items = unsafe { DeviceBuffer::<u32>::uninitialized(ITEMS) }.unwrap();
    items.set_32(1).unwrap();
    assert_eq!(reduce::<Sum, _>(&items).wait(gpu), Ok(5));
    assert_eq!(reduce::<Max, _>(&items).wait(gpu), Ok(1));

    scan::<Sum, _>(&mut items).in_place().wait(gpu).unwrap();
    const PIECE: usize = 1 << 26;
    let mut piece = vec![0u32; PIECE];
    for start in (0..ITEMS).step_by(PIECE) {
        let end = (start + PIECE).min(ITEMS);
        let piece = &mut piece[..end - start];
        items.index(start..end).copy_to(piece).unwrap();
        let wrong = (start..)
            .zip(&*piece)
            .find(|&(index, &item)| item != (index + 1) as u32);
        assert_eq!(wrong, None);
    }
    // 1 + 2 + … + (2³² + 5) = (2³² + 5)·(2³¹ + 3), which is 15 + 5·2³¹ modulo 2³².
    let sum = (5u64 << 31).wrapping_add(15) as u32;
    assert_eq!(reduce::<Sum, _>(&items).wait(gpu), Ok(sum));
}

#[test]
fn chunks_of_several_tiles() {
    let _memory = alone();
    let tiles = 2 * REDUCE_MAX_CHUNKS as usize + 1;
    let count = tiles * reduce_tile_items::<f64>() as usize - 17;
    assert_eq!(reduce_chunk_tiles::<f64>(count as u64), 4);
    let Some(gpu) = real_gpu("chunks_of_several_tiles", 1 << 30) else {
        return;
    };
    let items = ordinary::<Sum, f64>(count);
    let buffer = DeviceBuffer::from_slice(&items).unwrap();
    let sum = reduce::<Sum, _>(&buffer).wait(gpu).unwrap();
    assert_same_bits(
        &[sum],
        &[reduce::<Sum, _>(&items).wait(Cpu).unwrap()],
        "sum",
    );
    let mut data = buffer;
    scan::<Sum, _>(&mut data).in_place().wait(gpu).unwrap();
    let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
    assert_same_bits(&data.as_host_vec().unwrap(), &expected, "scan");
}

/// Each piece is one chunk, of 8 MiB: longer than the pieces of shorter slices.
#[test]
fn a_slice_whose_chunks_are_longer_than_pieces() {
    let _memory = alone();
    const ITEMS: usize = (16 << 30) + 1;
    assert_eq!(reduce_chunk_tiles::<u8>(ITEMS as u64), 256);
    if real_gpu("a_slice_whose_chunks_are_longer_than_pieces", 1 << 30).is_none() {
        return;
    }
    // Pages that are never written need no memory.
    let mut items = vec![0u8; ITEMS];
    let mut sum = 0;
    for index in (0..ITEMS).step_by((1 << 30) - 12_345).chain([ITEMS - 1]) {
        items[index] = 200 + (index % 50) as u8;
        sum += u64::from(items[index]);
    }
    assert_eq!(gpu_wide_sum(&items), Ok(sum));
    assert_eq!(gpu_min(&items), Ok(Some(0)));
}

/// Random items that do not fit on the device: `bytes` bytes in all.
fn too_many<T: Sample>(bytes: usize) -> Vec<T>
where
    Sum: Op<T>,
{
    let device_bytes = gpu().memory_bytes();
    assert!(device_bytes < bytes as u64, "{device_bytes}");
    ordinary::<Sum, T>(bytes / size_of::<T>())
}

#[test]
fn slices_larger_than_the_device() {
    let _memory = alone();
    let variables = [
        ("VIRTUAL_GPU", "on"),
        ("VIRTUAL_GPU_MEMORY", "14M"),
        ("VIRTUAL_GPU_CHECKS", "memory"),
    ];
    in_child("slices_larger_than_the_device", &variables, || {
        let items = too_many::<f32>((20 << 20) + 12);
        let expected = [reduce::<Sum, _>(&items).wait(Cpu).unwrap()];
        assert_same_bits(&[gpu_sum(&items).unwrap()], &expected, "sum");
        let expected = [reduce::<WideSum, _>(&items).wait(Cpu).unwrap()];
        assert_same_bits(&[gpu_wide_sum(&items).unwrap()], &expected, "wide sum");
        let items = too_many::<i16>((16 << 20) + 2);
        let expected = reduce::<Min, _>(&items).wait(Cpu).unwrap();
        assert_eq!(gpu_min(&items), Ok(Some(expected)));

        // A short scan, and a long one, which has other tiles.
        for bytes in [16 << 20, (17 << 20) + 8] {
            let items = too_many::<f64>(bytes);
            let scanned = scan::<Sum, _>(&items).wait(Gpu::global()).unwrap();
            let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
            assert_same_bits(&scanned, &expected, "inclusive");
        }
        let items = too_many::<i64>((16 << 20) + 8);
        let scanned = scan::<Max, _>(&items)
            .exclusive()
            .wait(Gpu::global())
            .unwrap();
        let expected = scan::<Max, _>(&items).exclusive().wait(Cpu).unwrap();
        assert_same_bits(&scanned, &expected, "exclusive");
    });
}

#[test]
fn too_little_memory_is_an_error_with_numbers() {
    let _memory = alone();
    let variables = [("VIRTUAL_GPU_MEMORY", "256M")];
    in_child(
        "too_little_memory_is_an_error_with_numbers",
        &variables,
        || {
            let _gpu = gpu();
            let items = vec![1u32; 16 << 20];
            // The failed allocation is a workspace, a piece of the slice, or the driver's memory for a stream.
            let may_be_asked = [128 << 10, 4 << 20];
            // Allocates all free memory in smaller and smaller pieces, until little is left.
            let mut taken = Vec::new();
            let mut piece = cust::memory::mem_get_info().unwrap().0;
            while piece >= 1 << 20 {
                // SAFETY: nothing reads the buffer.
                match unsafe { DeviceBuffer::<u8>::uninitialized(piece) } {
                    Ok(buffer) => taken.push(buffer),
                    Err(_) => piece /= 2,
                }
            }
            match gpu_sum(&items) {
                Err(Error::OutOfMemory {
                    asked_bytes: asked,
                    free_bytes: Some(free),
                }) => {
                    assert!(
                        asked.is_none_or(|asked| may_be_asked.contains(&asked)),
                        "{asked:?}"
                    );
                    assert!(free < 4 << 20, "{free}");
                }
                other => panic!("{other:?}"),
            }
            drop(taken);
            assert_eq!(gpu_sum(&items), Ok(16 << 20));
        },
    );
}
