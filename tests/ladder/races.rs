//! The rungs under every policy of the virtual GPU, with all checks: what was mended stays mended. The documents' kernels
//! fail here: barriers that some threads never reach, unrolled warps without barriers, levels launched too early.

use virtual_gpu::driver::run_with;
use virtual_gpu::{Checks, Mode, Policy, RunOptions};
use warpfold::cust::memory::DeviceBuffer;
use warpfold::ladder::{self, Kind, Rung};
use warpfold::{Max, Sum};

use crate::common::{gpu, mode};
use crate::data::ordinary;

/// Runs a rung on a few blocks, the last of which is not full.
fn check(rung: Rung, options: &RunOptions) {
    let gpu = gpu();
    let block_size = match rung.block_sizes().contains(128) {
        true => 128,
        false => 256,
    };
    let items = ordinary::<Sum, u32>(6 * block_size as usize - 57);
    let buffer = DeviceBuffer::from_slice(&items).unwrap();
    run_with(options.clone(), || {
        let sum = ladder::reduce::<Sum, _>(gpu, rung, &buffer, block_size);
        let expected = items.iter().fold(0u32, |sum, &item| sum.wrapping_add(item));
        assert_eq!(sum, Ok(expected), "{rung}, {options:?}");
        let max = ladder::reduce::<Max, _>(gpu, rung, &buffer, block_size);
        assert_eq!(max, Ok(*items.iter().max().unwrap()), "{rung}, {options:?}");
    });
}

#[test]
fn every_rung_keeps_to_the_rules_under_every_policy() {
    if mode() == Mode::Real {
        return;
    }
    let reductions = Rung::ALL
        .iter()
        .filter(|rung| rung.kind() == Kind::Reduction);
    for &rung in reductions {
        for policy in Policy::ALL {
            let options = RunOptions {
                seed: 1,
                policy,
                checks: Checks::all(),
                ..RunOptions::default()
            };
            check(rung, &options);
        }
    }
}
