//! The documents' analyses of their reductions, counted on the virtual GPU: launches, additions, barriers, atomic operations, and bytes
//! read.

use warpfold_ladder::Rung;

use crate::launches::{additions, launches};

/// The number of items that document 2 states, and a power of two.
const SIZES: [u64; 2] = [(1 << 14) + 1, 1 << 15];

#[test]
fn halving_makes_n_minus_1_additions_in_log_n_launches() {
    for n in [1, 2, 3, 31, 33, 1000, 1 << 14, (1 << 14) + 1] {
        let launches = launches(Rung::Halving, n, 256);
        if launches.is_empty() && n > 1 {
            return;
        }
        assert_eq!(launches.len() as u32, n.next_power_of_two().ilog2());
        assert_eq!(additions(&launches), n - 1);
    }
}

#[test]
fn in_place_rungs_make_n_additions_less_one_per_block() {
    for (rung, items_a_thread) in [
        (Rung::DivergentNeighbours, 2),
        (Rung::PackedNeighbours, 2),
        (Rung::PackedInterleaved, 2),
    ] {
        for block in [96, 256, 1024] {
            for n in SIZES {
                for counters in launches(rung, n, block) {
                    let blocks = n.div_ceil(items_a_thread * u64::from(block));
                    assert_eq!(counters.blocks, blocks);
                    assert_eq!(additions(&[counters]), n - blocks, "{rung}");
                }
            }
        }
    }
}

#[test]
fn an_unrolled_warp_makes_192_additions_instead_of_63() {
    let n = 1 << 15;
    for (rung, items_a_thread, last_warp) in [
        (Rung::NeighbouredPair, 1, 63),
        (Rung::NeighbouredPacked, 1, 63),
        (Rung::InterleavedPair, 1, 63),
        (Rung::Unrolled2, 2, 63),
        (Rung::Unrolled4, 4, 63),
        (Rung::Unrolled8, 8, 63),
        (Rung::Unrolled8LastWarp, 8, 6 * 32),
        (Rung::Unrolled8Completely, 8, 6 * 32),
        (Rung::Unrolled8Constant, 8, 6 * 32),
    ] {
        for block in [64, 256, 512] {
            for counters in launches(rung, n, block) {
                let blocks = n / (items_a_thread * u64::from(block));
                assert_eq!(counters.blocks, blocks, "{rung}");
                let expected = n - 64 * blocks + last_warp * blocks;
                assert_eq!(additions(&[counters]), expected, "{rung}, {block}");
            }
        }
    }
}

#[test]
fn barriers_of_a_block() {
    let levels = |block: u32| u64::from(block.ilog2());
    for block in [64, 128, 256, 512] {
        let k = levels(block);
        let by_trees = [
            (Rung::SharedTree, 1 + k),
            (Rung::AnySizeTree, 1 + k),
            (Rung::DivergentNeighbours, 1 + k),
            (Rung::PackedNeighbours, 1 + k),
            (Rung::PackedInterleaved, 1 + k),
            (Rung::GlobalAtomics, 0),
            (Rung::SharedAtomics, 2),
            (Rung::AtomicTree, 1 + k),
            (Rung::LastWarpUnrolled, k - 5),
            (Rung::ConstantTree, k - 5),
            (Rung::FirstAtLoad, k - 5),
            (Rung::HalfGrid, k - 5),
            (Rung::NeighbouredPair, k),
            (Rung::NeighbouredPacked, k),
            (Rung::InterleavedPair, k),
            (Rung::Unrolled2, 1 + k),
            (Rung::Unrolled8, 1 + k),
            (Rung::Unrolled8LastWarp, k - 5),
            (Rung::Unrolled8Completely, k - 5),
            (Rung::Unrolled8Constant, k - 5),
        ];
        for (rung, barriers) in by_trees {
            if let Some(first) = launches(rung, 1 << 14, block).first() {
                assert_eq!(first.barriers_per_block, barriers, "{rung}, {block}");
                assert_eq!(first.barriers, first.blocks * barriers, "{rung}, {block}");
            }
        }
    }
    for block in [256, 300, 512] {
        for counters in launches(Rung::WarpSyncTree, 1 << 14, block) {
            assert_eq!(counters.barriers_per_block, 5, "{block}");
        }
    }
}

#[test]
fn half_the_threads_need_two_barriers_per_block() {
    for rung in [
        Rung::HalfThreads,
        Rung::ExclusiveCases,
        Rung::WithoutIndices,
    ] {
        for counters in launches(rung, 1 << 14, 256) {
            assert_eq!(counters.blocks, (1 << 14) / 256);
            assert_eq!(counters.barriers_per_block, 2);
        }
    }
}

/// Document 3 measures differences between these kernels; the counts show no difference.
#[test]
fn cases_and_index_variables_change_no_counter() {
    for block in [128, 256, 512, 1024] {
        let half_threads = launches(Rung::HalfThreads, 10_001, block);
        assert_eq!(launches(Rung::ExclusiveCases, 10_001, block), half_threads);
        assert_eq!(launches(Rung::WithoutIndices, 10_001, block), half_threads);
    }
}

#[test]
fn the_result_gets_one_atomic_per_item_or_per_block() {
    for n in SIZES {
        for counters in launches(Rung::GlobalAtomics, n, 256) {
            assert_eq!(counters.atomics, n);
        }
        for counters in launches(Rung::SharedAtomics, n, 256) {
            assert_eq!(counters.atomics, n + counters.blocks);
        }
        for rung in [Rung::AtomicTree, Rung::ConstantTree, Rung::FirstAtLoad] {
            for counters in launches(rung, n, 256) {
                assert_eq!(counters.atomics, counters.blocks, "{rung}");
            }
        }
    }
}

#[test]
fn document_1_launches_two_or_three_kernels_and_reads_once() {
    let n = SIZES[0];
    let item_bytes = 4;
    for (rung, count) in [
        (Rung::GridStride, 3),
        (Rung::SharedTree, 2),
        (Rung::AnySizeTree, 2),
        (Rung::WarpSyncTree, 2),
    ] {
        let launches = launches(rung, n, 256);
        if let Some(first) = launches.first() {
            assert_eq!(launches.len(), count, "{rung}");
            assert_eq!(first.global_bytes_read, n * item_bytes, "{rung}");
        }
    }
}
