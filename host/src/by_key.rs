//! Reductions and scans by key: each run of equal keys is reduced to one result, or scanned by itself.
//!
//! Most calls have two launches. The first only [marks](heads) where runs begin, and the second reduces or scans the runs as segments that
//! start there. Some calls with few keys have one launch, which finds the runs itself: see [`reduction`], and [`heads`] for scans.
//!
//! Two kinds of calls have two other launches: scans with an output for the starts, and reductions that have no [plan](Keyed::plan), such
//! as all reductions with `ArgMin` or `Statistics`. The first launch of such a call is a selection. It writes the starts of the runs and,
//! if there is an output for the first keys, these keys. The second launch is a reduction or scan of segments with these starts.
//!
//! The values of a run are combined in the same order as the items of [a segment](warpfold_kernels::segments). So the results have the same
//! bits as if the runs were given as segments. The arguments of all launches are checked before the first launch is queued.

mod heads;
mod reduction;
pub(crate) mod reference;

pub use heads::{Marked, Marker};

use warpfold_kernels::heads::Summary;

use crate::driver::DeviceMemory;
use crate::error::{Argument, Error, Result};
use crate::gpu::{Entered, Need};
use crate::kernel::{Row, Type};
use crate::launch::{Made, Position, Queue, Region, Span, check_arguments, check_lengths};
use crate::segments::Segments;
use crate::selection::{Chooser, Count, Selection};

/// Keys, and a value for each key.
pub struct Keyed {
    keys: Span,
    values: Span,
    /// Chooses the first key of each run.
    chooser: Chooser,
    /// Marks the heads of the runs. Only reductions have it.
    marker: Option<Marker>,
    /// Device memory with the number of keys, if only the device knows it: then the length of `keys` is an upper bound. `None` if all of
    /// `keys` are used.
    count: Option<Span>,
}

/// Where the number of runs is written, and the starts of the runs if they are wanted.
#[derive(Clone, Copy)]
pub struct RunsTo {
    pub starts: Option<Span>,
    pub count: Span,
}

/// Where the results are written, and the first key of each run if it is wanted.
#[derive(Clone, Copy)]
pub struct Outputs {
    pub unique_keys: Option<Span>,
    pub results: Span,
}

/// The type for the starts of runs in the library's own memory. A start is at most `most`.
fn number_for(most: usize) -> Type {
    match u32::try_from(most) {
        Ok(_) => Type::of::<u32>(),
        Err(_) => Type::of::<u64>(),
    }
}

impl RunsTo {
    /// Allocates room for the number of runs, and for `start_count` starts. A start is at most `most`.
    fn allocate(
        entered: Entered<'_>,
        start_count: usize,
        most: usize,
    ) -> Result<(Self, DeviceMemory)> {
        let number = number_for(most);
        // The allocation begins with the number of runs.
        let count = Type::of::<u64>();
        let bytes = count.bytes + number.bytes * start_count;
        let memory = entered.with_room(|| DeviceMemory::allocate(bytes as u64))?;
        let to = Self {
            starts: Some(Span {
                address: memory.address() + count.bytes as u64,
                item_count: start_count,
                item: number,
            }),
            count: Span {
                address: memory.address(),
                item_count: 1,
                item: count,
            },
        };
        Ok((to, memory))
    }
}

impl Keyed {
    /// Keys and values, and the kernels that find the first key of each run.
    pub fn new(
        keys: Span,
        values: Span,
        chooser: Chooser,
        marker: Option<Marker>,
        count: Option<Span>,
    ) -> Result<Self> {
        check_lengths(keys.item_count, values.item_count)?;
        Ok(Self {
            keys,
            values,
            chooser,
            marker,
            count,
        })
    }

