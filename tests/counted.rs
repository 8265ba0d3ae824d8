//! Tests reductions and scans whose number of items only the device knows, and scans with an initial value or a total. The results equal
//! the CPU's for that number of items, bit for bit.

#[path = "common/buffers.rs"]
mod buffers;
#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "common/gpus.rs"]
mod gpus;

use crate::device::Kernel;
use buffers::{assert_begins, values, zeros};
use cust::memory::DeviceBuffer;
use cust::stream::{Stream, StreamFlags};
use data::Sample;
use gpus::gpu;
use virtual_gpu::Mode;
use warpfold::kind::{self, exclusive_scan, inclusive_scan};
use warpfold::{ArgMin, Cpu, Equal, Error, Max, Moments, Sum, WideSum, cust, reduce, scan};
use warpfold_kernels::contract::{SCAN_SHORT_BYTES, scan_tiles};

fn stream() -> Stream {
    Stream::new(StreamFlags::NON_BLOCKING, None).unwrap()
}

/// Counts up to `all`, and then one that is larger. Some are near the boundary between two tiles of 4-byte items.
fn counts(all: usize) -> Vec<u64> {
    let mut counts = vec![
        0,
        1,
        31,
        8191,
        8192,
        8193,
        all as u64 - 1,
        all as u64,
        u64::MAX,
    ];
    counts.retain(|&count| count <= all as u64 || count == u64::MAX);
    counts
}

/// Checks reductions of the first `count` of 40,000 items, for several counts in device memory.
fn check_reduce<O: Kernel<kind::reduce, T>, T: Sample>() {
    let (gpu, stream) = (gpu(), stream());
    let items = values::<T>(40_000);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for count in counts(items.len()) {
        let first = &items[..items.len().min(count as usize)];
        let device_count = DeviceBuffer::from_slice(&[count]).unwrap();
        let mut output = zeros::<O::Output>(2);
        reduce::<O, _>(&input)
            .count(&device_count)
            .to(&mut output)
            .queue(gpu, &stream)
            .unwrap();
        stream.synchronize().unwrap();
        let expected = [reduce::<O, _>(first).wait(Cpu).unwrap()];
        assert_begins(&output, &expected, &format!("{count} items"));
    }
}

#[test]
fn reductions_have_as_many_items_as_the_count_says() {
    check_reduce::<Sum, f32>();
    check_reduce::<Max, i8>();
    check_reduce::<WideSum, f32>();
    check_reduce::<ArgMin, f64>();
    check_reduce::<Moments, f32>();
}

#[test]
fn empty_reductions_give_the_identity() {
    let (gpu, stream) = (gpu(), stream());
    let nothing = DeviceBuffer::<f32>::from_slice(&[]).unwrap();
    let count = DeviceBuffer::from_slice(&[5_u64]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[7.0_f32]).unwrap();
    reduce::<Sum, _>(&nothing)
        .count(&count)
        .to(&mut output)
        .queue(gpu, &stream)
        .unwrap();
    stream.synchronize().unwrap();
    assert_eq!(
        output.as_host_vec().unwrap()[0].to_bits(),
        (-0.0_f32).to_bits()
    );
}

/// Checks scans of the first `count` of `all` items, and their totals, for several counts in device memory. The exclusive scans have no
/// initial value, the inclusive ones have `initial`.
fn check_scan<O, T: Sample>(all: usize, counts: &[u64], initial: O::Accumulator)
where
    O: Kernel<inclusive_scan, T> + Kernel<exclusive_scan, T>,
{
    let (gpu, stream) = (gpu(), stream());
    let items = values::<T>(all);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    for &count in counts {
        let what = format!("{count} items of {all}");
        let first = &items[..all.min(count as usize)];
        let device_count = DeviceBuffer::from_slice(&[count]).unwrap();
        let mut total = zeros::<O::Output>(2);
        let mut output = zeros::<O::Output>(all);
        scan::<O, _>(&input)
            .exclusive()
            .count(&device_count)
            .total(&mut total)
            .to(&mut output)
            .queue(gpu, &stream)
            .unwrap();
        stream.synchronize().unwrap();
        assert_begins(
            &output,
            &scan::<O, _>(first).exclusive().wait(Cpu).unwrap(),
            &what,
        );
        let expected = scan::<O, _>(first)
            .initial(O::identity())
            .and_total()
            .wait(Cpu)
            .unwrap()
            .1;
        assert_begins(&total, &[expected], &format!("the total of {what}"));

        let mut total = zeros::<O::Output>(2);
        let mut output = zeros::<O::Output>(all);
        scan::<O, _>(&input)
            .count(&device_count)
            .initial(initial)
            .total(&mut total)
            .to(&mut output)
            .queue(gpu, &stream)
            .unwrap();
        stream.synchronize().unwrap();
        let expected = scan::<O, _>(first).initial(initial).wait(Cpu).unwrap();
        assert_begins(&output, &expected, &what);
        let expected = scan::<O, _>(first)
            .initial(initial)
            .and_total()
            .wait(Cpu)
            .unwrap()
            .1;
        assert_begins(
            &total,
            &[expected],
            &format!("the total of {what}, and more"),
        );
    }
}

