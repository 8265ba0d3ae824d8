//! Scans of segments of host slices. Items outside of the segments have no result, and results are downloaded once.

use crate::device::Kernel;
use virtual_gpu::inject::record;
use warpfold::{Cpu, Equal, Gpu, Offset, Sum, WideSum, kind, scan};

use crate::data::{Random, Sample, assert_same_bits, ordinary};
use crate::shapes;

/// Calls a macro for inclusive and for exclusive scans, forward and reversed. The macro gets the name of each such scan, and the methods
/// that request it.
macro_rules! for_each_order {
    ($check:ident) => {
        $check!("inclusive");
        $check!("exclusive", exclusive);
        $check!("reversed", reversed);
        $check!("exclusive, reversed", exclusive reversed);
    };
}

/// Checks the scans of some items. The first `before` and the last `after` of these items are outside of all segments.
fn check<O, T: Sample, I: Offset + TryFrom<usize>>(before: usize, lengths: &[usize], after: usize)
where
    O: Kernel<kind::segmented_scan, T, Output: Sample>,
{
    let offsets = shapes::offsets(before, lengths);
    let end = offsets[lengths.len()];
    let items = ordinary::<O, T>(end + after);
    let offsets: Vec<I> = (offsets.into_iter())
        .filter_map(|offset| I::try_from(offset).ok())
        .collect();
    // The output is longer than it must be.
    let untouched = vec![O::Output::any(&mut Random::new(3)); items.len() + 2];
    let zeros = vec![<O::Output as bytemuck::Zeroable>::zeroed(); items.len()];
    macro_rules! check {
        ($order:literal $(, $($method:ident)+)?) => {
            let (segments, count) = (lengths.len(), items.len());
            let what = format!("{}, {segments} segments of {before}..{end} of {count} items", $order);
            let request = || scan::<O, _>(&items)$($(.$method())+)?.segments(&offsets);
            let expected = request().wait(Cpu).unwrap();
            let found = request().wait(Gpu::global()).unwrap();
            assert_same_bits(&found, &expected, &what);
            assert_same_bits(&found[..before], &zeros[..before], &what);
            assert_same_bits(&found[end..], &zeros[end..], &what);
            let mut found = untouched.clone();
            request().to(&mut found).wait(Gpu::global()).unwrap();
            let mut written = untouched.clone();
            request().to(&mut written).wait(Cpu).unwrap();
            assert_same_bits(&found, &written, &what);
            assert_same_bits(&found[..before], &untouched[..before], &what);
            assert_same_bits(&found[before..end], &expected[before..end], &what);
            assert_same_bits(&found[end..], &untouched[end..], &what);
        };
    }
    for_each_order!(check);
}

/// Numbers of items before the first segment and after the last.
const OUTSIDE: [(usize, usize); 4] = [(0, 0), (3, 0), (0, 5), (7, 1)];

#[test]
fn short_segments() {
    for (before, after) in OUTSIDE {
        check::<Sum, u32, u32>(before, &[2, 1], after);
        check::<Sum, f32, usize>(before, &[0, 17, 300, 0, 5000], after);
        check::<WideSum, u8, u64>(before, &[0, 17, 300, 0, 5000], after);
        check::<Sum, f64, u32>(before, &[0, 0], after);
    }
    check::<Sum, f32, u32>(0, &[], 9);
    check::<Sum, f32, u32>(4, &[], 5);
    check::<Sum, f32, u32>(2000, &[1], 3000);
}

#[test]
fn slices_of_more_than_a_piece() {
    let mut random = Random::new(7);
    let lengths = shapes::random(&mut random, 200_000);
    check::<WideSum, u8, u32>(7000, &lengths, 9000);
    check::<Sum, f64, usize>(1, &[500_000, 0, 30_000], 2);
}

/// How many times `work` copies memory from the device to the host.
fn downloads(work: impl FnOnce()) -> usize {
    let ((), calls) = record(work);
    let downloads = calls.iter().filter(|call| call.starts_with("cuMemcpyDtoH"));
    downloads.count()
}

#[test]
fn results_are_downloaded_once() {
    let items = ordinary::<Sum, f32>(1000);
    let keys: Vec<u32> = (0..1000).map(|item| item / 7).collect();
    let mut results = vec![0.0; 1000];
    let gpu = Gpu::global().unwrap();
    macro_rules! check {
        ($($shape:tt)*) => {
            let of_wait = downloads(|| drop(scan::<Sum, _>(&items)$($shape)*.wait(gpu).unwrap()));
            assert_eq!(of_wait, 1, stringify!($($shape)*));
            let of_to = downloads(|| scan::<Sum, _>(&items)$($shape)*.to(&mut results).wait(gpu).unwrap());
            assert_eq!(of_to, 1, stringify!($($shape)* .to(&mut results)));
        };
    }
    check!(.segments(&[0u32, 400, 1000]));
    check!(.segments(&[0u32, 400, 990]));
    check!(.segments(&[10u32, 400, 1000]));
    check!(.segments(&[10u32, 400, 990]));
    check!(.rows(100));
    check!(.columns(100));
    check!(.axis(10, 10, 10));
    check!(.rows(50).pitch(100));
    check!(.by_key::<Equal, _>(&keys));
}
