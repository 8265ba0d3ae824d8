//! Occupancy: how many blocks a multiprocessor holds at once. The limits on the threads, the shared memory
//! and the blocks of a multiprocessor decide this number.

use crate::WARP_LANES;
use crate::driver::abi::{BlockSizeToShared, Handle, Out, shared_bytes_for};
use crate::driver::calls::function::find;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::module::Function;

/// The only flag that these calls accept, `CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE`.
const FLAGS: u32 = 1;

pub(crate) fn max_active_blocks(
    blocks: Out<i32>,
    function: Handle<Function>,
    threads: i32,
    dynamic_shared_bytes: usize,
) -> Outcome {
    let function = find(function)?;
    let threads = positive(threads)?;
    let count = function.blocks_per_multiprocessor(threads, dynamic_shared_bytes);
    blocks.write(count.cast_signed())
}

pub(crate) fn max_active_blocks_with_flags(
    blocks: Out<i32>,
    function: Handle<Function>,
    threads: i32,
    dynamic_shared_bytes: usize,
    flags: u32,
) -> Outcome {
    check_flags(flags)?;
    max_active_blocks(blocks, function, threads, dynamic_shared_bytes)
}

/// Tries the multiples of 32 threads, and the largest block that is allowed. Writes the block size with the most resident threads per
/// multiprocessor. If several sizes are equally good, it writes the largest of them.
pub(crate) fn best_block(
    grid_blocks: Out<i32>,
    block_threads: Out<i32>,
    function: Handle<Function>,
    shared_bytes_of: BlockSizeToShared,
    dynamic_shared_bytes: usize,
    limit: i32,
) -> Outcome {
    let function = find(function)?;
    let (grid_blocks, block_threads) = (grid_blocks.required()?, block_threads.required()?);
    let limit = u32::try_from(limit).map_err(|_| Code::INVALID_VALUE)?;
    let largest = match (limit, function.max_threads_per_block()) {
        (0, of_function) => of_function,
        (limit, of_function) => limit.min(of_function),
    };
    let sizes = (1..=largest).filter(|threads| threads % WARP_LANES == 0 || *threads == largest);
    let (mut best_blocks, mut best_threads) = (0, 0);
    for threads in sizes {
        let shared = shared_bytes_for(shared_bytes_of, threads.cast_signed());
        let shared = shared.unwrap_or(dynamic_shared_bytes);
        let blocks = function.blocks_per_multiprocessor(threads, shared);
        if blocks > 0 && blocks * threads >= best_blocks * best_threads {
            (best_blocks, best_threads) = (blocks, threads);
        }
    }
    let multiprocessors = function.module.context.device.config.multiprocessors;
    grid_blocks.write((best_blocks * multiprocessors).cast_signed())?;
    block_threads.write(best_threads.cast_signed())
}

pub(crate) fn best_block_with_flags(
    grid_blocks: Out<i32>,
    block_threads: Out<i32>,
    function: Handle<Function>,
    shared_bytes_of: BlockSizeToShared,
    dynamic_shared_bytes: usize,
    limit: i32,
    flags: u32,
) -> Outcome {
    check_flags(flags)?;
    best_block(
        grid_blocks,
        block_threads,
        function,
        shared_bytes_of,
        dynamic_shared_bytes,
        limit,
    )
}

/// The most dynamic shared memory per block with which one multiprocessor can hold `blocks` blocks.
pub(crate) fn available_dynamic_shared(
    bytes: Out<usize>,
    function: Handle<Function>,
    blocks: i32,
    threads: i32,
) -> Outcome {
    let function = find(function)?;
    let (blocks, threads) = (positive(blocks)?, positive(threads)?);
    if function.blocks_per_multiprocessor(threads, 0) < blocks {
        return Err(Code::INVALID_VALUE);
    }
    let config = &function.module.context.device.config;
    let share = config.shared_bytes_per_multiprocessor / blocks;
    let of_block = share.saturating_sub(config.reserved_shared_bytes_per_block);
    let of_block = of_block.min(config.shared_bytes_per_block_optin);
    let dynamic = of_block.saturating_sub(function.kernel.static_shared_bytes());
    bytes.write(dynamic as usize)
}

fn positive(count: i32) -> Outcome<u32> {
    let count = u32::try_from(count).map_err(|_| Code::INVALID_VALUE)?;
    if count == 0 {
        return Err(Code::INVALID_VALUE);
    }
    Ok(count)
}

fn check_flags(flags: u32) -> Outcome {
    if flags & !FLAGS != 0 {
        return Err(Code::INVALID_VALUE);
    }
    Ok(())
}
