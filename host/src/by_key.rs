//! Reductions and scans by key: neighbours with equal keys belong together.
//!
//! Two launches: the first writes where the runs of equal keys start, and their keys; the second reduces or scans these segments. So the
//! values of a run are combined in the order of [a segment's](warpfold_kernels::segments), with the same bits. The arguments of both are
//! checked before the first is queued.

pub(crate) mod reference;

use crate::driver::DeviceMemory;
use crate::error::{Argument, Error, Result};
use crate::gpu::Entered;
use crate::kernel::{Row, Type};
use crate::launch::{Made, Queue, Region, Span, check_arguments, check_lengths};
use crate::segments::Segments;
use crate::selection::{Chooser, Count, Selection};

/// Keys and as many values.
pub struct Keyed {
    keys: Span,
    values: Span,
    /// Chooses the first key of each run.
    chooser: Chooser,
    /// Where the device's memory has how many keys there are, if these are only the most.
    count: Option<Span>,
}

/// Where the starts of runs go, and their number.
#[derive(Clone, Copy)]
pub struct Starts {
    pub numbers: Span,
    pub count: Span,
}

/// Where results go, and perhaps the first key of each run.
#[derive(Clone, Copy)]
pub struct Outputs {
    pub unique_keys: Option<Span>,
    pub results: Span,
}

impl Starts {
    /// Room for `number_count` numbers up to `most`, in memory of the library's own.
    fn allocate(
        entered: Entered<'_>,
        number_count: usize,
        most: usize,
    ) -> Result<(Self, DeviceMemory)> {
        let number = match u32::try_from(most) {
            Ok(_) => Type::of::<u32>(),
            Err(_) => Type::of::<u64>(),
        };
        // The number of runs comes first.
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

    /// Queues the work on the runs. Starts have room for all that is made: of a scan, for one number more than there are keys.
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
        // SAFETY: the check is of all arguments of both launches, for as many results and starts as are written.
        unsafe { self.queue_checked(queue, row, made, outputs, starts) }
    }

    /// Runs the same, and waits for it. The number of runs, if there was room for all of them.
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
        // SAFETY: the check above is of all memory of the caller's. Starts that are not are an allocation of this call's, which lives
        // until the work is waited for, with a place for one start more than there is room for runs.
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
            // Runs without a start in the caller's memory have no result.
            check_room(starts.numbers.item_count, count + 1)?;
        }
        Ok(count)
    }

    /// Queues both launches. Nothing is missing for the second when the first is queued.
    ///
    /// # Safety
    ///
    /// Until the work is done, in memory of this context, aligned, and each output apart from all else:
    ///
    /// - keys, values and the number of keys, where there is one, can be read;
    /// - there are places for results and first keys, as many as they say, for starts and for their number;
    /// - of a scan, there are places for a result of each key, and for one start more than there are keys.
    unsafe fn queue_checked(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        made: Made,
        outputs: Outputs,
        starts: Starts,
    ) -> Result<()> {
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
        // SAFETY: keys, first keys, starts and the place of their number are this function's conditions; the kernel writes no more than
        // there is room for.
        unsafe { queue.select_checked(&runs, Count::Callers(starts.count)) }?;
        match most_runs {
            0 => Ok(()),
            // SAFETY: values, starts and results are this function's conditions: there is a result's place for each of `most_runs` runs, or
            // in a scan for each value, and one start more. There is no report.
            _ => unsafe { queue.segments_checked(row, segments, made, outputs.results, 0) },
        }
    }

    /// How many runs the outputs have room for. A scan has a result for each item, however many runs there are.
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

    /// The runs: their starts are written, and perhaps their keys.
    fn runs(&self, outputs: Outputs, starts: Starts) -> Selection {
        Selection {
            item_count_at: self.count,
            ..Selection::of_runs(self.keys, self.chooser, outputs.unique_keys, starts.numbers)
        }
    }

    /// All that both launches read and write of the caller's memory. The starts and their number are there if they are the caller's.
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
