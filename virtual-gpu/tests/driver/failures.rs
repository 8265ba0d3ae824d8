//! Injected failures of driver calls.

use crate::raw::*;
use crate::support::*;
use virtual_gpu::driver::{Code, live_of_this_thread};
use virtual_gpu::inject::{Calls, Failure, Moment, fail, record};

const ANY: i32 = 999;

fn failure(call: &'static str, nth: u64, moment: Moment) -> Failure {
    Failure {
        calls: Calls::Named(call),
        nth,
        code: Code(ANY),
        moment,
    }
}

#[test]
fn a_call_fails_before_or_after_its_effect() {
    let _context = Context::new();
    let address = zeros(1);
    let armed = fail(failure("cuMemsetD32_v2", 1, Moment::Before));
    assert_eq!(cuMemsetD32_v2(address, 1, 1), ANY);
    assert!(armed.has_fired());
    let mut word = [7];
    assert_eq!(download(&mut word, address), 0);
    assert_eq!(word, [0]);
    let _armed = fail(failure("cuMemsetD32_v2", 2, Moment::After));
    assert_eq!(cuMemsetD32_v2(address, 2, 1), 0);
    assert_eq!(cuMemsetD32_v2(address, 3, 1), ANY);
    assert_eq!(download(&mut word, address), 0);
    assert_eq!(word, [3]);
}

#[test]
fn a_deferred_failure_appears_at_the_next_synchronisation() {
    let _context = Context::new();
    let address = alloc(1);
    let _armed = fail(failure("cuMemsetD32_v2", 1, Moment::Deferred));
    assert_eq!(cuMemsetD32_v2(address, 1, 1), 0);
    assert_eq!(cuMemAlloc_v2(Some(&mut 0), 4), 0);
    assert_eq!(cuCtxSynchronize(), ANY);
    assert_eq!(cuCtxSynchronize(), 0);
}

#[test]
fn a_sticky_failure_does_not_affect_context_calls() {
    let context = Context::new();
    let armed = fail(failure("cuMemAlloc_v2", 1, Moment::Sticky));
    assert_eq!(cuMemAlloc_v2(Some(&mut 0), 4), ANY);
    assert_eq!(cuCtxSynchronize(), ANY);
    assert_eq!(cuCtxSetCurrent(context.0), 0);
    drop(armed);
    assert_eq!(cuCtxSynchronize(), 0);
}

/// The main use of fault injection: in each run of `work` a different call fails, and no run leaks anything.
#[test]
fn no_failing_call_of_a_sequence_leaks() {
    fn work() -> Result<(), i32> {
        let check = |code| if code == 0 { Ok(()) } else { Err(code) };
        let mut address = 0;
        check(cuMemAlloc_v2(Some(&mut address), 4))?;
        let filled = check(cuMemsetD32_v2(address, 1, 1));
        let synchronised = filled.and_then(|()| check(cuCtxSynchronize()));
        let freed = check(cuMemFree_v2(address)).or_else(|_| check(cuMemFree_v2(address)));
        synchronised.and(freed)
    }
    let _context = Context::new();
    let (result, calls) = record(work);
    assert_eq!(result, Ok(()));
    assert_eq!(
        calls,
        [
            "cuMemAlloc_v2",
            "cuMemsetD32_v2",
            "cuCtxSynchronize",
            "cuMemFree_v2"
        ]
    );
    let before = live_of_this_thread();
    for nth in 1..=calls.len() as u64 {
        let armed = fail(Failure {
            calls: Calls::Any,
            nth,
            code: Code(ANY),
            moment: Moment::Before,
        });
        let expected = if nth == 4 { Ok(()) } else { Err(ANY) };
        assert_eq!(work(), expected, "call {nth}");
        assert!(armed.has_fired());
        assert_eq!(live_of_this_thread(), before, "call {nth}");
    }
}
