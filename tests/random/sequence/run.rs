//! Makes the calls of a sequence on the device.

use std::thread;

use cust::memory::{DeviceBuffer, DeviceSlice};
use cust::stream::{Stream, StreamFlags};
use warpfold::{Op, Sum, cust};

use super::model::{Model, Operator};
use super::order::Order;
use super::step::{Action, Queue, Span, Step};
use super::{BUFFER_ITEMS, BUFFERS, Plan, STREAMS, THREADS};
use crate::call::beside_others;
use crate::common::gpu;
use crate::data::assert_same_bits;
use crate::edges::Edges;
use crate::guarded::download;

/// Makes the calls on the device and on the host, and compares the buffers and the returned results.
pub fn check<T: Edges>(plan: &Plan, operators: &[Operator<T>])
where
    Sum: Op<T>,
{
    let all = plan.contents.items::<Sum, T>(BUFFERS * BUFFER_ITEMS);
    let mut model = Model::new(all.chunks(BUFFER_ITEMS).map(<[T]>::to_vec).collect());
    let (found, given) = beside_others(|| on_the_device(plan, operators, &model.at_first));
    for (number, (step, given)) in plan.steps.iter().zip(&given).enumerate() {
        let expected = model.make_call(step, operators);
        assert_same_bits(given, &expected, &format!("what call {number} gives"));
    }
    for (number, (found, expected)) in found.iter().zip(&model.buffers).enumerate() {
        assert_same_bits(found, expected, &format!("buffer {number}"));
    }
}

/// Makes the calls. Returns the final buffers, and the results that each call returned.
fn on_the_device<T: Edges>(
    plan: &Plan,
    operators: &[Operator<T>],
    at_first: &[Vec<T>],
) -> (Vec<Vec<T>>, Vec<Vec<T>>) {
    gpu();
    let device = Device {
        at_first,
        buffers: at_first.iter().map(|items| upload(items)).collect(),
        streams: [(); STREAMS].map(|()| stream()),
        operators,
    };
    let given = device.carry_out(plan);
    for stream in &device.streams {
        stream.synchronize().unwrap();
    }
    let found = device.buffers.iter().map(|buffer| download(buffer));
    (found.collect(), given)
}

fn upload<T: Edges>(items: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(items).unwrap()
}

fn stream() -> Stream {
    Stream::new(StreamFlags::DEFAULT, None).unwrap()
}

/// The buffers, streams and operators that all threads share.
struct Device<'a, T: Edges> {
    at_first: &'a [Vec<T>],
    buffers: Vec<DeviceBuffer<T>>,
    streams: [Stream; STREAMS],
    operators: &'a [Operator<T>],
}

impl<T: Edges> Device<'_, T> {
    /// Runs all threads. Each of them makes its own calls. Returns the results that each call returned.
    fn carry_out(&self, plan: &Plan) -> Vec<Vec<T>> {
        let order = &Order::new(plan);
        let mut given = vec![Vec::new(); plan.steps.len()];
        let of_threads = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|thread| {
                    scope.spawn(move || {
                        gpu();
                        plan.schedule.run(|| self.make_calls(plan, thread, order))
                    })
                })
                .collect();
            let results = threads.into_iter().map(|thread| thread.join());
            results.collect::<Vec<_>>()
        });
        for of_thread in of_threads {
            let of_thread = of_thread.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            for (step, results) in of_thread {
                given[step] = results;
            }
        }
        given
    }

    /// Makes the calls of one thread. Returns each call's number, and the results that it returned.
    fn make_calls(&self, plan: &Plan, thread: usize, order: &Order) -> Vec<(usize, Vec<T>)> {
        let _watch = order.watch();
        let steps = plan.steps.iter().enumerate();
        steps
            .filter(|(_, step)| step.thread == thread)
            .map(|(number, step)| {
                let stream = match step.queue {
                    Queue::Stream(stream) => Some(&self.streams[stream]),
                    Queue::Default => None,
                };
                order.before(number, stream);
                let given = self.make_call(step, stream);
                order.after(number, stream);
                (number, given)
            })
            .collect()
    }

    fn make_call(&self, step: &Step, stream: Option<&Stream>) -> Vec<T> {
        let operator = &self.operators[step.operator];
        let slice =
            |span: &Span| -> DeviceSlice<T> { self.buffers[span.buffer].index(span.items.clone()) };
        let gpu = gpu();
        let done = match (&step.action, stream) {
            (Action::Reduce { from, .. }, None) => {
                return vec![(operator.reduce)(gpu, &slice(from)).unwrap()];
            }
            (Action::Reduce { from, to }, Some(stream)) => {
                (operator.reduce_into)(gpu, stream, &slice(from), &mut slice(to))
            }
            (Action::Scan { kind, from, to }, None) => {
                (operator.scans(*kind).waiting)(gpu, &slice(from), &mut slice(to))
            }
            (Action::Scan { kind, from, to }, Some(stream)) => {
                (operator.scans(*kind).queued)(gpu, stream, &slice(from), &mut slice(to))
            }
            (Action::ScanInPlace { kind, items }, None) => {
                (operator.scans(*kind).waiting_in_place)(gpu, &mut slice(items))
            }
            (Action::ScanInPlace { kind, items }, Some(stream)) => {
                (operator.scans(*kind).queued_in_place)(gpu, stream, &mut slice(items))
            }
            (Action::ScanSlice { kind, items }, _) => {
                let items = &self.at_first[items.buffer][items.items.clone()];
                return (operator.scans(*kind).of_slice)(items).unwrap();
            }
        };
        done.unwrap();
        Vec::new()
    }
}
