//! Reductions and scans under every policy of the virtual GPU, with all checks: corrected races stay corrected. Some of the documents' own
//! kernels would fail here: they have barriers that some threads never reach, unrolled warps without barriers, or levels that are launched
//! too early.

use virtual_gpu::driver::run_with;
use virtual_gpu::{Checks, Mode, Policy, RunOptions};
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Max, Sum};
use warpfold_ladder::{Kind, Placement, Rung};

use crate::common::mode;
use crate::data::ordinary;
use crate::device::ladder;

/// The block size with which these tests run a rung.
fn block_size(rung: Rung) -> u32 {
    let sizes = rung.block_sizes();
    let wanted = [128, 256, 1];
    wanted
        .into_iter()
        .find(|&size| sizes.contains(size))
        .unwrap()
}

/// Runs a sum and a maximum. The number of items is no multiple of the block size.
fn check_reduction(rung: Rung, options: &RunOptions) {
    let ladder = ladder();
    let block_size = block_size(rung);
    let items = ordinary::<Sum, u32>(6 * block_size as usize - 57);
    let buffer = DeviceBuffer::from_slice(&items).unwrap();
    run_with(options.clone(), || {
        let sum = ladder.reduce::<Sum, _>(rung, &buffer, block_size);
        let expected = items.iter().fold(0u32, |sum, &item| sum.wrapping_add(item));
        assert_eq!(sum, Ok(expected), "{rung}, {options:?}");
        let max = ladder.reduce::<Max, _>(rung, &buffer, block_size);
        assert_eq!(max, Ok(*items.iter().max().unwrap()), "{rung}, {options:?}");
    });
}

/// Runs an inclusive and an exclusive scan. If there are sections, the last section is not full.
fn check_scan(rung: Rung, options: &RunOptions) {
    let ladder = ladder();
    let items = ordinary::<Sum, u32>(6 * 128 - 57);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let mut output = DeviceBuffer::from_slice(&items).unwrap();
    let sums = items.iter().scan(0u32, |sum, &item| {
        *sum = sum.wrapping_add(item);
        Some(*sum)
    });
    let inclusive: Vec<u32> = sums.collect();
    for placement in Placement::ALL {
        run_with(options.clone(), || {
            let block_size = block_size(rung);
            ladder
                .scan::<Sum, _>(rung, placement, &input, &mut output, block_size)
                .unwrap();
        });
        let mut expected = inclusive.clone();
        if placement == Placement::Exclusive {
            expected.rotate_right(1);
            expected[0] = 0;
        }
        let found = output.as_host_vec().unwrap();
        assert_eq!(found, expected, "{rung}, {placement}, {options:?}");
    }
}

#[test]
fn every_rung_passes_all_checks_under_every_policy() {
    if mode() == Mode::Real {
        return;
    }
    for &rung in Rung::ALL {
        for policy in Policy::ALL {
            let options = RunOptions {
                seed: 1,
                policy,
                checks: Checks::all(),
                ..RunOptions::default()
            };
            match rung.kind() {
                Kind::Reduction => check_reduction(rung, &options),
                Kind::Scan => check_scan(rung, &options),
                _ => {}
            }
        }
    }
}
