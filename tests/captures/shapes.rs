//! Calls on pairs, segments, columns, selections and by key, beside a capture.

use cust::memory::DeviceSlice;
use warpfold::{
    Equal, Max, NonZero, Sum, cust, dot, exclusive_scan_and_total, inclusive_scan_by_key,
    inclusive_scan_columns, inclusive_scan_rows, reduce_by_key, reduce_by_key_on, reduce_columns,
    reduce_rows_into, segmented_inclusive_scan, segmented_reduce, select_if, select_if_on, unique,
};

use crate::{Case, Data, Outcome, stream};

/// Items of each call.
const ITEMS: usize = 64;

/// Keys, values or a matrix.
fn items(data: &Data) -> DeviceSlice<u32> {
    data.input.index(..ITEMS)
}

/// Offsets: the items count up from 0.
fn offsets(data: &Data) -> DeviceSlice<u32> {
    data.input.index(..ITEMS)
}

pub const CASES: [Case; 13] = [
    Case {
        name: "dot",
        outcome: Outcome::Refused,
        call: |gpu, data| dot(gpu, &items(data), &items(data)).map(drop),
    },
    Case {
        name: "exclusive_scan_and_total",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            exclusive_scan_and_total::<Sum, _>(gpu, &items(data), &mut data.room(ITEMS)).map(drop)
        },
    },
    Case {
        name: "segmented_reduce",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            let mut output = data.room(ITEMS);
            segmented_reduce::<Max, _, _>(gpu, &items(data), &offsets(data), &mut output)
        },
    },
    Case {
        name: "segmented_inclusive_scan",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            let mut output = data.room(ITEMS);
            segmented_inclusive_scan::<Sum, _, _>(gpu, &items(data), &offsets(data), &mut output)
        },
    },
    Case {
        name: "inclusive_scan_rows",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            inclusive_scan_rows::<Sum, _>(gpu, &items(data), 8, &mut data.room(ITEMS))
        },
    },
    Case {
        name: "reduce_columns",
        outcome: Outcome::Refused,
        call: |gpu, data| reduce_columns::<Sum, _>(gpu, &items(data), 8, &mut data.room(8)),
    },
    Case {
        name: "inclusive_scan_columns",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            inclusive_scan_columns::<Sum, _>(gpu, &items(data), 8, &mut data.room(ITEMS))
        },
    },
    Case {
        name: "select_if",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            select_if::<NonZero, _>(gpu, &items(data), &mut data.room(ITEMS)).map(drop)
        },
    },
    Case {
        name: "unique",
        outcome: Outcome::Refused,
        call: |gpu, data| unique::<Equal, _>(gpu, &items(data), &mut data.room(ITEMS)).map(drop),
    },
    Case {
        name: "reduce_by_key",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            let (mut keys, mut sums) = (data.room(ITEMS), data.room(ITEMS));
            let [input, values] = [items(data); 2];
            reduce_by_key::<Sum, Equal, _, _>(gpu, &input, &values, &mut keys, &mut sums).map(drop)
        },
    },
    Case {
        name: "inclusive_scan_by_key",
        outcome: Outcome::Refused,
        call: |gpu, data| {
            let mut output = data.room(ITEMS);
            inclusive_scan_by_key::<Sum, Equal, _, _>(gpu, &items(data), &items(data), &mut output)
        },
    },
    Case {
        name: "reduce_rows_into and select_if_on on another stream",
        outcome: Outcome::Done,
        call: |gpu, data| {
            let stream = stream();
            let mut output = data.room(8);
            reduce_rows_into::<Sum, _>(gpu, &stream, &items(data), 8, &mut output)?;
            let mut output = data.room(ITEMS);
            select_if_on::<NonZero, _>(gpu, &stream, &items(data), &mut output, &mut data.count())
        },
    },
    Case {
        name: "reduce_by_key_on on another stream",
        outcome: Outcome::Done,
        call: |gpu, data| {
            let [input, values] = [items(data); 2];
            let (mut keys, mut sums) = (data.room(ITEMS), data.room(ITEMS));
            reduce_by_key_on::<Sum, Equal, _, _, _>(
                gpu,
                &stream(),
                &input,
                &values,
                (&mut keys, &mut sums),
                &mut data.room(ITEMS + 1),
                &mut data.count(),
            )
        },
    },
];
