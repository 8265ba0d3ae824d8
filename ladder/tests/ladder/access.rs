//! Compares the documents' drawings of each level with the virtual GPU's counts: the divergence of warps, and the cost of a warp's
//! accesses.

use std::collections::BTreeSet;

use warpfold_ladder::Rung;

use crate::launches::launches;

/// The first of the two items that a thread combines at the level of this stride; `None` if the thread is idle.
type Worker = fn(thread: u32, stride: u32, block: u32) -> Option<u32>;

/// A kernel, as its document draws it.
struct Drawing {
    rung: Rung,
    items_a_thread: u32,
    /// Whether strides grow from 1 or shrink to 1.
    order: Order,
    worker: Worker,
}

#[derive(PartialEq)]
enum Order {
    Growing,
    Shrinking,
}

const DRAWINGS: [Drawing; 6] = [
    Drawing {
        rung: Rung::DivergentNeighbours,
        items_a_thread: 2,
        order: Order::Growing,
        worker: |thread, stride, _| thread.is_multiple_of(stride).then_some(2 * thread),
    },
    Drawing {
        rung: Rung::PackedNeighbours,
        items_a_thread: 2,
        order: Order::Growing,
        worker: |thread, stride, block| (thread < block / stride).then_some(2 * stride * thread),
    },
    Drawing {
        rung: Rung::PackedInterleaved,
        items_a_thread: 2,
        order: Order::Shrinking,
        worker: |thread, stride, _| (thread < stride).then_some(thread),
    },
    Drawing {
        rung: Rung::NeighbouredPair,
        items_a_thread: 1,
        order: Order::Growing,
        worker: |thread, stride, _| thread.is_multiple_of(2 * stride).then_some(thread),
    },
    Drawing {
        rung: Rung::NeighbouredPacked,
        items_a_thread: 1,
        order: Order::Growing,
        worker: |thread, stride, block| Some(2 * stride * thread).filter(|&index| index < block),
    },
    Drawing {
        rung: Rung::InterleavedPair,
        items_a_thread: 1,
        order: Order::Shrinking,
        worker: |thread, stride, _| (thread < stride).then_some(thread),
    },
];

/// Items in a sector of memory.
const SECTOR_ITEMS: u32 = 8;

impl Drawing {
    /// The strides of the levels, in order.
    fn strides(&self, block: u32) -> Vec<u32> {
        let levels = (block * self.items_a_thread).ilog2();
        let mut strides: Vec<u32> = (0..levels).map(|level| 1 << level).collect();
        if self.order == Order::Shrinking {
            strides.reverse();
        }
        strides
    }

    /// For each warp, the first items of its threads' pairs, at the level of this stride.
    fn warps(&self, stride: u32, block: u32) -> impl Iterator<Item = Vec<u32>> {
        let warp = move |first: u32| {
            let threads = first..first + 32;
            threads.filter_map(move |thread| (self.worker)(thread, stride, block))
        };
        (0..block)
            .step_by(32)
            .map(move |first| warp(first).collect())
    }

    /// The number of warps that have both active and inactive threads.
    fn diverging_warps(&self, stride: u32, block: u32) -> u64 {
        let warps = self.warps(stride, block);
        warps
            .filter(|items| !items.is_empty() && items.len() < 32)
            .count() as u64
    }

    /// The numbers of sectors that a block reads and writes at this level.
    fn sectors(&self, stride: u32, block: u32) -> (u64, u64) {
        let sectors = |items: &[u32], offset| {
            let sectors = items.iter().map(|item| (item + offset) / SECTOR_ITEMS);
            sectors.collect::<BTreeSet<_>>().len() as u64
        };
        let warps: Vec<_> = self.warps(stride, block).collect();
        let own: u64 = warps.iter().map(|items| sectors(items, 0)).sum();
        let partners: u64 = warps.iter().map(|items| sectors(items, stride)).sum();
        (own + partners, own)
    }
}

#[test]
fn warps_diverge_as_drawn() {
    for drawing in DRAWINGS {
        for block in [32, 64, 128, 256, 512, 1024] {
            let strides = drawing.strides(block).into_iter();
            let levels: u64 = strides
                .map(|stride| drawing.diverging_warps(stride, block))
                .sum();
            let block_items = u64::from(drawing.items_a_thread * block);
            for counters in launches(drawing.rung, 2 * block_items, block) {
                // At the end, only thread 0 writes the result, so its warp diverges once more.
                let expected = 2 * (levels + 1);
                assert_eq!(
                    counters.divergent_branches, expected,
                    "{}, {block}",
                    drawing.rung
                );
            }
        }
    }
}

/// The documents' figures for 256 and for 512 threads, stride by stride.
#[test]
fn drawings_diverge_as_in_the_documents() {
    let by_stride = |drawing: &Drawing, block| -> Vec<u64> {
        let strides = drawing.strides(block).into_iter();
        strides
            .map(|stride| drawing.diverging_warps(stride, block))
            .collect()
    };
    let [kernel_1, kernel_2, _, pair, packed, _] = &DRAWINGS;
    assert_eq!(by_stride(kernel_1, 256), [0, 8, 8, 8, 8, 8, 4, 2, 1]);
    assert_eq!(by_stride(kernel_2, 256), [0, 0, 0, 0, 1, 1, 1, 1, 1]);
    assert_eq!(by_stride(pair, 512), [16, 16, 16, 16, 16, 8, 4, 2, 1]);
    assert_eq!(by_stride(packed, 512), [0, 0, 0, 0, 1, 1, 1, 1, 1]);
    let working_warps = |stride| {
        packed
            .warps(stride, 512)
            .filter(|items| !items.is_empty())
            .count()
    };
    assert_eq!([working_warps(1), working_warps(2)], [8, 4]);
}

#[test]
fn accesses_are_as_contiguous_as_drawn() {
    for drawing in DRAWINGS {
        let block = 256;
        let mut expected = (0, 0);
        for stride in drawing.strides(block) {
            let (read, written) = drawing.sectors(stride, block);
            expected = (expected.0 + read, expected.1 + written);
        }
        let block_items = u64::from(drawing.items_a_thread * block);
        for counters in launches(drawing.rung, block_items, block) {
            let found = (
                counters.global_sectors_read,
                counters.global_sectors_written,
            );
            // At the end, thread 0 reads the result and writes it to the block's partial.
            assert_eq!(found, (expected.0 + 1, expected.1 + 1), "{}", drawing.rung);
        }
    }
}
