//! Scans.

use std::mem::MaybeUninit;
use std::ptr;

use bytemuck::Zeroable;
use warpfold_kernels::op::Op;

use super::{QueuedScan, ScanEnd, results, results_to, room};
use crate::arguments::{Arguments, HostItems, Memory};
use crate::by_key::Marker;
use crate::call::{self, Verb};
use crate::call::{Wanted, run_at_once};
use crate::error::Result;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, Row, kind};
use crate::request::memory::{OnTheDevice, OnTheHost, Replaceable, Returned};
use crate::request::shape::{
    ByKey, ByKeyTo, Columns, Order, Rows, Segments, Several, Whole, WholeCounted, WholeWith,
};
use crate::request::{Replaced, ReturnedWithTotal, Written, WrittenWithTotal};
use crate::selection::{RunsKernel, heads};
use crate::staged;

macro_rules! to_device {
    ([$($parameter:tt)*] $shape:ty, $kind:ty, $to:ty) => {
        #[allow(private_interfaces)]
        impl<O, T: Item, D: Order, $($parameter)*> QueuedScan<O, T> for (OnTheDevice, $shape, D, $to)
        where
            O: Kernel<$kind, T>,
        {
            fn verb() -> Result<Verb> {
                Ok(verb::<D>(O::row()))
            }
        }

        #[allow(private_interfaces)]
        impl<O, T: Item, D: Order, $($parameter)*> ScanEnd<O, T> for (OnTheDevice, $shape, D, $to)
        where
            O: Kernel<$kind, T>,
        {
            type Given = ();

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
                call::wait(gpu, verb::<D>(O::row()), arguments).map(drop)
            }
        }
    };
}

to_device!([] Whole, D::Scan, Written);
to_device!([] Whole, D::Scan, Replaced);
to_device!([] WholeCounted, D::Scan, Written);
to_device!([] WholeCounted, D::Scan, Replaced);
to_device!([] WholeWith, D::Scan, Written);
to_device!([] WholeWith, D::Scan, Replaced);
to_device!([] Segments, kind::segmented_scan, Written);
to_device!([] Rows, kind::segmented_scan, Written);
to_device!([] Columns, kind::columns_scan, Written);

fn verb<D: Order>(row: &'static Row) -> Verb {
    Verb::Scan {
        row,
        order: D::ORDER,
    }
}

/// Scans all items in device memory, and returns the total.
#[allow(private_interfaces)]
impl<O: Kernel<D::Scan, T>, T: Item, D: Order> ScanEnd<O, T>
    for (OnTheDevice, WholeWith, D, WrittenWithTotal)
{
    type Given = O::Output;

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<O::Output> {
        if arguments.input.is_empty() {
            let total = total_of_nothing::<O, T>(&arguments);
            call::wait(gpu, verb::<D>(O::row()), arguments)?;
            return Ok(total);
        }
        let mut total = O::Output::zeroed();
        let total_bytes = bytemuck::bytes_of_mut(&mut total);
        call::wait_for_total(gpu, O::row(), D::ORDER, arguments, total_bytes)?;
        Ok(total)
    }
}

/// Scans the items of each run of keys in device memory.
#[allow(private_interfaces)]
impl<O, T: Item, D: Order, E: RunsKernel<K>, K: Item> ScanEnd<O, T>
    for (OnTheDevice, ByKey<E, K>, D, Written)
where
    O: Kernel<kind::by_key_scan, T>,
{
    type Given = ();

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
        call::wait(gpu, by_key_verb::<D, E, K>(O::row()), arguments).map(drop)
    }
}

#[allow(private_interfaces)]
impl<O, T: Item, D: Order, E: RunsKernel<K>, K: Item> QueuedScan<O, T>
    for (OnTheDevice, ByKey<E, K>, D, Written)
where
    O: Kernel<kind::by_key_scan, T>,
{
    fn verb() -> Result<Verb> {
        Ok(by_key_verb::<D, E, K>(O::row()))
    }
}

fn by_key_verb<D: Order, E: RunsKernel<K>, K: Item>(row: &'static Row) -> Verb {
    Verb::ScanAtHeads {
        row,
        order: D::ORDER,
        marker: Marker::of::<E, K>(),
    }
}

/// Scans the items of each run of keys in device memory, and writes the starts and the number of the runs.
#[allow(private_interfaces)]
impl<O, T: Item, D: Order, E: RunsKernel<K>, K: Item> ScanEnd<O, T>
    for (OnTheDevice, ByKeyTo<E, K>, D, Written)
