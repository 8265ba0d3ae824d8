//! Reductions and scans by key: neighbours with equal keys belong together.
//!
//! Two launches: the first writes where the runs of equal keys start, and their keys; the second reduces or scans these segments. So the
//! values of a run are combined in the order of [a segment's](warpfold_kernels::segments), with the same bits.

use crate::call::Made;
use crate::error::{Error, Result};
use crate::gpu::{DeviceMemory, Entered};
use crate::kernel::{Row, Type};
use crate::launch::{Chooser, Count, Queue, Segments, Selection, Span, check_lengths};

/// Keys and values, of which there are equally many.
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

impl Starts {
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
    /// Keys and values, and what chooses the first key of each run.
    pub fn new(keys: Span, values: Span, chooser: Chooser, count: Option<Span>) -> Result<Self> {
        check_lengths(keys.item_count, values.item_count)?;
        Ok(Self {
            keys,
            values,
            chooser,
            count,
        })
    }

    /// Queues what is made of each run. Starts have room for all that is made: of a scan, for one number more than there are keys.
    pub fn queue(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        made: Made,
        (unique_keys, output): (Option<Span>, Span),
        starts: Starts,
    ) -> Result<()> {
        self.check(made, unique_keys, output, starts)?;
        let runs = self.runs(unique_keys, starts);
        queue.select(&runs, Count::Callers(starts.count))?;
        match self.most_runs(made, unique_keys, output, starts) {
            0 => Ok(()),
            most_runs => {
                let segments = self.segments(starts, most_runs);
                queue.segments(row, segments, made, output, 0)
            }
        }
    }

    /// Runs the same, and waits for it. Gives how many runs there are, for all of which there was room.
    pub fn and_wait(
        &self,
        entered: Entered<'_>,
        row: &'static Row,
        made: Made,
        outputs: (Option<Span>, Span),
        starts: Option<Starts>,
    ) -> Result<usize> {
        let (unique_keys, output) = outputs;
        let room = self.room(made, unique_keys, output);
        let (starts, memory) = match starts {
            Some(starts) => (starts, None),
            None => {
                let (starts, memory) = Starts::allocate(room + 1, self.keys.item_count)?;
                (starts, Some(memory))
            }
        };
        let ((), mut call) = Queue::and_wait(entered, |queue, _| {
            self.queue(queue, row, made, outputs, starts)
        })?;
        let count = call.number_at(starts.count.address)? as usize;
        drop(memory);
        match made {
            Made::Reduction if count > room => Err(Error::OutputTooShort {
                offered_items: room,
                needed_items: count,
            }),
            _ => Ok(count),
        }
    }

    /// How many runs the outputs have room for.
    fn room(&self, made: Made, unique_keys: Option<Span>, output: Span) -> usize {
        let key_count = self.keys.item_count;
        match made {
            Made::Reduction => unique_keys
                .map_or(key_count, |keys| keys.item_count)
                .min(output.item_count)
                .min(key_count),
            // A scan has a result for each item.
            Made::InclusiveScan | Made::ExclusiveScan => key_count,
        }
    }

    /// The most runs of which something can be made.
    fn most_runs(
        &self,
        made: Made,
        unique_keys: Option<Span>,
        output: Span,
        starts: Starts,
    ) -> usize {
        self.room(made, unique_keys, output)
            .min(starts.numbers.item_count.saturating_sub(1))
    }

    /// The runs, of which the starts are written, and perhaps the keys.
    fn runs(&self, unique_keys: Option<Span>, starts: Starts) -> Selection {
        Selection {
            item_count_at: self.count,
            ..Selection::of_runs(self.keys, self.chooser, unique_keys, starts.numbers)
        }
    }

    /// The values of the runs.
    fn segments(&self, starts: Starts, most_runs: usize) -> Segments {
        Segments::of_runs(self.values, starts.numbers, most_runs, Some(starts.count))
    }

    /// Checks that what one launch writes lies apart from what the other reads, and that there is room.
    fn check(
        &self,
        made: Made,
        unique_keys: Option<Span>,
        output: Span,
        starts: Starts,
    ) -> Result<()> {
        let results = output.first_items(self.keys.item_count);
        results.check_apart(self.keys)?;
        if let Some(unique_keys) = unique_keys {
            let unique_keys = unique_keys.first_items(self.keys.item_count);
            unique_keys.check_apart(self.values)?;
            unique_keys.check_apart(results)?;
        }
        starts.count.check_apart(self.values)?;
        starts.numbers.check_apart(self.values)?;
        let (offered_items, key_count) = (starts.numbers.item_count, self.keys.item_count);
        match made {
            Made::InclusiveScan | Made::ExclusiveScan if offered_items <= key_count => {
                Err(Error::OutputTooShort {
                    offered_items,
                    needed_items: key_count + 1,
                })
            }
            _ => Ok(()),
        }
    }
}
