//! A call by key: the two launches, the memory between them, and what is checked of both.

use cust::memory::DeviceSlice;
use cust::stream::Stream;

use crate::error::{Error, Result};
use crate::gpu::{DeviceMemory, Gpu};
use crate::kernel::{Item, Row, Type};
use crate::launch::{Chooser, Count, Queue, Segments, Selection, Span, check_lengths};
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
    fn allocate(number_count: usize, most: usize) -> Result<(Self, DeviceMemory)> {
        let number = match u32::try_from(most) {
            Ok(_) => Type::of::<u32>(),
            Err(_) => Type::of::<u64>(),
        };
        // The number of runs comes first.
        let count = Type::of::<u64>();
        let bytes = count.bytes + number.bytes * number_count;
        let memory = DeviceMemory::allocate(bytes as u64)?;
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
        self.check_outputs(unique_keys, results)?;
        gpu.enter(|entered| {
            let room = unique_keys.item_count.min(results.item_count);
            let most_runs = room.min(self.keys.item_count);
            let (starts, memory) = Starts::allocate(most_runs + 1, self.keys.item_count)?;
            let runs = self.runs(Some(unique_keys), starts);
            let ((), call) = Queue::and_wait(entered, |queue, call| {
                queue.select(&runs, Count::Own(call.result()?))
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
                queue.segmented_reduce(row, segments, results, 0)
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
        self.check_outputs(unique_keys, results)?;
        self.check_starts(starts)?;
        let room = unique_keys.item_count.min(results.item_count);
        let most_runs = room
            .min(self.keys.item_count)
            .min(starts.numbers.item_count.saturating_sub(1));
        let runs = self.runs(Some(unique_keys), starts);
        gpu.enter(|entered| {
            Queue::on(entered, stream, |queue| {
                queue.select(&runs, Count::Callers(starts.count))?;
                match most_runs {
                    0 => Ok(()),
                    _ => {
                        let segments = self.segments(starts, most_runs, Some(starts.count));
                        queue.segmented_reduce(row, segments, results, 0)
                    }
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
        self.check_output(output)?;
        gpu.enter(|entered| {
            let key_count = self.keys.item_count;
            let (starts, memory) = Starts::allocate(key_count + 1, key_count)?;
            let scanned = Queue::and_wait(entered, |queue, _| {
                self.scan(queue, row, place, output, starts)
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
        self.check_output(output)?;
        self.check_starts(starts)?;
        let offered_items = starts.numbers.item_count;
        if offered_items <= self.keys.item_count {
            return Err(Error::OutputTooShort {
                offered_items,
                needed_items: self.keys.item_count + 1,
            });
        }
        gpu.enter(|entered| {
            Queue::on(entered, stream, |queue| {
                self.scan(queue, row, place, output, starts)
            })
        })
    }

    fn scan(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        place: Place,
        output: Span,
        starts: Starts,
    ) -> Result<()> {
        queue.select(&self.runs(None, starts), Count::Callers(starts.count))?;
        match self.keys.item_count {
            0 => Ok(()),
            most_runs => {
                let segments = self.segments(starts, most_runs, Some(starts.count));
                queue.segmented_scan(row, segments, place == Place::LeftOut, output, 0)
            }
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

    /// Checks that the outputs of a reduction lie apart from the input of the other launch, and from each other.
    fn check_outputs(&self, unique_keys: Span, results: Span) -> Result<()> {
        let unique_keys = unique_keys.first_items(self.keys.item_count);
        let results = results.first_items(self.keys.item_count);
        results.check_apart(self.keys)?;
        unique_keys.check_apart(self.values)?;
        unique_keys.check_apart(results)
    }

    /// Checks that the output of a scan lies apart from the input of the other launch.
    fn check_output(&self, output: Span) -> Result<()> {
        let output = output.first_items(self.keys.item_count);
        output.check_apart(self.keys)
    }

    /// Checks that the starts lie apart from the values, and their number.
    fn check_starts(&self, starts: Starts) -> Result<()> {
        starts.count.check_apart(self.values)?;
        starts.numbers.check_apart(self.values)
    }
}
