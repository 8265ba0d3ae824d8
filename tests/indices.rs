//! Indices of extremes as numbers of 32 bits: those of 64 bits, cut off, and no more is written than these.

#[path = "common/buffers.rs"]
#[allow(dead_code, reason = "used in part")]
mod buffers;
mod common;
#[path = "common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;

use buffers::{assert_begins, zeros};
use common::gpu;
use cust::memory::DeviceBuffer;
use cust::stream::{Stream, StreamFlags};
use data::{Random, Sample, ordinary};
use warpfold::cust_half::{bf16, f16};
use warpfold::{ArgMax, ArgMin, ArgMinMax, Cpu, Error, Extremes, cust, reduce};

/// Lengths about those of tiles and chunks.
const LENGTHS: [usize; 6] = [0, 1, 33, 8192, 8193, 70_001];

fn short(index: u64) -> u32 {
    index as u32
}

/// All that a type of items has: of the whole and of columns, from slices and in device memory, waited for and queued.
macro_rules! check {
    ($($t:ident)*) => {$({
        let gpu = gpu();
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None).unwrap();
        for length in LENGTHS {
            let what = format!("{length} items of type {}", stringify!($t));
            let items = ordinary::<ArgMax, $t>(length);
            let input = DeviceBuffer::from_slice(&items).unwrap();

            let least = short(reduce::<ArgMin, _>(&items).wait(Cpu).unwrap());
            let greatest = short(reduce::<ArgMax, _>(&items).wait(Cpu).unwrap());
            let both = Extremes { min: least, max: greatest };
            assert_eq!(reduce::<ArgMin<u32>, _>(&items).wait(gpu), Ok(least), "{what}");
            assert_eq!(reduce::<ArgMin<u32>, _>(&items).wait(Cpu), Ok(least), "{what}");
            assert_eq!(reduce::<ArgMax<u32>, _>(&input).wait(gpu), Ok(greatest), "{what}");
            assert_eq!(reduce::<ArgMinMax<u32>, _>(&input).wait(gpu), Ok(both), "{what}");
            let mut output = zeros::<u32>(3);
            let request = reduce::<ArgMin<u32>, _>(&input).to(&mut output);
            request.queue(gpu, &stream).unwrap();
            stream.synchronize().unwrap();
            assert_begins(&output, &[least], &what);

            let columns = 7;
            let matrix = &items[..length / columns * columns];
            let input = input.index(..matrix.len());
            let all = reduce::<ArgMinMax, _>(matrix).columns(columns).wait(Cpu).unwrap();
            let least: Vec<u32> = all.iter().map(|both| short(both.min)).collect();
            let both: Vec<Extremes<u32>> = all
                .iter()
                .map(|&Extremes { min, max }| Extremes { min: short(min), max: short(max) })
                .collect();
            let mut output = zeros::<u32>(columns + 1);
            let request = reduce::<ArgMin<u32>, _>(&input).columns(columns);
            request.to(&mut output).wait(gpu).unwrap();
            assert_begins(&output, &least, &what);
            let mut output = zeros::<Extremes<u32>>(columns + 1);
            let request = reduce::<ArgMinMax<u32>, _>(&input).columns(columns);
            request.to(&mut output).wait(gpu).unwrap();
            assert_begins(&output, &both, &what);
            let found = reduce::<ArgMin<u32>, _>(matrix).columns(columns).wait(gpu);
            assert_eq!(found, Ok(least.clone()), "{what}");
            let found = reduce::<ArgMin<u32>, _>(matrix).columns(columns).wait(Cpu);
            assert_eq!(found, Ok(least), "{what}");
        }
    })*};
}

#[test]
fn they_are_those_of_64_bits() {
    check!(f32 f64 f16 bf16 i8 u8 i16 u16 i32 u32 i64 u64);
}

/// Plain loops.
#[test]
fn they_are_where_the_extremes_are() {
    let gpu = gpu();
    let mut random = Random::new(7);
    for length in [1, 500, 20_000] {
        let items: Vec<i32> = (0..length).map(|_| i32::any(&mut random) % 100).collect();
        let (least, greatest) = (items.iter().min().unwrap(), items.iter().max().unwrap());
        let first = |wanted: &i32| items.iter().position(|item| item == wanted).unwrap() as u32;
        let found = reduce::<ArgMinMax<u32>, _>(&items).wait(gpu).unwrap();
        assert_eq!((found.min, found.max), (first(least), first(greatest)));
    }
}

/// Nobody reads the items: they are as many as 32 bits can number, and one more.
#[test]
fn more_items_than_32_bits_can_number_are_an_error() {
    let gpu = gpu();
    let items = vec![0u8; 1 << 32];
    let too_many = |item_count| Error::TooManyItems {
        item_count,
        number_bytes: 4,
    };
    let all = too_many(1 << 32);
    let whole = || reduce::<ArgMax<u32>, _>(&items);
    assert_eq!(whole().wait(gpu), Err(all.clone()));
    assert_eq!(whole().wait(Cpu), Err(all.clone()));
    let column = || reduce::<ArgMinMax<u32>, _>(&items).columns(1);
    assert_eq!(column().wait(gpu), Err(all.clone()));
    assert_eq!(column().wait(Cpu), Err(all));
}
