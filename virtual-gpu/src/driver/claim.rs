//! One virtual driver to a process. A program may have this crate linked in and load another copy of it as `libcuda.so.1`:
//! two machines that know nothing of each other. Two copies share no symbol by which they could find each other, so
//! each that begins to answer holds a file in memory open, whose name shows among the files of the process.

/// Whether this copy may answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Claim {
    Ours,
    /// Another copy answers already.
    Taken,
}

/// Claims the process for this copy, for as long as it lives. Where that cannot be found out, it is ours.
#[cfg(target_os = "linux")]
pub(crate) fn claim() -> Claim {
    use std::os::fd::{FromRawFd, OwnedFd};

    // SAFETY: the name is a text that ends with NUL.
    let file = unsafe { libc::memfd_create(NAME.as_ptr(), libc::MFD_CLOEXEC) };
    if file < 0 {
        return Claim::Ours;
    }
    // SAFETY: it was just opened, and nobody else has it.
    let file = unsafe { OwnedFd::from_raw_fd(file) };
    if claims() > 1 {
        return Claim::Taken;
    }
    // Stays open: the machine is never given up.
    std::mem::forget(file);
    Claim::Ours
}

/// Elsewhere two copies are not found out.
#[cfg(not(target_os = "linux"))]
pub(crate) fn claim() -> Claim {
    Claim::Ours
}

#[cfg(target_os = "linux")]
const NAME: &std::ffi::CStr = c"virtual-gpu-driver";

/// How many copies have claimed this process.
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
