//! Document 5, dynamic parallelism: launching the kernels that launch kernels.

use cust::context::{CurrentContext, ResourceLimit};

use crate::kernels::NESTED_HELLO;
use crate::measure::Session;
use crate::scratch::Scratch;
use crate::{Kind, Ladder, Refusal, Result, Rung};

impl Ladder {
    /// Launches [`Rung::NestedHello`]: each thread prints a line to the standard output. The first thread of each block then launches a grid
    /// of half as many threads, down to one.
    ///
    /// # Errors
    ///
    /// [`Refusal::BlockSize`], [`Refusal::DeviceRuntimeNotFound`] or [`Refusal::ChildLaunch`]; the driver's errors.
    pub fn nested_hello(&self, grid_blocks: u32, block_threads: u32) -> Result<()> {
        let rung = Rung::NestedHello;
        rung.check(Kind::Greeting, block_threads)?;
        let mut session = Session::new(self)?;
        let kernel = session.kernel(NESTED_HELLO)?;
        let children = Children::expect(grid_blocks)?;
        let parameters = [children.refusal.address(), block_threads.into(), 0];
        session.timed(|session| {
            // SAFETY: these are the kernel's parameters, the block size among them.
            unsafe { session.launch(&kernel, (grid_blocks, block_threads), 0, parameters) }
        })?;
        session.finish(|| children.check(rung))?;
        Ok(())
    }
}

/// The launches that a kernel is going to make.
pub struct Children {
    /// The highest code of a failed launch; 0 if none failed.
    pub refusal: Scratch<u32>,
}

impl Children {
    /// Makes room for a pending launch of each block, and for the launches of the next level.
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

    /// Fails if a launch failed.
    pub fn check(&self, rung: Rung) -> Result<()> {
        match self.refusal.first()? {
            0 => Ok(()),
            code => Err(Refusal::ChildLaunch { rung, code }.into()),
        }
    }
}
