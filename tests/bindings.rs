//! Requests over memory and streams of `cust`, and over raw addresses and handles; and what a waiting call is ordered with.
//! (`with_cudarc` is the same over `cudarc`'s.)

#[path = "common/child.rs"]
mod child;
mod common;
#[path = "bindings/orders.rs"]
mod orders;
#[path = "bindings/raw.rs"]
mod raw;
#[path = "bindings/suite.rs"]
mod suite;

use std::fmt::Debug;

use common::gpu;
use cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy};
use cust::stream::{Stream, StreamFlags};
use raw::{Kind, Raw};
use suite::{Binding, suite};
use warpfold::{Item, cust};

/// An item that every binding here can copy.
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
