//! What can go wrong.

use std::io;
use std::path::PathBuf;

use warpfold::cust::error::CudaError;

use crate::common::{program, quoted};

/// Why the example fails.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("cannot read {}: {error}", quoted::path(path))]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{} has {bytes} bytes, which is no multiple of 8", quoted::path(path))]
    Ragged { path: PathBuf, bytes: usize },
    #[error("cannot write {}: {error}", quoted::path(path))]
    Unwritable { path: PathBuf, error: io::Error },
    #[error("{}, with rank 0's id, has not come", quoted::path(path))]
    NoId { path: PathBuf },
    #[error(transparent)]
    Device(#[from] warpfold::Error),
    #[error("copying to or from a device: {0}")]
    Copy(#[from] CudaError),
    #[error("{what}: the devices say {devices}, the CPU {cpu}")]
    Mismatch {
        what: &'static str,
        devices: u64,
        cpu: u64,
    },
    #[error("a rank's thread panicked")]
    Panic,
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl program::Failure for Failure {
    fn output_error(&self) -> Option<&io::Error> {
        match self {
            Failure::Output(error) => Some(error),
            _ => None,
        }
    }

    fn is_of_input(&self) -> bool {
        matches!(self, Failure::Unreadable { .. } | Failure::Ragged { .. })
    }
}

/// Compares what the devices say with what the CPU does.
pub fn same(what: &'static str, devices: u64, cpu: u64) -> Result<(), Failure> {
    match devices == cpu {
        true => Ok(()),
        false => Err(Failure::Mismatch { what, devices, cpu }),
    }
}