where
    O: Kernel<kind::segmented_scan, T>,
{
    type Given = ();

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
        call::wait(gpu, by_key_to_verb::<D, E, K>(O::row()), arguments).map(drop)
    }
}

#[allow(private_interfaces)]
impl<O, T: Item, D: Order, E: RunsKernel<K>, K: Item> QueuedScan<O, T>
    for (OnTheDevice, ByKeyTo<E, K>, D, Written)
where
    O: Kernel<kind::segmented_scan, T>,
{
    fn verb() -> Result<Verb> {
        Ok(by_key_to_verb::<D, E, K>(O::row()))
    }
}

fn by_key_to_verb<D: Order, E: RunsKernel<K>, K: Item>(row: &'static Row) -> Verb {
    Verb::ScanByKey {
        row,
        order: D::ORDER,
        keys: heads::<E, K>(),
    }
}

macro_rules! of_host {
    ($returned:ident) => {
        /// Scans all items of the host.
        #[allow(private_interfaces)]
        impl<O: Kernel<D::Scan, T>, T: Item, D: Order> ScanEnd<O, T>
            for (OnTheHost, Whole, D, $returned)
        {
            type Given = Vec<O::Output>;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Vec<O::Output>> {
                whole::<O, T, D>(gpu, &arguments)
            }
        }

        /// Scans all items of the host, with an initial value or an output for the total.
        #[allow(private_interfaces)]
        impl<O: Kernel<D::Scan, T>, T: Item, D: Order> ScanEnd<O, T>
            for (OnTheHost, WholeWith, D, $returned)
        {
            type Given = Vec<O::Output>;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Vec<O::Output>> {
                returned::<O, T, D>(gpu, arguments).map(|(scanned, _)| scanned)
            }
        }

        /// Scans the items of each run of keys of the host.
        #[allow(private_interfaces)]
        impl<O, T: Item, D: Order, E: RunsKernel<K>, K: Item> ScanEnd<O, T>
            for (OnTheHost, ByKey<E, K>, D, $returned)
        where
            O: Kernel<kind::by_key_scan, T>,
        {
            type Given = Vec<O::Output>;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Vec<O::Output>> {
                grouped(gpu, by_key_verb::<D, E, K>(O::row()), arguments)
            }
        }
    };
}

of_host!(Returned);
of_host!(Replaceable);

#[allow(private_interfaces)]
impl<O: Kernel<D::Scan, T>, T: Item, D: Order> ScanEnd<O, T> for (OnTheHost, Whole, D, Written) {
    type Given = ();

    fn run(gpu: &Gpu, mut arguments: Arguments<Memory<'_>>) -> Result<()> {
        let item_count = arguments.input.host().count();
        let to = room(arguments.results.take(), item_count)?;
        if item_count == 0 {
            return Ok(());
        }
        if D::ORDER.is_reversed {
            let (scanned, _) = whole_with::<O, T, D>(gpu, &arguments)?;
            to.copy_from_slice(bytemuck::cast_slice(&scanned));
            return Ok(());
        }
        // SAFETY: the new reference has the bytes and the lifetime of the old one, which is not used again. `MaybeUninit<u8>` has the
        // layout of `u8`. `scan_to` writes initialised bytes only, so the slice stays initialised even if the scan fails.
        let to = unsafe { &mut *(ptr::from_mut(to) as *mut [MaybeUninit<u8>]) };
        let items = arguments.input.host();
        gpu.enter(|entered| staged::scan_to(entered, O::row(), items, to))
    }
}

#[allow(private_interfaces)]
impl<O: Kernel<D::Scan, T>, T: Item, D: Order> ScanEnd<O, T> for (OnTheHost, Whole, D, Replaced) {
    type Given = ();

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
        let scanned = whole::<O, T, D>(gpu, &arguments)?;
        replace(arguments.input, &scanned);
        Ok(())
    }
}

macro_rules! written_with {
    ($to:ident) => {
        #[allow(private_interfaces)]
        impl<O: Kernel<D::Scan, T>, T: Item, D: Order> ScanEnd<O, T>
            for (OnTheHost, WholeWith, D, $to)
        {
            type Given = ();

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
                written::<O, T, D>(gpu, arguments).map(drop)
            }
        }
    };
}

