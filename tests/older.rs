//! Older devices. Their texts are made from the texts for compute capability 9.0. Kernels of every kind agree with the CPU, bit for bit.
//! Scans by key are tested here only with kernels that compare keys.
//!
//! A process chooses the architecture once, so each architecture has a process of its own. All devices are virtual. Of the architectures
//! that copy through registers, 7.5 has the least shared memory. No architecture that copies asynchronously has less shared memory than
//! 8.6. So these two are tested with more types than the others.

#[path = "common/child.rs"]
mod child;
mod common;
#[path = "common/data.rs"]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;

use child::in_child;
use common::gpu;
use data::{assert_same_bits, ordinary};
use warpfold::cust_half::{bf16, f16};
use warpfold::{
    ArgMax, Cpu, Dot, Equal, Flagged, Max, MinMax, Moments, NonZero, Statistics, Sum, WideSum,
    reduce, runs, scan, select,
};

/// Items for several tiles. The last tile is partial.
const ITEMS: usize = 70_001;

/// Columns of the matrix. Items after its last whole row are left out.
const COLUMNS: usize = 37;

/// Compares a request's results on the device and on the CPU.
macro_rules! same {
    ($what:expr, $request:expr) => {
        assert_same_bits(
            &$request.wait(gpu()).unwrap(),
            &$request.wait(Cpu).unwrap(),
            $what,
        )
    };
}

/// Checks a kernel of each kind, except reductions of two inputs, for these item types.
macro_rules! each_kind {
    ($($t:ident)*) => {$({
        let name = stringify!($t);
        let items = ordinary::<Sum, $t>(ITEMS);
        let matrix = &items[..ITEMS / COLUMNS * COLUMNS];
        let repeated: Vec<$t> = (0..ITEMS).map(|at| items[at / 5 % 9]).collect();
        let offsets: Vec<u32> = (0..=300u32).map(|at| at * at * 7 / 10).collect();
        let flags: Vec<u8> = (0..ITEMS).map(|at| u8::from(at % 3 == 1 || at / 999 == 4)).collect();
        let one = |what: &str, found: &[$t], expected: &[$t]| {
            assert_same_bits(found, expected, &format!("{name}: {what}"));
        };

        same!(name, reduce::<Sum, _>(&items).columns(1));
        same!(name, reduce::<Max, _>(&items).rows(1));
        let whole = [
            reduce::<Sum, _>(&items).wait(gpu()).unwrap(),
            reduce::<Max, _>(&items).wait(gpu()).unwrap(),
        ];
        let expected = [
            reduce::<Sum, _>(&items).wait(Cpu).unwrap(),
            reduce::<Max, _>(&items).wait(Cpu).unwrap(),
        ];
        one("reduce", &whole, &expected);
        let indices = [
            reduce::<ArgMax, _>(&items).wait(gpu()).unwrap(),
            reduce::<ArgMax, _>(&items[1..]).wait(gpu()).unwrap(),
        ];
        assert_eq!(indices[0], reduce::<ArgMax, _>(&items).wait(Cpu).unwrap());
        assert_eq!(indices[1], reduce::<ArgMax, _>(&items[1..]).wait(Cpu).unwrap());

        same!(name, scan::<Sum, _>(&items));
        same!(name, scan::<Max, _>(&items).exclusive());
        same!(name, scan::<Sum, _>(&items).reversed());
        same!(name, reduce::<Sum, _>(&items).segments(&offsets));
        same!(name, reduce::<Max, _>(&items).segments(&offsets));
        same!(name, scan::<Sum, _>(&items).segments(&offsets));
        same!(name, reduce::<Sum, _>(matrix).columns(COLUMNS));
        same!(name, reduce::<ArgMax, _>(matrix).columns(COLUMNS));
        same!(name, reduce::<ArgMax<u32>, _>(matrix).columns(COLUMNS));
        same!(name, scan::<Sum, _>(matrix).columns(COLUMNS));
        same!(name, scan::<Max, _>(matrix).columns(COLUMNS).exclusive().reversed());

        same!(name, select::<NonZero, _>(&items));
        same!(name, select::<Flagged, _>((&items, &flags)));
        let (chosen, rest) = select::<Flagged, _>((&items, &flags)).partition().wait(gpu()).unwrap();
        let (expected, others) = select::<Flagged, _>((&items, &flags)).partition().wait(Cpu).unwrap();
        one("chosen", &chosen, &expected);
        one("the rest", &rest, &others);
        let (firsts, lengths) = runs::<Equal, _>(&repeated).lengths().wait(gpu()).unwrap();
        let (expected, counts) = runs::<Equal, _>(&repeated).lengths().wait(Cpu).unwrap();
        one("the firsts of runs", &firsts, &expected);
        assert_eq!(lengths, counts, "{name}");
        let (keys, sums) = reduce::<Sum, _>(&items).by_key::<Equal, _>(&repeated).wait(gpu()).unwrap();
        let (expected, results) = reduce::<Sum, _>(&items).by_key::<Equal, _>(&repeated).wait(Cpu).unwrap();
        one("the keys", &keys, &expected);
        one("the sums of runs", &sums, &results);
        // Since there are only a few keys, of 4 bytes each, the launch that reduces or scans also compares them.
        let (few, keys) = (&items[..1000], Vec::from_iter((0..1000_u32).map(|at| at * at / 3000)));
        let (firsts, sums) = reduce::<Sum, _>(few).by_key::<Equal, _>(&keys).wait(gpu()).unwrap();
        let (expected, results) = reduce::<Sum, _>(few).by_key::<Equal, _>(&keys).wait(Cpu).unwrap();
        assert_eq!(firsts, expected, "{name}");
        one("the sums of few runs", &sums, &results);
        same!(name, scan::<Sum, _>(few).by_key::<Equal, _>(&keys));
    })*};
}

