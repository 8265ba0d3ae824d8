//! Selections, runs, and calls by key.

use warpfold::{Equal, Flagged, NonZero, Sum, reduce, runs, scan, select};

use super::super::Role;
use super::super::model;
use super::{Answer, Call, End, at, count, count_read, end, input, output, room};

pub const CALLS: &[Call] = &[
    Call {
        name: "a selection by flags",
        roles: |n| {
            let flags = Role::read(1, n).as_long_as_others();
            vec![input(n), flags, room(n), count()]
        },
        run: |gpu, end, p| {
            let (items, flags) = (at::<u32>(&p[0]), at(&p[1]));
            let (mut chosen, mut count) = (at(&p[2]), at(&p[3]));
            let request = select::<Flagged, _>((&items, &flags)).to(&mut chosen);
            end!(gpu, end, request.count_to(&mut count))
        },
        model: model::select_flagged,
        only_waits: false,
    },
    Call {
        name: "a selection by flags that gives how many are chosen",
        roles: |n| {
            let flags = Role::read(1, n).as_long_as_others();
            vec![input(n), flags, room(n)]
        },
        run: |gpu, _, p| {
            let (items, flags, mut chosen) = (at::<u32>(&p[0]), at(&p[1]), at(&p[2]));
            let request = select::<Flagged, _>((&items, &flags)).to(&mut chosen);
            request.wait(gpu).map(Answer::from)
        },
        model: model::select_flagged,
        only_waits: true,
    },
    Call {
        name: "a selection of bytes of a count",
        roles: |n| {
            let chosen = Role::written(1, n).any_length();
            vec![Role::read(1, n), count_read(), chosen, count()]
        },
        run: |gpu, end, p| {
            let (items, items_at) = (at::<u8>(&p[0]), at(&p[1]));
            let (mut chosen, mut count) = (at(&p[2]), at(&p[3]));
            let request = select::<NonZero, _>(&items).count(&items_at);
            end!(gpu, end, request.to(&mut chosen).count_to(&mut count))
        },
        model: model::select_counted,
        only_waits: false,
    },
    Call {
        name: "a partition",
        roles: |n| vec![input(n), room(n), room(n), count()],
        run: |gpu, end, p| {
            let (mut chosen, mut others) = (at(&p[1]), at(&p[2]));
            let (items, mut count) = (at::<u32>(&p[0]), at(&p[3]));
            let request = select::<NonZero, _>(&items).to(&mut chosen);
            let request = request.rest_to(&mut others).count_to(&mut count);
            end!(gpu, end, request)
        },
        model: model::partition,
        only_waits: false,
    },
    Call {
        name: "a selection of indices",
        roles: |n| vec![input(n), room(n), count()],
        run: |gpu, end, p| {
            let (items, mut indices) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let mut count = at(&p[2]);
            let request = select::<NonZero, _>(&items).indices_to(&mut indices);
            end!(gpu, end, request.count_to(&mut count))
        },
        model: model::indices,
        only_waits: false,
    },
    Call {
        name: "runs of a count",
        roles: |n| vec![input(n), count_read(), room(n), count()],
        run: |gpu, end, p| {
            let (items, items_at) = (at::<u32>(&p[0]), at(&p[1]));
            let (mut firsts, mut count) = (at(&p[2]), at(&p[3]));
            let request = runs::<Equal, _>(&items).count(&items_at);
            end!(gpu, end, request.to(&mut firsts).count_to(&mut count))
        },
        model: model::unique_counted,
        only_waits: false,
    },
    Call {
        name: "run lengths",
        roles: |n| vec![input(n), room(n), room(n), count()],
        run: |gpu, end, p| {
            let (mut keys, mut lengths) = (at::<u32>(&p[1]), at::<u32>(&p[2]));
            let (items, mut count) = (at::<u32>(&p[0]), at(&p[3]));
            let request = runs::<Equal, _>(&items).to(&mut keys);
            let request = request.lengths_to(&mut lengths).count_to(&mut count);
            end!(gpu, end, request)
        },
        model: model::run_lengths,
        only_waits: false,
    },
    Call {
        name: "starts of runs, as numbers of 64 bits",
        roles: |n| {
            let starts = Role::written(8, n + 1).any_length();
            vec![input(n), starts, count()]
        },
        run: |gpu, end, p| {
            let (items, mut starts) = (at::<u32>(&p[0]), at::<u64>(&p[1]));
            let mut count = at(&p[2]);
            let request = runs::<Equal, _>(&items).starts_to(&mut starts);
            end!(gpu, end, request.count_to(&mut count))
        },
        model: model::run_starts,
        only_waits: false,
    },
    Call {
        name: "a reduction by key",
        roles: |n| {
            let values = input(n).as_long_as_others();
            vec![input(n), values, room(n), room(n), room(n + 1), count()]
        },
        run: |gpu, end, p| {
            let (mut firsts, mut results) = (at(&p[2]), at(&p[3]));
            let (keys, values) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let (mut starts, mut count) = (at::<u32>(&p[4]), at(&p[5]));
            let request = reduce::<Sum, _>(&values).by_key::<Equal, _>(&keys);
            let request = request.keys_to(&mut firsts).to(&mut results);
            end!(gpu, end, request.runs_to(&mut starts, &mut count))
        },
        model: model::reduce_by_key,
        only_waits: false,
    },
    Call {
        name: "a reduction by key that gives how many runs there are",
        roles: |n| {
            let values = input(n).as_long_as_others();
            vec![input(n), values, room(n), room(n)]
        },
        run: |gpu, _, p| {
            let (mut firsts, mut results) = (at(&p[2]), at(&p[3]));
            let (keys, values) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let request = reduce::<Sum, _>(&values).by_key::<Equal, _>(&keys);
            let request = request.keys_to(&mut firsts).to(&mut results);
            request.wait(gpu).map(Answer::from)
        },
        model: model::reduce_by_key,
        only_waits: true,
    },
    Call {
        name: "a scan by key",
        roles: |n| {
            let values = input(n).as_long_as_others();
            vec![input(n), values, output(n), output(n + 1), count()]
        },
        run: |gpu, end, p| {
            let (keys, values) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let (mut output, mut starts, mut count) = (at(&p[2]), at::<u32>(&p[3]), at(&p[4]));
            let request = scan::<Sum, _>(&values).exclusive();
            let request = request.by_key::<Equal, _>(&keys).to(&mut output);
            end!(gpu, end, request.runs_to(&mut starts, &mut count))
        },
        model: model::exclusive_scan_by_key,
        only_waits: false,
    },
    Call {
        name: "a scan by byte keys of a count",
        roles: |n| {
            let values = input(n).as_long_as_others();
            let starts = output(n + 1);
            vec![
                Role::read(1, n),
                values,
                count_read(),
                output(n),
                starts,
                count(),
            ]
        },
        run: |gpu, end, p| {
            let (keys, values, items_at) = (at::<u8>(&p[0]), at::<u32>(&p[1]), at(&p[2]));
            let (mut output, mut starts, mut count) = (at(&p[3]), at::<u32>(&p[4]), at(&p[5]));
            let request = scan::<Sum, _>(&values).by_key::<Equal, _>(&keys);
            let request = request.count(&items_at).to(&mut output);
            end!(gpu, end, request.runs_to(&mut starts, &mut count))
        },
        model: model::scan_by_key_counted,
        only_waits: false,
    },
    Call {
        name: "a scan by key that waits",
        roles: |n| vec![input(n), input(n).as_long_as_others(), output(n)],
        run: |gpu, _, p| {
            let (keys, values, mut output) = (at::<u32>(&p[0]), at::<u32>(&p[1]), at(&p[2]));
            let request = scan::<Sum, _>(&values).by_key::<Equal, _>(&keys);
            let runs = request.to(&mut output).wait(gpu);
            runs.map(Answer::from)
        },
        model: model::inclusive_scan_by_key,
        only_waits: true,
    },
];
