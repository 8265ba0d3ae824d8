//! Why a text cannot be loaded.

use std::error::Error;
use std::fmt;

use crate::memory::MemoryError;
use crate::ptx::Problem;

/// Why a module cannot be loaded.
///
/// ```
/// use virtual_gpu::{DeviceConfig, LoadError, Memory, Module};
///
/// let device = DeviceConfig { compute_capability: (7, 0), ..DeviceConfig::default() };
/// let text = ".version 8.0 .target sm_90 .address_size 64";
/// let error = Module::load(text, &device, &Memory::new(1 << 20)).unwrap_err();
/// assert!(matches!(error, LoadError::NoBinaryForDevice { device: (7, 0), .. }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadError {
    /// The text is malformed or uses unsupported features. Lists the problems that were found. After 10,000 problems, the list may be cut.
    Invalid(Vec<Problem>),
    /// The text does not run on the device. Its target is a higher compute capability, or names another architecture (`sm_90a`) or family
    /// (`sm_100f`).
    NoBinaryForDevice {
        /// The target in the text.
        target: String,
        /// The device's compute capability.
        device: (u32, u32),
    },
    /// The module's variables do not fit into memory.
    Memory(MemoryError),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Invalid(problems) => {
                f.write_str("the PTX cannot be loaded:")?;
                let mut problems = problems.iter();
                problems.try_for_each(|Problem { line, what }| write!(f, "\n  line {line}: {what}"))
            }
            LoadError::NoBinaryForDevice {
                target,
                device: (major, minor),
            } => write!(
                f,
                "the PTX is for {target}, and the device is sm_{major}{minor}"
            ),
            LoadError::Memory(error) => write!(f, "the module's variables: {error}"),
        }
    }
}

impl Error for LoadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            LoadError::Memory(error) => Some(error),
            _ => None,
        }
    }
}

impl From<MemoryError> for LoadError {
    fn from(error: MemoryError) -> Self {
        Self::Memory(error)
    }
}

impl LoadError {
    /// The CUDA driver's code for this error.
    ///
    /// ```
    /// use virtual_gpu::LoadError;
    ///
    /// assert_eq!(LoadError::Invalid(Vec::new()).cu_result(), 218); // CUDA_ERROR_INVALID_PTX
    /// ```
    pub fn cu_result(&self) -> i32 {
        match self {
            LoadError::Invalid(_) | LoadError::NoBinaryForDevice { .. } => 218,
            LoadError::Memory(_) => 2,
        }
    }
}
