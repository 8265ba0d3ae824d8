//! The shapes of kernels' blocks.

use warpfold_kernels::contract::{BLOCK_THREADS, ScanShape};
use warpfold_kernels::element::Element;
use warpfold_kernels::launch::{
    Copies, reduce_shared_bytes, scan_block_threads, scan_buffers, scan_shared_bytes,
};
use warpfold_kernels::op::Op;
use warpfold_kernels::scan::tuning;
use warpfold_kernels::segments::{RoomSize, Task};
use warpfold_kernels::{columns, heads, segments, selection};

/// The shape of a kernel's blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    pub(crate) threads: u32,
    /// Bytes of dynamic shared memory.
    pub(crate) shared_bytes: u32,
}

/// The blocks of a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Blocks {
    /// The blocks of these launches: short scans of the whole; launches over segments or by key, if there is at most one window for each
    /// resident block; and some reductions of rows.
    pub(crate) short: Block,
    /// The blocks of all other launches.
    pub(crate) long: Block,
    /// Launch bounds that replace those of the kernel's text: the threads of a block, and the number of blocks that share a multiprocessor.
    /// `None` if the text keeps its own bounds. A text for short blocks only has other bounds (see `gpu/form.rs`).
    pub(crate) bounds: Option<(u32, u32)>,
}

impl Blocks {
    /// All launches have the same blocks.
    fn of_one(block: Block) -> Self {
        Self {
            short: block,
            long: block,
            bounds: None,
        }
    }

    pub(super) fn of_reduction<O: Op<T>, T: Element>(_copies: Copies, _available: u32) -> Self {
        let block = Block {
            threads: BLOCK_THREADS,
            shared_bytes: reduce_shared_bytes::<O::Accumulator>(),
        };
        Self::of_one(block)
    }

    pub(super) fn of_segmented_reduction<O: Op<T>, T: Element>(
        _copies: Copies,
        _available: u32,
    ) -> Self {
        Self::of_segments::<T, O::Accumulator>(Task::Reduce)
    }

    pub(super) fn of_segmented_scan<O: Op<T>, T: Element>(
        _copies: Copies,
        _available: u32,
    ) -> Self {
        Self::of_segments::<T, O::Accumulator>(Task::Scan)
    }

    pub(super) fn of_by_key_reduction<O: Op<T>, T: Element>(
        _copies: Copies,
        _available: u32,
    ) -> Self {
        Self::of_keyed::<T, O::Accumulator>(Task::Reduce)
    }

    pub(super) fn of_by_key_scan<O: Op<T>, T: Element>(_copies: Copies, _available: u32) -> Self {
        Self::of_keyed::<T, O::Accumulator>(Task::Scan)
    }

    fn of_keyed<T, A>(task: Task) -> Self {
        let mut blocks = Self::of_windows::<T, A>(task, [RoomSize::Keyed; 2]);
        if blocks.bounds.is_some() {
            blocks.short.threads = segments::tuning::KEYED_BLOCK_THREADS;
        }
        blocks
    }

    fn of_segments<T, A>(task: Task) -> Self {
        Self::of_windows::<T, A>(task, [RoomSize::Double, task.room_size()])
    }

    /// The blocks of launches with windows. A short block has room `short`, and a long block has room `long`.
    fn of_windows<T, A>(task: Task, [short, long]: [RoomSize; 2]) -> Self {
        let block = |threads, size| Block {
            threads,
            shared_bytes: segments::shared_bytes::<T, A>(size),
        };
        Self {
            short: block(segments::tuning::SHORT_BLOCK_THREADS, short),
            long: block(segments::tuning::LONG_BLOCK_THREADS, long),
            bounds: segments::tuning::bounds::<T, A>(task, long),
        }
    }

    pub(super) fn of_columns<O: Op<T>, T: Element>(_copies: Copies, _available: u32) -> Self {
        let block = Block {
            threads: columns::BLOCK_THREADS,
            shared_bytes: columns::shared_bytes::<O::Accumulator>(),
        };
        Self::of_one(block)
    }

    /// The blocks of a selection among items of type `T`, with tile prefixes of type `A`.
    pub(crate) fn of_selection<T, A>(copies: Copies, available: u32) -> Self {
        // Two blocks share a multiprocessor if it has room for both blocks.
        let fitting = |available| selection::buffers::<T, A>(copies, available);
        // Every device has room for the least number of buffers.
        let least = match copies {
            Copies::Synchronous => 1,
            Copies::Asynchronous => 2,
        };
        let buffers = fitting(available / 2).or_else(|| fitting(available));
        let buffers = buffers.unwrap_or(least);
        let block = Block {
            threads: selection::BLOCK_THREADS,
            shared_bytes: selection::shared_bytes::<T, A>(buffers),
        };
        Self::of_one(block)
    }

    /// The blocks of launches that mark heads.
    pub(crate) fn of_heads(_copies: Copies, _available: u32) -> Self {
        let block = Block {
            threads: heads::BLOCK_THREADS,
            shared_bytes: heads::SHARED_BYTES,
        };
        Self::of_one(block)
    }

    pub(super) fn of_scan<O: Op<T>, T: Element>(copies: Copies, available: u32) -> Self {
        let tiles = tuning::tiles::<O, T>();
        let block = |shape: ScanShape, available| Block {
            threads: scan_block_threads(shape),
            shared_bytes: scan_shared_bytes::<O::Accumulator>(
                shape,
                scan_buffers::<O::Accumulator>(shape, copies, available),
            ),
        };
        Self {
            // Two short blocks share a multiprocessor, so each may have half of the shared memory.
            short: block(tiles.short, available / 2),
            long: block(tiles.long, available),
            bounds: tiles.long.is_large().then(|| {
                (
                    scan_block_threads(tiles.long),
                    tuning::BLOCKS_PER_MULTIPROCESSOR,
                )
            }),
        }
    }
}
