//! Tests the library's calls during a capture, in each capture mode. The calls are made by the capturing thread or another thread, and some
//! are the first calls of a `Gpu`. No call may end a capture, or be captured by accident. Calls that are not possible during a capture are
//! refused with a specific error.
//!
//! A synchronous copy by `cust`, on any thread, ends a capture of one of `cust`'s streams. So the tests run one at a time.

mod common;
#[path = "common/graph.rs"]
mod graph;
#[path = "captures/shapes.rs"]
mod shapes;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use common::gpu;
use cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use cust::stream::{Stream, StreamFlags};
use graph::{CaptureMode, Graph};
use warpfold::{Equal, Error, Gpu, Result, Sum, WideSum, cust, gpu_sum, reduce, scan};

const MODES: [CaptureMode; 3] = [
    CaptureMode::Global,
    CaptureMode::ThreadLocal,
    CaptureMode::Relaxed,
];

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn stream() -> Stream {
    Stream::new(StreamFlags::DEFAULT, None).unwrap()
}

/// The memory that the calls use.
struct Data {
    items: Vec<u32>,
    total: u32,
    input: DeviceBuffer<u32>,
    /// Outputs for results that no test checks. Each call takes a separate part, since calls on different streams may run at the same time.
    results: DeviceBuffer<u32>,
    results_taken: AtomicUsize,
    counts: DeviceBuffer<u64>,
    counts_taken: AtomicUsize,
}

impl Data {
    fn new(count: u32) -> Self {
        let _gpu = gpu();
        let items: Vec<u32> = (0..count).collect();
        Self {
            total: items.iter().fold(0, |sum, &item| sum.wrapping_add(item)),
            input: DeviceBuffer::from_slice(&items).unwrap(),
            results: DeviceBuffer::from_slice(&[0; 1 << 14]).unwrap(),
            results_taken: AtomicUsize::new(0),
            counts: DeviceBuffer::from_slice(&[0; 64]).unwrap(),
            counts_taken: AtomicUsize::new(0),
            items,
        }
    }

    /// Room for `count` results.
    fn room(&self, count: usize) -> DeviceSlice<u32> {
        let place = self.results_taken.fetch_add(count, Ordering::Relaxed);
        self.results.index(place..place + count)
    }

    /// Room for a count.
    fn count(&self) -> DeviceSlice<u64> {
        let place = self.counts_taken.fetch_add(1, Ordering::Relaxed);
        self.counts.index(place..place + 1)
    }
}

/// The result of a call during a capture of one of `cust`'s streams.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    /// The call does its work.
    Done,
    /// The call is refused, since it would use the default stream.
    Refused,
}

/// A call that is made during a capture.
struct Case {
    name: &'static str,
    outcome: Outcome,
    call: fn(&Gpu, &Data) -> Result<()>,
}

/// These cases and [`shapes::CASES`] test each row of the table of captures in the crate's documentation, for captures of a blocking
/// stream.
const CASES: [Case; 11] = [
    Case {
        name: "gpu_sum, short",
        outcome: Outcome::Done,
        call: |_, data| {
            let sum = gpu_sum(&data.items)?;
            assert_eq!(sum, data.total);
            Ok(())
        },
    },
    Case {
        name: "gpu_sum, long",
        outcome: Outcome::Done,
        call: |_, _| {
            let sum = gpu_sum(&vec![1u32; 300_000])?;
            assert_eq!(sum, 300_000);
            Ok(())
        },
    },
    Case {
        name: "gpu_inclusive_scan, long",
        outcome: Outcome::Done,
        call: |_, _| {
            let scan = scan::<Sum, _>(&vec![1u32; 300_000]).wait(Gpu::global())?;
            assert_eq!(scan[299_999], 300_000);
            Ok(())
        },
    },
    Case {
        name: "a reduction on another stream",
        outcome: Outcome::Done,
        call: |gpu, data| {
            let mut sum = data.room(1);
            reduce::<Sum, _>(&data.input)
                .to(&mut sum)
                .queue(gpu, &stream())
        },
    },
    Case {
        name: "trim",
        outcome: Outcome::Done,
        call: |gpu, _| gpu.trim(),
    },
    Case {
        name: "make_current",
        outcome: Outcome::Done,
        call: |gpu, _| gpu.make_current(),
    },
    Case {
        name: "making and dropping a Gpu",
        outcome: Outcome::Done,
        call: |_, _| Gpu::new().map(drop),
    },
    Case {
        name: "reduce",
        outcome: Outcome::Refused,
        call: |gpu, data| reduce::<Sum, _>(&data.input).wait(gpu).map(drop),
    },
    Case {
        name: "inclusive_scan",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            let mut output = data.input.index(..);
            scan::<Sum, _>(&data.input).to(&mut output).wait(gpu)
        },
    },
    Case {
        name: "inclusive_scan_in_place",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            scan::<Sum, _>(&mut data.input.index(..))
                .in_place()
                .wait(gpu)
        },
    },
    Case {
        name: "synchronize",
        outcome: Outcome::Refused,
        call: |gpu, _| gpu.synchronize(),
    },
];

