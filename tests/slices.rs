//! Slices of the host of one piece and of several: the bits are those of the reference.

#[path = "common/data.rs"]
mod data;

use data::{Sample, assert_same_bits, ordinary};
use warpfold::{
    Error, Kernel, Max, Sum, WideSum, gpu_exclusive_scan, gpu_exclusive_scan_into,
    gpu_inclusive_scan, gpu_inclusive_scan_into, gpu_max, gpu_sum, kind, reference,
};

/// Items of a piece, in bytes.
const PIECE_BYTES: usize = 4 << 20;

/// Numbers of items about the ends of pieces.
fn counts<T>() -> [usize; 5] {
    let piece = PIECE_BYTES / size_of::<T>();
    [1, 1000, piece, piece + 1, 2 * piece + piece / 2 - 3]
}

fn sums_are_the_references<T: Sample>()
where
    Sum: Kernel<kind::reduce, T, Output = T>,
    Max: Kernel<kind::reduce, T, Output = T>,
{
    for count in counts::<T>() {
        let items = ordinary::<Sum, T>(count);
        let expected = [reference::reduce::<Sum, _>(&items)];
        assert_same_bits(&[gpu_sum(&items).unwrap()], &expected, "sum");
        let expected = [reference::reduce::<Max, _>(&items)];
        assert_same_bits(&[gpu_max(&items).unwrap().unwrap()], &expected, "maximum");
    }
}

#[test]
fn sums_of_floats() {
    sums_are_the_references::<f32>();
}

#[test]
fn sums_of_long_integers() {
    sums_are_the_references::<u64>();
}

#[test]
fn scans() {
    let [_, few, _, two_pieces, _] = counts::<f64>();
    for count in [few, two_pieces] {
        let items = ordinary::<Sum, f64>(count);
        let inclusive = gpu_inclusive_scan::<Sum, _>(&items).unwrap();
        let expected = reference::inclusive_scan::<Sum, _>(&items);
        assert_same_bits(&inclusive, &expected, "inclusive");
        let exclusive = gpu_exclusive_scan::<Sum, _>(&items).unwrap();
        let expected = reference::exclusive_scan::<Sum, _>(&items);
        assert_same_bits(&exclusive, &expected, "exclusive");
    }
}

#[test]
fn scans_into_a_slice_of_the_callers() {
    let [_, few, _, two_pieces, _] = counts::<i64>();
    for count in [0, few, two_pieces] {
        let items = ordinary::<Sum, i64>(count);
        let mut results = vec![7; count + 3];
        gpu_inclusive_scan_into::<Sum, _>(&items, &mut results).unwrap();
        let expected = reference::inclusive_scan::<Sum, _>(&items);
        assert_same_bits(&results, &[expected, vec![7; 3]].concat(), "inclusive");
        gpu_exclusive_scan_into::<Sum, _>(&items, &mut results[..count]).unwrap();
        let expected = reference::exclusive_scan::<Sum, _>(&items);
        assert_same_bits(&results[..count], &expected, "exclusive");
    }
    // Results of another type than the items.
    let mut results = [0u64; 3];
    gpu_exclusive_scan_into::<WideSum, _>(&[200u8, 100, 50], &mut results).unwrap();
    assert_eq!(results, [0, 200, 300]);
}

#[test]
fn a_slice_that_is_too_short_stays() {
    let mut results = [7, 7];
    let refused = gpu_inclusive_scan_into::<Sum, _>(&[1, 2, 3], &mut results);
    let (offered_items, needed_items) = (2, 3);
    let expected = Error::OutputTooShort {
        offered_items,
        needed_items,
    };
    assert_eq!(refused, Err(expected));
    assert_eq!(results, [7, 7]);
}

#[test]
fn threads_at_once() {
    let items = &ordinary::<Sum, f32>(PIECE_BYTES / 4 + 77);
    let expected = reference::reduce::<Sum, _>(items);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(move || {
                for _ in 0..2 {
                    assert_same_bits(&[gpu_sum(items).unwrap()], &[expected], "sum");
                }
            });
        }
    });
}
