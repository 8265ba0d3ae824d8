//! Turns a request's arguments into launches on device memory. [`run`] queues the launches, or runs them and waits.
//!
//! This code is not generic: a [`Verb`] and spans stand for the types of a request.

mod at_once;
mod layout;
mod run;

pub(crate) use at_once::{Wanted, run_at_once};
#[cfg(feature = "nccl")]
pub(crate) use run::finish_before;
pub(crate) use run::{queue, wait, wait_for_result, wait_for_result_in_order, wait_for_total};

use crate::arguments::{Arguments, Shape};
use crate::by_key::{self, Keyed, Marked, Marker, RunsTo};
use crate::columns::Matrices;
use crate::error::{Error, Result};
use crate::gpu::Entered;
use crate::kernel::Row;
pub(crate) use crate::launch::Made;
use crate::launch::{Queue, ScanOrder, Span};
use crate::segments::{self, row_count};
use crate::segments::{Segments, Starts as SegmentStarts};
use crate::selection;
use crate::selection::{Chooser, Count, Outputs, Selection};
use crate::whole::{Destination, PairSpan, ScanExtras};

/// What a call does.
#[derive(Clone, Copy)]
pub(crate) enum Verb {
    Reduce(&'static Row),
    /// Reduces pairs of items, one from each of two inputs.
    ReducePairs(&'static Row),
    Scan {
        row: &'static Row,
        order: ScanOrder,
    },
    /// Reduces or scans the parts of a [`Shape::Axis`].
    Along(Along),
    Select(Chooser),
    /// Finds the runs of equal items.
    Runs(Chooser),
    /// Reduces each run of equal keys.
    ReduceByKey {
        row: &'static Row,
        keys: Chooser,
        marker: Marker,
    },
    /// Scans each run of equal keys, and writes the starts of the runs.
    ScanByKey {
        row: &'static Row,
        order: ScanOrder,
        keys: Chooser,
    },
    /// Scans each run of equal keys. The starts of the runs are not written.
    ScanAtHeads {
        row: &'static Row,
        order: ScanOrder,
        marker: Marker,
    },
}

/// A reduction or a scan of the parts of a [`Shape::Axis`].
#[derive(Clone, Copy)]
pub(crate) struct Along {
    /// The kernel for parts that are rows without gaps between them.
    pub segments: &'static Row,
    /// The kernel for other parts.
    pub columns: &'static Row,
    pub made: Made,
}

impl Verb {
    /// A kernel row of the operator; `None` if the call has no operator.
    pub fn row(self) -> Option<&'static Row> {
        match self {
            Verb::Reduce(row)
            | Verb::ReducePairs(row)
            | Verb::Scan { row, .. }
            | Verb::ReduceByKey { row, .. }
            | Verb::ScanByKey { row, .. }
            | Verb::ScanAtHeads { row, .. } => Some(row),
            Verb::Along(along) => Some(along.columns),
            Verb::Select(_) | Verb::Runs(_) => None,
        }
    }

    /// If the operator's results are indices, checks that their type is large enough for `item_count` items of this shape.
    pub fn check_indices<M>(self, shape: &Shape<M>, item_count: usize) -> Result<()> {
        match self.row() {
            Some(row) => row.check_indices(shape.longest_group(item_count)),
            None => Ok(()),
        }
    }

    /// Whether the number of results depends on the values of the items, flags or keys.
    pub fn chooses(self) -> bool {
        matches!(
            self,
            Verb::Select(_) | Verb::Runs(_) | Verb::ReduceByKey { .. }
        )
    }

    /// Whether this is a call by key that writes the number of runs.
    pub fn counts_runs(self) -> bool {
        matches!(self, Verb::ReduceByKey { .. } | Verb::ScanByKey { .. })
    }
}

/// The launches that a call needs, with their arguments.
pub(crate) enum Work<'a> {
    Reduce {
        row: &'static Row,
        input: Span,
        count: Option<Span>,
        output: Span,
    },
    ReducePairs {
        row: &'static Row,
        pairs: PairSpan,
        output: Span,
    },
    Scan {
        row: &'static Row,
        input: Span,
        output: Span,
        extras: ScanExtras<'a>,
    },
    Segments {
        row: &'static Row,
        segments: Segments,
        made: Made,
        output: Span,
    },
    Columns {
        row: &'static Row,
        matrices: Matrices,
        made: Made,
        output: Span,
    },
    Select {
        selection: Selection,
        count_to: Option<Span>,
    },
    ByKey {
        row: &'static Row,
        keyed: Keyed,
        made: Made,
        outputs: by_key::Outputs,
        to: Option<RunsTo>,
    },
    ScanAtHeads {
        row: &'static Row,
        marked: Marked,
        order: ScanOrder,
        output: Span,
    },
}

