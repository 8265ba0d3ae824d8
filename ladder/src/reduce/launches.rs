//! Document 1: further launches combine the results of the first launch.

use super::{Run, blocks};
use crate::scratch::{Scratch, address_of};
use crate::{Item, Measured, Result};

/// The number of blocks of the first of three launches.
const FIRST_OF_THREE: u32 = 288;

/// `reduce0`: a launch for every level.
pub fn one_a_level<T: Item>(mut run: Run<'_, T>) -> Result<Measured<T>> {
    let (input, block_threads) = (run.input, run.block_threads);
    let items = Scratch::<T>::copy_of(input)?;
    run.timed(|session, kernel| {
        let mut item_count = input.len() as u64;
        while item_count > 1 {
            let half = item_count.div_ceil(2);
            let shape = (blocks(half, block_threads), block_threads);
            // SAFETY: these are the kernel's parameters. The scratch memory holds `item_count` items, and there is a thread for each item
            // of the lower half.
            unsafe { session.launch(kernel, shape, 0, [items.address(), item_count]) }?;
            item_count = half;
        }
        Ok(())
    })?;
    run.session.finish(|| items.first())
}

/// `reduce1`: three launches: of several blocks, of one block, and of one thread.
pub fn three<T: Item>(mut run: Run<'_, T>) -> Result<Measured<T>> {
    let (input, block_threads) = (run.input, run.block_threads);
    let items = Scratch::<T>::copy_of(input)?;
    run.timed(|session, kernel| {
        let mut item_count = input.len() as u64;
        for shape in [(FIRST_OF_THREE, block_threads), (1, block_threads), (1, 1)] {
            // SAFETY: these are the kernel's parameters, and the scratch memory holds `item_count` items.
            unsafe { session.launch(kernel, shape, 0, [items.address(), item_count]) }?;
            // Each thread that had items has written one result.
            let (grid_blocks, block_threads) = shape;
            item_count = item_count.min(u64::from(grid_blocks) * u64::from(block_threads));
        }
        Ok(())
    })?;
    run.session.finish(|| items.first())
}

/// `reduce2` to `reduce4`: a launch of several blocks, and then a launch of one block with a thread for each block of the first launch.
pub fn two<T: Item>(mut run: Run<'_, T>, grid_blocks: u32) -> Result<Measured<T>> {
    let (input, block_threads) = (run.input, run.block_threads);
    let partials = Scratch::<T>::new(grid_blocks as usize)?;
    let result = Scratch::<T>::new(1)?;
    let shared_bytes = |threads| threads * size_of::<T>() as u32;
    let [grid, block] = [(grid_blocks, block_threads), (1, grid_blocks)];
    let first = [address_of(input), partials.address(), input.len() as u64];
    let second = [partials.address(), result.address(), grid_blocks.into()];
    run.timed(|session, kernel| {
        // SAFETY: these are the kernel's parameters, and `input` holds the items. `partials` has an item for each block of the first
        // launch, and each block writes its item. `result` has an item for the block of the second launch. A block has shared memory for an
        // item of each thread.
        unsafe {
            session.launch(kernel, grid, shared_bytes(block_threads), first)?;
            session.launch(kernel, block, shared_bytes(grid_blocks), second)
        }
    })?;
    run.session.finish(|| result.first())
}
