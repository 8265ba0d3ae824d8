//! Streams, threads and graphs: queued calls, many calls at once, and captured calls.
//!
//! The tests copy with `cust`. Such a copy invalidates a capture on another thread. So no other test runs beside a test that captures a
//! graph.

mod common;
#[path = "common/data.rs"]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "common/graph.rs"]
mod graph;

use crate::device::Item;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

use common::gpu;
use cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use cust::stream::{Stream, StreamFlags};
use data::{assert_same_bits, ordinary};
use graph::Graph;
use warpfold::{Cpu, Gpu, Max, Min, Sum, cust, reduce, scan};

/// The value of outputs before a call. An item that still has this value was not written.
const SENTINEL: f32 = -1234.5;

static CAPTURE: RwLock<()> = RwLock::new(());

/// The lock of a test that may run beside others.
fn beside_others() -> RwLockReadGuard<'static, ()> {
    CAPTURE.read().unwrap_or_else(PoisonError::into_inner)
}

/// The lock of a test that captures a graph, or of one that measures free memory. Such a test runs alone.
fn alone() -> RwLockWriteGuard<'static, ()> {
    CAPTURE.write().unwrap_or_else(PoisonError::into_inner)
}

fn stream() -> Stream {
    Stream::new(StreamFlags::DEFAULT, None).unwrap()
}

fn download<T: Item>(slice: &DeviceSlice<T>) -> Vec<T> {
    let mut items = vec![T::zeroed(); slice.len()];
    slice.copy_to(&mut items[..]).unwrap();
    items
}

fn upload<T: Item>(items: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(items).unwrap()
}

#[test]
fn queued_calls_give_the_results_of_waiting_calls() {
    let (_guard, gpu) = (beside_others(), gpu());
    let stream = stream();
    let items = ordinary::<Sum, f32>(20_001);
    let input = upload(&items);
    let mut sum = upload(&[SENTINEL; 2]);
    let mut inclusive = upload(&vec![SENTINEL; items.len() + 3]);
    let mut exclusive = upload(&vec![SENTINEL; items.len()]);
    let mut inclusive_in_place = upload(&items);
    let mut exclusive_in_place = upload(&items);

    reduce::<Sum, _>(&input)
        .to(&mut sum)
        .queue(gpu, &stream)
        .unwrap();
    scan::<Sum, _>(&input)
        .to(&mut inclusive)
        .queue(gpu, &stream)
        .unwrap();
    scan::<Sum, _>(&input)
        .exclusive()
        .to(&mut exclusive)
        .queue(gpu, &stream)
        .unwrap();
    scan::<Sum, _>(&mut inclusive_in_place)
        .in_place()
        .queue(gpu, &stream)
        .unwrap();
    scan::<Sum, _>(&mut exclusive_in_place)
        .exclusive()
        .in_place()
        .queue(gpu, &stream)
        .unwrap();
    stream.synchronize().unwrap();

    let expected = [reduce::<Sum, _>(&items).wait(Cpu).unwrap(), SENTINEL];
    assert_same_bits(&download(&sum), &expected, "sum");
    let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
    assert_same_bits(&download(&inclusive)[..items.len()], &expected, "inclusive");
    assert_same_bits(
        &download(&inclusive)[items.len()..],
        &[SENTINEL; 3],
        "behind it",
    );
    assert_same_bits(
        &download(&inclusive_in_place),
        &expected,
        "inclusive in place",
    );
    let expected = scan::<Sum, _>(&items).exclusive().wait(Cpu).unwrap();
    assert_same_bits(&download(&exclusive), &expected, "exclusive");
    assert_same_bits(
        &download(&exclusive_in_place),
        &expected,
        "exclusive in place",
    );
}

#[test]
fn no_items_are_reduced_to_the_identity_and_scanned_to_nothing() {
    let (_guard, gpu) = (beside_others(), gpu());
    let stream = stream();
    let nothing = upload::<f64>(&[]);
    let mut output = upload(&[5.0f64, 6.0]);
    reduce::<Sum, _>(&nothing)
        .to(&mut output)
        .queue(gpu, &stream)
        .unwrap();
    stream.synchronize().unwrap();
    assert_same_bits(&download(&output), &[-0.0, 6.0], "sum of no items");
    reduce::<Min, _>(&nothing)
        .to(&mut output)
        .queue(gpu, &stream)
        .unwrap();
    scan::<Max, _>(&nothing)
        .to(&mut output)
        .queue(gpu, &stream)
        .unwrap();
    scan::<Max, _>(&mut output.index(..0))
        .exclusive()
        .in_place()
        .queue(gpu, &stream)
        .unwrap();
    stream.synchronize().unwrap();
    assert_same_bits(
        &download(&output),
        &[f64::INFINITY, 6.0],
        "minimum of no items",
    );
}

#[test]
fn two_streams_do_not_disturb_each_other() {
    let (_guard, gpu) = (beside_others(), gpu());
    let streams = [stream(), stream()];
    let lists = [ordinary::<Sum, f32>(70_000), ordinary::<Sum, f32>(50_001)];
    let inputs = lists.each_ref().map(|items| upload(items));
    let mut outputs = lists
        .each_ref()
        .map(|items| upload(&vec![0.0f32; items.len()]));
    let mut sums = [upload(&[0.0f32]), upload(&[0.0f32])];
    for _ in 0..3 {
        for which in [0, 1] {
            let (stream, input) = (&streams[which], &inputs[which]);
            scan::<Sum, _>(input)
                .to(&mut outputs[which])
                .queue(gpu, stream)
                .unwrap();
            reduce::<Sum, _>(input)
                .to(&mut sums[which])
                .queue(gpu, stream)
                .unwrap();
        }
    }
    for which in [0, 1] {
        streams[which].synchronize().unwrap();
        let items = &lists[which];
        let scan = scan::<Sum, _>(items).wait(Cpu).unwrap();
        assert_same_bits(&download(&outputs[which]), &scan, "scan");
        let sum = reduce::<Sum, _>(items).wait(Cpu).unwrap();
        assert_same_bits(&download(&sums[which]), &[sum], "sum");
    }
}

