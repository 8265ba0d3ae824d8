//! Reductions and scans give the same bits under every policy of the virtual GPU, with several seeds, on devices of 1, 7 and 132
//! multiprocessors.
//!
//! The first seed of each policy runs with the default checks. The other seeds run only with the checks of memory accesses, which is many
//! times faster. More seeds:
//!
//! ```text
//! WARPFOLD_SEEDS=1000 cargo test --release --test schedules
//! ```
//!
//! A process chooses the number of multiprocessors once, so each device has its own process. All devices are virtual.

#[path = "common/child.rs"]
mod child;
#[path = "common/data.rs"]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "bits/edges.rs"]
#[allow(dead_code, reason = "used in part")]
mod edges;
#[path = "common/gpus.rs"]
mod gpus;
#[path = "bits/guarded.rs"]
mod guarded;
#[path = "common/schedule.rs"]
mod schedule;

use crate::device::Kernel;
use child::in_child;
use cust::memory::DeviceSlice;
use data::{assert_same_bits, ordinary};
use edges::Edges;
use gpus::gpu;
use guarded::Guarded;
use schedule::schedules;
use virtual_gpu::Checks;
use virtual_gpu::driver::run_with;
use warpfold::{Cpu, Equal, Gpu, Max, Op, Result, Sum, cust, kind};
use warpfold_kernels::contract::{reduce_tile_items, scan_tiles};

/// How many seeds each policy has, unless `WARPFOLD_SEEDS` is set.
const SEEDS: u64 = 3;

/// A call, to be made again and again.
type Case = Box<dyn Fn()>;

fn reduce<O: Kernel<kind::reduce, T>, T: Edges>(item_count: usize, offset: usize) -> Case {
    let items = ordinary::<O, T>(item_count);
    let expected = warpfold::reduce::<O, _>(&items).wait(Cpu).unwrap();
    let input = Guarded::input::<O>(&items, offset);
    Box::new(move || {
        let result = warpfold::reduce::<O, _>(&input.slice())
            .wait(gpu())
            .unwrap();
        assert_same_bits(&[result], &[expected], "reduction");
    })
}

/// A scan into another buffer.
type Scan<T> = fn(&Gpu, &DeviceSlice<T>, &mut DeviceSlice<T>) -> Result<()>;

fn scan<O: Op<T>, T: Edges>(
    scan: Scan<T>,
    reference: fn(&[T]) -> Vec<T>,
    item_count: usize,
    offset: usize,
) -> Case {
    let items = ordinary::<O, T>(item_count);
    let expected = reference(&items);
    let input = Guarded::input::<O>(&items, offset);
    Box::new(move || {
        let output = Guarded::output(items.len(), 0);
        scan(gpu(), &input.slice(), &mut output.slice()).unwrap();
        assert_same_bits(&output.checked(), &expected, "scan");
    })
}

fn scan_in_place<O: Op<T>, T: Edges>(
    scan: fn(&Gpu, &mut DeviceSlice<T>) -> Result<()>,
    reference: fn(&[T]) -> Vec<T>,
    item_count: usize,
) -> Case {
    let items = ordinary::<O, T>(item_count);
    let expected = reference(&items);
    Box::new(move || {
        let data = Guarded::input::<O>(&items, 0);
        scan(gpu(), &mut data.slice()).unwrap();
        assert_same_bits(&data.checked(), &expected, "scan in place");
    })
}

/// Keys in runs of these lengths, and their values. On a device with many multiprocessors, the launch that scans or reduces the runs also
/// finds them: its blocks compare the keys, and tell each other where runs begin.
fn by_key(lengths: &[usize]) -> (Vec<u32>, Vec<f32>) {
    let runs = lengths.iter().enumerate();
    let keys: Vec<u32> = runs
        .flat_map(|(run, &length)| std::iter::repeat_n(run as u32, length))
        .collect();
    let values = ordinary::<Sum, f32>(keys.len());
    (keys, values)
}

