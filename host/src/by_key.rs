//! Reductions and scans by key: each run of equal keys is reduced to one result, or scanned by itself.
//!
//! A call has two or three launches. The first marks the heads of the runs, a bit for each key, in the workspace. The second writes the
//! keys and the starts of the runs, if they are wanted. The last reduces or scans the runs as segments that start at the marked heads. So
//! the values of a run are combined in [a segment's](warpfold_kernels::segments) order, and results have the same bits as those of
//! segments. All arguments are checked before the first launch is queued.

mod launch;
pub(crate) mod reference;

use crate::error::{Argument, Error, Result};
use crate::gpu::Entered;
use crate::kernel::Row;
use crate::launch::{Made, Queue, Region, Span, check_lengths};
use crate::segments::Segments;
use crate::selection::{Count, KeyKernel, check_numbers};

/// Keys, and a value for each key.
pub struct Keyed {
    keys: Span,
    values: Span,
    /// Marks the heads of the runs, and writes what is at the heads.
    kernel: KeyKernel,
    /// The place in device memory of the number of keys; the length of `keys` is then an upper bound. `None` if all of `keys` are used.
    count: Option<Span>,
}

/// Where the results are written, and the numbers and keys that are wanted.
#[derive(Clone, Copy)]
pub struct Outputs {
    /// The first key of each run.
    pub unique_keys: Option<Span>,
    /// The start of each run, followed by the number of keys.
    pub starts: Option<Span>,
    /// The caller's place for the number of runs.
    pub run_count: Option<Span>,
    pub results: Span,
}

impl Keyed {
    /// Keys and values, and the kernel of the launches on the keys.
    pub fn new(keys: Span, values: Span, kernel: KeyKernel, count: Option<Span>) -> Result<Self> {
        check_lengths(keys.item_count, values.item_count)?;
        Ok(Self {
            keys,
            values,
            kernel,
            count,
        })
    }

    /// Queues the launches. The number of runs is written to `count`, if it is given. For a scan, `starts` must have room for one number
    /// more than there are keys.
    pub fn queue(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        made: Made,
        outputs: Outputs,
        count: Option<Count>,
    ) -> Result<()> {
        queue.check(&self.regions(made, outputs))?;
        check_numbers([outputs.starts], self.keys.item_count)?;
        // SAFETY: `check` covers every condition: all memory that the launches read and write belongs to this context, is aligned and long
        // enough, and no output overlaps other memory. A count of the library's own is page-locked memory, a page long.
        unsafe { self.queue_checked(queue, row, made, outputs, count) }
    }

    /// Runs the launches on a stream of the library's own, and waits. Returns the number of runs, or an error if an output is too short.
    pub fn and_wait(
        &self,
        entered: Entered<'_>,
        row: &'static Row,
        made: Made,
        outputs: Outputs,
    ) -> Result<usize> {
        let mut call = entered.ordered_call()?;
        let to = match outputs.run_count {
            Some(place) => Count::Callers(place),
            None => Count::Own(call.result()?),
        };
        let mut queue = Queue::for_caller(entered, &call);
        self.queue(&mut queue, row, made, outputs, Some(to))?;
        drop(queue);
        call.wait()?;
        let count = match (outputs.run_count, self.keys.item_count) {
            (Some(place), _) => call.number_at(place.address)?,
            (None, 0) => 0,
            // SAFETY: `wait` ended the launches, which wrote the number of runs to the call's result.
            (None, _) => unsafe { call.read_number() }?,
        } as usize;
        if matches!(made, Made::Reduction) {
            let offered_items = self.room_for_keys(outputs);
            check_room(offered_items, count)?;
            // The starts need room for each run's start and for the last run's end.
            if let Some(starts) = outputs.starts {
                check_room(starts.item_count, count + 1)?;
            }
        }
        Ok(count)
    }

