//! `.in_order()`: a reduction of all items as one segment, which keeps their order.

use cust::memory::{CopyDestination, DeviceBuffer};
use cust::stream::{Stream, StreamFlags};
use warpfold::{Cpu, Error, Gpu, Max, Sum, cust, reduce};

use crate::data::{assert_same_bits, ordinary};
use crate::gpus::gpu;

#[test]
fn all_items_in_order_have_the_bits_of_one_row() {
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
    for count in [1, 2, 17, 300, 4097, 70_000] {
        let items = ordinary::<Sum, f32>(count);
        let expected = reduce::<Sum, _>(&items).rows(count).wait(Cpu).unwrap();
        let check = |found: f32, what: &str| {
            assert_same_bits(&[found], &expected, &format!("{count} items, {what}"));
        };
        let on_cpu = reduce::<Sum, _>(&items).in_order().wait(Cpu);
        check(on_cpu.unwrap(), "the CPU");
        let of_slice = reduce::<Sum, _>(&items).in_order().wait(Gpu::global());
        check(of_slice.unwrap(), "a slice");
        let mut one = [0.0];
        reduce::<Sum, _>(&items)
            .in_order()
            .to(&mut one)
            .wait(gpu)
            .unwrap();
        check(one[0], "to a slice");

        let input = DeviceBuffer::from_slice(&items).unwrap();
        let found = reduce::<Sum, _>(&input).in_order().wait(gpu);
        check(found.unwrap(), "returned");
        // The element after the result is not touched.
        let mut output = DeviceBuffer::from_slice(&[7.5_f32; 2]).unwrap();
        reduce::<Sum, _>(&input)
            .in_order()
            .to(&mut output)
            .wait(gpu)
            .unwrap();
        let found = output.as_host_vec().unwrap();
        check(found[0], "written");
        assert_eq!(found[1], 7.5);
        output.copy_from(&[7.5; 2]).unwrap();
        reduce::<Sum, _>(&input)
            .in_order()
            .to(&mut output)
            .queue(gpu, &stream)
            .unwrap();
        stream.synchronize().unwrap();
        check(output.as_host_vec().unwrap()[0], "queued");
    }
}

#[test]
fn no_items_give_the_identity() {
    let gpu = gpu();
    let none: [u32; 0] = [];
    let in_order = || reduce::<Max, _>(&none).in_order();
    assert_eq!(in_order().wait(gpu), Ok(u32::MIN));
    assert_eq!(in_order().wait(Cpu), Ok(u32::MIN));
    let nothing = DeviceBuffer::<u32>::from_slice(&[]).unwrap();
    let found = reduce::<Max, _>(&nothing).in_order().wait(gpu);
    assert_eq!(found, Ok(u32::MIN));
    let mut output = DeviceBuffer::from_slice(&[5_u32, 6]).unwrap();
    let in_order = reduce::<Max, _>(&nothing).in_order();
    in_order.to(&mut output).wait(gpu).unwrap();
    assert_eq!(output.as_host_vec().unwrap(), [u32::MIN, 6]);
    output.copy_from(&[5, 6]).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let in_order = reduce::<Max, _>(&nothing).in_order();
    in_order.to(&mut output).queue(gpu, &stream).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(output.as_host_vec().unwrap(), [u32::MIN, 6]);
}

#[test]
fn an_output_without_room_is_refused() {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&[1_u32; 12]).unwrap();
    let mut output = DeviceBuffer::<u32>::from_slice(&[]).unwrap();
    let too_short = Err(Error::OutputTooShort {
        offered_items: 0,
        needed_items: 1,
    });
    let found = reduce::<Sum, _>(&input)
        .in_order()
        .to(&mut output)
        .wait(gpu);
    assert_eq!(found, too_short);
    let found = reduce::<Sum, _>(&[1_u32; 12])
        .in_order()
        .to(&mut [0_u32; 0])
        .wait(gpu);
    assert_eq!(found, too_short);
    // SAFETY: nothing accesses the memory through this buffer, since the call is refused. The buffer is forgotten below.
    let mut same = unsafe { DeviceBuffer::from_raw_parts(input.as_device_ptr(), 12) };
    let overlap = reduce::<Sum, _>(&input).in_order().to(&mut same).wait(gpu);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    std::mem::forget(same);
}
