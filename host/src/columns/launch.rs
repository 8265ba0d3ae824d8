//! Reductions and scans of columns.

use warpfold_kernels::columns::block_count;

use crate::axis::{Axis, Layout};
use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::gpu::{Entered, LoadedKernel, WorkspaceSpan};
use crate::kernel::Row;
use crate::launch::{
    ColumnsReduceWords, ColumnsScanWords, Made, Position, Queue, Region, ScanOrder, Span,
};

/// Row-major matrices of one size. The number of matrices may be 0, and so may the number of columns.
#[derive(Clone, Copy)]
pub(crate) struct Matrices {
    /// All items of the matrices, and any gaps between rows.
    pub items: Span,
    pub layout: Layout,
    /// The number of rows of a matrix, or the number of matrices, if it is a count in device memory. The same number in `layout` is then
    /// only an upper bound. If this is `None`, both numbers in `layout` are exact.
    pub count: Option<Count>,
}

/// A count in the device's memory.
#[derive(Clone, Copy)]
pub(crate) enum Count {
    /// Counts the rows of a matrix.
    OfRows(Span),
    OfMatrices(Span),
}

/// The kernel, the workspace and the number of blocks of a reduction or a scan.
struct Prepared<'a> {
    kernel: &'a LoadedKernel,
    scratch: WorkspaceSpan,
    blocks: u64,
}

impl Matrices {
    /// One matrix of `columns` columns, with complete rows.
    pub fn of_columns(items: Span, columns: usize, row_count: Option<Span>) -> Result<Self> {
        Ok(Self {
            items,
            layout: Layout::columns_of(items.item_count, columns)?,
            count: row_count.map(Count::OfRows),
        })
    }

    /// The matrices whose columns are the parts of `axis`. `count` is a number in device memory. If `axis` was made by [`Axis::columns`],
    /// `count` is the number of rows of the only matrix. Otherwise, `count` is the number of matrices.
    pub fn along(items: Span, axis: Axis, count: Option<Span>) -> Result<Self> {
        let of = match axis.is_of_columns() {
            true => Count::OfRows,
            false => Count::OfMatrices,
        };
        Ok(Self {
            items,
            layout: axis.layout(items.item_count)?,
            count: count.map(of),
        })
    }

    /// Whether the parts are rows of a known length, without gaps between them. Each of these rows is a matrix of one column. So the number
    /// of these rows may be in device memory, as a [`Count::OfMatrices`].
    pub fn are_dense_rows(&self) -> bool {
        self.layout.is_of_dense_rows() && !matches!(self.count, Some(Count::OfRows(_)))
    }

    /// The place of the count in device memory.
    pub fn count_at(&self) -> Option<Span> {
        self.count.map(|count| match count {
            Count::OfRows(at) | Count::OfMatrices(at) => at,
        })
    }

    /// The two kernel arguments for the count. The first is the count's address, or 0 if there is no count. The second is 1 if the count is
    /// the number of rows, and otherwise 0.
    fn told_count(&self) -> (Address, u64) {
        let address = self.count_at().map_or(0, |at| at.address);
        let counts_rows = matches!(self.count, Some(Count::OfRows(_)));
        (address, u64::from(counts_rows))
    }

    /// The number of columns of all matrices together.
    fn columns(&self) -> usize {
        self.layout.group_count()
    }
}

impl Matrices {
    /// The index of the first item of the row where a scan begins, and the pitch to the next row. A reversed scan begins at the last row,
    /// and its pitch is negative, as a `u64` that wraps.
    fn first_row(&self, order: ScanOrder) -> (u64, u64) {
        let pitch = self.layout.row_pitch as u64;
        match order.is_reversed {
            true => {
                let last = (self.layout.length as u64).saturating_sub(1);
                (last * pitch, pitch.wrapping_neg())
            }
            false => (0, pitch),
        }
    }
}

impl<'a> Queue<'a> {
    /// Queues a reduction or a scan of each column. Requires at least one column and, for a scan, at least one row.
    pub fn columns(
        &mut self,
        row: &'static Row,
        matrices: Matrices,
        made: Made,
        output: Span,
    ) -> Result<()> {
        match made {
            Made::Reduction => self.columns_reduce(row, matrices, output),
            Made::Scan(order) => self.columns_scan(row, matrices, order, output),
        }
    }

