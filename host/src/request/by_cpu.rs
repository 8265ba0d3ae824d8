//! The CPU as the place where requests run. Plain sequential code combines the items in the same order as a GPU, so the bits are the same.

mod axis;
mod choice;
mod scan;

use warpfold_kernels::op::{Op, Pair};
use warpfold_kernels::selection::Equality;

use super::ends::{has_no_row, identities, room, take_both};
use super::memory::{OnTheHost, PairsIn, Returned};
use super::shape::{Axis, ByKey, Columns, InOrder, Pitched, Rows, Segments, Whole};
use super::{Reduce, Runner, Written};
use crate::arguments::{Arguments, Memory, Offsets, Shape};
use crate::error::Result;
use crate::kernel::{self, Item};
use crate::reference;
use crate::staged::Items;

/// The CPU, for requests on slices of the host. Plain sequential code returns the results of a GPU, bit for bit. It needs no GPU and no
/// kernel, so it also runs operators that have no kernel.
///
/// ```
/// use warpfold::{Cpu, Gpu, Sum, reduce};
/// # fn main() -> warpfold::Result<()> {
/// let items = [0.1f32; 1000];
/// let on_gpu = reduce::<Sum, _>(&items).wait(&Gpu::new()?)?;
/// assert_eq!(on_gpu.to_bits(), reduce::<Sum, _>(&items).wait(Cpu)?.to_bits());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Cpu;

/// The result of each part: row, column, segment and so on.
fn reduce_groups<O: Op<T, Output: Item>, T: Item>(
    arguments: &Arguments<Memory<'_>>,
    count: usize,
) -> Result<Vec<O::Output>> {
    check_indices::<O, T>(arguments)?;
    if has_no_row(arguments) {
        return identities::<O, T>(count);
    }
    let (items, shape) = (items::<T>(arguments)?, &arguments.shape);
    Ok(match shape {
        Shape::Columns(columns) => reference::reduce_columns::<O, T>(items, *columns),
        Shape::Axis(axis) => axis::reduce::<O, T>(items, axis),
        _ => reference::segmented_reduce::<O, T>(items, &offsets(items.len(), shape)),
    })
}

/// If the operator's results are indices, checks that their type can hold each index in the longest part.
fn check_indices<O: Op<T>, T: Item>(arguments: &Arguments<Memory<'_>>) -> Result<()> {
    let item_count = arguments.input.host().count();
    let longest = arguments.shape.longest_group(item_count);
    kernel::check_indices(O::MOST_ITEMS, longest)
}

/// The offsets of segments or rows: where each part begins, and where the last part ends.
fn offsets(item_count: usize, shape: &Shape<Memory<'_>>) -> Vec<usize> {
    match shape {
        Shape::Segments(offsets) => Offsets::new(offsets.host()).to_vec(),
        Shape::Rows(row_items) => (0..=item_count).step_by((*row_items).max(1)).collect(),
        _ => vec![0, item_count],
    }
}

/// Host memory as a slice of its items, which have the type `T`.
fn typed<T: Item>(items: Items<'_>) -> &[T] {
    bytemuck::cast_slice(items.bytes())
}

/// Implements the requests that reduce all items, or all pairs, to one result. `$items` gets the items or the pairs, and `$reduced` reduces
/// them.
macro_rules! whole {
    ([$($parameter:tt)*] $place:ty, $shape:ident, $item:ty, $items:expr, $reduced:expr) => {
        impl<O: Op<$item, Output: Item>, $($parameter)*>
            Runner<Reduce<'_, O, $item, $place, $shape, Returned>> for Cpu
        {
            type Given = O::Output;

            fn run(self, request: Reduce<'_, O, $item, $place, $shape, Returned>) -> Result<O::Output> {
                check_indices::<O, $item>(&request.arguments)?;
                let items = $items(&request.arguments)?;
                Ok($reduced(&items))
            }
        }

        impl<O: Op<$item, Output: Item>, $($parameter)*>
            Runner<Reduce<'_, O, $item, $place, $shape, Written>> for Cpu
        {
            type Given = ();

            fn run(self, request: Reduce<'_, O, $item, $place, $shape, Written>) -> Result<()> {
                let mut arguments = request.arguments;
                let to = room(arguments.results.take(), 1)?;
                check_indices::<O, $item>(&arguments)?;
                let items = $items(&arguments)?;
                to.copy_from_slice(bytemuck::bytes_of(&$reduced(&items)));
                Ok(())
            }
        }
    };
}

