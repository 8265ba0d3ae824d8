//! Reductions and scans of segments, of columns and by key.

use virtual_gpu::{Counters, LaunchError, RunOptions};
use warpfold::{Element, Op};
use warpfold_kernels::columns;
use warpfold_kernels::segments::{self, Task};

use super::{Engine, shape};

/// Where segments start.
#[derive(Clone, Copy)]
enum Starts<'a> {
    Offsets(&'a [u32]),
    /// Rows of this many items.
    Rows(usize),
}

/// Three lists: the results of the runs, their first keys, and their starts. The number of items follows the last start.
pub type ReducedRuns<R, K> = (Vec<R>, Vec<K>, Vec<u32>);

impl Engine {
    /// Launches the engine's kernel, which must be a segmented reduction. The `item_count` given to [`Engine::new`] must be at least the
    /// number of items, and at least the number of segments. Returns the results, whether the kernel refused the offsets, and the counters.
    pub fn segmented_reduce<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        offsets: &[u32],
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, bool, Counters), LaunchError> {
        let starts = Starts::Offsets(offsets);
        self.on_segments::<O, T>(Task::Reduce, items, starts, offsets.len() - 1, &[], options)
    }

    /// Launches the engine's kernel, which must be a segmented reduction, on rows of `row_items` items.
    pub fn reduce_rows<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        row_items: usize,
        options: &RunOptions,
    ) -> Result<Vec<O::Output>, LaunchError> {
        let starts = Starts::Rows(row_items);
        let count = items.len() / row_items;
        let (results, _, _) =
            self.on_segments::<O, T>(Task::Reduce, items, starts, count, &[], options)?;
        Ok(results)
    }

    /// Launches the engine's kernel, which must be a segmented scan. The `item_count` given to [`Engine::new`] must be at least the number
    /// of items, and at least the number of segments. Returns the results, whether the kernel refused the offsets, and the counters.
    pub fn segmented_scan<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        offsets: &[u32],
        is_exclusive: bool,
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, bool, Counters), LaunchError> {
        // Each warp may scan whole chunks.
        let more = [u64::from(is_exclusive), 1];
        let starts = Starts::Offsets(offsets);
        self.on_segments::<O, T>(Task::Scan, items, starts, items.len(), &more, options)
    }

    /// Launches the engine's kernel, which must be a segmented reduction or scan. The kernel writes `result_count` results, and `more` are
    /// its last parameters.
    fn on_segments<O: Op<T>, T: Element>(
        &self,
        task: Task,
        items: &[T],
        starts: Starts,
        result_count: usize,
        more: &[u64],
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, bool, Counters), LaunchError> {
        let (segment_count, [offsets, offset_bytes, row_items]) = match starts {
            Starts::Offsets(offsets) => (offsets.len() - 1, [self.upload(offsets), 4, 0]),
            Starts::Rows(row) => (items.len() / row, [0, 0, row as u64]),
        };
        let output = self.upload(&vec![
            <O::Output as bytemuck::Zeroable>::zeroed();
            result_count
        ]);
        let report = self.upload(&[0_u64]);
        let diagonals = (items.len() + segment_count) as u64;
        // The size of windows and the number of threads are chosen here in nearly the same way as in the library.
        let resident_blocks = 4 * u64::from(self.device.multiprocessors);
        let chunk_items = segments::chunk_items::<T, O::Accumulator>();
        let takes_spans = self.span_shift > 0
            && task == Task::Reduce
            && offset_bytes != 0
            && segments::rings::has_rings::<O, T>();
        let (window_shift, span_shift) = match takes_spans {
            true => (chunk_items.trailing_zeros(), self.span_shift),
            false => {
                let shift = segments::window_shift(chunk_items, diagonals, resident_blocks);
                (shift, 0)
            }
        };
        let mut parameters = vec![
            self.upload(items),
            items.len() as u64,
            offsets,
            offset_bytes,
            row_items,
            segment_count as u64,
            0,
            self.workspace,
            self.states(),
            self.state_words,
            output,
            report,
            self.windows_per_block,
            u64::from(window_shift + span_shift),
        ];
        parameters.extend(more);
        let windows = segments::window_count(diagonals, window_shift);
        let blocks = windows.div_ceil(self.windows_per_block << span_shift);
        let (threads, size) = match windows <= resident_blocks && !takes_spans {
            true => (
                segments::tuning::SHORT_BLOCK_THREADS,
                segments::RoomSize::Double,
            ),
            false => (segments::tuning::LONG_BLOCK_THREADS, task.room_size()),
        };
        let mut shared_bytes = segments::shared_bytes::<T, O::Accumulator>(size);
        if threads == segments::tuning::SHORT_BLOCK_THREADS && offset_bytes == 0 {
            shared_bytes = shared_bytes.max(segments::rings::row_bytes::<T, O::Accumulator>());
        }
        let shape = shape(blocks, threads, shared_bytes);
        let counters = self.launch(&shape, &parameters, options)?;
        let is_refused = self.download::<u64>(report, 1)[0] != 0;
        let results = match is_refused {
            true => Vec::new(),
            false => self.download(output, result_count),
        };
        Ok((results, is_refused, counters))
    }

    /// Launches the engine's kernel, which must be a reduction by key that compares the keys itself. Windows have 2^`window_shift` items.
    pub fn reduce_by_key<O: Op<T>, T: Element, K: Element>(
        &self,
        keys: &[K],
        items: &[T],
        window_shift: u32,
        options: &RunOptions,
    ) -> Result<ReducedRuns<O::Output, K>, LaunchError> {
        let starts = self.upload(&vec![0_u32; keys.len() + 1]);
        let count = self.upload(&[0_u64]);
        let firsts = self.upload(&vec![K::zeroed(); keys.len()]);
        let output = self.upload(&vec![
            <O::Output as bytemuck::Zeroable>::zeroed();
            keys.len()
        ]);
        let mut parameters = self.keyed_parameters(keys, items);
        parameters.extend([output, firsts, starts, 4, count, u64::from(window_shift)]);
        let item_count = items.len() as u64;
        self.launch_keyed::<O, T>(&parameters, item_count, window_shift, options)?;
        let runs = self.download::<u64>(count, 1)[0] as usize;
        Ok((
            self.download(output, runs),
            self.download(firsts, runs),
            self.download(starts, runs + 1),
        ))
    }

    /// Launches the engine's kernel, which must be a scan by key that compares the keys itself. The scan is inclusive, and windows have
    /// 2^`window_shift` items.
    pub fn scan_by_key<O: Op<T>, T: Element, K: Element>(
        &self,
        keys: &[K],
        items: &[T],
        window_shift: u32,
        options: &RunOptions,
    ) -> Result<Vec<O::Output>, LaunchError> {
        let zeros = vec![<O::Output as bytemuck::Zeroable>::zeroed(); items.len()];
        let output = self.upload(&zeros);
        let mut parameters = self.keyed_parameters(keys, items);
        parameters.extend([output, u64::from(window_shift), 0]);
        let item_count = items.len() as u64;
        self.launch_keyed::<O, T>(&parameters, item_count, window_shift, options)?;
        Ok(self.download(output, items.len()))
    }

    /// The first parameters of reductions by key and of scans by key: the items, the keys and the workspace. Two optional parameters are 0:
    /// the address of a count of items, and the address of marked heads.
    fn keyed_parameters<T: Element, K: Element>(&self, keys: &[K], items: &[T]) -> Vec<u64> {
        vec![
            self.upload(items),
            items.len() as u64,
            0,
            0,
            self.upload(keys),
            size_of::<K>() as u64,
            self.workspace,
            self.states(),
            self.state_words,
        ]
    }

    /// Launches the engine's kernel with one block for each window of 2^`window_shift` items.
    fn launch_keyed<O: Op<T>, T: Element>(
        &self,
        parameters: &[u64],
        item_count: u64,
        window_shift: u32,
        options: &RunOptions,
    ) -> Result<(), LaunchError> {
        let windows = segments::window_count(item_count, window_shift);
        let shared_bytes = segments::shared_bytes::<T, O::Accumulator>(segments::RoomSize::Keyed);
        let shape = shape(windows, segments::tuning::SHORT_BLOCK_THREADS, shared_bytes);
        self.launch(&shape, parameters, options).map(drop)
    }

    /// Launches the engine's kernel, which must be a reduction of columns. The workspace must have been made for at least as many items as
    /// the matrix has.
    pub fn columns_reduce<O: Op<T>, T: Element>(
        &self,
        matrix: &[T],
        column_count: usize,
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, Counters), LaunchError> {
        self.on_columns::<O, T>(matrix, column_count, column_count, &[], options)
    }

    /// Launches the engine's kernel, which must be a scan of columns. The workspace must have been made for at least as many items as the
    /// matrix has.
    pub fn columns_scan<O: Op<T>, T: Element>(
        &self,
        matrix: &[T],
        column_count: usize,
        is_exclusive: bool,
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, Counters), LaunchError> {
        let more = [u64::from(is_exclusive)];
        self.on_columns::<O, T>(matrix, column_count, matrix.len(), &more, options)
    }

    /// Launches the engine's kernel, which must be a reduction or scan of columns. The kernel writes `result_count` results, and `more` are
    /// its last parameters.
    fn on_columns<O: Op<T>, T: Element>(
        &self,
        matrix: &[T],
        column_count: usize,
        result_count: usize,
        more: &[u64],
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, Counters), LaunchError> {
        let output_bytes = result_count * size_of::<O::Output>();
        let output = self.memory.alloc(output_bytes as u64).unwrap();
        let (rows, columns) = (matrix.len() / column_count, column_count as u64);
        let mut parameters = vec![
            self.upload(matrix),
            rows as u64,
            columns,
            columns,
            columns,
            rows as u64 * columns,
            // `count_at` is null: no count of rows or of matrices is in device memory. `counts_rows` is 0.
            0,
            0,
            self.workspace,
            self.states(),
            self.state_words,
            output,
        ];
        parameters.extend(more);
        let blocks = columns::block_count(rows as u64, columns);
        let shared_bytes = columns::shared_bytes::<O::Accumulator>();
        let shape = shape(blocks, columns::BLOCK_THREADS, shared_bytes);
        let counters = self.launch(&shape, &parameters, options)?;
        Ok((self.download(output, result_count), counters))
    }
}
