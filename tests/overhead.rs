//! The host's cost of a warm call. Such a call makes exactly the driver calls that are listed here, and allocates nothing but the results
//! that it returns.
//!
//! A waiting call on device memory is refused while another thread captures a blocking stream. One test captures such a stream, so the
//! tests run one after the other.

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
use warpfold::{Gpu, Sum, cust, gpu_sum, reduce, scan};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The stream and the memory that the calls use. Only one test at a time has them.
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
        reduce::<Sum, _>(&self.input)
            .to(&mut self.output)
            .queue(gpu(), &self.stream)
            .unwrap();
    }

    fn queue_scan(&mut self) {
        scan::<Sum, _>(&self.input)
            .to(&mut self.output)
            .queue(gpu(), &self.stream)
            .unwrap();
    }

    fn reduce(&mut self) {
        assert_eq!(reduce::<Sum, _>(&self.input).wait(gpu()), Ok(20_000.0));
    }

    fn scan(&mut self) {
        scan::<Sum, _>(&self.input)
            .to(&mut self.output)
            .wait(gpu())
            .unwrap();
    }
}

/// The driver calls of `work`, without the call that makes the context current for the test itself, and without the calls that begin and
/// end every call of the library.
fn driver_calls(work: impl FnOnce()) -> Vec<&'static str> {
    let ((), mut calls) = record(work);
    assert_eq!(calls.remove(0), "cuCtxSetCurrent");
    inner(calls)
}

/// The driver calls of a call of the library, without the first two and the last one, which every call makes.
fn inner(calls: Vec<&'static str>) -> Vec<&'static str> {
    let mode = "cuThreadExchangeStreamCaptureMode";
    let [first, second, inner @ .., last] = &calls[..] else {
        panic!("{calls:?}")
    };
    assert_eq!([*first, *second, *last], ["cuCtxGetCurrent", mode, mode]);
    inner.to_vec()
}

#[test]
fn a_warm_queued_call_makes_four_queries_and_one_launch() {
    let mut bench = Bench::new();
    bench.queue_scan();
    bench.queue_reduce();
    let expected = [
        "cuStreamGetCaptureInfo_v2",
        "cuStreamGetId",
        "cuPointerGetAttributes",
        "cuPointerGetAttributes",
        "cuLaunchKernelEx",
    ];
    assert_eq!(driver_calls(|| bench.queue_reduce()), expected);
    assert_eq!(driver_calls(|| bench.queue_scan()), expected);
    bench.stream.synchronize().unwrap();
}

#[test]
fn a_second_captured_call_prepares_nothing() {
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
        let mut queue = || {
            reduce::<Sum, _>(&*input)
                .to(&mut *output)
                .queue(gpu(), stream)
                .unwrap()
        };
        queue();
        calls = driver_calls(&mut queue);
    });
    let expected = [
        "cuStreamGetCaptureInfo_v2",
        "cuStreamGetCtx",
        "cuPointerGetAttributes",
        "cuPointerGetAttributes",
        "cuLaunchKernel",
    ];
    assert_eq!(calls, expected);

    output.copy_from(&[0.0f32; 20_000][..]).unwrap();
    // SAFETY: the captured buffers outlive the `synchronize` below.
    unsafe { graph.launch(stream) };
    stream.synchronize().unwrap();
    assert_eq!(output.as_host_vec().unwrap()[0], 20_000.0);
}

#[test]
fn a_warm_call_that_waits_copies_nothing() {
    let mut bench = Bench::new();
    bench.scan();
    bench.reduce();
    // The call runs on one of the library's streams, after the queued work of the default stream.
    let order = [
        "cuCtxGetCurrent",
        "cuStreamIsCapturing",
        "cuEventRecord",
        "cuStreamWaitEvent",
    ];
    let work = ["cuLaunchKernelEx", "cuStreamSynchronize"];
    let expected = [&order[..], &["cuPointerGetAttributes"], &work].concat();
    assert_eq!(driver_calls(|| bench.reduce()), expected);
    let expected = [&order[..], &["cuPointerGetAttributes"; 2], &work].concat();
    assert_eq!(driver_calls(|| bench.scan()), expected);
}

#[test]
fn a_warm_call_on_a_short_slice_copies_once_each_way() {
    let _bench = Bench::new();
    let items = [1.0f32; 1000];
    let sum = || assert_eq!(gpu_sum(&items), Ok(1000.0));
    let scan = || {
        assert_eq!(
            scan::<Sum, _>(&items).wait(Gpu::global()).unwrap()[999],
            1000.0
        )
    };
    sum();
    scan();
    // The call asks for the current context when it takes a transfer lane, and again when it uses the lane. It also checks the lane's
    // memory.
    let upload = [
        "cuCtxGetCurrent",
        "cuPointerGetAttributes",
        "cuCtxGetCurrent",
        "cuMemcpyHtoDAsync_v2",
    ];
    let expected = [&upload[..], &["cuLaunchKernelEx", "cuStreamSynchronize"]].concat();
    assert_eq!(inner(record(sum).1), expected);
    let work = [
        "cuLaunchKernelEx",
        "cuMemcpyDtoHAsync_v2",
        "cuStreamSynchronize",
    ];
    let expected = [&upload[..], &work].concat();
    assert_eq!(inner(record(scan).1), expected);
    assert_eq!(allocations_of(sum), 0);
    assert_eq!(allocations_of(scan), 1, "the results");
}

#[test]
fn a_warm_call_on_a_long_slice_creates_nothing() {
    let _bench = Bench::new();
    // Five pieces.
    let items = vec![1.0f32; (1 << 19) + 1];
    let sum = || assert_eq!(gpu_sum(&items), Ok(524_289.0));
    sum();
    let piece = [
        "cuCtxGetCurrent",
        "cuMemcpyHtoDAsync_v2",
        "cuEventRecord",
        "cuStreamWaitEvent",
        "cuLaunchKernelEx",
        "cuEventRecord",
        "cuStreamWaitEvent",
    ];
    let wait = ["cuStreamSynchronize"];
    let expected = [
        // The call takes the kernels' stream, and then five transfer lanes.
        &["cuCtxGetCurrent"][..],
        &["cuCtxGetCurrent", "cuPointerGetAttributes"].repeat(5),
        &piece,
        &piece,
        // From the third piece on, the call also waits for the piece before the previous one.
        &[&piece[..], &wait].concat(),
        &[&piece[..], &wait].concat(),
        &[&piece[..], &wait].concat(),
        // The call waits for the last two pieces, and for the kernels' stream.
        &["cuStreamSynchronize"; 3],
    ];
    assert_eq!(inner(record(sum).1), expected.concat());
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