written_with!(Written);
written_with!(Replaced);

macro_rules! several {
    ($shape:ident) => {
        several!($shape, Returned);
        several!($shape, Replaceable);

        #[allow(private_interfaces)]
        impl<O: Kernel<<$shape as Several>::Scan, T>, T: Item, D: Order> ScanEnd<O, T>
            for (OnTheHost, $shape, D, Written)
        {
            type Given = ();

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
                grouped_to(gpu, verb::<D>(O::row()), arguments)
            }
        }
    };
    ($shape:ident, $returned:ident) => {
        /// Scans each part of the items of the host.
        #[allow(private_interfaces)]
        impl<O: Kernel<<$shape as Several>::Scan, T>, T: Item, D: Order> ScanEnd<O, T>
            for (OnTheHost, $shape, D, $returned)
        {
            type Given = Vec<O::Output>;

            fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Vec<O::Output>> {
                grouped(gpu, verb::<D>(O::row()), arguments)
            }
        }
    };
}

several!(Segments);
several!(Rows);
several!(Columns);

#[allow(private_interfaces)]
impl<O, T: Item, D: Order, E: RunsKernel<K>, K: Item> ScanEnd<O, T>
    for (OnTheHost, ByKey<E, K>, D, Written)
where
    O: Kernel<kind::by_key_scan, T>,
{
    type Given = ();

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<()> {
        grouped_to(gpu, by_key_verb::<D, E, K>(O::row()), arguments)
    }
}

#[allow(private_interfaces)]
impl<O: Kernel<D::Scan, T>, T: Item, D: Order> ScanEnd<O, T>
    for (OnTheHost, WholeWith, D, ReturnedWithTotal)
{
    type Given = (Vec<O::Output>, O::Output);

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<Self::Given> {
        returned::<O, T, D>(gpu, arguments)
    }
}

#[allow(private_interfaces)]
impl<O: Kernel<D::Scan, T>, T: Item, D: Order> ScanEnd<O, T>
    for (OnTheHost, WholeWith, D, WrittenWithTotal)
{
    type Given = O::Output;

    fn run(gpu: &Gpu, arguments: Arguments<Memory<'_>>) -> Result<O::Output> {
        written::<O, T, D>(gpu, arguments)
    }
}

/// Scans all items of the host. A forward scan uploads them piece by piece; a reversed scan uploads them all at once.
fn whole<O: Kernel<D::Scan, T>, T: Item, D: Order>(
    gpu: &Gpu,
    arguments: &Arguments<Memory<'_>>,
) -> Result<Vec<O::Output>> {
    if D::ORDER.is_reversed {
        return whole_with::<O, T, D>(gpu, arguments).map(|(scanned, _)| scanned);
    }
    let items = arguments.input.host();
    match items.count() {
        0 => Ok(Vec::new()),
        _ => gpu.enter(|entered| staged::scan(entered, O::row(), items)),
    }
}

/// The results and the total of a scan with options. If the request has an output for the total, the total is also written there.
fn returned<O: Kernel<D::Scan, T>, T: Item, D: Order>(
    gpu: &Gpu,
    mut arguments: Arguments<Memory<'_>>,
) -> Result<(Vec<O::Output>, O::Output)> {
    let to = match arguments.total.take() {
        Some(to) => room(Some(to), 1)?,
        None => &mut [],
    };
    let (scanned, total) = whole_with::<O, T, D>(gpu, &arguments)?;
    if !to.is_empty() {
        to.copy_from_slice(bytemuck::bytes_of(&total));
    }
    Ok((scanned, total))
}

/// Runs a scan with options, and writes the results to the request's output, or in place. Returns the total.
fn written<O: Kernel<D::Scan, T>, T: Item, D: Order>(
    gpu: &Gpu,
    mut arguments: Arguments<Memory<'_>>,
) -> Result<O::Output> {
    let item_count = arguments.input.host().count();
    let total_to = match arguments.total.take() {
        Some(to) => room(Some(to), 1)?,
        None => &mut [],
    };
    let to = match arguments.results.take() {
        Some(to) => Some(room(Some(to), item_count)?),
        None => None,
    };
    let (scanned, total) = whole_with::<O, T, D>(gpu, &arguments)?;
    if !total_to.is_empty() {
        total_to.copy_from_slice(bytemuck::bytes_of(&total));
    }
    match to {
        Some(to) => to.copy_from_slice(bytemuck::cast_slice(&scanned)),
        None => replace(arguments.input, &scanned),
    }
    Ok(total)
}

