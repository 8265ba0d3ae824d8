//! Captured graphs. In some of them, a call writes the count that later calls read. A launch of a graph reads the inputs as they are at the
//! launch.
//!
//! The tests run one at a time, so no test copies while another captures.

#[path = "common/buffers.rs"]
mod buffers;
mod common;
#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "common/graph.rs"]
mod graph;

use std::sync::{Mutex, MutexGuard, PoisonError};

use buffers::{assert_begins, values, zeros};
use common::gpu;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags};
use data::{Random, assert_same_bits, ordinary};
use graph::Graph;
use warpfold::{Cpu, Equal, NonZero, NotNan, Sum, cust, reduce, runs, scan, select};

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stream() -> Stream {
    Stream::new(StreamFlags::NON_BLOCKING, None).unwrap()
}

#[test]
fn a_replayed_call_reads_the_new_keys() {
    let _alone = alone();
    let (gpu, stream) = (gpu(), stream());
    let count = 5000;
    let values = values::<f32>(count);
    let mut device_keys = zeros::<u32>(count);
    let device_values = DeviceBuffer::from_slice(&values).unwrap();
    let (mut firsts, mut reduced) = (zeros::<u32>(count), zeros::<f32>(count));
    let (mut starts, mut runs_found) = (zeros::<u32>(count + 1), zeros::<u64>(1));
    let graph = Graph::capture(&stream, || {
        reduce::<Sum, _>(&device_values)
            .by_key::<Equal, _>(&device_keys)
            .keys_to(&mut firsts)
            .to(&mut reduced)
            .runs_to(&mut starts, &mut runs_found)
            .queue(gpu, &stream)
            .unwrap();
    });
    for most in [1, 17, 3000] {
        let mut random = Random::new(most as u64);
        let mut key = 0;
        let keys: Vec<u32> = (0..count)
            .map(|_| {
                key += u32::from(random.below(most) == 0);
                key
            })
            .collect();
        device_keys.copy_from(&keys).unwrap();
        reduced.copy_from(&vec![0.0; count]).unwrap();
        // SAFETY: the buffers outlive the work.
        unsafe { graph.launch(&stream) };
        stream.synchronize().unwrap();
        let (_, sums) = reduce::<Sum, _>(&values)
            .by_key::<Equal, _>(&keys)
            .wait(Cpu)
            .unwrap();
        assert_eq!(runs_found.as_host_vec().unwrap(), [sums.len() as u64]);
        assert_begins(&reduced, &sums, &format!("runs of about {most}"));
    }
}

#[test]
fn replayed_calls_read_the_new_matrix() {
    let _alone = alone();
    let (gpu, stream) = (gpu(), stream());
    let (rows, columns) = (600, 37);
    let mut matrix = ordinary::<Sum, f32>(rows * columns);
    let mut input = DeviceBuffer::from_slice(&matrix).unwrap();
    let mut sums = DeviceBuffer::from_slice(&vec![0.0; columns]).unwrap();
    let mut scanned = DeviceBuffer::from_slice(&vec![0.0; matrix.len()]).unwrap();
    let graph = Graph::capture(&stream, || {
        reduce::<Sum, _>(&input)
            .columns(columns)
            .to(&mut sums)
            .queue(gpu, &stream)
            .unwrap();
        scan::<Sum, _>(&input)
            .columns(columns)
            .to(&mut scanned)
            .queue(gpu, &stream)
            .unwrap();
    });
    for _ in 0..3 {
        matrix.rotate_left(1);
        input.copy_from(&matrix).unwrap();
        // SAFETY: the buffers outlive the work.
        unsafe { graph.launch(&stream) };
        stream.synchronize().unwrap();
        let expected = reduce::<Sum, _>(&matrix)
            .columns(columns)
            .wait(Cpu)
            .unwrap();
        assert_same_bits(&sums.as_host_vec().unwrap(), &expected, "sums");
        let expected = scan::<Sum, _>(&matrix).columns(columns).wait(Cpu).unwrap();
        assert_same_bits(&scanned.as_host_vec().unwrap(), &expected, "scans");
    }
}

