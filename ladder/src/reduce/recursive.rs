//! Document 5, dynamic parallelism: each kernel launches its own later levels, and the host combines the blocks' results.

use super::{Run, blocks};
use crate::nested::Children;
use crate::scratch::{Address, Scratch};
use crate::{Item, Measured, Plain, Result, Rung};

/// The first parameters of every kernel that this module launches.
struct Pointers {
    items: Address,
    partials: Address,
    refusal: Address,
}

/// Every block launches the next level for itself.
pub fn by_blocks<O: Plain<T>, T: Item>(rung: Rung, run: Run<'_, T>) -> Result<Measured<T>> {
    let block_items = run.block_threads;
    // SAFETY: after the pointers, the kernel's parameter is the number of a block's items, which equals the block size.
    unsafe {
        launch::<O, T, 4>(rung, run, block_items, |to| {
            [to.items, to.partials, to.refusal, block_items.into()]
        })
    }
}

/// One thread launches the next level for all blocks.
pub fn by_one<O: Plain<T>, T: Item>(rung: Rung, run: Run<'_, T>) -> Result<Measured<T>> {
    let stride = run.block_threads;
    let block_items = 2 * stride;
    // SAFETY: after the pointers, the kernel's parameters are the stride and the number of a block's items. The stride equals the block
    // size, and the number is twice as large.
    unsafe {
        launch::<O, T, 5>(rung, run, block_items, |to| {
            let [stride, block_items] = [stride, block_items].map(u64::from);
            [to.items, to.partials, to.refusal, stride, block_items]
        })
    }
}

/// Launches the kernel, and combines the blocks' results.
///
/// # Safety
///
/// `parameters` takes three addresses and returns the kernel's parameters. At the addresses are `block_items` items for each block, a
/// partial for each block, and a word. A launch with these parameters meets the kernel's conditions.
unsafe fn launch<O: Plain<T>, T: Item, const N: usize>(
    rung: Rung,
    mut run: Run<'_, T>,
    block_items: u32,
    parameters: impl Fn(Pointers) -> [u64; N],
) -> Result<Measured<T>> {
    let (input, block_threads) = (run.input, run.block_threads);
    let grid_blocks = blocks(input.len() as u64, block_items);
    let padded_count = grid_blocks as usize * block_items as usize;
    let items = Scratch::<T>::padded_copy_of(input, padded_count, O::identity())?;
    let partials = Scratch::<T>::new(grid_blocks as usize)?;
    let children = Children::expect(grid_blocks)?;
    let parameters = parameters(Pointers {
        items: items.address(),
        partials: partials.address(),
        refusal: children.refusal.address(),
    });
    run.timed(|session, kernel| {
        // SAFETY: the scratch memory has the items, the partials and the word, so the launch meets the kernel's conditions (this function's
        // condition).
        unsafe { session.launch(kernel, (grid_blocks, block_threads), 0, parameters) }
    })?;
    run.session.finish(|| {
        children.check(rung)?;
        Ok(partials
            .to_host()?
            .into_iter()
            .fold(O::identity(), O::combine))
    })
}
