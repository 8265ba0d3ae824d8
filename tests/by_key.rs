//! Reductions and scans by key agree with the CPU for many lengths of runs and many types of keys and values. Results for which an output
//! has no room are omitted, and the call reports how many results there are. Wrong arguments are refused.

#[path = "by_key/borders.rs"]
mod borders;
#[path = "common/buffers.rs"]
mod buffers;
#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "by_key/directions.rs"]
mod directions;
#[path = "common/gpus.rs"]
mod gpus;
#[path = "common/runs.rs"]
mod runs;

use crate::device::{Item, Kernel};
use buffers::{assert_begins, values, zeros};
use cust::memory::DeviceBuffer;
use cust::stream::{Stream, StreamFlags};
use data::{Random, Sample, assert_same_bits, ordinary};
use gpus::gpu;
use runs::keys;
use warpfold::cust_half::{bf16, f16};
use warpfold::kind::{by_key_scan, segmented_reduce, segmented_scan};
use warpfold::{Cpu, Equal, Error, Gpu, cust, reduce, scan};
use warpfold_kernels::for_each_segmented_scan_kernel;
use warpfold_kernels::op::*;
use warpfold_kernels::segments::chunk_items;

/// Random lengths of runs that add up to `count` keys.
fn runs(count: usize, most: usize, random: &mut Random) -> Vec<usize> {
    let mut lengths = Vec::new();
    let mut left = count;
    while left > 0 {
        let length = (1 + random.below(most)).min(left);
        lengths.push(length);
        left -= length;
    }
    lengths
}

/// Operators that scan by key, with and without an output for the runs' starts.
trait ScansByKey<V: Item>: Kernel<segmented_scan, V> + Kernel<by_key_scan, V> {}

impl<O: Kernel<segmented_scan, V> + Kernel<by_key_scan, V>, V: Item> ScansByKey<V> for O {}

/// Which calls are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Calls {
    /// Waiting and queued calls, on slices and on device memory, with and without an output for the starts.
    All,
    /// One call for each kernel: one call without an output for the starts, and one with such an output.
    EachKernel,
}

/// Compares calls on the GPU with the CPU, for these keys and for values of type `V`.
fn check<O, K: Item, V: Sample>(keys: &[K], what: &str, calls: Calls)
where
    O: Kernel<segmented_reduce, V> + ScansByKey<V>,
    Equal: warpfold::RunsKernel<K>,
{
    let values = values::<V>(keys.len());
    check_reductions::<O, K, V>(keys, &values, what, calls);
    check_scans::<O, K, V>(keys, &values, what, calls);
}

fn check_reductions<O: Kernel<segmented_reduce, V>, K: Item, V: Sample>(
    keys: &[K],
    values: &[V],
    what: &str,
    calls: Calls,
) where
    Equal: warpfold::RunsKernel<K>,
{
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let of_slices = || reduce::<O, _>(values).by_key::<Equal, _>(keys);
    let (unique, results) = of_slices().wait(Cpu).unwrap();
    if calls == Calls::All {
        let (firsts, reduced) = of_slices().wait(Gpu::global()).unwrap();
        assert_same_bits(&firsts, &unique, &format!("{what}: slices"));
        assert_same_bits(&reduced, &results, &format!("{what}: slices"));
    }

    let device_keys = DeviceBuffer::from_slice(keys).unwrap();
    let device_values = DeviceBuffer::from_slice(values).unwrap();
    let (mut firsts, mut reduced) = (zeros(keys.len() + 1), zeros(keys.len() + 1));
    let count = reduce::<O, _>(&device_values)
        .by_key::<Equal, _>(&device_keys)
        .keys_to(&mut firsts)
        .to(&mut reduced)
        .wait(gpu);
    assert_eq!(count, Ok(unique.len()), "{what}");
    assert_begins(&firsts, &unique, what);
    assert_begins(&reduced, &results, what);

    let mut starts = zeros::<u64>(keys.len() + 1);
    macro_rules! check_queued {
        ($how:literal, $count:ident, $($runs:tt)*) => {
            let (mut firsts, mut reduced) = (zeros(keys.len()), zeros(keys.len()));
            let mut $count = zeros::<u64>(1);
            let to_keys = reduce::<O, _>(&device_values).by_key::<Equal, _>(&device_keys);
            to_keys.keys_to(&mut firsts).to(&mut reduced).$($runs)*.queue(gpu, &stream).unwrap();
            stream.synchronize().unwrap();
            let what = format!("{what}, {}", $how);
            assert_eq!($count.as_host_vec().unwrap(), [unique.len() as u64], "{what}");
            assert_begins(&firsts, &unique, &what);
            assert_begins(&reduced, &results, &what);
        };
    }
    check_queued!("queued", count, runs_to(&mut starts, &mut count));
    if calls == Calls::All {
        check_queued!("without starts", count, count_to(&mut count));
    }
}

