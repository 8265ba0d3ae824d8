//! Scans on the CPU.

use warpfold_kernels::op::Op;
use warpfold_kernels::selection::Equality;

use super::{Cpu, axis, keys, offsets, typed};
use crate::arguments::{Arguments, HostItems, Memory, Shape};
use crate::error::Result;
use crate::kernel::Item;
use crate::reference;
use crate::request::ends::room;
use crate::request::memory::{OnTheHost, Replaceable, Returned};
use crate::request::shape::{
    Axis, ByKey, Columns, Order, Pitched, Rows, ScanOrder, Segments, Whole, WholeWith,
};
use crate::request::{Replaced, ReturnedWithTotal, Runner, Scan, Written, WrittenWithTotal};

/// The results of all [grouped](Arguments::grouped) items.
fn scan_groups<O: Op<T>, T: Item>(
    items: &[T],
    shape: &Shape<Memory<'_>>,
    order: ScanOrder,
) -> Vec<O::Output> {
    match shape {
        Shape::Columns(columns) => in_order(items, order, |items| match order.is_exclusive {
            true => reference::exclusive_scan_columns::<O, T>(items, *columns),
            false => reference::inclusive_scan_columns::<O, T>(items, *columns),
        }),
        Shape::Axis(axis) => axis::scan::<O, T>(items, axis, order),
        _ => segmented_scan::<O, T>(items, &offsets(items.len(), shape), order),
    }
}

pub(super) fn segmented_scan<O: Op<T>, T: Item>(
    items: &[T],
    offsets: &[usize],
    order: ScanOrder,
) -> Vec<O::Output> {
    let mut offsets = offsets.to_vec();
    if order.is_reversed {
        offsets.reverse();
        for offset in &mut offsets {
            *offset = items.len() - *offset;
        }
    }
    in_order(items, order, |items| match order.is_exclusive {
        true => reference::segmented_exclusive_scan::<O, T>(items, &offsets),
        false => reference::segmented_inclusive_scan::<O, T>(items, &offsets),
    })
}

/// The results of `scan`. For a reversed scan, this reverses the items before `scan` runs, and the results afterwards.
fn in_order<T: Item, R>(
    items: &[T],
    order: ScanOrder,
    scan: impl FnOnce(&[T]) -> Vec<R>,
) -> Vec<R> {
    if !order.is_reversed {
        return scan(items);
    }
    let mut items = items.to_vec();
    items.reverse();
    let mut results = scan(&items);
    results.reverse();
    results
}

/// Scans all items, from the initial value if the request has one. Returns the results and the total.
fn scanned<O: Op<T, Output: Item>, T: Item, D: Order>(
    arguments: &Arguments<Memory<'_>>,
) -> (Vec<O::Output>, O::Output) {
    let items = typed::<T>(arguments.input.host());
    let initial = arguments.initial.map_or_else(O::identity, |value| {
        bytemuck::pod_read_unaligned(value.bytes())
    });
    let mut total = None;
    let scanned = in_order(items, D::ORDER, |items| {
        let (results, last) = match D::ORDER.is_exclusive {
            true => reference::exclusive_scan_from::<O, T>(initial, items),
            false => reference::inclusive_scan_from::<O, T>(initial, items),
        };
        total = Some(last);
        results
    });
    (scanned, total.unwrap_or_else(|| O::lower(initial)))
}

/// Writes the total to the request's output for the total, if the request has one.
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
            Runner<Scan<'_, O, T, OnTheHost, $shape, D, $returned>> for Cpu
        {
            type Given = Vec<O::Output>;

            fn run(
                self,
                request: Scan<'_, O, T, OnTheHost, $shape, D, $returned>,
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

        whole_scans!($shape to Written);
        whole_scans!($shape to Replaced);
    };
    ($shape:ident to $to:ident) => {
        impl<O: Op<T, Output: Item>, T: Item, D: Order>
            Runner<Scan<'_, O, T, OnTheHost, $shape, D, $to>> for Cpu
        {
            type Given = ();

            fn run(self, request: Scan<'_, O, T, OnTheHost, $shape, D, $to>) -> Result<()> {
                written::<O, T, D>(request.arguments).map(drop)
            }
        }
    };
}

whole_scans!(Whole);
whole_scans!(WholeWith);

