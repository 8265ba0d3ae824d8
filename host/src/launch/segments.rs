//! Segmented reductions and scans.

use std::ffi::c_void;
use std::sync::Arc;

use warpfold_kernels::arguments::{SegmentedReduceArguments, SegmentedScanArguments};
use warpfold_kernels::segments::windows_per_block;
use warpfold_kernels::workspace::Control;

use super::pieces::Part;
use super::{Queue, Span, Untyped};
use crate::call::Made;
use crate::driver::Address;
use crate::error::{Argument, Error, Result};
use crate::gpu::{Grid, LoadedKernel, Place};
use crate::kernel::Row;

/// Where segments start.
#[derive(Clone, Copy)]
pub(crate) enum Starts {
    /// At these offsets, one more than segments.
    Offsets(Span),
    /// One after the other, with this number of items each.
    Rows(usize),
}

/// Segments to reduce or to scan.
#[derive(Clone, Copy)]
pub(crate) struct Segments {
    pub items: Span,
    pub starts: Starts,
    /// At least one.
    pub count: usize,
    /// Where the device's memory has how many there are, if `count` is only the most.
    pub count_at: Option<Span>,
}

impl Segments {
    /// The runs among values, at least one, that start at these numbers.
    pub fn of_runs(values: Span, starts: Span, count: usize, count_at: Option<Span>) -> Self {
        Self {
            items: values,
            starts: Starts::Offsets(starts),
            count,
            count_at,
        }
    }
}

/// What a launch knows of its segments, whatever is made of them.
struct Prepared {
    kernel: Arc<LoadedKernel>,
    offsets: Address,
    offset_bytes: u64,
    row_items: u64,
    /// 0 for nowhere.
    segment_count_at: Address,
    scratch: Place,
    windows: u64,
}

impl Prepared {
    /// The blocks: of more threads, if all windows are worked on at once.
    fn grid(&self) -> Grid {
        match self.windows <= self.kernel.short.resident_blocks as u64 {
            true => self.kernel.short,
            false => self.kernel.long,
        }
    }
}