fn check_scans<O: ScansByKey<V>, K: Item, V: Sample>(
    keys: &[K],
    values: &[V],
    what: &str,
    calls: Calls,
) where
    Equal: warpfold::RunsKernel<K>,
{
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let device_keys = DeviceBuffer::from_slice(keys).unwrap();
    let device_values = DeviceBuffer::from_slice(values).unwrap();
    let (mut starts, mut count) = (zeros::<u32>(keys.len() + 1), zeros::<u64>(1));
    macro_rules! check {
        ($scan:ident $($exclusive:ident)?) => {
            let order = concat!(stringify!($scan), $(" ", stringify!($exclusive))?);
            let expected = $scan::<O, _>(values)
                $(.$exclusive())?
                .by_key::<Equal, _>(keys)
                .wait(Cpu)
                .unwrap();
            let mut scanned = zeros(keys.len() + 1);
            $scan::<O, _>(&device_values)
                $(.$exclusive())?
                .by_key::<Equal, _>(&device_keys)
                .to(&mut scanned)
                .wait(gpu)
                .unwrap();
            assert_begins(&scanned, &expected, &format!("{what}: {order}"));
            if calls == Calls::All {
                let mut scanned = zeros(keys.len());
                $scan::<O, _>(&device_values)
                    $(.$exclusive())?
                    .by_key::<Equal, _>(&device_keys)
                    .to(&mut scanned)
                    .queue(gpu, &stream)
                    .unwrap();
                stream.synchronize().unwrap();
                assert_begins(&scanned, &expected, &format!("{what}: queued {order}"));
            }
            let mut scanned = zeros(keys.len());
            $scan::<O, _>(&device_values)
                $(.$exclusive())?
                .by_key::<Equal, _>(&device_keys)
                .runs_to(&mut starts, &mut count)
                .to(&mut scanned)
                .queue(gpu, &stream)
                .unwrap();
            stream.synchronize().unwrap();
            assert_begins(&scanned, &expected, &format!("{what}: {order} with starts"));
        };
    }
    check!(scan);
    check!(scan exclusive);
}

#[test]
fn runs_of_any_length() {
    for count in [1, 2, 33, 4096, 4097, 20_011] {
        for most in [1, 2, 40, 5000, count] {
            let mut random = Random::new((count * most) as u64);
            let lengths = match most == count {
                true => vec![count],
                false => runs(count, most, &mut random),
            };
            let keys = keys(&lengths, |run| run as u32 % 7);
            let what = format!("{count} keys, runs of up to {most}");
            // `keys_and_values_of_any_width` compares all calls on several windows.
            let calls = match count > 5000 {
                true => Calls::EachKernel,
                false => Calls::All,
            };
            check::<Sum, u32, f32>(&keys, &what, calls);
        }
    }
}

/// A run's nodes of 256 items are combined by sixteens, and these again. The long runs here have more than 256 nodes. They begin at any
/// place, so sixteens end inside windows, and so do groups of 256 nodes.
#[test]
fn runs_of_many_nodes() {
    let lengths = [5, 66_500, 256, 4_096, 3, 8_192, 69_900, 257, 255];
    let keys = keys(&lengths, |run| run as u32);
    check::<Sum, u32, f32>(&keys, "sums", Calls::EachKernel);
    check::<Max, u32, i32>(&keys, "maxima", Calls::EachKernel);
}

fn check_borders<O, K: Item, V: Sample>(key: impl Fn(usize) -> K)
where
    O: Kernel<segmented_reduce, V> + ScansByKey<V>,
    Equal: warpfold::RunsKernel<K>,
{
    let window = chunk_items::<V, O::Accumulator>() as usize;
    for (what, lengths) in borders::lengths(window) {
        check::<O, K, V>(&keys(&lengths, &key), what, Calls::EachKernel);
    }
}

#[test]
fn runs_that_start_at_borders() {
    check_borders::<Sum, u32, f32>(|run| run as u32);
}

/// With this operator and type, chunks are short.
#[test]
fn runs_that_start_at_borders_of_short_chunks() {
    check_borders::<ArgMax, u32, f64>(|run| run as u32);
}

#[test]
fn bytes_that_start_at_borders() {
    check_borders::<Max, u8, i8>(|run| run as u8);
}

#[test]
fn wide_keys_that_start_at_borders() {
    check_borders::<Sum, u64, f64>(|run| (run as u64) << 33);
}