macro_rules! several {
    ($shape:ident) => {
        several!($shape, Returned);
        several!($shape, Replaceable);

        impl<O: Op<T, Output: Item>, T: Item, D: Order>
            Runner<Scan<'_, O, T, OnTheHost, $shape, D, Written>> for Cpu
        {
            type Given = ();

            fn run(self, request: Scan<'_, O, T, OnTheHost, $shape, D, Written>) -> Result<()> {
                let mut arguments = request.arguments;
                let count = arguments.group_count()?;
                let items = typed::<T>(arguments.input.host());
                let to = room(arguments.results.take(), items.len())?;
                if count > 0 && !items.is_empty() {
                    let scanned = scan_groups::<O, T>(items, &arguments.shape, D::ORDER);
                    if let Some(layout) = arguments.layout()? {
                        let result_bytes = to.len() / items.len();
                        layout.copy_rows(bytemuck::cast_slice(&scanned), to, result_bytes);
                        return Ok(());
                    }
                    let start = arguments.grouped().start * (to.len() / items.len());
                    let bytes = bytemuck::cast_slice(&scanned);
                    to[start..start + bytes.len()].copy_from_slice(bytes);
                }
                Ok(())
            }
        }
    };
    ($shape:ident, $returned:ident) => {
        impl<O: Op<T, Output: Item>, T: Item, D: Order>
            Runner<Scan<'_, O, T, OnTheHost, $shape, D, $returned>> for Cpu
        {
            type Given = Vec<O::Output>;

            fn run(
                self,
                request: Scan<'_, O, T, OnTheHost, $shape, D, $returned>,
            ) -> Result<Vec<O::Output>> {
                grouped::<O, T, D>(&request.arguments)
            }
        }
    };
}

several!(Segments);
several!(Rows);
several!(Columns);
several!(Axis);
several!(Pitched);

macro_rules! by_key {
    ($returned:ident) => {
        impl<O: Op<T, Output: Item>, T: Item, E: Equality<K>, K: Item, D: Order>
            Runner<Scan<'_, O, T, OnTheHost, ByKey<E, K>, D, $returned>> for Cpu
        {
            type Given = Vec<O::Output>;

            fn run(
                self,
                request: Scan<'_, O, T, OnTheHost, ByKey<E, K>, D, $returned>,
            ) -> Result<Vec<O::Output>> {
                by_key::<O, E, K, T, D>(&request.arguments)
            }
        }
    };
}

by_key!(Returned);
by_key!(Replaceable);

impl<O: Op<T, Output: Item>, T: Item, E: Equality<K>, K: Item, D: Order>
    Runner<Scan<'_, O, T, OnTheHost, ByKey<E, K>, D, Written>> for Cpu
{
    type Given = ();

    fn run(self, request: Scan<'_, O, T, OnTheHost, ByKey<E, K>, D, Written>) -> Result<()> {
        let mut arguments = request.arguments;
        let to = arguments.results.take();
        let scanned = by_key::<O, E, K, T, D>(&arguments)?;
        room(to, scanned.len())?.copy_from_slice(bytemuck::cast_slice(&scanned));
        Ok(())
    }
}

fn by_key<O: Op<T, Output: Item>, E: Equality<K>, K: Item, T: Item, D: Order>(
    arguments: &Arguments<Memory<'_>>,
) -> Result<Vec<O::Output>> {
    arguments.group_count()?;
    let starts = reference::run_starts::<E, K>(typed(keys(arguments)));
    let values = typed(arguments.input.host());
    Ok(segmented_scan::<O, T>(values, &starts, D::ORDER))
}

/// Scans each part. Items that belong to no part get zeros.
fn grouped<O: Op<T, Output: Item>, T: Item, D: Order>(
    arguments: &Arguments<Memory<'_>>,
) -> Result<Vec<O::Output>> {
    let items = typed::<T>(arguments.input.host());
    let mut results = vec![bytemuck::Zeroable::zeroed(); items.len()];
    if arguments.group_count()? > 0 {
        let scanned = scan_groups::<O, T>(items, &arguments.shape, D::ORDER);
        results[arguments.grouped()].copy_from_slice(&scanned);
    }
    Ok(results)
}

impl<O: Op<T, Output: Item>, T: Item, D: Order>
    Runner<Scan<'_, O, T, OnTheHost, WholeWith, D, WrittenWithTotal>> for Cpu
{
    type Given = O::Output;

    fn run(
        self,
        request: Scan<'_, O, T, OnTheHost, WholeWith, D, WrittenWithTotal>,
    ) -> Result<O::Output> {
        written::<O, T, D>(request.arguments)
    }
}

impl<O: Op<T, Output: Item>, T: Item, D: Order>
    Runner<Scan<'_, O, T, OnTheHost, WholeWith, D, ReturnedWithTotal>> for Cpu
{
    type Given = (Vec<O::Output>, O::Output);

    fn run(
        self,
        request: Scan<'_, O, T, OnTheHost, WholeWith, D, ReturnedWithTotal>,
    ) -> Result<Self::Given> {
        let mut arguments = request.arguments;
        let (scanned, total) = scanned::<O, T, D>(&arguments);
        write_total(arguments.total.take(), total)?;
        Ok((scanned, total))
    }
}

/// Scans all items, and writes the results to the request's output, or in place. Returns the total.
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
