//! Segments and rows of host slices.

use crate::device::Kernel;
use warpfold::{Cpu, Error, Gpu, Max, Offset, Sum, WideSum, kind, reduce};

use crate::data::{Random, Sample, assert_same_bits, ordinary};
use crate::shapes;

fn segments<O: Kernel<kind::segmented_reduce, T, Output: Sample>, T: Sample>(seed: u64) {
    let mut random = Random::new(seed);
    let lengths = shapes::random(&mut random, 20_000);
    let mut offsets = vec![3_usize];
    for length in lengths {
        offsets.push(offsets[offsets.len() - 1] + length);
    }
    let items = ordinary::<O, T>(offsets[offsets.len() - 1] + 5);
    let expected = reduce::<O, _>(&items).segments(&offsets).wait(Cpu).unwrap();
    let found = reduce::<O, _>(&items)
        .segments(&offsets)
        .wait(Gpu::global())
        .unwrap();
    assert_same_bits(&found, &expected, "usize");
    let words: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
    let found = reduce::<O, _>(&items)
        .segments(&words)
        .wait(Gpu::global())
        .unwrap();
    assert_same_bits(&found, &expected, "u32");
}

#[test]
fn a_slice_has_the_bits_of_the_reference() {
    segments::<Sum, f32>(1);
    segments::<WideSum, u8>(2);
    segments::<Max, f64>(3);
}

#[test]
fn rows_of_a_slice_are_segments_of_one_length() {
    for (rows, row_items) in [(0, 7), (1, 1), (500, 3), (2, 9000)] {
        let items = ordinary::<Sum, f32>(rows * row_items);
        let expected = reduce::<Sum, _>(&items).rows(row_items).wait(Cpu).unwrap();
        let found = reduce::<Sum, _>(&items)
            .rows(row_items)
            .wait(Gpu::global())
            .unwrap();
        assert_same_bits(&found, &expected, &format!("{rows} rows of {row_items}"));
    }
}

#[test]
fn empty_input_is_no_error() {
    let none: [f32; 0] = [];
    assert_eq!(
        reduce::<Sum, _>(&none)
            .segments(&[0u32; 0])
            .wait(Gpu::global()),
        Ok(vec![])
    );
    assert_eq!(
        reduce::<Sum, _>(&[1.0])
            .segments(&[1u32])
            .wait(Gpu::global()),
        Ok(vec![])
    );
    let empty = reduce::<Max, _>(&[0i32; 0])
        .segments(&[0u32, 0, 0])
        .wait(Gpu::global());
    assert_eq!(empty, Ok(vec![i32::MIN; 2]));
}

fn refused<I: Offset>(offsets: &[I]) -> (usize, u64, u64) {
    match reduce::<Sum, _>(&[1.0f32; 8])
        .segments(offsets)
        .wait(Gpu::global())
    {
        Err(Error::BadOffset {
            index,
            offset,
            before,
            item_count: 8,
        }) => (index, offset, before),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_first_wrong_offset_is_named() {
    assert_eq!(refused(&[0u32, 4, 3, 9]), (2, 3, 4));
    assert_eq!(refused(&[0u64, 9]), (1, 9, 0));
    assert_eq!(refused(&[usize::MAX]), (0, u64::MAX, 0));
    for row_items in [0, 3] {
        let uneven = reduce::<Sum, _>(&[1.0f32; 8])
            .rows(row_items)
            .wait(Gpu::global());
        assert_eq!(
            uneven,
            Err(Error::UnevenRows {
                item_count: 8,
                row_items
            })
        );
    }
}
