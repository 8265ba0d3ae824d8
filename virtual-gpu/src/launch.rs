//! Launches: a kernel over a grid.

use crate::admission::LaunchError;
use crate::checks::{Grid, RaceDetector, Raw, Unwatched};
use crate::config::{DeviceConfig, RunOptions, Shape, Switch};
use crate::counters::Counters;
use crate::exec::{self, Ended, Launch};
use crate::memory::Memory;
use crate::module::Kernel;
use crate::schedule::Policy;

/// What a launch's grids have touched.
pub(crate) type Touched = (Vec<Grid>, Raw);

impl Kernel {
    /// Runs the kernel to its end.
    ///
    /// # Errors
    ///
    /// The launch is not allowed, as [`check_launch`](Self::check_launch) says, or a [`Fault`](crate::Fault)
    /// stopped the kernel.
    pub fn launch(
        &self,
        shape: &Shape,
        params: &[u8],
        memory: &Memory,
        device: &DeviceConfig,
        options: &RunOptions,
    ) -> Result<Counters, LaunchError> {
        let (outcome, _) = self.run(shape, params, memory, device, options)?;
        Ok(outcome?)
    }

    /// As [`launch`](Self::launch), and tells what its grids have touched, if it was watched for races: to
    /// its end, or until it was stopped.
    pub(crate) fn launch_and_tell(
        &self,
        shape: &Shape,
        params: &[u8],
        memory: &Memory,
        device: &DeviceConfig,
        options: &RunOptions,
    ) -> Result<(Ended, Option<Touched>), LaunchError> {
        let (outcome, races) = self.run(shape, params, memory, device, options)?;
        let races = races.filter(|_| options.checks.race == Switch::On);
        Ok((outcome, races.map(RaceDetector::touched)))
    }

    /// Runs the kernel to its end, or until it is stopped. Gives what has watched it, if something has.
    fn run(
        &self,
        shape: &Shape,
        params: &[u8],
        memory: &Memory,
        device: &DeviceConfig,
        options: &RunOptions,
    ) -> Result<(Ended, Option<RaceDetector>), LaunchError> {
        self.check_launch(shape, params, device)?;
        let launch = Launch {
            kernel: self,
            shape,
            params,
            memory,
            device,
            options,
        };
        let races = RaceDetector::new(options.checks.race);
        let races = match options.policy {
            Policy::StaleReads => races.with_stale_reads(options.seed),
            _ => races,
        };
        let is_watched = options.policy == Policy::StaleReads
            || options.checks.race == Switch::On
            || options.checks.init == Switch::On;
        Ok(match is_watched {
            true => {
                let (outcome, races) = exec::run(&launch, races);
                (outcome, Some(races))
            }
            false => (exec::run(&launch, Unwatched).0, None),
        })
    }
}
