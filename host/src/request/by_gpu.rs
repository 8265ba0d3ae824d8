//! A [`Gpu`] as the place where requests run.

use super::ends::{ReduceEnd, RunsEnd, ScanEnd, SelectEnd};
use super::{Queuer, Reduce, Runner, Runs, Scan, Select};
use crate::binding::RawStream;

use crate::error::Result;
use crate::gpu::Gpu;

use super::ends::{QueuedReduce, QueuedRuns, QueuedScan, QueuedSelect, queue};

impl<O, T, P, S, R> Runner<Reduce<'_, O, T, P, S, R>> for &Gpu
where
    (P, S, R): ReduceEnd<O, T>,
{
    type Given = <(P, S, R) as ReduceEnd<O, T>>::Given;

    fn run(self, request: Reduce<'_, O, T, P, S, R>) -> Result<Self::Given> {
        <(P, S, R)>::run(self, request.arguments)
    }
}

impl<O, T, P, S, R> Queuer<Reduce<'_, O, T, P, S, R>> for &Gpu
where
    (P, S, R): QueuedReduce<O, T>,
{
    fn queue(self, mut request: Reduce<'_, O, T, P, S, R>, stream: RawStream<'_>) -> Result<()> {
        queue(self, stream, <(P, S, R)>::verb(), &mut request.arguments)
    }
}

impl<O, T, P, S, D, R> Runner<Scan<'_, O, T, P, S, D, R>> for &Gpu
where
    (P, S, D, R): ScanEnd<O, T>,
{
    type Given = <(P, S, D, R) as ScanEnd<O, T>>::Given;

    fn run(self, request: Scan<'_, O, T, P, S, D, R>) -> Result<Self::Given> {
        <(P, S, D, R)>::run(self, request.arguments)
    }
}

impl<O, T, P, S, D, R> Queuer<Scan<'_, O, T, P, S, D, R>> for &Gpu
where
    (P, S, D, R): QueuedScan<O, T>,
{
    fn queue(self, mut request: Scan<'_, O, T, P, S, D, R>, stream: RawStream<'_>) -> Result<()> {
        queue(self, stream, <(P, S, D, R)>::verb(), &mut request.arguments)
    }
}

impl<C, T, P, R, N> Runner<Select<'_, C, T, P, R, N>> for &Gpu
where
    (P, R, N): SelectEnd<C, T>,
{
    type Given = <(P, R, N) as SelectEnd<C, T>>::Given;

    fn run(self, request: Select<'_, C, T, P, R, N>) -> Result<Self::Given> {
        <(P, R, N)>::run(self, request.arguments)
    }
}

impl<C, T, P, R, N> Queuer<Select<'_, C, T, P, R, N>> for &Gpu
where
    (P, R, N): QueuedSelect<C, T>,
{
    fn queue(self, mut request: Select<'_, C, T, P, R, N>, stream: RawStream<'_>) -> Result<()> {
        queue(self, stream, <(P, R, N)>::verb(), &mut request.arguments)
    }
}

impl<E, T, P, R, N> Runner<Runs<'_, E, T, P, R, N>> for &Gpu
where
    (P, R, N): RunsEnd<E, T>,
{
    type Given = <(P, R, N) as RunsEnd<E, T>>::Given;

    fn run(self, request: Runs<'_, E, T, P, R, N>) -> Result<Self::Given> {
        <(P, R, N)>::run(self, request.arguments)
    }
}

impl<E, T, P, R, N> Queuer<Runs<'_, E, T, P, R, N>> for &Gpu
where
    (P, R, N): QueuedRuns<E, T>,
{
    fn queue(self, mut request: Runs<'_, E, T, P, R, N>, stream: RawStream<'_>) -> Result<()> {
        queue(self, stream, <(P, R, N)>::verb(), &mut request.arguments)
    }
}

/// Runs requests on the GPU of `Gpu::global()`. If `Gpu::global()` failed, `wait` returns that error.
impl<'gpu, Request> Runner<Request> for Result<&'gpu Gpu>
where
    &'gpu Gpu: Runner<Request>,
{
    type Given = <&'gpu Gpu as Runner<Request>>::Given;

    fn run(self, request: Request) -> Result<Self::Given> {
        self?.run(request)
    }
}
