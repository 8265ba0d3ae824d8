//! The building blocks for users' kernels give exactly the results that their documentation promises.

use own_operators::kernels::{
    SHARED_BYTES, atomics, blocks, folds, reversed, running_sums, strides, warps,
};
use warpfold::cust::launch;
use warpfold::cust::memory::{DeviceBuffer, DevicePointer};
use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::{Cpu, Gpu, OwnKernel, scan};

/// Runs a kernel and returns its results. If no number of blocks is given, the kernel runs as one block.
macro_rules! run {
    ($kernel:ident, $threads:literal, [$($argument:expr),*], $results:expr) => {
        run!($kernel, 1 x $threads, [$($argument),*], vec![u32::MAX; $results])
    };
    ($kernel:ident, $blocks:literal x $threads:literal, [$($argument:expr),*], $results:expr) => {{
        let gpu = Gpu::global().unwrap();
        let kernel: &OwnKernel = &$kernel;
        let module = kernel.load(gpu).unwrap();
        let function = module.get_function(kernel.name()).unwrap();
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
        let results = DeviceBuffer::from_slice(&$results).unwrap();
        // SAFETY: each use of this macro passes the kernel's parameters. Their buffers outlive the `synchronize` below, and hold the items
        // that the kernel reads. `$results` has an element for each result. `SHARED_BYTES` is enough for every kernel.
        unsafe {
            launch!(function<<<$blocks, $threads, SHARED_BYTES, stream>>>(
                $($argument,)* results.as_device_ptr()
            ))
        }
        .unwrap();
        stream.synchronize().unwrap();
        results.as_host_vec().unwrap()
    }};
}

fn upload(items: &[u32]) -> DeviceBuffer<u32> {
    Gpu::global().unwrap().make_current().unwrap();
    DeviceBuffer::from_slice(items).unwrap()
}

fn pointer(buffer: &DeviceBuffer<u32>) -> DevicePointer<u32> {
    buffer.as_device_ptr()
}

#[test]
fn a_thread_folds_items() {
    let items = upload(&[5, 6, 7, 8, 9]);
    assert_eq!(run!(folds, 4, [pointer(&items)], 4), [14; 4]);
}

#[test]
fn a_warp_exchanges_and_combines() {
    let found = run!(warps, 32, [], 6 * 32);
    let lanes: Vec<u32> = (0..32).collect();
    let row = |row: usize| &found[32 * row..][..32];
    let below: Vec<u32> = lanes.iter().map(|lane| lane.saturating_sub(1)).collect();
    let above: Vec<u32> = lanes.iter().map(|lane| (lane + 1).min(31)).collect();
    assert_eq!(row(0), below);
    assert_eq!(row(1), above);
    assert_eq!(row(2), [7; 32]);
    assert_eq!(row(3)[0], 496);
    assert_eq!(row(4), scan::<warpfold::Sum, _>(&lanes).wait(Cpu).unwrap());
    assert_eq!(
        row(5),
        scan::<warpfold::Sum, _>(&lanes)
            .exclusive()
            .wait(Cpu)
            .unwrap()
    );
    assert_eq!((row(4)[3], row(5)[3]), (6, 3));
}

#[test]
fn a_block_combines_and_broadcasts() {
    let found = run!(blocks, 256, [], 5 * 256);
    let threads: Vec<u32> = (0..256).collect();
    let row = |row: usize| &found[256 * row..][..256];
    assert_eq!(row(0)[0], 32_640);
    assert_eq!(
        row(1),
        scan::<warpfold::Sum, _>(&threads).wait(Cpu).unwrap()
    );
    assert_eq!(row(2), [32_640; 256]);
    assert_eq!(
        row(3),
        scan::<warpfold::Sum, _>(&threads)
            .exclusive()
            .wait(Cpu)
            .unwrap()
    );
    assert_eq!(row(4), [0; 256]);
    assert_eq!((row(1)[100], row(3)[100]), (5050, 4950));
}

#[test]
fn scratch_is_used_again_after_a_barrier() {
    let items: Vec<u32> = (0..1000).map(|i| i * i % 37).collect();
    let input = upload(&items);
    let found = run!(running_sums, 256, [pointer(&input), 1000u32], 1000);
    assert_eq!(found, scan::<warpfold::Sum, _>(&items).wait(Cpu).unwrap());
}

#[test]
fn lanes_exchange_values_through_shared_memory() {
    let lanes: Vec<u32> = (0..32).rev().collect();
    assert_eq!(run!(reversed, 32, [], 32), lanes);
}

#[test]
fn blocks_of_a_grid_share_words() {
    let items: Vec<u32> = (0..1000).map(|i| 7 + i * i % 37).collect();
    let input = upload(&items);
    let identities = [0, 0, u32::MAX, 0, 0];
    let found = run!(strides, 3 x 96, [pointer(&input), 1000u32], identities);
    let (max, min) = (items.iter().max().unwrap(), items.iter().min().unwrap());
    assert_eq!(found, [items.iter().sum(), *max, *min, 96, 3 * 96]);
}

#[test]
fn atomics_take_floats_and_signed_integers() {
    let floats: Vec<f32> = (0..64).map(|i| i as f32 - 20.5).collect();
    let integers: Vec<i32> = (0..64).map(|i| i - 100).collect();
    let sum = floats.iter().sum::<f32>().to_bits();
    let max = -37i32 as u32;
    Gpu::global().unwrap().make_current().unwrap();
    let floats = DeviceBuffer::from_slice(&floats).unwrap();
    let integers = DeviceBuffer::from_slice(&integers).unwrap();
    let arguments = (floats.as_device_ptr(), integers.as_device_ptr());
    let identities = [0, i32::MIN as u32, 0, 0];
    let found = run!(atomics, 1 x 64, [arguments.0, arguments.1], identities);
    assert_eq!(found, [sum, max, sum, max]);
}

#[test]
fn a_too_old_device_has_no_text() {
    assert!(folds.ptx((9, 0)).unwrap().contains(".target sm_90"));
    assert!(folds.ptx((7, 5)).unwrap().contains(".target sm_70"));
    assert_eq!(folds.ptx((6, 1)), None);
}
