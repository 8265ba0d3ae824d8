//! Reductions and scans by key: each run of equal keys is reduced to one result, or scanned by itself.
//!
//! Most calls have two launches. In a reduction, and in a scan with an output for the starts, the first launch writes the starts of the
//! runs and, if they are wanted, their first keys. The second reduces or scans the runs as segments. In any other scan, the first launch
//! only [marks](heads) where runs begin. Some calls with few keys have one launch, which finds the runs and reduces or scans them: see
//! [`one_launch`] for reductions, and [`heads`] for scans. The values of a run are combined in [a segment's](warpfold_kernels::segments)
//! order, and results have the same bits as those of segments. The arguments of both launches are checked before the first launch is
//! queued.

mod heads;
mod one_launch;
pub(crate) mod reference;

pub use heads::{Marked, Marker};

use crate::driver::DeviceMemory;
use crate::error::{Argument, Error, Result};
use crate::gpu::Entered;
use crate::kernel::{Row, Type};
use crate::launch::{Made, Queue, Region, Span, check_arguments, check_lengths};
use crate::segments::Segments;
use crate::selection::{Chooser, Count, Selection};

/// Keys, and a value for each key.
pub struct Keyed {
    keys: Span,
    values: Span,
    /// Chooses the first key of each run.
    chooser: Chooser,
    /// The place in device memory of the number of keys; the length of `keys` is then an upper bound. `None` if all of `keys` are used.
    count: Option<Span>,
}

/// Where the starts of runs and their number are written.
#[derive(Clone, Copy)]
pub struct Starts {
    pub numbers: Span,
    pub count: Span,
}

/// Where the results are written, and the first key of each run if it is wanted.
#[derive(Clone, Copy)]
pub struct Outputs {
    pub unique_keys: Option<Span>,
    pub results: Span,
}

impl Starts {
    /// Allocates room for `number_count` numbers, each at most `most`.
    fn allocate(
        entered: Entered<'_>,
        number_count: usize,
        most: usize,
    ) -> Result<(Self, DeviceMemory)> {
        let number = match u32::try_from(most) {
            Ok(_) => Type::of::<u32>(),
            Err(_) => Type::of::<u64>(),
        };
        // The allocation begins with the number of runs.
        let count = Type::of::<u64>();
        let bytes = count.bytes + number.bytes * number_count;
        let memory = entered.with_room(|| DeviceMemory::allocate(bytes as u64))?;
        let starts = Self {
            numbers: Span {
                address: memory.address() + count.bytes as u64,
                item_count: number_count,
                item: number,
            },
            count: Span {
                address: memory.address(),
                item_count: 1,
                item: count,
            },
        };
        Ok((starts, memory))
    }
}

impl Keyed {
    /// Keys and values, and the kernel that chooses the first key of each run.
    pub fn new(keys: Span, values: Span, chooser: Chooser, count: Option<Span>) -> Result<Self> {
        check_lengths(keys.item_count, values.item_count)?;
        Ok(Self {
            keys,
            values,
            chooser,
            count,
        })
    }

    /// Queues the launches. For a scan, `starts` must have room for one number more than there are keys.
    pub fn queue(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        made: Made,
        outputs: Outputs,
        starts: Starts,
    ) -> Result<()> {
        queue.check(&self.regions(made, outputs, Some(starts)))?;
        self.runs(outputs, starts).check_numbers()?;
        // SAFETY: `check` covers every condition: all memory that the launches read and write belongs to this context, is aligned and
        // long enough, and no output overlaps other memory.
        unsafe { self.queue_checked(queue, row, made, outputs, starts) }
    }

