//! Launching the kernels of one run, timing them, and keeping account of them.

use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use warpfold_kernels::launch::Start;

use super::kernels::Kernel;
use crate::driver::{Event, Function, Shape, Stream, check_default_stream};
use crate::error::Result;
use crate::gpu::Entered;

/// A result, and what it took.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Measured<T> {
    /// The result.
    pub value: T,
    /// What was launched, in order. Of ours, which the ladder does not launch itself, nothing.
    pub launches: Vec<Launch>,
    /// From the first launch to the end of the last, as the device measures it: without the preparation of input
    /// and scratch memory.
    pub kernel_time: Duration,
    /// What the host took after the last launch: copying partial results, and combining them.
    pub post_kernel_time: Duration,
}

impl<T> Measured<T> {
    /// A result that took nothing.
    pub(super) fn nothing(value: T) -> Self {
        Self {
            value,
            launches: Vec::new(),
            kernel_time: Duration::ZERO,
            post_kernel_time: Duration::ZERO,
        }
    }
}

/// One launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launch {
    /// The kernel's name.
    pub symbol: &'static str,
    /// Blocks of the grid.
    pub grid_blocks: u32,
    /// Threads of a block.
    pub block_threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared_bytes: u32,
    /// How many of its blocks a multiprocessor holds at a time.
    pub blocks_per_multiprocessor: u32,
}

/// The launches of one run: on the default stream, but for those of the library's own rungs.
pub(super) struct Session<'gpu> {
    entered: Entered<'gpu>,
    launches: Vec<(Launch, Function)>,
    start: Event,
    end: Event,
}

impl<'gpu> Session<'gpu> {
    /// Where no capture is in the way.
    pub fn new(entered: Entered<'gpu>) -> Result<Self> {
        check_default_stream()?;
        Ok(Self {
            entered,
            launches: Vec::new(),
            start: Event::timed()?,
            end: Event::timed()?,
        })
    }

    /// A kernel, compiled now if it never was: before the launches, since that is not to be timed.
    pub fn kernel(&self, symbol: &'static str) -> Result<Arc<Kernel>> {
        self.entered.ladder().get(self.entered, symbol)
    }

    /// Makes the launches that are timed.
    pub fn timed(&mut self, launches: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.timed_on(Stream::DEFAULT, launches)
    }

    /// Makes the launches that are timed, which are queued on this stream.
    pub fn timed_on(
        &mut self,
        stream: Stream<'_>,
        launches: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.start.record(stream)?;
        launches(self)?;
        Ok(self.end.record(stream)?)
    }

    /// Queues a launch.
    ///
    /// # Safety
    ///
    /// - `parameters` are the kernel's, in order, each a pointer or a 64-bit number.
    /// - What is launched keeps the kernel's contract.
    pub unsafe fn launch<const N: usize>(
        &mut self,
        kernel: &Kernel,
        (grid_blocks, block_threads): (u32, u32),
        shared_bytes: u32,
        mut parameters: [u64; N],
    ) -> Result<()> {
        // How many of its blocks a multiprocessor holds is asked for when nothing is timed any more.
        let launch = Launch {
            symbol: kernel.symbol,
            grid_blocks,
            block_threads,
            shared_bytes,
            blocks_per_multiprocessor: 0,
        };
        self.launches.push((launch, kernel.function));
        let shape = Shape {
            blocks: grid_blocks,
            block_threads,
            shared_bytes,
        };
        let mut pointers = parameters
            .each_mut()
            .map(|parameter| ptr::from_mut(parameter).cast());
        // SAFETY: one pointer to a live 64-bit value for each parameter; the rest is the caller's promise.
        unsafe {
            let start = Start::AfterOthers;
            kernel
                .function
                .launch(shape, start, Stream::DEFAULT, &mut pointers)
        }?;
        Ok(())
    }

    /// Waits for the launches; then `result` makes the result of what they left.
    pub fn finish<T>(self, result: impl FnOnce() -> Result<T>) -> Result<Measured<T>> {
        let kernel_time = self.end.wait_since(&self.start)?;
        let post_kernel = Instant::now();
        let value = result()?;
        let post_kernel_time = post_kernel.elapsed();
        let mut launches = Vec::with_capacity(self.launches.len());
        for (mut launch, function) in self.launches {
            launch.blocks_per_multiprocessor =
                function.blocks_per_multiprocessor(launch.block_threads, launch.shared_bytes)?;
            launches.push(launch);
        }
        Ok(Measured {
            value,
            launches,
            kernel_time,
            post_kernel_time,
        })
    }
}
