//! What the launches of a reduction did, as the virtual GPU counts it.

use virtual_gpu::driver::{run_with, watch_launches};
use virtual_gpu::{Checks, Class, Counters, Mode, RunOptions};
use warpfold::Sum;
use warpfold::cust::memory::DeviceBuffer;
use warpfold::ladder::{self, Rung};

use crate::common::{gpu, mode};

/// What each launch of a sum of so many ones did; nothing on a real GPU, which does not count.
pub fn launches(rung: Rung, items: u64, block: u32) -> Vec<Counters> {
    if mode() == Mode::Real {
        return Vec::new();
    }
    let gpu = gpu();
    let input = DeviceBuffer::from_slice(&vec![1.0f32; items as usize]).unwrap();
    let watch = watch_launches();
    let unwatched = RunOptions {
        checks: Checks::none(),
        ..RunOptions::default()
    };
    let sum = run_with(unwatched, || {
        ladder::reduce::<Sum, _>(gpu, rung, &input, block)
    });
    assert_eq!(sum, Ok(items as f32), "{rung}");
    let launches = watch.take().into_iter();
    launches.map(|launch| launch.outcome.unwrap()).collect()
}

/// Applications of the operator: for a sum of `f32`, the float instructions that lanes carry out.
pub fn additions(counters: &[Counters]) -> u64 {
    counters
        .iter()
        .map(|counters| counters.of_class(Class::Float))
        .sum()
}
