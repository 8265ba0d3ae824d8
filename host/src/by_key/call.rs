//! A call by key: the two launches, and the memory between them. The arguments of both are checked before the first is queued.

use cust::memory::DeviceSlice;
use cust::stream::Stream;

use crate::error::{Argument, Error, Result};
use crate::gpu::{DeviceMemory, Entered, Gpu};
use crate::kernel::{Item, Row, Type};
use crate::launch::{
    Chooser, Count, Queue, Region, Segments, Selection, Span, check_arguments, check_lengths,
};
use crate::segments::{Offset, Place};
use crate::selection::{RunsKernel, heads};

/// Keys and values, of which there are equally many.
pub struct Keyed {
    keys: Span,
    values: Span,
    /// Chooses the first key of each run.
    chooser: Chooser,
}

/// Where the starts of runs go, and their number.
#[derive(Clone, Copy)]
pub struct Starts {
    numbers: Span,
    count: Span,
}

impl Starts {
    /// Memory of the caller's.
    pub fn of<I: Offset>(starts: &mut DeviceSlice<I>, count: Span) -> Self {
        Self {
            numbers: Span::from(&*starts),
            count,
        }
    }

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
    /// Keys and values, with an equality of keys.
    pub fn new<E: RunsKernel<K>, K: Item, V: Item>(
        keys: &DeviceSlice<K>,
        values: &DeviceSlice<V>,
    ) -> Result<Self> {
        check_lengths(keys.len(), values.len())?;
        Ok(Self {
            keys: Span::from(keys),
            values: Span::from(values),
            chooser: heads::<E, K>(),
        })
    }

    /// Reduces each run, and waits for it. Gives how many runs there are, for all of which there was room.
    pub fn reduce_and_wait(
        &self,
        gpu: &Gpu,
        row: &'static Row,
        unique_keys: Span,
        results: Span,
    ) -> Result<usize> {
        if self.keys.item_count == 0 {
            return Ok(0);
        }
        let regions = self.regions(Some(unique_keys), self.results(results), None);
        gpu.enter(|entered| {
            check_arguments(entered, &regions)?;
            let room = unique_keys.item_count.min(results.item_count);
            let most_runs = room.min(self.keys.item_count);
            let (starts, memory) = Starts::allocate(entered, most_runs + 1, self.keys.item_count)?;
            let runs = self.runs(Some(unique_keys), starts);
            let ((), call) = Queue::and_wait(entered, |queue, call| {
                let count = Count::Own(call.result()?);
                // SAFETY: keys and first keys are checked above. The starts are an allocation of this call's, which lives until the
                // work is waited for, with as many places as the selection is told; the count is page-locked memory.
                unsafe { queue.select_checked(&runs, count) }
            })?;
            // SAFETY: the work is done, and it wrote a number there.
            let count = unsafe { call.read_number() }? as usize;
            drop(call);
            if count > most_runs {
                return Err(Error::OutputTooShort {
                    offered_items: room,
                    needed_items: count,
                });
            }
            let segments = self.segments(starts, count, None);
            let reduced = Queue::and_wait(entered, |queue, _| {
                // SAFETY: values and results are checked above, and there is a result's place for each of `count` runs. The selection
                // has written one start more. There is no report.
                unsafe { queue.segmented_reduce_checked(row, segments, results, 0) }
            });
            drop(memory);
            reduced.map(|_| count)
        })
    }

    /// Queues the reduction of each run.
    pub fn queue_reduce(
        &self,
        gpu: &Gpu,
        stream: &Stream,
        row: &'static Row,
        (unique_keys, results): (Span, Span),
        starts: Starts,
    ) -> Result<()> {
        let room = unique_keys.item_count.min(results.item_count);
        let most_runs = room
            .min(self.keys.item_count)
            .min(starts.numbers.item_count.saturating_sub(1));
        let runs = self.runs(Some(unique_keys), starts);
        let most_starts = self.keys.item_count + 1;
        let numbers = Region::written_at_most(Argument::Offsets, starts.numbers, most_starts);
        let results_region = self.results(results);
        let regions = self.regions(
            Some(unique_keys),
            results_region,
            Some((numbers, starts.count)),
        );
        runs.check_numbers()?;
        gpu.enter(|entered| {
            Queue::on(entered, stream, |queue| {
                queue.check(&regions)?;
                let segments = self.segments(starts, most_runs, Some(starts.count));
                if most_runs > 0 {
                    queue.prepare_segments(row, segments)?;
                }
                // SAFETY: the check above is of all arguments of both launches. The selection writes as many starts as there is
                // room for, and the count.
                unsafe { queue.select_checked(&runs, Count::Callers(starts.count)) }?;
                match most_runs {
                    0 => Ok(()),
                    // SAFETY: the same check. There is a result's place for each of `most_runs` runs, and one start more. There is no
                    // report.
                    _ => unsafe { queue.segmented_reduce_checked(row, segments, results, 0) },
                }
            })
        })
    }