impl Queue<'_> {
    /// Queues what is made of each segment. If the offsets are refused, 1 is written to `report`, if that is not 0.
    pub fn segments(
        &mut self,
        row: &'static Row,
        segments: Segments,
        made: Made,
        output: Span,
        report: Address,
    ) -> Result<()> {
        match made {
            Made::Reduction => self.segmented_reduce(row, segments, output, report),
            Made::InclusiveScan => self.segmented_scan(row, segments, false, output, report),
            Made::ExclusiveScan => self.segmented_scan(row, segments, true, output, report),
        }
    }

    /// Queues the reduction of each segment to a result in `output`. If the offsets are refused, 1 is written to `report`, if that
    /// is not 0.
    pub fn segmented_reduce(
        &mut self,
        row: &'static Row,
        segments: Segments,
        output: Span,
        report: Address,
    ) -> Result<()> {
        self.check_segments(segments, output, segments.count)?;
        let prepared = self.prepare_segments(row, segments, output)?;
        let resident_blocks = prepared.grid().resident_blocks as u64;
        let windows_per_block = windows_per_block(prepared.windows, resident_blocks);
        let mut arguments = SegmentedReduceArguments::<Untyped, Untyped> {
            input: segments.items.address as *const Untyped,
            item_count: segments.items.item_count as u64,
            offsets: prepared.offsets as *const u32,
            offset_bytes: prepared.offset_bytes,
            row_items: prepared.row_items,
            segment_count: segments.count as u64,
            segment_count_at: prepared.segment_count_at as *const u64,
            control: prepared.scratch.control as *mut Control,
            states: prepared.scratch.states as *mut u64,
            state_words: prepared.scratch.state_words,
            output: output.address as *mut Untyped,
            report: report as *mut u64,
            windows_per_block,
        };
        // SAFETY: these are a segmented reduction's arguments, laid out as with the kernel's types.
        unsafe { self.launch_segments(&prepared, windows_per_block, &mut arguments.pointers()) }
    }

    /// Queues the scan of each segment to `output`. If the offsets are refused, 1 is written to `report`, if that is not 0.
    pub fn segmented_scan(
        &mut self,
        row: &'static Row,
        segments: Segments,
        is_exclusive: bool,
        output: Span,
        report: Address,
    ) -> Result<()> {
        self.check_segments(segments, output, segments.items.item_count)?;
        let prepared = self.prepare_segments(row, segments, output)?;
        // A block waits for others before it goes on to its next window.
        let windows_per_block = 1;
        let mut arguments = SegmentedScanArguments::<Untyped, Untyped> {
            input: segments.items.address as *const Untyped,
            item_count: segments.items.item_count as u64,
            offsets: prepared.offsets as *const u32,
            offset_bytes: prepared.offset_bytes,
            row_items: prepared.row_items,
            segment_count: segments.count as u64,
            segment_count_at: prepared.segment_count_at as *const u64,
            control: prepared.scratch.control as *mut Control,
            states: prepared.scratch.states as *mut u64,
            state_words: prepared.scratch.state_words,
            output: output.address as *mut Untyped,
            report: report as *mut u64,
            windows_per_block,
            is_exclusive: u64::from(is_exclusive),
        };
        // SAFETY: these are a segmented scan's arguments, laid out as with the kernel's types.
        unsafe { self.launch_segments(&prepared, windows_per_block, &mut arguments.pointers()) }
    }

    /// Checks the arguments except the memory, for this many results.
    fn check_segments(&self, segments: Segments, output: Span, result_count: usize) -> Result<()> {
        check(segments, output, result_count)?;
        match segments.count_at {
            Some(count) => self.check_count(count, output.first_items(result_count)),
            None => Ok(()),
        }
    }

    /// Checks the memory, and sees to the workspace.
    fn prepare_segments(
        &mut self,
        row: &'static Row,
        segments: Segments,
        output: Span,
    ) -> Result<Prepared> {
        if segments.items.item_count > 0 {
            self.check_memory(Argument::Input, segments.items)?;
        }
        let (offsets, offset_bytes, row_items) = match segments.starts {
            Starts::Offsets(span) => {
                self.check_memory(Argument::Offsets, span)?;
                (span.address, span.item.bytes, 0)
            }
            Starts::Rows(row_items) => (0, 0, row_items),
        };
        if output.item_count > 0 {
            self.check_memory(Argument::Output, output)?;
        }
        let (item_count, segment_count) = (segments.items.item_count as u64, segments.count as u64);
        let state_words = (row.division.segments_state_words)(item_count, segment_count);
        Ok(Prepared {
            kernel: self.entered.kernel(&row.entry)?,
            offsets,
            offset_bytes: offset_bytes as u64,
            row_items: row_items as u64,
            segment_count_at: segments.count_at.map_or(0, |count| count.address),
            scratch: self.scratch(Part::Whole, state_words)?,
            windows: (row.division.window_count)(item_count, segment_count),
        })
    }

    /// Launches the kernel.
    ///
    /// # Safety
    /// The arguments are those of the kernel, of the launch that was prepared, with this many windows for each block.
    unsafe fn launch_segments(
        &mut self,
        prepared: &Prepared,
        windows_per_block: u64,
        pointers: &mut [*mut c_void],
    ) -> Result<()> {
        let blocks = prepared.windows.div_ceil(windows_per_block);
        let block = prepared.grid().block;
        // SAFETY: the caller's. The items, the offsets and the results are memory of the context, of the lengths that their owner gave
        // them, which were compared; whatever the offsets are, the kernel reads no others. The report is 0 or the caller's. The
        // rest is the stream's workspace, with the state words that were asked for.
        unsafe { self.launch(Part::Whole, &prepared.kernel, block, blocks, pointers) }
    }
}

/// Checks what can be known of the arguments without the driver, for this many results.
fn check(segments: Segments, output: Span, result_count: usize) -> Result<()> {
    let Segments { items, starts, .. } = segments;
    if output.item_count < result_count {
        return Err(Error::OutputTooShort {
            offered_items: output.item_count,
            needed_items: result_count,
        });
    }
    items.check_alignment(Argument::Input)?;
    output.check_alignment(Argument::Output)?;
    let results = output.first_items(result_count);
    results.check_apart(items)?;
    match starts {
        Starts::Offsets(offsets) => {
            offsets.check_alignment(Argument::Offsets)?;
            results.check_apart(offsets)
        }
        Starts::Rows(_) => Ok(()),
    }
}