    /// Queues the launches. The last launch's kernel and the workspace are made ready before the first launch is queued.
    ///
    /// # Safety
    ///
    /// Until the work is done, all memory is aligned and belongs to this context, no output overlaps other memory, and:
    ///
    /// - keys and values can be read, and so can the number of keys if it is in device memory;
    /// - results, first keys and starts can be written for all items of their spans, and so can the number of runs at `count`;
    /// - for a scan, there is room for one result per key, and for one start more than there are keys.
    unsafe fn queue_checked(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        made: Made,
        outputs: Outputs,
        count: Option<Count>,
    ) -> Result<()> {
        if self.keys.item_count == 0 {
            return queue.write_no_runs(outputs.starts, count);
        }
        let is_backward = matches!(made, Made::Scan(order) if order.is_reversed);
        let room = self.room(made, outputs);
        let segments = Segments::of_runs(self.values, room, self.count.is_some());
        let heads = queue
            .prepare_segments(row, segments, is_backward)?
            .scratch
            .heads;
        // SAFETY: keys and their number can be read (condition 1). First keys, starts and the number of runs can be written (condition 2),
        // and the kernel writes no more than their spans have room for. The workspace has the heads of as many keys. The last launch
        // follows on the same workspace: `prepare_segments` found it large enough, so it is not replaced. Values can be read (condition 1),
        // and there are results for `room` runs or, for a scan, for each value (condition 3). There is no report.
        unsafe {
            queue.mark_heads(self, heads, is_backward, count)?;
            if outputs.unique_keys.is_some() || outputs.starts.is_some() {
                queue.gather_at_heads(self, heads, is_backward, outputs)?;
            }
            match room {
                0 => Ok(()),
                _ => queue.segments_checked(row, segments, made, outputs.results, 0),
            }
        }
    }

    /// The number of runs that the outputs have room for. A scan has a result for each key, so it has room for any number of runs.
    fn room(&self, made: Made, outputs: Outputs) -> usize {
        match made {
            Made::Reduction => {
                let of_starts = |span: Span| span.item_count.saturating_sub(1);
                let room = self.room_for_keys(outputs);
                outputs
                    .starts
                    .map_or(room, |starts| room.min(of_starts(starts)))
            }
            Made::Scan(_) => self.keys.item_count,
        }
    }

    /// The number of runs that a reduction's results and first keys have room for.
    fn room_for_keys(&self, outputs: Outputs) -> usize {
        let results = outputs.results.item_count.min(self.keys.item_count);
        outputs
            .unique_keys
            .map_or(results, |keys| keys.item_count.min(results))
    }

    /// The same keys, with the type that the kernel is compiled for. That type has the same size, and may have a larger alignment.
    fn aligned(&self, keys: Span) -> Span {
        Span {
            item: self.kernel.key,
            ..keys
        }
    }

    /// All memory of the caller's that the launches read and write.
    fn regions(&self, made: Made, outputs: Outputs) -> [Option<Region>; 7] {
        let key_count = self.keys.item_count;
        let most_starts = key_count + 1;
        let firsts = outputs.unique_keys.map(|span| {
            let span = self.aligned(span);
            Region::written_at_most(Argument::Output, span, key_count)
        });
        let starts = outputs.starts;
        let (results, starts) = match made {
            Made::Reduction => (
                Region::written_at_most(Argument::Output, outputs.results, key_count),
                starts
                    .map(|starts| Region::written_at_most(Argument::Offsets, starts, most_starts)),
            ),
            Made::Scan(_) => (
                Region::written(Argument::Output, outputs.results, key_count),
                starts.map(|starts| Region::written(Argument::Offsets, starts, most_starts)),
            ),
        };
        [
            Some(Region::read(Argument::Input, self.aligned(self.keys))),
            Some(Region::read(Argument::Input, self.values)),
            self.count.map(Region::count),
            firsts,
            Some(results),
            starts,
            outputs
                .run_count
                .map(|count| Region::written(Argument::Count, count, 1)),
        ]
    }
}

/// Checks that an output has room for `needed_items` items.
fn check_room(offered_items: usize, needed_items: usize) -> Result<()> {
    match offered_items < needed_items {
        true => Err(Error::OutputTooShort {
            offered_items,
            needed_items,
        }),
        false => Ok(()),
    }
}
