//! Scans by key without an output for the runs' starts. Most of these scans have two launches. The first marks the
//! [heads](warpfold_kernels::heads) of the runs: it writes a bit for each key to the workspace. The second scans the runs as segments that
//! start at the heads.
//!
//! A forward scan has only one launch, which finds the heads itself, if all of this holds:
//!
//! - There are [few keys](KEYED_CHUNKS_PER_BLOCK).
//! - Two keys are equal exactly if their bytes are equal.
//! - The kernel [can compare](can_compare) the keys.

use std::mem::offset_of;

use warpfold_kernels::heads::{Layout, Summary};
use warpfold_kernels::segments::tuning::KEYED_CHUNKS_PER_BLOCK;
use warpfold_kernels::segments::{node_slots, window_count};

use super::reduction::can_compare;
use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::gpu::{Entered, Form, LoadedKernel, Need, Way, WindowNumbers, Windowed};
use crate::kernel::{Division, Entry, Item, Row, Type};
use crate::launch::{
    ByKeyScanWords, HeadsWords, Position, Queue, Region, ScanOrder, Span, check_lengths, number_of,
};
use crate::selection::HeadsKernel;

/// What a reduction or a scan by key needs of the workspace. Its windows have 2^`window_shift` items. If it does not compare the keys, an
/// earlier launch marks the heads.
pub(super) fn need_of(
    division: &Division,
    item_count: u64,
    window_shift: u32,
    compares_keys: bool,
) -> Need {
    let windows = window_count(item_count, window_shift);
    let mut need = Need::states(node_slots(windows, window_shift) * division.accumulator_words);
    if compares_keys {
        // One more state word for each window: the window publishes its last head there and, in a reduction, the number of its heads.
        need.state_words += windows;
    } else {
        need.head_bytes = Layout::of(item_count).bytes;
    }
    need
}

/// A kernel that marks the heads of runs of keys of one type.
#[derive(Clone, Copy)]
pub struct Marker {
    pub(super) entry: &'static Entry,
    /// The type that the kernel is compiled for.
    key: Type,
    /// Whether two keys are known to be equal exactly if their bytes are equal.
    pub(super) compares_bytes: bool,
}

impl Marker {
    /// The kernel that marks the heads of runs of keys of type `K`.
    pub fn of<E: HeadsKernel<K>, K: Item>() -> Self {
        Self {
            entry: E::entry(),
            key: Type::of::<K>(),
            compares_bytes: E::compares_bytes(),
        }
    }
}

/// Queues a launch that marks the heads of runs of keys, and writes the number of keys into the heads' [`Summary`]. If the number comes
/// from device memory (`count`), returns the address where the launch writes it. Otherwise returns 0.
///
/// # Safety
///
/// Until the work is done:
///
/// - there is a key. Keys and their number can be read, and are aligned for the kernel;
/// - `heads` is workspace memory for the heads of all keys.
pub(super) unsafe fn mark(
    queue: &mut Queue<'_>,
    marker: &LoadedKernel,
    keys: Span,
    count: Option<Span>,
    is_backward: bool,
    heads: Address,
) -> Result<Address> {
    let key_count = keys.item_count as u64;
    let mut marking = HeadsWords {
        keys: keys.address,
        key_count,
        key_count_at: count.map_or(0, |count| count.address),
        is_backward: u64::from(is_backward),
        heads,
    };
    let blocks = Layout::of(key_count).range_count;
    // SAFETY: the words are those of a launch that marks heads. There is a key, and keys and their number can be read (condition 1). There
    // is room for the heads of all keys (condition 2), and a block for each range.
    unsafe {
        let block = marker.long.block;
        queue.launch(Position::Whole, marker, block, blocks, marking.list())?;
    }
    let item_count_at = heads + offset_of!(Summary, item_count) as u64;
    Ok(count.map_or(0, |_| item_count_at))
}

/// The arguments that depend on how a scan is divided.
const NUMBERS: WindowNumbers = WindowNumbers {
    window_shift: number_of!(ByKeyScanWords.window_shift),
    windows_per_block: None,
};

/// Keys, and a value for each key.
pub struct Marked {
    keys: Span,
    values: Span,
    marker: Marker,
    /// Device memory with the number of keys, if only the device knows it: then the length of `keys` is an upper bound. `None` if all of
    /// `keys` are used.
    count: Option<Span>,
}

impl Marked {
    /// Keys and values, and the kernel that marks the heads of the runs.
    pub fn new(keys: Span, values: Span, marker: Marker, count: Option<Span>) -> Result<Self> {
        check_lengths(keys.item_count, values.item_count)?;
        // The kernel's type has the keys' size, and may have a larger alignment.
        let keys = Span {
            item: marker.key,
            ..keys
        };
        Ok(Self {
            keys,
            values,
            marker,
            count,
        })
    }

    /// Queues the scan. `output` has a result for each key.
    pub fn queue(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        order: ScanOrder,
        output: Span,
    ) -> Result<()> {
        queue.check(&[
            Some(Region::read(Argument::Input, self.keys)),
            Some(Region::read(Argument::Input, self.values)),
            self.count.map(Region::count),
            Some(Region::written(
                Argument::Output,
                output,
                self.keys.item_count,
            )),
        ])?;
        if self.keys.item_count == 0 {
            return Ok(());
        }
        // SAFETY: `check` found that all memory belongs to this context, is aligned and long enough, and that no output overlaps other
        // memory. There is a key, and there are as many values as keys (`new`).
        unsafe { self.queue_checked(queue, row, order, output) }
    }

