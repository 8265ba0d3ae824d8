//! Operands of the CUDA functions through which a kernel prints and launches grids.

use super::Reg;

/// A call of `vprintf`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Print {
    /// Generic addresses of the format and of the values.
    pub format: Reg,
    pub values: Reg,
    /// The result: the number of values that were printed.
    pub d: Reg,
}

/// A call of `cudaGetParameterBufferV2`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParameterBuffer {
    /// The kernel's address.
    pub kernel: Reg,
    pub grid: [Reg; 3],
    pub block: [Reg; 3],
    pub shared_bytes: Reg,
    /// The result: the address of the buffer for the parameters, or null.
    pub d: Reg,
}

/// A call of `cudaLaunchDeviceV2`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LaunchGrid {
    pub buffer: Reg,
    pub stream: Reg,
    /// The result: the error code.
    pub d: Reg,
}
