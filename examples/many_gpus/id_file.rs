//! How the processes find each other: rank 0 writes NCCL's id to a file that all can read.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use warpfold::group::UniqueId;

use crate::failure::Failure;

/// Makes the id and writes it, as rank 0; waits for it as another.
pub fn share(rank: usize, path: &Path, limit: Duration) -> Result<UniqueId, Failure> {
    if rank > 0 {
        return await_id(path, limit);
    }
    let id = UniqueId::new()?;
    // Complete as soon as it is there.
    let part = path.with_extension("part");
    let written = fs::write(&part, id.to_bytes()).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| Failure::Unwritable {
        path: path.to_owned(),
        error,
    })?;
    Ok(id)
}

fn await_id(path: &Path, limit: Duration) -> Result<UniqueId, Failure> {
    let begin = Instant::now();
    while begin.elapsed() < limit {
        let bytes = fs::read(path).unwrap_or_default();
        if let Ok(bytes) = bytes.try_into() {
            return Ok(UniqueId::from_bytes(bytes));
        }
        thread::sleep(Duration::from_millis(10));
    }
    Err(Failure::NoId {
        path: path.to_owned(),
    })
}
