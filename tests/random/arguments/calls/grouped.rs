//! Reductions and scans of segments, rows, columns and axes, and a reduction in order.

use warpfold::{Sum, reduce, scan};

use super::super::model;
use super::super::{COLUMNS, Role};
use super::{Answer, Call, End, at, count_read, end, input, offsets, output};

/// How many rows a matrix has.
const fn rows(items: usize) -> usize {
    items / COLUMNS
}

pub const CALLS: &[Call] = &[
    Call {
        name: "a reduction of segments",
        roles: |n| vec![input(n), offsets(n), output(8)],
        run: |gpu, end, p| {
            let (input, offsets, mut output) = (at::<u32>(&p[0]), at::<u32>(&p[1]), at(&p[2]));
            let request = reduce::<Sum, _>(&input).segments(&offsets);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::segments,
        only_waits: false,
    },
    Call {
        name: "a reduction of a count of segments, with offsets of 64 bits",
        roles: |n| {
            let offsets = Role::read(8, 9).offsets(n);
            vec![input(n), offsets, count_read(), output(8)]
        },
        run: |gpu, end, p| {
            let (input, offsets) = (at::<u32>(&p[0]), at::<u64>(&p[1]));
            let (count, mut output) = (at(&p[2]), at(&p[3]));
            let request = reduce::<Sum, _>(&input).segments(&offsets).count(&count);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::segments_counted,
        only_waits: false,
    },
    Call {
        name: "a scan of segments",
        roles: |n| vec![input(n), offsets(n), output(n)],
        run: |gpu, end, p| {
            let (input, offsets, mut output) = (at::<u32>(&p[0]), at::<u32>(&p[1]), at(&p[2]));
            let request = scan::<Sum, _>(&input).exclusive().segments(&offsets);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::segmented_scan,
        only_waits: false,
    },
    Call {
        name: "a scan of a count of segments",
        roles: |n| vec![input(n), offsets(n), count_read(), output(n)],
        run: |gpu, end, p| {
            let (input, offsets) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let (count, mut output) = (at(&p[2]), at(&p[3]));
            let request = scan::<Sum, _>(&input).segments(&offsets).count(&count);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::segmented_scan_counted,
        only_waits: false,
    },
    Call {
        name: "a reduction of rows",
        roles: |n| vec![input(n), output(rows(n))],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            let request = reduce::<Sum, _>(&input).rows(COLUMNS);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::rows,
        only_waits: false,
    },
    Call {
        name: "a reduction of a count of rows",
        roles: |n| vec![input(n), count_read(), output(rows(n))],
        run: |gpu, end, p| {
            let (input, count, mut output) = (at::<u32>(&p[0]), at(&p[1]), at(&p[2]));
            let request = reduce::<Sum, _>(&input).rows(COLUMNS).count(&count);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::rows_counted,
        only_waits: false,
    },
    Call {
        name: "a scan of rows",
        roles: |n| vec![input(n), output(n)],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            let request = scan::<Sum, _>(&input).rows(COLUMNS);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::row_scans,
        only_waits: false,
    },
    Call {
        name: "a scan of a count of rows",
        roles: |n| vec![input(n), count_read(), output(n)],
        run: |gpu, end, p| {
            let (input, count, mut output) = (at::<u32>(&p[0]), at(&p[1]), at(&p[2]));
            let request = scan::<Sum, _>(&input).rows(COLUMNS).count(&count);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::row_scans_counted,
        only_waits: false,
    },
    Call {
        name: "a reduction of columns",
        roles: |n| vec![input(n), output(COLUMNS)],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            let request = reduce::<Sum, _>(&input).columns(COLUMNS);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::columns,
        only_waits: false,
    },
    Call {
        name: "a scan of columns",
        roles: |n| vec![input(n), output(n)],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            let request = scan::<Sum, _>(&input).columns(COLUMNS);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::column_scans,
        only_waits: false,
    },
    Call {
        name: "a reduction of columns of a count of rows",
        roles: |n| vec![input(n), count_read(), output(COLUMNS)],
        run: |gpu, end, p| {
            let (input, count, mut output) = (at::<u32>(&p[0]), at(&p[1]), at(&p[2]));
            let request = reduce::<Sum, _>(&input).columns(COLUMNS).count(&count);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::columns_counted,
        only_waits: false,
    },
    Call {
        name: "a reversed scan of columns of a count of rows",
        roles: |n| vec![input(n), count_read(), output(n)],
        run: |gpu, end, p| {
            let (input, count, mut output) = (at::<u32>(&p[0]), at(&p[1]), at(&p[2]));
            let request = scan::<Sum, _>(&input).columns(COLUMNS).reversed();
            end!(gpu, end, request.count(&count).to(&mut output))
        },
        model: model::reversed_column_scans_counted,
        only_waits: false,
    },
    Call {
        name: "a reversed scan of segments",
        roles: |n| vec![input(n), offsets(n), output(n)],
        run: |gpu, end, p| {
            let (input, offsets, mut output) = (at::<u32>(&p[0]), at::<u32>(&p[1]), at(&p[2]));
            let request = scan::<Sum, _>(&input).segments(&offsets).reversed();
            end!(gpu, end, request.to(&mut output))
        },
        model: model::reversed_segmented_scan,
        only_waits: false,
    },
    Call {
        name: "a reduction of rows that lie apart",
        roles: |n| vec![input(n), output(rows(n))],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            let request = reduce::<Sum, _>(&input).rows(COLUMNS - 2).pitch(COLUMNS);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::rows_apart,
        only_waits: false,
    },
    Call {
        name: "a scan along an axis",
        roles: |n| vec![input(n), output(n)],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            let request = scan::<Sum, _>(&input).axis(1, rows(input.len()), COLUMNS);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::column_scans,
        only_waits: false,
    },
    Call {
        name: "a reduction along an axis of a count of outer places",
        roles: |n| vec![input(n), count_read(), output(n)],
        run: |gpu, end, p| {
            let (input, count, mut output) = (at::<u32>(&p[0]), at(&p[1]), at(&p[2]));
            let request = reduce::<Sum, _>(&input).axis(rows(input.len()), 1, COLUMNS);
            end!(gpu, end, request.count(&count).to(&mut output))
        },
        model: model::outer_places_counted,
        only_waits: false,
    },
    Call {
        name: "a reduction of a count of items in order",
        roles: |n| vec![input(n), count_read(), output(1)],
        run: |gpu, end, p| {
            let (input, count, mut output) = (at::<u32>(&p[0]), at(&p[1]), at(&p[2]));
            let request = reduce::<Sum, _>(&input).in_order().count(&count);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::reduce_counted,
        only_waits: false,
    },
];
