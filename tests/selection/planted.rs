//! Planted bugs: the virtual GPU's checks find barriers that are missing in a kernel's text.

use virtual_gpu::{FaultKind, LaunchError, RunOptions};
use warpfold::{Cpu, NonZero, select};
use warpfold_kernels::selection::{Before, chunk_items};

use crate::engine::{Engine, SM_90};
use crate::schedule::schedules;

/// A kernel in which each warp has four chunks of items. For one chunk after the other, the warp writes a list of the chosen items to
/// shared memory, and reads it. All chunks of a warp use the same memory for their lists.
const KERNEL: &str = "select_if_non_zero_u8";

/// Whether a text has a race under at least one schedule, and whether it has a wrong result under at least one.
fn found(text: &str) -> (bool, bool) {
    let count = 7 * chunk_items::<u8>() + 40;
    let items: Vec<u8> = (0..count).map(|index| (index % 5) as u8).collect();
    let expected = select::<NonZero, _>(&items).wait(Cpu).unwrap();
    let (mut has_race, mut is_wrong) = (false, false);
    for options in schedules(1) {
        let options = RunOptions {
            step_budget: 1_500_000,
            ..options
        };
        let engine = Engine::new_for_selection::<u8>(SM_90, 1, text, count);
        match engine.select::<u8, Before>(&items, &options) {
            Ok(output) => {
                let count = (output.count as usize).min(items.len());
                is_wrong |= output.items[..count] != expected;
            }
            Err(LaunchError::Fault(fault)) => {
                has_race |= matches!(fault.kind, FaultKind::Race { .. });
            }
            Err(error) => panic!("{error}"),
        }
    }
    (has_race, is_wrong)
}

#[test]
fn a_list_that_lanes_read_too_early_or_write_too_early() {
    let text = SM_90.kernel(KERNEL);
    assert_eq!(found(&text), (false, false));
    // The first barrier comes after the writes to a chunk's list, the second after the reads of this list. The third is in `depart`.
    let barrier = "\tbar.warp.sync \t-1;\n";
    let parts: Vec<&str> = text.split(barrier).collect();
    assert_eq!(parts.len(), 4);
    for missing in [1, 2] {
        let mut spoilt = parts[0].to_owned();
        for (place, part) in parts.iter().enumerate().skip(1) {
            if place != missing {
                spoilt += barrier;
            }
            spoilt += part;
        }
        let (has_race, _) = found(&spoilt);
        assert!(has_race, "without barrier {missing}");
    }
}