/// Windows have 256 items here. Each short run begins in one window, and ends in the next.
#[test]
fn short_runs_that_end_after_their_window() {
    for short in [5, 6, 9, 12, 16, 17] {
        let lengths = [255 - short / 2, short, 257 - short + short / 2].repeat(3);
        let keys = keys(&lengths, |run| run as u32);
        let values = values::<f64>(keys.len());
        let what = format!("runs of {short}");
        check_reductions::<MinMax, u32, f64>(&keys, &values, &what, Calls::EachKernel);
        check_reductions::<Sum, u32, f64>(&keys, &values, &what, Calls::EachKernel);
    }
}

fn check_random_places<O, V: Sample>()
where
    O: Kernel<segmented_reduce, V> + ScansByKey<V>,
{
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let mut lengths = Vec::new();
        while lengths.iter().sum::<usize>() < 30_000 {
            let most = [1, 2, 3, 20, 300, 5000][random.below(6)];
            lengths.extend(runs(1 + random.below(3000), most, &mut random));
        }
        let keys = keys(&lengths, |run| run as u32);
        check::<O, u32, V>(&keys, &format!("seed {seed}"), Calls::EachKernel);
    }
}

#[test]
fn runs_at_random_places() {
    check_random_places::<Sum, f32>();
}

#[test]
fn runs_at_random_places_in_short_chunks() {
    check_random_places::<ArgMax, f64>();
}

fn check_scan<O: Kernel<by_key_scan, V>, V: Sample>()
where
    O::Output: Item,
{
    let keys = keys(&runs(5000, 40, &mut Random::new(6)), |run| run as u32);
    let values = ordinary::<O, V>(keys.len());
    let scanned = || scan::<O, _>(&values).by_key::<Equal, _>(&keys);
    let expected = scanned().wait(Cpu).unwrap();
    let found = scanned().wait(gpu()).unwrap();
    assert_same_bits(&found, &expected, std::any::type_name::<(O, V)>());
}

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
        #[test]
        fn operators_that_scan_segments_scan_by_key() {
            $(check_scan::<$op, $t>();)*
        }
    };
}

for_each_segmented_scan_kernel!(rows);

#[test]
fn no_keys_are_no_runs() {
    check::<Sum, u32, f32>(&[], "no keys", Calls::All);
}

#[test]
fn keys_and_values_of_any_width() {
    let lengths = runs(9000, 30, &mut Random::new(5));
    macro_rules! check {
        ($op:ident of $value:ident, $key:expr, $what:literal) => {
            check::<$op, _, $value>(&keys(&lengths, $key), $what, Calls::All);
        };
    }
    check!(Sum of f64, |run| (run % 2) as u8, "bytes, doubles");
    check!(Max of i8, |run| (run % 300) as u16, "16 bits, 8 bits");
    check!(Sum of u64, |run| (run as u64) << 40, "64 bits");
    check!(WideSum of f32, |run| -(run as i32), "wider results");
    check!(Sum of f16, |run| run as f64, "floats of 16 bits");
}

#[test]
fn a_nan_is_a_run_of_its_own_and_zeros_are_equal() {
    let few = [
        0.0,
        -0.0,
        f32::NAN,
        f32::NAN,
        -f32::NAN,
        1.0,
        1.0,
        f32::INFINITY,
    ];
    let keys: Vec<f32> = few.iter().copied().cycle().take(3000).collect();
    check::<Sum, f32, f32>(&keys, "NaN keys", Calls::All);
}