fn scan_by_key(lengths: &[usize]) -> Case {
    let (keys, values) = by_key(lengths);
    let expected = warpfold::scan::<Sum, _>(&values).by_key::<Equal, _>(&keys);
    let expected = expected.wait(Cpu).unwrap();
    Box::new(move || {
        let scanned = warpfold::scan::<Sum, _>(&values).by_key::<Equal, _>(&keys);
        assert_same_bits(&scanned.wait(gpu()).unwrap(), &expected, "scan by key");
    })
}

fn reduce_by_key(lengths: &[usize]) -> Case {
    let (keys, values) = by_key(lengths);
    let expected = warpfold::reduce::<Sum, _>(&values).by_key::<Equal, _>(&keys);
    let (firsts, sums) = expected.wait(Cpu).unwrap();
    Box::new(move || {
        let reduced = warpfold::reduce::<Sum, _>(&values).by_key::<Equal, _>(&keys);
        let (found_firsts, found_sums) = reduced.wait(gpu()).unwrap();
        assert_eq!(found_firsts, firsts);
        assert_same_bits(&found_sums, &sums, "reduction by key");
    })
}

fn cases() -> Vec<Case> {
    let long = [300, 1, 9000, 2, 5, 4096, 700, 4097, 130, 11_000, 3];
    let short: Vec<usize> = (0..900).map(|run| 1 + run * 7 % 23).collect();

    let reduced = reduce_tile_items::<f32>() as usize;
    let f32s = scan_tiles::<f32>().items(0) as usize;
    let f64s = scan_tiles::<f64>().items(0) as usize;
    vec![
        reduce::<Sum, f32>(40 * reduced - 3, 0),
        reduce::<Sum, f32>(3 * reduced + 1, 3),
        scan::<Sum, f32>(
            |gpu, input, output| warpfold::scan::<Sum, _>(input).to(output).wait(gpu),
            |items| warpfold::scan::<Sum, _>(items).wait(Cpu).unwrap(),
            // Two tile groups.
            34 * f32s - 5,
            0,
        ),
        scan::<Sum, f32>(
            |gpu, input, output| warpfold::scan::<Sum, _>(input).to(output).wait(gpu),
            |items| warpfold::scan::<Sum, _>(items).wait(Cpu).unwrap(),
            5 * f32s + 1,
            1,
        ),
        scan::<Max, f64>(
            |gpu, input, output| {
                warpfold::scan::<Max, _>(input)
                    .exclusive()
                    .to(output)
                    .wait(gpu)
            },
            |items| {
                warpfold::scan::<Max, _>(items)
                    .exclusive()
                    .wait(Cpu)
                    .unwrap()
            },
            9 * f64s + 77,
            0,
        ),
        scan_in_place::<Sum, u64>(
            |gpu, items| warpfold::scan::<Sum, _>(items).in_place().wait(gpu),
            |items| warpfold::scan::<Sum, _>(items).wait(Cpu).unwrap(),
            9 * f64s - 1,
        ),
        scan_by_key(&long),
        scan_by_key(&short),
        reduce_by_key(&long),
        reduce_by_key(&short),
    ]
}

fn assert_same_bits_under_every_schedule() {
    let cases = cases();
    for mut options in schedules(SEEDS) {
        if options.seed > 0 {
            options.checks = Checks::none();
        }
        run_with(options, || cases.iter().for_each(|case| case()));
    }
}

/// Makes a test for each virtual device: `name: multiprocessors, architecture`.
macro_rules! devices {
    ($($test:ident: $multiprocessors:literal, $architecture:literal;)*) => {$(
        #[test]
        fn $test() {
            let variables = [
                ("VIRTUAL_GPU", "on"),
                ("VIRTUAL_GPU_SMS", $multiprocessors),
                ("VIRTUAL_GPU_ARCH", $architecture),
            ];
            in_child(stringify!($test), &variables, assert_same_bits_under_every_schedule);
        }
    )*};
}

devices! {
    one_multiprocessor: "1", "sm_90";
    seven_multiprocessors: "7", "sm_70";
    as_many_multiprocessors_as_an_h100: "132", "sm_90";
}
