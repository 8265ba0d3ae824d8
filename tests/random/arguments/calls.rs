//! The calls, one function each. What a call is named and how its arguments stand is said here and nowhere else.

use cust::memory::{DeviceCopy, DevicePointer, DeviceSlice};
use cust::stream::Stream;
use warpfold::{
    Dot, Equal, Gpu, NonZero, Result, ScanOptions, Sum, cust, exclusive_scan_by_key_on,
    exclusive_scan_with_on, inclusive_scan_by_key, inclusive_scan_columns_on, inclusive_scan_on,
    inclusive_scan_rows_on, partition_if_on, reduce_by_key, reduce_by_key_on, reduce_columns_into,
    reduce_counted_into, reduce_into, reduce_pairs_into, reduce_rows_into, run_length_encode_on,
    run_starts_on, segmented_exclusive_scan_on, segmented_reduce, segmented_reduce_into,
    select_flagged_on, select_indices_if_on, unique_counted_on,
};

use super::model::{self, Model};
use super::{COLUMNS, Place, Role};

/// A call: its arguments for this many items, the call itself, and what it writes.
pub struct Call {
    pub name: &'static str,
    pub roles: fn(usize) -> Vec<Role>,
    pub run: fn(&Gpu, &Stream, &[Place]) -> Result<()>,
    pub model: Model,
}

/// The memory of a place as a slice of these items.
fn at<T: DeviceCopy>(place: &Place) -> DeviceSlice<T> {
    let start = DevicePointer::from_raw(place.address);
    // SAFETY: a place is in the arena, or the call has to refuse it.
    unsafe { DeviceSlice::from_raw_parts(start, place.items) }
}

const fn input(items: usize) -> Role {
    Role::read(4, items)
}

fn output(items: usize) -> Role {
    Role::written(4, items)
}

/// An output that is filled as far as it reaches.
fn room(items: usize) -> Role {
    Role::written(4, items).any_length()
}

fn count() -> Role {
    Role::written(8, 1)
}

fn count_read() -> Role {
    Role::read(8, 1).count()
}

fn offsets(items: usize) -> Role {
    Role::read(4, 9).offsets(items)
}

