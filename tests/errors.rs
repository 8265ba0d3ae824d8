//! Bad input, and machines that lack something. Each results in a typed error, with the offered and the allowed values if there are any. A
//! call with bad input writes nothing, and the next correct call works.

#[path = "common/child.rs"]
mod child;
mod common;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
#[path = "errors/injected.rs"]
mod injected;
#[path = "errors/loss.rs"]
mod loss;
#[path = "errors/machine.rs"]
mod machine;
#[path = "errors/members.rs"]
mod members;
#[path = "common/sweep.rs"]
#[allow(dead_code, reason = "used in part")]
mod sweep;

use crate::device::Item;
use child::in_child;
use common::gpu;
use cust::context::legacy::{Context, ContextFlags, ContextStack};
use cust::device::Device;
use cust::memory::{CopyDestination, DeviceBuffer, DevicePointer, DeviceSlice};
use cust::stream::{Stream, StreamFlags};
use warpfold::{
    Argument, Error, Gpu, Max, Min, Product, Sum, cust, gpu_max, gpu_min, gpu_product, gpu_sum,
    reduce, scan,
};

fn download<T: Item>(slice: &DeviceSlice<T>) -> Vec<T> {
    let mut items = vec![T::zeroed(); slice.len()];
    slice.copy_to(&mut items[..]).unwrap();
    items
}

#[test]
fn a_too_short_output_is_not_written() {
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let input = DeviceBuffer::from_slice(&[1.0f32; 10]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[7.0f32; 9]).unwrap();
    let too_short = Err(Error::OutputTooShort {
        offered_items: 9,
        needed_items: 10,
    });
    assert_eq!(scan::<Sum, _>(&input).to(&mut output).wait(gpu), too_short);
    assert_eq!(
        scan::<Max, _>(&input).exclusive().to(&mut output).wait(gpu),
        too_short
    );
    let queued = scan::<Sum, _>(&input).to(&mut output).queue(gpu, &stream);
    assert_eq!(queued, too_short);
    let nowhere = reduce::<Sum, _>(&input)
        .to(&mut output.index(..0))
        .queue(gpu, &stream);
    let too_short = Err(Error::OutputTooShort {
        offered_items: 0,
        needed_items: 1,
    });
    assert_eq!(nowhere, too_short);
    stream.synchronize().unwrap();
    assert_eq!(download(&output), [7.0; 9]);
}

#[test]
fn empty_input_is_no_error() {
    let gpu = gpu();
    let nothing = DeviceBuffer::<f32>::from_slice(&[]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[7.0f32; 2]).unwrap();
    let sum = reduce::<Sum, _>(&nothing).wait(gpu).unwrap();
    assert_eq!(sum.to_bits(), (-0.0f32).to_bits());
    assert_eq!(reduce::<Product, _>(&nothing).wait(gpu), Ok(1.0));
    assert_eq!(reduce::<Min, _>(&nothing).wait(gpu), Ok(f32::INFINITY));
    assert_eq!(reduce::<Max, _>(&nothing).wait(gpu), Ok(f32::NEG_INFINITY));
    scan::<Sum, _>(&nothing).to(&mut output).wait(gpu).unwrap();
    scan::<Sum, _>(&nothing)
        .exclusive()
        .to(&mut output.index(..0))
        .wait(gpu)
        .unwrap();
    scan::<Sum, _>(&mut output.index(..0))
        .exclusive()
        .in_place()
        .wait(gpu)
        .unwrap();
    assert_eq!(download(&output), [7.0; 2]);
}

#[test]
fn slices_without_items() {
    assert_eq!(gpu_sum::<f64>(&[]).unwrap().to_bits(), (-0.0f64).to_bits());
    assert_eq!(gpu_sum::<i32>(&[]), Ok(0));
    assert_eq!(gpu_product::<u64>(&[]), Ok(1));
    assert_eq!(gpu_min::<f32>(&[]), Ok(None));
    assert_eq!(gpu_max::<i64>(&[]), Ok(None));
    assert_eq!(scan::<Sum, _>(&[0i32; 0]).wait(Gpu::global()), Ok(vec![]));
    assert_eq!(
        scan::<Max, _>(&[0i32; 0]).exclusive().wait(Gpu::global()),
        Ok(vec![])
    );
}

