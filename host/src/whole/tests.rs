//! Calls in several launches. If a call stops after some of its launches, later calls still return the right results.

use std::ops::Range;

use cust::memory::DeviceBuffer;
use warpfold_kernels::contract::{reduce_tile_items, scan_tiles};
use warpfold_kernels::op::Sum;

use super::*;
use crate::binding::{Lend, User};
use crate::gpu::Gpu;
use crate::kernel::{Kernel, kind};
use crate::{Cpu, reduce, scan};

fn span<T: bytemuck::Pod + cust::memory::DeviceCopy>(buffer: &DeviceBuffer<T>) -> Span {
    buffer.lend_span(User::WaitingCall).span
}

/// Numbers whose sum rounds.
fn items(count: u64) -> Vec<f32> {
    (0..count).map(|index| 1.0 / (index + 1) as f32).collect()
}

fn reduce_pieces(gpu: &Gpu, input: &DeviceBuffer<f32>, pieces: &[Range<u64>]) -> f32 {
    let output = DeviceBuffer::from_slice(&[0.0f32]).unwrap();
    let row = <Sum as Kernel<kind::reduce, f32>>::row();
    gpu.enter(|entered| {
        let mut call = entered.ordered_call()?;
        let mut queue = Queue::for_caller(entered, &call);
        pieces.iter().try_for_each(|chunks| {
            let output = span(&output).address;
            // SAFETY: both buffers are aligned memory of the context, do not overlap, and live until the work is waited for.
            unsafe { queue.reduce_piece(row, span(input), chunks.clone(), output) }
        })?;
        drop(queue);
        call.wait()
    })
    .unwrap();
    output.as_host_vec().unwrap()[0]
}

fn scan_pieces(gpu: &Gpu, input: &DeviceBuffer<f32>, pieces: &[Range<u64>]) -> Vec<f32> {
    let output = DeviceBuffer::from_slice(&vec![0.0f32; input.len()]).unwrap();
    let row = <Sum as Kernel<kind::inclusive_scan, f32>>::row();
    gpu.enter(|entered| {
        let mut call = entered.ordered_call()?;
        let mut queue = Queue::for_caller(entered, &call);
        pieces.iter().try_for_each(|tiles| {
            let (input, output) = (span(input), span(&output).address);
            // SAFETY: both buffers are aligned memory of the context, do not overlap, and live until the work is waited for.
            unsafe { queue.scan_piece(row, input, output, tiles.clone()) }
        })?;
        drop(queue);
        call.wait()
    })
    .unwrap();
    output.as_host_vec().unwrap()
}

#[test]
fn reductions_may_run_in_pieces_or_stop_halfway() {
    let gpu = Gpu::new().unwrap();
    gpu.make_current().unwrap();
    let items = items(3 * reduce_tile_items::<f32>() + 5);
    let expected = reduce::<Sum, _>(&items).wait(Cpu).unwrap();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    assert_eq!(reduce_pieces(&gpu, &input, &[0..1, 1..4]), expected);
    assert_eq!(reduce_pieces(&gpu, &input, &[0..2, 2..3, 3..4]), expected);
    reduce_pieces(&gpu, &input, &[0..2, 2..3]);
    assert_eq!(reduce::<Sum, _>(&input).wait(&gpu), Ok(expected));
}

#[test]
fn scans_may_run_in_pieces_or_stop_halfway() {
    let gpu = Gpu::new().unwrap();
    gpu.make_current().unwrap();
    let items = items(3 * scan_tiles::<f32>().items(0) + 5);
    let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    assert_eq!(scan_pieces(&gpu, &input, &[0..1, 1..4]), expected);
    scan_pieces(&gpu, &input, &[0..2, 2..3]);
    let mut output = DeviceBuffer::from_slice(&items).unwrap();
    scan::<Sum, _>(&input).to(&mut output).wait(&gpu).unwrap();
    assert_eq!(output.as_host_vec().unwrap(), expected);
}