whole!([T: Item] OnTheHost, Whole, T, items::<T>, reference::reduce::<O, T>);
whole!([T: Item] OnTheHost, InOrder, T, items::<T>, in_order::<O, T>);
whole!([A: Item, B: Item] PairsIn<OnTheHost>, Whole, Pair<A, B>, pairs::<A, B>, reference::reduce::<O, Pair<A, B>>);

/// Combines all items in their order, as the items of one segment.
fn in_order<O: Op<T, Output: Item>, T: Item>(items: &[T]) -> O::Output {
    let of_segments = reference::segmented_reduce::<O, T>(items, &[0, items.len()]);
    let result = of_segments.into_iter().next();
    result.unwrap_or_else(|| O::lower(O::identity()))
}

fn items<'a, T: Item>(arguments: &'a Arguments<Memory<'_>>) -> Result<&'a [T]> {
    Ok(typed(arguments.input.host()))
}

fn pairs<A: Item, B: Item>(arguments: &Arguments<Memory<'_>>) -> Result<Vec<Pair<A, B>>> {
    arguments.group_count()?;
    let right = arguments.second.as_ref().map_or(Items::NONE, Memory::host);
    let pairs = std::iter::zip(typed(arguments.input.host()), typed(right));
    Ok(pairs.map(|(&left, &right)| Pair(left, right)).collect())
}

macro_rules! several {
    ($shape:ident) => {
        impl<O: Op<T, Output: Item>, T: Item> Runner<Reduce<'_, O, T, OnTheHost, $shape, Returned>>
            for Cpu
        {
            type Given = Vec<O::Output>;

            fn run(
                self,
                request: Reduce<'_, O, T, OnTheHost, $shape, Returned>,
            ) -> Result<Vec<O::Output>> {
                let arguments = request.arguments;
                match arguments.group_count()? {
                    0 => Ok(Vec::new()),
                    count => reduce_groups::<O, T>(&arguments, count),
                }
            }
        }

        impl<O: Op<T, Output: Item>, T: Item> Runner<Reduce<'_, O, T, OnTheHost, $shape, Written>>
            for Cpu
        {
            type Given = ();

            fn run(self, request: Reduce<'_, O, T, OnTheHost, $shape, Written>) -> Result<()> {
                let mut arguments = request.arguments;
                let count = arguments.group_count()?;
                let to = room(arguments.results.take(), count)?;
                if count > 0 {
                    let results = reduce_groups::<O, T>(&arguments, count)?;
                    to.copy_from_slice(bytemuck::cast_slice(&results));
                }
                Ok(())
            }
        }
    };
}

several!(Segments);
several!(Rows);
several!(Columns);
several!(Axis);
several!(Pitched);

impl<O, T: Item, E: Equality<K>, K: Item> Runner<Reduce<'_, O, T, OnTheHost, ByKey<E, K>, Returned>>
    for Cpu
where
    O: Op<T, Output: Item>,
{
    type Given = (Vec<K>, Vec<O::Output>);

    fn run(
        self,
        request: Reduce<'_, O, T, OnTheHost, ByKey<E, K>, Returned>,
    ) -> Result<Self::Given> {
        by_key::<O, E, K, T>(request.arguments)
    }
}

impl<O, T: Item, E: Equality<K>, K: Item> Runner<Reduce<'_, O, T, OnTheHost, ByKey<E, K>, Written>>
    for Cpu
where
    O: Op<T, Output: Item>,
{
    type Given = usize;

    fn run(self, request: Reduce<'_, O, T, OnTheHost, ByKey<E, K>, Written>) -> Result<usize> {
        let (_, results) = by_key::<O, E, K, T>(request.arguments)?;
        Ok(results.len())
    }
}

/// The key and the result of each run. Keys and results are also written to the outputs that the request names.
fn by_key<O: Op<T, Output: Item>, E: Equality<K>, K: Item, T: Item>(
    mut arguments: Arguments<Memory<'_>>,
) -> Result<(Vec<K>, Vec<O::Output>)> {
    arguments.group_count()?;
    check_indices::<O, T>(&arguments)?;
    let (keys_to, to) = (arguments.unique_keys.take(), arguments.results.take());
    let keys = typed::<K>(keys(&arguments));
    let (keys, results) = reference::reduce_by_key::<O, E, K, T>(keys, items(&arguments)?);
    take_both((keys_to, &keys), (to, &results))?;
    Ok((keys, results))
}

fn keys<'a>(arguments: &'a Arguments<Memory<'_>>) -> Items<'a> {
    match &arguments.shape {
        Shape::Keys(keys) => keys.host(),
        _ => Items::NONE,
    }
}
