//! Errors of the example.

use std::io;
use std::path::PathBuf;

use warpfold::cust::error::CudaError;

use crate::common::{program, quoted};

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Device(#[from] warpfold_ladder::Error),
    #[error("copying to or from the device: {0}")]
    Copy(#[from] CudaError),
    #[error("{rung}: the device says {device}, the CPU {cpu}")]
    Mismatch {
        rung: String,
        device: String,
        cpu: String,
    },
    #[error("cannot make the folder {}: {error}", quoted::path(path))]
    Folder { path: PathBuf, error: io::Error },
    #[error("cannot write {}: {error}", quoted::path(path))]
    Table { path: PathBuf, error: csv::Error },
    #[error("cannot draw {}: {error}", quoted::path(path))]
    Chart { path: PathBuf, error: String },
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
        matches!(self, Failure::Folder { .. })
    }
}
