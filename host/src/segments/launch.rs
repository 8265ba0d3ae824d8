//! Segmented reductions and scans.

use warpfold_kernels::segments::windows_per_block;

use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::gpu::{CallStream, Entered, Grid, LoadedKernel, WorkspaceSpan};
use crate::kernel::Row;
use crate::launch::{
    Made, Part, Queue, Region, ScanOrder, SegmentedReduceWords, SegmentedScanWords, Span,
};

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

    /// Whether all that a launch reads and writes of items is aligned for its types. Where there are none, any place will do.
    fn are_aligned(&self, output: Span, report: Address) -> bool {
        let offsets = match self.starts {
            Starts::Offsets(offsets) => Some(offsets),
            Starts::Rows(_) => None,
        };
        let output = (self.items.item_count > 0).then_some(output);
        let spans = [Some(self.items), offsets, self.count_at, output];
        let mut spans = spans.into_iter().flatten();
        let is_report_aligned = report.is_multiple_of(size_of::<u64>() as u64);
        is_report_aligned
            && spans
                .all(|span| span.item_count == 0 || span.check_alignment(Argument::Input).is_ok())
    }

    /// The inputs, and this many results.
    fn regions(&self, output: Span, result_count: usize) -> [Option<Region>; 4] {
        let offsets = match self.starts {
            Starts::Offsets(offsets) => Some(Region::read(Argument::Offsets, offsets)),
            Starts::Rows(_) => None,
        };
        [
            Some(Region::read(Argument::Input, self.items)),
            offsets,
            self.count_at.map(Region::count),
            Some(Region::written(Argument::Output, output, result_count)),
        ]
    }
}

/// A launch's segments, for reductions and for scans.
pub(crate) struct Prepared<'a> {
    kernel: &'a LoadedKernel,
    offsets: Address,
    offset_bytes: u64,
    row_items: u64,
    /// 0 for nowhere.
    segment_count_at: Address,
    scratch: WorkspaceSpan,
    windows: u64,
}

impl Prepared<'_> {
    /// The blocks: of more threads, if all windows are worked on at once.
    fn grid(&self) -> Grid {
        match self.windows <= self.kernel.short.resident_blocks as u64 {
            true => self.kernel.short,
            false => self.kernel.long,
        }
    }
}

