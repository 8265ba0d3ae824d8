//! Much memory: counts past 32 bits, chunks of several tiles, and running out. The first two need a real device; on the
//! virtual one they say that they are skipped.

#[path = "common/child.rs"]
mod child;
mod common;
#[path = "common/data.rs"]
mod data;

use std::sync::{Mutex, MutexGuard, PoisonError};

use child::in_child;
use common::{gpu, mode};
use cust::memory::{CopyDestination, DeviceBuffer};
use data::{assert_same_bits, ordinary};
use virtual_gpu::Mode;
use warpfold::{Error, Gpu, Max, Sum, cust, gpu_sum, inclusive_scan_in_place, reduce, reference};
use warpfold_kernels::contract::{REDUCE_MAX_CHUNKS, reduce_chunk_tiles, reduce_tile_items};

/// Held by each test: there is not memory enough for two at a time.
fn alone() -> MutexGuard<'static, ()> {
    static MEMORY: Mutex<()> = Mutex::new(());
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The real device, if there is one with so many bytes free.
fn real_gpu(test: &str, needed_bytes: usize) -> Option<&'static Gpu> {
    let gpu = gpu();
    if mode() == Mode::Virtual {
        eprintln!("{test}: skipped, this is not a real device");
        return None;
    }
    let (free_bytes, _) = cust::memory::mem_get_info().unwrap();
    if free_bytes < needed_bytes {
        eprintln!("{test}: skipped, {free_bytes} bytes are free and {needed_bytes} needed");
        return None;
    }
    Some(gpu)
}

/// `2^32 + 5` items: all ones, scanned to 1, 2, 3, …, whose sum is known. Both wrap at 2³².
#[test]
fn more_items_than_32_bits_count() {
    let _memory = alone();
    const ITEMS: usize = (1 << 32) + 5;
    let Some(gpu) = real_gpu("more_items_than_32_bits_count", 4 * ITEMS + (1 << 30)) else {
        return;
    };
    // SAFETY: written before it is read.
    let mut items = unsafe { DeviceBuffer::<u32>::uninitialized(ITEMS) }.unwrap();
    items.set_32(1).unwrap();
    assert_eq!(reduce::<Sum, _>(gpu, &items), Ok(5));
    assert_eq!(reduce::<Max, _>(gpu, &items), Ok(1));

    inclusive_scan_in_place::<Sum, _>(gpu, &mut items).unwrap();
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
    // 1 + 2 + … + (2³² + 5) = (2³² + 5)·(2³¹ + 3), and that is 15 + 5·2³¹ with multiples of 2³² left out.
    let sum = (5u64 << 31).wrapping_add(15) as u32;
    assert_eq!(reduce::<Sum, _>(gpu, &items), Ok(sum));
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
    let sum = reduce::<Sum, _>(gpu, &buffer).unwrap();
    assert_same_bits(&[sum], &[reference::reduce::<Sum, _>(&items)], "sum");
    let mut data = buffer;
    inclusive_scan_in_place::<Sum, _>(gpu, &mut data).unwrap();
    let expected = reference::inclusive_scan::<Sum, _>(&items);
    assert_same_bits(&data.as_host_vec().unwrap(), &expected, "scan");
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
            let asked_bytes = 4 * items.len() as u64;
            // Takes what there is, in smaller and smaller pieces, until little is left.
            let mut taken = Vec::new();
            let mut piece = cust::memory::mem_get_info().unwrap().0;
            while piece >= 16 << 20 {
                // SAFETY: nothing reads what is in it.
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
                    assert_eq!(asked, asked_bytes);
                    assert!(free < asked_bytes, "{free}");
                }
                other => panic!("{other:?}"),
            }
            drop(taken);
            assert_eq!(gpu_sum(&items), Ok(16 << 20));
        },
    );
}
