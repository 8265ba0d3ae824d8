//! Makes sure that at most one virtual driver answers calls in a process. A program may link this crate and also load another copy as
//! `libcuda.so.1`. The two copies would be two machines that know nothing of each other. They have no variable in common through which they
//! could find each other. So the first copy that answers a call opens a memory file, and the second copy finds the file's name among the
//! process's open files.

/// Whether this copy may answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    Ours,
    /// Another copy answers already.
    Taken,
}

/// Claims the process for this copy, until the process ends. If the file cannot be made or the open files cannot be listed, the claim
/// succeeds.
#[cfg(target_os = "linux")]
pub(crate) fn claim() -> Claim {
    use std::os::fd::{FromRawFd, OwnedFd};

    // SAFETY: `NAME` is a text that ends with NUL.
    let file = unsafe { libc::memfd_create(NAME.as_ptr(), libc::MFD_CLOEXEC) };
    if file < 0 {
        return Claim::Ours;
    }
    // SAFETY: `file` is not negative (checked above), so it was just opened, and nothing else owns it.
    let file = unsafe { OwnedFd::from_raw_fd(file) };
    if claims() > 1 {
        return Claim::Taken;
    }
    // The file stays open: the claim lasts until the process ends.
    std::mem::forget(file);
    Claim::Ours
}

/// On other systems two copies are not detected.
#[cfg(not(target_os = "linux"))]
pub(crate) fn claim() -> Claim {
    Claim::Ours
}

#[cfg(target_os = "linux")]
const NAME: &std::ffi::CStr = c"virtual-gpu-driver";

/// How many memory files of this name the process has open. Each copy opens its own file before it calls this function.
#[cfg(target_os = "linux")]
fn claims() -> usize {
    let files = std::fs::read_dir("/proc/self/fd")
        .into_iter()
        .flatten()
        .flatten();
    let named = files.filter_map(|file| std::fs::read_link(file.path()).ok());
    let name = NAME.to_string_lossy();
    named
        .filter(|path| {
            path.to_string_lossy()
                .starts_with(&format!("/memfd:{name}"))
        })
        .count()
}
