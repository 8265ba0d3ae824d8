//! The CPU as the place where requests run: plain sequential code in the same order, so with the same bits.

use warpfold_kernels::op::{Op, Pair};
use warpfold_kernels::selection::{Equality, Predicate};

use super::arguments::{Arguments, HostItems, Memory, Offsets, Shape};
use super::ends::{room, take};
use super::memory::{Host, Pairs, Replaceable, Returned};
use super::shape::{InOrder, Keys, Order, Several, Whole, WholeWith};
use super::{
    Flagged, Reduce, ReturnedIndices, ReturnedLengths, ReturnedParts, ReturnedWithTotal, Runner,
    Runs, Scan, Select, Uncounted, Written, WrittenWithTotal,
};
use crate::error::Result;
use crate::kernel::Item;
use crate::reference;
use crate::staged::Items;

/// The CPU, for requests on slices of the host: what a GPU gives, bit for bit, by plain sequential code. No GPU is needed, and no kernel:
/// any operator will do.
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

/// The result of each group.
fn reduce_groups<O: Op<T>, T: Item>(items: &[T], shape: &Shape<Memory<'_>>) -> Vec<O::Output> {
    match shape {
        Shape::Columns(columns) => reference::reduce_columns::<O, T>(items, *columns),
        _ => reference::segmented_reduce::<O, T>(items, &offsets(items.len(), shape)),
    }
}

/// A result for each item that belongs to a group.
fn scan_groups<O: Op<T>, T: Item>(
    items: &[T],
    shape: &Shape<Memory<'_>>,
    is_exclusive: bool,
) -> Vec<O::Output> {
    match (shape, is_exclusive) {
        (Shape::Columns(columns), true) => {
            reference::exclusive_scan_columns::<O, T>(items, *columns)
        }
        (Shape::Columns(columns), false) => {
            reference::inclusive_scan_columns::<O, T>(items, *columns)
        }
        _ => segmented_scan::<O, T>(items, &offsets(items.len(), shape), is_exclusive),
    }
}

/// Where the groups of a shape begin and end.
fn offsets(item_count: usize, shape: &Shape<Memory<'_>>) -> Vec<usize> {
    match shape {
        Shape::Segments(offsets) => Offsets::new(offsets.host()).to_vec(),
        Shape::Rows(row_items) => (0..=item_count).step_by((*row_items).max(1)).collect(),
        _ => vec![0, item_count],
    }
}

fn segmented_scan<O: Op<T>, T: Item>(
    items: &[T],
    offsets: &[usize],
    is_exclusive: bool,
) -> Vec<O::Output> {
    match is_exclusive {
        true => reference::segmented_exclusive_scan::<O, T>(items, offsets),
        false => reference::segmented_inclusive_scan::<O, T>(items, offsets),
    }
}

/// The items of memory of the host, which are of this type.
fn typed<T: Item>(items: Items<'_>) -> &[T] {
    bytemuck::cast_slice(items.bytes())
}

macro_rules! one_result {
    ($shape:ident, $reduced:path) => {
        impl<O: Op<T, Output: Item>, T: Item> Runner<Reduce<'_, O, T, Host, $shape, Returned>>
            for Cpu
        {
            type Given = O::Output;

            fn run(self, request: Reduce<'_, O, T, Host, $shape, Returned>) -> Result<O::Output> {
                Ok($reduced(typed::<T>(request.arguments.input.host())))
            }
        }

        impl<O: Op<T, Output: Item>, T: Item> Runner<Reduce<'_, O, T, Host, $shape, Written>>
            for Cpu
        {
            type Given = ();

            fn run(self, request: Reduce<'_, O, T, Host, $shape, Written>) -> Result<()> {
                let mut arguments = request.arguments;
                let to = room(arguments.results.take(), 1)?;
                let result = $reduced(typed::<T>(arguments.input.host()));
                to.copy_from_slice(bytemuck::bytes_of(&result));
                Ok(())
            }
        }
    };
}

