//! Runs each kernel of `for_each_text` repeatedly, on several streams at once, while kernels of other tests also keep the device busy. The
//! results of each run have the same bits as those of the reference.

mod common;
#[path = "common/data.rs"]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "common/rows.rs"]
mod rows;
#[path = "common/texts.rs"]
mod texts;

use crate::device::{Item, Kernel};
use common::{gpu, mode};
use cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use cust::stream::{Stream, StreamFlags};
use data::{Sample, assert_same_bits, ordinary};
use rows::rows;
use texts::for_each_text;
use virtual_gpu::Mode;
use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, Gpu, LogSumExp, Max, Min, Product, Result, Sum, WideSum, cust, kind, scan};
use warpfold_kernels::contract::{SCAN_SHORT_BYTES, scan_tiles};

/// How many streams run at once.
const STREAMS: usize = 4;

/// How often a kernel runs.
fn runs() -> usize {
    match mode() {
        Mode::Real => 20,
        Mode::Virtual => STREAMS,
    }
}

/// The number of items: enough for several blocks. On a real device, it is also enough for a long scan.
fn item_count<T>() -> usize {
    match mode() {
        Mode::Real => SCAN_SHORT_BYTES as usize / size_of::<T>() * 5 / 4 + 77,
        Mode::Virtual => 2 * scan_tiles::<T>().items(0) as usize + 77,
    }
}

/// Queues a run.
type Queue<T, R> = fn(&Gpu, &Stream, &DeviceSlice<T>, &mut DeviceSlice<R>) -> Result<()>;

fn reduce<O: Kernel<kind::reduce, T>, T: Sample>() {
    let items = ordinary::<O, T>(item_count::<T>());
    let expected = [warpfold::reduce::<O, _>(&items).wait(Cpu).unwrap()];
    let queue: Queue<T, O::Output> = |gpu, stream, input, output| {
        warpfold::reduce::<O, _>(input)
            .to(output)
            .queue(gpu, stream)
    };
    repeat(queue, &items, &expected);
}

fn inclusive_scan<O: Kernel<kind::inclusive_scan, T, Output = T>, T: Sample>() {
    let items = ordinary::<O, T>(item_count::<T>());
    let expected = scan::<O, _>(&items).wait(Cpu).unwrap();
    let queue: Queue<T, T> =
        |gpu, stream, input, output| scan::<O, _>(input).to(output).queue(gpu, stream);
    repeat(queue, &items, &expected);
}

fn exclusive_scan<O: Kernel<kind::exclusive_scan, T, Output = T>, T: Sample>() {
    let items = ordinary::<O, T>(item_count::<T>());
    let expected = scan::<O, _>(&items).exclusive().wait(Cpu).unwrap();
    let queue: Queue<T, T> = |gpu, stream, input, output| {
        let request = scan::<O, _>(input).exclusive().to(output);
        request.queue(gpu, stream)
    };
    repeat(queue, &items, &expected);
}

fn repeat<T: Item, R: Item>(queue: Queue<T, R>, items: &[T], expected: &[R]) {
    let gpu = gpu();
    let streams: Vec<Stream> = (0..STREAMS)
        .map(|_| Stream::new(StreamFlags::NON_BLOCKING, None).unwrap())
        .collect();
    let input = DeviceBuffer::from_slice(items).unwrap();
    // Few of the expected results are 0, so the comparison reveals an output that is not written.
    let before = vec![R::zeroed(); expected.len()];
    let output = || DeviceBuffer::from_slice(&before).unwrap();
    let mut outputs: Vec<DeviceBuffer<R>> = (0..runs()).map(|_| output()).collect();
    for (stream, output) in streams.iter().cycle().zip(&mut outputs) {
        queue(gpu, stream, &input, output).unwrap();
    }
    for stream in &streams {
        stream.synchronize().unwrap();
    }
    for (run, output) in outputs.iter().enumerate() {
        let mut found = before.clone();
        output.copy_to(&mut found).unwrap();
        assert_same_bits(&found, expected, &format!("run {run}"));
    }
}

for_each_text!(rows);
