//! The kernels of launches over windows, and how these launches are divided.

use warpfold_kernels::segments::tuning::SHORT_BLOCK_THREADS;
use warpfold_kernels::segments::{window_count, window_shift};

use super::core::Entered;
use super::form::{Form, Shape};
use super::kernels::{Grid, LoadedKernel};
use crate::error::Result;
use crate::kernel::Row;

/// The largest number of blocks of [`SHORT_BLOCK_THREADS`] threads that a multiprocessor holds at a time. On every device, a multiprocessor
/// holds at most 2,048 threads.
const MOST_BLOCKS: u64 = 2048 / SHORT_BLOCK_THREADS as u64;

/// A kernel for a launch over windows, and the launch's windows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Windowed<'gpu> {
    pub kernel: &'gpu LoadedKernel,
    /// The kernel's short grid if the device can work on all windows at once, otherwise its long grid.
    pub grid: Grid,
    /// The binary logarithm of the number of diagonals of a window.
    pub window_shift: u32,
    /// The binary logarithm of the number of windows of a [span](warpfold_kernels::segments::rings::span_shift). 0 if there are no spans.
    pub span_shift: u32,
    /// The number of windows.
    pub windows: u64,
}

impl<'gpu> Windowed<'gpu> {
    /// Divides a launch over `diagonals` diagonals.
    fn new(kernel: &'gpu LoadedKernel, row: &Row, diagonals: u64) -> Self {
        let resident_blocks = kernel.short.resident_blocks as u64;
        let window_shift = window_shift(row.division.chunk_items, diagonals, resident_blocks);
        let windows = window_count(diagonals, window_shift);
        let grid = match windows <= resident_blocks {
            true => kernel.short,
            false => kernel.long,
        };
        Self {
            kernel,
            grid,
            window_shift,
            span_shift: 0,
            windows,
        }
    }

    /// The kernel's argument `window_shift`.
    pub fn shift(&self) -> u64 {
        (self.window_shift + self.span_shift).into()
    }
}

/// The numbers of those arguments in the kernel's list that depend on how a launch is divided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowNumbers {
    pub window_shift: usize,
    /// `None` if there is no such argument, or if its value is already known.
    pub windows_per_block: Option<usize>,
}

impl<'gpu> Entered<'gpu> {
    /// The device holds at most this many blocks of [`SHORT_BLOCK_THREADS`] threads at a time.
    pub fn most_blocks(self) -> u64 {
        MOST_BLOCKS * u64::from(self.multiprocessors())
    }

    /// The kernel for a launch over rows, in this form. The rows have `diagonals` diagonals.
    pub fn windowed_rows(
        self,
        row: &'static Row,
        form: Form,
        diagonals: u64,
    ) -> Result<Windowed<'gpu>> {
        let kernel = self.kernel_in(&row.entry, form)?;
        Ok(Windowed::new(kernel, row, diagonals))
    }

    /// The kernel for a launch over segments or runs, in this form. They have `diagonals` diagonals. The text is made for launches with
    /// short blocks only, which have one window each, or with long blocks only, whose windows have the full size. If `span_shift` is not
    /// 0, the blocks take spans of 2^`span_shift` windows, or are short.
    pub fn windowed(
        self,
        row: &'static Row,
        form: Form,
        numbers: WindowNumbers,
        diagonals: u64,
        span_shift: u32,
    ) -> Result<Windowed<'gpu>> {
        // If there are more windows of full size than resident short blocks, the launch has long blocks.
        let with_one_window = |form: Form| match numbers.windows_per_block {
            Some(number) => form.with_known(number, 1),
            None => form,
        };
        if diagonals.div_ceil(row.division.chunk_items) <= self.most_blocks() {
            let form = with_one_window(form.with_shape(Shape::Short));
            let short = Windowed::new(self.kernel_in(&row.entry, form)?, row, diagonals);
            if short.windows <= short.kernel.short.resident_blocks as u64 {
                return Ok(short);
            }
        }
        let window_shift = row.division.chunk_items.trailing_zeros();
        let form = match span_shift {
            0 => form.with_shape(Shape::Long),
            _ => with_one_window(form.with_shape(Shape::Spans)),
        };
        let form = form.with_known(numbers.window_shift, (window_shift + span_shift).into());
        let kernel = self.kernel_in(&row.entry, form)?;
        Ok(Windowed {
            kernel,
            grid: kernel.long,
            window_shift,
            span_shift,
            windows: window_count(diagonals, window_shift),
        })
    }
}
