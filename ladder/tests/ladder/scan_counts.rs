//! Document 4's analysis of its scans, counted on the virtual GPU. The tests count bank conflicts, barriers and additions. The number of
//! barriers follows from the number of passes. An addition is a float instruction of a lane.

use virtual_gpu::driver::watch_launches;
use virtual_gpu::{Class, Counters, Mode};
use warpfold::Sum;
use warpfold::cust::memory::DeviceBuffer;
use warpfold_ladder::{Placement, Rung};

use crate::common::mode;
use crate::device::ladder;

/// Block sizes for which a section is a power of two, as in the analysis.
const BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];

/// The counters of each launch of a scan of `items` items. Empty on a real GPU, which has no counters.
pub fn launches(rung: Rung, placement: Placement, items: u64, block: u32) -> Vec<Counters> {
    if mode() == Mode::Real {
        return Vec::new();
    }
    let ladder = ladder();
    let input = DeviceBuffer::from_slice(&vec![1.0f32; items as usize]).unwrap();
    let mut output = DeviceBuffer::zeroed(items as usize).unwrap();
    let watch = watch_launches();
    ladder
        .scan::<Sum, _>(rung, placement, &input, &mut output, block)
        .unwrap();
    let launches = watch.take().into_iter();
    launches.map(|launch| launch.outcome.unwrap()).collect()
}

fn additions(counters: &Counters) -> u64 {
    counters.of_class(Class::Float)
}

/// Additions of a Kogge-Stone scan of n items: n − s in the pass of stride s.
fn kogge_stone(n: u64) -> u64 {
    n * u64::from(n.ilog2()) - (n - 1)
}

/// Additions of a Brent-Kung scan of n items: on the way up, one for each inner node of the tree; on the way down, one for each item that
/// does not have its prefix yet.
fn brent_kung(n: u64) -> u64 {
    2 * (n - 1) - u64::from(n.ilog2())
}

#[test]
fn sequential_and_quadratic_scans_add_per_item_and_per_pair() {
    for placement in Placement::ALL {
        for n in [2, 31, 256, 1000] {
            for counters in launches(Rung::SequentialScan, placement, n, 1) {
                assert_eq!(additions(&counters), n - 1);
            }
            for counters in launches(Rung::QuadraticScan, placement, n, 128) {
                assert_eq!(additions(&counters), n * (n - 1) / 2);
            }
        }
    }
}

#[test]
fn kogge_stone_adds_about_n_log_n_times_in_log_n_passes() {
    for placement in Placement::ALL {
        for block in BLOCKS {
            let n = u64::from(block);
            let passes = u64::from(n.ilog2());
            for (rung, barriers) in [
                (Rung::KoggeStone, 2 * passes),
                (Rung::DoubleBufferedKoggeStone, passes),
            ] {
                for counters in launches(rung, placement, n, block) {
                    assert_eq!(additions(&counters), kogge_stone(n), "{rung:?}, {n}");
                    assert_eq!(counters.barriers, barriers, "{rung:?}, {n}");
                    assert_eq!(counters.bank_conflicts, 0, "{rung:?}, {n}");
                }
            }
        }
    }
}

#[test]
fn brent_kung_adds_under_2n_times_with_2_log_n_barriers() {
    for placement in Placement::ALL {
        for block in BLOCKS {
            let n = 2 * u64::from(block);
            for counters in launches(Rung::BrentKung, placement, n, block) {
                assert_eq!(additions(&counters), brent_kung(n), "{n}");
                // There are log₂ n passes on the way up and log₂ n − 1 on the way down. Each pass has a barrier before it, and one barrier
                // precedes the reads of the results.
                assert_eq!(counters.barriers, 2 * u64::from(n.ilog2()), "{n}");
                assert_eq!(counters.bank_conflicts, brent_kung_conflicts(n), "{n}");
            }
        }
    }
}

/// Bank conflicts of a Brent-Kung scan of n items. In the pass of stride s, active lanes access items that are 2 s apart. If s is at most
/// 16, lanes whose numbers differ by a multiple of 16 / s access the same bank. If s is larger, all lanes access the same bank. Each lane
/// reads two items and writes one.
fn brent_kung_conflicts(n: u64) -> u64 {
    const ACCESSES: u64 = 3;
    let mut strides: Vec<(u64, u64)> = Vec::new();
    let mut stride = 1;
    while stride < n {
        strides.push((stride, n / (2 * stride)));
        if stride <= n / 4 {
            strides.push((stride, n / (2 * stride) - 1));
        }
        stride *= 2;
    }
    let conflicts = |(stride, active): (u64, u64)| {
        let banks = (32 / (2 * stride)).max(1);
        let of_warp = |lanes: u64| lanes.div_ceil(banks).saturating_sub(1);
        active / 32 * of_warp(32) + of_warp(active % 32)
    };
    ACCESSES * strides.into_iter().map(conflicts).sum::<u64>()
}

#[test]
fn bank_conflicts_match_the_guide() {
    let sections = [64, 128, 256, 512, 1024, 2048];
    assert_eq!(
        sections.map(brent_kung_conflicts),
        [27, 84, 201, 438, 915, 1872]
    );
}

#[test]
fn a_hierarchy_scans_sections_then_their_totals_then_adds() {
    // 10 sections of 64 items: their totals fit in one section.
    for (rung, block, of_section) in [
        (Rung::KoggeStone, 64, kogge_stone(64)),
        (Rung::BrentKung, 32, brent_kung(64)),
    ] {
        let counted = launches(rung, Placement::Inclusive, 640, block);
        let found: Vec<u64> = counted.iter().map(additions).collect();
        if mode() == Mode::Virtual {
            assert_eq!(found, [10 * of_section, of_section, 640 - 64], "{rung:?}");
        }
    }
}

#[test]
fn many_totals_are_scanned_in_sections_too() {
    // 1000 sections of 32 items. Their totals are 32 sections, whose totals are one section.
    let items = 32_000;
    let counted = launches(Rung::KoggeStone, Placement::Exclusive, items, 32);
    let found: Vec<(u64, u64)> = counted.iter().map(|c| (c.blocks, additions(c))).collect();
    if mode() == Mode::Virtual {
        let each = kogge_stone(32);
        let expected = [
            (1000, 1000 * each),
            (32, 32 * each),
            (1, each),
            (31, 1000 - 32),
            (999, items - 32),
        ];
        assert_eq!(found, expected);
    }
}
