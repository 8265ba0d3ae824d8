//! The report of a race between two pieces of work.

use super::{AccessKind, Extent};
use std::fmt;

/// Two pieces of work that access the same byte. At least one of them writes, and nothing orders them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamRace {
    /// The address of a byte that both pieces of work access.
    pub address: u64,
    /// The allocation or page-locked host memory that contains the byte.
    pub allocation: Option<Extent>,
    /// The piece of work that was done first.
    pub earlier: StreamSide,
    /// The piece of work at which the race was found.
    pub later: StreamSide,
}

impl fmt::Display for StreamRace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "race between streams: at address {:#x}", self.address)?;
        if let Some(allocation) = self.allocation {
            write!(f, ", in the allocation {allocation}")?;
        }
        write!(
            f,
            ", nothing orders\n  the {}\n  and the {}",
            self.earlier, self.later
        )
    }
}

/// One side of a race between streams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamSide {
    /// The stream of the work.
    pub stream: StreamName,
    /// The kind of access.
    pub access: AccessKind,
    /// The kernel or the call.
    pub by: Doer,
}

impl fmt::Display for StreamSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}, in {}", self.access, self.by, self.stream)
    }
}

/// A kernel or a call that accesses a byte.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doer {
    /// A thread of a kernel.
    Kernel {
        /// The kernel's name.
        name: String,
        /// Bytes of the thread's access.
        bytes: u32,
        /// The thread, if it is known.
        at: Option<ThreadPlace>,
        /// The line in the PTX text, counted from 1.
        line: u32,
        /// The text of the instruction, on one line.
        instruction: String,
    },
    /// A copy, a fill, or stream-ordered freeing.
    Call {
        /// The driver call that enqueued the work. For work of a graph, the call that was captured.
        name: &'static str,
        /// The number of adjacent bytes that the call accesses.
        bytes: u64,
    },
}

/// The coordinates of a thread in its grid.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreadPlace {
    /// The coordinates of the block in its grid.
    pub block: [u32; 3],
    /// The coordinates of the thread in its block.
    pub thread: [u32; 3],
    /// The thread's number in its block.
    pub index: u32,
}

impl fmt::Display for Doer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doer::Call { name, bytes } => write!(f, "{bytes} bytes by {name}"),
            Doer::Kernel {
                name,
                bytes,
                at,
                line,
                instruction,
            } => {
                write!(f, "{bytes} bytes by kernel `{name}`")?;
                if let Some(place) = at {
                    let ([bx, by, bz], [tx, ty, tz]) = (place.block, place.thread);
                    write!(f, ", block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz})")?;
                }
                write!(f, ", at PTX line {line}: {instruction}")
            }
        }
    }
}

/// A stream, as reports name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamName {
    /// The stream's number, as `cuStreamGetId` returns it.
    pub id: u64,
    /// How the stream is ordered with the legacy default stream.
    pub kind: StreamKind,
}

/// How a stream is ordered with the legacy default stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamKind {
    /// The stream is the legacy default stream.
    Legacy,
    /// Work of this stream and work of the legacy default stream run in the order in which they were enqueued.
    Blocking,
    /// Work of this stream is not ordered with work of the legacy default stream.
    NonBlocking,
}

impl fmt::Display for StreamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            StreamKind::Legacy => f.write_str("the legacy default stream"),
            StreamKind::Blocking => write!(f, "stream {}", self.id),
            StreamKind::NonBlocking => write!(f, "the non-blocking stream {}", self.id),
        }
    }
}
