//! Segmented reductions and scans.

use warpfold_kernels::segments::rings::{
    are_long, has_whole_chunks, row_windows, span_shift, windows_of_long,
};
use warpfold_kernels::segments::tuning::warps_scan;
use warpfold_kernels::segments::{window_shift, windows_per_block};

use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::gpu::{CallStream, Entered, Form, Way, WindowNumbers, Windowed, WorkspaceSpan};
use crate::kernel::{Block, Row};
use crate::launch::{
    Made, Position, Queue, Region, ScanOrder, SegmentedReduceWords, SegmentedScanWords, Span,
    number_of,
};

/// Where segments start.
#[derive(Clone, Copy)]
pub(crate) enum Starts {
    /// At these offsets. The last offset is the end of the last segment.
    Offsets(Span),
    /// Contiguous rows of this many items each.
    Rows(usize),
}

/// Segments to reduce or to scan.
#[derive(Clone, Copy)]
pub(crate) struct Segments {
    /// The whole input, which no output overlaps. It may be longer than `items`, by the gap after the last row.
    pub input: Span,
    pub items: Span,
    pub starts: Starts,
    /// The number of segments. It is at least 1 in every launch.
    pub count: usize,
    /// The device memory that holds the number of segments, if the host does not know it. Then `count` is an upper bound.
    pub count_at: Option<Span>,
}

impl Segments {
    /// Segments of `values`. They are runs, which start at the indices in `starts`.
    pub fn of_runs(values: Span, starts: Span, count: usize, count_at: Option<Span>) -> Self {
        Self {
            input: values,
            items: values,
            starts: Starts::Offsets(starts),
            count,
            count_at,
        }
    }

    /// Whether a launch's arguments are aligned for their types. A scan of no items may have an output at any address, so without items the
    /// output is not checked.
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

    /// The form of the kernel's text for these segments.
    fn form(&self, made: Made, warps_scan: bool) -> (Form, WindowNumbers) {
        let (form, numbers) = match made {
            Made::Reduction => (
                Way::Plain.form(),
                WindowNumbers {
                    window_shift: number_of!(SegmentedReduceWords.window_shift),
                    windows_per_block: Some(number_of!(SegmentedReduceWords.windows_per_block)),
                },
            ),
            // A block of a scan has only one window: between two windows, it would have to wait for other blocks.
            Made::Scan(order) => (
                Way::of_direction(order.is_reversed)
                    .form()
                    .with_known(number_of!(SegmentedScanWords.windows_per_block), 1)
                    .with_known(
                        number_of!(SegmentedScanWords.is_exclusive),
                        order.is_exclusive.into(),
                    )
                    .with_known(number_of!(SegmentedScanWords.warps_scan), warps_scan.into()),
                WindowNumbers {
                    window_shift: number_of!(SegmentedScanWords.window_shift),
                    windows_per_block: None,
                },
            ),
        };
        // These arguments have the same numbers in a scan.
        let form = match self.starts {
            Starts::Offsets(offsets) => form
                .with_known(
                    number_of!(SegmentedReduceWords.offset_bytes),
                    offsets.item.bytes as u64,
                )
                .with_known(number_of!(SegmentedReduceWords.row_items), 0),
            Starts::Rows(_) => form.with_known(number_of!(SegmentedReduceWords.offset_bytes), 0),
        };
        let count_at = number_of!(SegmentedReduceWords.segment_count_at);
        let form = form.with_known_absence(count_at, self.count_at.is_none());
        (form, numbers)
    }

    /// The regions of the inputs, and the region of the output, which gets `result_count` results.
    fn regions(&self, output: Span, result_count: usize) -> [Option<Region>; 4] {
        let offsets = match self.starts {
            Starts::Offsets(offsets) => Some(Region::read(Argument::Offsets, offsets)),
            Starts::Rows(_) => None,
        };
        [
            Some(Region::read(Argument::Input, self.input)),
            offsets,
            self.count_at.map(Region::count),
            Some(Region::written(Argument::Output, output, result_count)),
        ]
    }
}

