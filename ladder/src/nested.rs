//! Document 5, dynamic parallelism: the greeting, and the launches that kernels make.

use cust::context::{CurrentContext, ResourceLimit};

use crate::kernels::NESTED_HELLO;
use crate::measure::Session;
use crate::scratch::Scratch;
use crate::{Kind, Ladder, Refusal, Result, Rung};

impl Ladder {
    /// Launches [`Rung::NestedHello`]: each thread prints a line to the standard output. Then the first thread of each block launches a
    /// grid of one block with half as many threads. The launched blocks do the same, down to a block of one thread.
    ///
    /// # Errors
    ///
    /// [`Refusal::BlockSize`], [`Refusal::DeviceRuntimeNotFound`] or [`Refusal::ChildLaunch`]; warpfold's and `cust`'s errors.
    pub fn nested_hello(&self, grid_blocks: u32, block_threads: u32) -> Result<()> {
        let rung = Rung::NestedHello;
        rung.check(Kind::Greeting, block_threads)?;
        let mut session = Session::new(self)?;
        let kernel = session.kernel(NESTED_HELLO)?;
        let children = Children::expect(grid_blocks)?;
        let parameters = [children.refusal.address(), block_threads.into(), 0];
        session.timed(|session| {
            // SAFETY: these are the kernel's parameters: the address of a word, the block size, and the depth. Grid and blocks are
            // one-dimensional.
            unsafe { session.launch(&kernel, (grid_blocks, block_threads), 0, parameters) }
        })?;
        session.finish(|| children.check(rung))?;
        Ok(())
    }
}

/// The launches that a kernel makes.
pub struct Children {
    /// The highest error code of a launch; 0 if no launch failed.
    pub refusal: Scratch<u32>,
}

impl Children {
    /// Makes room for two pending launches for each block of the grid: the block's launch, and a launch by the launched block.
    pub fn expect(grid_blocks: u32) -> Result<Self> {
        let limit = ResourceLimit::DeviceRuntimePendingLaunchCount;
        let count = 2 * grid_blocks as usize;
        if CurrentContext::get_resource_limit(limit)? < count {
            CurrentContext::set_resource_limit(limit, count)?;
        }
        Ok(Self {
            refusal: Scratch::filled(1, 0)?,
        })
    }

    /// Returns an error if a launch failed.
    pub fn check(&self, rung: Rung) -> Result<()> {
        match self.refusal.first()? {
            0 => Ok(()),
            code => Err(Refusal::ChildLaunch { rung, code }.into()),
        }
    }
}