    /// Runs the launches on a stream of the library's own, and waits. Returns the number of runs, or an error if an output is too short.
    pub fn and_wait(
        &self,
        entered: Entered<'_>,
        row: &'static Row,
        made: Made,
        outputs: Outputs,
        starts: Option<Starts>,
    ) -> Result<usize> {
        check_arguments(entered, &self.regions(made, outputs, starts))?;
        let room = self.room(made, outputs);
        let (starts, memory) = match starts {
            Some(starts) => (starts, None),
            None => {
                let key_count = self.keys.item_count;
                let (starts, memory) = Starts::allocate(entered, room + 1, key_count)?;
                (starts, Some(memory))
            }
        };
        self.runs(outputs, starts).check_numbers()?;
        let mut call = entered.ordered_call()?;
        let mut queue = Queue::for_caller(entered, &call);
        // SAFETY: `check_arguments` above covers all memory of the caller's. If the starts are not the caller's, they are in `memory`,
        // which has room for one start more than for runs. `memory` is dropped after the wait below.
        unsafe { self.queue_checked(&mut queue, row, made, outputs, starts) }?;
        drop(queue);
        call.wait()?;
        let count = call.number_at(starts.count.address)? as usize;
        drop(memory);
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
            check_room(starts.numbers.item_count, count + 1)?;
        }
        Ok(count)
    }

    /// Queues the launches. If there are two, the second's kernel and workspace are made ready before the first is queued.
    ///
    /// # Safety
    ///
    /// Until the work is done, all memory is aligned and belongs to this context, no output overlaps other memory, and:
    ///
    /// - keys and values can be read, and so can the number of keys if it is in device memory;
    /// - results, first keys and starts can be written for all items of their spans, and so can the number of starts;
    /// - for a scan, there is room for one result per key, and for one start more than there are keys.
    unsafe fn queue_checked(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        made: Made,
        outputs: Outputs,
        starts: Starts,
    ) -> Result<()> {
        if matches!(made, Made::Reduction) {
            // SAFETY: the called function's conditions are this function's.
            let is_queued = unsafe { self.reduce_at_once(queue, row, outputs, starts) }?;
            if is_queued {
                return Ok(());
            }
        }
        let most_runs = self
            .room(made, outputs)
            .min(starts.numbers.item_count.saturating_sub(1));
        let (starts_at, count_at) = (starts.numbers, Some(starts.count));
        let segments = Segments::of_runs(self.values, starts_at, most_runs, count_at);
        if most_runs > 0 {
            let is_backward = matches!(made, Made::Scan(order) if order.is_reversed);
            queue.prepare_segments(row, segments, is_backward)?;
        }
        let runs = self.runs(outputs, starts);
        // SAFETY: the keys can be read (condition 1). First keys, starts and their number can be written (condition 2), and the kernel
        // writes no more than their spans have room for.
        unsafe { queue.select_checked(&runs, Count::Callers(starts.count)) }?;
        match most_runs {
            0 => Ok(()),
            // SAFETY: values and starts can be read: the first launch writes the starts. `most_runs` is at most the number of results,
            // and less than the number of starts (condition 2); for a scan, there is a result for each value (condition 3). There is no
            // report.
            _ => unsafe { queue.segments_checked(row, segments, made, outputs.results, 0) },
        }
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

    /// The selection of the first key of each run. It writes the starts of the runs, and the keys if they are wanted.
    fn runs(&self, outputs: Outputs, starts: Starts) -> Selection {
        Selection {
            item_count_at: self.count,
            ..Selection::of_runs(self.keys, self.chooser, outputs.unique_keys, starts.numbers)
        }
    }

    /// All memory of the caller's that the call reads and writes. `starts` is `None` if the starts are in the library's memory.
    fn regions(&self, made: Made, outputs: Outputs, starts: Option<Starts>) -> [Option<Region>; 7] {
        let key_count = self.keys.item_count;
        let most_starts = key_count + 1;
        let firsts = outputs.unique_keys.map(|span| {
            let span = self.chooser.aligned(span);
            Region::written_at_most(Argument::Output, span, key_count)
        });
        let (results, numbers) = match made {
            Made::Reduction => (
                Region::written_at_most(Argument::Output, outputs.results, key_count),
                starts.map(|starts| {
                    Region::written_at_most(Argument::Offsets, starts.numbers, most_starts)
                }),
            ),
            Made::Scan(_) => (
                Region::written(Argument::Output, outputs.results, key_count),
                starts
                    .map(|starts| Region::written(Argument::Offsets, starts.numbers, most_starts)),
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
            numbers,
            starts.map(|starts| Region::written(Argument::Count, starts.count, 1)),
        ]
    }
}
