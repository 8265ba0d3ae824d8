//! The results of a sequence whose calls are made one by one on the host, and the library's functions for each
//! operator.

use crate::device::Kernel;
use cust::memory::DeviceSlice;
use cust::stream::Stream;
use warpfold::{Gpu, Result, cust, kind};

use super::step::{Action, Kind, Queue, Span, Step};
use crate::edges::Edges;
use crate::expected::{Reduction, Scan};

/// [`Waiting`] makes a scan and waits for it. [`Queued`] queues a scan or a reduction.
type Waiting<T> = fn(&Gpu, &DeviceSlice<T>, &mut DeviceSlice<T>) -> Result<()>;
type Queued<T> = fn(&Gpu, &Stream, &DeviceSlice<T>, &mut DeviceSlice<T>) -> Result<()>;

/// The functions for one operator.
pub struct Operator<T: Edges> {
    pub reduce: fn(&Gpu, &DeviceSlice<T>) -> Result<T>,
    pub reduce_into: Queued<T>,
    pub inclusive: Scans<T>,
    pub exclusive: Scans<T>,
    reduced: fn(&[T]) -> T,
}

/// The functions for one kind of scan.
pub struct Scans<T: Edges> {
    pub waiting: Waiting<T>,
    pub waiting_in_place: fn(&Gpu, &mut DeviceSlice<T>) -> Result<()>,
    pub queued: Queued<T>,
    pub queued_in_place: fn(&Gpu, &Stream, &mut DeviceSlice<T>) -> Result<()>,
    pub of_slice: fn(&[T]) -> Result<Vec<T>>,
    scanned: fn(&[T]) -> Vec<T>,
}

/// The functions for all operators that a sequence has.
macro_rules! operators {
    ($t:ty) => {{
        use warpfold::{Max, Min, Product, Sum};
        [
            $crate::sequence::model::operator::<Sum, $t>(),
            $crate::sequence::model::operator::<Product, $t>(),
            $crate::sequence::model::operator::<Min, $t>(),
            $crate::sequence::model::operator::<Max, $t>(),
        ]
    }};
}
pub(super) use operators;

/// The functions for the operator `O`.
pub fn operator<O, T: Edges>() -> Operator<T>
where
    O: Reduction<T> + Scan<T> + Kernel<kind::reduce, T, Output = T>,
{
    Operator {
        reduce: |gpu, input| warpfold::reduce::<O, _>(input).wait(gpu),
        reduce_into: |gpu, stream, input, output| {
            warpfold::reduce::<O, _>(input)
                .to(output)
                .queue(gpu, stream)
        },
        inclusive: Scans {
            waiting: |gpu, input, output| warpfold::scan::<O, _>(input).to(output).wait(gpu),
            waiting_in_place: |gpu, items| warpfold::scan::<O, _>(items).in_place().wait(gpu),
            queued: |gpu, stream, input, output| {
                warpfold::scan::<O, _>(input).to(output).queue(gpu, stream)
            },
            queued_in_place: |gpu, stream, items| {
                warpfold::scan::<O, _>(items).in_place().queue(gpu, stream)
            },
            of_slice: |items| warpfold::scan::<O, _>(items).wait(Gpu::global()),
            scanned: O::inclusive,
        },
        exclusive: Scans {
            waiting: |gpu, input, output| {
                warpfold::scan::<O, _>(input)
                    .exclusive()
                    .to(output)
                    .wait(gpu)
            },
            waiting_in_place: |gpu, items| {
                warpfold::scan::<O, _>(items)
                    .exclusive()
                    .in_place()
                    .wait(gpu)
            },
            queued: |gpu, stream, input, output| {
                warpfold::scan::<O, _>(input)
                    .exclusive()
                    .to(output)
                    .queue(gpu, stream)
            },
            queued_in_place: |gpu, stream, items| {
                warpfold::scan::<O, _>(items)
                    .exclusive()
                    .in_place()
                    .queue(gpu, stream)
            },
            of_slice: |items| {
                warpfold::scan::<O, _>(items)
                    .exclusive()
                    .wait(Gpu::global())
            },
            scanned: O::exclusive,
        },
        reduced: O::reduced,
    }
}

impl<T: Edges> Operator<T> {
    pub fn scans(&self, kind: Kind) -> &Scans<T> {
        match kind {
            Kind::Inclusive => &self.inclusive,
            Kind::Exclusive => &self.exclusive,
        }
    }
}

/// The buffers, on the host.
pub struct Model<T> {
    /// Their contents before the first call.
    pub at_first: Vec<Vec<T>>,
    /// Their contents now.
    pub buffers: Vec<Vec<T>>,
}

impl<T: Edges> Model<T> {
    pub fn new(at_first: Vec<Vec<T>>) -> Self {
        let buffers = at_first.clone();
        Self { at_first, buffers }
    }

    /// Makes a call on the host. Returns the results that the device's call returns to the host, if any.
    pub fn make_call(&mut self, step: &Step, operators: &[Operator<T>]) -> Vec<T> {
        let operator = &operators[step.operator];
        let read = |span: &Span| &self.buffers[span.buffer][span.items.clone()];
        let scan = |kind: Kind, items: &[T]| (operator.scans(kind).scanned)(items);
        let (results, to) = match &step.action {
            Action::Reduce { from, .. } if step.queue == Queue::Default => {
                return vec![(operator.reduced)(read(from))];
            }
            Action::ScanSlice { kind, items } => {
                return scan(*kind, &self.at_first[items.buffer][items.items.clone()]);
            }
            Action::Reduce { from, to } => (vec![(operator.reduced)(read(from))], to),
            Action::Scan { kind, from, to } => (scan(*kind, read(from)), to),
            Action::ScanInPlace { kind, items } => (scan(*kind, read(items)), items),
        };
        self.buffers[to.buffer][to.items.clone()].copy_from_slice(&results);
        Vec::new()
    }
}
