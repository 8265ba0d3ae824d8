//! Launches the kernels of one run, times them, and records the launches.

use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cust::event::{Event, EventFlags};
use cust::function::BlockSize;
use cust::stream::{Stream, StreamFlags};

use crate::kernels::Kernel;
use crate::{Ladder, Result};

/// A result, and its cost.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Measured<T> {
    /// The result.
    pub value: T,
    /// The host's launches, in order, without the launches that kernels make. Empty if no launch was needed, and for warpfold's own rungs,
    /// which the ladder does not launch itself.
    pub launches: Vec<Launch>,
    /// The time from the first launch to the end of the last launch, measured on the device. It excludes the preparation of input and
    /// scratch memory.
    pub kernel_time: Duration,
    /// The host's time after the end of the last launch, for copying results and for combining the results of blocks.
    pub post_kernel_time: Duration,
}

impl<T> Measured<T> {
    /// A result without launches.
    pub(crate) fn nothing(value: T) -> Self {
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
    /// How many blocks of the kernel a multiprocessor holds at a time.
    pub blocks_per_multiprocessor: u32,
}

/// The launches of one run, on a separate stream. All of `cust`'s streams are blocking streams, so a synchronous copy runs after all work
/// that was queued on this stream before the copy.
pub struct Session<'ladder> {
    ladder: &'ladder Ladder,
    stream: Stream,
    launches: Vec<(Launch, Arc<Kernel>)>,
    start: Event,
    end: Event,
}

impl<'ladder> Session<'ladder> {
    /// A session in the GPU's context, which becomes the current one. Fails during a capture of a blocking stream.
    pub fn new(ladder: &'ladder Ladder) -> Result<Self> {
        ladder.gpu().make_current()?;
        // During a capture of a blocking stream, this call fails. The synchronous calls that would follow use the default stream, and would
        // invalidate the capture.
        ladder.gpu().synchronize()?;
        Ok(Self {
            ladder,
            stream: Stream::new(StreamFlags::DEFAULT, None)?,
            launches: Vec::new(),
            start: Event::new(EventFlags::DEFAULT)?,
            end: Event::new(EventFlags::DEFAULT)?,
        })
    }

    /// The kernel of this symbol. It is compiled now, if it has not been compiled before. Call this before the launches, so that the
    /// compilation is not timed.
    pub fn kernel(&self, symbol: &'static str) -> Result<Arc<Kernel>> {
        self.ladder.kernels().get(self.ladder.gpu(), symbol)
    }

    /// The stream of the launches.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Times the launches that `launches` queues.
    pub fn timed(&mut self, launches: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        self.start.record(&self.stream)?;
        launches(self)?;
        Ok(self.end.record(&self.stream)?)
    }

    /// Queues a launch.
    ///
    /// # Safety
    ///
    /// - `parameters` are the kernel's parameters, in order. Each is a pointer or a 64-bit number.
    /// - The launch meets the kernel's conditions.
    pub unsafe fn launch<const N: usize>(
        &mut self,
        kernel: &Arc<Kernel>,
        (grid_blocks, block_threads): (u32, u32),
        shared_bytes: u32,
        mut parameters: [u64; N],
    ) -> Result<()> {
        // The number of blocks that a multiprocessor holds is looked up later, outside the timed part.
        let launch = Launch {
            symbol: kernel.symbol,
            grid_blocks,
            block_threads,
            shared_bytes,
            blocks_per_multiprocessor: 0,
        };
        self.launches.push((launch, Arc::clone(kernel)));
        let pointers = parameters
            .each_mut()
            .map(|parameter| ptr::from_mut(parameter).cast());
        let function = kernel.function()?;
        // `cust`'s macro `launch!` accepts no array of parameters, so this code calls the function that the macro calls. SAFETY: there is a
        // pointer to a live 64-bit value for each parameter (condition 1), and the launch meets the kernel's conditions (condition 2).
        unsafe {
            self.stream.launch(
                &function,
                grid_blocks,
                block_threads,
                shared_bytes,
                &pointers,
            )
        }?;
        Ok(())
    }

    /// Waits for the launches. Then `result` computes the result from their output.
    pub fn finish<T>(self, result: impl FnOnce() -> Result<T>) -> Result<Measured<T>> {
        self.end.synchronize()?;
        let kernel_time = self.end.elapsed(&self.start)?;
        let post_kernel = Instant::now();
        let value = result()?;
        let post_kernel_time = post_kernel.elapsed();
        let mut launches = Vec::with_capacity(self.launches.len());
        for (mut launch, kernel) in self.launches {
            launch.blocks_per_multiprocessor =
                kernel.function()?.max_active_blocks_per_multiprocessor(
                    BlockSize::x(launch.block_threads),
                    launch.shared_bytes as usize,
                )?;
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
