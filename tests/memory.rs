//! The memory that a `Gpu` keeps between calls is bounded for any number of threads and streams. A graph returns its workspace when it is
//! destroyed. `trim` frees all kept memory except that of kernels and graphs.
//!
//! On a real device, the used memory of the whole GPU is measured. So nothing else may use the GPU meanwhile, not even another test
//! executable. The `run.sh` of `cargo xtask bundle` therefore runs this executable alone.

#[path = "common/child.rs"]
mod child;
mod common;
#[path = "common/graph.rs"]
mod graph;

use std::sync::{Mutex, PoisonError};
use std::thread;

use child::in_child;
use common::gpu;
use cust::memory::DeviceBuffer;
use cust::stream::{Stream, StreamFlags};
use graph::Graph;
use virtual_gpu::driver::live;
use warpfold::{Equal, Gpu, Sum, cust, gpu_sum, reduce, scan};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Bytes of the smallest workspace.
const WORKSPACE: u64 = 128 * KIB;

/// The live objects of the process; on a real device, only the used device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    device_bytes: u64,
    /// 0 on a real device, where it is not known.
    pinned_bytes: u64,
    streams: usize,
}

impl Held {
    fn now() -> Self {
        match live() {
            Some(live) => Self {
                device_bytes: live.allocated_bytes,
                pinned_bytes: live.pinned_bytes,
                streams: live.streams,
            },
            None => {
                let (free, total) = cust::memory::mem_get_info().unwrap();
                Self {
                    device_bytes: (total - free) as u64,
                    pinned_bytes: 0,
                    streams: 0,
                }
            }
        }
    }

    /// Fails if the process holds more than these amounts in addition to `before`. A real driver also uses memory for its streams and
    /// threads.
    fn check_since(self, before: Self, device_bytes: u64, pinned_bytes: u64, streams: usize) {
        let slack = if live().is_some() { 0 } else { 64 * MIB };
        let more = Self {
            device_bytes: self.device_bytes.saturating_sub(before.device_bytes),
            pinned_bytes: self.pinned_bytes.saturating_sub(before.pinned_bytes),
            streams: self.streams.saturating_sub(before.streams),
        };
        assert!(more.device_bytes <= device_bytes + slack, "{more:?}");
        assert!(more.pinned_bytes <= pinned_bytes, "{more:?}");
        assert!(more.streams <= streams, "{more:?}");
    }
}

fn stream() -> Stream {
    Stream::new(StreamFlags::DEFAULT, None).unwrap()
}

/// Runs `body` in a process of its own, since the live objects of the process are counted. On a real device, `warm_up` runs first, because
/// the driver keeps memory for streams and threads. `body` gets the amounts that are held when it begins.
fn alone(test: &str, warm_up: impl FnOnce(), body: impl FnOnce(&Gpu, Held)) {
    // Tests that run at the same time would share the memory of a real device.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    in_child(test, &[], || {
        let gpu = gpu();
        assert_eq!(gpu_sum(&[1u64, 2]), Ok(3));
        assert_eq!(gpu_sum(&[1u32, 2]), Ok(3));
        let scanned = scan::<Sum, _>(&[1u64, 2]).wait(Gpu::global());
        assert_eq!(scanned, Ok(vec![1, 3]));
        if live().is_none() {
            warm_up();
        }
        gpu.trim().unwrap();
        let before = Held::now();
        body(gpu, before);
        gpu.trim().unwrap();
        Held::now().check_since(before, 0, 0, 0);
    });
}

/// Sums 100 items on each of 64 threads.
fn sum_short_slices() {
    thread::scope(|scope| {
        for number in 0..64 {
            scope.spawn(move || {
                let items: Vec<u64> = (0..100).map(|item| item + number).collect();
                assert_eq!(gpu_sum(&items), Ok(4950 + 100 * number));
            });
        }
    });
}