    /// The form of the kernel's text for this scan.
    fn form(&self, way: Way, order: ScanOrder) -> Form {
        let is_exclusive = number_of!(ByKeyScanWords.is_exclusive);
        let form = way
            .form()
            .with_known(is_exclusive, order.is_exclusive.into());
        let form = form.with_known_absence(
            number_of!(ByKeyScanWords.item_count_at),
            self.count.is_none(),
        );
        match way {
            Way::Keyed => form
                .with_known(number_of!(ByKeyScanWords.heads), 0)
                .with_known(
                    number_of!(ByKeyScanWords.key_bytes),
                    self.keys.item.bytes as u64,
                ),
            Way::Plain | Way::Backward => form.with_known(number_of!(ByKeyScanWords.keys), 0),
        }
    }

    /// The kernel that compares the keys, if a forward scan of them has one launch. `None` if the scan has two launches.
    fn comparer<'gpu>(
        &self,
        entered: Entered<'gpu>,
        row: &'static Row,
        order: ScanOrder,
    ) -> Result<Option<Windowed<'gpu>>> {
        let chunks = (self.keys.item_count as u64).div_ceil(row.division.chunk_items);
        // At most `most_blocks` blocks are resident on the device. If the scan has too many keys even for `most_blocks` blocks, the kernel
        // that compares keys is not compiled.
        let most_blocks = entered.most_blocks();
        let may_compare = self.marker.compares_bytes
            && can_compare(self.keys)
            && chunks <= KEYED_CHUNKS_PER_BLOCK * most_blocks;
        if !may_compare {
            return Ok(None);
        }
        let form = self.form(Way::Keyed, order);
        let item_count = self.keys.item_count as u64;
        let windowed = entered.windowed(row, form, NUMBERS, item_count, 0)?;
        let resident_blocks = windowed.kernel.short.resident_blocks as u64;
        Ok((chunks <= KEYED_CHUNKS_PER_BLOCK * resident_blocks).then_some(windowed))
    }

    /// Queues one launch or two. The kernels and the workspace are made ready before the first launch is queued.
    ///
    /// # Safety
    ///
    /// Until the work is done, all memory is aligned and belongs to this context, the output overlaps no other memory, and:
    ///
    /// - there is a key. Keys and values can be read, and so can the number of keys if it is in device memory;
    /// - a result for each key can be written.
    unsafe fn queue_checked(
        &self,
        queue: &mut Queue<'_>,
        row: &'static Row,
        order: ScanOrder,
        output: Span,
    ) -> Result<()> {
        let item_count = self.keys.item_count as u64;
        let comparer = match order.is_reversed {
            true => None,
            false => self.comparer(queue.entered, row, order)?,
        };
        let is_one_launch = comparer.is_some();
        let windowed = match comparer {
            Some(comparer) => comparer,
            None => {
                let form = self.form(Way::of_direction(order.is_reversed), order);
                queue.entered.windowed(row, form, NUMBERS, item_count, 0)?
            }
        };
        let window_shift = windowed.window_shift;
        let mut scan = ByKeyScanWords {
            input: self.values.address,
            item_count,
            item_count_at: self.count.map_or(0, |count| count.address),
            heads: 0,
            keys: 0,
            key_bytes: 0,
            control: 0,
            states: 0,
            state_words: 0,
            output: output.address,
            window_shift: window_shift.into(),
            is_exclusive: u64::from(order.is_exclusive),
        };
        let need = need_of(&row.division, item_count, window_shift, is_one_launch);
        if is_one_launch {
            scan.keys = self.keys.address;
            scan.key_bytes = self.keys.item.bytes as u64;
        }
        let marker = match is_one_launch {
            true => None,
            false => Some(queue.entered.kernel(self.marker.entry)?),
        };
        let scratch = queue.scratch_for(Position::Whole, need)?;
        (scan.control, scan.states) = (scratch.control, scratch.states);
        scan.state_words = scratch.state_words;
        if let Some(marker) = marker {
            let (keys, count) = (self.keys, self.count);
            // SAFETY: there is a key, and keys and their number can be read (condition 1). The workspace has room for the heads of all
            // keys.
            scan.item_count_at =
                unsafe { mark(queue, marker, keys, count, order.is_reversed, scratch.heads)? };
            scan.heads = scratch.heads;
        }
        // SAFETY: the words are those of a scan by key. The values can be read (condition 1). A single launch compares the keys, which can
        // be read (condition 1). Otherwise the first launch marks the heads in the direction of the scan. There is room for the results
        // (condition 2). The workspace has the state words of all windows, and there is a block for each window. The text knows only
        // values that are among the words: `form` and `windowed` took them from the same keys and order.
        unsafe {
            queue.launch(
                Position::Whole,
                windowed.kernel,
                windowed.grid.block,
                windowed.windows,
                scan.list(),
            )
        }
    }
}
