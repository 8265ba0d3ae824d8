//! Slips made on purpose in a kernel's text: they are found.

use virtual_gpu::{FaultKind, LaunchError, RunOptions};
use warpfold::{Cpu, NonZero, Predicate, select};
use warpfold_kernels::element::Element;
use warpfold_kernels::selection::{Before, chunk_items};

use crate::engine::{Engine, SM_90};
use crate::schedule::schedules;

/// The findings for a text under any schedule: a race, a wrong result, or neither.
fn found<T: Element + PartialEq>(text: &str, items: &[T], expected: &[T]) -> (bool, bool) {
    let (mut has_race, mut is_wrong) = (false, false);
    for options in schedules(1) {
        let options = RunOptions {
            step_budget: 1_500_000,
            ..options
        };
        let engine = Engine::new_for_selection::<T>(SM_90, 1, text, items.len());
        match engine.select::<T, Before>(items, &options) {
            Ok(output) => {
                let count = (output.count as usize).min(items.len());
                is_wrong |= &output.items[..count] != expected;
            }
            Err(LaunchError::Fault(fault)) => {
                has_race |= matches!(fault.kind, FaultKind::Race { .. });
            }
            Err(error) => panic!("{error}"),
        }
    }
    (has_race, is_wrong)
}

/// Asserts that the kernel, which chooses what is not 0, is right, and that it has a race without any of these barriers of a warp, of
/// which its text has `count`.
fn assert_races<T: Element + PartialEq + From<u8>>(kernel: &str, count: usize, barriers: &[usize])
where
    NonZero: Predicate<T>,
{
    let item_count = 7 * chunk_items::<T>() + 40;
    let items: Vec<T> = (0..item_count)
        .map(|index| T::from((index % 5) as u8))
        .collect();
    let expected = select::<NonZero, _>(&items).wait(Cpu).unwrap();
    let text = SM_90.kernel(kernel);
    assert_eq!(found(&text, &items, &expected), (false, false), "{kernel}");
    let barrier = "\tbar.warp.sync \t-1;\n";
    let parts: Vec<&str> = text.split(barrier).collect();
    assert_eq!(parts.len(), count + 1, "{kernel}");
    for &missing in barriers {
        let spoilt = [
            parts[..missing].join(barrier),
            parts[missing..].join(barrier),
        ]
        .concat();
        let (has_race, _) = found(&spoilt, &items, &expected);
        assert!(has_race, "{kernel} without barrier {missing}");
    }
}

#[test]
fn a_list_that_lanes_read_too_early_or_write_too_early() {
    // Narrow items are listed. A warp's come in four chunks, which share its list. The barriers are after the list is written and after
    // it is read; the third is of a warp that leaves.
    assert_races::<u8>("select_if_non_zero_u8", 3, &[1, 2]);
}

#[test]
fn a_chunk_that_lanes_move_too_early_or_write_too_early() {
    // Others are moved together, where they were. The barriers are after they are read, which nobody has listed, after they are moved,
    // after they are written, which matters where there is room for one tile, and of a warp that leaves.
    assert_races::<u32>("select_if_non_zero_u32", 4, &[1, 2]);
}
