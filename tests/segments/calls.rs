//! Tests of calls that wait or are queued, with offsets of each width, on rows, on empty input, and with wrong arguments.

use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags};
use warpfold::{Argument, Cpu, Error, Max, Sum, cust, reduce};

use crate::data::{assert_same_bits, ordinary};
use crate::gpus::gpu;

#[test]
fn offsets_of_any_width_give_the_same_waiting_and_queued() {
    let gpu = gpu();
    let items = ordinary::<Sum, f32>(9000);
    let offsets = [3_usize, 3, 40, 8000, 8000, 8999];
    let expected = reduce::<Sum, _>(&items)
        .segments(&offsets)
        .wait(Cpu)
        .unwrap();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    // The output has room for one more result than there are.
    let mut output = DeviceBuffer::from_slice(&[7.5_f32; 6]).unwrap();
    let mut check = |what: &str, call: &mut dyn FnMut(&mut DeviceBuffer<f32>)| {
        output.copy_from(&[7.5; 6]).unwrap();
        call(&mut output);
        let mut found = [0.0; 6];
        output.copy_to(&mut found).unwrap();
        assert_same_bits(&found[..5], &expected, what);
        assert_eq!(found[5], 7.5, "{what}");
    };
    let words = DeviceBuffer::from_slice(&offsets.map(|offset| offset as u32)).unwrap();
    let long = DeviceBuffer::from_slice(&offsets.map(|offset| offset as u64)).unwrap();
    let host = DeviceBuffer::from_slice(&offsets).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    check("u32", &mut |output| {
        reduce::<Sum, _>(&input)
            .segments(&words)
            .to(output)
            .wait(gpu)
            .unwrap();
    });
    check("u64", &mut |output| {
        reduce::<Sum, _>(&input)
            .segments(&long)
            .to(output)
            .wait(gpu)
            .unwrap();
    });
    check("usize", &mut |output| {
        reduce::<Sum, _>(&input)
            .segments(&host)
            .to(output)
            .wait(gpu)
            .unwrap();
    });
    check("on a stream", &mut |output| {
        reduce::<Sum, _>(&input)
            .segments(&words)
            .to(output)
            .queue(gpu, &stream)
            .unwrap();
        stream.synchronize().unwrap();
    });
}

#[test]
fn rows_are_segments_of_one_length() {
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    for (rows, row_items) in [
        (1, 1),
        (700, 1),
        (300, 33),
        (9, 4096),
        (3, 5000),
        (1, 70_000),
    ] {
        let items = ordinary::<Sum, f32>(rows * row_items);
        let expected = reduce::<Sum, _>(&items).rows(row_items).wait(Cpu).unwrap();
        let offsets: Vec<usize> = (0..=rows).map(|row| row * row_items).collect();
        let segments = reduce::<Sum, _>(&items)
            .segments(&offsets)
            .wait(Cpu)
            .unwrap();
        assert_same_bits(&expected, &segments, "the host's");
        let input = DeviceBuffer::from_slice(&items).unwrap();
        let mut output = DeviceBuffer::from_slice(&vec![0.0; rows]).unwrap();
        let what = format!("{rows} rows of {row_items}");
        reduce::<Sum, _>(&input)
            .rows(row_items)
            .to(&mut output)
            .wait(gpu)
            .unwrap();
        assert_same_bits(&output.as_host_vec().unwrap(), &expected, &what);
        output.copy_from(&vec![0.0; rows]).unwrap();
        reduce::<Sum, _>(&input)
            .rows(row_items)
            .to(&mut output)
            .queue(gpu, &stream)
            .unwrap();
        stream.synchronize().unwrap();
        assert_same_bits(&output.as_host_vec().unwrap(), &expected, &what);
    }
}

#[test]
fn empty_input_is_no_error() {
    let gpu = gpu();
    let nothing = DeviceBuffer::<u32>::from_slice(&[]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[5_u32; 3]).unwrap();
    let one = DeviceBuffer::from_slice(&[0_u32]).unwrap();
    reduce::<Sum, _>(&nothing)
        .segments(&nothing)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    reduce::<Sum, _>(&nothing)
        .segments(&one)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    reduce::<Sum, _>(&nothing)
        .rows(4)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    assert_eq!(output.as_host_vec().unwrap(), [5; 3]);
    let empty = DeviceBuffer::from_slice(&[0_u32; 4]).unwrap();
    reduce::<Max, _>(&nothing)
        .segments(&empty)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    assert_eq!(output.as_host_vec().unwrap(), [u32::MIN; 3]);
}

#[test]
fn wrong_arguments_are_refused() {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&[1_u32; 12]).unwrap();
    let offsets = DeviceBuffer::from_slice(&[0_u32, 3, 12]).unwrap();
    let mut short = DeviceBuffer::from_slice(&[0_u32]).unwrap();
    assert_eq!(
        reduce::<Sum, _>(&input)
            .segments(&offsets)
            .to(&mut short)
            .wait(gpu),
        Err(Error::OutputTooShort {
            offered_items: 1,
            needed_items: 2
        })
    );
    for row_items in [0, 5, 13] {
        assert_eq!(
            reduce::<Sum, _>(&input)
                .rows(row_items)
                .to(&mut short)
                .wait(gpu),
            Err(Error::UnevenRows {
                item_count: 12,
                row_items
            })
        );
    }
    // SAFETY: nothing accesses the memory through this buffer, since the call is refused. The buffer is forgotten below.
    let mut same = unsafe { DeviceBuffer::from_raw_parts(offsets.as_device_ptr(), 3) };
    let overlap = reduce::<Sum, _>(&input)
        .segments(&offsets)
        .to(&mut same)
        .wait(gpu);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    std::mem::forget(same);
    let odd = cust::memory::DevicePointer::from_raw(offsets.as_device_ptr().as_raw() + 2);
    // SAFETY: as above: the call is refused, and the buffer is forgotten.
    let odd = unsafe { DeviceBuffer::<u32>::from_raw_parts(odd, 2) };
    let misaligned = reduce::<Sum, _>(&input)
        .segments(&odd)
        .to(&mut short)
        .wait(gpu);
    assert_eq!(
        misaligned,
        Err(Error::Misaligned {
            argument: Argument::Offsets,
            address: odd.as_device_ptr().as_raw(),
            alignment: 4
        })
    );
    std::mem::forget(odd);
}