#[test]
fn a_selection_feeds_selections() {
    let _alone = alone();
    let (gpu, stream) = (gpu(), stream());
    let most = 40_000;
    let mut input = zeros::<f32>(most);
    let (mut kept, mut count) = (zeros::<f32>(most), zeros::<u64>(1));
    let (mut firsts, mut run_count) = (zeros::<f32>(most), zeros::<u64>(1));
    let (mut numbers, mut number_count) = (zeros::<f32>(most), zeros::<u64>(1));
    let graph = Graph::capture(&stream, || {
        select::<NonZero, _>(&input)
            .to(&mut kept)
            .count_to(&mut count)
            .queue(gpu, &stream)
            .unwrap();
        runs::<Equal, _>(&kept)
            .count(&count)
            .to(&mut firsts)
            .count_to(&mut run_count)
            .queue(gpu, &stream)
            .unwrap();
        let output = &mut *numbers;
        select::<NotNan, _>(&kept)
            .count(&count)
            .to(output)
            .count_to(&mut number_count)
            .queue(gpu, &stream)
            .unwrap();
    });
    for (zeros, places) in [(0, 1), (1, 3), (9, 10), (1, 1)] {
        let items: Vec<f32> = (0..most)
            .map(|index| match index % places < zeros {
                true => 0.0,
                false if index % 7 == 0 => f32::NAN,
                false => (index / 50) as f32,
            })
            .collect();
        input.copy_from(&items).unwrap();
        for output in [&mut firsts, &mut numbers] {
            output.copy_from(&vec![0.0; most]).unwrap();
        }
        // SAFETY: the buffers outlive the work.
        unsafe { graph.launch(&stream) };
        stream.synchronize().unwrap();
        let selected = select::<NonZero, _>(&items).wait(Cpu).unwrap();
        let what = format!("{} items", selected.len());
        let expected = runs::<Equal, _>(&selected).wait(Cpu).unwrap();
        assert_eq!(
            run_count.as_host_vec().unwrap(),
            [expected.len() as u64],
            "{what}"
        );
        assert_begins(&firsts, &expected, &what);
        let expected = select::<NotNan, _>(&selected).wait(Cpu).unwrap();
        assert_eq!(
            number_count.as_host_vec().unwrap(),
            [expected.len() as u64],
            "{what}"
        );
        assert_begins(&numbers, &expected, &what);
    }
}

#[test]
fn a_selection_feeds_a_scan_and_a_reduction_in_a_graph() {
    let _alone = alone();
    let (gpu, stream) = (gpu(), stream());
    let most = 9000;
    let mut input = zeros::<f32>(most);
    let (mut kept, mut count) = (zeros::<f32>(most), zeros::<u64>(1));
    let (mut sums, mut total) = (zeros::<f32>(most), zeros::<f32>(1));
    let graph = Graph::capture(&stream, || {
        select::<NonZero, _>(&input)
            .to(&mut kept)
            .count_to(&mut count)
            .queue(gpu, &stream)
            .unwrap();
        reduce::<Sum, _>(&kept)
            .count(&count)
            .to(&mut total)
            .queue(gpu, &stream)
            .unwrap();
        scan::<Sum, _>(&kept)
            .initial(1.0)
            .count(&count)
            .to(&mut sums)
            .queue(gpu, &stream)
            .unwrap();
    });
    for share in [1, 2, 100] {
        let items = values::<f32>(most);
        let items: Vec<f32> = (0..most)
            .map(|index| {
                if index % share == 0 {
                    items[index]
                } else {
                    0.0
                }
            })
            .collect();
        input.copy_from(&items).unwrap();
        sums.copy_from(&vec![0.0; most]).unwrap();
        // SAFETY: the buffers outlive the work.
        unsafe { graph.launch(&stream) };
        stream.synchronize().unwrap();
        let selected = select::<NonZero, _>(&items).wait(Cpu).unwrap();
        let expected = [reduce::<Sum, _>(&selected).wait(Cpu).unwrap()];
        assert_begins(&total, &expected, "the reduction");
        let expected = scan::<Sum, _>(&selected).initial(1.0).wait(Cpu).unwrap();
        assert_begins(&sums, &expected, "the scan");
    }
}