#[test]
fn results_without_room_are_omitted_and_reported() {
    let gpu = gpu();
    let lengths = runs(10_000, 9, &mut Random::new(3));
    let keys = keys(&lengths, |run| run as u32);
    let values = values::<f32>(keys.len());
    let (unique, sums) = reduce::<Sum, _>(&values)
        .by_key::<Equal, _>(&keys)
        .wait(Cpu)
        .unwrap();
    let device_keys = DeviceBuffer::from_slice(&keys).unwrap();
    let device_values = DeviceBuffer::from_slice(&values).unwrap();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    for room in [0, 1, 100, unique.len() - 1] {
        let (firsts, reduced) = (zeros::<u32>(keys.len()), zeros::<f32>(keys.len()));
        let answer = reduce::<Sum, _>(&device_values)
            .by_key::<Equal, _>(&device_keys)
            .keys_to(&mut firsts.index(..))
            .to(&mut reduced.index(..room))
            .wait(gpu);
        let too_short = Error::OutputTooShort {
            offered_items: room,
            needed_items: unique.len(),
        };
        assert_eq!(answer, Err(too_short));
        assert_begins(&reduced, &sums[..room], "what there is room for");

        // After a queued call, the results of the first `room` runs are right: `starts` has room for their starts and ends.
        let (firsts, reduced) = (zeros::<u32>(keys.len()), zeros::<f32>(keys.len()));
        let (starts, mut count) = (zeros::<u32>(keys.len() + 1), zeros::<u64>(1));
        reduce::<Sum, _>(&device_values)
            .by_key::<Equal, _>(&device_keys)
            .keys_to(&mut firsts.index(..))
            .to(&mut reduced.index(..))
            .runs_to(&mut starts.index(..=room), &mut count)
            .queue(gpu, &stream)
            .unwrap();
        stream.synchronize().unwrap();
        assert_eq!(count.as_host_vec().unwrap(), [unique.len() as u64]);
        assert_begins(&firsts, &unique, "keys");
        assert_begins(&reduced, &sums[..room], "sums");
    }
    // A run has a result only if `starts` has room for its start and its end.
    let (mut firsts, mut reduced) = (zeros::<u32>(keys.len()), zeros::<f32>(keys.len()));
    let (mut starts, mut count) = (zeros::<u32>(unique.len()), zeros::<u64>(1));
    let answer = reduce::<Sum, _>(&device_values)
        .by_key::<Equal, _>(&device_keys)
        .keys_to(&mut firsts)
        .to(&mut reduced)
        .runs_to(&mut starts, &mut count)
        .wait(gpu);
    let too_short = Error::OutputTooShort {
        offered_items: unique.len(),
        needed_items: unique.len() + 1,
    };
    assert_eq!(answer, Err(too_short));
    assert_begins(&reduced, &sums[..unique.len() - 1], "all but the last");

    let (mut firsts, mut reduced) = (zeros::<u32>(unique.len()), zeros::<f32>(unique.len()));
    let answer = reduce::<Sum, _>(&device_values)
        .by_key::<Equal, _>(&device_keys)
        .keys_to(&mut firsts)
        .to(&mut reduced)
        .wait(gpu);
    assert_eq!(answer, Ok(unique.len()), "exactly enough is enough");
    assert_begins(&reduced, &sums, "exactly enough");
}

#[test]
fn wrong_arguments_are_refused() {
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    let keys = DeviceBuffer::from_slice(&[1_u32; 12]).unwrap();
    let values = DeviceBuffer::from_slice(&[1_u32; 12]).unwrap();
    let (mut firsts, mut sums) = (zeros::<u32>(12), zeros::<u32>(12));
    let fewer = values.index(..11);
    let differ = Error::LengthsDiffer {
        left_items: 12,
        right_items: 11,
    };
    let answer = reduce::<Sum, _>(&fewer)
        .by_key::<Equal, _>(&keys)
        .keys_to(&mut firsts)
        .to(&mut sums)
        .wait(gpu);
    assert_eq!(answer, Err(differ.clone()));
    let answer = reduce::<Sum, _>(&[1_u32; 11])
        .by_key::<Equal, _>(&[1_u32; 12])
        .wait(Gpu::global());
    assert_eq!(answer, Err(differ));
    let overlaps = |answer: warpfold::Result<usize>| {
        assert!(matches!(answer, Err(Error::Overlap { .. })), "{answer:?}");
    };
    // In each case, an output overlaps an input, or the two outputs overlap.
    for (mut to_keys, mut to_results) in [
        (values.index(..), sums.index(..)),
        (firsts.index(..), keys.index(..)),
        (firsts.index(..), values.index(..)),
        (sums.index(..), sums.index(..)),
    ] {
        let request = reduce::<Sum, _>(&values).by_key::<Equal, _>(&keys);
        overlaps(request.keys_to(&mut to_keys).to(&mut to_results).wait(gpu));
    }
    overlaps(
        scan::<Sum, _>(&values)
            .by_key::<Equal, _>(&keys)
            .to(&mut keys.index(..))
            .wait(gpu)
            .map(|()| 0),
    );
    let (mut starts, mut count) = (zeros::<u32>(12), zeros::<u64>(1));
    let answer = scan::<Sum, _>(&values)
        .by_key::<Equal, _>(&keys)
        .runs_to(&mut starts, &mut count)
        .to(&mut sums)
        .queue(gpu, &stream);
    let too_short = Error::OutputTooShort {
        offered_items: 12,
        needed_items: 13,
    };
    assert_eq!(answer, Err(too_short));
    let answer = reduce::<Sum, _>(&values)
        .by_key::<Equal, _>(&keys)
        .keys_to(&mut firsts)
        .to(&mut sums)
        .runs_to(&mut values.index(..), &mut count)
        .queue(gpu, &stream);
    overlaps(answer.map(|()| 0));
    assert_eq!(sums.as_host_vec().unwrap(), [0; 12]);
    assert_eq!(values.as_host_vec().unwrap(), [1; 12]);
}
