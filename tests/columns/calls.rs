//! What a call does with its arguments: forms, nothing to do, and what is wrong.

use cust::memory::{DeviceBuffer, DeviceSlice};
use cust::stream::{Stream, StreamFlags};
use warpfold::{
    Argument, Error, Max, Result, Sum, WideSum, cust, exclusive_scan_columns,
    exclusive_scan_columns_on, gpu_reduce_columns, inclusive_scan_columns,
    inclusive_scan_columns_on, reduce_columns, reduce_columns_into, reference,
};

use crate::common::gpu;
use crate::data::{assert_same_bits, ordinary};

#[test]
fn either_form_gives_the_same_from_any_item_on() {
    let gpu = gpu();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let (rows, columns) = (300, 35);
    let items = ordinary::<Sum, f32>(3 + rows * columns);
    let buffer = DeviceBuffer::from_slice(&items).unwrap();
    let (input, matrix) = (buffer.index(3..), &items[3..]);
    let sums = reference::reduce_columns::<Sum, f32>(matrix, columns);
    let inclusive = reference::inclusive_scan_columns::<Sum, f32>(matrix, columns);
    let exclusive = reference::exclusive_scan_columns::<Sum, f32>(matrix, columns);
    type Call<'a> = &'a dyn Fn(&mut DeviceSlice<f32>) -> Result<()>;
    let check = |what: &str, expected: &[f32], call: Call<'_>| {
        let mut output = DeviceBuffer::zeroed(expected.len()).unwrap();
        call(&mut output).unwrap();
        stream.synchronize().unwrap();
        assert_same_bits(&output.as_host_vec().unwrap(), expected, what);
    };
    check("sums", &sums, &|output| {
        reduce_columns::<Sum, _>(gpu, &input, columns, output)
    });
    check("sums, queued", &sums, &|output| {
        reduce_columns_into::<Sum, _>(gpu, &stream, &input, columns, output)
    });
    check("inclusive", &inclusive, &|output| {
        inclusive_scan_columns::<Sum, _>(gpu, &input, columns, output)
    });
    check("inclusive, queued", &inclusive, &|output| {
        inclusive_scan_columns_on::<Sum, _>(gpu, &stream, &input, columns, output)
    });
    check("exclusive", &exclusive, &|output| {
        exclusive_scan_columns::<Sum, _>(gpu, &input, columns, output)
    });
    check("exclusive, queued", &exclusive, &|output| {
        exclusive_scan_columns_on::<Sum, _>(gpu, &stream, &input, columns, output)
    });
}

#[test]
fn columns_of_a_slice() {
    for (rows, columns) in [(1, 1), (700, 3), (40, 900)] {
        let matrix = ordinary::<WideSum, u8>(rows * columns);
        let expected = reference::reduce_columns::<WideSum, u8>(&matrix, columns);
        let found = gpu_reduce_columns::<WideSum, _>(&matrix, columns).unwrap();
        assert_same_bits(&found, &expected, &format!("{rows} rows of {columns}"));
    }
}

#[test]
fn columns_of_no_rows_give_the_identity() {
    let gpu = gpu();
    let nothing = DeviceBuffer::<i32>::from_slice(&[]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[5; 40]).unwrap();
    reduce_columns::<Max, _>(gpu, &nothing, 35, &mut output).unwrap();
    let found = output.as_host_vec().unwrap();
    assert_eq!(found[..35], [i32::MIN; 35]);
    assert_eq!(found[35..], [5; 5]);
    inclusive_scan_columns::<Sum, _>(gpu, &nothing, 35, &mut output).unwrap();
    exclusive_scan_columns::<Sum, _>(gpu, &nothing, 35, &mut output).unwrap();
    assert_eq!(output.as_host_vec().unwrap(), found);
    assert_eq!(reference::reduce_columns::<Max, i32>(&[], 2), [i32::MIN; 2]);
    assert_eq!(
        gpu_reduce_columns::<Max, i32>(&[], 3),
        Ok(vec![i32::MIN; 3])
    );
}

#[test]
fn what_is_wrong_is_said() {
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&[1_u32; 12]).unwrap();
    let mut output = DeviceBuffer::from_slice(&[0_u32; 12]).unwrap();
    for columns in [0, 5, 13] {
        let uneven = Err(Error::UnevenRows {
            item_count: 12,
            row_items: columns,
        });
        let call = reduce_columns::<Sum, _>(gpu, &input, columns, &mut output);
        assert_eq!(call, uneven);
        let call = inclusive_scan_columns::<Sum, _>(gpu, &input, columns, &mut output);
        assert_eq!(call, uneven);
        let of_a_slice = gpu_reduce_columns::<Sum, _>(&[1_u32; 12], columns);
        assert_eq!(of_a_slice, uneven.map(|()| vec![]));
    }
    assert_eq!(
        reduce_columns::<Sum, _>(gpu, &input, 6, &mut output.index(..5)),
        Err(Error::OutputTooShort {
            offered_items: 5,
            needed_items: 6
        })
    );
    assert_eq!(
        exclusive_scan_columns::<Sum, _>(gpu, &input, 6, &mut output.index(..11)),
        Err(Error::OutputTooShort {
            offered_items: 11,
            needed_items: 12
        })
    );
    // SAFETY: it is not written, since the calls are refused.
    let mut same = unsafe { DeviceBuffer::from_raw_parts(input.as_device_ptr(), 12) };
    let overlap = reduce_columns::<Sum, u32>(gpu, &input, 6, &mut same);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    let overlap = inclusive_scan_columns::<Sum, u32>(gpu, &input, 6, &mut same);
    assert!(matches!(overlap, Err(Error::Overlap { .. })), "{overlap:?}");
    std::mem::forget(same);
    let host = [0_u32; 6];
    // SAFETY: it is not written, since the call is refused.
    let mut foreign = unsafe {
        DeviceBuffer::from_raw_parts(
            cust::memory::DevicePointer::from_raw(host.as_ptr().addr() as u64),
            6,
        )
    };
    let refused = reduce_columns::<Sum, u32>(gpu, &input, 6, &mut foreign);
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
