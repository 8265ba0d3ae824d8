//! Calls on device memory: the host's time of calls that only queue, and the time of calls that wait.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, ensure};
use virtual_gpu::driver::time_calls;
use warpfold::cust::memory::DeviceBuffer;
use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::{Gpu, Sum, reduce, scan};

use super::{median, micros, row, time};
use crate::graph::Graph;

/// Calls that are queued before the host waits for the stream. They are too few for the driver to block the host.
const BATCH_CALLS: u32 = 500;

/// Calls that are captured into the graph.
const GRAPH_CALLS: u32 = 100;

/// Numbers of items of the calls that wait.
const WAITING_SIZES: [usize; 3] = [1, 1 << 10, 1 << 20];

pub fn measure(gpu: &Gpu, repeats: u32) -> Result<()> {
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let input = DeviceBuffer::from_slice(&[1.0f32; 1024])?;
    let mut output = DeviceBuffer::from_slice(&[0.0f32; 1024])?;

    let queue = || {
        Ok(reduce::<Sum, _>(&input)
            .to(&mut output)
            .queue(gpu, &stream)?)
    };
    queueing("queue_reduce", &stream, repeats, queue)?;
    let queue = || Ok(scan::<Sum, _>(&input).to(&mut output).queue(gpu, &stream)?);
    queueing("queue_scan", &stream, repeats, queue)?;

    let mut failure = Ok(());
    let graph = Graph::capture(&stream, || {
        for _ in 0..GRAPH_CALLS {
            let queued = reduce::<Sum, _>(&input).to(&mut output).queue(gpu, &stream);
            failure = failure.clone().and(queued);
        }
    });
    failure?;
    let replay = median(repeats, || {
        // SAFETY: the captured buffers live as long as this closure, and each launch is waited for before the next.
        unsafe { graph.launch(&stream) };
        Ok(stream.synchronize()?)
    })?;
    let of = format!("one of {GRAPH_CALLS}");
    row(
        "graph_replay",
        of,
        micros(replay) / f64::from(GRAPH_CALLS),
        "us",
    );

    for item_count in WAITING_SIZES {
        let input = DeviceBuffer::from_slice(&vec![1.0f32; item_count])?;
        let mut output = DeviceBuffer::from_slice(&vec![1.0f32; item_count])?;
        ensure!(
            reduce::<Sum, _>(&input).wait(gpu)? == item_count as f32,
            "the sum is wrong"
        );
        let waiting = median(repeats, || {
            reduce::<Sum, _>(&input).wait(gpu)?;
            Ok(())
        })?;
        row("wait_reduce", item_count, micros(waiting), "us");
        let waiting = median(repeats, || {
            Ok(scan::<Sum, _>(&input).to(&mut output).wait(gpu)?)
        })?;
        row("wait_scan", item_count, micros(waiting), "us");
    }
    Ok(())
}

/// Measures the host's time of a call that only queues, and of each driver call in it.
fn queueing(
    what: &str,
    stream: &Stream,
    repeats: u32,
    mut queue: impl FnMut() -> Result<()>,
) -> Result<()> {
    // The first call also prepares the kernel and its memory.
    queue()?;
    stream.synchronize()?;
    let mut times = Vec::new();
    for _ in 0..repeats.max(1) {
        let (queued, took) = time(|| (0..BATCH_CALLS).try_for_each(|_| queue()));
        queued?;
        times.push(took / BATCH_CALLS);
        stream.synchronize()?;
    }
    times.sort();
    let nanos = |took: Duration| took.as_secs_f64() * 1e9;
    row(what, "median call", nanos(times[times.len() / 2]), "ns");
    row(what, "least call", nanos(times[0]), "ns");

    let (queued, calls) = time_calls(|| (0..BATCH_CALLS).try_for_each(|_| queue()));
    queued?;
    stream.synchronize()?;
    let mut by_name: BTreeMap<&str, Vec<Duration>> = BTreeMap::new();
    for call in calls {
        by_name.entry(call.name).or_default().push(call.took);
    }
    for (name, mut times) in by_name {
        times.sort();
        row(what, name, nanos(times[times.len() / 2]), "ns");
    }
    Ok(())
}
