//! Results of scans: integers are exact, and floats are within an error bound that holds for any order of the additions.

use std::fmt::Debug;

use cust::memory::{DeviceBuffer, DeviceSlice};
use virtual_gpu::driver::run_with;
use virtual_gpu::{Checks, Mode, RunOptions};
use warpfold::{Kernel, Max, Sum, cust, kind};
use warpfold_kernels::element::name;
use warpfold_ladder::{Kind, Placement, Plain, Rung};

use crate::common::mode;
use crate::data::{Sample, ordinary};
use crate::device::ladder;
use crate::right::{block_sizes, large};

/// The least sizes, sizes around the boundaries of a warp and of a block, and larger sizes. The slow rungs do without the largest size: the
/// quadratic rung and, on a real device, the sequential rung.
fn sizes(rung: Rung) -> Vec<usize> {
    let mut sizes = vec![0, 1, 2, 31, 32, 33, 255, 256, 257];
    if mode() == Mode::Real {
        sizes.extend([(1 << 14) + 1, (1 << 20) - 1]);
    }
    match (rung, mode()) {
        (Rung::QuadraticScan, _) => sizes.push(1025),
        (Rung::SequentialScan, Mode::Real) => {}
        (_, Mode::Real) => sizes.push((1 << 24) + 3),
        (_, Mode::Virtual) => sizes.push((1 << 12) + 1),
    }
    sizes
}

/// An operator for which the library has inclusive and exclusive scans.
trait Scans<T: Sample>:
    Plain<T> + Kernel<kind::inclusive_scan, T> + Kernel<kind::exclusive_scan, T>
{
}

impl<O, T: Sample> Scans<T> for O where
    O: Plain<T> + Kernel<kind::inclusive_scan, T> + Kernel<kind::exclusive_scan, T>
{
}

/// Checks that the distances of results from the exact results are bounded.
trait Bound: Sample + Default + PartialEq + Debug {
    fn check<O: Scans<Self>>(found: &[Self], items: &[Self], placement: Placement, what: &str);
}

/// Asserts that a scan agrees with a plain loop.
fn check_exactly<O: Scans<T>, T: Bound>(
    found: &[T],
    items: &[T],
    placement: Placement,
    what: &str,
) {
    let mut total = O::identity();
    for (index, (&found, &item)) in found.iter().zip(items).enumerate() {
        let before = total;
        total = O::combine(total, item);
        let expected = match placement {
            Placement::Inclusive => total,
            Placement::Exclusive => before,
        };
        assert_eq!(found, expected, "{what}: item {index}");
    }
}

macro_rules! exact {
    ($($t:ty),*) => {$(
        impl Bound for $t {
            fn check<O: Scans<Self>>(found: &[Self], items: &[Self], placement: Placement, what: &str) {
                check_exactly::<O, Self>(found, items, placement, what);
            }
        }
    )*};
}

exact!(u32, i32);

impl Bound for f32 {
    /// A maximum is exact. A sum of n items in any order is within n·u·Σ|x| of the exact sum.
    fn check<O: Scans<Self>>(found: &[Self], items: &[Self], placement: Placement, what: &str) {
        if name::<O>() == "Max" {
            return check_exactly::<O, Self>(found, items, placement, what);
        }
        let unit = f64::from(f32::EPSILON) / 2.0;
        let (mut exact, mut size) = (0.0, 0.0);
        for (index, (&found, &item)) in found.iter().zip(items).enumerate() {
            let before = (exact, size);
            exact += f64::from(item);
            size += f64::from(item).abs();
            let (exact, size) = match placement {
                Placement::Inclusive => (exact, size),
                Placement::Exclusive => before,
            };
            let bound = (index + 1) as f64 * unit * size;
            let error = (f64::from(found) - exact).abs();
            assert!(
                error <= bound,
                "{what}: item {index} is {found}, not {exact} ± {bound}"
            );
        }
    }
}

fn check<O: Scans<T>, T: Bound>(rung: Rung) {
    for count in sizes(rung) {
        // To save time, large inputs are scanned with every fourth block size only.
        let step = match (mode(), rung) {
            (Mode::Virtual, _) | (Mode::Real, Rung::QuadraticScan) if count > 1000 => 4,
            // On a real device, most of the time is the CPU's: the CPU checks every item of every scan.
            (Mode::Real, _) if count > 1 << 20 => 4,
            _ => 1,
        };
        let block_sizes: Vec<u32> = block_sizes(rung).into_iter().step_by(step).collect();
        for placement in Placement::ALL {
            check_count::<O, T>(rung, count, &block_sizes, placement);
        }
    }
}

