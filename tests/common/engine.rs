//! The library's kernels on the virtual GPU's engine, without a driver and without the library's host code: a test that holds the kernel's
//! text can change it, run it on any device and in any order, and count.
//!
//! The kernels' modules state what a launch must provide. It is repeated here, as in the host library's `launch.rs`. Nothing here runs on a
//! real GPU.

#![allow(dead_code, reason = "each test file uses its part")]

use bytemuck::{cast_slice, cast_slice_mut};
use virtual_gpu::{
    Counters, Dependence, DeviceConfig, Kernel, LaunchError, Memory, Module, RunOptions, Shape,
};
use warpfold::{Element, Op};
use warpfold_kernels::columns;
use warpfold_kernels::contract::{BLOCK_THREADS, reduce_chunk_count};
use warpfold_kernels::launch::{
    Copies, Start, reduce_shared_bytes, scan_block_threads, scan_buffers, scan_shared_bytes,
};
use warpfold_kernels::scan::tuning;
use warpfold_kernels::segments;
use warpfold_kernels::selection::{self, BeforeRun};
use warpfold_kernels::workspace::{
    STATES_OFFSET, reduce_state_words, scan_state_words, workspace_bytes,
};

/// A text that the library carries, and the devices that it is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generation {
    pub name: &'static str,
    capability: (u32, u32),
}

/// Copies from global to shared memory go through registers.
pub const SM_70: Generation = Generation {
    name: "sm_70",
    capability: (7, 0),
};

/// Copies are asynchronous.
pub const SM_80: Generation = Generation {
    name: "sm_80",
    capability: (8, 0),
};

/// Launches may begin early.
pub const SM_90: Generation = Generation {
    name: "sm_90",
    capability: (9, 0),
};

/// All of them.
pub const GENERATIONS: [Generation; 3] = [SM_70, SM_80, SM_90];

impl Generation {
    /// The text of a kernel.
    pub fn kernel(self, symbol: &str) -> String {
        let text = warpfold::shipped_text(symbol, self.capability);
        text.unwrap_or_else(|| panic!("no kernel is called {symbol}"))
    }

    fn copies(self) -> Copies {
        Copies::of_capability(self.capability.0)
    }
}

/// A device with a workspace for launches of one kernel.
pub struct Engine {
    generation: Generation,
    device: DeviceConfig,
    memory: Memory,
    kernel: Kernel,
    workspace: u64,
    state_words: u64,
    scan_buffers: Option<u32>,
    windows_per_block: u64,
}

/// The output of a selection: a place for each item, of which the first are written.
pub struct SelectionOutput<T> {
    pub count: u64,
    pub items: Vec<T>,
    pub others: Vec<T>,
    pub lengths: Vec<u32>,
    pub counters: Counters,
}

impl Engine {
    /// A device with `multiprocessors` multiprocessors, the one kernel of `text` loaded, and a zeroed workspace for
    /// `item_count` items of the operator `O`.
    pub fn new<O: Op<T>, T: Element>(
        generation: Generation,
        multiprocessors: u32,
        text: &str,
        item_count: usize,
    ) -> Self {
        let item_count = item_count as u64;
        let state_words = scan_state_words::<O::Accumulator>(tuning::tiles::<O, T>(), item_count)
            .max(reduce_state_words::<T, O::Accumulator>(item_count))
            .max(segments::state_words::<T, O::Accumulator>(
                item_count, item_count,
            ))
            .max(most_columns_state_words::<O::Accumulator>(item_count));
        Self::with_state_words(generation, multiprocessors, text, state_words)
    }

    /// The same, with a workspace for a selection among `item_count` items.
    pub fn new_for_selection<T>(
        generation: Generation,
        multiprocessors: u32,
        text: &str,
        item_count: usize,
    ) -> Self {
        let state_words = selection::state_words::<T, BeforeRun>(item_count as u64);
        Self::with_state_words(generation, multiprocessors, text, state_words)
    }