one_result!(Whole, reference::reduce::<O, T>);
one_result!(InOrder, in_order::<O, T>);

/// All items combined in their order, as those of one segment.
fn in_order<O: Op<T, Output: Item>, T: Item>(items: &[T]) -> O::Output {
    let of_segments = reference::segmented_reduce::<O, T>(items, &[0, items.len()]);
    let result = of_segments.into_iter().next();
    result.unwrap_or_else(|| O::lower(O::identity()))
}

impl<O, A: Item, B: Item> Runner<Reduce<'_, O, Pair<A, B>, Pairs<Host>, Whole, Returned>> for Cpu
where
    Pair<A, B>: Item,
    O: Op<Pair<A, B>, Output: Item>,
{
    type Given = O::Output;

    fn run(
        self,
        request: Reduce<'_, O, Pair<A, B>, Pairs<Host>, Whole, Returned>,
    ) -> Result<O::Output> {
        let arguments = request.arguments;
        arguments.group_count()?;
        let right = arguments.second.as_ref().map_or(Items::NONE, Memory::host);
        let pairs: Vec<Pair<A, B>> = std::iter::zip(typed(arguments.input.host()), typed(right))
            .map(|(&left, &right)| Pair(left, right))
            .collect();
        Ok(reference::reduce::<O, _>(&pairs))
    }
}

impl<O: Op<T, Output: Item>, T: Item, S: Several> Runner<Reduce<'_, O, T, Host, S, Returned>>
    for Cpu
{
    type Given = Vec<O::Output>;

    fn run(self, request: Reduce<'_, O, T, Host, S, Returned>) -> Result<Vec<O::Output>> {
        let arguments = request.arguments;
        match arguments.group_count()? {
            0 => Ok(Vec::new()),
            _ => Ok(reduce_groups::<O, T>(
                typed(arguments.input.host()),
                &arguments.shape,
            )),
        }
    }
}

impl<O: Op<T, Output: Item>, T: Item, S: Several> Runner<Reduce<'_, O, T, Host, S, Written>>
    for Cpu
{
    type Given = ();

    fn run(self, request: Reduce<'_, O, T, Host, S, Written>) -> Result<()> {
        let mut arguments = request.arguments;
        let count = arguments.group_count()?;
        let to = room(arguments.results.take(), count)?;
        if count > 0 {
            let results = reduce_groups::<O, T>(typed(arguments.input.host()), &arguments.shape);
            to.copy_from_slice(bytemuck::cast_slice(&results));
        }
        Ok(())
    }
}

impl<O, T: Item, E: Equality<K>, K: Item> Runner<Reduce<'_, O, T, Host, Keys<E, K>, Returned>>
    for Cpu
where
    O: Op<T, Output: Item>,
{
    type Given = (Vec<K>, Vec<O::Output>);

    fn run(self, request: Reduce<'_, O, T, Host, Keys<E, K>, Returned>) -> Result<Self::Given> {
        let arguments = request.arguments;
        arguments.group_count()?;
        let keys = typed::<K>(keys(&arguments));
        let values = typed(arguments.input.host());
        Ok(reference::reduce_by_key::<O, E, K, T>(keys, values))
    }
}

fn keys<'a>(arguments: &'a Arguments<Memory<'_>>) -> Items<'a> {
    match &arguments.shape {
        Shape::Keys(keys) => keys.host(),
        _ => Items::NONE,
    }
}

/// A scan of all items, with its initial value, and the total.
fn scanned<O: Op<T, Output: Item>, T: Item, D: Order>(
    arguments: &Arguments<Memory<'_>>,
) -> (Vec<O::Output>, O::Output) {
    let items = typed::<T>(arguments.input.host());
    let initial = arguments.initial.map_or_else(O::identity, |value| {
        bytemuck::pod_read_unaligned(value.bytes())
    });
    let scanned = match D::IS_EXCLUSIVE {
        true => reference::exclusive_scan_from::<O, T>(initial, items),
        false => reference::inclusive_scan_from::<O, T>(initial, items),
    };
    (scanned, reference::scan_total::<O, T>(initial, items))
}