// `Segments::form` takes these numbers from the list of a reduction.
const _: () = {
    use number_of as of;
    type R = SegmentedReduceWords;
    type S = SegmentedScanWords;
    assert!(of!(R.offset_bytes) == of!(S.offset_bytes) && of!(R.row_items) == of!(S.row_items));
    assert!(of!(R.segment_count_at) == of!(S.segment_count_at));
};

/// A launch's kernel, its workspace, and those arguments that reductions and scans have in common.
pub(crate) struct Prepared<'a> {
    windowed: Windowed<'a>,
    offsets: Address,
    offset_bytes: u64,
    row_items: u64,
    /// Whether each warp of a scan may take whole chunks.
    warps_scan: bool,
    /// 0 if the number of segments is not in device memory.
    segment_count_at: Address,
    scratch: WorkspaceSpan,
}

impl Prepared<'_> {
    /// For a reduction of the segments: how many windows each block has, and the blocks' shape. A block with a span has one window for the
    /// kernel.
    fn blocks_of_reduction(&self, row: &Row, segments: &Segments) -> (u64, Block) {
        let Windowed {
            kernel,
            grid,
            windows: window_count,
            ..
        } = self.windowed;
        if self.windowed.span_shift > 0 {
            return (1, grid.block);
        }
        let count = segments.count as u64;
        let chunk_items = row.division.chunk_items;
        let row_bytes = row.division.row_bytes;
        let are_long = row_bytes.is_some() && are_long(segments.items.item_count as u64, count);
        let row_bytes = row_bytes.filter(|_| has_whole_chunks(self.row_items, chunk_items));
        let Some(row_bytes) = row_bytes else {
            let resident_blocks = grid.resident_blocks as u64;
            let windows = match are_long {
                true => windows_of_long(window_count, resident_blocks),
                false => windows_per_block(window_count, resident_blocks),
            };
            // The text for short blocks knows this number (see `windowed`).
            debug_assert!(windows == 1 || grid.block == kernel.long.block);
            return (windows, grid.block);
        };
        let row_chunks = (self.row_items / chunk_items).max(1);
        let resident = [kernel.short, kernel.long].map(|grid| grid.resident_blocks as u64);
        let windows = row_windows(count, row_chunks, window_count, resident);
        let takes_rows = row_chunks > 1 && windows >= row_chunks;
        let mut block = grid.block;
        if takes_rows && window_count.div_ceil(windows) <= resident[0] {
            block = kernel.short.block;
            block.shared_bytes = block.shared_bytes.max(row_bytes);
        }
        (windows, block)
    }
}

impl<'a> Queue<'a> {
    /// Queues the work on the segments. If the kernel refuses the offsets, it writes 1 at the address `report`, unless that is 0.
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

    /// The same as [`Self::segments`], with arguments that have been checked.
    ///
    /// # Safety
    ///
    /// - For a reduction, the conditions of [`Self::segmented_reduce_checked`] hold;
    /// - for a scan, the conditions of [`Self::segmented_scan_checked`] hold.
    pub unsafe fn segments_checked(
        &mut self,
        row: &'static Row,
        segments: Segments,
        made: Made,
        output: Span,
        report: Address,
    ) -> Result<()> {
        // SAFETY: the called function's conditions are this function's: condition 1 for a reduction, condition 2 for a scan.
        unsafe {
            match made {
                Made::Reduction => self.segmented_reduce_checked(row, segments, output, report),
                Made::Scan(order) => {
                    self.segmented_scan_checked(row, segments, order, output, report)
                }
            }
        }
    }

    /// Queues the reduction of each segment to a result in `output`. If the kernel refuses the offsets, it writes 1 at the address
    /// `report`, unless that is 0.
    pub fn segmented_reduce(
        &mut self,
        row: &'static Row,
        segments: Segments,
        output: Span,
        report: Address,
    ) -> Result<()> {
        self.check(&segments.regions(output, segments.count))?;
        // SAFETY: each span has memory for `item_count` items. `check` found that inputs and output are memory of the context, aligned,
        // long enough and without overlap (conditions 1 and 2). `report` is 0, or memory that only this function's caller uses (condition
        // 3).
        unsafe { self.segmented_reduce_checked(row, segments, output, report) }
    }

