//! What can go wrong.

use warpfold::cust::error::CudaError;

#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(
        "`{0}` is not understood; usage: ladder [1|2|3|4|5|block-sizes|sweep …] [--output FOLDER]"
    )]
    Usage(String),
    #[error(transparent)]
    Device(#[from] warpfold::Error),
    #[error("copying to or from the device: {0}")]
    Copy(#[from] CudaError),
    #[error("{rung}: the device says {device}, the CPU {cpu}")]
    Mismatch {
        rung: String,
        device: String,
        cpu: String,
    },
    #[error("writing a file: {0}")]
    File(#[from] std::io::Error),
    #[error("writing a table: {0}")]
    Csv(#[from] csv::Error),
    #[error("drawing the chart: {0}")]
    Chart(String),
}

impl Failure {
    /// The program's exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            _ => 1,
        }
    }
}
