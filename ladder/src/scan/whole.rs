//! Document 4's scans in one launch: the sequential scan and the quadratic scan.

use super::Run;
use crate::{Measured, Result};

pub fn run(run: Run<'_>, blocks: u32) -> Result<Measured<()>> {
    let mut session = run.session;
    let kernel = session.kernel(run.symbols.scan)?;
    let parameters = [run.input, run.output, run.item_count];
    session.timed(|session| {
        // SAFETY: these are the kernel's parameters. Input and output have room for all items, and do not overlap. There is at least one
        // item. For the sequential scan, the grid is one thread. For the quadratic scan, the grid has a thread for each item.
        unsafe { session.launch(&kernel, (blocks, run.block_size), 0, parameters) }
    })?;
    session.finish(|| Ok(()))
}