    /// Scans each run, and waits for it.
    pub fn scan_and_wait(
        &self,
        gpu: &Gpu,
        row: &'static Row,
        place: Place,
        output: Span,
    ) -> Result<()> {
        if self.keys.item_count == 0 {
            return Ok(());
        }
        let key_count = self.keys.item_count;
        let output_region = Region::written(Argument::Output, output, key_count);
        let regions = self.regions(None, output_region, None);
        gpu.enter(|entered| {
            check_arguments(entered, &regions)?;
            let (starts, memory) = Starts::allocate(entered, key_count + 1, key_count)?;
            let scanned = Queue::and_wait(entered, |queue, _| {
                // SAFETY: keys, values and output are checked above. The starts and their number are an allocation of this call's, which
                // lives until the work is waited for, with a place for one start more than there are keys.
                unsafe { self.scan(queue, row, place, output, starts) }
            });
            drop(memory);
            scanned.map(drop)
        })
    }

    /// Queues the scan of each run.
    pub fn queue_scan(
        &self,
        gpu: &Gpu,
        stream: &Stream,
        row: &'static Row,
        place: Place,
        output: Span,
        starts: Starts,
    ) -> Result<()> {
        let key_count = self.keys.item_count;
        let output_region = Region::written(Argument::Output, output, key_count);
        let numbers = Region::written(Argument::Offsets, starts.numbers, key_count + 1);
        let regions = self.regions(None, output_region, Some((numbers, starts.count)));
        self.runs(None, starts).check_numbers()?;
        gpu.enter(|entered| {
            Queue::on(entered, stream, |queue| {
                queue.check(&regions)?;
                // SAFETY: the check above is of all arguments of both launches, and the starts have a place for one more than keys.
                unsafe { self.scan(queue, row, place, output, starts) }
            })
        })
    }

    /// Queues both launches of a scan.
    ///
    /// # Safety
    ///
    /// Until the work is done, in memory of this context, aligned, and each output apart from all else:
    ///
    /// - keys and values can be read;
    /// - there are places for a result for each, for one start more than there are keys, and for their number.
    unsafe fn scan(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        place: Place,
        output: Span,
        starts: Starts,
    ) -> Result<()> {
        let runs = self.runs(None, starts);
        let segments = self.segments(starts, self.keys.item_count, Some(starts.count));
        if segments.count > 0 {
            queue.prepare_segments(row, segments)?;
        }
        // SAFETY: the keys, the starts and the place of their number are this function's conditions.
        unsafe { queue.select_checked(&runs, Count::Callers(starts.count)) }?;
        let is_exclusive = place == Place::LeftOut;
        match segments.count {
            0 => Ok(()),
            // SAFETY: the values, the starts and the output are this function's conditions; there is no report.
            _ => unsafe { queue.segmented_scan_checked(row, segments, is_exclusive, output, 0) },
        }
    }

    /// The runs, of which the starts are written, and perhaps the keys.
    fn runs(&self, unique_keys: Option<Span>, starts: Starts) -> Selection {
        Selection::of_runs(self.keys, self.chooser, unique_keys, starts.numbers)
    }

    /// The values of the runs.
    fn segments(&self, starts: Starts, count: usize, count_at: Option<Span>) -> Segments {
        Segments::of_runs(self.values, starts.numbers, count, count_at)
    }

    /// The results of a reduction: as many as there may be runs, and room.
    fn results(&self, results: Span) -> Region {
        Region::written_at_most(Argument::Output, results, self.keys.item_count)
    }

    /// All that both launches read and write of the caller's memory. The starts and their number are there if they are the caller's.
    fn regions(
        &self,
        unique_keys: Option<Span>,
        results: Region,
        starts: Option<(Region, Span)>,
    ) -> [Option<Region>; 6] {
        let keys = self.chooser.aligned(self.keys);
        let firsts = unique_keys.map(|span| {
            let span = self.chooser.aligned(span);
            Region::written_at_most(Argument::Output, span, self.keys.item_count)
        });
        let count = starts.map(|(_, count)| Region::written(Argument::Count, count, 1));
        [
            Some(Region::read(Argument::Input, keys)),
            Some(Region::read(Argument::Input, self.values)),
            firsts,
            Some(results),
            starts.map(|(numbers, _)| numbers),
            count,
        ]
    }
}