/// Checks reductions by `MinMax`, `Statistics`, `Moments` and `Dot`, and a scan with wider results.
macro_rules! others {
    ($($t:ident)*) => {$({
        let name = stringify!($t);
        let items = ordinary::<Sum, $t>(ITEMS);
        let matrix = &items[..ITEMS / COLUMNS * COLUMNS];
        same!(name, reduce::<MinMax, _>(matrix).columns(COLUMNS));
        same!(name, reduce::<Statistics, _>(matrix).rows(COLUMNS));
        same!(name, reduce::<Moments, _>(matrix).columns(COLUMNS));
        same!(name, scan::<WideSum, _>(&items));
        let moments = [reduce::<Moments, _>(&items).wait(gpu()).unwrap()];
        assert_same_bits(&moments, &[reduce::<Moments, _>(&items).wait(Cpu).unwrap()], name);
        let pairs = (&items[1..], &items[..ITEMS - 1]);
        let products = [reduce::<Dot, _>(pairs).wait(gpu()).unwrap()];
        assert_same_bits(&products, &[reduce::<Dot, _>(pairs).wait(Cpu).unwrap()], name);
    })*};
}

/// Runs checks on a device of this architecture.
fn on(architecture: &str, test: &str, checks: fn()) {
    let device = [
        ("VIRTUAL_GPU", "on"),
        ("VIRTUAL_GPU_SMS", "2"),
        ("VIRTUAL_GPU_ARCH", architecture),
    ];
    in_child(test, &device, || {
        let (major, minor) = gpu().compute_capability();
        assert_eq!(format!("sm_{major}{minor}"), architecture);
        checks();
    });
}

/// All checks of this file.
fn all_types() {
    each_kind!(u8 bf16 f16 f32 i32 f64 u64);
    others!(bf16 f16 f32);
}

/// One type of each size.
fn each_size() {
    each_kind!(u8 bf16 f32 f64);
    others!(bf16 f32);
}

#[test]
fn on_7_0() {
    on("sm_70", "on_7_0", each_size);
}

#[test]
fn on_7_5() {
    on("sm_75", "on_7_5", all_types);
}

#[test]
fn on_8_0() {
    on("sm_80", "on_8_0", each_size);
}

#[test]
fn on_8_6() {
    on("sm_86", "on_8_6", all_types);
}
