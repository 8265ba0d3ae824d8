//! Document 3: atomic operations on one word combine the results of all threads or blocks, so the host combines nothing.

use super::{Run, blocks};
use crate::scratch::{Scratch, address_of};
use crate::{Item, Measured, Plain, Result};

/// One launch, with `thread_items` items for each thread.
pub fn run<O: Plain<T>, T: Item>(mut run: Run<'_, T>, thread_items: u64) -> Result<Measured<T>> {
    let (input, block_threads) = (run.input, run.block_threads);
    let result = Scratch::<T>::filled(1, O::identity())?;
    let item_count = input.len() as u64;
    let shape = (
        blocks(item_count.div_ceil(thread_items), block_threads),
        block_threads,
    );
    let shared_bytes = block_threads * size_of::<T>() as u32;
    let parameters = [address_of(input), result.address(), item_count];
    run.timed(|session, kernel| {
        // SAFETY: these are the kernel's parameters, and the kernel is for blocks of this size. The input has `item_count` items, and the
        // scratch memory holds the identity. A block has shared memory for one item of each thread.
        unsafe { session.launch(kernel, shape, shared_bytes, parameters) }
    })?;
    run.session.finish(|| result.first())
}
