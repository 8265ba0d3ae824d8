//! Why a text cannot be loaded.

use std::fmt;

use crate::memory::MemoryError;
use crate::ptx::Problem;

/// Why a module cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The text is malformed or uses unsupported features. Lists every place, not only the first.
    #[error("the PTX cannot be loaded:{}", ProblemList(.0))]
    Invalid(Vec<Problem>),
    /// The text is for a device of a higher compute capability.
    #[error("the PTX is for {target}, and the device is sm_{}{}", .device.0, .device.1)]
    NoBinaryForDevice {
        /// The target in the text.
        target: String,
        /// The device's compute capability.
        device: (u32, u32),
    },
    /// The module's variables do not fit into memory.
    #[error("the module's variables: {0}")]
    Memory(#[from] MemoryError),
}

impl LoadError {
    /// The code that the CUDA driver gives for such an error.
    pub fn cu_result(&self) -> i32 {
        match self {
            LoadError::Invalid(_) | LoadError::NoBinaryForDevice { .. } => 218,
            LoadError::Memory(_) => 2,
        }
    }
}

struct ProblemList<'a>(&'a [Problem]);

impl fmt::Display for ProblemList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Problem { line, what } in self.0 {
            write!(f, "\n  line {line}: {what}")?;
        }
        Ok(())
    }
}
