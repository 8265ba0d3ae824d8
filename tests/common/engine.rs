//! Launches the library's kernels on the virtual GPU's engine, without a driver and without the library's launch code. A test can change a
//! kernel's text, run it with any number of multiprocessors under any schedule, and count its instructions.
//!
//! The kernels' modules document what a launch must provide. In the library, the host's launch code provides this. Here, this module
//! provides it. Nothing here runs on a real GPU.

#![allow(dead_code, reason = "each test file uses its part")]

#[path = "engine/groups.rs"]
mod groups;
#[path = "engine/selection.rs"]
mod selections;
#[path = "engine/whole.rs"]
mod whole;

use bytemuck::{cast_slice, cast_slice_mut};
use virtual_gpu::{
    Counters, Dependence, DeviceConfig, Kernel, LaunchError, Memory, Module, RunOptions, Shape,
};
use warpfold::{Element, Op};
use warpfold_kernels::columns;
use warpfold_kernels::launch::{Copies, Start};
use warpfold_kernels::scan::tuning;
use warpfold_kernels::segments::rings::MOST_SPAN_WINDOWS;
use warpfold_kernels::segments::{self, tuning::LEAST_WINDOW_SHIFT};
use warpfold_kernels::selection::{self, BeforeRun};
use warpfold_kernels::workspace::{
    STATES_OFFSET, reduce_state_words, scan_state_words, workspace_bytes,
};

#[allow(unused_imports, reason = "each test file uses its part")]
pub use selections::SelectionOutput;

/// A variant of the library's PTX, and the compute capability of a device that runs it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generation {
    pub name: &'static str,
    capability: (u32, u32),
}

/// The variant whose copies from global to shared memory go through registers.
pub const SM_70: Generation = Generation {
    name: "sm_70",
    capability: (7, 0),
};

/// The variant with asynchronous copies and ordinary launches.
pub const SM_80: Generation = Generation {
    name: "sm_80",
    capability: (8, 0),
};

/// The variant for programmatic dependent launches.
pub const SM_90: Generation = Generation {
    name: "sm_90",
    capability: (9, 0),
};

/// All variants.
pub const GENERATIONS: [Generation; 3] = [SM_70, SM_80, SM_90];

impl Generation {
    /// The text of a kernel.
    pub fn kernel(self, symbol: &str) -> String {
        let text = warpfold::shipped_text(symbol, self.capability);
        text.unwrap_or_else(|| panic!("no kernel is called {symbol}"))
    }

    /// The text of a kernel that compares keys.
    pub fn keyed_kernel(self, symbol: &str) -> String {
        let text = warpfold::shipped_keyed_text(symbol, self.capability);
        text.unwrap_or_else(|| panic!("no kernel compares keys and is called {symbol}"))
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
    span_shift: u32,
}

impl Engine {
    /// A device with this many multiprocessors, the loaded kernel of `text`, and a zeroed workspace. The workspace has room for a launch on
    /// `item_count` items with the operator `O`.
    pub fn new<O: Op<T>, T: Element>(
        generation: Generation,
        multiprocessors: u32,
        text: &str,
        item_count: usize,
    ) -> Self {
        let item_count = item_count as u64;
        let state_words = scan_state_words::<O::Accumulator>(tuning::tiles::<O, T>(), item_count)
            .max(reduce_state_words::<T, O::Accumulator>(item_count))
            .max(segments::state_words::<O::Accumulator>(
                segments::window_count(2 * item_count, LEAST_WINDOW_SHIFT).max(1),
            ))
            .max(most_columns_state_words::<O::Accumulator>(item_count));
        Self::with_state_words(generation, multiprocessors, text, state_words)
    }

    /// Like [`Engine::new`], with a workspace for a selection among `item_count` items.
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
            span_shift: 0,
        }
    }

    /// Sets the epoch as if this many calls had taken tickets. If a call has several launches, one for each piece of its input, they count
    /// as one call.
    pub fn set_epoch(&self, launches: u32) {
        self.memory
            .write(self.workspace + EPOCH_OFFSET, &launches.to_le_bytes())
            .unwrap();
    }

    /// How many calls have taken tickets since the state words were last cleared. Some calls take none, such as a reduction of one chunk.
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

    /// Copies items to a new allocation, and returns its address.
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

    /// Sets how many tiles the shared memory of a scan's block has room for. By default, there is room for as many tiles as a block can use
    /// at a time.
    pub fn set_scan_buffers(&mut self, buffers: u32) {
        self.scan_buffers = Some(buffers);
    }

    /// Sets how many windows each block of a segmented reduction or scan works on.
    pub fn set_windows_per_block(&mut self, windows: u64) {
        self.windows_per_block = windows;
    }

    /// Sets the binary logarithm of the number of windows of a span, or 0. If it is not 0, blocks of a segmented reduction take spans, if the
    /// segments have offsets and the operator has rings.
    pub fn set_span_shift(&mut self, shift: u32) {
        self.span_shift = shift;
    }

    /// Sets how many windows each block works on. The numbers are taken in turn, and so are the numbers of windows of spans.
    pub fn set_windows_of_turn(&mut self, turn: usize) {
        let windows = u64::from(segments::MOST_WINDOWS);
        let spans = MOST_SPAN_WINDOWS.trailing_zeros();
        let place = turn as u64 % (windows + u64::from(spans));
        (self.windows_per_block, self.span_shift) = match place < windows {
            true => (1 + place, 0),
            false => (1, 1 + (place - windows) as u32),
        };
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

/// The number of state words for `item_count` items in columns of two chunks: a whole one, and one of a single row. Columns of this length
/// need the most state words for each item.
fn most_columns_state_words<A>(item_count: u64) -> u64 {
    item_count / (columns::CHUNK_ROWS + 1) * columns::state_words::<A>(columns::CHUNK_ROWS + 1, 1)
}

/// The offset in bytes of the epoch in a workspace. The epoch is the high half of the first word.
const EPOCH_OFFSET: u64 = 4;

fn shape(blocks: u64, threads: u32, dynamic_shared_bytes: u32) -> Shape {
    Shape {
        grid: [blocks as u32, 1, 1],
        block: [threads, 1, 1],
        dynamic_shared_bytes,
    }
}