#[test]
fn scans_have_as_many_items_as_the_count_says() {
    check_scan::<Sum, f32>(40_000, &counts(40_000), 0.375);
    check_scan::<Max, i8>(40_000, &counts(40_000), -3);
    check_scan::<WideSum, f32>(20_000, &counts(20_000), 0.1);
}

/// The input of each launch is long enough for a long scan. The counts in device memory make all scans of the first input short. On a real
/// device, a second input is so long that some of its scans stay long.
#[test]
fn a_long_scan_may_turn_out_short() {
    let short = (SCAN_SHORT_BYTES / 8) as usize;
    let long_tile = scan_tiles::<f64>().items(u64::MAX);
    let few = [0, 1, 5000, 3 * long_tile + 7];
    check_scan::<Sum, f64>(short + 9, &few, 2.5);
    if gpus::mode() == Mode::Real {
        let many = [short as u64 - 1, short as u64, short as u64 + 1, u64::MAX];
        check_scan::<Sum, f64>(3 * short, &many, 2.5);
    }
}

#[test]
fn waiting_calls_give_the_same_results() {
    let gpu = gpu();
    let items = values::<f32>(10_001);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let (mut output, mut total) = (zeros::<f32>(10_001), zeros::<f32>(1));
    scan::<Sum, _>(&input)
        .exclusive()
        .initial(9.5)
        .total(&mut total)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    let expected = scan::<Sum, _>(&items)
        .exclusive()
        .initial(9.5)
        .wait(Cpu)
        .unwrap();
    assert_begins(&output, &expected, "exclusive, from 9.5");
    let expected = scan::<Sum, _>(&items)
        .initial(9.5)
        .and_total()
        .wait(Cpu)
        .unwrap()
        .1;
    assert_begins(&total, &[expected], "the total, from 9.5");
    scan::<Sum, _>(&input)
        .initial(9.5)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    let expected = scan::<Sum, _>(&items).initial(9.5).wait(Cpu).unwrap();
    assert_begins(&output, &expected, "inclusive, from 9.5");
    let total = scan::<Sum, _>(&input)
        .exclusive()
        .to(&mut output)
        .and_total()
        .wait(gpu)
        .unwrap();
    let expected = scan::<Sum, _>(&items)
        .initial(-0.0)
        .and_total()
        .wait(Cpu)
        .unwrap()
        .1;
    assert_eq!(total.to_bits(), expected.to_bits());
    assert_begins(
        &output,
        &scan::<Sum, _>(&items).exclusive().wait(Cpu).unwrap(),
        "exclusive",
    );
    // The initial values above do not affect a later scan.
    warpfold::scan::<Sum, _>(&input)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    assert_begins(
        &output,
        &scan::<Sum, _>(&items).wait(Cpu).unwrap(),
        "inclusive",
    );
}

#[test]
fn an_empty_total_is_the_initial_value() {
    let (gpu, stream) = (gpu(), stream());
    let nothing = DeviceBuffer::<u64>::from_slice(&[]).unwrap();
    let mut output = DeviceBuffer::<u64>::from_slice(&[]).unwrap();
    let mut total = DeviceBuffer::from_slice(&[7_u64; 2]).unwrap();
    scan::<Sum, _>(&nothing)
        .initial(1 << 40)
        .total(&mut total)
        .to(&mut output)
        .queue(gpu, &stream)
        .unwrap();
    stream.synchronize().unwrap();
    assert_eq!(total.as_host_vec().unwrap(), [1 << 40, 7]);
    scan::<Sum, _>(&nothing)
        .exclusive()
        .total(&mut total)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    assert_eq!(total.as_host_vec().unwrap(), [0, 7]);
    assert_eq!(
        scan::<Sum, _>(&nothing)
            .exclusive()
            .to(&mut output)
            .and_total()
            .wait(gpu),
        Ok(0)
    );
    // The total is both returned and written to device memory.
    assert_eq!(
        scan::<Sum, _>(&nothing)
            .initial(9)
            .total(&mut total)
            .and_total()
            .to(&mut output)
            .wait(gpu),
        Ok(9)
    );
    assert_eq!(total.as_host_vec().unwrap(), [9, 7]);
}

