//! Errors of the ladder.

use std::path::PathBuf;

use cust::error::CudaError;

use crate::{BlockSizes, Kind, Rung};

/// The result of a call of the ladder.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why a call of the ladder failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The call was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),

    /// An error of the crate `warpfold`.
    #[error(transparent)]
    Warpfold(#[from] warpfold::Error),

    /// A driver's error, as `cust` reports it.
    #[error("a call of the CUDA driver failed: {0:?}")]
    Cuda(#[from] CudaError),
}

/// Why a call of the ladder was refused. Unless a variant says otherwise, nothing was launched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The rung does not support blocks of this size.
    #[error("{rung} is not for blocks of {offered} threads; it takes {allowed}")]
    BlockSize {
        /// The rung.
        rung: Rung,
        /// The requested block size.
        offered: u32,
        /// The block sizes that the rung supports.
        allowed: BlockSizes,
    },

    /// The rung does not have the requested task.
    #[error("{rung} is no {wanted}: it is a {kind}", kind = rung.kind())]
    Kind {
        /// The rung.
        rung: Rung,
        /// The requested task.
        wanted: Kind,
    },

    /// The rung has no kernel for this operator on items of this type.
    #[error("{rung} has no kernel for {operator} on items of type {element}")]
    NoKernel {
        /// The rung.
        rung: Rung,
        /// The operator's name.
        operator: &'static str,
        /// The type's name.
        element: &'static str,
    },

    /// The device's runtime was not found. Kernels that launch kernels are linked with this library of the CUDA toolkit.
    #[error(
        "kernels that launch kernels need `libcudadevrt.a` of the CUDA toolkit, and CUDA_HOME does not lead to it; \
         looked for {}",
        list(searched)
    )]
    DeviceRuntimeNotFound {
        /// The paths at which the library was looked for.
        searched: Vec<PathBuf>,
    },

    /// A kernel could not launch another kernel, so there is no result.
    #[error("{rung}: a launch in a kernel failed with code {code} of the CUDA runtime")]
    ChildLaunch {
        /// The rung.
        rung: Rung,
        /// The highest `cudaError_t` code that the device's runtime returned.
        code: u32,
    },
}

fn list(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    paths.join(", ")
}
