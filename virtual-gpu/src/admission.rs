//! Checks that a device and a kernel allow a launch.

use std::error::Error;
use std::fmt;

use crate::config::{DeviceConfig, Shape};
use crate::fault::Fault;
use crate::module::Kernel;

/// Why a launch did not run to its end.
///
/// ```
/// use virtual_gpu::{DeviceConfig, Memory, Module, Shape};
///
/// let text = ".version 8.0 .target sm_80 .address_size 64
///     .global .u32 seen;
///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
/// let device = DeviceConfig::default();
/// let memory = Memory::new(device.memory_bytes);
/// let module = Module::load(text, &device, &memory)?;
/// let kernel = module.kernel("k").expect("it is in the text");
/// let shape = Shape { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared_bytes: 0 };
/// let error = kernel.check_launch(&shape, &[], &device).unwrap_err();
/// assert_eq!(error.to_string(), "0 bytes of parameters for a kernel that takes 12");
/// # Ok::<(), virtual_gpu::LoadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchError {
    /// The grid is empty or larger than the device allows.
    Grid {
        /// The requested grid.
        grid: [u32; 3],
        /// The device's limits.
        max: [u32; 3],
    },
    /// The block is empty, larger than the device or the kernel allows, or not the block that the kernel requires.
    Block {
        /// The requested block.
        block: [u32; 3],
        /// What the device or the kernel allows, as text.
        allowed: String,
    },
    /// More shared memory than a block may have.
    SharedMemory {
        /// The requested bytes, static and dynamic together.
        asked: u64,
        /// Bytes that a block may have.
        max: u32,
    },
    /// The launch passes more or fewer parameter bytes than the kernel takes.
    Parameters {
        /// Bytes given.
        given: usize,
        /// Bytes that the kernel takes.
        expected: u32,
    },
    /// A fault stopped the kernel.
    Fault(Box<Fault>),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Grid { grid, max } => {
                write!(
                    f,
                    "a grid of {grid:?} blocks; the device allows 1 to {max:?}"
                )
            }
            LaunchError::Block { block, allowed } => {
                write!(f, "a block of {block:?} threads; {allowed}")
            }
            LaunchError::SharedMemory { asked, max } => {
                write!(f, "{asked} bytes of shared memory; a block may have {max}")
            }
            LaunchError::Parameters { given, expected } => write!(
                f,
                "{given} bytes of parameters for a kernel that takes {expected}"
            ),
            LaunchError::Fault(fault) => fault.fmt(f),
        }
    }
}

impl Error for LaunchError {}

impl From<Box<Fault>> for LaunchError {
    fn from(fault: Box<Fault>) -> Self {
        Self::Fault(fault)
    }
}

impl LaunchError {
    /// The CUDA driver's code for this error.
    ///
    /// ```
    /// use virtual_gpu::LaunchError;
    ///
    /// assert_eq!(LaunchError::Parameters { given: 0, expected: 12 }.cu_result(), 1); // CUDA_ERROR_INVALID_VALUE
    /// ```
    pub fn cu_result(&self) -> i32 {
        match self {
            LaunchError::Fault(fault) => fault.cu_result(),
            _ => 1,
        }
    }
}

impl Kernel {
    /// Checks a launch without running it.
    ///
    /// ```
    /// use virtual_gpu::{DeviceConfig, Memory, Module, Shape};
    ///
    /// let text = ".version 8.0 .target sm_80 .address_size 64
    ///     .global .u32 seen;
    ///     .entry k(.param .u64 p, .param .u32 n) .maxntid 256, 1, 1 { .shared .b8 s[64]; ret; }";
    /// let device = DeviceConfig::default();
    /// let memory = Memory::new(device.memory_bytes);
    /// let module = Module::load(text, &device, &memory)?;
    /// let kernel = module.kernel("k").expect("it is in the text");
    /// let shape = |threads| Shape { grid: [1, 1, 1], block: [threads, 1, 1], dynamic_shared_bytes: 0 };
    /// assert!(kernel.check_launch(&shape(256), &[0; 12], &device).is_ok());
    /// assert!(kernel.check_launch(&shape(257), &[0; 12], &device).is_err()); // `.maxntid` is 256
    /// # Ok::<(), virtual_gpu::LoadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The device or the kernel does not allow the shape, or the launch passes more or fewer parameter bytes than the kernel takes.
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
}
