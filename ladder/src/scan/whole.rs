//! Document 4's scans in one launch: by one thread, or every item anew.

use super::Run;
use crate::{Measured, Result};

pub fn run(run: Run<'_>, blocks: u32) -> Result<Measured<()>> {
    let mut session = run.session;
    let kernel = session.kernel(run.symbols.scan)?;
    let parameters = [run.input, run.output, run.item_count];
    session.timed(|session| {
        // SAFETY: these are the kernel's parameters; input and output hold the items and are apart, and the grid is
        // one thread, or has one for each item.
        unsafe { session.launch(&kernel, (blocks, run.block_size), 0, parameters) }
    })?;
    session.finish(|| Ok(()))
}
