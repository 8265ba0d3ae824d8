//! How the processes find each other: rank 0 writes NCCL's id to a file that the others read.
//!
//! Whoever can write the file decides where the ranks connect to. So only the user who runs the ranks can access the file: rank 0 creates
//! it, with no rights for other users, and removes it when all ranks have joined. A reader refuses a link in the file's place, and another
//! user's file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Why the id cannot be read from a file, or written to it.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    #[error("is there already, perhaps from an earlier run: remove it, or name another file")]
    IsThere,
    #[error("was written too long ago to be of this run: remove it")]
    Stale,
    #[error("is a link, or not a file")]
    NotAFile,
    #[error("belongs to another user, or others may read or write it")]
    NotPrivate,
    #[error("has more than the {0} bytes of an id")]
    TooLong(usize),
    #[error("has not come, or not all of it, within {} s", .0.as_secs())]
    Missing(Duration),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A file that was written. It is removed when this value is dropped.
#[derive(Debug)]
pub struct Written(PathBuf);

impl Drop for Written {
    fn drop(&mut self) {
        // If it cannot be removed, the next run reports that it exists.
        let _ = fs::remove_file(&self.0);
    }
}

/// Makes the file, and writes the id to it.
pub fn write(path: &Path, id: &[u8]) -> Result<Written, Fault> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(path).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Fault::IsThere,
        _ => error.into(),
    })?;
    let written = Written(path.to_owned());
    file.write_all(id)?;
    Ok(written)
}

/// Waits until the file is complete, for `limit` at most, and reads it.
pub fn read<const BYTES: usize>(path: &Path, limit: Duration) -> Result<[u8; BYTES], Fault> {
    let (begin, now) = (Instant::now(), SystemTime::now());
    // A file that was written before this time is from another run: the rank 0 that wrote it has waited for `limit` since then, and has
    // given up.
    let oldest = now.checked_sub(limit);
    loop {
        if let Some(id) = read_now(path, oldest)? {
            return Ok(id);
        }
        if begin.elapsed() >= limit {
            return Err(Fault::Missing(limit));
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// The contents of the file; `None` if it does not exist yet or is not complete.
fn read_now<const BYTES: usize>(
    path: &Path,
    oldest: Option<SystemTime>,
) -> Result<Option<[u8; BYTES]>, Fault> {
    let mut options = OpenOptions::new();
    // With `O_NONBLOCK`, opening a pipe does not block.
    options
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => return Err(Fault::NotAFile),
        Err(error) => return Err(error.into()),
    };
    check(&file, oldest)?;
    let mut id = Vec::with_capacity(BYTES + 1);
    file.take(BYTES as u64 + 1).read_to_end(&mut id)?;
    match id.len() > BYTES {
        true => Err(Fault::TooLong(BYTES)),
        false => Ok(id.try_into().ok()),
    }
}

/// Refuses a file that is not a regular file, that belongs to another user, that other users may access, or that was written before
/// `oldest`.
fn check(file: &File, oldest: Option<SystemTime>) -> Result<(), Fault> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(Fault::NotAFile);
    }
    // SAFETY: the function has no conditions: it takes nothing and cannot fail.
    let user = unsafe { libc::geteuid() };
    if metadata.uid() != user || metadata.mode() & 0o077 != 0 {
        return Err(Fault::NotPrivate);
    }
    match oldest {
        Some(oldest) if metadata.modified()? < oldest => Err(Fault::Stale),
        _ => Ok(()),
    }
}
