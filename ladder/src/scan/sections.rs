//! Document 4's hierarchical scan, with any kernel that scans one section in each block.
//!
//! ```text
//! up:    scan the sections of the input, and write their totals; scan the sections of the totals; and so on,
//!        until there is one section
//! down:  combine the scanned totals with the sections after the first, level by level back to the output
//! ```

use super::{Run, blocks};
use crate::scratch::{Address, Scratch};
use crate::{Item, Measured, Result};

/// Two numbers of items, each for one thread of a block.
#[derive(Clone, Copy)]
pub struct Shares {
    /// Items that the kernel scans.
    items: u32,
    /// Items that the shared memory has room for.
    shared_items: u32,
}

pub const KOGGE_STONE: Shares = Shares {
    items: 1,
    shared_items: 1,
};

pub const DOUBLE_BUFFERED: Shares = Shares {
    items: 1,
    shared_items: 2,
};

pub const BRENT_KUNG: Shares = Shares {
    items: 2,
    shared_items: 2,
};

/// A level of the hierarchy: items that are scanned in sections.
struct Level {
    input: Address,
    output: Address,
    item_count: u64,
    sections: u64,
    /// The address for the sections' totals.
    totals: Address,
}

pub fn run<T: Item>(run: Run<'_>, shares: Shares) -> Result<Measured<()>> {
    let mut session = run.session;
    let scan = session.kernel(run.symbols.scan)?;
    let inclusive = session.kernel(run.symbols.inclusive)?;
    let prefixes = session.kernel(run.symbols.prefixes)?;

    let section_items = u64::from(run.block_size * shares.items);
    let shared_bytes = run.block_size * shares.shared_items * size_of::<T>() as u32;
    let totals = Scratch::<T>::new(total_count(run.item_count, section_items))?;
    let mut levels = vec![Level {
        input: run.input,
        output: run.output,
        item_count: run.item_count,
        sections: run.item_count.div_ceil(section_items),
        totals: totals.address(),
    }];
    while let Some(below) = levels.last().filter(|below| below.sections > 1) {
        let above = below.above::<T>(section_items);
        levels.push(above);
    }

    session.timed(|session| {
        let mut kernel = &scan;
        for level in &levels {
            let shape = (blocks(level.item_count, section_items), run.block_size);
            let parameters = [level.input, level.output, level.totals, level.item_count];
            // SAFETY: these are the kernel's parameters. There is a block for each section, with the shared memory that `shares` states,
            // and room for the section's total. Input and output have room for all items. They do not overlap at the first level; at higher
            // levels the scan is inclusive and in place.
            unsafe { session.launch(kernel, shape, shared_bytes, parameters) }?;
            kernel = &inclusive;
        }
        for level in levels.iter().rev().skip(1) {
            let shape = (level.sections as u32 - 1, run.block_size);
            let parameters = [level.totals, level.output, level.item_count, section_items];
            // SAFETY: these are the kernel's parameters. There is a block for each section except the first. Each level except the last has
            // at least two sections, so there is at least one block. The totals have been scanned.
            unsafe { session.launch(&prefixes, shape, 0, parameters) }?;
        }
        Ok(())
    })?;
    session.finish(|| Ok(()))
}

/// The number of sections of all levels together.
fn total_count(item_count: u64, section_items: u64) -> usize {
    let above = |&count: &u64| (count > 1).then(|| count.div_ceil(section_items));
    let sections = item_count.div_ceil(section_items);
    std::iter::successors(Some(sections), above).sum::<u64>() as usize
}

impl Level {
    /// The next level: this level's totals, which are scanned in place.
    fn above<T>(&self, section_items: u64) -> Self {
        Self {
            input: self.totals,
            output: self.totals,
            item_count: self.sections,
            sections: self.sections.div_ceil(section_items),
            totals: self.totals + self.sections * size_of::<T>() as u64,
        }
    }
}
