//! Document 1, `reduce0`: a launch for every level.

use super::scratch::Scratch;
use super::{Run, blocks};
use crate::error::Result;
use crate::kernel::Item;
use crate::ladder::Measured;

pub fn run<T: Item>(run: Run<'_>) -> Result<Measured<T>> {
    let Run {
        mut session,
        symbol,
        input,
        block_size,
    } = run;
    let kernel = session.kernel(symbol)?;
    let items = Scratch::<T>::copy_of(input)?;
    session.timed(|session| {
        let mut item_count = input.item_count as u64;
        while item_count > 1 {
            let half = item_count.div_ceil(2);
            let shape = (blocks(half, block_size), block_size);
            // SAFETY: these are the kernel's parameters; the scratch memory holds the items, and there is a thread for
            // each of the lower half.
            unsafe { session.launch(&kernel, shape, 0, [items.address(), item_count]) }?;
            item_count = half;
        }
        Ok(())
    })?;
    session.finish(|| items.first())
}