    /// Queues the reduction of each column to a result in `output`.
    pub fn columns_reduce(
        &mut self,
        row: &'static Row,
        matrices: Matrices,
        output: Span,
    ) -> Result<()> {
        self.check_columns(matrices, output, matrices.columns())?;
        let prepared = self.prepare_columns(row, matrices)?;
        let (count_at, counts_rows) = matrices.told_count();
        let mut arguments = ColumnsReduceWords {
            input: matrices.items.address,
            row_count: matrices.layout.length as u64,
            column_count: matrices.columns() as u64,
            matrix_columns: matrices.layout.inner as u64,
            row_pitch: matrices.layout.row_pitch as u64,
            matrix_pitch: matrices.layout.matrix_pitch as u64,
            count_at,
            counts_rows,
            control: prepared.scratch.control,
            states: prepared.scratch.states,
            state_words: prepared.scratch.state_words,
            output: output.address,
        };
        // SAFETY: the words are those of a reduction of columns (condition 1), with these matrices and the prepared workspace (condition
        // 2). `check_columns` ensures that items, count and results are aligned memory of the context. The results overlap neither items
        // nor count, and there is room for a result of each column (condition 3).
        unsafe { self.launch_columns(&prepared, arguments.list()) }
    }

    /// Queues the scan of each column to `output`. Requires at least one row.
    pub fn columns_scan(
        &mut self,
        row: &'static Row,
        matrices: Matrices,
        order: ScanOrder,
        output: Span,
    ) -> Result<()> {
        self.check_columns(matrices, output, matrices.items.item_count)?;
        let prepared = self.prepare_columns(row, matrices)?;
        let (skipped, row_pitch) = matrices.first_row(order);
        let (count_at, counts_rows) = matrices.told_count();
        let mut arguments = ColumnsScanWords {
            input: matrices.items.address + skipped * row.item.bytes as u64,
            row_count: matrices.layout.length as u64,
            column_count: matrices.columns() as u64,
            matrix_columns: matrices.layout.inner as u64,
            row_pitch,
            matrix_pitch: matrices.layout.matrix_pitch as u64,
            count_at,
            counts_rows,
            control: prepared.scratch.control,
            states: prepared.scratch.states,
            state_words: prepared.scratch.state_words,
            output: output.address + skipped * row.result.bytes as u64,
            is_exclusive: u64::from(order.is_exclusive),
        };
        // SAFETY: the words are those of a scan of columns (condition 1), with these matrices and the prepared workspace (condition 2).
        // `check_columns` ensures that items, count and results are aligned memory of the context. The results overlap neither items nor
        // count, and there is room for a result of each item (condition 3). A reversed scan reads the same rows, from the last row backward
        // by a pitch that wraps. If the count in device memory is smaller than the number in `layout`, the kernel skips the last rows or
        // matrices.
        unsafe { self.launch_columns(&prepared, arguments.list()) }
    }

    fn check_columns(&self, matrices: Matrices, output: Span, result_count: usize) -> Result<()> {
        self.check(&[
            Some(Region::read(Argument::Input, matrices.items)),
            matrices.count_at().map(Region::count),
            Some(Region::written(Argument::Output, output, result_count)),
        ])
    }

    /// Gets the kernel, the workspace and the number of blocks.
    fn prepare_columns(&mut self, row: &'static Row, matrices: Matrices) -> Result<Prepared<'a>> {
        let (rows, columns) = (matrices.layout.length as u64, matrices.columns() as u64);
        let state_words = (row.division.columns_state_words)(rows, columns);
        Ok(Prepared {
            kernel: self.entered.kernel(&row.entry)?,
            scratch: self.scratch(Position::Whole, state_words)?,
            blocks: block_count(rows, columns),
        })
    }

    /// Launches the kernel.
    ///
    /// # Safety
    ///
    /// - `arguments` are the words of the kernel in `prepared`;
    /// - they describe the matrices that `prepared` was made for, and its workspace;
    /// - the matrices, the count and the results are memory of this context. Until the work is done, the kernel can read the matrices and
    ///   the count, and can write the results.
    unsafe fn launch_columns(
        &mut self,
        prepared: &Prepared<'a>,
        arguments: &mut [u64],
    ) -> Result<()> {
        let Prepared { kernel, blocks, .. } = prepared;
        // SAFETY: the words are the kernel's (condition 1). Items, count and results are as long as the kernel needs (condition 3), and the
        // workspace has the state words for these matrices (condition 2). `blocks` is `block_count` of these matrices, as the kernel
        // requires.
        unsafe {
            self.launch(
                Position::Whole,
                kernel,
                kernel.long.block,
                *blocks,
                arguments,
            )
        }
    }
}

/// Reduces one column in the order of its items. Their number is in device memory. Waits for the result, and writes its bytes to `result`.
pub(crate) fn reduce_column_to_host(
    entered: Entered<'_>,
    row: &'static Row,
    column: Matrices,
    result: &mut [u8],
) -> Result<()> {
    let mut call = entered.ordered_call()?;
    let output = Span {
        address: call.result()?,
        item_count: 1,
        item: row.result,
    };
    Queue::for_caller(entered, &call).columns_reduce(row, column, output)?;
    call.wait()?;
    // SAFETY: `wait` ended the reduction (condition 1). `result` is as long as a result of the kernel row (condition 2).
    unsafe { call.read_result_to(result) }
}
