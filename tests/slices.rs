//! Host slices of one piece and of several: results have the same bits as those of the reference.

#[path = "common/data.rs"]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;

use crate::device::Kernel;
use data::{Sample, assert_same_bits, ordinary};
use warpfold::{Cpu, Equal, Error, Gpu, Max, Sum, WideSum, gpu_max, gpu_sum, kind, reduce, scan};

/// The longest piece has this many bytes, unless a chunk is longer.
const PIECE_BYTES: usize = 4 << 20;

/// Numbers of items: 1; 1,000; as many as the longest piece has; one more than that; and almost two and a half times as many as the longest
/// piece has.
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
        let expected = [reduce::<Sum, _>(&items).wait(Cpu).unwrap()];
        assert_same_bits(&[gpu_sum(&items).unwrap()], &expected, "sum");
        let expected = [reduce::<Max, _>(&items).wait(Cpu).unwrap()];
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
        let inclusive = scan::<Sum, _>(&items).wait(Gpu::global()).unwrap();
        let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
        assert_same_bits(&inclusive, &expected, "inclusive");
        let exclusive = scan::<Sum, _>(&items)
            .exclusive()
            .wait(Gpu::global())
            .unwrap();
        let expected = scan::<Sum, _>(&items).exclusive().wait(Cpu).unwrap();
        assert_same_bits(&exclusive, &expected, "exclusive");
    }
}

#[test]
fn scans_into_a_slice_of_the_callers() {
    let [_, few, _, two_pieces, _] = counts::<i64>();
    for count in [0, few, two_pieces] {
        let items = ordinary::<Sum, i64>(count);
        let mut results = vec![7; count + 3];
        scan::<Sum, _>(&items)
            .to(&mut results)
            .wait(Gpu::global())
            .unwrap();
        let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
        assert_same_bits(&results, &[expected, vec![7; 3]].concat(), "inclusive");
        scan::<Sum, _>(&items)
            .exclusive()
            .to(&mut results[..count])
            .wait(Gpu::global())
            .unwrap();
        let expected = scan::<Sum, _>(&items).exclusive().wait(Cpu).unwrap();
        assert_same_bits(&results[..count], &expected, "exclusive");
    }
    // The results have another type than the items.
    let mut results = [0u64; 3];
    scan::<WideSum, _>(&[200u8, 100, 50])
        .exclusive()
        .to(&mut results)
        .wait(Gpu::global())
        .unwrap();
    assert_eq!(results, [0, 200, 300]);
}

#[test]
fn a_too_short_slice_is_not_written() {
    let refused = |found| {
        let (offered_items, needed_items) = (2, 3);
        let expected = Error::OutputTooShort {
            offered_items,
            needed_items,
        };
        assert_eq!(found, Err(expected));
    };
    let mut results = [7, 7];
    let items = [1, 2, 3];
    refused(scan::<Sum, _>(&items).to(&mut results).wait(Gpu::global()));
    refused(scan::<Sum, _>(&items).to(&mut results).wait(Cpu));
    let by_key = scan::<Sum, _>(&items).by_key::<Equal, _>(&[4, 4, 5]);
    refused(by_key.to(&mut results).wait(Gpu::global()));
    let by_key = scan::<Sum, _>(&items).by_key::<Equal, _>(&[4, 4, 5]);
    refused(by_key.to(&mut results).wait(Cpu));
    assert_eq!(results, [7, 7]);
}

#[test]
fn threads_at_once() {
    let items = &ordinary::<Sum, f32>(PIECE_BYTES / 4 + 77);
    let expected = reduce::<Sum, _>(items).wait(Cpu).unwrap();
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
