//! Slips made on purpose in a kernel's text: they are found.

use virtual_gpu::{FaultKind, LaunchError, RunOptions};
use warpfold::{NonZero, reference};
use warpfold_kernels::selection::{Before, tile_items};

use crate::engine::{Engine, SM_90};
use crate::schedule::schedules;

const KERNEL: &str = "select_if_non_zero_u32";

/// What is found of a text under any schedule: a race, a wrong result, or nothing.
fn found(text: &str) -> (bool, bool) {
    let count = 3 * tile_items::<u32>() + 40;
    let items: Vec<u32> = (0..count as u32).map(|index| index % 5).collect();
    let expected = reference::select_if::<NonZero, u32>(&items);
    let (mut has_race, mut is_wrong) = (false, false);
    for options in schedules(1) {
        let options = RunOptions {
            step_budget: 1_500_000,
            ..options
        };
        let engine = Engine::new_for_selection::<u32>(SM_90, 1, text, count);
        match engine.select::<u32, Before>(&items, &options) {
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
fn a_list_that_is_read_before_all_lanes_have_written_it() {
    let text = SM_90.kernel(KERNEL);
    assert_eq!(found(&text), (false, false));
    // Behind the list is written, and behind it is read; the third is of the block that leaves last.
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