/// On each of 64 threads, scans 70,000 items, which are too many for a transfer lane of short slices.
fn scan_long_slices() {
    thread::scope(|scope| {
        for number in 0..64 {
            scope.spawn(move || {
                let items: Vec<u64> = (0..70_000).map(|item| item + number).collect();
                let scan = scan::<Sum, _>(&items).wait(Gpu::global()).unwrap();
                assert_eq!(scan[69_999], 69_999 * 35_000 + 70_000 * number);
            });
        }
    });
}

fn make_a_thousand_streams() {
    drop((0..1000).map(|_| stream()).collect::<Vec<_>>());
}

#[test]
fn short_slices_on_many_threads_keep_a_few_lanes() {
    let test = "short_slices_on_many_threads_keep_a_few_lanes";
    alone(test, sum_short_slices, |_, before| {
        sum_short_slices();
        let lane = 512 * KIB;
        let results = 16 * 4 * KIB;
        Held::now().check_since(before, 16 * (lane + WORKSPACE), 16 * lane + results, 16);
    });
}

#[test]
fn long_slices_on_many_threads_keep_the_lanes_of_one_call() {
    let test = "long_slices_on_many_threads_keep_the_lanes_of_one_call";
    alone(test, scan_long_slices, |_, before| {
        scan_long_slices();
        let lanes = 20 * 4 * MIB;
        let calls = 16 * (WORKSPACE + 4 * KIB);
        Held::now().check_since(before, lanes + calls, lanes + calls, 36);
    });
}

#[test]
fn a_thousand_streams_keep_a_few_workspaces() {
    alone(
        "a_thousand_streams_keep_a_few_workspaces",
        make_a_thousand_streams,
        |gpu, before| {
            let input = DeviceBuffer::from_slice(&[1u32, 2, 3]).unwrap();
            let mut sum = DeviceBuffer::from_slice(&[0u32]).unwrap();
            for _ in 0..1000 {
                let stream = stream();
                reduce::<Sum, _>(&input)
                    .to(&mut sum)
                    .queue(gpu, &stream)
                    .unwrap();
                stream.synchronize().unwrap();
            }
            let at_rest = (256 + 96) * WORKSPACE;
            Held::now().check_since(before, at_rest, 0, 0);

            // A thousand streams that are alive at once, each with an output of its own.
            let sums = DeviceBuffer::from_slice(&[0u32; 1000]).unwrap();
            let streams: Vec<Stream> = (0..1000).map(|_| stream()).collect();
            for (place, stream) in streams.iter().enumerate() {
                let mut sum = sums.index(place..place + 1);
                reduce::<Sum, _>(&input)
                    .to(&mut sum)
                    .queue(gpu, stream)
                    .unwrap();
            }
            for stream in &streams {
                stream.synchronize().unwrap();
            }
            assert_eq!(sums.as_host_vec().unwrap(), [6; 1000]);
            drop((streams, sums));
            Held::now().check_since(before, at_rest + 8 * KIB, 0, 0);
            drop((input, sum));
        },
    );
}

#[test]
fn graphs_return_their_workspaces() {
    let test = "graphs_return_their_workspaces";
    alone(test, make_a_thousand_streams, |gpu, before| {
        let input = DeviceBuffer::from_slice(&[1u32, 2, 3]).unwrap();
        let mut sum = DeviceBuffer::from_slice(&[0u32]).unwrap();
        let capture = |sum: &mut DeviceBuffer<u32>| {
            let stream = stream();
            let graph = Graph::capture(&stream, || {
                reduce::<Sum, _>(&input)
                    .to(sum)
                    .queue(gpu, &stream)
                    .unwrap();
            });
            // SAFETY: the captured buffers outlive the `synchronize` below.
            unsafe { graph.launch(&stream) };
            stream.synchronize().unwrap();
            graph
        };
        // A hundred graphs one after the other, and a hundred that are alive at once.
        for _ in 0..100 {
            drop(capture(&mut sum));
        }
        let graphs: Vec<Graph> = (0..100).map(|_| capture(&mut sum)).collect();
        assert_eq!(sum.as_host_vec().unwrap(), [6]);
        // Leaked workspaces would take less memory than a real driver takes for a hundred graphs. So here only the virtual GPU's memory is
        // checked.
        if live().is_some() {
            let workspaces = (100 + 32 + 16) * WORKSPACE;
            Held::now().check_since(before, workspaces + 8 * KIB, 64 * KIB, 16);
        }
        drop(graphs);
        // A real driver may report the end of a graph late.
        thread::sleep(std::time::Duration::from_millis(if live().is_some() {
            0
        } else {
            500
        }));
        assert_eq!(gpu_sum(&[1u32, 2]), Ok(3));
        let lane = 512 * KIB + WORKSPACE;
        Held::now().check_since(before, (32 + 16) * WORKSPACE + lane + 8 * KIB, MIB, 17);
        drop((input, sum));
    });
}

