//! Makes a call for a kernel row, and checks its results. Only the rows of `for_each_text` have calls.

use crate::device::{Item, Kernel};
use std::fmt;

use cust::memory::{CopyDestination, DeviceSlice};
use cust::stream::Stream;
use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, Gpu, LogSumExp, Max, Min, Op, Product, Result, Sum, WideSum, cust, kind};

use crate::call::{Call, Form, Output};
use crate::common::gpu;
use crate::data::assert_same_bits;
use crate::edges::Edges;
use crate::expected::{Reduction, Scan};
use crate::guarded::Guarded;
use crate::texts::for_each_text;

/// A row of the table of kernels.
#[derive(Clone, Copy)]
pub struct Row {
    symbol: &'static str,
    pub check: fn(&Call),
    pub check_reference: fn(&Call),
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol)
    }
}

macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
        /// The rows of `for_each_text`.
        pub const ROWS: &[Row] = &[$(Row {
            symbol: stringify!($symbol),
            check: $kind::<$op, $t>,
            check_reference: reference_of::$kind::<$op, $t>,
        },)*];
    };
}

for_each_text!(rows);

/// The slice function of an operator, such as `gpu_sum`.
trait OfSlice<T: Item>: Reduction<T> {
    fn of_slice(items: &[T]) -> Result<Self::Output>;
}

/// Each line has an operator, and the call that reduces a slice with it.
macro_rules! of_slices {
    ($($op:ident: $call:expr;)*) => {$(
        impl<T: Item> OfSlice<T> for $op
        where
            $op: Reduction<T> + Kernel<kind::reduce, T, Output = T>,
        {
            fn of_slice(items: &[T]) -> Result<T> {
                $call(items)
            }
        }
    )*};
}

of_slices! {
    Sum: warpfold::gpu_sum;
    Product: warpfold::gpu_product;
    Min: |items| warpfold::gpu_min(items).map(|found| or_identity::<Min, T>(items, found));
    Max: |items| warpfold::gpu_max(items).map(|found| or_identity::<Max, T>(items, found));
}

impl<T: Item> OfSlice<T> for WideSum
where
    WideSum: Reduction<T>,
{
    fn of_slice(items: &[T]) -> Result<Self::Output> {
        warpfold::gpu_wide_sum(items)
    }
}

impl OfSlice<f32> for LogSumExp {
    fn of_slice(items: &[f32]) -> Result<f32> {
        warpfold::reduce::<Self, _>(items).wait(Gpu::global()?)
    }
}

/// The extreme, or the identity if there are no items. Asserts that only an empty slice has no extreme.
fn or_identity<O: Op<T, Output = T>, T: Item>(items: &[T], found: Option<T>) -> T {
    let count = items.len();
    assert_eq!(found.is_none(), count == 0, "an extreme of {count} items");
    found.unwrap_or_else(|| O::lower(O::identity()))
}

/// `input_offset` sentinels, and then the call's items.
fn on_the_host<T: Edges>(call: &Call, items: &[T]) -> Vec<T> {
    [&vec![T::SENTINEL; call.input_offset], items].concat()
}

fn reduce<O: OfSlice<T>, T: Edges>(call: &Call)
where
    O::Output: Edges,
{
    let items = call.contents.items::<O, T>(call.item_count);
    let expected = O::reduced(&items);
    if call.form == Form::Slice {
        let host = on_the_host(call, &items);
        let found = O::of_slice(&host[call.input_offset..]).unwrap();
        return assert_same_bits(&[found], &[expected], "reduction of a slice");
    }
    let input = Guarded::input::<O>(&items, call.input_offset);
    let output = Guarded::<O::Output>::output(1, call.output_offset());
    let mut waited = None;
    let work = |stream: Option<&Stream>| match stream {
        None => {
            waited = Some(warpfold::reduce::<O, _>(&input.slice()).wait(gpu())?);
            Ok(())
        }
        Some(stream) => warpfold::reduce::<O, _>(&input.slice())
            .to(&mut output.slice())
            .queue(gpu(), stream),
    };
    call.carry_out(work, || {
        let sentinel = [O::Output::SENTINEL];
        output.slice().copy_from(&sentinel[..]).unwrap();
    });
    let queued = output.checked();
    match waited {
        Some(found) => assert_same_bits(&[found], &[expected], "reduction"),
        None => assert_same_bits(&queued, &[expected], "reduction on a stream"),
    }
    assert_same_bits(&input.checked(), &items, "the input");
}

