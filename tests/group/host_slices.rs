//! Slices of the host, over all GPUs of the machine.

use crate::device::Kernel;
use warpfold::group::Gpus;
use warpfold::{Cpu, Max, Min, Product, Sum, WideSum, kind, reduce, scan};

use crate::data::{Sample, assert_same_bits, ordinary};
use crate::ranks::on_four_devices;
use crate::sweep::is_sweep;

fn reduces<O: Kernel<kind::reduce, T>, T: Sample>(gpus: &Gpus, item_count: usize) {
    let items = ordinary::<O, T>(item_count);
    let found = reduce::<O, _>(&items).wait(gpus).unwrap();
    let expected = reduce::<O, _>(&items).wait(Cpu).unwrap();
    assert_same_bits(
        &[found],
        &[expected],
        &format!("{item_count} of {}", std::any::type_name::<T>()),
    );
}

#[test]
fn reductions_have_the_bits_of_one_gpu() {
    on_four_devices("host_slices::reductions_have_the_bits_of_one_gpu", || {
        let gpus = Gpus::all().unwrap();
        for item_count in [0, 1, 5_000, (1 << 21) + 1, 3_000_001] {
            reduces::<Sum, f32>(&gpus, item_count);
        }
        reduces::<WideSum, f32>(&gpus, 2_500_003);
        reduces::<Product, f64>(&gpus, 1_250_000);
        reduces::<Max, i8>(&gpus, (8 << 20) + 12_345);
    });
}

macro_rules! scans {
    ($name:ident $(, $exclusive:ident)?) => {
        fn $name<O: Kernel<kind::$name, T>, T: Sample>(gpus: &Gpus, item_count: usize)
        where
            O::Output: Sample,
        {
            let items = ordinary::<O, T>(item_count);
            let found = scan::<O, _>(&items)$(.$exclusive())?.wait(gpus).unwrap();
            let expected = scan::<O, _>(&items)$(.$exclusive())?.wait(Cpu).unwrap();
            let what = format!("{item_count} of {}", std::any::type_name::<T>());
            assert_same_bits(&found, &expected, &what);
        }
    };
}

scans!(inclusive_scan);
scans!(exclusive_scan, exclusive);

#[test]
fn scans_have_the_bits_of_one_gpu() {
    on_four_devices("host_slices::scans_have_the_bits_of_one_gpu", || {
        let gpus = Gpus::all().unwrap();
        for item_count in [0, 1, 5_000] {
            inclusive_scan::<Sum, f32>(&gpus, item_count);
        }
        exclusive_scan::<Sum, f32>(&gpus, 3_000_001);
        if is_sweep() {
            // The second of these scans has the tiles of long scans. The first and the third scan have the tiles of short scans.
            inclusive_scan::<Sum, f32>(&gpus, (1 << 21) + 1);
            inclusive_scan::<Sum, f64>(&gpus, (2 << 20) + 777);
            exclusive_scan::<Max, i8>(&gpus, (8 << 20) + 12_345);
        }
    });
}

#[test]
fn every_operator_reduces_over_all_gpus() {
    on_four_devices("host_slices::every_operator_reduces_over_all_gpus", || {
        let gpus = &Gpus::all().unwrap();
        let items: Vec<i64> = (1..=1_200_000).map(|item| item % 1000 - 300).collect();
        assert_eq!(
            reduce::<Sum, _>(&items).wait(gpus),
            Ok(items.iter().sum::<i64>())
        );
        assert_eq!(reduce::<Min, _>(&items).wait(gpus), Ok(-300));
        assert_eq!(reduce::<Max, _>(&items).wait(gpus), Ok(699));
        assert_eq!(reduce::<Product, _>(&[3i64, -7]).wait(gpus), Ok(-21));
        assert_eq!(reduce::<WideSum, _>(&[200u8, 100]).wait(gpus), Ok(300));
        assert_eq!(reduce::<Min, _>(&[0i64; 0]).wait(gpus), Ok(i64::MAX));
        assert!(!gpus.as_slice().is_empty());
    });
}