/// With room for 9,000,000 keys, each block that marks heads has two tiles. With room for 20,000 keys, it has one.
#[test]
fn scans_by_key_have_as_many_keys_as_the_count_says() {
    let gpu = gpu();
    for (room, counts) in [
        (20_000, [0, 1, 4095, 4096, 4097, 12_289, 30_000]),
        (9_000_000, [0, 1, 8192, 8193, 12_289, 16_384, 40_000]),
    ] {
        let keys: Vec<u8> = (0..room).map(|place| (place / 700) as u8).collect();
        let items = vec![1_u8; room];
        let device_keys = DeviceBuffer::from_slice(&keys).unwrap();
        let device_items = DeviceBuffer::from_slice(&items).unwrap();
        for count in counts {
            let used = room.min(count);
            let device_count = DeviceBuffer::from_slice(&[count as u64]).unwrap();
            macro_rules! check {
                ($($reversed:ident)?) => {
                    let expected = scan::<Sum, _>(&items[..used])
                        .by_key::<Equal, _>(&keys[..used])
                        $(.$reversed())?
                        .wait(Cpu)
                        .unwrap();
                    let mut sums = zeros(room);
                    scan::<Sum, _>(&device_items)
                        .by_key::<Equal, _>(&device_keys)
                        .count(&device_count)
                        $(.$reversed())?
                        .to(&mut sums)
                        .wait(gpu)
                        .unwrap();
                    assert_begins(&sums, &expected, &format!("{count} of {room}"));
                };
            }
            check!();
            check!(reversed);
        }
    }
}

/// If there are few keys, and a key has 4 bytes, one launch both compares the keys and scans or reduces their runs.
#[test]
fn small_calls_by_key_have_as_many_keys_as_the_count_says() {
    let gpu = gpu();
    let room = 20_000;
    let keys: Vec<u32> = (0..room).map(|place| place as u32 / 700).collect();
    let items: Vec<u32> = (0..room as u32).collect();
    let device_keys = DeviceBuffer::from_slice(&keys).unwrap();
    let device_items = DeviceBuffer::from_slice(&items).unwrap();
    for count in [0, 1, 4095, 4096, 4097, 12_289, 20_000, 30_000] {
        let used = room.min(count);
        let what = format!("{count} of {room}");
        let device_count = DeviceBuffer::from_slice(&[count as u64]).unwrap();
        let mut scanned = zeros(room);
        scan::<Sum, _>(&device_items)
            .by_key::<Equal, _>(&device_keys)
            .count(&device_count)
            .to(&mut scanned)
            .wait(gpu)
            .unwrap();
        let expected = scan::<Sum, _>(&items[..used])
            .by_key::<Equal, _>(&keys[..used])
            .wait(Cpu)
            .unwrap();
        assert_begins(&scanned, &expected, &what);

        let (mut firsts, mut sums) = (zeros(room), zeros(room));
        let (mut starts, mut run_count) = (zeros::<u64>(room + 1), zeros::<u64>(1));
        let found = reduce::<Sum, _>(&device_items)
            .by_key::<Equal, _>(&device_keys)
            .count(&device_count)
            .keys_to(&mut firsts)
            .to(&mut sums)
            .runs_to(&mut starts, &mut run_count)
            .wait(gpu)
            .unwrap();
        let (expected_firsts, expected_sums) = reduce::<Sum, _>(&items[..used])
            .by_key::<Equal, _>(&keys[..used])
            .wait(Cpu)
            .unwrap();
        assert_eq!(found, expected_sums.len(), "{what}");
        assert_begins(&firsts, &expected_firsts, &what);
        assert_begins(&sums, &expected_sums, &what);
        let borders: Vec<u64> = (0..found as u64).map(|run| 700 * run).collect();
        assert_begins(&starts, &[borders, vec![used as u64]].concat(), &what);
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let (gpu, stream) = (gpu(), stream());
    let input = DeviceBuffer::from_slice(&[1_u64; 12]).unwrap();
    let empty = DeviceBuffer::<u64>::from_slice(&[]).unwrap();
    let count = DeviceBuffer::from_slice(&[3_u64]).unwrap();
    let mut output = zeros::<u64>(12);
    let answer = reduce::<Sum, _>(&input)
        .count(&empty)
        .to(&mut output)
        .queue(gpu, &stream);
    assert_eq!(answer, Err(Error::CountMissing));
    let mut count_too = count.index(..);
    let answer = reduce::<Sum, _>(&input)
        .count(&count)
        .to(&mut count_too)
        .queue(gpu, &stream);
    assert!(matches!(answer, Err(Error::Overlap { .. })), "{answer:?}");
    for (mut total, count) in [
        (input.index(3..4), None),
        (output.index(11..), None),
        (count.index(..0), None),
        (count.index(..), Some(&empty)),
    ] {
        let request = scan::<Sum, _>(&input).total(&mut total);
        let answer = match count {
            Some(count) => request.count(count).to(&mut output).wait(gpu),
            None => request.to(&mut output).wait(gpu),
        };
        assert!(
            matches!(
                answer,
                Err(Error::Overlap { .. } | Error::OutputTooShort { .. } | Error::CountMissing)
            ),
            "{answer:?}"
        );
    }
    assert_eq!(output.as_host_vec().unwrap(), [0; 12]);
}