#[test]
fn slices_with_items() {
    let items = [3.0f32, -1.5, 8.0];
    assert_eq!(gpu_sum(&items), Ok(9.5));
    assert_eq!(gpu_product(&items), Ok(-36.0));
    assert_eq!(gpu_min(&items), Ok(Some(-1.5)));
    assert_eq!(gpu_max(&items), Ok(Some(8.0)));
    assert_eq!(
        scan::<Max, _>(&items).wait(Gpu::global()),
        Ok(vec![3.0, 3.0, 8.0])
    );
    let before = vec![f32::INFINITY, 3.0, -1.5];
    assert_eq!(
        scan::<Min, _>(&items).exclusive().wait(Gpu::global()),
        Ok(before)
    );
}

#[test]
fn overlapping_input_and_output_are_refused() {
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let data = DeviceBuffer::from_slice(&(0..100u32).collect::<Vec<_>>()).unwrap();
    let address = data.as_device_ptr().as_raw();
    for start in [1, 10, 49] {
        let (input, mut output) = (data.index(..50), data.index(start..start + 50));
        let overlap = Err(Error::Overlap {
            input: address,
            input_items: 50,
            output: address + 4 * start as u64,
            output_items: 50,
        });
        assert_eq!(scan::<Sum, _>(&input).to(&mut output).wait(gpu), overlap);
        let backwards = scan::<Sum, _>(&output).to(&mut data.index(..50)).wait(gpu);
        assert!(matches!(backwards, Err(Error::Overlap { .. })));
        let sum = reduce::<Sum, _>(&input)
            .to(&mut data.index(start..100))
            .queue(gpu, &stream);
        assert!(
            matches!(
                sum,
                Err(Error::Overlap {
                    output_items: 1..,
                    ..
                })
            ),
            "{sum:?}"
        );
    }
    scan::<Sum, _>(&data.index(..50))
        .to(&mut data.index(50..))
        .wait(gpu)
        .unwrap();
    assert_eq!(download(&data)[..50], (0..50).collect::<Vec<u32>>());
    assert_eq!(download(&data)[99], 49 * 50 / 2);
}

#[test]
fn a_misaligned_start_is_refused() {
    let gpu = gpu();
    let buffer = DeviceBuffer::from_slice(&[0u64; 4]).unwrap();
    let address = buffer.as_device_ptr().as_raw() + 4;
    // SAFETY: the three items lie inside the buffer. They are misaligned, so the library refuses them before any access.
    let input = unsafe { DeviceSlice::<u64>::from_raw_parts(DevicePointer::from_raw(address), 3) };
    let misaligned = Err(Error::Misaligned {
        argument: Argument::Input,
        address,
        alignment: 8,
    });
    assert_eq!(reduce::<Sum, _>(&input).wait(gpu), misaligned);
    let checked = gpu.check_buffer(Argument::Input, &input);
    assert_eq!(checked, misaligned.map(drop));
}