fn check_count<O: Scans<T>, T: Bound>(
    rung: Rung,
    count: usize,
    block_sizes: &[u32],
    placement: Placement,
) {
    let items = ordinary::<O, T>(count);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let sentinel = T::default();
    for &block_size in block_sizes {
        let what = format!("{rung}, {placement}: {count} items, blocks of {block_size}");
        let mut output = DeviceBuffer::from_slice(&vec![sentinel; count + 1]).unwrap();
        ladder()
            .scan::<O, T>(rung, placement, &input, &mut output, block_size)
            .unwrap_or_else(|error| panic!("{what}: {error}"));
        let found = output.as_host_vec().unwrap();
        T::check::<O>(&found[..count], &items, placement, &what);
        assert_eq!(found[count], sentinel, "{what}: behind the output");
        assert_eq!(input.as_host_vec().unwrap(), items, "{what}: the input");
    }
}

/// Checks a scan of [`large`] items, without the virtual GPU's checks. Not called for the quadratic rung: on the virtual GPU, that rung
/// would need more than 8,000 million additions.
fn check_large(rung: Rung) {
    let unwatched = RunOptions {
        checks: Checks::none(),
        ..RunOptions::default()
    };
    let block_size = *block_sizes(rung).last().unwrap();
    run_with(unwatched, || {
        check_count::<Sum, u32>(rung, large(), &[block_size], Placement::Inclusive);
    });
}

fn check_all(rung: Rung) {
    ladder();
    if rung != Rung::QuadraticScan {
        check_large(rung);
    }
    check::<Sum, u32>(rung);
    check::<Sum, i32>(rung);
    check::<Sum, f32>(rung);
    check::<Max, u32>(rung);
    check::<Max, i32>(rung);
    check::<Max, f32>(rung);
}

macro_rules! rungs {
    ($($name:ident: $rung:ident;)*) => {
        $(#[test] fn $name() { check_all(Rung::$rung); })*

        #[test]
        fn every_scan_has_a_test() {
            let tested = [$(Rung::$rung),*];
            for rung in Rung::ALL {
                assert!(rung.kind() != Kind::Scan || tested.contains(rung), "{rung}");
            }
        }
    };
}

rungs! {
    sequential: SequentialScan;
    quadratic: QuadraticScan;
    kogge_stone: KoggeStone;
    double_buffered_kogge_stone: DoubleBufferedKoggeStone;
    brent_kung: BrentKung;
    ours: OurScan;
}

/// Checks the slow rungs at the size that [`sizes`] leaves out.
#[test]
#[ignore = "a real device needs half a minute, a virtual one days"]
fn slow_rungs_scan_16_million_items() {
    ladder();
    for rung in [Rung::SequentialScan, Rung::QuadraticScan] {
        let block_size = *block_sizes(rung).last().unwrap();
        for placement in Placement::ALL {
            check_count::<Sum, u32>(rung, (1 << 24) + 3, &[block_size], placement);
        }
    }
}

#[test]
fn scans_in_place_and_empty_scans() {
    ladder();
    let items = ordinary::<Sum, u32>(1000);
    for &rung in Rung::ALL {
        let Some(block_size) = rung.block_sizes().iter().last() else {
            continue;
        };
        if rung.kind() != Kind::Scan {
            continue;
        }
        for placement in Placement::ALL {
            let mut buffer = DeviceBuffer::from_slice(&items).unwrap();
            let same: DeviceSlice<u32> = *buffer;
            ladder()
                .scan::<Sum, _>(rung, placement, &same, &mut buffer, block_size)
                .unwrap();
            let found = buffer.as_host_vec().unwrap();
            u32::check::<Sum>(&found, &items, placement, "in place");
            let nothing = DeviceBuffer::from_slice(&[0u32; 0]).unwrap();
            let measured = ladder().scan_measured::<Sum, _>(
                rung,
                placement,
                &nothing,
                &mut buffer,
                block_size,
            );
            assert!(measured.unwrap().launches.is_empty(), "{rung}");
            assert_eq!(buffer.as_host_vec().unwrap(), found);
        }
    }
}
