//! The launches of a reduction, as the virtual GPU counts them.

use virtual_gpu::driver::{run_with, watch_launches};
use virtual_gpu::{Checks, Class, Counters, Mode, RunOptions};
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Kernel, Sum, kind};
use warpfold_ladder::{Item, Plain, Rung};

use crate::common::mode;
use crate::device::ladder;

/// The counters of each launch of a sum of `items` ones. Empty on a real GPU, which has no counters.
pub fn launches(rung: Rung, items: u64, block: u32) -> Vec<Counters> {
    if mode() == Mode::Real {
        return Vec::new();
    }
    let (sum, launches) = reduction::<Sum, f32>(rung, &vec![1.0; items as usize], block);
    assert_eq!(sum, items as f32, "{rung}");
    launches
}

/// A reduction's result, and on the virtual GPU the counters of its launches.
pub fn reduction<O: Kernel<kind::reduce, T> + Plain<T>, T: Item>(
    rung: Rung,
    items: &[T],
    block: u32,
) -> (T, Vec<Counters>) {
    let ladder = ladder();
    let input = DeviceBuffer::from_slice(items).unwrap();
    let watch = watch_launches();
    let unwatched = RunOptions {
        checks: Checks::none(),
        ..RunOptions::default()
    };
    let result = run_with(unwatched, || ladder.reduce::<O, T>(rung, &input, block));
    let launches = watch.take().into_iter();
    let counters = launches.map(|launch| launch.outcome.unwrap()).collect();
    (result.unwrap(), counters)
}

/// The number of applications of the operator in a sum of `f32`: each is one float instruction of a lane.
pub fn additions(counters: &[Counters]) -> u64 {
    counters
        .iter()
        .map(|counters| counters.of_class(Class::Float))
        .sum()
}
