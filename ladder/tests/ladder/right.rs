//! Results of reductions: integers are exact, and floats are within an error bound that holds for any order of the additions.

use std::fmt::Debug;

use cust::memory::DeviceBuffer;
use virtual_gpu::driver::run_with;
use virtual_gpu::{Checks, Mode, RunOptions};
use warpfold::{Kernel, Max, Sum, cust, kind};
use warpfold_kernels::element::name;
use warpfold_ladder::{Error, Kind, Plain, Refusal, Rung};

use crate::common::mode;
use crate::data::{Sample, ordinary};
use crate::device::ladder;

/// The number of items of a large input on a real device.
const LARGE: usize = (1 << 20) - 1;

/// The number of items of a large input: on the virtual GPU, few enough for a quick run without checks.
pub fn large() -> usize {
    match mode() {
        Mode::Real => LARGE,
        Mode::Virtual => (1 << 17) - 1,
    }
}

/// A number of items that fills several blocks of any size, with one item for each thread.
fn several_blocks() -> usize {
    match mode() {
        Mode::Real => (1 << 14) + 1,
        Mode::Virtual => (1 << 12) + 1,
    }
}

/// The least sizes, sizes around the boundaries of a warp and of a block, and larger sizes.
fn sizes() -> Vec<usize> {
    let mut sizes = vec![0, 1, 2, 31, 32, 33, 255, 256, 257, (1 << 14) + 1];
    if mode() == Mode::Real {
        sizes.extend([LARGE, (1 << 24) + 3]);
    }
    sizes
}

/// Checks that the distance of a result from the exact result is bounded.
trait Bound: Sample + Default + PartialEq + Debug {
    fn check<O: Kernel<kind::reduce, Self> + Plain<Self>>(found: Self, items: &[Self], what: &str);
}

macro_rules! exact {
    ($($t:ty),*) => {$(
        impl Bound for $t {
            fn check<O: Kernel<kind::reduce, Self> + Plain<Self>>(found: Self, items: &[Self], what: &str) {
                let exact = items.iter().fold(O::identity(), |a, &b| O::combine(a, b));
                assert_eq!(found, exact, "{what}");
            }
        }
    )*};
}

exact!(u32, i32);

impl Bound for f32 {
    /// A maximum is exact. A sum of n items in any order is within (n − 1)·u·Σ|x| of the exact sum.
    fn check<O: Kernel<kind::reduce, Self> + Plain<Self>>(found: Self, items: &[Self], what: &str) {
        if name::<O>() == "Max" {
            let exact = items.iter().fold(O::identity(), |a, &b| O::combine(a, b));
            return assert_eq!(found, exact, "{what}");
        }
        let exact: f64 = items.iter().copied().map(f64::from).sum();
        let size: f64 = items.iter().map(|&item| f64::from(item).abs()).sum();
        let unit = f64::from(f32::EPSILON) / 2.0;
        let bound = items.len() as f64 * unit * size;
        let error = (f64::from(found) - exact).abs();
        assert!(error <= bound, "{what}: {found}, not {exact} ± {bound}");
    }
}

/// The block sizes to test. All block sizes if the rung has few. Otherwise the first and the last size, sizes near the size of a warp, and
/// a few others.
pub fn block_sizes(rung: Rung) -> Vec<u32> {
    let all: Vec<u32> = rung.block_sizes().iter().collect();
    let (first, last) = (all[0], all[all.len() - 1]);
    let interesting = [first, 31, 33, 100, 257, 1000, last];
    match all.len() {
        ..12 => all,
        _ => all
            .into_iter()
            .filter(|size| interesting.contains(size))
            .collect(),
    }
}

fn check<O: Kernel<kind::reduce, T> + Plain<T>, T: Bound>(
    rung: Rung,
    count: usize,
    block_sizes: &[u32],
) {
    let items = ordinary::<O, T>(count);
    let buffer = DeviceBuffer::from_slice(&items).unwrap();
    for &block_size in block_sizes {
        let what = format!("{rung}: {count} items, blocks of {block_size}");
        match ladder().reduce::<O, T>(rung, &buffer, block_size) {
            Ok(found) => T::check::<O>(found, &items, &what),
            Err(Error::Refused(Refusal::DeviceRuntimeNotFound { .. })) if mode() == Mode::Real => {
                return eprintln!("{rung}: no device runtime on this machine");
            }
            Err(error) => panic!("{what}: {error}"),
        }
        assert_eq!(buffer.as_host_vec().unwrap(), items, "{what}: the input");
    }
}

/// Checks every number of items in [`sizes`] with blocks of 256 threads, and a few numbers of items with each block size in
/// [`block_sizes`].
fn check_all(rung: Rung) {
    ladder();
    let unwatched = RunOptions {
        checks: Checks::none(),
        ..RunOptions::default()
    };
    run_with(unwatched, || check::<Sum, u32>(rung, large(), &[256]));
    for count in sizes() {
        check::<Sum, u32>(rung, count, &[256]);
        check::<Max, f32>(rung, count, &[256]);
    }
    for count in [33, several_blocks()] {
        check::<Sum, f32>(rung, count, &block_sizes(rung));
    }
    for count in [1, 257] {
        check::<Sum, i32>(rung, count, &[256]);
        check::<Max, u32>(rung, count, &[256]);
        check::<Max, i32>(rung, count, &[256]);
    }
}

macro_rules! rungs {
    ($($name:ident: $rung:ident;)*) => {
        $(#[test] fn $name() { check_all(Rung::$rung); })*

        #[test]
        fn every_rung_has_a_test() {
            let tested = [$(Rung::$rung),*];
            for rung in Rung::ALL {
                assert!(rung.kind() != Kind::Reduction || tested.contains(rung), "{rung}");
            }
        }
    };
}

rungs! {
    halving: Halving;
    grid_stride: GridStride;
    shared_tree: SharedTree;
    any_size_tree: AnySizeTree;
    warp_sync_tree: WarpSyncTree;
    divergent_neighbours: DivergentNeighbours;
    packed_neighbours: PackedNeighbours;
    packed_interleaved: PackedInterleaved;
    global_atomics: GlobalAtomics;
    shared_atomics: SharedAtomics;
    atomic_tree: AtomicTree;
    last_warp_unrolled: LastWarpUnrolled;
    constant_tree: ConstantTree;
    first_at_load: FirstAtLoad;
    half_grid: HalfGrid;
    half_threads: HalfThreads;
    exclusive_cases: ExclusiveCases;
    without_indices: WithoutIndices;
    neighboured_pair: NeighbouredPair;
    neighboured_packed: NeighbouredPacked;
    interleaved_pair: InterleavedPair;
    unrolled_2: Unrolled2;
    unrolled_4: Unrolled4;
    unrolled_8: Unrolled8;
    unrolled_8_last_warp: Unrolled8LastWarp;
    unrolled_8_completely: Unrolled8Completely;
    unrolled_8_constant: Unrolled8Constant;
    recursive_waiting: RecursiveWaiting;
    recursive: Recursive;
    recursive_one_launcher: RecursiveOneLauncher;
    ours: Ours;
}
