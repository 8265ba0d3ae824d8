//! The calls, one function each. What a call is named and how its arguments stand is said here and nowhere else.

use cust::memory::{DeviceCopy, DevicePointer, DeviceSlice};
use cust::stream::Stream;
use warpfold::{Dot, Equal, Flagged, Gpu, NonZero, Result, Sum, cust, reduce, runs, scan, select};

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
        name: "a reduction",
        roles: |n| vec![input(n), output(1)],
        run: |gpu, stream, p| {
            reduce::<Sum, _>(&at::<u32>(&p[0]))
                .to(&mut at(&p[1]))
                .queue(gpu, stream)
        },
        model: model::reduce,
    },
    Call {
        name: "a reduction of a count",
        roles: |n| vec![input(n), count_read(), output(1)],
        run: |gpu, stream, p| {
            reduce::<Sum, _>(&at::<u32>(&p[0]))
                .count(&at(&p[1]))
                .to(&mut at(&p[2]))
                .queue(gpu, stream)
        },
        model: model::reduce_counted,
    },
    Call {
        name: "a reduction of pairs",
        roles: |n| vec![input(n), input(n).as_long_as_others(), Role::written(8, 1)],
        run: |gpu, stream, p| {
            let (left, right) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            reduce::<Dot, _>((&left, &right))
                .to(&mut at(&p[2]))
                .queue(gpu, stream)
        },
        model: model::dot,
    },
    Call {
        name: "a scan",
        roles: |n| vec![input(n), output(n).in_place()],
        run: |gpu, stream, p| {
            scan::<Sum, _>(&at::<u32>(&p[0]))
                .to(&mut at(&p[1]))
                .queue(gpu, stream)
        },
        model: model::scan,
    },
    Call {
        name: "a scan with options",
        roles: |n| vec![input(n), output(n).in_place(), output(1), count_read()],
        run: |gpu, stream, p| {
            let (mut total, count) = (at(&p[2]), at(&p[3]));
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            let request = scan::<Sum, _>(&input).exclusive().initial(7);
            let request = request.total(&mut total).count(&count);
            request.to(&mut output).queue(gpu, stream)
        },
        model: model::scan_with,
    },
    Call {
        name: "a reduction of segments",
        roles: |n| vec![input(n), offsets(n), output(8)],
        run: |gpu, stream, p| {
            let offsets = at::<u32>(&p[1]);
            reduce::<Sum, _>(&at::<u32>(&p[0]))
                .segments(&offsets)
                .to(&mut at(&p[2]))
                .queue(gpu, stream)
        },
        model: model::segments,
    },
    Call {
        name: "a reduction of segments, waited for",
        roles: |n| vec![input(n), offsets(n), output(8)],
        run: |gpu, _, p| {
            let offsets = at::<u32>(&p[1]);
            reduce::<Sum, _>(&at::<u32>(&p[0]))
                .segments(&offsets)
                .to(&mut at(&p[2]))
                .wait(gpu)
        },
        model: model::segments,
    },
    Call {
        name: "a scan of segments",
        roles: |n| vec![input(n), offsets(n), output(n)],
        run: |gpu, stream, p| {
            let (offsets, mut output) = (at::<u32>(&p[1]), at(&p[2]));
            scan::<Sum, _>(&at::<u32>(&p[0]))
                .exclusive()
                .segments(&offsets)
                .to(&mut output)
                .queue(gpu, stream)
        },
        model: model::segmented_scan,
    },
    Call {
        name: "a reduction of rows",
        roles: |n| vec![input(n), output(n / COLUMNS)],
        run: |gpu, stream, p| {
            reduce::<Sum, _>(&at::<u32>(&p[0]))
                .rows(COLUMNS)
                .to(&mut at(&p[1]))
                .queue(gpu, stream)
        },
        model: model::rows,
    },
    Call {
        name: "a scan of rows",
        roles: |n| vec![input(n), output(n)],
        run: |gpu, stream, p| {
            scan::<Sum, _>(&at::<u32>(&p[0]))
                .rows(COLUMNS)
                .to(&mut at(&p[1]))
                .queue(gpu, stream)
        },
        model: model::row_scans,
    },
    Call {
        name: "a reduction of columns",
        roles: |n| vec![input(n), output(COLUMNS)],
        run: |gpu, stream, p| {
            reduce::<Sum, _>(&at::<u32>(&p[0]))
                .columns(COLUMNS)
                .to(&mut at(&p[1]))
                .queue(gpu, stream)
        },
        model: model::columns,
    },
    Call {
        name: "a scan of columns",
        roles: |n| vec![input(n), output(n)],
        run: |gpu, stream, p| {
            scan::<Sum, _>(&at::<u32>(&p[0]))
                .columns(COLUMNS)
                .to(&mut at(&p[1]))
                .queue(gpu, stream)
        },
        model: model::column_scans,
    },
    Call {
        name: "a selection by flags",
        roles: |n| {
            let flags = Role::read(1, n).as_long_as_others();
            vec![input(n), flags, room(n), count()]
        },
        run: |gpu, stream, p| {
            let (items, flags) = (at::<u32>(&p[0]), at(&p[1]));
            select::<Flagged, _>((&items, &flags))
                .to(&mut at(&p[2]))
                .count_to(&mut at(&p[3]))
                .queue(gpu, stream)
        },
        model: model::select_flagged,
    },
    Call {
        name: "a partition",
        roles: |n| vec![input(n), room(n), room(n), count()],
        run: |gpu, stream, p| {
            let (mut chosen, mut others) = (at(&p[1]), at(&p[2]));
            let (items, mut count) = (at::<u32>(&p[0]), at(&p[3]));
            let request = select::<NonZero, _>(&items)
                .to(&mut chosen)
                .rest_to(&mut others);
            request.count_to(&mut count).queue(gpu, stream)
        },
        model: model::partition,
    },
    Call {
        name: "a selection of indices",
        roles: |n| vec![input(n), room(n), count()],
        run: |gpu, stream, p| {
            let mut indices = at::<u32>(&p[1]);
            select::<NonZero, _>(&at::<u32>(&p[0]))
                .indices_to(&mut indices)
                .count_to(&mut at(&p[2]))
                .queue(gpu, stream)
        },
        model: model::indices,
    },
    Call {
        name: "runs of a count",
        roles: |n| vec![input(n), count_read(), room(n), count()],
        run: |gpu, stream, p| {
            let (items, items_at) = (at::<u32>(&p[0]), at(&p[1]));
            let (mut firsts, mut count) = (at(&p[2]), at(&p[3]));
            runs::<Equal, _>(&items)
                .count(&items_at)
                .to(&mut firsts)
                .count_to(&mut count)
                .queue(gpu, stream)
        },
        model: model::unique_counted,
    },
    Call {
        name: "run lengths",
        roles: |n| vec![input(n), room(n), room(n), count()],
        run: |gpu, stream, p| {
            let (mut keys, mut lengths) = (at::<u32>(&p[1]), at::<u32>(&p[2]));
            let (items, mut count) = (at::<u32>(&p[0]), at(&p[3]));
            let request = runs::<Equal, _>(&items)
                .to(&mut keys)
                .lengths_to(&mut lengths);
            request.count_to(&mut count).queue(gpu, stream)
        },
        model: model::run_lengths,
    },
    Call {
        name: "starts of runs",
        roles: |n| vec![input(n), room(n + 1), count()],
        run: |gpu, stream, p| {
            let mut starts = at::<u32>(&p[1]);
            runs::<Equal, _>(&at::<u32>(&p[0]))
                .starts_to(&mut starts)
                .count_to(&mut at(&p[2]))
                .queue(gpu, stream)
        },
        model: model::run_starts,
    },
    Call {
        name: "a reduction by key",
        roles: |n| {
            let values = input(n).as_long_as_others();
            vec![input(n), values, room(n), room(n), room(n + 1), count()]
        },
        run: |gpu, stream, p| {
            let (mut firsts, mut results) = (at(&p[2]), at(&p[3]));
            let (keys, values) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let (mut starts, mut count) = (at::<u32>(&p[4]), at(&p[5]));
            let request = reduce::<Sum, _>(&values).by_key::<Equal, _>(&keys);
            let request = request.keys_to(&mut firsts).to(&mut results);
            request.runs_to(&mut starts, &mut count).queue(gpu, stream)
        },
        model: model::reduce_by_key,
    },
    Call {
        name: "a reduction by key, waited for",
        roles: |n| {
            let values = input(n).as_long_as_others();
            let room = room(n).of_given_length();
            vec![input(n), values, room, room]
        },
        run: |gpu, _, p| {
            let (mut firsts, mut results) = (at(&p[2]), at(&p[3]));
            let (keys, values) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let request = reduce::<Sum, _>(&values).by_key::<Equal, _>(&keys);
            request
                .keys_to(&mut firsts)
                .to(&mut results)
                .wait(gpu)
                .map(drop)
        },
        model: model::reduce_by_key,
    },
    Call {
        name: "a scan by key",
        roles: |n| {
            let values = input(n).as_long_as_others();
            vec![input(n), values, output(n), output(n + 1), count()]
        },
        run: |gpu, stream, p| {
            let (keys, values) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let (mut output, mut starts, mut count) = (at(&p[2]), at::<u32>(&p[3]), at(&p[4]));
            let request = scan::<Sum, _>(&values)
                .exclusive()
                .by_key::<Equal, _>(&keys);
            let request = request.to(&mut output).runs_to(&mut starts, &mut count);
            request.queue(gpu, stream)
        },
        model: model::exclusive_scan_by_key,
    },
    Call {
        name: "a scan by key, waited for",
        roles: |n| vec![input(n), input(n).as_long_as_others(), output(n)],
        run: |gpu, _, p| {
            let (keys, values) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            scan::<Sum, _>(&values)
                .by_key::<Equal, _>(&keys)
                .to(&mut at(&p[2]))
                .wait(gpu)
                .map(drop)
        },
        model: model::inclusive_scan_by_key,
    },
];