/// The forms of one kind of scan.
struct Forms<T: Edges> {
    waiting: fn(&Gpu, &DeviceSlice<T>, &mut DeviceSlice<T>) -> Result<()>,
    waiting_in_place: fn(&Gpu, &mut DeviceSlice<T>) -> Result<()>,
    queued: fn(&Gpu, &Stream, &DeviceSlice<T>, &mut DeviceSlice<T>) -> Result<()>,
    queued_in_place: fn(&Gpu, &Stream, &mut DeviceSlice<T>) -> Result<()>,
    of_slice: fn(&[T]) -> Result<Vec<T>>,
    expected: fn(&[T]) -> Vec<T>,
}

fn inclusive_scan<O: Scan<T>, T: Edges>(call: &Call) {
    scan::<O, T>(
        call,
        Forms {
            waiting: |gpu, input, output| warpfold::scan::<O, _>(input).to(output).wait(gpu),
            waiting_in_place: |gpu, items| warpfold::scan::<O, _>(items).in_place().wait(gpu),
            queued: |gpu, stream, input, output| {
                warpfold::scan::<O, _>(input).to(output).queue(gpu, stream)
            },
            queued_in_place: |gpu, stream, items| {
                warpfold::scan::<O, _>(items).in_place().queue(gpu, stream)
            },
            of_slice: |items| warpfold::scan::<O, _>(items).wait(Gpu::global()),
            expected: O::inclusive,
        },
    );
}

fn exclusive_scan<O: Scan<T>, T: Edges>(call: &Call) {
    scan::<O, T>(
        call,
        Forms {
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
            expected: O::exclusive,
        },
    );
}

fn scan<O: Op<T>, T: Edges>(call: &Call, forms: Forms<T>) {
    let items = call.contents.items::<O, T>(call.item_count);
    match call.output {
        _ if call.form == Form::Slice => {
            let host = on_the_host(call, &items);
            let found = (forms.of_slice)(&host[call.input_offset..]).unwrap();
            assert_same_bits(&found, &(forms.expected)(&items), "scan of a slice");
        }
        Output::Elsewhere(_) => scan_elsewhere::<O, T>(call, &forms, &items),
        Output::InPlace => scan_in_place::<O, T>(call, &forms, &items),
    }
}

fn scan_elsewhere<O: Op<T>, T: Edges>(call: &Call, forms: &Forms<T>, items: &[T]) {
    let input = Guarded::input::<O>(items, call.input_offset);
    let output = Guarded::<T>::output(items.len(), call.output_offset());
    let work = |stream: Option<&Stream>| match stream {
        None => (forms.waiting)(gpu(), &input.slice(), &mut output.slice()),
        Some(stream) => (forms.queued)(gpu(), stream, &input.slice(), &mut output.slice()),
    };
    call.carry_out(work, || {
        let sentinels = vec![T::SENTINEL; items.len()];
        output.slice().copy_from(&sentinels[..]).unwrap();
    });
    assert_same_bits(&output.checked(), &(forms.expected)(items), "scan");
    assert_same_bits(&input.checked(), items, "the input");
}

fn scan_in_place<O: Op<T>, T: Edges>(call: &Call, forms: &Forms<T>, items: &[T]) {
    let data = Guarded::input::<O>(items, call.input_offset);
    let work = |stream: Option<&Stream>| match stream {
        None => (forms.waiting_in_place)(gpu(), &mut data.slice()),
        Some(stream) => (forms.queued_in_place)(gpu(), stream, &mut data.slice()),
    };
    call.carry_out(work, || data.slice().copy_from(items).unwrap());
    let mut expected = items.to_vec();
    for _ in 0..call.repeats() {
        expected = (forms.expected)(&expected);
    }
    assert_same_bits(&data.checked(), &expected, "scan in place");
}

/// Compares the reference with plain loops. There is a function for each kind.
mod reference_of {
    use super::*;

    pub fn reduce<O: Reduction<T>, T: Edges>(call: &Call) {
        let items = call.contents.items::<O, T>(call.item_count);
        if let Some(plain) = O::plainly_reduced(&items) {
            let found = warpfold::reduce::<O, _>(&items).wait(Cpu).unwrap();
            assert_same_bits(&[found], &[plain], "reduction");
        }
    }

    pub fn inclusive_scan<O: Scan<T>, T: Edges>(call: &Call) {
        let items = call.contents.items::<O, T>(call.item_count);
        if let Some([plain, _]) = O::plainly_scanned(&items) {
            let found = warpfold::scan::<O, _>(&items).wait(Cpu).unwrap();
            assert_same_bits(&found, &plain, "inclusive scan");
        }
    }

    pub fn exclusive_scan<O: Scan<T>, T: Edges>(call: &Call) {
        let items = call.contents.items::<O, T>(call.item_count);
        if let Some([_, plain]) = O::plainly_scanned(&items) {
            let found = warpfold::scan::<O, _>(&items)
                .exclusive()
                .wait(Cpu)
                .unwrap();
            assert_same_bits(&found, &plain, "exclusive scan");
        }
    }
}