    /// Queues the launches. In a scan, an output for the starts needs room for one element more than there are keys.
    pub fn queue(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        made: Made,
        outputs: Outputs,
        to: RunsTo,
    ) -> Result<()> {
        queue.check(&self.regions(made, outputs, Some(to)))?;
        self.runs(outputs, to.starts).check_numbers()?;
        let plan = self.plan(queue.entered, row, made, outputs, to.starts)?;
        // SAFETY: `check` found that all memory of the caller's that the launches read and write belongs to this context, is aligned and
        // long enough, and that no output overlaps other memory. The plan is made for these arguments.
        unsafe {
            match plan {
                Some(plan) => self.reduce_runs(queue, &plan, outputs, to),
                None => self.select_and_combine(queue, row, made, outputs, to),
            }
        }
    }

    /// Runs the launches on a stream of the library's own, and waits. Returns the number of runs, or an error if an output is too short.
    pub fn and_wait(
        &self,
        entered: Entered<'_>,
        row: &'static Row,
        made: Made,
        outputs: Outputs,
        to: Option<RunsTo>,
    ) -> Result<usize> {
        check_arguments(entered, &self.regions(made, outputs, to))?;
        let starts = to.and_then(|to| to.starts);
        self.runs(outputs, starts).check_numbers()?;
        let (room, key_count) = (self.room(made, outputs), self.keys.item_count);
        let plan = self.plan(entered, row, made, outputs, starts)?;
        let own = match (&plan, starts) {
            (None, None) => Some(RunsTo::allocate(entered, room + 1, key_count)?),
            _ => None,
        };
        let mut call = entered.ordered_call()?;
        let to = RunsTo {
            starts: starts.or_else(|| own.as_ref().and_then(|(own, _)| own.starts)),
            count: match (to, &own) {
                (Some(to), _) => to.count,
                (None, Some((own, _))) => own.count,
                (None, None) => Span {
                    address: call.result()?,
                    item_count: 1,
                    item: Type::of::<u64>(),
                },
            },
        };
        let mut queue = Queue::for_caller(entered, &call);
        // SAFETY: `check_arguments` above covers all memory of the caller's. If `own` has memory, there is room in it for the number of
        // runs, and for `room + 1` starts. The number of runs is written to the caller's memory, to `own`, or to the call's result. `own`
        // is dropped after the wait below. The plan is made for these arguments.
        unsafe {
            match &plan {
                Some(plan) => self.reduce_runs(&mut queue, plan, outputs, to),
                None => self.select_and_combine(&mut queue, row, made, outputs, to),
            }
        }?;
        drop(queue);
        call.wait()?;
        let count = match to.count.address == call.result()? {
            // SAFETY: `wait` ended the reduction, which wrote the number to the call's result.
            true => unsafe { call.read_number() }?,
            false => call.number_at(to.count.address)?,
        } as usize;
        drop(own);
        let check_room = |offered_items, needed_items| match offered_items < needed_items {
            true => Err(Error::OutputTooShort {
                offered_items,
                needed_items,
            }),
            false => Ok(()),
        };
        if matches!(made, Made::Reduction) {
            check_room(room, count)?;
            // The starts need room for each run's start and for the last run's end.
            if let Some(starts) = starts {
                check_room(starts.item_count, count + 1)?;
            }
        }
        Ok(count)
    }

