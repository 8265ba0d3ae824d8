//! Kernels launched on the virtual GPU, as the library launches them.

use std::{ptr, slice};

use virtual_gpu::{DeviceConfig, Memory, Module, RunOptions, Shape};
use warpfold_build::Compiled;
use warpfold_kernels::contract::{BLOCK_THREADS, reduce_chunk_count};
use warpfold_kernels::element::Element;
use warpfold_kernels::launch::{
    Copies, reduce_shared_bytes, scan_block_threads, scan_buffers, scan_shared_bytes,
};
use warpfold_kernels::op::Op;
use warpfold_kernels::reduce::ReduceArguments;
use warpfold_kernels::scan::ScanArguments;
use warpfold_kernels::scan::tuning;
use warpfold_kernels::workspace::{
    Control, STATES_OFFSET, reduce_state_words, scan_state_words, workspace_bytes,
};

/// A virtual device, and kernels for it.
pub struct Device<'a> {
    config: DeviceConfig,
    memory: Memory,
    compiled: &'a Compiled,
}

impl<'a> Device<'a> {
    /// A device of the kernels' compute capability.
    pub fn new(compiled: &'a Compiled) -> Self {
        let config = DeviceConfig {
            compute_capability: compiled.capability,
            ..DeviceConfig::default()
        };
        Self {
            memory: Memory::new(config.memory_bytes),
            config,
            compiled,
        }
    }

    /// Reduces `items` with the operator `O`, whose kernel row is called `name`.
    pub fn reduce<O: Op<T>, T: Element>(&self, name: &str, items: &[T]) -> O::Output {
        let count = items.len() as u64;
        let blocks = reduce_chunk_count::<T>(count);
        let words = reduce_state_words::<T, O::Accumulator>(count);
        let (input, output) = (self.upload(items), self.zeros::<O::Output>(1));
        let control = self.workspace(words);
        let states = control + STATES_OFFSET;
        let shape = Shape {
            grid: [blocks as u32, 1, 1],
            block: [BLOCK_THREADS, 1, 1],
            dynamic_shared_bytes: reduce_shared_bytes::<O::Accumulator>(),
        };
        let arguments = ReduceArguments::<T, O::Output> {
            input: input as *const T,
            item_count: count,
            item_count_at: ptr::null(),
            first_chunk: 0,
            control: control as *mut Control,
            states: states as *mut u64,
            state_words: words,
            output: output as *mut O::Output,
        };
        self.launch(&format!("reduce_{name}"), &shape, &arguments);
        let result = self.download(output, 1)[0];
        self.free(&[input, output, control]);
        result
    }

    /// Scans `items` with the operator `O`, by the kernel `symbol`.
    pub fn scan<O: Op<T>, T: Element>(&self, symbol: &str, items: &[T]) -> Vec<O::Output> {
        let count = items.len() as u64;
        let scan_tiles = tuning::tiles::<O, T>();
        let (tiles, tile) = (scan_tiles.count(count), scan_tiles.shape(count));
        let words = scan_state_words::<O::Accumulator>(scan_tiles, count);
        let (input, output) = (self.upload(items), self.zeros::<O::Output>(items.len()));
        let control = self.workspace(words);
        let states = control + STATES_OFFSET;
        let copies = Copies::of_capability(self.compiled.capability.0);
        let available = self.config.shared_bytes_per_block_optin;
        let buffers = scan_buffers::<O::Accumulator>(tile, copies, available);
        let shape = Shape {
            grid: [u32::min(tiles as u32, self.config.multiprocessors), 1, 1],
            block: [scan_block_threads(tile), 1, 1],
            dynamic_shared_bytes: scan_shared_bytes::<O::Accumulator>(tile, buffers),
        };
        let arguments = ScanArguments::<T, O::Output> {
            input: input as *const T,
            output: output as *mut O::Output,
            total: ptr::null_mut(),
            item_count: count,
            item_count_at: ptr::null(),
            first_tile: 0,
            end_tile: tiles,
            control: control as *mut Control,
            states: states as *mut u64,
            state_words: words,
        };
        self.launch(symbol, &shape, &arguments);
        let results = self.download(output, items.len());
        self.free(&[input, output, control]);
        results
    }

    /// Launches a kernel with its kind's arguments. Each argument is a pointer or a number, and has 64 bits.
    fn launch<A>(&self, symbol: &str, shape: &Shape, arguments: &A) {
        let mut kernels = self.compiled.kernels.iter();
        let kernel = kernels.find(|kernel| kernel.symbol == symbol);
        let text = &kernel.unwrap_or_else(|| panic!("no kernel {symbol}")).text;
        let module = Module::load(text, &self.config, &self.memory).expect("a module");
        // SAFETY: `arguments` is readable for its size. It has no padding, since each of its fields is a pointer or a number of 64 bits.
        let parameters =
            unsafe { slice::from_raw_parts(ptr::from_ref(arguments).cast::<u8>(), size_of::<A>()) };
        let kernel = module.kernel(symbol).expect("the kernel");
        let options = RunOptions::default();
        if let Err(error) = kernel.launch(shape, parameters, &self.memory, &self.config, &options) {
            panic!("{symbol}: {error}");
        }
        module.unload(&self.memory).expect("unloading");
    }

    fn alloc(&self, bytes: usize) -> u64 {
        self.memory.alloc(bytes as u64).expect("memory")
    }

    fn upload<T: Element>(&self, items: &[T]) -> u64 {
        let address = self.alloc(size_of_val(items));
        self.memory
            .write(address, bytemuck::cast_slice(items))
            .expect("an upload");
        address
    }

    fn zeros<T: Element>(&self, count: usize) -> u64 {
        self.upload(&vec![T::zeroed(); count])
    }

    fn workspace(&self, words: u64) -> u64 {
        self.zeros::<u8>(workspace_bytes(words) as usize)
    }

    fn download<T: Element>(&self, address: u64, count: usize) -> Vec<T> {
        let mut items = vec![T::zeroed(); count];
        self.memory
            .read(address, bytemuck::cast_slice_mut(&mut items))
            .expect("a download");
        items
    }

    fn free(&self, addresses: &[u64]) {
        for address in addresses {
            self.memory.free(*address).expect("freeing");
        }
    }
}
