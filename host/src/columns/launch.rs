//! Reductions and scans of columns.

use std::ffi::c_void;
use std::sync::Arc;

use warpfold_kernels::columns::block_count;
use warpfold_kernels::columns::{ColumnsReduceArguments, ColumnsScanArguments};
use warpfold_kernels::workspace::Control;

use crate::axis::Layout;
use crate::error::{Argument, Result};
use crate::gpu::{LoadedKernel, WorkspaceSpan};
use crate::kernel::Row;
use crate::launch::{Made, Part, Queue, Region, ScanOrder, Span, Untyped};

/// Row-major matrices, at least one, of at least one column each.
#[derive(Clone, Copy)]
pub(crate) struct Matrices {
    /// All of their items, and what may lie between rows.
    pub items: Span,
    pub layout: Layout,
}

/// What a launch knows of its matrix, whatever is made of the columns.
struct Prepared {
    kernel: Arc<LoadedKernel>,
    scratch: WorkspaceSpan,
    blocks: u64,
}

impl Matrices {
    /// The matrix of these items, whole rows of this many columns.
    pub fn of_columns(items: Span, columns: usize) -> Result<Self> {
        let layout = Layout::columns_of(items.item_count, columns)?;
        Ok(Self { items, layout })
    }

    /// Columns of all matrices together.
    fn columns(&self) -> usize {
        self.layout.group_count()
    }
}

impl Matrices {
    /// How many items lie before the row that a scan begins with, and the pitch from there on, which wraps: of a reversed scan, it goes
    /// back from the last row.
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

impl Queue<'_> {
    /// Queues a reduction or a scan of each column. For a scan there is at least one row.
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
        let mut arguments = ColumnsReduceArguments::<Untyped, Untyped> {
            input: matrices.items.address as *const Untyped,
            row_count: matrices.layout.length as u64,
            column_count: matrices.columns() as u64,
            matrix_columns: matrices.layout.inner as u64,
            row_pitch: matrices.layout.row_pitch as u64,
            matrix_pitch: matrices.layout.matrix_pitch as u64,
            control: prepared.scratch.control as *mut Control,
            states: prepared.scratch.states as *mut u64,
            state_words: prepared.scratch.state_words,
            output: output.address as *mut Untyped,
        };
        // SAFETY: these are the arguments of a reduction of columns, laid out as with the kernel's types. The check above found items
        // and results to be memory of the context, aligned, apart, with a result for each column; the workspace is the prepared one.
        unsafe { self.launch_columns(&prepared, &mut arguments.pointers()) }
    }

    /// Queues the scan of each column, at least one row, to `output`.
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
        let mut arguments = ColumnsScanArguments::<Untyped, Untyped> {
            input: (matrices.items.address + skipped * row.item.bytes as u64) as *const Untyped,
            row_count: matrices.layout.length as u64,
            column_count: matrices.columns() as u64,
            matrix_columns: matrices.layout.inner as u64,
            row_pitch,
            matrix_pitch: matrices.layout.matrix_pitch as u64,
            control: prepared.scratch.control as *mut Control,
            states: prepared.scratch.states as *mut u64,
            state_words: prepared.scratch.state_words,
            output: (output.address + skipped * row.result.bytes as u64) as *mut Untyped,
            is_exclusive: u64::from(order.is_exclusive),
        };
        // SAFETY: these are the arguments of a scan of columns, laid out as with the kernel's types. The check above found items and
        // results to be memory of the context, aligned, apart, with a result for each item; the workspace is the prepared one.
        // From the last row on, with a pitch that wraps to below zero, the rows are the same.
        unsafe { self.launch_columns(&prepared, &mut arguments.pointers()) }
    }

    fn check_columns(&self, matrices: Matrices, output: Span, result_count: usize) -> Result<()> {
        self.check(&[
            Some(Region::read(Argument::Input, matrices.items)),
            Some(Region::written(Argument::Output, output, result_count)),
        ])
    }

    /// Sees to the kernel and the workspace.
    fn prepare_columns(&mut self, row: &'static Row, matrices: Matrices) -> Result<Prepared> {
        let (rows, columns) = (matrices.layout.length as u64, matrices.columns() as u64);
        let state_words = (row.division.columns_state_words)(rows, columns);
        Ok(Prepared {
            kernel: self.entered.kernel(&row.entry)?,
            scratch: self.scratch(Part::Whole, state_words)?,
            blocks: block_count(rows, columns),
        })
    }

    /// Launches the kernel.
    ///
    /// # Safety
    ///
    /// - `pointers` point to the arguments of the kernel that was prepared, in their order and with their sizes;
    /// - these have the matrix and the workspace that were prepared for;
    /// - the matrix can be read and the results written, in memory of this context, until the work is done.
    unsafe fn launch_columns(
        &mut self,
        prepared: &Prepared,
        pointers: &mut [*mut c_void],
    ) -> Result<()> {
        let Prepared { kernel, blocks, .. } = prepared;
        // SAFETY: the arguments are the kernel's by the first condition. Its pointers reach far enough: items and results by the third; the
        // workspace has the state words that this matrix needs, by the second.
        unsafe { self.launch(Part::Whole, kernel, kernel.long.block, *blocks, pointers) }
    }
}
