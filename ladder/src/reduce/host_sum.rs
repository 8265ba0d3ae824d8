//! Documents 2 and 5: each block leaves a result, and the host combines them.

use super::{Run, blocks};
use crate::scratch::{Address, Scratch};
use crate::{Item, Measured, Plain, Result};

/// Document 2: two items a thread, and no grid that limits their number.
pub fn of_pairs<O: Plain<T>, T: Item>(run: Run<'_, T>) -> Result<Measured<T>> {
    let item_count = run.input.len() as u64;
    let grid_blocks = blocks(item_count, 2 * run.block_threads);
    let items = Scratch::<T>::copy_of(run.input)?;
    // SAFETY: the scratch memory holds the items, and each block has at least one of them.
    unsafe {
        launch::<O, T, 3>(run, grid_blocks, |partials| {
            [items.address(), partials, item_count]
        })
    }
}

/// Document 5: a number of items for each thread of the grid, some of them the identity.
pub fn of_padded<O: Plain<T>, T: Item>(run: Run<'_, T>, thread_items: u32) -> Result<Measured<T>> {
    let block_items = thread_items * run.block_threads;
    let grid_blocks = blocks(run.input.len() as u64, block_items);
    let padded_count = grid_blocks as usize * block_items as usize;
    let items = Scratch::<T>::padded_copy_of(run.input, padded_count, O::identity())?;
    // SAFETY: the scratch memory holds the items of all threads.
    unsafe { launch::<O, T, 2>(run, grid_blocks, |partials| [items.address(), partials]) }
}

/// Launches the kernel, and combines the blocks' results.
///
/// # Safety
///
/// `parameters` are the kernel's, if it is given where its blocks' results go; the rest keeps its contract.
unsafe fn launch<O: Plain<T>, T: Item, const N: usize>(
    mut run: Run<'_, T>,
    grid_blocks: u32,
    parameters: impl Fn(Address) -> [u64; N],
) -> Result<Measured<T>> {
    let shape = (grid_blocks, run.block_threads);
    let partials = Scratch::<T>::new(grid_blocks as usize)?;
    let parameters = parameters(partials.address());
    run.timed(|session, kernel| {
        // SAFETY: the caller's; there is an item of scratch memory for each block.
        unsafe { session.launch(kernel, shape, 0, parameters) }
    })?;
    run.session.finish(|| {
        Ok(partials
            .to_host()?
            .into_iter()
            .fold(O::identity(), O::combine))
    })
}