    /// Queues a selection of the runs' starts, and a reduction or scan of segments with these starts. The kernel and the workspace of the
    /// second launch are made ready before the first is queued. If `to` has no memory for the starts, the workspace holds them.
    ///
    /// # Safety
    ///
    /// Until the work is done, all memory is aligned and belongs to this context, no output overlaps other memory, and:
    ///
    /// - keys and values can be read, and so can the number of keys if it is in device memory;
    /// - results, first keys and starts can be written for all items of their spans, and so can the number of runs;
    /// - for a scan, there is room for one result per key, and for one start more than there are keys.
    unsafe fn select_and_combine(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        made: Made,
        outputs: Outputs,
        to: RunsTo,
    ) -> Result<()> {
        let room = self.room(made, outputs);
        let starts = match to.starts {
            Some(starts) => starts,
            None => self.starts_in_workspace(queue, room + 1)?,
        };
        let most_runs = room.min(starts.item_count.saturating_sub(1));
        let segments = Segments::of_runs(self.values, starts, most_runs, Some(to.count));
        if most_runs > 0 {
            queue.prepare_segments(row, segments, made)?;
        }
        let runs = self.runs(outputs, Some(starts));
        // SAFETY: the keys can be read (condition 1). First keys, starts and the number of runs can be written (condition 2), and the
        // kernel writes no more than their spans have room for.
        unsafe { queue.select_checked(&runs, Count::Callers(to.count)) }?;
        match most_runs {
            0 => Ok(()),
            // SAFETY: values and starts can be read: the first launch writes the starts. There is room for one start more than `most_runs`
            // (condition 2). In a reduction, there is room for `most_runs` results (condition 2). In a scan, there is a result for each
            // value (condition 3). The address `report` is 0, so no report is written.
            _ => unsafe { queue.segments_checked(row, segments, made, outputs.results, 0) },
        }
    }

    /// Room for `start_count` starts in the workspace's memory for heads. The summary at the beginning of the heads is left as it is.
    fn starts_in_workspace(&self, queue: &mut Queue<'_>, start_count: usize) -> Result<Span> {
        let item = number_for(self.keys.item_count);
        let before = size_of::<Summary>() as u64;
        let need = Need {
            state_words: 0,
            head_bytes: before + (item.bytes * start_count) as u64,
        };
        let scratch = queue.scratch_for(Position::Whole, need)?;
        Ok(Span {
            address: scratch.heads + before,
            item_count: start_count,
            item,
        })
    }

    /// The number of runs that the outputs have room for, at most one for each key. A scan has a result for each key, so it has room for
    /// any number of runs.
    fn room(&self, made: Made, outputs: Outputs) -> usize {
        let key_count = self.keys.item_count;
        match made {
            Made::Reduction => {
                let results = outputs.results.item_count.min(key_count);
                outputs
                    .unique_keys
                    .map_or(results, |keys| keys.item_count.min(results))
            }
            Made::Scan(_) => key_count,
        }
    }

    /// The selection of the first key of each run. It writes the first keys if `outputs` has memory for them, and the starts of the runs if
    /// `starts` is memory for them.
    fn runs(&self, outputs: Outputs, starts: Option<Span>) -> Selection {
        Selection {
            item_count_at: self.count,
            ..Selection::of_runs(self.keys, self.chooser, outputs.unique_keys, starts)
        }
    }

    /// All memory of the caller's that the call reads and writes. `to` is `None` if neither the number of runs nor the starts are written
    /// to the caller's memory.
    fn regions(&self, made: Made, outputs: Outputs, to: Option<RunsTo>) -> [Option<Region>; 7] {
        let key_count = self.keys.item_count;
        let most_starts = key_count + 1;
        let firsts = outputs.unique_keys.map(|span| {
            let span = self.chooser.aligned(span);
            Region::written_at_most(Argument::Output, span, key_count)
        });
        let starts = to.and_then(|to| to.starts);
        let (results, starts) = match made {
            Made::Reduction => (
                Region::written_at_most(Argument::Output, outputs.results, key_count),
                starts.map(|span| Region::written_at_most(Argument::Offsets, span, most_starts)),
            ),
            Made::Scan(_) => (
                Region::written(Argument::Output, outputs.results, key_count),
                starts.map(|span| Region::written(Argument::Offsets, span, most_starts)),
            ),
        };
        [
            Some(Region::read(
                Argument::Input,
                self.chooser.aligned(self.keys),
            )),
            Some(Region::read(Argument::Input, self.values)),
            self.count.map(Region::count),
            firsts,
            Some(results),
            starts,
            to.map(|to| Region::written(Argument::Count, to.count, 1)),
        ]
    }
}
