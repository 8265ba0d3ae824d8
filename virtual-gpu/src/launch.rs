//! A launch runs a kernel over a grid.

use crate::admission::LaunchError;
use crate::checks::{Grid, RaceDetector, Raw, Unwatched};
use crate::config::{DeviceConfig, RunOptions, Shape, Switch};
use crate::counters::Counters;
use crate::exec::{self, Ended, Launch};
use crate::memory::Memory;
use crate::module::Kernel;
use crate::schedule::Policy;

/// The grids of a launch, and the memory that they touched.
pub(crate) type Touched = (Vec<Grid>, Raw);

impl Kernel {
    /// Runs the kernel to its end.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module, RunOptions, Shape};
    ///
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .entry numbers(.param .u64 to) {
    ///     .reg .b32 %r<2>; .reg .b64 %a<4>;
    ///     ld.param.u64 %a1, [to]; mov.u32 %r1, %tid.x;
    ///     mul.wide.u32 %a2, %r1, 4; add.u64 %a3, %a1, %a2;
    ///     st.global.u32 [%a3], %r1; ret; }";
    /// let module = Module::load(text, &device, &memory)?;
    /// let numbers = module.kernel("numbers").expect("the text has it");
    ///
    /// let to = memory.alloc(16)?;
    /// let shape = Shape { grid: [1, 1, 1], block: [4, 1, 1], dynamic_shared_bytes: 0 };
    /// let counters = numbers.launch(&shape, &to.to_le_bytes(), &memory, &device, &RunOptions::default())?;
    /// assert_eq!((counters.blocks, counters.global_bytes_written), (1, 16));
    /// let mut bytes = [0; 16];
    /// memory.read(to, &mut bytes)?;
    /// assert_eq!((bytes[0], bytes[4], bytes[8], bytes[12]), (0, 1, 2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`check_launch`](Self::check_launch) refuses the launch, or a [`Fault`](crate::Fault) stopped the kernel.
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

    /// Like [`launch`](Self::launch). If the race check is on, also returns the memory that the grids
    /// touched before the launch ended or was stopped.
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

    /// Runs the kernel until it ends or is stopped. If the launch is watched (by the race check, by the check for uninitialised bytes, or
    /// for stale reads), also returns the observer.
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
