//! Requests on memory and streams of `cudarc`, the order that its guards keep, and how the driver is opened.

#[path = "../../../common/child.rs"]
mod child;
mod guards;
mod opening;
#[path = "../../../common/skip.rs"]
mod skip;
#[path = "../../../bindings/suite.rs"]
mod suite;

use std::fmt::Debug;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DeviceRepr};
use suite::{Binding, suite};
use warpfold::Item;

/// An item that `cudarc` can copy.
pub trait Plain: Item + DeviceRepr + Debug {}

impl<T: Item + DeviceRepr + Debug> Plain for T {}

/// `cudarc`'s slices, and its streams of one kind.
struct Cudarc {
    context: Arc<CudaContext>,
    /// The stream on which slices are allocated.
    stream: Arc<CudaStream>,
    /// Makes the streams on which requests are queued.
    queued_on: fn(&Arc<CudaContext>) -> Arc<CudaStream>,
}

impl Cudarc {
    /// Everything on the legacy default stream.
    fn on_default() -> Self {
        let context = CudaContext::new(0).unwrap();
        Self {
            stream: context.default_stream(),
            context,
            queued_on: |context| context.default_stream(),
        }
    }

    /// Everything on the threads' default streams.
    fn on_per_thread() -> Self {
        let context = CudaContext::new(0).unwrap();
        Self {
            stream: context.per_thread_stream(),
            context,
            queued_on: |context| context.per_thread_stream(),
        }
    }

    /// Slices on one non-blocking stream, requests on others.
    fn on_streams() -> Self {
        let context = CudaContext::new(0).unwrap();
        Self {
            stream: context.new_stream().unwrap(),
            context,
            queued_on: |context| context.new_stream().unwrap(),
        }
    }
}

impl Binding for Cudarc {
    type Items<T: Plain> = CudaSlice<T>;
    type Stream = Arc<CudaStream>;

    fn upload<T: Plain>(&self, items: &[T]) -> CudaSlice<T> {
        self.stream.clone_htod(items).unwrap()
    }

    fn download<T: Plain>(&self, items: &CudaSlice<T>) -> Vec<T> {
        self.stream.clone_dtoh(items).unwrap()
    }

    fn stream(&self) -> Arc<CudaStream> {
        (self.queued_on)(&self.context)
    }

    /// Does nothing, since slices keep track of their own uses.
    fn synchronize(&self, _: &Arc<CudaStream>) {}
}

suite!(of_streams: super::Cudarc::on_streams());
suite!(of_the_default_stream: super::Cudarc::on_default());
suite!(of_a_threads_default_stream: super::Cudarc::on_per_thread());
