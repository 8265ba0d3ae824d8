//! Documents 2 and 5: each block writes a result, and the host combines the blocks' results.

use super::{Run, blocks};
use crate::scratch::{Address, Scratch};
use crate::{Item, Measured, Plain, Result};

/// Document 2: two items for each thread. The grid has as many blocks as the items need.
pub fn of_pairs<O: Plain<T>, T: Item>(run: Run<'_, T>) -> Result<Measured<T>> {
    let item_count = run.input.len() as u64;
    let grid_blocks = blocks(item_count, 2 * run.block_threads);
    let items = Scratch::<T>::copy_of(run.input)?;
    // SAFETY: the parameters are those of document 2's kernels. The scratch memory holds `item_count` items, and each block has at least
    // one of them.
    unsafe {
        launch::<O, T, 3>(run, grid_blocks, |partials| {
            [items.address(), partials, item_count]
        })
    }
}

/// Document 5: `thread_items` items for each thread of the grid. The last block is padded with the identity.
pub fn of_padded<O: Plain<T>, T: Item>(run: Run<'_, T>, thread_items: u32) -> Result<Measured<T>> {
    let block_items = thread_items * run.block_threads;
    let grid_blocks = blocks(run.input.len() as u64, block_items);
    let padded_count = grid_blocks as usize * block_items as usize;
    let items = Scratch::<T>::padded_copy_of(run.input, padded_count, O::identity())?;
    // SAFETY: the parameters are those of document 5's kernels. The scratch memory holds `thread_items` items for each thread of the grid.
    unsafe { launch::<O, T, 2>(run, grid_blocks, |partials| [items.address(), partials]) }
}

/// Launches the kernel, and combines the blocks' results.
///
/// # Safety
///
/// `parameters` takes the address of the blocks' results, and returns the kernel's parameters. At the address is an item for each block. A
/// launch with these parameters and `grid_blocks` blocks meets the kernel's conditions.
unsafe fn launch<O: Plain<T>, T: Item, const N: usize>(
    mut run: Run<'_, T>,
    grid_blocks: u32,
    parameters: impl Fn(Address) -> [u64; N],
) -> Result<Measured<T>> {
    let shape = (grid_blocks, run.block_threads);
    let partials = Scratch::<T>::new(grid_blocks as usize)?;
    let parameters = parameters(partials.address());
    run.timed(|session, kernel| {
        // SAFETY: `partials` has an item for each block, so the launch meets the kernel's conditions (this function's condition).
        unsafe { session.launch(kernel, shape, 0, parameters) }
    })?;
    run.session.finish(|| {
        Ok(partials
            .to_host()?
            .into_iter()
            .fold(O::identity(), O::combine))
    })
}
