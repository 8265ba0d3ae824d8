//! The numbers of a file. The device's memory must have room for these numbers.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use warpfold::cust::error::CudaError;
use warpfold::cust::memory::mem_get_info;

use crate::common::quoted;
use crate::parse::Fault;

/// Why the numbers of a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Unusable {
    #[error("cannot read {}: {error}", quoted::path(path))]
    Unreadable { path: PathBuf, error: io::Error },
    #[error(
        "{}, line {line}: {} is not a number",
        quoted::path(path),
        quoted::word(word)
    )]
    Malformed {
        path: PathBuf,
        line: usize,
        word: Vec<u8>,
    },
    #[error(
        "{} has more than {most} numbers, for which the device has no room",
        quoted::path(path)
    )]
    TooMany { path: PathBuf, most: usize },
}

/// How many numbers the device's free memory has room for.
pub fn room() -> Result<usize, CudaError> {
    let (free_bytes, _) = mem_get_info()?;
    Ok(free_bytes / size_of::<f64>())
}

/// Parses a file by `parse`, which returns at most `most` numbers.
pub fn read<N>(
    path: &Path,
    most: usize,
    parse: impl FnOnce(BufReader<File>, usize) -> Result<N, Fault>,
) -> Result<N, Unusable> {
    let parsed = match File::open(path) {
        Ok(file) => parse(BufReader::new(file), most),
        Err(error) => Err(Fault::Unreadable(error)),
    };
    let path = || path.to_owned();
    parsed.map_err(|fault| match fault {
        Fault::Unreadable(error) => Unusable::Unreadable {
            path: path(),
            error,
        },
        Fault::Malformed { line, word } => Unusable::Malformed {
            path: path(),
            line,
            word,
        },
        Fault::TooMany => Unusable::TooMany { path: path(), most },
    })
}