    fn with_state_words(
        generation: Generation,
        multiprocessors: u32,
        text: &str,
        state_words: u64,
    ) -> Self {
        let device = DeviceConfig {
            multiprocessors,
            compute_capability: generation.capability,
            ..DeviceConfig::default()
        };
        let memory = Memory::new(device.memory_bytes);
        let module = Module::load(text, &device, &memory).unwrap_or_else(|error| panic!("{error}"));
        let kernel = module.kernels().next().expect("a kernel").clone();
        let bytes = workspace_bytes(state_words);
        let workspace = memory.alloc(bytes).unwrap();
        memory.fill(workspace, bytes, &[0]).unwrap();
        Self {
            generation,
            device,
            memory,
            kernel,
            workspace,
            state_words,
            scan_buffers: None,
            windows_per_block: 1,
        }
    }

    /// Makes the workspace one that `launches` launches have used.
    pub fn set_epoch(&self, launches: u32) {
        self.memory
            .write(self.workspace + EPOCH_OFFSET, &launches.to_le_bytes())
            .unwrap();
    }

    /// How many launches have used the workspace since its state words were last cleared.
    pub fn epoch(&self) -> u32 {
        let mut bytes = [0; 4];
        let address = self.workspace + EPOCH_OFFSET;
        self.memory.read(address, &mut bytes).unwrap();
        u32::from_le_bytes(bytes)
    }

    /// Whether all state words are zero.
    pub fn is_clear(&self) -> bool {
        let states = self.download::<u64>(self.states(), self.state_words as usize);
        states.iter().all(|&word| word == 0)
    }

    fn states(&self) -> u64 {
        self.workspace + STATES_OFFSET
    }

    /// Puts items into an allocation of their own, which they fill.
    pub fn upload<T: Element>(&self, items: &[T]) -> u64 {
        let bytes: &[u8] = cast_slice(items);
        let address = self.memory.alloc(bytes.len() as u64).unwrap();
        self.memory.write(address, bytes).unwrap();
        address
    }

    pub fn download<T: Element>(&self, address: u64, item_count: usize) -> Vec<T> {
        let mut items = vec![T::zeroed(); item_count];
        self.memory
            .read(address, cast_slice_mut(&mut items))
            .unwrap();
        items
    }

