//! Tests requests on memory and streams of `cust`, and on raw addresses and handles. (The package `tests/with_cudarc` runs the same
//! requests on memory and streams of `cudarc`.) Also tests in which order waiting calls and other work run.

#[path = "common/child.rs"]
mod child;
mod common;
#[path = "bindings/orders.rs"]
mod orders;
#[path = "bindings/raw.rs"]
mod raw;
#[path = "common/skip.rs"]
mod skip;
#[path = "bindings/suite.rs"]
mod suite;

use std::fmt::Debug;

use common::gpu;
use cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy};
use cust::stream::{Stream, StreamFlags};
use raw::{Kind, Raw};
use suite::{Binding, suite};
use warpfold::bytemuck::bytes_of;
use warpfold::{
    ArgMax, CountNonZero, Cpu, Equal, Item, Max, MinMax, MinNum, Moments, NotNan, RawItems, Sum,
    SumOfSquares, WideSum, cust, cust_half, reduce, runs, select,
};

/// An item that `cust` can copy.
pub trait Plain: Item + DeviceCopy + Debug {}

impl<T: Item + DeviceCopy + Debug> Plain for T {}

/// `cust`'s buffers and streams.
struct Cust;

impl Cust {
    fn new() -> Self {
        gpu();
        Self
    }
}

impl Binding for Cust {
    type Items<T: Plain> = DeviceBuffer<T>;
    type Stream = Stream;

    fn upload<T: Plain>(&self, items: &[T]) -> DeviceBuffer<T> {
        DeviceBuffer::from_slice(items).unwrap()
    }

    fn download<T: Plain>(&self, items: &DeviceBuffer<T>) -> Vec<T> {
        let mut found = vec![T::zeroed(); items.len()];
        items.copy_to(&mut found).unwrap();
        found
    }

    fn stream(&self) -> Stream {
        Stream::new(StreamFlags::DEFAULT, None).unwrap()
    }

    fn synchronize(&self, stream: &Stream) {
        stream.synchronize().unwrap();
    }
}

suite!(of_cust: super::Cust::new());
suite!(of_raw_streams: super::Raw::new(super::Kind::NonBlocking));
suite!(of_the_default_stream: super::Raw::new(super::Kind::Legacy));
suite!(of_a_threads_default_stream: super::Raw::new(super::Kind::PerThread));

/// Checks the 16-bit floats of both versions of the crate `half`: the same bits give the same results.
macro_rules! check_both {
    ($gpu:ident; $($of_cust:ty, $plain:ty: $($op:ident)*;)*) => {$(
        let bits = (0..5_000_u32).map(|index| (index * 13 % 0x7c00) as u16 ^ (index << 15) as u16);
        let of_cust: Vec<_> = bits.clone().map(<$of_cust>::from_bits).collect();
        let plain: Vec<_> = bits.map(<$plain>::from_bits).collect();
        let buffer = DeviceBuffer::from_slice(&of_cust).unwrap();
        let address = buffer.as_device_ptr().as_raw();
        // SAFETY: the buffer has `plain.len()` items of the same size, and outlives all calls.
        let raw = unsafe { RawItems::<$plain>::from_raw(address, plain.len()) };
        $(
            let expected = reduce::<$op, _>(&of_cust).wait(Cpu).unwrap();
            let results = [
                bytes_of(&reduce::<$op, _>(&buffer).wait($gpu).unwrap()).to_vec(),
                bytes_of(&reduce::<$op, _>(&raw).wait($gpu).unwrap()).to_vec(),
                bytes_of(&reduce::<$op, _>(&plain).wait($gpu).unwrap()).to_vec(),
                bytes_of(&reduce::<$op, _>(&plain).wait(Cpu).unwrap()).to_vec(),
            ];
            for result in results {
                assert_eq!(result, bytes_of(&expected), "{}", stringify!($op $plain));
            }
        )*
        let expected = select::<NotNan, _>(&of_cust).indices().wait(Cpu);
        assert_eq!(select::<NotNan, _>(&plain).indices().wait($gpu), expected);
        let expected = runs::<Equal, _>(&of_cust).starts().wait(Cpu);
        assert_eq!(runs::<Equal, _>(&plain).starts().wait($gpu), expected);
    )*};
}

#[test]
fn floats_of_both_versions_of_half_have_the_same_results() {
    let gpu = gpu();
    check_both! {
        gpu;
        cust_half::f16, warpfold::f16: Sum Max MinNum WideSum ArgMax MinMax Moments SumOfSquares CountNonZero;
        cust_half::bf16, warpfold::bf16: Sum Max MinNum WideSum ArgMax MinMax Moments SumOfSquares CountNonZero;
    }
}