impl<'a> Work<'a> {
    /// The work of a call; `None` if there is nothing to do.
    pub fn new(verb: Verb, arguments: &'a Arguments<Span>) -> Result<Option<Self>> {
        verb.check_indices(&arguments.shape, arguments.input.item_count)?;
        match verb {
            Verb::Reduce(row) => Self::grouped(row, Made::Reduction, arguments),
            Verb::ReducePairs(row) => {
                let right = arguments.second.unwrap_or(Span::NONE);
                Ok(Some(Work::ReducePairs {
                    row,
                    pairs: PairSpan::new(arguments.input, right)?,
                    output: results(arguments),
                }))
            }
            Verb::Scan { row, order } => Self::grouped(row, Made::Scan(order), arguments),
            Verb::Along(along) => Self::along(along, arguments),
            Verb::Select(chooser) => Ok(Some(Self::select(chooser, arguments, false))),
            Verb::Runs(chooser) => {
                let with_end = arguments.indices.is_some();
                Ok(Some(Self::select(chooser, arguments, with_end)))
            }
            Verb::ReduceByKey { row, keys, marker } => {
                Self::by_key(row, Made::Reduction, keys, Some(marker), arguments)
            }
            Verb::ScanByKey { row, order, keys } => {
                Self::by_key(row, Made::Scan(order), keys, None, arguments)
            }
            Verb::ScanAtHeads { row, order, marker } => {
                let keys = keys(arguments);
                let marked = Marked::new(keys, arguments.input, marker, arguments.count)?;
                Ok((keys.item_count > 0).then_some(Work::ScanAtHeads {
                    row,
                    marked,
                    order,
                    output: results(arguments),
                }))
            }
        }
    }

    fn grouped(
        row: &'static Row,
        made: Made,
        arguments: &'a Arguments<Span>,
    ) -> Result<Option<Self>> {
        let input = arguments.input;
        let output = results(arguments);
        let segments = |starts, count| Segments {
            input,
            items: input,
            starts,
            count,
            count_at: arguments.count,
        };
        let segments = match arguments.shape {
            // The only part becomes a column, because the kernel for columns can read a column's length from device memory. The kernel for
            // segments gets a row's length from the host.
            Shape::InOrder if arguments.count.is_some() => {
                let matrices = Matrices::of_columns(input, 1, arguments.count)?;
                return Ok(Self::columns(row, matrices, made, output));
            }
            // The only part becomes a row. The row is empty if there are no items.
            Shape::InOrder => segments(SegmentStarts::Rows(input.item_count), 1),
            Shape::Whole | Shape::Keys(_) | Shape::Axis(_) => {
                return Self::whole(row, made, arguments);
            }
            Shape::Columns(columns) => {
                let matrices = Matrices::of_columns(input, columns, arguments.count)?;
                return Ok(Self::columns(row, matrices, made, output));
            }
            Shape::Segments(offsets) => {
                let count = offsets.item_count.saturating_sub(1);
                segments(SegmentStarts::Offsets(offsets), count)
            }
            Shape::Rows(row_items) => {
                let count = row_count(input.item_count, row_items)?;
                segments(SegmentStarts::Rows(row_items), count)
            }
        };
        Ok(Self::segments(row, segments, made, output))
    }

    /// The work of segments. A single row is reduced as a whole array if that gives the same bits: more blocks then share the work. If a
    /// gap follows the row, the row stays a segment: a reduction of a whole array is not told of the gap, so it would accept an output that
    /// lies in the gap.
    fn segments(row: &'static Row, segments: Segments, made: Made, output: Span) -> Option<Self> {
        let is_row = matches!(segments.starts, SegmentStarts::Rows(_));
        let has_gap = segments.items.item_count != segments.input.item_count;
        let is_alone = is_row && !has_gap && segments.count == 1 && segments.count_at.is_none();
        match (made, row.whole) {
            (Made::Reduction, Some(whole)) if is_alone => Some(Work::Reduce {
                row: whole(),
                input: segments.items,
                count: None,
                output,
            }),
            _ => (segments.count > 0).then_some(Work::Segments {
                row,
                segments,
                made,
                output,
            }),
        }
    }

    fn columns(row: &'static Row, matrices: Matrices, made: Made, output: Span) -> Option<Self> {
        let is_nothing = match made {
            Made::Reduction => matrices.layout.group_count() == 0,
            Made::Scan(_) => matrices.layout.has_no_items(),
        };
        (!is_nothing).then_some(Work::Columns {
            row,
            matrices,
            made,
            output,
        })
    }

    /// The work of the parts of a [`Shape::Axis`]. Rows without gaps between them become segments, since the segments' kernel keeps the
    /// whole device busy even with a single row.
    fn along(along: Along, arguments: &'a Arguments<Span>) -> Result<Option<Self>> {
        let items = arguments.input;
        let Shape::Axis(axis) = arguments.shape else {
            return Ok(None);
        };
        let matrices = Matrices::along(items, axis, arguments.count)?;
        let (layout, made, output) = (matrices.layout, along.made, results(arguments));
        if !matrices.are_dense_rows() {
            return Ok(Self::columns(along.columns, matrices, made, output));
        }
        let segments = Segments {
            input: items,
            items: items.first_items(layout.outer * layout.length),
            starts: SegmentStarts::Rows(layout.length),
            count: layout.outer,
            count_at: matrices.count_at(),
        };
        Ok(Self::segments(along.segments, segments, made, output))
    }

