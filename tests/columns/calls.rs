//! Tests calls on columns: waiting calls, queued calls, calls on slices, calls on no rows, and calls with wrong arguments.

use cust::memory::{DeviceBuffer, DeviceSlice};
use cust::stream::{Stream, StreamFlags};
use warpfold::{Argument, Cpu, Error, Gpu, Max, Result, Sum, WideSum, cust, reduce, scan};

use crate::data::{assert_same_bits, ordinary};
use crate::gpus::gpu;

#[test]
fn waiting_and_queued_calls_agree_on_a_misaligned_matrix() {
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let (rows, columns) = (300, 35);
    let items = ordinary::<Sum, f32>(3 + rows * columns);
    let buffer = DeviceBuffer::from_slice(&items).unwrap();
    let (input, matrix) = (buffer.index(3..), &items[3..]);
    let sums = reduce::<Sum, _>(matrix).columns(columns).wait(Cpu).unwrap();
    let inclusive = scan::<Sum, _>(matrix).columns(columns).wait(Cpu).unwrap();
    let exclusive = scan::<Sum, _>(matrix)
        .exclusive()
        .columns(columns)
        .wait(Cpu)
        .unwrap();
    type Call<'a> = &'a dyn Fn(&mut DeviceSlice<f32>) -> Result<()>;
    let check = |what: &str, expected: &[f32], call: Call<'_>| {
        let mut output = DeviceBuffer::zeroed(expected.len()).unwrap();
        call(&mut output).unwrap();
        stream.synchronize().unwrap();
        assert_same_bits(&output.as_host_vec().unwrap(), expected, what);
    };
    check("sums", &sums, &|output| {
        reduce::<Sum, _>(&input)
            .columns(columns)
            .to(output)
            .wait(gpu)
    });
    check("sums, queued", &sums, &|output| {
        reduce::<Sum, _>(&input)
            .columns(columns)
            .to(output)
            .queue(gpu, &stream)
    });
    check("inclusive", &inclusive, &|output| {
        scan::<Sum, _>(&input).columns(columns).to(output).wait(gpu)
    });
    check("inclusive, queued", &inclusive, &|output| {
        scan::<Sum, _>(&input)
            .columns(columns)
            .to(output)
            .queue(gpu, &stream)
    });
    check("exclusive", &exclusive, &|output| {
        scan::<Sum, _>(&input)
            .exclusive()
            .columns(columns)
            .to(output)
            .wait(gpu)
    });
    check("exclusive, queued", &exclusive, &|output| {
        scan::<Sum, _>(&input)
            .exclusive()
            .columns(columns)
            .to(output)
            .queue(gpu, &stream)
    });
}

#[test]
fn columns_of_a_slice() {
    for (rows, columns) in [(1, 1), (700, 3), (40, 900)] {
        let matrix = ordinary::<WideSum, u8>(rows * columns);
        let expected = reduce::<WideSum, _>(&matrix)
            .columns(columns)
            .wait(Cpu)
            .unwrap();
        let found = reduce::<WideSum, _>(&matrix)
            .columns(columns)
            .wait(Gpu::global())
            .unwrap();
        assert_same_bits(&found, &expected, &format!("{rows} rows of {columns}"));
    }
}

#[test]
fn columns_of_no_rows_give_the_identity() {
    let gpu = gpu();
    let nothing = DeviceBuffer::<i32>::from_slice(&[]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[5; 40]).unwrap();
    reduce::<Max, _>(&nothing)
        .columns(35)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    let found = output.as_host_vec().unwrap();
    assert_eq!(found[..35], [i32::MIN; 35]);
    assert_eq!(found[35..], [5; 5]);
    scan::<Sum, _>(&nothing)
        .columns(35)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    scan::<Sum, _>(&nothing)
        .exclusive()
        .columns(35)
        .to(&mut output)
        .wait(gpu)
        .unwrap();
    assert_eq!(output.as_host_vec().unwrap(), found);
    assert_eq!(
        reduce::<Max, _>(&[0i32; 0]).columns(2).wait(Cpu).unwrap(),
        [i32::MIN; 2]
    );
    assert_eq!(
        reduce::<Max, _>(&[0i32; 0]).columns(3).wait(Gpu::global()),
        Ok(vec![i32::MIN; 3])
    );
}

#[test]
fn wrong_arguments_are_refused() {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&[1_u32; 12]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[0_u32; 12]).unwrap();
    for columns in [0, 5, 13] {
        let uneven = Err(Error::UnevenRows {
            item_count: 12,
            row_items: columns,
        });
        let call = reduce::<Sum, _>(&input)
            .columns(columns)
            .to(&mut output)
            .wait(gpu);
        assert_eq!(call, uneven);
        let call = scan::<Sum, _>(&input)
            .columns(columns)
            .to(&mut output)
            .wait(gpu);
        assert_eq!(call, uneven);
        let of_a_slice = reduce::<Sum, _>(&[1_u32; 12])
            .columns(columns)
            .wait(Gpu::global());
        assert_eq!(of_a_slice, uneven.map(|()| vec![]));
    }
    assert_eq!(
        reduce::<Sum, _>(&input)
            .columns(6)
            .to(&mut output.index(..5))
            .wait(gpu),
        Err(Error::OutputTooShort {
            offered_items: 5,
            needed_items: 6
        })
    );
    assert_eq!(
        scan::<Sum, _>(&input)
            .exclusive()
            .columns(6)
            .to(&mut output.index(..11))
            .wait(gpu),
        Err(Error::OutputTooShort {
            offered_items: 11,
            needed_items: 12
        })
    );
    // SAFETY: nothing accesses the memory through this buffer, since each call is refused. The buffer is forgotten below.
    let mut same = unsafe { DeviceBuffer::from_raw_parts(input.as_device_ptr(), 12) };
    let overlap = reduce::<Sum, _>(&input).columns(6).to(&mut same).wait(gpu);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    let overlap = scan::<Sum, _>(&input).columns(6).to(&mut same).wait(gpu);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    std::mem::forget(same);
    let host = [0_u32; 6];
    // SAFETY: nothing accesses the memory through this buffer, since the call is refused. The buffer is forgotten below.
    let mut foreign = unsafe {
        DeviceBuffer::from_raw_parts(
            cust::memory::DevicePointer::from_raw(host.as_ptr().addr() as u64),
            6,
        )
    };
    let refused = reduce::<Sum, _>(&input)
        .columns(6)
        .to(&mut foreign)
        .wait(gpu);
    assert!(
        matches!(
            refused,
            Err(Error::ForeignMemory {
                argument: Argument::Output,
                ..
            })
        ),
        "{refused:?}"
    );
    std::mem::forget(foreign);
}
