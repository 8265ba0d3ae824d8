//! Findings: likely mistakes of the program. Each is printed to stderr, and the host thread that caused it can
//! fetch it with [`take_findings`].
//!
//! In reports of leaks, a module's variables are part of the module and do not count as allocations. Objects that
//! are left when the process ends, or when a primary context is reset, are not reported. Nor are objects of a
//! poisoned context, because the program cannot free them.

use crate::StreamRace;
use crate::driver::objects::lock;
use std::fmt;
use std::sync::{Arc, Mutex};

/// A likely mistake of the program.
///
/// ```
/// use virtual_gpu::driver::{Finding, take_findings};
///
/// let leaks = take_findings().into_iter().filter(|finding| matches!(finding, Finding::Leak { .. }));
/// assert_eq!(leaks.count(), 0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// A context was released or destroyed before its objects were freed.
    Leak {
        /// The device's number.
        device: i32,
        /// The objects that were left.
        left: Left,
    },
    /// Undefined bytes were copied to the host: nothing had written them, or a kernel had written undefined values.
    UninitialisedCopy {
        /// The source address on the device. If the copy has several rows, this is the address of the first row that has undefined bytes.
        address: u64,
        /// The length of the copy in bytes. If the copy has several rows, this is the length of one row.
        bytes: u64,
        /// The offset of the first undefined byte from `address`.
        first: u64,
    },
    /// Two pieces of work access the same bytes, at least one of the two pieces writes these bytes, and nothing orders the pieces. The
    /// context of the later piece is poisoned, as after a fault. If the later piece is a launch that has no other fault, the race is also
    /// the launch's fault.
    StreamRace(Box<StreamRace>),
}

/// The numbers of objects that were left in a context.
///
/// ```
/// use virtual_gpu::driver::Left;
///
/// let left = Left { streams: 2, ..Left::default() };
/// assert_eq!(left.to_string(), "2 streams");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Left {
    /// Allocations of device memory and of managed memory.
    pub allocations: usize,
    /// The total bytes of these allocations.
    pub allocated_bytes: u64,
    /// Ranges of pinned host memory.
    pub pinned: usize,
    /// The total bytes of these ranges.
    pub pinned_bytes: u64,
    /// Modules.
    pub modules: usize,
    /// Streams, except default streams.
    pub streams: usize,
    /// Events.
    pub events: usize,
}

impl Left {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.allocations, "allocation", Some(self.allocated_bytes)),
            (self.pinned, "pinned range", Some(self.pinned_bytes)),
            (self.modules, "module", None),
            (self.streams, "stream", None),
            (self.events, "event", None),
        ];
        let mut separator = "";
        for (count, what, bytes) in counts.into_iter().filter(|(count, ..)| *count > 0) {
            let plural = if count == 1 { "" } else { "s" };
            write!(f, "{separator}{count} {what}{plural}")?;
            if let Some(bytes) = bytes {
                write!(f, " ({bytes} bytes)")?;
            }
            separator = ", ";
        }
        Ok(())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::Leak { device, left } => {
                write!(f, "leak: a context of device {device} went with {left}")
            }
            Finding::UninitialisedCopy {
                address,
                bytes,
                first,
            } => write!(
                f,
                "uninitialised: {bytes} bytes were copied to the host from {address:#x}, of which \
                 byte {first} is the first that nothing wrote"
            ),
            Finding::StreamRace(race) => race.fmt(f),
        }
    }
}

/// The findings of one host thread.
#[derive(Clone, Default)]
pub(crate) struct Findings(Arc<Mutex<Vec<Finding>>>);

thread_local! {
    static OWN: Findings = Findings::default();
}

impl Findings {
    /// The calling thread's list. If the thread-local storage is destroyed already, returns a new list, which nobody reads.
    pub(crate) fn of_this_thread() -> Self {
        OWN.try_with(Self::clone).unwrap_or_default()
    }

    pub(crate) fn report(&self, finding: Finding) {
        eprintln!("virtual-gpu: {finding}");
        lock(&self.0).push(finding);
    }

    /// Reports the objects that were left in a destroyed context.
    pub(crate) fn report_left(&self, device: i32, left: Left) {
        if !left.is_nothing() {
            self.report(Finding::Leak { device, left });
        }
    }
}

/// The findings that the calling thread has caused since it last called this function: by releasing or
/// destroying contexts, and by enqueuing work.
///
/// ```
/// for finding in virtual_gpu::driver::take_findings() {
///     println!("{finding}");
/// }
/// assert!(virtual_gpu::driver::take_findings().is_empty());
/// ```
pub fn take_findings() -> Vec<Finding> {
    std::mem::take(&mut lock(&Findings::of_this_thread().0))
}
