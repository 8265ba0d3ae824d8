//! Tests of waiting and queued calls, empty input, outputs with too little room, and wrong arguments.

use cust::memory::{DeviceBuffer, DevicePointer};
use cust::stream::{Stream, StreamFlags};
use warpfold::{Argument, Cpu, Equal, Error, Flagged, NonZero, cust, runs, select};

use crate::gpus::gpu;
use crate::{assert_begins, place};

/// The items 0, 0, 1, 1, 2, 2, 0, 0, and so on.
fn items(count: usize) -> Vec<u32> {
    (0..count as u32).map(|index| index / 2 % 3).collect()
}

/// Queues a call that writes its count to device memory. Then waits for the stream, and checks the count.
fn counted(what: &str, expected: usize, call: impl FnOnce(&Stream, &mut DeviceBuffer<u64>)) {
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let mut count = DeviceBuffer::from_slice(&[7_u64, 7]).unwrap();
    call(&stream, &mut count);
    stream.synchronize().unwrap();
    assert_eq!(count.as_host_vec().unwrap(), [expected as u64, 7], "{what}");
}

#[test]
fn queued_selections_write_the_same_and_leave_the_count_on_the_device() {
    let gpu = gpu();
    let items = items(9001);
    let flags: Vec<u8> = items.iter().map(|&item| item as u8).collect();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let flags = DeviceBuffer::from_slice(&flags).unwrap();
    let (selected, rejected) = select::<NonZero, _>(&items).partition().wait(Cpu).unwrap();
    let mut output = place::<u32>(items.len());
    counted("flagged", selected.len(), |stream, count| {
        select::<Flagged, _>((&input, &flags))
            .to(&mut output)
            .count_to(count)
            .queue(gpu, stream)
            .unwrap();
    });
    assert_begins(&output, &selected, "flagged");
    let mut output = place::<u32>(items.len());
    counted("if", selected.len(), |stream, count| {
        select::<NonZero, _>(&input)
            .to(&mut output)
            .count_to(count)
            .queue(gpu, stream)
            .unwrap();
    });
    assert_begins(&output, &selected, "if");
    let (mut output, mut others) = (place::<u32>(items.len()), place::<u32>(items.len()));
    counted("partition if", selected.len(), |stream, count| {
        select::<NonZero, _>(&input)
            .to(&mut output)
            .rest_to(&mut others)
            .count_to(count)
            .queue(gpu, stream)
            .unwrap();
    });
    assert_begins(&output, &selected, "partition if");
    assert_begins(&others, &rejected, "partition if");
    let (mut output, mut others) = (place::<u32>(items.len()), place::<u32>(items.len()));
    counted("partition flagged", selected.len(), |stream, count| {
        select::<Flagged, _>((&input, &flags))
            .to(&mut output)
            .rest_to(&mut others)
            .count_to(count)
            .queue(gpu, stream)
            .unwrap();
    });
    assert_begins(&output, &selected, "partition flagged");
    assert_begins(&others, &rejected, "partition flagged");
    let mut indices = place::<usize>(items.len());
    counted("indices", selected.len(), |stream, count| {
        select::<NonZero, _>(&input)
            .indices_to(&mut indices)
            .count_to(count)
            .queue(gpu, stream)
            .unwrap();
    });
    assert_begins(
        &indices,
        &select::<NonZero, _>(&items).indices().wait(Cpu).unwrap(),
        "indices",
    );
}

