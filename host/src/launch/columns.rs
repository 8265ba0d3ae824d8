//! Reductions and scans of columns.

use std::ffi::c_void;
use std::sync::Arc;

use warpfold_kernels::arguments::{ColumnsReduceArguments, ColumnsScanArguments};
use warpfold_kernels::columns::block_count;
use warpfold_kernels::workspace::Control;

use super::pieces::Part;
use super::{Queue, Region, Span, Untyped};
use crate::call::Made;
use crate::error::{Argument, Result};
use crate::gpu::{LoadedKernel, Place};
use crate::kernel::Row;
use crate::segments::row_count;

/// A row-major matrix.
#[derive(Clone, Copy)]
pub(crate) struct Matrix {
    /// All of its items.
    pub items: Span,
    pub rows: usize,
    /// At least one.
    pub columns: usize,
}

/// What a launch knows of its matrix, whatever is made of the columns.
struct Prepared {
    kernel: Arc<LoadedKernel>,
    scratch: Place,
    blocks: u64,
}

impl Matrix {
    /// The matrix of these items, whole rows of this many columns.
    pub fn new(items: Span, columns: usize) -> Result<Self> {
        Ok(Self {
            items,
            rows: row_count(items.item_count, columns)?,
            columns,
        })
    }
}

impl Queue<'_> {
    /// Queues what is made of each column; of a scan, at least one row.
    pub fn columns(
        &mut self,
        row: &'static Row,
        matrix: Matrix,
        made: Made,
        output: Span,
    ) -> Result<()> {
        match made {
            Made::Reduction => self.columns_reduce(row, matrix, output),
            Made::InclusiveScan => self.columns_scan(row, matrix, false, output),
            Made::ExclusiveScan => self.columns_scan(row, matrix, true, output),
        }
    }

    /// Queues the reduction of each column to a result in `output`.
    pub fn columns_reduce(
        &mut self,
        row: &'static Row,
        matrix: Matrix,
        output: Span,
    ) -> Result<()> {
        self.check_columns(matrix, output, matrix.columns)?;
        let prepared = self.prepare_columns(row, matrix)?;
        let mut arguments = ColumnsReduceArguments::<Untyped, Untyped> {
            input: matrix.items.address as *const Untyped,
            row_count: matrix.rows as u64,
            column_count: matrix.columns as u64,
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
        matrix: Matrix,
        is_exclusive: bool,
        output: Span,
    ) -> Result<()> {
        self.check_columns(matrix, output, matrix.items.item_count)?;
        let prepared = self.prepare_columns(row, matrix)?;
        let mut arguments = ColumnsScanArguments::<Untyped, Untyped> {
            input: matrix.items.address as *const Untyped,
            row_count: matrix.rows as u64,
            column_count: matrix.columns as u64,
            control: prepared.scratch.control as *mut Control,
            states: prepared.scratch.states as *mut u64,
            state_words: prepared.scratch.state_words,
            output: output.address as *mut Untyped,
            is_exclusive: u64::from(is_exclusive),
        };
        // SAFETY: these are the arguments of a scan of columns, laid out as with the kernel's types. The check above found items and
        // results to be memory of the context, aligned, apart, with a result for each item; the workspace is the prepared one.
        unsafe { self.launch_columns(&prepared, &mut arguments.pointers()) }
    }

    fn check_columns(&self, matrix: Matrix, output: Span, result_count: usize) -> Result<()> {
        self.check(&[
            Some(Region::read(Argument::Input, matrix.items)),
            Some(Region::written(Argument::Output, output, result_count)),
        ])
    }

    /// Sees to the kernel and the workspace.
    fn prepare_columns(&mut self, row: &'static Row, matrix: Matrix) -> Result<Prepared> {
        let (rows, columns) = (matrix.rows as u64, matrix.columns as u64);
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