/// Makes a call while a sum is captured, and then checks that the graph computes the sum.
fn beside_a_capture(
    mode: CaptureMode,
    gpu: &Gpu,
    data: &Data,
    call: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let stream = stream();
    let mut sum = DeviceBuffer::from_slice(&[7u32]).unwrap();
    let mut outcome = Ok(());
    let graph = Graph::capture_in(mode, &stream, || {
        reduce::<Sum, _>(&data.input)
            .to(&mut sum)
            .queue(gpu, &stream)
            .unwrap();
        outcome = call();
    });
    // SAFETY: the captured buffers outlive the `synchronize` below.
    unsafe { graph.launch(&stream) };
    stream.synchronize().unwrap();
    let mut found = [0];
    sum.copy_to(&mut found).unwrap();
    assert_eq!(found, [data.total], "mode {mode:?}");
    outcome
}

fn check(case: &Case, how: &str, mode: CaptureMode, outcome: &Result<()>) {
    let what = format!("{}, {how}, mode {mode:?}: {outcome:?}", case.name);
    match case.outcome {
        Outcome::Done => assert_eq!(*outcome, Ok(()), "{what}"),
        Outcome::Refused => assert_eq!(*outcome, Err(Error::CaptureUnderWay), "{what}"),
    }
}

#[test]
fn no_call_ends_or_joins_a_capture() {
    let (_alone, gpu) = (alone(), gpu());
    let data = Data::new(50_000);
    for case in CASES.iter().chain(&shapes::CASES) {
        for mode in MODES {
            let outcome = beside_a_capture(mode, gpu, &data, || (case.call)(gpu, &data));
            check(case, "same thread", mode, &outcome);
            let outcome = beside_a_capture(mode, gpu, &data, || {
                thread::scope(|scope| {
                    let elsewhere = scope.spawn(|| {
                        gpu.make_current()?;
                        (case.call)(gpu, &data)
                    });
                    elsewhere.join().unwrap()
                })
            });
            check(case, "other thread", mode, &outcome);
        }
    }
    // Without a capture, the cases succeed. The two cases that would overwrite the input are left out.
    assert_eq!(reduce::<Sum, _>(&data.input).wait(gpu), Ok(data.total));
    let apart = |case: &&Case| !["inclusive_scan", "inclusive_scan_in_place"].contains(&case.name);
    let cases = CASES.iter().filter(apart);
    for case in cases.chain(&shapes::CASES) {
        assert_eq!((case.call)(gpu, &data), Ok(()), "{}", case.name);
    }
}

