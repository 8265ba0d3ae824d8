//! Runs a rung and measures it. On a real GPU, a short run is repeated.

use std::time::Duration;

use virtual_gpu::Mode;
use virtual_gpu::driver::watch_launches;
use warpfold_ladder::{Ladder, Launch, Measured};

use crate::failure::Failure;
use crate::record::Counts;

/// The device, and how many more times a rung is run after its first run.
pub struct Bench {
    pub ladder: Ladder,
    pub mode: Mode,
    repeats: usize,
}

/// The outcome of a rung's runs.
pub struct Run<T> {
    /// The first run's result.
    pub value: T,
    /// The launches of a run; empty for warpfold's own rungs.
    pub launches: Vec<Launch>,
    /// The median of the times on the device.
    pub kernel: Duration,
    /// The least of the times on the device.
    pub least: Duration,
    /// The median time of the host's work after the launches.
    pub post_kernel: Duration,
    /// The virtual GPU's counts.
    pub counts: Option<Counts>,
}

/// A rung that takes longer than this is run once.
const LONG: Duration = Duration::from_millis(500);

impl Bench {
    pub fn new(ladder: Ladder) -> Self {
        let mode = virtual_gpu::mode().unwrap_or(Mode::Virtual);
        // On a real GPU, a rung is timed as often as in document 3. On the virtual GPU the first run is enough, since times mean nothing.
        let repeats = match mode {
            Mode::Real => 10,
            Mode::Virtual => 0,
        };
        Self {
            ladder,
            mode,
            repeats,
        }
    }

    /// Returns `real` on a real device, and `interpreted` on the virtual device.
    pub fn choose<T>(&self, real: T, interpreted: T) -> T {
        match self.mode {
            Mode::Real => real,
            Mode::Virtual => interpreted,
        }
    }

    /// Runs `work` once and, unless this run takes long, `repeats` more times. The first run may also compile kernels, so its time counts
    /// only if there are no more runs.
    pub fn run<T>(
        &self,
        mut work: impl FnMut() -> warpfold_ladder::Result<Measured<T>>,
    ) -> Result<Run<T>, Failure> {
        let watch = watch_launches();
        let first = work()?;
        let counts = Counts::of(&watch.take());
        drop(watch);
        let mut times = vec![first.kernel_time];
        let mut post_times = vec![first.post_kernel_time];
        if first.kernel_time < LONG && self.repeats > 0 {
            (times, post_times) = (0..self.repeats)
                .map(|_| work().map(|again| (again.kernel_time, again.post_kernel_time)))
                .collect::<warpfold_ladder::Result<Vec<_>>>()?
                .into_iter()
                .unzip();
        }
        times.sort();
        post_times.sort();
        Ok(Run {
            value: first.value,
            launches: first.launches,
            kernel: times[times.len() / 2],
            least: times[0],
            post_kernel: post_times[post_times.len() / 2],
            counts,
        })
    }
}