    fn whole(
        row: &'static Row,
        made: Made,
        arguments: &'a Arguments<Span>,
    ) -> Result<Option<Self>> {
        let (input, output) = (arguments.input, results(arguments));
        let Made::Scan(order) = made else {
            return Ok(Some(Work::Reduce {
                row,
                input,
                count: arguments.count,
                output,
            }));
        };
        let is_nothing = input.item_count == 0 && arguments.total.is_none();
        Ok((!is_nothing).then(|| Work::Scan {
            row,
            input,
            output,
            extras: extras(order, arguments),
        }))
    }

    fn select(chooser: Chooser, arguments: &Arguments<Span>, with_end: bool) -> Self {
        Work::Select {
            selection: Selection {
                input: arguments.input,
                item_count_at: arguments.count,
                flags: arguments.second,
                chooser,
                outputs: Outputs {
                    items: arguments.results,
                    indices: arguments.indices,
                    lengths: arguments.lengths,
                    rejected: arguments.rest,
                    with_end,
                },
            },
            count_to: arguments.count_to,
        }
    }

    fn by_key(
        row: &'static Row,
        made: Made,
        chooser: Chooser,
        marker: Option<Marker>,
        arguments: &Arguments<Span>,
    ) -> Result<Option<Self>> {
        let (keys, values) = (keys(arguments), arguments.input);
        let keyed = Keyed::new(keys, values, chooser, marker, arguments.count)?;
        let to = arguments.count_to.map(|count| RunsTo {
            starts: arguments.indices,
            count,
        });
        let is_nothing = values.item_count == 0 && to.is_none();
        Ok((!is_nothing).then(|| Work::ByKey {
            row,
            keyed,
            made,
            outputs: by_key::Outputs {
                unique_keys: arguments.unique_keys,
                results: results(arguments),
            },
            to,
        }))
    }

    /// Queues the work. [`Work::Select`] writes the number of chosen items, or of runs, to `count`. If `count` is `None`, it writes the
    /// number to its own field `count_to`.
    pub fn queue(&self, queue: &mut Queue<'_>, count: Option<Count>) -> Result<()> {
        match *self {
            Work::Reduce {
                row,
                input,
                count,
                output,
            } => queue.reduce(row, input, count, Destination::Callers(output)),
            Work::ReducePairs { row, pairs, output } => {
                queue.reduce_pairs(row, pairs, Destination::Callers(output))
            }
            Work::Scan {
                row,
                input,
                output,
                extras,
            } => queue.scan_with(row, input, output, extras),
            Work::Segments {
                row,
                segments,
                made,
                output,
            } => queue.segments(row, segments, made, output, 0),
            Work::Columns {
                row,
                matrices,
                made,
                output,
            } => queue.columns(row, matrices, made, output),
            Work::Select {
                ref selection,
                count_to,
            } => {
                let to = Count::Callers(count_to.unwrap_or(Span::NONE));
                queue.select(selection, count.unwrap_or(to))
            }
            Work::ByKey {
                row,
                ref keyed,
                made,
                outputs,
                to,
            } => match to {
                Some(to) => keyed.queue(queue, row, made, outputs, to),
                // Does not happen: the types of a queued request require an output for the number of runs, and `at_once` always assigns
                // one.
                None => Err(Error::CountMissing),
            },
            Work::ScanAtHeads {
                row,
                ref marked,
                order,
                output,
            } => marked.queue(queue, row, order, output),
        }
    }

    /// Runs the work, and waits for it. Returns the number of chosen items or of runs; 0 for other calls.
    fn wait(&self, entered: Entered<'_>) -> Result<usize> {
        match *self {
            Work::Segments {
                row,
                segments,
                made,
                output,
            } => segments::and_wait(entered, row, segments, made, output).map(|()| 0),
            Work::Select {
                ref selection,
                count_to,
            } => selection::and_wait(entered, selection, count_to),
            Work::ByKey {
                row,
                ref keyed,
                made,
                outputs,
                to,
            } => keyed.and_wait(entered, row, made, outputs, to),
            Work::Reduce { .. }
            | Work::ReducePairs { .. }
            | Work::Scan { .. }
            | Work::Columns { .. }
            | Work::ScanAtHeads { .. } => {
                let mut call = entered.ordered_call()?;
                self.queue(&mut Queue::for_caller(entered, &call), None)?;
                call.wait()?;
                Ok(0)
            }
        }
    }
}

/// The keys of a call by key.
fn keys(arguments: &Arguments<Span>) -> Span {
    match arguments.shape {
        Shape::Keys(keys) => keys,
        _ => Span::NONE,
    }
}

/// Where results are written: to the output if there is one, otherwise over the input.
fn results(arguments: &Arguments<Span>) -> Span {
    arguments.results.unwrap_or(arguments.input)
}

fn extras(order: ScanOrder, arguments: &Arguments<Span>) -> ScanExtras<'_> {
    ScanExtras {
        is_reversed: order.is_reversed,
        initial: arguments.initial.as_ref().map(|value| value.bytes()),
        total: arguments.total.map(Destination::Callers),
        count: arguments.count,
    }
}