#[test]
fn the_first_calls_of_a_gpu_can_be_captured_and_end_no_capture() {
    let _alone = alone();
    let data = Data::new(20_000);
    for mode in MODES {
        // This `Gpu` compiles its kernels and allocates its memory during the capture.
        let cold = Gpu::new().unwrap();
        let (stream, other) = (stream(), stream());
        let mut sums = DeviceBuffer::from_slice(&[0u64; 2]).unwrap();
        let (mut first, mut second) = (sums.index(..1), sums.index(1..));
        let graph = Graph::capture_in(mode, &stream, || {
            reduce::<WideSum, _>(&data.input)
                .to(&mut first)
                .queue(&cold, &stream)
                .unwrap();
            reduce::<WideSum, _>(&data.input)
                .to(&mut second)
                .queue(&cold, &other)
                .unwrap();
        });
        // The work on `other` was queued, not captured.
        other.synchronize().unwrap();
        let total: u64 = data.items.iter().map(|&item| u64::from(item)).sum();
        assert_eq!(sums.as_host_vec().unwrap(), [0, total], "mode {mode:?}");
        for _ in 0..2 {
            sums.copy_from(&[0, 0][..]).unwrap();
            // SAFETY: the captured buffers outlive the `synchronize` below.
            unsafe { graph.launch(&stream) };
            stream.synchronize().unwrap();
            assert_eq!(sums.as_host_vec().unwrap(), [total, 0], "mode {mode:?}");
        }
        drop(graph);
    }
}

#[test]
fn a_graph_may_run_while_its_captured_stream_runs() {
    let (_alone, gpu) = (alone(), gpu());
    let data = Data::new(300_000);
    let (stream, elsewhere) = (stream(), stream());
    let mut captured = DeviceBuffer::from_slice(&vec![0u32; data.items.len()]).unwrap();
    let mut queued = DeviceBuffer::from_slice(&vec![0u32; data.items.len()]).unwrap();
    let graph = Graph::capture(&stream, || {
        scan::<Sum, _>(&data.input)
            .to(&mut captured)
            .queue(gpu, &stream)
            .unwrap();
    });
    for _ in 0..3 {
        // SAFETY: the captured buffers outlive the `synchronize` below.
        unsafe { graph.launch(&elsewhere) };
        scan::<Sum, _>(&data.input)
            .to(&mut queued)
            .queue(gpu, &stream)
            .unwrap();
    }
    elsewhere.synchronize().unwrap();
    stream.synchronize().unwrap();
    let expected = warpfold::scan::<Sum, _>(&data.items)
        .wait(warpfold::Cpu)
        .unwrap();
    assert!(captured.as_host_vec().unwrap() == expected);
    assert!(queued.as_host_vec().unwrap() == expected);
}

#[test]
fn larger_calls_in_one_capture_get_larger_workspaces() {
    let (_alone, gpu) = (alone(), gpu());
    let data = Data::new(20_000);
    let stream = stream();
    let mut sums = DeviceBuffer::from_slice(&[0u32; 2]).unwrap();
    let (mut first, mut second) = (sums.index(..1), sums.index(1..));
    let zeros = vec![0u32; data.items.len()];
    let mut scanned = DeviceBuffer::from_slice(&zeros).unwrap();
    for _ in 0..3 {
        let graph = Graph::capture(&stream, || {
            let some = data.input.index(..5);
            reduce::<Sum, _>(&some)
                .to(&mut first)
                .queue(gpu, &stream)
                .unwrap();
            // The smallest workspace has no room for the heads of this scan.
            scan::<Sum, _>(&data.input)
                .by_key::<Equal, _>(&data.input)
                .reversed()
                .to(&mut scanned)
                .queue(gpu, &stream)
                .unwrap();
            reduce::<Sum, _>(&data.input)
                .to(&mut second)
                .queue(gpu, &stream)
                .unwrap();
        });
        // SAFETY: the captured buffers outlive the `synchronize` below.
        unsafe { graph.launch(&stream) };
        stream.synchronize().unwrap();
        assert_eq!(sums.as_host_vec().unwrap(), [10, data.total]);
        // All keys differ, so each result is the item itself.
        assert!(scanned.as_host_vec().unwrap() == data.items);
        sums.copy_from(&[0, 0][..]).unwrap();
        scanned.copy_from(&zeros[..]).unwrap();
    }
}
