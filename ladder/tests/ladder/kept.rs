//! A ladder loads each kernel once, and keeps the kernel until the ladder is dropped.

use virtual_gpu::driver::Code;
use virtual_gpu::inject::{self, Calls, Failure, Moment, record};
use warpfold::Sum;
use warpfold::cust::memory::DeviceBuffer;
use warpfold_ladder::{Ladder, Rung};

/// A ladder that has used two kernels, one of them twice.
fn used() -> Ladder {
    let ladder = Ladder::new().unwrap();
    let items = DeviceBuffer::from_slice(&[1u32; 100]).unwrap();
    let reduce = |rung| assert_eq!(ladder.reduce::<Sum, _>(rung, &items, 64), Ok(100));
    let ((), calls) = record(|| {
        for rung in [Rung::Halving, Rung::GridStride, Rung::Halving] {
            reduce(rung);
        }
    });
    assert_eq!(count(&calls, "cuModuleLoadDataEx"), 2);
    ladder
}

fn count(calls: &[&str], call: &str) -> usize {
    calls.iter().filter(|other| **other == call).count()
}

#[test]
fn dropping_the_ladder_unloads_each_kernel_once() {
    let ladder = used();
    let ((), calls) = record(|| drop(ladder));
    assert_eq!(count(&calls, "cuModuleUnload"), 2);
}

/// Once a context is lost, its modules' handles are invalid. A driver that is asked to unload such a module would still use the handle.
#[test]
fn a_lost_context_gets_no_unload_calls() {
    let ladder = used();
    let lost = inject::fail(Failure {
        calls: Calls::Named("cuCtxSetCurrent"),
        nth: 1,
        code: Code(709),
        moment: Moment::Before,
    });
    let ((), calls) = record(|| drop(ladder));
    drop(lost);
    assert_eq!(count(&calls, "cuModuleUnload"), 0);
}
