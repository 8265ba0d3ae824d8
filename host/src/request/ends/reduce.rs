//! Reductions.

use warpfold_kernels::op::{Op, Pair};

use super::{QueuedReduce, ReduceEnd, results, results_to, room, take_both};
use crate::arguments::{Arguments, Memory, Shape};
use crate::by_key::Marker;
use crate::call::{self, Verb};
use crate::call::{Wanted, run_at_once};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::request::Written;
use crate::request::memory::{OnTheDevice, OnTheHost, PairsIn, Returned};
use crate::request::shape::{
    ByKey, ByKeyTo, Columns, InOrder, InOrderCounted, Rows, Segments, Several, Whole, WholeCounted,
};
use crate::selection::{RunsKernel, heads};
use crate::staged;

macro_rules! all_of_device {
    ($shape:ident) => {
        /// Reduces all items in device memory.
        #[allow(private_interfaces)]
        impl<O: Kernel<kind::reduce, T>, T: Item> ReduceEnd<O, T>
            for (OnTheDevice, $shape, Returned)
        {
            type Given = O::Output;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<O::Output> {
                if arguments.input.is_empty() && arguments.count.is_none() {
                    return Ok(O::lower(O::identity()));
                }
                one(|result| call::wait_for_result(gpu, Verb::Reduce(O::row()), arguments, result))
            }
        }

        #[allow(private_interfaces)]
        impl<O: Kernel<kind::reduce, T>, T: Item> QueuedReduce<O, T>
            for (OnTheDevice, $shape, Written)
        {
            fn verb() -> Result<Verb> {
                Ok(Verb::Reduce(O::row()))
            }
        }
    };
}

all_of_device!(Whole);
all_of_device!(WholeCounted);

macro_rules! in_order_of_device {
    ($shape:ident, $kind:ident) => {
        /// Reduces all items in device memory, in their order.
        #[allow(private_interfaces)]
        impl<O, T: Item> ReduceEnd<O, T> for (OnTheDevice, $shape, Returned)
        where
            O: Kernel<kind::$kind, T>,
        {
            type Given = O::Output;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<O::Output> {
                if arguments.input.is_empty() && arguments.count.is_none() {
                    return Ok(O::lower(O::identity()));
                }
                one(|result| call::wait_for_result_in_order(gpu, O::row(), arguments, result))
            }
        }

        #[allow(private_interfaces)]
        impl<O, T: Item> QueuedReduce<O, T> for (OnTheDevice, $shape, Written)
        where
            O: Kernel<kind::$kind, T>,
        {
            fn verb() -> Result<Verb> {
                Ok(Verb::Reduce(O::row()))
            }
        }
    };
}

in_order_of_device!(InOrder, segmented_reduce);
in_order_of_device!(InOrderCounted, columns_reduce);

/// Reduces all pairs in device memory.
#[allow(private_interfaces)]
impl<O, A: Item, B: Item> ReduceEnd<O, Pair<A, B>> for (PairsIn<OnTheDevice>, Whole, Returned)
where
    O: Kernel<kind::reduce_pairs, Pair<A, B>>,
{
    type Given = O::Output;

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<O::Output> {
        if has_no_pair(&arguments) {
            return Ok(O::lower(O::identity()));
        }
        one(|result| call::wait_for_result(gpu, Verb::ReducePairs(O::row()), arguments, result))
    }
}

macro_rules! to_device {
    ([$($parameter:tt)*] $place:ty, $shape:ty, $kind:ty, $item:ty) => {
        #[allow(private_interfaces)]
        impl<O, $($parameter)*> ReduceEnd<O, $item> for ($place, $shape, Written)
        where
            O: Kernel<$kind, $item>,
        {
            type Given = ();

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
                call::wait(gpu, <Self as QueuedReduce<O, $item>>::verb()?, arguments).map(drop)
            }
        }
    };
}

to_device!([T: Item] OnTheDevice, Whole, kind::reduce, T);
to_device!([T: Item] OnTheDevice, WholeCounted, kind::reduce, T);
to_device!([T: Item] OnTheDevice, InOrder, kind::segmented_reduce, T);
to_device!([T: Item] OnTheDevice, InOrderCounted, kind::columns_reduce, T);
to_device!([T: Item] OnTheDevice, Segments, kind::segmented_reduce, T);
to_device!([T: Item] OnTheDevice, Rows, kind::segmented_reduce, T);
to_device!([T: Item] OnTheDevice, Columns, kind::columns_reduce, T);
to_device!([A: Item, B: Item] PairsIn<OnTheDevice>, Whole, kind::reduce_pairs, Pair<A, B>);

#[allow(private_interfaces)]
impl<O, A: Item, B: Item> QueuedReduce<O, Pair<A, B>> for (PairsIn<OnTheDevice>, Whole, Written)
where
    O: Kernel<kind::reduce_pairs, Pair<A, B>>,
{
    fn verb() -> Result<Verb> {
        Ok(Verb::ReducePairs(O::row()))
    }
}

