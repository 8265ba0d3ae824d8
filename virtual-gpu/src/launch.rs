//! Launches: a kernel over a grid.

use crate::checks::{RaceDetector, Switch, Touched, Tracked, Unwatched};
use crate::config::{DeviceConfig, RunOptions};
use crate::counters::Counters;
use crate::exec;
use crate::fault::Fault;
use crate::memory::Memory;
use crate::module::Kernel;
use crate::schedule::Policy;

/// The shape of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Blocks of the grid in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of shared memory beyond the kernel's own.
    pub dynamic_shared_bytes: u32,
}

/// How a launch depends on the work before it on its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dependence {
    /// It begins when that work has ended.
    #[default]
    Full,
    /// It may begin earlier: its threads wait themselves, by `griddepcontrol.wait`, before they touch
    /// global memory. A thread that does so before is stopped.
    Programmatic,
}

/// Why a launch did not run to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The grid is empty or larger than the device allows.
    #[error("a grid of {grid:?} blocks; the device allows 1 to {max:?}")]
    Grid {
        /// The grid asked for.
        grid: [u32; 3],
        /// What the device allows.
        max: [u32; 3],
    },
    /// The block is empty or larger than the device or the kernel allows.
    #[error("a block of {block:?} threads; {allowed}")]
    Block {
        /// The block asked for.
        block: [u32; 3],
        /// What is allowed, in words.
        allowed: String,
    },
    /// More shared memory than a block may have.
    #[error("{asked} bytes of shared memory; a block may have {max}")]
    SharedMemory {
        /// Bytes asked for, static and dynamic together.
        asked: u64,
        /// Bytes that a block may have.
        max: u32,
    },
    /// The parameters are not as many bytes as the kernel takes.
    #[error("{given} bytes of parameters for a kernel that takes {expected}")]
    Parameters {
        /// Bytes given.
        given: usize,
        /// Bytes that the kernel takes.
        expected: u32,
    },
    /// The kernel was stopped.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
}

impl LaunchError {
    /// The code that the CUDA driver gives for such an error.
    pub fn cu_result(&self) -> i32 {
        match self {
            LaunchError::Fault(fault) => fault.cu_result(),
            _ => 1,
        }
    }
}

/// How a launch that was allowed has ended.
pub(crate) type Ended = Result<Counters, Box<Fault>>;

impl Kernel {
    /// Checks a launch without running it.
    pub fn check_launch(
        &self,
        shape: &Shape,
        params: &[u8],
        device: &DeviceConfig,
    ) -> Result<(), LaunchError> {
        let fits = |dim: [u32; 3], max: [u32; 3]| {
            dim.iter().zip(max).all(|(&n, max)| (1..=max).contains(&n))
        };
        if !fits(shape.grid, device.max_grid_dim) {
            return Err(LaunchError::Grid {
                grid: shape.grid,
                max: device.max_grid_dim,
            });
        }
        let threads: u64 = shape.block.iter().map(|&n| u64::from(n)).product();
        let refuse = |allowed: String| {
            Err(LaunchError::Block {
                block: shape.block,
                allowed,
            })
        };
        if !fits(shape.block, device.max_block_dim)
            || threads > u64::from(device.max_threads_per_block)
        {
            return refuse(format!(
                "the device allows 1 to {:?}, and {} threads in all",
                device.max_block_dim, device.max_threads_per_block
            ));
        }
        if let Some(required) = self.required_block_dim()
            && required != shape.block
        {
            return refuse(format!("the kernel requires {required:?}"));
        }
        if let Some(max) = self.max_block_dim()
            && threads > max.iter().map(|&n| u64::from(n)).product()
        {
            return refuse(format!("the kernel allows as many threads as {max:?} has"));
        }
        let asked = u64::from(self.static_shared_bytes()) + u64::from(shape.dynamic_shared_bytes);
        if asked > u64::from(device.shared_bytes_per_block_optin) {
            return Err(LaunchError::SharedMemory {
                asked,
                max: device.shared_bytes_per_block_optin,
            });
        }
        if params.len() != self.parameter_bytes() as usize {
            return Err(LaunchError::Parameters {
                given: params.len(),
                expected: self.parameter_bytes(),
            });
        }
        Ok(())
    }

    /// Runs the kernel to its end.
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

    /// As [`launch`](Self::launch), and tells what the launch has touched, if it was watched for races: to
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
        Ok((outcome, races.map(|races| races.touched())))
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
        let reports = options.checks.race;
        let races = RaceDetector::new(reports);
        let races = match (options.policy, reports) {
            (Policy::StaleReads, _) => Some(races.with_stale_reads(options.seed)),
            (_, Switch::On) => Some(races),
            (_, Switch::Off) => None,
        };
        Ok(match (races, options.checks.init) {
            (None, Switch::Off) => (exec::run(&launch, Unwatched).0, None),
            (None, Switch::On) => (exec::run(&launch, Tracked(Unwatched)).0, None),
            (Some(races), Switch::Off) => {
                let (outcome, races) = exec::run(&launch, races);
                (outcome, Some(races))
            }
            (Some(races), Switch::On) => {
                let (outcome, Tracked(races)) = exec::run(&launch, Tracked(races));
                (outcome, Some(races))
            }
        })
    }
}

/// A launch that the device allows.
pub(crate) struct Launch<'a> {
    pub kernel: &'a Kernel,
    pub shape: &'a Shape,
    pub params: &'a [u8],
    pub memory: &'a Memory,
    pub device: &'a DeviceConfig,
    pub options: &'a RunOptions,
}
