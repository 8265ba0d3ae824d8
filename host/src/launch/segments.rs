//! Segmented reductions.

use warpfold_kernels::arguments::SegmentedReduceArguments;
use warpfold_kernels::segments::{state_words, window_count, windows_per_block};
use warpfold_kernels::workspace::Control;

use super::pieces::Part;
use super::{Queue, Span, overlap};
use crate::driver::Address;
use crate::error::{Argument, Error, Result};
use crate::kernel::{Item, Kernel, kind};

/// Where segments start.
#[derive(Clone, Copy)]
pub(crate) enum Starts {
    /// At these offsets of `bytes` bytes each, one more than segments.
    Offsets { span: Span, bytes: usize },
    /// One behind the other, with this number of items each.
    Rows(usize),
}

/// Segments to reduce.
#[derive(Clone, Copy)]
pub(crate) struct Segments {
    pub items: Span,
    pub starts: Starts,
    /// At least one.
    pub count: usize,
}

impl Queue<'_> {
    /// Queues the reduction of each segment to a result in `output`. If the offsets are refused, 1 is written to `report`, if that
    /// is not 0.
    pub fn segmented_reduce<O: Kernel<kind::segmented_reduce, T>, T: Item>(
        &mut self,
        segments: Segments,
        output: Span,
        report: Address,
    ) -> Result<()> {
        check::<T, O::Output>(segments, output)?;
        if segments.items.item_count > 0 {
            self.check_memory(Argument::Input, segments.items)?;
        }
        let (offsets, offset_bytes, row_items) = match segments.starts {
            Starts::Offsets { span, bytes } => {
                self.check_memory(Argument::Offsets, span)?;
                (span.address, bytes, 0)
            }
            Starts::Rows(row_items) => (0, 0, row_items),
        };
        self.check_memory(Argument::Output, output)?;
        let kernel = self.entered.kernel(O::entry())?;
        let (item_count, segment_count) = (segments.items.item_count as u64, segments.count as u64);
        let state_words = state_words::<T, O::Accumulator>(item_count, segment_count);
        let scratch = self.scratch(Part::Whole, state_words)?;
        let windows = window_count::<T, O::Accumulator>(item_count, segment_count);
        let windows_per_block = windows_per_block(windows, kernel.long.resident_blocks as u64);
        let mut arguments = SegmentedReduceArguments::<T, O::Output> {
            input: segments.items.address as *const T,
            item_count,
            offsets: offsets as *const u32,
            offset_bytes: offset_bytes as u64,
            row_items: row_items as u64,
            segment_count,
            control: scratch.control as *mut Control,
            states: scratch.states as *mut u64,
            state_words: scratch.state_words,
            output: output.address as *mut O::Output,
            report: report as *mut u64,
            windows_per_block,
        };
        let pointers = &mut arguments.pointers();
        let blocks = windows.div_ceil(windows_per_block);
        // SAFETY: these are a segmented reduction's arguments. The items, the offsets and the results are memory of the context, of
        // the lengths that their owner gave them, which were compared; whatever the offsets are, the kernel reads no others. The
        // report is 0 or the caller's. The rest is the stream's workspace, with the state words that were asked for.
        unsafe { self.launch(Part::Whole, &kernel, kernel.long.block, blocks, pointers) }
    }
}

/// Checks what can be known of the arguments without the driver.
fn check<T, R>(segments: Segments, output: Span) -> Result<()> {
    let Segments {
        items,
        starts,
        count,
    } = segments;
    if output.item_count < count {
        return Err(Error::OutputTooShort {
            offered_items: output.item_count,
            needed_items: count,
        });
    }
    items.check_alignment::<T>(Argument::Input)?;
    output.check_alignment::<R>(Argument::Output)?;
    let results = Span {
        item_count: count,
        ..output
    };
    if items.overlaps::<T, R>(results) {
        return Err(overlap(items, results));
    }
    match starts {
        Starts::Offsets { span, bytes: 4 } => check_offsets::<u32, R>(span, results),
        Starts::Offsets { span, .. } => check_offsets::<u64, R>(span, results),
        Starts::Rows(_) => Ok(()),
    }
}

fn check_offsets<I, R>(offsets: Span, results: Span) -> Result<()> {
    offsets.check_alignment::<I>(Argument::Offsets)?;
    match offsets.overlaps::<I, R>(results) {
        true => Err(overlap(offsets, results)),
        false => Ok(()),
    }
}