/// Writes a total where the request says.
fn write_total<R: Item>(output: Option<Memory<'_>>, total: R) -> Result<()> {
    match output {
        Some(output) => {
            room(Some(output), 1)?.copy_from_slice(bytemuck::bytes_of(&total));
            Ok(())
        }
        None => Ok(()),
    }
}

macro_rules! whole_scans {
    ($shape:ident $returned:ident) => {
        impl<O: Op<T, Output: Item>, T: Item, D: Order>
            Runner<Scan<'_, O, T, Host, $shape, D, $returned>> for Cpu
        {
            type Given = Vec<O::Output>;

            fn run(
                self,
                request: Scan<'_, O, T, Host, $shape, D, $returned>,
            ) -> Result<Vec<O::Output>> {
                let mut arguments = request.arguments;
                let (scanned, total) = scanned::<O, T, D>(&arguments);
                write_total(arguments.total.take(), total)?;
                Ok(scanned)
            }
        }
    };
    ($shape:ident) => {
        whole_scans!($shape Returned);
        whole_scans!($shape Replaceable);

        impl<O: Op<T, Output: Item>, T: Item, D: Order>
            Runner<Scan<'_, O, T, Host, $shape, D, Written>> for Cpu
        {
            type Given = ();

            fn run(self, request: Scan<'_, O, T, Host, $shape, D, Written>) -> Result<()> {
                written::<O, T, D>(request.arguments).map(drop)
            }
        }
    };
}

whole_scans!(Whole);
whole_scans!(WholeWith);

macro_rules! returned_scans {
    ($returned:ident) => {
        impl<O: Op<T, Output: Item>, T: Item, S: Several, D: Order>
            Runner<Scan<'_, O, T, Host, S, D, $returned>> for Cpu
        {
            type Given = Vec<O::Output>;

            fn run(self, request: Scan<'_, O, T, Host, S, D, $returned>) -> Result<Vec<O::Output>> {
                grouped::<O, T, D>(&request.arguments)
            }
        }

        impl<O: Op<T, Output: Item>, T: Item, E: Equality<K>, K: Item, D: Order>
            Runner<Scan<'_, O, T, Host, Keys<E, K>, D, $returned>> for Cpu
        {
            type Given = Vec<O::Output>;

            fn run(
                self,
                request: Scan<'_, O, T, Host, Keys<E, K>, D, $returned>,
            ) -> Result<Vec<O::Output>> {
                let arguments = request.arguments;
                arguments.group_count()?;
                let starts = reference::run_starts::<E, K>(typed(keys(&arguments)));
                let values = typed(arguments.input.host());
                Ok(segmented_scan::<O, T>(values, &starts, D::IS_EXCLUSIVE))
            }
        }
    };
}

returned_scans!(Returned);
returned_scans!(Replaceable);

/// A scan of groups, with zeros for items of no group.
fn grouped<O: Op<T, Output: Item>, T: Item, D: Order>(
    arguments: &Arguments<Memory<'_>>,
) -> Result<Vec<O::Output>> {
    let items = typed::<T>(arguments.input.host());
    let mut results = vec![bytemuck::Zeroable::zeroed(); items.len()];
    if arguments.group_count()? > 0 {
        let scanned = scan_groups::<O, T>(items, &arguments.shape, D::IS_EXCLUSIVE);
        results[arguments.grouped()].copy_from_slice(&scanned);
    }
    Ok(results)
}

impl<O: Op<T, Output: Item>, T: Item, D: Order>
    Runner<Scan<'_, O, T, Host, WholeWith, D, WrittenWithTotal>> for Cpu
{
    type Given = O::Output;

    fn run(
        self,
        request: Scan<'_, O, T, Host, WholeWith, D, WrittenWithTotal>,
    ) -> Result<O::Output> {
        written::<O, T, D>(request.arguments)
    }
}