macro_rules! by_key {
    ($shape:ident) => {
        /// Reduces the items of each run of keys in device memory.
        #[allow(private_interfaces)]
        impl<O, T: Item, E: RunsKernel<K>, K: Item> ReduceEnd<O, T>
            for (OnTheDevice, $shape<E, K>, Written)
        where
            O: Kernel<kind::segmented_reduce, T>,
        {
            type Given = usize;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<usize> {
                call::wait(gpu, by_key_verb::<E, K>(O::row()), arguments)
            }
        }
    };
}

by_key!(ByKey);
by_key!(ByKeyTo);

#[allow(private_interfaces)]
impl<O, T: Item, E: RunsKernel<K>, K: Item> QueuedReduce<O, T>
    for (OnTheDevice, ByKeyTo<E, K>, Written)
where
    O: Kernel<kind::segmented_reduce, T>,
{
    fn verb() -> Result<Verb> {
        Ok(by_key_verb::<E, K>(O::row()))
    }
}

fn by_key_verb<E: RunsKernel<K>, K: Item>(row: &'static Row) -> Verb {
    Verb::ReduceByKey {
        row,
        keys: heads::<E, K>(),
        marker: Marker::of::<E, K>(),
    }
}

/// Reduces all items of the host.
#[allow(private_interfaces)]
impl<O: Kernel<kind::reduce, T>, T: Item> ReduceEnd<O, T> for (OnTheHost, Whole, Returned) {
    type Given = O::Output;

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<O::Output> {
        if arguments.input.is_empty() {
            return Ok(O::lower(O::identity()));
        }
        let items = arguments.input.host();
        one(|result| gpu.enter(|entered| staged::reduce(entered, O::row(), items, result)))
    }
}

/// Reduces all items of the host, in their order.
#[allow(private_interfaces)]
impl<O, T: Item> ReduceEnd<O, T> for (OnTheHost, InOrder, Returned)
where
    O: Kernel<kind::segmented_reduce, T>,
{
    type Given = O::Output;

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<O::Output> {
        let mut result = O::lower(O::identity());
        if !arguments.input.is_empty() {
            let to = bytemuck::bytes_of_mut(&mut result);
            results_to(gpu, Verb::Reduce(O::row()), &arguments, wanted(1), to)?;
        }
        Ok(result)
    }
}

/// Reduces all pairs of the host.
#[allow(private_interfaces)]
impl<O, A: Item, B: Item> ReduceEnd<O, Pair<A, B>> for (PairsIn<OnTheHost>, Whole, Returned)
where
    O: Kernel<kind::reduce_pairs, Pair<A, B>>,
{
    type Given = O::Output;

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<O::Output> {
        arguments.group_count()?;
        if has_no_pair(&arguments) {
            return Ok(O::lower(O::identity()));
        }
        let (left, right) = (arguments.input.host(), second(&arguments));
        one(|result| {
            gpu.enter(|entered| staged::reduce_pairs(entered, O::row(), left, right, result))
        })
    }
}

/// The three reductions of host items above, with the result written to the request's output.
macro_rules! one_to_host {
    ([$($parameter:tt)*] $place:ty, $shape:ty, $kind:ty, $item:ty) => {
        #[allow(private_interfaces)]
        impl<O, $($parameter)*> ReduceEnd<O, $item> for ($place, $shape, Written)
        where
            O: Kernel<$kind, $item>,
        {
            type Given = ();

            fn run(gpu: &Gpu, mut arguments: Arguments<Memory<'_>>) -> Result<()> {
                let to = room(arguments.results.take(), 1)?;
                let result = <($place, $shape, Returned) as ReduceEnd<O, $item>>::run(gpu, arguments)?;
                to.copy_from_slice(bytemuck::bytes_of(&result));
                Ok(())
            }
        }
    };
}

one_to_host!([T: Item] OnTheHost, Whole, kind::reduce, T);
one_to_host!([T: Item] OnTheHost, InOrder, kind::segmented_reduce, T);
one_to_host!([A: Item, B: Item] PairsIn<OnTheHost>, Whole, kind::reduce_pairs, Pair<A, B>);

macro_rules! several {
    ($shape:ident) => {
        /// Reduces each part of the items of the host.
        #[allow(private_interfaces)]
        impl<O: Kernel<<$shape as Several>::Reduce, T>, T: Item> ReduceEnd<O, T>
            for (OnTheHost, $shape, Returned)
        {
            type Given = Vec<O::Output>;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Vec<O::Output>> {
                groups_of_host::<O, T>(gpu, Verb::Reduce(O::row()), &arguments)
            }
        }

        #[allow(private_interfaces)]
        impl<O: Kernel<<$shape as Several>::Reduce, T>, T: Item> ReduceEnd<O, T>
            for (OnTheHost, $shape, Written)
        {
            type Given = ();

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
                groups_of_host_to::<O, T>(gpu, Verb::Reduce(O::row()), arguments)
            }
        }

        #[allow(private_interfaces)]
        impl<O: Kernel<<$shape as Several>::Reduce, T>, T: Item> QueuedReduce<O, T>
            for (OnTheDevice, $shape, Written)
        {
            fn verb() -> Result<Verb> {
                Ok(Verb::Reduce(O::row()))
            }
        }
    };
}