pub const CALLS: &[Call] = &[
    Call {
        name: "reduce_into",
        roles: |n| vec![input(n), output(1)],
        run: |gpu, stream, p| reduce_into::<Sum, u32>(gpu, stream, &at(&p[0]), &mut at(&p[1])),
        model: model::reduce,
    },
    Call {
        name: "reduce_counted_into",
        roles: |n| vec![input(n), count_read(), output(1)],
        run: |gpu, stream, p| {
            reduce_counted_into::<Sum, u32>(gpu, stream, &at(&p[0]), &at(&p[1]), &mut at(&p[2]))
        },
        model: model::reduce_counted,
    },
    Call {
        name: "reduce_pairs_into",
        roles: |n| vec![input(n), input(n).as_long_as_others(), Role::written(8, 1)],
        run: |gpu, stream, p| {
            let (left, right) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            reduce_pairs_into::<Dot, _, _>(gpu, stream, &left, &right, &mut at(&p[2]))
        },
        model: model::dot,
    },
    Call {
        name: "inclusive_scan_on",
        roles: |n| vec![input(n), output(n).in_place()],
        run: |gpu, stream, p| {
            inclusive_scan_on::<Sum, u32>(gpu, stream, &at(&p[0]), &mut at(&p[1]))
        },
        model: model::scan,
    },
    Call {
        name: "exclusive_scan_with_on",
        roles: |n| vec![input(n), output(n).in_place(), output(1), count_read()],
        run: |gpu, stream, p| {
            let (mut total, count) = (at(&p[2]), at(&p[3]));
            let options = ScanOptions::new().total(&mut total).count(&count);
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            exclusive_scan_with_on::<Sum, u32>(gpu, stream, &input, &mut output, options.initial(7))
        },
        model: model::scan_with,
    },
    Call {
        name: "segmented_reduce_into",
        roles: |n| vec![input(n), offsets(n), output(8)],
        run: |gpu, stream, p| {
            let offsets = at::<u32>(&p[1]);
            segmented_reduce_into::<Sum, u32, _>(gpu, stream, &at(&p[0]), &offsets, &mut at(&p[2]))
        },
        model: model::segments,
    },
    Call {
        name: "segmented_reduce",
        roles: |n| vec![input(n), offsets(n), output(8)],
        run: |gpu, _, p| {
            let offsets = at::<u32>(&p[1]);
            segmented_reduce::<Sum, u32, _>(gpu, &at(&p[0]), &offsets, &mut at(&p[2]))
        },
        model: model::segments,
    },
    Call {
        name: "segmented_exclusive_scan_on",
        roles: |n| vec![input(n), offsets(n), output(n)],
        run: |gpu, stream, p| {
            let (offsets, mut output) = (at::<u32>(&p[1]), at(&p[2]));
            segmented_exclusive_scan_on::<Sum, u32, _>(
                gpu,
                stream,
                &at(&p[0]),
                &offsets,
                &mut output,
            )
        },
        model: model::segmented_scan,
    },
    Call {
        name: "reduce_rows_into",
        roles: |n| vec![input(n), output(n / COLUMNS)],
        run: |gpu, stream, p| {
            reduce_rows_into::<Sum, u32>(gpu, stream, &at(&p[0]), COLUMNS, &mut at(&p[1]))
        },
        model: model::rows,
    },
    Call {
        name: "inclusive_scan_rows_on",
        roles: |n| vec![input(n), output(n)],
        run: |gpu, stream, p| {
            inclusive_scan_rows_on::<Sum, u32>(gpu, stream, &at(&p[0]), COLUMNS, &mut at(&p[1]))
        },
        model: model::row_scans,
    },
    Call {
        name: "reduce_columns_into",
        roles: |n| vec![input(n), output(COLUMNS)],
        run: |gpu, stream, p| {
            reduce_columns_into::<Sum, u32>(gpu, stream, &at(&p[0]), COLUMNS, &mut at(&p[1]))
        },
        model: model::columns,
    },
    Call {
        name: "inclusive_scan_columns_on",
        roles: |n| vec![input(n), output(n)],
        run: |gpu, stream, p| {
            inclusive_scan_columns_on::<Sum, u32>(gpu, stream, &at(&p[0]), COLUMNS, &mut at(&p[1]))
        },
        model: model::column_scans,
    },
    Call {
        name: "select_flagged_on",
        roles: |n| {
            let flags = Role::read(1, n).as_long_as_others();
            vec![input(n), flags, room(n), count()]
        },
        run: |gpu, stream, p| {
            let (items, flags) = (at::<u32>(&p[0]), at(&p[1]));
            select_flagged_on(gpu, stream, &items, &flags, &mut at(&p[2]), &mut at(&p[3]))
        },
        model: model::select_flagged,
    },
    Call {
        name: "partition_if_on",
        roles: |n| vec![input(n), room(n), room(n), count()],
        run: |gpu, stream, p| {
            let (mut chosen, mut others) = (at(&p[1]), at(&p[2]));
            let outputs = (&mut chosen, &mut others);
            partition_if_on::<NonZero, u32>(gpu, stream, &at(&p[0]), outputs, &mut at(&p[3]))
        },
        model: model::partition,
    },
    Call {
        name: "select_indices_if_on",
        roles: |n| vec![input(n), room(n), count()],
        run: |gpu, stream, p| {
            let mut indices = at::<u32>(&p[1]);
            select_indices_if_on::<NonZero, u32, _>(
                gpu,
                stream,
                &at(&p[0]),
                &mut indices,
                &mut at(&p[2]),
            )
        },
        model: model::indices,
    },
    Call {
        name: "unique_counted_on",
        roles: |n| vec![input(n), count_read(), room(n), count()],
        run: |gpu, stream, p| {
            let (items, items_at) = (at::<u32>(&p[0]), at(&p[1]));
            let (mut firsts, mut count) = (at(&p[2]), at(&p[3]));
            unique_counted_on::<Equal, _>(gpu, stream, &items, &items_at, &mut firsts, &mut count)
        },
        model: model::unique_counted,
    },
    Call {
        name: "run_length_encode_on",
        roles: |n| vec![input(n), room(n), room(n), count()],
        run: |gpu, stream, p| {
            let (mut keys, mut lengths) = (at::<u32>(&p[1]), at::<u32>(&p[2]));
            let outputs = (&mut keys, &mut lengths);
            run_length_encode_on::<Equal, _, _>(gpu, stream, &at(&p[0]), outputs, &mut at(&p[3]))
        },
        model: model::run_lengths,
    },
    Call {
        name: "run_starts_on",
        roles: |n| vec![input(n), room(n + 1), count()],
        run: |gpu, stream, p| {
            let mut starts = at::<u32>(&p[1]);
            run_starts_on::<Equal, u32, _>(gpu, stream, &at(&p[0]), &mut starts, &mut at(&p[2]))
        },
        model: model::run_starts,
    },
    Call {
        name: "reduce_by_key_on",
        roles: |n| {
            let values = input(n).as_long_as_others();
            vec![input(n), values, room(n), room(n), room(n + 1), count()]
        },
        run: |gpu, stream, p| {
            let (mut firsts, mut results) = (at(&p[2]), at(&p[3]));
            let (keys, values) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let (mut starts, mut count) = (at::<u32>(&p[4]), at(&p[5]));
            let outputs = (&mut firsts, &mut results);
            let call = reduce_by_key_on::<Sum, Equal, _, _, _>;
            call(
                gpu,
                stream,
                &keys,
                &values,
                outputs,
                &mut starts,
                &mut count,
            )
        },
        model: model::reduce_by_key,
    },
    Call {
        name: "reduce_by_key",
        roles: |n| {
            let values = input(n).as_long_as_others();
            let room = room(n).of_given_length();
            vec![input(n), values, room, room]
        },
        run: |gpu, _, p| {
            let (mut firsts, mut results) = (at(&p[2]), at(&p[3]));
            let (keys, values) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let call = reduce_by_key::<Sum, Equal, _, _>;
            call(gpu, &keys, &values, &mut firsts, &mut results).map(drop)
        },
        model: model::reduce_by_key,
    },
    Call {
        name: "exclusive_scan_by_key_on",
        roles: |n| {
            let values = input(n).as_long_as_others();
            vec![input(n), values, output(n), output(n + 1), count()]
        },
        run: |gpu, stream, p| {
            let (keys, values) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let (mut output, mut starts, mut count) = (at(&p[2]), at::<u32>(&p[3]), at(&p[4]));
            let starts = (&mut starts, &mut count);
            let call = exclusive_scan_by_key_on::<Sum, Equal, _, _, _>;
            call(gpu, stream, &keys, &values, &mut output, starts)
        },
        model: model::exclusive_scan_by_key,
    },
    Call {
        name: "inclusive_scan_by_key",
        roles: |n| vec![input(n), input(n).as_long_as_others(), output(n)],
        run: |gpu, _, p| {
            let (keys, values) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            inclusive_scan_by_key::<Sum, Equal, _, _>(gpu, &keys, &values, &mut at(&p[2]))
        },
        model: model::inclusive_scan_by_key,
    },
];