#[test]
fn queued_runs_write_the_same_and_leave_the_count_on_the_device() {
    let gpu = gpu();
    let items = items(9001);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let (keys, lengths) = runs::<Equal, _>(&items).lengths().wait(Cpu).unwrap();
    let long = |numbers: Vec<usize>| -> Vec<u64> { numbers.iter().map(|&n| n as u64).collect() };
    let mut output = place::<u32>(items.len());
    counted("unique", keys.len(), |stream, count| {
        runs::<Equal, _>(&input)
            .to(&mut output)
            .count_to(count)
            .queue(gpu, stream)
            .unwrap();
    });
    assert_begins(&output, &keys, "unique");
    let (mut output, mut long_runs) = (place::<u32>(items.len()), place::<u64>(items.len()));
    counted("run lengths", keys.len(), |stream, count| {
        runs::<Equal, _>(&input)
            .to(&mut output)
            .lengths_to(&mut long_runs)
            .count_to(count)
            .queue(gpu, stream)
            .unwrap();
    });
    assert_begins(&output, &keys, "run lengths");
    assert_begins(&long_runs, &long(lengths), "run lengths");
    let mut starts = place::<u64>(items.len() + 1);
    counted("run starts", keys.len(), |stream, count| {
        runs::<Equal, _>(&input)
            .starts_to(&mut starts)
            .count_to(count)
            .queue(gpu, stream)
            .unwrap();
    });
    assert_begins(
        &starts,
        &long(runs::<Equal, _>(&items).starts().wait(Cpu).unwrap()),
        "run starts",
    );
}

#[test]
fn empty_input_is_no_error() {
    let gpu = gpu();
    let nothing = DeviceBuffer::<u32>::from_slice(&[]).unwrap();
    let flags = DeviceBuffer::<u8>::from_slice(&[]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[5_u32; 2]).unwrap();
    let mut others = DeviceBuffer::from_slice(&[5_u32; 2]).unwrap();
    assert_eq!(
        select::<Flagged, _>((&nothing, &flags))
            .to(&mut output)
            .wait(gpu),
        Ok(0)
    );
    assert_eq!(
        select::<NonZero, _>(&nothing).to(&mut output).wait(gpu),
        Ok(0)
    );
    assert_eq!(
        select::<NonZero, _>(&nothing)
            .to(&mut output)
            .rest_to(&mut others)
            .wait(gpu),
        Ok(0)
    );
    assert_eq!(runs::<Equal, _>(&nothing).to(&mut output).wait(gpu), Ok(0));
    assert_eq!(
        runs::<Equal, _>(&nothing)
            .to(&mut output)
            .lengths_to(&mut others)
            .wait(gpu),
        Ok(0)
    );
    assert_eq!(output.as_host_vec().unwrap(), [5; 2]);
    assert_eq!(
        runs::<Equal, _>(&nothing).starts_to(&mut output).wait(gpu),
        Ok(0)
    );
    assert_eq!(output.as_host_vec().unwrap(), [0, 5]);
    let mut count = DeviceBuffer::from_slice(&[9_u64]).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    select::<NonZero, _>(&nothing)
        .to(&mut output)
        .count_to(&mut count)
        .queue(gpu, &stream)
        .unwrap();
    stream.synchronize().unwrap();
    assert_eq!(count.as_host_vec().unwrap(), [0]);
}

#[test]
fn results_without_room_are_omitted_and_reported() {
    let gpu = gpu();
    let items = items(20_000);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let (selected, rejected) = select::<NonZero, _>(&items).partition().wait(Cpu).unwrap();
    let too_short = |offered_items, needed_items| {
        Err(Error::OutputTooShort {
            offered_items,
            needed_items,
        })
    };
    let (keys, lengths) = runs::<Equal, _>(&items).lengths().wait(Cpu).unwrap();
    let lengths: Vec<u64> = lengths.iter().map(|&length| length as u64).collect();
    for room in [0, 1, 500, 8192, keys.len() - 1] {
        let output = place::<u32>(items.len());
        let answer = select::<NonZero, _>(&input)
            .to(&mut output.index(..room))
            .wait(gpu);
        assert_eq!(answer, too_short(room, selected.len()));
        assert_begins(&output, &selected[..room], "selected");
        let indices = place::<u64>(items.len());
        let answer = select::<NonZero, _>(&input)
            .indices_to(&mut indices.index(..room))
            .wait(gpu);
        assert_eq!(answer, too_short(room, selected.len()));
        let (mut firsts, run_lengths) = (place::<u32>(items.len()), place::<u64>(items.len()));
        let answer = runs::<Equal, _>(&input)
            .to(&mut firsts)
            .lengths_to(&mut run_lengths.index(..room))
            .wait(gpu);
        assert_eq!(answer, too_short(room, keys.len()));
        assert_begins(&firsts, &keys[..room], "keys");
        assert_begins(&run_lengths, &lengths[..room], "lengths");
    }
    let (mut output, others) = (place::<u32>(items.len()), place::<u32>(items.len()));
    let answer = select::<NonZero, _>(&input)
        .to(&mut output)
        .rest_to(&mut others.index(..70))
        .wait(gpu);
    assert_eq!(answer, too_short(70, rejected.len()));
    assert_begins(&output, &selected, "selected");
    assert_begins(&others, &rejected[..70], "rejected");
    // Outputs with exactly enough room suffice. Starts need one element more than there are runs.
    let mut exact = DeviceBuffer::from_slice(&vec![0_u32; selected.len()]).unwrap();
    assert_eq!(
        select::<NonZero, _>(&input).to(&mut exact).wait(gpu),
        Ok(selected.len())
    );
    let starts = runs::<Equal, _>(&items).starts().wait(Cpu).unwrap();
    let places = place::<u32>(items.len());
    let answer = runs::<Equal, _>(&input)
        .starts_to(&mut places.index(..starts.len() - 1))
        .wait(gpu);
    assert_eq!(answer, too_short(starts.len() - 1, starts.len()));
    let answer = runs::<Equal, _>(&input)
        .starts_to(&mut places.index(..starts.len()))
        .wait(gpu);
    assert_eq!(answer, Ok(starts.len() - 1));
}

