//! Errors of the example.

use std::io;
use std::path::PathBuf;

use warpfold::cust::error::CudaError;

use crate::common::{program, quoted};
use crate::id_file::Fault;

/// Why the example fails.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("cannot read {}: {error}", quoted::path(path))]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("{} has {bytes} bytes, which is no multiple of 8", quoted::path(path))]
    Ragged { path: PathBuf, bytes: usize },
    #[error("{}, the file for rank 0's id: {fault}", quoted::path(path))]
    IdFile { path: PathBuf, fault: Fault },
    #[error("there is no rank {rank} of {of}: ranks count from 0")]
    NoSuchRank { rank: u32, of: usize },
    #[error("{count} numbers on each of {ranks} GPUs are too many to count")]
    TooManyToCount { count: usize, ranks: usize },
    #[error(
        "{count} numbers of 8 bytes, and as many results, are too many for {ranks} GPUs of {device_bytes} bytes"
    )]
    TooManyForDevices {
        count: usize,
        ranks: usize,
        device_bytes: u64,
    },
    #[error("there is no memory for {count} numbers of 8 bytes on the host")]
    NoRoom { count: usize },
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
        matches!(
            self,
            Failure::Unreadable { .. }
                | Failure::Ragged { .. }
                | Failure::NoSuchRank { .. }
                | Failure::TooManyToCount { .. }
        )
    }
}

/// Compares the devices' result with the CPU's.
pub fn same(what: &'static str, devices: u64, cpu: u64) -> Result<(), Failure> {
    match devices == cpu {
        true => Ok(()),
        false => Err(Failure::Mismatch { what, devices, cpu }),
    }
}
