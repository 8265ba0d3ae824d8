//! `griddepcontrol`: of its two forms only `wait` waits, and neither form changes a value.

use super::{block, block_of};
use virtual_gpu::{Dependence, FaultKind};

fn is_early(outcome: &Result<Vec<u32>, FaultKind>) -> bool {
    matches!(outcome, Err(FaultKind::TooEarly { .. }))
}

#[test]
fn only_griddepcontrol_wait_waits() {
    for (forms, waits) in [
        ("", false),
        ("griddepcontrol.wait;", true),
        ("griddepcontrol.launch_dependents;", false),
        (
            "griddepcontrol.launch_dependents; griddepcontrol.wait;",
            true,
        ),
        (
            "griddepcontrol.wait; griddepcontrol.launch_dependents;",
            true,
        ),
    ] {
        let body = format!("mad.lo.u32 %r39, %r0, 3, 1; {forms}");
        let expected: Vec<u32> = (0..64).map(|thread| 3 * thread + 1).collect();
        assert_eq!(block(64, &body).as_ref(), Ok(&expected), "{body}");
        let outcome = block_of(Dependence::Programmatic, 64, &body);
        match waits {
            true => assert_eq!(outcome, Ok(expected), "{body}"),
            false => assert!(is_early(&outcome), "{body}: {outcome:?}"),
        }
    }
}

#[test]
fn a_guard_selects_the_threads_that_wait() {
    for (guard, waiting) in [("@%p1", true), ("@!%p1", false)] {
        for (others, expected) in [("@!%p1", true), ("@%p1", false)] {
            let body = format!(
                "setp.lt.u32 %p1, %r0, 5; {guard} griddepcontrol.wait; {others} ret; mov.u32 %r39, 7;"
            );
            let outcome = block_of(Dependence::Programmatic, 32, &body);
            let stays = |lane: u32| (lane < 5) == expected;
            let values: Vec<u32> = (0..32)
                .map(|lane| if stays(lane) { 7 } else { 0 })
                .collect();
            match waiting == expected {
                true => assert_eq!(outcome, Ok(values), "{body}"),
                false => assert!(is_early(&outcome), "{body}: {outcome:?}"),
            }
        }
    }
}