#[test]
fn wrong_arguments_are_refused() {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&[1_u32; 12]).unwrap();
    let flags = DeviceBuffer::from_slice(&[1_u8; 11]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[0_u32; 12]).unwrap();
    let differ = Err(Error::LengthsDiffer {
        left_items: 12,
        right_items: 11,
    });
    assert_eq!(
        select::<Flagged, _>((&input, &flags))
            .to(&mut output)
            .wait(gpu),
        differ
    );
    // SAFETY: nothing accesses the memory through this buffer, since the call is refused. The buffer is forgotten below.
    let mut same = unsafe { DeviceBuffer::from_raw_parts(input.as_device_ptr(), 12) };
    let overlap = select::<NonZero, _>(&input).to(&mut same).wait(gpu);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    std::mem::forget(same);
    // SAFETY: as above: the call is refused, and the buffer is forgotten.
    let mut same = unsafe { DeviceBuffer::from_raw_parts(output.as_device_ptr(), 12) };
    let overlap = select::<NonZero, _>(&input)
        .to(&mut output)
        .rest_to(&mut same)
        .wait(gpu);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    std::mem::forget(same);
    let odd = DevicePointer::from_raw(output.as_device_ptr().as_raw() + 2);
    // SAFETY: as above: the call is refused, and the buffer is forgotten.
    let mut odd = unsafe { DeviceBuffer::<u32>::from_raw_parts(odd, 2) };
    let misaligned = select::<NonZero, _>(&input).indices_to(&mut odd).wait(gpu);
    assert_eq!(
        misaligned,
        Err(Error::Misaligned {
            argument: Argument::Output,
            address: odd.as_device_ptr().as_raw(),
            alignment: 4
        })
    );
    std::mem::forget(odd);
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let mut no_count = DeviceBuffer::<u64>::from_slice(&[]).unwrap();
    assert_eq!(
        runs::<Equal, _>(&input)
            .to(&mut output)
            .count_to(&mut no_count)
            .queue(gpu, &stream),
        Err(Error::OutputTooShort {
            offered_items: 0,
            needed_items: 1
        })
    );
    let (nothing, mut count) = (&*no_count, DeviceBuffer::from_slice(&[0_u64]).unwrap());
    let missing = select::<NonZero, _>(&input)
        .count(nothing)
        .to(&mut output)
        .count_to(&mut count)
        .queue(gpu, &stream);
    assert_eq!(missing, Err(Error::CountMissing));
    let items_at = count.index(..);
    let overlap = select::<NonZero, _>(&input)
        .count(&items_at)
        .to(&mut output)
        .count_to(&mut count)
        .queue(gpu, &stream);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    assert_eq!(output.as_host_vec().unwrap(), [0; 12]);
}
