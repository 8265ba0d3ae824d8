//! What a warm call costs the host: exactly which driver calls, and not one allocation.
//!
//! On a real device, a call that waits may not run while another thread captures: both concern the default stream, and
//! the capture is void. So the tests run one after the other.

#[path = "overhead/allocator.rs"]
mod allocator;
mod common;
#[path = "common/graph.rs"]
mod graph;

use std::sync::{Mutex, MutexGuard, PoisonError};

use allocator::{Counting, allocations_of};
use common::gpu;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags};
use graph::Graph;
use virtual_gpu::inject::record;
use warpfold::{
    Sum, cust, gpu_inclusive_scan, gpu_sum, inclusive_scan, inclusive_scan_on, reduce, reduce_into,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What the calls work on: for one test at a time.
struct Bench {
    stream: Stream,
    input: DeviceBuffer<f32>,
    output: DeviceBuffer<f32>,
    _alone: MutexGuard<'static, ()>,
}

impl Bench {
    fn new() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let _gpu = gpu();
        let items = [1.0f32; 20_000];
        Self {
            stream: Stream::new(StreamFlags::DEFAULT, None).unwrap(),
            input: DeviceBuffer::from_slice(&items).unwrap(),
            output: DeviceBuffer::from_slice(&items).unwrap(),
            _alone: alone,
        }
    }

    fn queue_reduce(&mut self) {
        reduce_into::<Sum, _>(gpu(), &self.stream, &self.input, &mut self.output).unwrap();
    }

    fn queue_scan(&mut self) {
        inclusive_scan_on::<Sum, _>(gpu(), &self.stream, &self.input, &mut self.output).unwrap();
    }

    fn reduce(&mut self) {
        assert_eq!(reduce::<Sum, _>(gpu(), &self.input), Ok(20_000.0));
    }

    fn scan(&mut self) {
        inclusive_scan::<Sum, _>(gpu(), &self.input, &mut self.output).unwrap();
    }
}

/// The driver calls of `work`, without the one that makes the context current for the test itself.
fn driver_calls(work: impl FnOnce()) -> Vec<&'static str> {
    let ((), mut calls) = record(work);
    assert_eq!(calls.remove(0), "cuCtxSetCurrent");
    calls
}

#[test]
fn a_warm_call_that_queues_launches_and_asks_three_quick_questions() {
    let mut bench = Bench::new();
    bench.queue_scan();
    bench.queue_reduce();
    let expected = [
        "cuCtxGetCurrent",
        "cuStreamIsCapturing",
        "cuStreamGetId",
        "cuLaunchKernelEx",
    ];
    assert_eq!(driver_calls(|| bench.queue_reduce()), expected);
    assert_eq!(driver_calls(|| bench.queue_scan()), expected);
    bench.stream.synchronize().unwrap();
}

#[test]
fn a_captured_call_asks_less() {
    let mut bench = Bench::new();
    bench.queue_reduce();
    bench.stream.synchronize().unwrap();
    let mut calls = Vec::new();
    let Bench {
        stream,
        input,
        output,
        ..
    } = &mut bench;
    let graph = Graph::capture(stream, || {
        let mut queue = || reduce_into::<Sum, _>(gpu(), stream, input, output).unwrap();
        calls = driver_calls(&mut queue);
    });
    let expected = ["cuCtxGetCurrent", "cuStreamIsCapturing", "cuLaunchKernel"];
    assert_eq!(calls, expected);

    output.copy_from(&[0.0f32; 20_000][..]).unwrap();
    // SAFETY: the buffers live on, and nothing else is on the stream.
    unsafe { graph.launch(stream) };
    stream.synchronize().unwrap();
    assert_eq!(output.as_host_vec().unwrap()[0], 20_000.0);
}

#[test]
fn a_warm_call_that_waits_copies_nothing() {
    let mut bench = Bench::new();
    bench.scan();
    bench.reduce();
    let expected = [
        "cuCtxGetCurrent",
        "cuPointerGetAttributes",
        "cuLaunchKernelEx",
        "cuStreamSynchronize",
    ];
    assert_eq!(driver_calls(|| bench.reduce()), expected);
    let expected = [
        "cuCtxGetCurrent",
        "cuPointerGetAttributes",
        "cuPointerGetAttributes",
        "cuLaunchKernelEx",
        "cuStreamSynchronize",
    ];
    assert_eq!(driver_calls(|| bench.scan()), expected);
}

#[test]
fn a_warm_call_on_a_short_slice_copies_once_each_way() {
    let _bench = Bench::new();
    let items = [1.0f32; 1000];
    let sum = || assert_eq!(gpu_sum(&items), Ok(1000.0));
    let scan = || assert_eq!(gpu_inclusive_scan::<Sum, _>(&items).unwrap()[999], 1000.0);
    sum();
    scan();
    let expected = [
        "cuCtxGetCurrent",
        "cuMemcpyHtoDAsync_v2",
        "cuStreamGetId",
        "cuLaunchKernelEx",
        "cuStreamSynchronize",
    ];
    assert_eq!(record(sum).1, expected);
    let expected = [
        "cuCtxGetCurrent",
        "cuMemcpyHtoDAsync_v2",
        "cuStreamGetId",
        "cuLaunchKernelEx",
        "cuMemcpyDtoHAsync_v2",
        "cuStreamSynchronize",
    ];
    assert_eq!(record(scan).1, expected);
    assert_eq!(allocations_of(sum), 0);
    assert_eq!(allocations_of(scan), 1, "the results");
}

#[test]
fn a_warm_call_on_a_long_slice_makes_nothing() {
    let _bench = Bench::new();
    // Five pieces.
    let items = vec![1.0f32; (1 << 19) + 1];
    let sum = || assert_eq!(gpu_sum(&items), Ok(524_289.0));
    sum();
    let piece = [
        "cuMemcpyHtoDAsync_v2",
        "cuEventRecord",
        "cuStreamWaitEvent",
        "cuLaunchKernelEx",
        "cuEventRecord",
        "cuStreamWaitEvent",
    ];
    let wait = ["cuStreamSynchronize"];
    let expected = [
        &["cuCtxGetCurrent", "cuStreamGetId"][..],
        &piece,
        &piece,
        // From now on the piece before the last is waited for.
        &[&piece[..], &wait].concat(),
        &[&piece[..], &wait].concat(),
        &[&piece[..], &wait].concat(),
        // The last two, and the stream with the kernels.
        &["cuStreamSynchronize"; 3],
    ];
    assert_eq!(record(sum).1, expected.concat());
}

#[test]
fn whose_memory_it_is_is_asked_once_on_a_stream() {
    let mut bench = Bench::new();
    bench.queue_reduce();
    bench.input = DeviceBuffer::from_slice(&[2.0f32; 20_000]).unwrap();
    let asks = |calls: &[&str]| calls.contains(&"cuPointerGetAttributes");
    assert!(asks(&driver_calls(|| bench.queue_reduce())));
    assert!(!asks(&driver_calls(|| bench.queue_reduce())));
    bench.stream.synchronize().unwrap();
}

#[test]
fn a_warm_call_allocates_nothing() {
    let mut bench = Bench::new();
    let calls = [
        Bench::queue_reduce,
        Bench::queue_scan,
        Bench::reduce,
        Bench::scan,
    ];
    for call in calls {
        call(&mut bench);
        assert_eq!(allocations_of(|| call(&mut bench)), 0);
    }
    let counted = allocations_of(|| drop(Box::new([0u8; 100])));
    assert_eq!(counted, 1, "the count counts");
}