#[test]
fn a_capture_keeps_few_workspaces() {
    const COLUMNS: usize = 9000;
    let test = "a_capture_keeps_few_workspaces";
    alone(
        test,
        || (),
        |gpu, _| {
            let matrix = DeviceBuffer::from_slice(&vec![1u8; 257 * COLUMNS]).unwrap();
            let mut sums = DeviceBuffer::from_slice(&[0u8; COLUMNS]).unwrap();
            let keys = DeviceBuffer::from_slice(&[1u32, 1, 2]).unwrap();
            let mut scanned = DeviceBuffer::from_slice(&[0u32; 3]).unwrap();
            let stream = stream();
            let before = Held::now();
            let graph = Graph::capture(&stream, || {
                for _ in 0..50 {
                    // This call needs more state words than the smallest workspace has.
                    reduce::<Sum, _>(&matrix)
                        .columns(COLUMNS)
                        .to(&mut sums)
                        .queue(gpu, &stream)
                        .unwrap();
                    // This call needs room for heads, and few state words.
                    scan::<Sum, _>(&keys)
                        .by_key::<Equal, _>(&keys)
                        .reversed()
                        .to(&mut scanned)
                        .queue(gpu, &stream)
                        .unwrap();
                }
            });
            Held::now().check_since(before, 3 * WORKSPACE, 0, 1);
            drop((graph, matrix, sums, keys, scanned));
        },
    );
}

#[test]
fn a_reused_stream_keeps_one_workspace() {
    let test = "a_reused_stream_keeps_one_workspace";
    alone(
        test,
        || (),
        |gpu, before| {
            let items = vec![1u64; 3000];
            let input = DeviceBuffer::from_slice(&items).unwrap();
            let mut output = DeviceBuffer::from_slice(&items).unwrap();
            let stream = stream();
            for _ in 0..100 {
                scan::<Sum, _>(&input)
                    .to(&mut output)
                    .queue(gpu, &stream)
                    .unwrap();
            }
            stream.synchronize().unwrap();
            Held::now().check_since(before, WORKSPACE + 64 * KIB, 0, 1);
            drop((input, output));
        },
    );
}

#[test]
fn kept_memory_is_freed_when_memory_is_short() {
    let variables = [("VIRTUAL_GPU_MEMORY", "64M")];
    let test = "kept_memory_is_freed_when_memory_is_short";
    in_child(test, &variables, || {
        let gpu = gpu();
        let input = DeviceBuffer::from_slice(&[1u32, 2, 3]).unwrap();
        let mut sum = DeviceBuffer::from_slice(&[0u32]).unwrap();
        for _ in 0..2000 {
            let stream = stream();
            reduce::<Sum, _>(&input)
                .to(&mut sum)
                .queue(gpu, &stream)
                .unwrap();
            stream.synchronize().unwrap();
        }
        assert_eq!(gpu_sum(&[1u32, 2]), Ok(3));
        let long = vec![1u32; 4_000_000];
        assert_eq!(gpu_sum(&long), Ok(4_000_000));
    });
}