impl<O: Op<T, Output: Item>, T: Item, D: Order>
    Runner<Scan<'_, O, T, Host, WholeWith, D, ReturnedWithTotal>> for Cpu
{
    type Given = (Vec<O::Output>, O::Output);

    fn run(
        self,
        request: Scan<'_, O, T, Host, WholeWith, D, ReturnedWithTotal>,
    ) -> Result<Self::Given> {
        let mut arguments = request.arguments;
        let (scanned, total) = scanned::<O, T, D>(&arguments);
        write_total(arguments.total.take(), total)?;
        Ok((scanned, total))
    }
}

/// Scans all items and writes the results where the request says. Gives the total.
fn written<O: Op<T, Output: Item>, T: Item, D: Order>(
    mut arguments: Arguments<Memory<'_>>,
) -> Result<O::Output> {
    let (scanned, total) = scanned::<O, T, D>(&arguments);
    let to = match (arguments.results.take(), arguments.input) {
        (Some(results), _) => room(Some(results), scanned.len())?,
        (None, Memory::HostMut(HostItems { bytes, .. })) => bytes,
        (None, _) => &mut [],
    };
    write_total(arguments.total.take(), total)?;
    to.copy_from_slice(bytemuck::cast_slice(&scanned));
    Ok(total)
}

impl<O: Op<T, Output: Item>, T: Item, S: Several, D: Order>
    Runner<Scan<'_, O, T, Host, S, D, Written>> for Cpu
{
    type Given = ();

    fn run(self, request: Scan<'_, O, T, Host, S, D, Written>) -> Result<()> {
        let mut arguments = request.arguments;
        let count = arguments.group_count()?;
        let items = typed::<T>(arguments.input.host());
        let to = room(arguments.results.take(), items.len())?;
        if count > 0 && !items.is_empty() {
            let scanned = scan_groups::<O, T>(items, &arguments.shape, D::IS_EXCLUSIVE);
            let start = arguments.grouped().start * (to.len() / items.len());
            let bytes = bytemuck::cast_slice(&scanned);
            to[start..start + bytes.len()].copy_from_slice(bytes);
        }
        Ok(())
    }
}

/// What is chosen of items: [`Flagged`], or a predicate.
pub trait Choose<T> {
    /// The type of what is kept.
    type Kept;

    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn is_chosen(arguments: &Arguments<Memory<'_>>) -> Vec<bool>;
}

/// By a predicate, of one input.
#[derive(Debug)]
pub struct By<C>(C);

impl<C: Predicate<T>, T: Item> Choose<T> for (Host, By<C>) {
    type Kept = T;

    #[allow(private_interfaces)]
    fn is_chosen(arguments: &Arguments<Memory<'_>>) -> Vec<bool> {
        let items = typed::<T>(arguments.input.host());
        items.iter().map(|&item| C::holds(item)).collect()
    }
}

impl<T: Item> Choose<Pair<T, u8>> for (Pairs<Host>, By<Flagged>) {
    type Kept = T;

