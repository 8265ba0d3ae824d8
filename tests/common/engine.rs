//! The library's kernels on the virtual GPU's engine, without a driver and without the library's host code: a
//! test that has the kernel's text in hand can change it, run it on any device and in any order, and count.
//!
//! What a launch must provide is that of `warpfold_kernels::grid`; it is said here once more, as in the host
//! library's `launch.rs`. Nothing here runs on a real GPU.

#![allow(dead_code, reason = "each test file uses its part")]

use bytemuck::{bytes_of_mut, cast_slice, cast_slice_mut};
use virtual_gpu::{Counters, DeviceConfig, Kernel, LaunchError, Memory, Module, RunOptions, Shape};
use warpfold::Item;
use warpfold_kernels::contract::{BLOCK_THREADS, reduce_chunk_count, tile_count};
use warpfold_kernels::launch::{Copies, reduce_shared_bytes, scan_shared_bytes};
use warpfold_kernels::workspace::{
    PARTIALS_OFFSET, STATES_OFFSET, scan_state_words, workspace_bytes,
};

/// A text that ships, and the devices that it is for.
#[derive(Debug, Clone, Copy)]
pub struct Generation {
    pub name: &'static str,
    capability: (u32, u32),
    text: &'static str,
}

/// Copies from global to shared memory go through registers.
pub const SM_70: Generation = Generation {
    name: "sm_70",
    capability: (7, 0),
    text: include_str!("../../host/ptx/sm_70.ptx"),
};

/// Copies are asynchronous.
pub const SM_90: Generation = Generation {
    name: "sm_90",
    capability: (9, 0),
    text: include_str!("../../host/ptx/sm_90.ptx"),
};

impl Generation {
    /// The text's preamble and one kernel of it.
    pub fn kernel(self, symbol: &str) -> String {
        let start = |pattern: &str| {
            self.text
                .find(pattern)
                .unwrap_or_else(|| panic!("no {pattern}"))
        };
        let preamble = &self.text[..start(".visible .entry ")];
        let entry = &self.text[start(&format!(".visible .entry {symbol}("))..];
        let end = entry.find("\n}").expect("the entry's end") + 2;
        [preamble, &entry[..end], "\n"].concat()
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
}

impl Engine {
    /// A device with so many multiprocessors, the one kernel of `text` loaded, and a zeroed workspace for
    /// `item_count` items.
    pub fn new<T: Item>(
        generation: Generation,
        multiprocessors: u32,
        text: &str,
        item_count: usize,
    ) -> Self {
        let device = DeviceConfig {
            multiprocessors,
            compute_capability: generation.capability,
            ..DeviceConfig::default()
        };
        let memory = Memory::new(device.memory_bytes);
        let module = Module::load(text, &device, &memory).unwrap_or_else(|error| panic!("{error}"));
        let kernel = module.kernels().next().expect("a kernel").clone();
        let state_words = scan_state_words::<T>(item_count as u64);
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
        }
    }

    /// Makes the workspace one that so many scans have used.
    pub fn set_epoch(&self, scans: u32) {
        self.memory
            .write(self.workspace, &scans.to_le_bytes())
            .unwrap();
    }

    /// Puts items into an allocation of their own, which they fill.
    pub fn upload<T: Item>(&self, items: &[T]) -> u64 {
        let bytes: &[u8] = cast_slice(items);
        let address = self.memory.alloc(bytes.len() as u64).unwrap();
        self.memory.write(address, bytes).unwrap();
        address
    }

    pub fn download<T: Item>(&self, address: u64, item_count: usize) -> Vec<T> {
        let mut items = vec![T::zeroed(); item_count];
        self.memory
            .read(address, cast_slice_mut(&mut items))
            .unwrap();
        items
    }

    /// Launches the kernel, a reduction.
    pub fn reduce<T: Item>(
        &self,
        items: &[T],
        options: &RunOptions,
    ) -> Result<(T, Counters), LaunchError> {
        let item_count = items.len() as u64;
        let output = self.memory.alloc(size_of::<T>() as u64).unwrap();
        let counters = self.launch(
            reduce_chunk_count::<T>(item_count),
            reduce_shared_bytes::<T>(),
            &[
                self.upload(items),
                item_count,
                self.workspace,
                self.workspace + PARTIALS_OFFSET,
                output,
            ],
            options,
        )?;
        let mut result = T::zeroed();
        self.memory.read(output, bytes_of_mut(&mut result)).unwrap();
        Ok((result, counters))
    }

    /// Launches the kernel, a scan.
    pub fn scan<T: Item>(
        &self,
        items: &[T],
        options: &RunOptions,
    ) -> Result<(Vec<T>, Counters), LaunchError> {
        let item_count = items.len() as u64;
        let output = self.memory.alloc(size_of_val(items) as u64).unwrap();
        let counters = self.launch(
            self.scan_blocks::<T>(items.len()),
            scan_shared_bytes::<T>(self.generation.copies()),
            &[
                self.upload(items),
                output,
                item_count,
                self.workspace,
                self.workspace + STATES_OFFSET,
                self.state_words,
            ],
            options,
        )?;
        Ok((self.download(output, items.len()), counters))
    }

    /// Blocks that scan so many items: as many as there are tiles, or as the device holds.
    pub fn scan_blocks<T: Item>(&self, item_count: usize) -> u64 {
        let shared_bytes = scan_shared_bytes::<T>(self.generation.copies());
        let each = self
            .device
            .blocks_per_multiprocessor(BLOCK_THREADS, shared_bytes);
        tile_count::<T>(item_count as u64).min(u64::from(each * self.device.multiprocessors))
    }

    fn launch(
        &self,
        blocks: u64,
        dynamic_shared_bytes: u32,
        parameters: &[u64],
        options: &RunOptions,
    ) -> Result<Counters, LaunchError> {
        let shape = Shape {
            grid: [blocks as u32, 1, 1],
            block: [BLOCK_THREADS, 1, 1],
            dynamic_shared_bytes,
        };
        let parameters = cast_slice(parameters);
        self.kernel
            .launch(&shape, parameters, &self.memory, &self.device, options)
    }
}