several!(Segments);
several!(Rows);
several!(Columns);

/// The result of each part of the items of the host.
pub(super) fn groups_of_host<O: Op<T, Output: Item>, T: Item>(
    gpu: &Gpu,
    verb: Verb,
    arguments: &Arguments<Memory<'_>>,
) -> Result<Vec<O::Output>> {
    let count = arguments.group_count()?;
    match count {
        0 => Ok(Vec::new()),
        _ if has_no_row(arguments) => identities::<O, T>(count),
        _ => results(gpu, verb, arguments, wanted(count)),
    }
}

/// As [`groups_of_host`], with the results written to the request's output.
pub(super) fn groups_of_host_to<O: Op<T, Output: Item>, T: Item>(
    gpu: &Gpu,
    verb: Verb,
    mut arguments: Arguments<Memory<'_>>,
) -> Result<()> {
    let count = arguments.group_count()?;
    let to = room(arguments.results.take(), count)?;
    match count {
        0 => Ok(()),
        _ if has_no_row(&arguments) => {
            let identities = identities::<O, T>(count)?;
            to.copy_from_slice(bytemuck::cast_slice(&identities));
            Ok(())
        }
        _ => results_to(gpu, verb, &arguments, wanted(count), to),
    }
}

/// Reduces the items of each run of keys of the host. Returns the keys and the results.
#[allow(private_interfaces)]
impl<O, T: Item, E: RunsKernel<K>, K: Item> ReduceEnd<O, T> for (OnTheHost, ByKey<E, K>, Returned)
where
    O: Kernel<kind::segmented_reduce, T>,
{
    type Given = (Vec<K>, Vec<O::Output>);

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Self::Given> {
        by_key_of_host(gpu, by_key_verb::<E, K>(O::row()), arguments)
    }
}

#[allow(private_interfaces)]
impl<O, T: Item, E: RunsKernel<K>, K: Item> ReduceEnd<O, T> for (OnTheHost, ByKey<E, K>, Written)
where
    O: Kernel<kind::segmented_reduce, T>,
{
    type Given = usize;

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<usize> {
        let verb = by_key_verb::<E, K>(O::row());
        let (_, results) = by_key_of_host::<K, O::Output>(gpu, verb, arguments)?;
        Ok(results.len())
    }
}

/// The key and the result of each run. Keys and results are also written to the outputs that the request names.
fn by_key_of_host<K: Item, R: Item>(
    gpu: &Gpu,
    verb: Verb,
    mut arguments: Arguments<Memory<'_>>,
) -> Result<(Vec<K>, Vec<R>)> {
    let key_count = arguments.group_count()?;
    if key_count == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let (keys_to, to) = (arguments.unique_keys.take(), arguments.results.take());
    let (keys, results) = gpu.enter(|entered| {
        let done = run_at_once(entered, verb, &arguments, by_key_wanted(key_count))?;
        let (keys, results, count) = (done.sections.unique_keys, done.sections.results, done.count);
        let (Some(keys), Some(results)) = (keys, results) else {
            return Ok((Vec::new(), Vec::new()));
        };
        let (keys, done) = done.take(keys.first(count))?;
        let (results, _) = done.take(results.first(count))?;
        Ok((keys, results))
    })?;
    take_both((keys_to, &keys), (to, &results))?;
    Ok((keys, results))
}

/// One result, whose bytes `run` writes.
fn one<R: Item>(run: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<R> {
    let mut result = R::zeroed();
    run(bytemuck::bytes_of_mut(&mut result))?;
    Ok(result)
}

fn second<'a>(arguments: &'a Arguments<Memory<'_>>) -> staged::Items<'a> {
    let second = arguments.second.as_ref();
    second.map_or(staged::Items::NONE, Memory::host)
}

/// Whether both inputs are empty.
fn has_no_pair(arguments: &Arguments<Memory<'_>>) -> bool {
    arguments.input.is_empty() && arguments.second.as_ref().is_none_or(Memory::is_empty)
}

/// Whether the parts of a request have no items: columns without rows, or an axis of length 0. Call this only for a request with at least
/// one part.
pub(in crate::request) fn has_no_row(arguments: &Arguments<Memory<'_>>) -> bool {
    matches!(arguments.shape, Shape::Columns(_) | Shape::Axis(_)) && arguments.input.is_empty()
}

fn wanted(results: usize) -> Wanted {
    Wanted {
        results,
        ..Wanted::default()
    }
}

fn by_key_wanted(key_count: usize) -> Wanted {
    Wanted {
        results: key_count,
        unique_keys: key_count,
        ..Wanted::default()
    }
}

/// `count` results, each the operator's identity.
pub(in crate::request) fn identities<O: Op<T, Output: Item>, T: Item>(
    count: usize,
) -> Result<Vec<O::Output>> {
    let mut results = Vec::new();
    results
        .try_reserve_exact(count)
        .map_err(|_| Error::OutOfHostMemory {
            asked_bytes: count.saturating_mul(size_of::<O::Output>()),
        })?;
    results.resize(count, O::lower(O::identity()));
    Ok(results)
}