#[test]
fn memory_and_streams_of_another_context_are_refused() {
    let gpu = gpu();
    let mut ours = DeviceBuffer::from_slice(&[1.0f32, 2.0]).unwrap();
    let other = Context::create_and_push(ContextFlags::SCHED_AUTO, Device::get_device(0).unwrap());
    let other = other.unwrap();
    let theirs = DeviceBuffer::from_slice(&[1.0f32, 2.0]).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let address = theirs.as_device_ptr().as_raw();
    let foreign = |argument| Error::ForeignMemory { argument, address };

    assert_eq!(
        reduce::<Sum, _>(&theirs).wait(gpu),
        Err(foreign(Argument::Input))
    );
    let scanned = scan::<Sum, _>(&theirs).to(&mut ours).wait(gpu);
    assert_eq!(scanned, Err(foreign(Argument::Input)));
    let scanned = scan::<Sum, _>(&ours).to(&mut theirs.index(..)).wait(gpu);
    assert_eq!(scanned, Err(foreign(Argument::Output)));
    let queued = reduce::<Sum, _>(&theirs).to(&mut ours).queue(gpu, &stream);
    assert_eq!(queued, Err(Error::ForeignStream));
    let checked = gpu.check_buffer(Argument::Flags, &theirs);
    assert_eq!(checked, Err(foreign(Argument::Flags)));
    assert_eq!(gpu.check_buffer(Argument::Flags, &ours), Ok(()));
    assert_eq!(
        gpu.check_buffer(Argument::Flags, &theirs.index(..0)),
        Ok(())
    );
    // The other context is current here, and a call on memory of the library's context still works.
    assert_eq!(reduce::<Sum, _>(&ours).wait(gpu), Ok(3.0));

    drop((stream, theirs));
    ContextStack::pop().unwrap();
    drop(other);
    assert_eq!(reduce::<Sum, _>(&ours).wait(gpu), Ok(3.0));
}

#[test]
fn freed_memory_is_recognised() {
    // The test has a process of its own, so that no other test gets the freed memory.
    in_child("freed_memory_is_recognised", &[], || {
        let gpu = gpu();
        let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
        let buffer = DeviceBuffer::from_slice(&vec![1u32; 3 << 20]).unwrap();
        let mut sum = DeviceBuffer::from_slice(&[0u32]).unwrap();
        let mut stale = buffer.index(..);
        // First, a queued call uses the address.
        reduce::<Sum, _>(&buffer)
            .to(&mut sum)
            .queue(gpu, &stream)
            .unwrap();
        stream.synchronize().unwrap();
        drop(buffer);
        let results = [
            reduce::<Sum, _>(&stale).wait(gpu).map(drop),
            reduce::<Sum, _>(&stale).to(&mut sum).queue(gpu, &stream),
            scan::<Sum, _>(&sum).to(&mut stale).queue(gpu, &stream),
            gpu.check_buffer(Argument::Input, &stale),
        ];
        for result in results {
            assert!(
                matches!(result, Err(Error::ForeignMemory { .. })),
                "{result:?}"
            );
        }
        assert_eq!(stream.synchronize(), Ok(()));
    });
}

#[test]
fn the_error_of_a_rejected_text_names_the_kernel_and_the_fault() {
    let head = ".version 7.0\n.target sm_70\n.address_size 64\n";
    let unknown = format!("{head}.visible .entry broken() {{ flub.u32; ret; }}");
    for (text, says) in [(unknown, "flub"), (format!("{head}\0"), "NUL")] {
        match gpu().load_ptx("broken", &text) {
            Err(Error::KernelRejected { symbol, code, log }) => {
                assert_eq!((symbol, code.0), ("broken", 218));
                assert!(log.contains(says), "{log}");
            }
            other => panic!("{other:?}"),
        }
    }
    let module = gpu().load_ptx(
        "whole",
        &format!("{head}.visible .entry whole() {{ ret; }}"),
    );
    assert!(module.unwrap().get_function("whole").is_ok());
}

#[test]
fn a_missing_device() {
    let _gpu = gpu();
    let count = Device::num_devices().unwrap();
    let error = Gpu::with_device(count + 6).unwrap_err();
    assert_eq!(
        error,
        Error::NoSuchDevice {
            ordinal: count + 6,
            count
        }
    );
    assert!(
        error
            .to_string()
            .contains(&format!("no device {}", count + 6))
    );
}

#[test]
fn a_gpu_describes_itself() {
    let gpu = gpu();
    assert!(!gpu.name().is_empty());
    assert!(gpu.compute_capability() >= (7, 0));
    assert!(gpu.multiprocessors() > 0);
    assert!(gpu.memory_bytes() > 0);
    gpu.synchronize().unwrap();
    let shown = format!("{gpu:?}");
    assert!(shown.contains(gpu.name()), "{shown}");
    assert!(shown.len() < 200 && !shown.contains('\n'), "{shown}");
}