#[test]
fn threads_share_a_gpu() {
    let _guard = beside_others();
    let gpu = &Gpu::new().unwrap();
    thread::scope(|scope| {
        for number in 0..4 {
            scope.spawn(move || {
                gpu.make_current().unwrap();
                let items = ordinary::<Sum, f64>(9_000 + number);
                let input = upload(&items);
                let mut output = upload(&vec![0.0; items.len()]);
                for _ in 0..3 {
                    let sum = reduce::<Sum, _>(&input).wait(gpu).unwrap();
                    assert_same_bits(
                        &[sum],
                        &[reduce::<Sum, _>(&items).wait(Cpu).unwrap()],
                        "sum",
                    );
                    scan::<Sum, _>(&input).to(&mut output).wait(gpu).unwrap();
                    let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
                    assert_same_bits(&download(&output), &expected, "scan");
                }
            });
        }
    });
}

#[test]
fn threads_share_a_stream() {
    let (_guard, gpu) = (beside_others(), gpu());
    let stream = &stream();
    let items = &ordinary::<Sum, f32>(30_000);
    let expected = &scan::<Sum, _>(items).wait(Cpu).unwrap();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(move || {
                gpu.make_current().unwrap();
                let mut data = upload(items);
                scan::<Sum, _>(&mut data)
                    .in_place()
                    .queue(gpu, stream)
                    .unwrap();
                stream.synchronize().unwrap();
                assert_same_bits(&download(&data), expected, "scan");
            });
        }
    });
}

#[test]
fn a_call_leaves_the_threads_context_as_it_was() {
    let _guard = beside_others();
    let buffer = {
        let _gpu = gpu();
        upload(&[1u32, 2, 3])
    };
    thread::scope(|scope| {
        scope.spawn(|| {
            assert_eq!(
                reduce::<Sum, _>(&buffer)
                    .wait(Gpu::global().unwrap())
                    .unwrap(),
                6
            );
            let current = cust::context::CurrentContext::get_device();
            assert_eq!(current, Err(cust::error::CudaError::InvalidContext));
        });
    });
}

#[test]
fn short_lived_streams_share_workspaces() {
    let (_guard, gpu) = (alone(), gpu());
    let items = ordinary::<Sum, f32>(10_000);
    let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
    let mut free_bytes = Vec::new();
    for _ in 0..40 {
        let stream = stream();
        let mut data = upload(&items);
        scan::<Sum, _>(&mut data)
            .in_place()
            .queue(gpu, &stream)
            .unwrap();
        drop(stream);
        assert_same_bits(&download(&data), &expected, "scan");
        drop(data);
        free_bytes.push(cust::memory::mem_get_info().unwrap().0);
    }
    // The driver reuses the handles of destroyed streams, but perhaps only after some calls. So the test compares the free memory after 21
    // calls with that after 40.
    let lost = free_bytes[20].saturating_sub(free_bytes[39]);
    assert!(lost <= 4 << 20, "{free_bytes:?}");
}

#[test]
fn a_captured_graph_replays_on_new_data() {
    let (_guard, gpu) = (alone(), gpu());
    let stream = stream();
    let lists = [1, 2, 3].map(|seed| {
        let mut items = ordinary::<Sum, f32>(40_000);
        items.rotate_left(seed * 101);
        items
    });
    let mut input = upload(&lists[0]);
    let mut scanned = upload(&vec![0.0f32; lists[0].len()]);
    let mut sum = upload(&[0.0f32]);
    let mut nothing = upload(&[0.0f32]);
    let mut queue = |input: &DeviceSlice<f32>| {
        scan::<Sum, _>(input)
            .to(&mut scanned)
            .queue(gpu, &stream)
            .unwrap();
        reduce::<Sum, _>(input)
            .to(&mut sum)
            .queue(gpu, &stream)
            .unwrap();
        reduce::<Max, _>(&input.index(..0))
            .to(&mut nothing)
            .queue(gpu, &stream)
            .unwrap();
    };
    queue(&input);
    stream.synchronize().unwrap();
    let graph = Graph::capture(&stream, || queue(&input));
    for items in &lists {
        input.copy_from(&items[..]).unwrap();
        scanned.copy_from(&vec![0.0; items.len()][..]).unwrap();
        nothing.copy_from(&[0.0][..]).unwrap();
        for _ in 0..2 {
            // SAFETY: the captured buffers outlive the `synchronize` below.
            unsafe { graph.launch(&stream) };
        }
        stream.synchronize().unwrap();
        let expected = scan::<Sum, _>(items).wait(Cpu).unwrap();
        assert_same_bits(&download(&scanned), &expected, "scan");
        assert_same_bits(
            &download(&sum),
            &[reduce::<Sum, _>(items).wait(Cpu).unwrap()],
            "sum",
        );
        assert_same_bits(
            &download(&nothing),
            &[f32::NEG_INFINITY],
            "maximum of no items",
        );
    }
}