/// Uploads all items of the host at once, and scans them, from the initial value if the request has one. Returns the results and the total.
fn whole_with<O: Kernel<D::Scan, T>, T: Item, D: Order>(
    gpu: &Gpu,
    arguments: &Arguments<Memory<'_>>,
) -> Result<(Vec<O::Output>, O::Output)> {
    let item_count = arguments.input.host().count();
    if item_count == 0 {
        return Ok((Vec::new(), total_of_nothing::<O, T>(arguments)));
    }
    let wanted = Wanted {
        results: item_count,
        total: 1,
        ..Wanted::default()
    };
    gpu.enter(|entered| {
        let done = run_at_once(entered, verb::<D>(O::row()), arguments, wanted)?;
        let (Some(results), Some(total)) = (done.sections.results, done.sections.total) else {
            return Ok((Vec::new(), total_of_nothing::<O, T>(arguments)));
        };
        let (scanned, done) = done.take(results)?;
        let mut all = O::Output::zeroed();
        done.take_to(total, bytemuck::bytes_of_mut(&mut all))?;
        Ok((scanned, all))
    })
}

/// The total of an empty input.
fn total_of_nothing<O: Op<T>, T: Item>(arguments: &Arguments<Memory<'_>>) -> O::Output {
    let initial = arguments.initial;
    O::lower(initial.map_or_else(O::identity, |value| {
        bytemuck::pod_read_unaligned(value.bytes())
    }))
}

/// Overwrites the items with the results.
fn replace<R: Item>(input: Memory<'_>, scanned: &[R]) {
    if let Memory::HostMut(HostItems { bytes, .. }) = input {
        bytes.copy_from_slice(bytemuck::cast_slice(scanned));
    }
}

/// Scans each part of the items of the host. Items that belong to no part get zeros.
pub(super) fn grouped<R: Item>(
    gpu: &Gpu,
    verb: Verb,
    arguments: Arguments<Memory<'_>>,
) -> Result<Vec<R>> {
    let range = match arguments.group_count()? {
        0 => 0..0,
        _ => arguments.grouped(),
    };
    let item_count = arguments.input.host().count();
    if range.is_empty() {
        return Ok(vec![R::zeroed(); item_count]);
    }
    if let Some(layout) = arguments.layout()? {
        let mut scanned = vec![R::zeroed(); item_count];
        if layout.has_no_items() {
            return Ok(scanned);
        }
        let all: Vec<R> = results(gpu, verb, &arguments, wanted(&arguments))?;
        let to = bytemuck::cast_slice_mut(&mut scanned);
        layout.copy_rows(bytemuck::cast_slice(&all), to, size_of::<R>());
        return Ok(scanned);
    }
    if range.len() == item_count {
        return results(gpu, verb, &arguments, wanted(&arguments));
    }
    let mut scanned = vec![R::zeroed(); item_count];
    let to = bytemuck::cast_slice_mut(&mut scanned[range]);
    results_to(gpu, verb, &arguments, wanted(&arguments), to)?;
    Ok(scanned)
}

/// As [`grouped`], with the results written to the request's output. Where an item belongs to no part, the output is not touched.
pub(super) fn grouped_to(
    gpu: &Gpu,
    verb: Verb,
    mut arguments: Arguments<Memory<'_>>,
) -> Result<()> {
    let count = arguments.group_count()?;
    let item_count = arguments.input.host().count();
    let to = room(arguments.results.take(), item_count)?;
    let range = arguments.grouped();
    if count == 0 || range.is_empty() {
        return Ok(());
    }
    let result_bytes = to.len() / item_count;
    if let Some(layout) = arguments.layout()? {
        if layout.has_no_items() {
            return Ok(());
        }
        let mut all = to.to_vec();
        results_to(gpu, verb, &arguments, wanted(&arguments), &mut all)?;
        layout.copy_rows(&all, to, result_bytes);
        return Ok(());
    }
    let to = &mut to[range.start * result_bytes..range.end * result_bytes];
    results_to(gpu, verb, &arguments, wanted(&arguments), to)
}

fn wanted(arguments: &Arguments<Memory<'_>>) -> Wanted {
    let item_count = arguments.input.host().count();
    Wanted {
        results: item_count,
        is_cut: true,
        ..Wanted::default()
    }
}