    #[allow(private_interfaces)]
    fn is_chosen(arguments: &Arguments<Memory<'_>>) -> Vec<bool> {
        let flags = arguments.second.as_ref().map_or(Items::NONE, Memory::host);
        typed::<u8>(flags).iter().map(|&flag| flag != 0).collect()
    }
}

/// The items that are chosen, or that are not.
fn kept<T: Item>(arguments: &Arguments<Memory<'_>>, chosen: &[bool], wanted: bool) -> Vec<T> {
    let items = typed::<T>(arguments.input.host());
    std::iter::zip(items, chosen)
        .filter(|&(_, &is_chosen)| is_chosen == wanted)
        .map(|(&item, _)| item)
        .collect()
}

impl<C, T, P> Runner<Select<'_, C, T, P, Returned, Uncounted>> for Cpu
where
    (P, By<C>): Choose<T, Kept: Item>,
{
    type Given = Vec<<(P, By<C>) as Choose<T>>::Kept>;

    fn run(self, request: Select<'_, C, T, P, Returned, Uncounted>) -> Result<Self::Given> {
        request.arguments.group_count()?;
        let chosen = <(P, By<C>)>::is_chosen(&request.arguments);
        Ok(kept(&request.arguments, &chosen, true))
    }
}

impl<C, T, P> Runner<Select<'_, C, T, P, ReturnedParts, Uncounted>> for Cpu
where
    (P, By<C>): Choose<T, Kept: Item>,
{
    type Given = (
        Vec<<(P, By<C>) as Choose<T>>::Kept>,
        Vec<<(P, By<C>) as Choose<T>>::Kept>,
    );

    fn run(self, request: Select<'_, C, T, P, ReturnedParts, Uncounted>) -> Result<Self::Given> {
        request.arguments.group_count()?;
        let chosen = <(P, By<C>)>::is_chosen(&request.arguments);
        let part = |wanted| kept(&request.arguments, &chosen, wanted);
        Ok((part(true), part(false)))
    }
}

impl<C, T, P> Runner<Select<'_, C, T, P, ReturnedIndices, Uncounted>> for Cpu
where
    (P, By<C>): Choose<T, Kept: Item>,
{
    type Given = Vec<usize>;

    fn run(self, request: Select<'_, C, T, P, ReturnedIndices, Uncounted>) -> Result<Vec<usize>> {
        request.arguments.group_count()?;
        let chosen = <(P, By<C>)>::is_chosen(&request.arguments);
        Ok((0..chosen.len()).filter(|&index| chosen[index]).collect())
    }
}

impl<C, T, P> Runner<Select<'_, C, T, P, Written, Uncounted>> for Cpu
where
    (P, By<C>): Choose<T, Kept: Item>,
{
    type Given = usize;

    fn run(self, request: Select<'_, C, T, P, Written, Uncounted>) -> Result<usize> {
        let mut arguments = request.arguments;
        arguments.group_count()?;
        let outputs = [arguments.results.take(), arguments.rest.take()];
        let chosen = <(P, By<C>)>::is_chosen(&arguments);
        for (output, wanted) in outputs.into_iter().zip([true, false]) {
            if output.is_some() {
                take(
                    output,
                    &kept::<<(P, By<C>) as Choose<T>>::Kept>(&arguments, &chosen, wanted),
                )?;
            }
        }
        Ok(chosen.iter().filter(|&&is_chosen| is_chosen).count())
    }
}

impl<E: Equality<T>, T: Item> Runner<Runs<'_, E, T, Host, Returned, Uncounted>> for Cpu {
    type Given = Vec<T>;

    fn run(self, request: Runs<'_, E, T, Host, Returned, Uncounted>) -> Result<Vec<T>> {
        Ok(reference::unique::<E, T>(typed(
            request.arguments.input.host(),
        )))
    }
}

impl<E: Equality<T>, T: Item> Runner<Runs<'_, E, T, Host, ReturnedLengths, Uncounted>> for Cpu {
    type Given = (Vec<T>, Vec<usize>);

    fn run(self, request: Runs<'_, E, T, Host, ReturnedLengths, Uncounted>) -> Result<Self::Given> {
        let items = typed(request.arguments.input.host());
        Ok(reference::run_length_encode::<E, T>(items))
    }
}

impl<E: Equality<T>, T: Item> Runner<Runs<'_, E, T, Host, ReturnedIndices, Uncounted>> for Cpu {
    type Given = Vec<usize>;

    fn run(self, request: Runs<'_, E, T, Host, ReturnedIndices, Uncounted>) -> Result<Vec<usize>> {
        Ok(reference::run_starts::<E, T>(typed(
            request.arguments.input.host(),
        )))
    }
}

impl<E: Equality<T>, T: Item> Runner<Runs<'_, E, T, Host, Written, Uncounted>> for Cpu {
    type Given = usize;

    fn run(self, request: Runs<'_, E, T, Host, Written, Uncounted>) -> Result<usize> {
        let mut arguments = request.arguments;
        let output = arguments.results.take();
        let firsts = reference::unique::<E, T>(typed(arguments.input.host()));
        take(output, &firsts)?;
        Ok(firsts.len())
    }
}