    /// Launches the kernel, a reduction.
    pub fn reduce<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        options: &RunOptions,
    ) -> Result<(O::Output, Counters), LaunchError> {
        let chunk_count = reduce_chunk_count::<T>(items.len() as u64);
        let (result, mut counters) =
            self.reduce_in_pieces::<O, T>(items, &[chunk_count], options)?;
        Ok((result, counters.remove(0)))
    }

    /// Launches the kernel, a reduction, once for each piece: up to before each of these chunks.
    pub fn reduce_in_pieces<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        ends: &[u64],
        options: &RunOptions,
    ) -> Result<(O::Output, Vec<Counters>), LaunchError> {
        let output = self.memory.alloc(size_of::<O::Output>() as u64).unwrap();
        let input = self.upload(items);
        let launch = |(begin, end): (u64, u64)| {
            let parameters = [
                input,
                items.len() as u64,
                0,
                begin,
                self.workspace,
                self.states(),
                self.state_words,
                output,
            ];
            let shared_bytes = reduce_shared_bytes::<O::Accumulator>();
            let shape = shape(end - begin, BLOCK_THREADS, shared_bytes);
            self.launch(&shape, &parameters, options)
        };
        let counters = pieces(ends).map(launch).collect::<Result<_, _>>()?;
        Ok((self.download(output, 1)[0], counters))
    }

    /// Launches the kernel, a segmented reduction of no more segments than the workspace has items. Gives also whether the offsets
    /// were refused.
    pub fn segmented_reduce<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        offsets: &[u32],
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, bool, Counters), LaunchError> {
        let count = offsets.len() - 1;
        self.on_segments::<O, T>(items, offsets, count, &[], options)
    }

    /// Launches the kernel, a segmented scan of no more segments than the workspace has items. Gives also whether the offsets
    /// were refused.
    pub fn segmented_scan<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        offsets: &[u32],
        is_exclusive: bool,
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, bool, Counters), LaunchError> {
        let more = [u64::from(is_exclusive)];
        self.on_segments::<O, T>(items, offsets, items.len(), &more, options)
    }

    /// Launches the kernel, of segments, with this many results and with further parameters.
    fn on_segments<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        offsets: &[u32],
        result_count: usize,
        more: &[u64],
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, bool, Counters), LaunchError> {
        let segment_count = offsets.len() - 1;
        let output = self.upload(&vec![
            <O::Output as bytemuck::Zeroable>::zeroed();
            result_count
        ]);
        let report = self.upload(&[0_u64]);
        let mut parameters = vec![
            self.upload(items),
            items.len() as u64,
            self.upload(offsets),
            4,
            0,
            segment_count as u64,
            0,
            self.workspace,
            self.states(),
            self.state_words,
            output,
            report,
            self.windows_per_block,
        ];
        parameters.extend(more);
        let windows =
            segments::window_count::<T, O::Accumulator>(items.len() as u64, segment_count as u64);
        let blocks = windows.div_ceil(self.windows_per_block);
        let shared_bytes = segments::shared_bytes::<T, O::Accumulator>();
        // As the library, or nearly.
        let threads = match windows <= 4 * u64::from(self.device.multiprocessors) {
            true => segments::tuning::SHORT_BLOCK_THREADS,
            false => segments::tuning::LONG_BLOCK_THREADS,
        };
        let shape = shape(blocks, threads, shared_bytes);
        let counters = self.launch(&shape, &parameters, options)?;
        let is_refused = self.download::<u64>(report, 1)[0] != 0;
        let results = match is_refused {
            true => Vec::new(),
            false => self.download(output, result_count),
        };
        Ok((results, is_refused, counters))
    }

    /// Launches the kernel, a reduction of columns of no more items than the workspace has.
    pub fn columns_reduce<O: Op<T>, T: Element>(
        &self,
        matrix: &[T],
        column_count: usize,
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, Counters), LaunchError> {
        self.on_columns::<O, T>(matrix, column_count, column_count, &[], options)
    }

    /// Launches the kernel, a scan of columns of no more items than the workspace has.
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

    /// Launches the kernel, of columns, with this many results and with further parameters.
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
            // No count of rows or of matrices.
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

    /// Launches the kernel, a selection whose tiles have values of type `A` before them. If prefixes have the index of the last head, the
    /// launch requests the lengths of runs; otherwise the items that are not chosen.
    pub fn select<T: Element, A>(
        &self,
        items: &[T],
        options: &RunOptions,
    ) -> Result<SelectionOutput<T>, LaunchError> {
        let finds_runs = size_of::<A>() == size_of::<BeforeRun>();
        let places = vec![T::zeroed(); items.len()];
        let selected = self.upload(&places);
        let (others, lengths) = match finds_runs {
            true => (0, self.upload(&vec![0_u32; items.len()])),
            false => (self.upload(&places), 0),
        };
        let count = self.upload(&[0_u64]);
        let room = items.len() as u64;
        let parameters = [
            self.upload(items),
            items.len() as u64,
            0,
            0,
            selected,
            0,
            4,
            0,
            lengths,
            4,
            room,
            others,
            if finds_runs { 0 } else { room },
            0,
            count,
            self.workspace,
            self.states(),
            self.state_words,
        ];
        let buffers = selection::buffers::<T, A>(self.generation.copies(), u32::MAX);
        let shared_bytes = selection::shared_bytes::<T, A>(buffers.expect("room enough"));
        let threads = selection::BLOCK_THREADS;
        let each = self.device.blocks_per_multiprocessor(threads, shared_bytes);
        let resident = u64::from(each * self.device.multiprocessors);
        let blocks = selection::tile_count::<T>(room).min(resident);
        let shape = shape(blocks, threads, shared_bytes);
        let counters = self.launch(&shape, &parameters, options)?;
        Ok(SelectionOutput {
            count: self.download::<u64>(count, 1)[0],
            items: self.download(selected, items.len()),
            others: match others {
                0 => Vec::new(),
                _ => self.download(others, items.len()),
            },
            lengths: match lengths {
                0 => Vec::new(),
                _ => self.download(lengths, items.len()),
            },
            counters,
        })
    }

    /// Launches the kernel, a scan.
    pub fn scan<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, Counters), LaunchError> {
        let tile_count = tuning::tiles::<O, T>().count(items.len() as u64);
        let (results, mut counters) = self.scan_in_pieces::<O, T>(items, &[tile_count], options)?;
        Ok((results, counters.remove(0)))
    }

    /// Launches the kernel, a scan, once for each piece: up to before each of these tiles.
    pub fn scan_in_pieces<O: Op<T>, T: Element>(
        &self,
        items: &[T],
        ends: &[u64],
        options: &RunOptions,
    ) -> Result<(Vec<O::Output>, Vec<Counters>), LaunchError> {
        let output_bytes = items.len() * size_of::<O::Output>();
        let output = self.memory.alloc(output_bytes as u64).unwrap();
        let input = self.upload(items);
        let launch = |(begin, end): (u64, u64)| {
            let parameters = [
                input,
                output,
                0,
                items.len() as u64,
                0,
                begin,
                end,
                self.workspace,
                self.states(),
                self.state_words,
            ];
            let blocks = self
                .resident_scan_blocks::<O, T>(items.len())
                .min(end - begin);
            let (threads, shared_bytes) = self.scan_block::<O, T>(items.len());
            let shape = shape(blocks, threads, shared_bytes);
            self.launch(&shape, &parameters, options)
        };
        let counters = pieces(ends).map(launch).collect::<Result<_, _>>()?;
        Ok((self.download(output, items.len()), counters))
    }

    /// Blocks that scan `item_count` items: as many as there are tiles, or as the device holds.
    pub fn scan_blocks<O: Op<T>, T: Element>(&self, item_count: usize) -> u64 {
        let tiles = tuning::tiles::<O, T>().count(item_count as u64);
        tiles.min(self.resident_scan_blocks::<O, T>(item_count))
    }

    fn resident_scan_blocks<O: Op<T>, T: Element>(&self, item_count: usize) -> u64 {
        let (threads, shared_bytes) = self.scan_block::<O, T>(item_count);
        let each = self.device.blocks_per_multiprocessor(threads, shared_bytes);
        u64::from(each * self.device.multiprocessors)
    }

    /// Threads and bytes of shared memory of a block that scans `item_count` items.
    fn scan_block<O: Op<T>, T: Element>(&self, item_count: usize) -> (u32, u32) {
        let shape = tuning::tiles::<O, T>().shape(item_count as u64);
        let most = scan_buffers::<O::Accumulator>(shape, self.generation.copies(), u32::MAX);
        let buffers = self.scan_buffers.unwrap_or(most);
        let shared_bytes = scan_shared_bytes::<O::Accumulator>(shape, buffers);
        (scan_block_threads(shape), shared_bytes)
    }

    /// Gives the blocks of scans room for `buffers` tiles, in place of as many as they can use.
    pub fn set_scan_buffers(&mut self, buffers: u32) {
        self.scan_buffers = Some(buffers);
    }

    /// Gives each block of segmented reductions this many windows.
    pub fn set_windows_per_block(&mut self, windows: u64) {
        self.windows_per_block = windows;
    }

    fn launch(
        &self,
        shape: &Shape,
        parameters: &[u64],
        options: &RunOptions,
    ) -> Result<Counters, LaunchError> {
        let dependence = match Start::of_capability(self.generation.capability.0) {
            Start::Early => Dependence::Programmatic,
            Start::AfterOthers => Dependence::Full,
        };
        let options = RunOptions {
            dependence,
            ..options.clone()
        };
        let parameters = cast_slice(parameters);
        self.kernel
            .launch(shape, parameters, &self.memory, &self.device, &options)
    }
}

/// State words that columns of `item_count` items need, whatever the matrix's shape: of all that have several chunks, the last ones have
/// least with one row.
fn most_columns_state_words<A>(item_count: u64) -> u64 {
    item_count / (columns::CHUNK_ROWS + 1) * columns::state_words::<A>(columns::CHUNK_ROWS + 1, 1)
}

/// Where the epoch is in a workspace: the high half of the first word.
const EPOCH_OFFSET: u64 = 4;

/// From 0 to the first end, from there to the second, …
fn pieces(ends: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    let begins = std::iter::once(0).chain(ends.iter().copied());
    begins.zip(ends.iter().copied())
}

fn shape(blocks: u64, threads: u32, dynamic_shared_bytes: u32) -> Shape {
    Shape {
        grid: [blocks as u32, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared_bytes,
    }
}
