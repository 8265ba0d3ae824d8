//! Reductions and scans of all items.

use std::time::Duration;

use warpfold::{Dot, Gpu, Max, Result, Sum, WideSum, group, reduce, scan};

use super::super::model;
use super::super::{Extent, Role};
use super::{Answer, Call, End, at, count_read, end, input, output};

pub const CALLS: &[Call] = &[
    Call {
        name: "a reduction",
        roles: |n| vec![input(n), output(1)],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            end!(gpu, end, reduce::<Sum, _>(&input).to(&mut output))
        },
        model: model::reduce,
        only_waits: false,
    },
    Call {
        name: "a reduction that gives its result",
        roles: |n| vec![input(n)],
        run: |gpu, _, p| {
            let sum = reduce::<Sum, _>(&at::<u32>(&p[0])).wait(gpu);
            sum.map(Answer::from)
        },
        model: model::reduce,
        only_waits: true,
    },
    Call {
        name: "a reduction to results of another size",
        roles: |n| vec![input(n), Role::written(8, 1)],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            end!(gpu, end, reduce::<WideSum, _>(&input).to(&mut output))
        },
        model: model::wide_reduce,
        only_waits: false,
    },
    Call {
        name: "a reduction of bytes",
        roles: |n| vec![Role::read(1, n), Role::written(1, 1)],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u8>(&p[0]), at(&p[1]));
            end!(gpu, end, reduce::<Max, _>(&input).to(&mut output))
        },
        model: model::maximum,
        only_waits: false,
    },
    Call {
        name: "a reduction of a count",
        roles: |n| vec![input(n), count_read(), output(1)],
        run: |gpu, end, p| {
            let (input, count, mut output) = (at::<u32>(&p[0]), at(&p[1]), at(&p[2]));
            let request = reduce::<Sum, _>(&input).count(&count);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::reduce_counted,
        only_waits: false,
    },
    Call {
        name: "a reduction of a count that gives its result",
        roles: |n| vec![input(n), count_read()],
        run: |gpu, _, p| {
            let (input, count) = (at::<u32>(&p[0]), at(&p[1]));
            let sum = reduce::<Sum, _>(&input).count(&count).wait(gpu);
            sum.map(Answer::from)
        },
        model: model::reduce_counted,
        only_waits: true,
    },
    Call {
        name: "a reduction of pairs",
        roles: |n| vec![input(n), input(n).as_long_as_others(), Role::written(8, 1)],
        run: |gpu, end, p| {
            let (left, right, mut output) = (at::<u32>(&p[0]), at::<u32>(&p[1]), at(&p[2]));
            end!(gpu, end, reduce::<Dot, _>((&left, &right)).to(&mut output))
        },
        model: model::dot,
        only_waits: false,
    },
    Call {
        name: "a reduction of pairs that gives its result",
        roles: |n| vec![input(n), input(n).as_long_as_others()],
        run: |gpu, _, p| {
            let (left, right) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
            let sum = reduce::<Dot, _>((&left, &right)).wait(gpu);
            sum.map(Answer::from)
        },
        model: model::dot,
        only_waits: true,
    },
    Call {
        name: "a scan",
        roles: |n| vec![input(n), output(n).in_place()],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            end!(gpu, end, scan::<Sum, _>(&input).to(&mut output))
        },
        model: model::scan,
        only_waits: false,
    },
    Call {
        name: "a scan in place",
        roles: |n| vec![output(n).of_given_length()],
        run: |gpu, end, p| {
            let mut items = at::<u32>(&p[0]);
            end!(gpu, end, scan::<Sum, _>(&mut items).in_place())
        },
        model: model::scan_in_place,
        only_waits: false,
    },
    Call {
        name: "a reversed scan",
        roles: |n| vec![input(n), output(n).in_place()],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            end!(gpu, end, scan::<Sum, _>(&input).reversed().to(&mut output))
        },
        model: model::reversed_scan,
        only_waits: false,
    },
    Call {
        name: "a reduction in order",
        roles: |n| vec![input(n), output(1)],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            end!(
                gpu,
                end,
                reduce::<Sum, _>(&input).in_order().to(&mut output)
            )
        },
        model: model::reduce,
        only_waits: false,
    },
    Call {
        name: "a scan to results of another size",
        roles: |n| vec![input(n), Role::written(8, n)],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            end!(gpu, end, scan::<WideSum, _>(&input).to(&mut output))
        },
        model: model::wide_scan,
        only_waits: false,
    },
    Call {
        name: "a scan of bytes",
        roles: |n| vec![Role::read(1, n), Role::written(1, n).in_place()],
        run: |gpu, end, p| {
            let (input, mut output) = (at::<u8>(&p[0]), at(&p[1]));
            end!(gpu, end, scan::<Max, _>(&input).to(&mut output))
        },
        model: model::maxima,
        only_waits: false,
    },
    Call {
        name: "a scan with options",
        roles: |n| vec![input(n), output(n).in_place(), output(1), count_read()],
        run: |gpu, end, p| {
            let (mut total, count) = (at(&p[2]), at(&p[3]));
            let (input, mut output) = (at::<u32>(&p[0]), at(&p[1]));
            let request = scan::<Sum, _>(&input).exclusive().initial(7);
            let request = request.total(&mut total).count(&count);
            end!(gpu, end, request.to(&mut output))
        },
        model: model::scan_with,
        only_waits: false,
    },
    Call {
        name: "a scan that gives its total",
        roles: |n| vec![input(n), output(n).in_place(), count_read()],
        run: |gpu, _, p| {
            let (input, mut output, count) = (at::<u32>(&p[0]), at(&p[1]), at(&p[2]));
            let request = scan::<Sum, _>(&input).initial(7).count(&count);
            let total = request.to(&mut output).and_total().wait(gpu);
            total.map(Answer::from)
        },
        model: model::scan_and_total,
        only_waits: true,
    },
    Call {
        name: "a rank's reduction",
        roles: |n| vec![input(n)],
        run: |gpu, _, p| {
            by_rank(gpu, p, |member, p| {
                let sum = reduce::<Sum, _>(&at::<u32>(&p[0])).wait(member);
                sum.map(Answer::from)
            })
        },
        model: model::reduce,
        only_waits: true,
    },
    Call {
        name: "a rank's scan",
        roles: |n| vec![input(n), output(n).in_place()],
        run: |gpu, _, p| {
            by_rank(gpu, p, |member, p| {
                let (input, mut output) = (at::<u32>(&p[0]), at::<u32>(&p[1]));
                let done = scan::<Sum, _>(&input).to(&mut output).wait(member);
                done.map(Answer::from)
            })
        },
        model: model::scan,
        only_waits: true,
    },
];

/// Runs a call in a group of one rank.
fn by_rank(
    gpu: &Gpu,
    places: &[Extent],
    call: impl FnOnce(&mut group::Member<'_>, &[Extent]) -> Result<Answer>,
) -> Result<Answer> {
    let mut members = group::within([gpu], Duration::from_secs(60));
    call(&mut members[0], places)
}