    /// The same as [`Self::segmented_reduce`], with arguments that have been checked.
    ///
    /// # Safety
    ///
    /// All memory named here belongs to this context, and is aligned for the type of its values. Until the work is done:
    ///
    /// - all items and all offsets can be read, and so can the number of segments if it is in device memory;
    /// - `output` has room for a result for each segment, and does not overlap the items, the offsets or the number of segments;
    /// - `report` is 0, or the address of 8 bytes that nothing else uses.
    pub unsafe fn segmented_reduce_checked(
        &mut self,
        row: &'static Row,
        segments: Segments,
        output: Span,
        report: Address,
    ) -> Result<()> {
        let prepared = self.prepare_segments(row, segments, Made::Reduction)?;
        debug_assert!(segments.are_aligned(output, report));
        let (windows_per_block, block) = prepared.blocks_of_reduction(row, &segments);
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
            window_shift: prepared.windowed.shift(),
        };
        // SAFETY: `arguments` are the words of a segmented reduction (condition 1). They describe the prepared segments and workspace, and
        // contain `windows_per_block` (condition 2). `blocks_of_reduction` chose the block's shape for `windows_per_block` windows
        // (condition 3). Condition 4 asks for this function's own conditions.
        unsafe { self.launch_segments(&prepared, windows_per_block, block, arguments.list()) }
    }

    /// Queues the reduction of `items`, in the order of the items. There is at least one item. The result goes to the result memory of
    /// `call`, whose stream is this queue's.
    pub fn reduce_in_order_for(
        &mut self,
        row: &'static Row,
        call: &CallStream,
        items: Span,
    ) -> Result<()> {
        self.check(&[Some(Region::read(Argument::Input, items))])?;
        let segments = Segments {
            input: items,
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
        // SAFETY: `check` found the items to be aligned memory of the context, and there are no offsets and no number of segments in device
        // memory (condition 1). The output is page-locked memory that belongs to the library, with room for any result (condition 2). There
        // is no report (condition 3).
        unsafe { self.segmented_reduce_checked(row, segments, output, 0) }
    }

    /// Queues the scan of each segment to `output`. If the kernel refuses the offsets, it writes 1 at the address `report`, unless that
    /// is 0.
    pub fn segmented_scan(
        &mut self,
        row: &'static Row,
        segments: Segments,
        order: ScanOrder,
        output: Span,
        report: Address,
    ) -> Result<()> {
        self.check(&segments.regions(output, segments.items.item_count))?;
        // SAFETY: each span has memory for `item_count` items. `check` found that inputs and output are memory of the context, aligned,
        // long enough and without overlap (conditions 1 and 2). `report` is 0, or memory that only this function's caller uses (condition
        // 3).
        unsafe { self.segmented_scan_checked(row, segments, order, output, report) }
    }

    /// The same as [`Self::segmented_scan`], with arguments that have been checked.
    ///
    /// # Safety
    ///
    /// All memory named here belongs to this context, and is aligned for the type of its values. Until the work is done:
    ///
    /// - all items and all offsets can be read, and so can the number of segments if it is in device memory;
    /// - `output` has room for a result for each item, and does not overlap the items, the offsets or the number of segments;
    /// - `report` is 0, or the address of 8 bytes that nothing else uses.
    pub unsafe fn segmented_scan_checked(
        &mut self,
        row: &'static Row,
        segments: Segments,
        order: ScanOrder,
        output: Span,
        report: Address,
    ) -> Result<()> {
        let prepared = self.prepare_segments(row, segments, Made::Scan(order))?;
        debug_assert!(segments.are_aligned(output, report));
        // A block of a scan has only one window (see `form`).
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
            window_shift: prepared.windowed.shift(),
            is_exclusive: u64::from(order.is_exclusive),
            warps_scan: prepared.warps_scan.into(),
        };
        let block = prepared.windowed.grid.block;
        // SAFETY: `arguments` are the words of a segmented scan (condition 1). They describe the prepared segments and workspace, and
        // contain `windows_per_block` (condition 2). The grid's `block` is the shape of blocks with one window (condition 3). Condition 4
        // asks for this function's own conditions.
        unsafe { self.launch_segments(&prepared, windows_per_block, block, arguments.list()) }
    }

    /// Gets the kernel and the workspace, so that nothing has to be loaded or allocated at the launch.
    pub fn prepare_segments(
        &mut self,
        row: &'static Row,
        segments: Segments,
        made: Made,
    ) -> Result<Prepared<'a>> {
        let (offsets, offset_bytes, row_items) = match segments.starts {
            Starts::Offsets(span) => (span.address, span.item.bytes, 0),
            Starts::Rows(row_items) => (0, 0, row_items),
        };
        let diagonals = segments.items.item_count as u64 + segments.count as u64;
        let chunk_items = row.division.chunk_items;
        let most_blocks = self.entered.most_blocks();
        let warps_scan = warps_scan(
            segments.items.item_count as u64,
            segments.count as u64,
            window_shift(chunk_items, diagonals, most_blocks),
            diagonals.div_ceil(chunk_items) <= most_blocks,
        );
        let (form, numbers) = segments.form(made, warps_scan);
        let windowed = match segments.starts {
            Starts::Offsets(_) => {
                let span_shift = match (made, row.division.row_bytes) {
                    (Made::Reduction, Some(_)) => {
                        let items = segments.items.item_count as u64;
                        span_shift(items, segments.count as u64, self.entered.most_blocks())
                    }
                    _ => 0,
                };
                let entered = self.entered;
                entered.windowed(row, form, numbers, diagonals, span_shift)
            }
            Starts::Rows(_) => self.entered.windowed_rows(row, form, diagonals),
        }?;
        let state_words = windowed.windows * row.division.accumulator_words;
        Ok(Prepared {
            windowed,
            offsets,
            offset_bytes: offset_bytes as u64,
            row_items: row_items as u64,
            warps_scan,
            segment_count_at: segments.count_at.map_or(0, |count| count.address),
            scratch: self.scratch(Position::Whole, state_words)?,
        })
    }

    /// Launches the kernel.
    ///
    /// # Safety
    ///
    /// - `arguments` are the words of the kernel in `prepared`;
    /// - they describe the segments that `prepared` was made for and its workspace, and contain `windows_per_block`;
    /// - `block` is the shape of blocks with `windows_per_block` windows;
    /// - the items, the offsets, the output, the number of segments and the report satisfy the conditions of
    ///   [`Self::segmented_reduce_checked`] or, for a scan, of [`Self::segmented_scan_checked`].
    unsafe fn launch_segments(
        &mut self,
        prepared: &Prepared<'a>,
        windows_per_block: u64,
        block: Block,
        arguments: &mut [u64],
    ) -> Result<()> {
        let spans = prepared
            .windowed
            .windows
            .div_ceil(1 << prepared.windowed.span_shift);
        let blocks = spans.div_ceil(windows_per_block);
        // SAFETY: the words are the kernel's (condition 1). The items, the offsets, the output, the number of segments and the report are
        // as long as the kernel requires (condition 4): the kernel compares each offset with the number of items, and reads no items past
        // that number. The workspace has the state words for these segments (condition 2). There are as many blocks as the windows or
        // spans need, of the right shape (condition 3). `span_shift` gives spans only to launches that have them in the kernel's conditions:
        // the row's `row_bytes` say that the operator has rings. If windows have fewer diagonals than a chunk has items, there are fewer windows than the device
        // holds short blocks at a time (see `window_shift`). In that case, the launch's blocks are short: each block has one window and as
        // much shared memory as a block of a scan. The kernel requires this much for such windows. The arguments that the text knows have
        // the values that `form` and `windowed` took from the same segments.
        unsafe {
            self.launch(
                Position::Whole,
                prepared.windowed.kernel,
                block,
                blocks,
                arguments,
            )
        }
    }
}

/// Reduces `input`, which has at least one item, in the order of its items. Waits, and writes the result's bytes to `result`.
pub(crate) fn reduce_in_order_to_host(
    entered: Entered<'_>,
    row: &'static Row,
    input: Span,
    result: &mut [u8],
) -> Result<()> {
    let mut call = entered.ordered_call()?;
    Queue::for_caller(entered, &call).reduce_in_order_for(row, &call, input)?;
    call.wait()?;
    // SAFETY: `wait` ended the reduction (condition 1). `result` is as long as the result of a kernel row (condition 2).
    unsafe { call.read_result_to(result) }
}