impl<'a> Queue<'a> {
    /// Queues the work on the segments. If the offsets are refused, 1 is written to `report`, if that is not 0.
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
            Made::Scan(order) => self.segmented_scan(row, segments, order, output, report),
        }
    }

    /// The same of arguments that are checked.
    ///
    /// # Safety
    ///
    /// - For a reduction, the conditions of [`Self::segmented_reduce_checked`] hold;
    /// - for a scan, those of [`Self::segmented_scan_checked`].
    pub unsafe fn segments_checked(
        &mut self,
        row: &'static Row,
        segments: Segments,
        made: Made,
        output: Span,
        report: Address,
    ) -> Result<()> {
        // SAFETY: the conditions of the function that is called are this one's: the first for a reduction, the second for a scan.
        unsafe {
            match made {
                Made::Reduction => self.segmented_reduce_checked(row, segments, output, report),
                Made::Scan(order) => {
                    self.segmented_scan_checked(row, segments, order, output, report)
                }
            }
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
        self.check(&segments.regions(output, segments.count))?;
        // SAFETY: the check above found all of it to be memory of the context, aligned, long enough and apart; a `DeviceSlice` is as long as
        // it says. The report is the caller of this function's own, or 0.
        unsafe { self.segmented_reduce_checked(row, segments, output, report) }
    }

    /// The same of arguments that are checked.
    ///
    /// # Safety
    ///
    /// Until the work is done, in memory of this context and aligned for their types:
    ///
    /// - the items and the offsets can be read, all of them, and so can the number of segments, where there is one;
    /// - there is a place in `output` for each segment, apart from all of these;
    /// - `report` is a place for a number of 8 bytes that nothing else uses, or 0.
    pub unsafe fn segmented_reduce_checked(
        &mut self,
        row: &'static Row,
        segments: Segments,
        output: Span,
        report: Address,
    ) -> Result<()> {
        let prepared = self.prepare_segments(row, segments, false)?;
        debug_assert!(segments.are_aligned(output, report));
        let resident_blocks = prepared.grid().resident_blocks as u64;
        let windows_per_block = windows_per_block(prepared.windows, resident_blocks);
        let mut arguments = SegmentedReduceWords {
            input: segments.items.address,
            item_count: segments.items.item_count as u64,
            offsets: prepared.offsets,
            offset_bytes: prepared.offset_bytes,
            row_items: prepared.row_items,
            segment_count: segments.count as u64,
            segment_count_at: prepared.segment_count_at,
            control: prepared.scratch.control,
            states: prepared.scratch.states,
            state_words: prepared.scratch.state_words,
            output: output.address,
            report,
            windows_per_block,
        };
        // SAFETY: these are a segmented reduction's arguments, for the segments and the workspace that
        // were prepared. Items, offsets, number, results and report are this function's own conditions.
        unsafe { self.launch_segments(&prepared, windows_per_block, arguments.list()) }
    }

    /// Queues the reduction of `items`, at least one, in their order, to the place for the result of a call on this queue's stream.
    pub fn reduce_in_order_for(
        &mut self,
        row: &'static Row,
        call: &CallStream,
        items: Span,
    ) -> Result<()> {
        self.check(&[Some(Region::read(Argument::Input, items))])?;
        let segments = Segments {
            items,
            starts: Starts::Rows(items.item_count),
            count: 1,
            count_at: None,
        };
        let output = Span {
            address: call.result()?,
            item_count: 1,
            item: row.result,
        };
        // SAFETY: the check above found the items to be memory of the context, and aligned; there are no offsets and no number of segments.
        // The result's place is page-locked memory of the library's, a page long. There is no report.
        unsafe { self.segmented_reduce_checked(row, segments, output, 0) }
    }

    /// Queues the scan of each segment to `output`. If the offsets are refused, 1 is written to `report`, if that is not 0.
    pub fn segmented_scan(
        &mut self,
        row: &'static Row,
        segments: Segments,
        order: ScanOrder,
        output: Span,
        report: Address,
    ) -> Result<()> {
        self.check(&segments.regions(output, segments.items.item_count))?;
        // SAFETY: the check above found all of it to be memory of the context, aligned, long enough and apart; a `DeviceSlice` is as long as
        // it says. The report is the caller of this function's own, or 0.
        unsafe { self.segmented_scan_checked(row, segments, order, output, report) }
    }

    /// The same of arguments that are checked.
    ///
    /// # Safety
    ///
    /// Until the work is done, in memory of this context and aligned for their types:
    ///
    /// - the items and the offsets can be read, all of them, and so can the number of segments, where there is one;
    /// - there is a place in `output` for each item, apart from all of these;
    /// - `report` is a place for a number of 8 bytes that nothing else uses, or 0.
    pub unsafe fn segmented_scan_checked(
        &mut self,
        row: &'static Row,
        segments: Segments,
        order: ScanOrder,
        output: Span,
        report: Address,
    ) -> Result<()> {
        let prepared = self.prepare_segments(row, segments, order.is_reversed)?;
        debug_assert!(segments.are_aligned(output, report));
        // A block waits for others before it goes on to its next window.
        let windows_per_block = 1;
        let mut arguments = SegmentedScanWords {
            input: segments.items.address,
            item_count: segments.items.item_count as u64,
            offsets: prepared.offsets,
            offset_bytes: prepared.offset_bytes,
            row_items: prepared.row_items,
            segment_count: segments.count as u64,
            segment_count_at: prepared.segment_count_at,
            control: prepared.scratch.control,
            states: prepared.scratch.states,
            state_words: prepared.scratch.state_words,
            output: output.address,
            report,
            windows_per_block,
            is_exclusive: u64::from(order.is_exclusive),
        };
        // SAFETY: these are a segmented scan's arguments, for the segments and the workspace that were
        // prepared. Items, offsets, number, results and report are this function's own conditions.
        unsafe { self.launch_segments(&prepared, windows_per_block, arguments.list()) }
    }

    /// Sees to the kernel, which goes backward or not, and the workspace: nothing is missing then for the launch.
    pub fn prepare_segments(
        &mut self,
        row: &'static Row,
        segments: Segments,
        is_backward: bool,
    ) -> Result<Prepared<'a>> {
        let (offsets, offset_bytes, row_items) = match segments.starts {
            Starts::Offsets(span) => (span.address, span.item.bytes, 0),
            Starts::Rows(row_items) => (0, 0, row_items),
        };
        let (item_count, segment_count) = (segments.items.item_count as u64, segments.count as u64);
        let state_words = (row.division.segments_state_words)(item_count, segment_count);
        Ok(Prepared {
            kernel: self.entered.kernel_in(&row.entry, is_backward)?,
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
    ///
    /// - `arguments` are the words of the kernel that was prepared;
    /// - these have the segments and the workspace that were prepared for, and `windows_per_block`;
    /// - items, offsets, results, number and report are what [`Self::segmented_reduce_checked`] or, for its kernel,
    ///   [`Self::segmented_scan_checked`] wants.
    unsafe fn launch_segments(
        &mut self,
        prepared: &Prepared<'a>,
        windows_per_block: u64,
        arguments: &mut [u64],
    ) -> Result<()> {
        let blocks = prepared.windows.div_ceil(windows_per_block);
        let block = prepared.grid().block;
        // SAFETY: the arguments are the kernel's own, by the first condition. Its pointers reach far enough: items, offsets, results, number
        // and report by the third condition (whatever the offsets hold, the kernel compares them with the number of items and reads no others), the workspace
        // since it has the state words that were asked for, by the second.
        unsafe { self.launch(Part::Whole, prepared.kernel, block, blocks, arguments) }
    }
}

/// Reduces `input`, at least one item, in the order of the items, waits for the result, and writes it to these bytes.
pub(crate) fn reduce_in_order_to_host(
    entered: Entered<'_>,
    row: &'static Row,
    input: Span,
    result: &mut [u8],
) -> Result<()> {
    let mut call = entered.ordered_call()?;
    Queue::for_caller(entered, &call).reduce_in_order_for(row, &call, input)?;
    call.wait()?;
    // SAFETY: the reduction is done.
    unsafe { call.read_result_to(result) }
}
