//! What a piece of work has read and written: runs of bytes, in order of their addresses.
//!
//! Bytes that lie side by side and were accessed alike, on one line of one kernel, are one run, as long as
//! each thread has as many of them as the one before. So a run usually is what a block accesses in a
//! row, and it is still known which thread has accessed which byte. Beyond [`EXACT_RUNS`] the threads are
//! given up, so that scattered accesses take less memory.

use crate::fault::AccessKind;
use crate::launch::Shape;
use crate::program::Program;
use std::ops::Range;
use std::sync::Arc;

/// Runs of a piece of work for which it is known which threads they are of.
const EXACT_RUNS: usize = 1 << 14;

/// How bytes were accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    pub kind: AccessKind,
    /// Bytes of each thread's access.
    pub bytes: u32,
    /// Whether it does not race with another such access of as many bytes: both are strong, and of
    /// device scope at least.
    pub meets: bool,
}

impl Access {
    /// That of a copy or a fill.
    pub(crate) fn of_call(kind: AccessKind) -> Self {
        Self {
            kind,
            bytes: 1,
            meets: false,
        }
    }

    fn writes(self) -> bool {
        self.kind != AccessKind::Read
    }

    /// Whether two accesses to one byte race if nothing orders them.
    pub(super) fn conflicts(self, other: Self) -> bool {
        let meet = self.meets && other.meets && self.bytes == other.bytes;
        (self.writes() || other.writes()) && !meet
    }

    /// Whether whatever conflicts with this access conflicts with another one, too.
    pub(crate) fn is_covered_by(self, other: Self) -> bool {
        (other.writes() || !self.writes())
            && (!other.meets || self.meets && self.bytes == other.bytes)
    }
}

/// The thread that accessed the bytes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Threads {
    Unknown,
    One(Thread),
    /// This one and those after it in its block, each so many bytes.
    From(Thread, u64),
}

/// A thread of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thread {
    /// Among those of all grids of the launch.
    pub block: u64,
    /// In the block.
    pub index: u32,
}

/// Bytes side by side that were accessed alike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) access: Access,
    /// Index into the places of the thread's program.
    pub(super) place: u32,
    threads: Threads,
}

impl Run {
    /// Bytes that no thread accesses, but a copy or a fill.
    pub(crate) fn of_call(bytes: Range<u64>, kind: AccessKind) -> Self {
        Self {
            start: bytes.start,
            end: bytes.end,
            access: Access::of_call(kind),
            place: 0,
            threads: Threads::Unknown,
        }
    }

    /// The thread that accessed a byte of the run.
    pub(super) fn thread(&self, address: u64) -> Option<Thread> {
        match self.threads {
            Threads::Unknown => None,
            Threads::One(thread) => Some(thread),
            Threads::From(first, each) => {
                let after = (address - self.start) / each;
                Some(Thread {
                    index: first.index + after as u32,
                    ..first
                })
            }
        }
    }

    /// Who would be the thread of the run's next bytes if it went on as it has begun.
    fn goes_on_with(&mut self, thread: Thread) -> bool {
        match self.threads {
            Threads::Unknown => false,
            Threads::One(first) if first == thread => true,
            Threads::One(first) => {
                let is_next = (first.block, first.index + 1) == (thread.block, thread.index);
                if is_next {
                    self.threads = Threads::From(first, self.end - self.start);
                }
                is_next
            }
            Threads::From(..) => self.thread(self.end) == Some(thread),
        }
    }
}

/// A grid whose threads have accessed something.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    /// Among those of all grids of the launch.
    pub first_block: u64,
    pub program: Arc<Program>,
    pub shape: Shape,
    /// From this place in a block on, threads stand for the asynchronous copies of the block's.
    pub copiers: u32,
}

/// What a piece of work has touched.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// Bytes that were written.
    pub writes: Vec<Run>,
    /// Bytes that were read. Those are left out for which a write stands as well.
    pub reads: Vec<Run>,
    /// The grids of a launch, by their first block.
    pub grids: Vec<Grid>,
}

/// Adds bytes that one thread has accessed to runs of lower addresses.
pub(crate) fn add(
    runs: &mut Vec<Run>,
    bytes: Range<u64>,
    (access, place): (Access, u32),
    thread: Thread,
) {
    let is_full = runs.len() >= EXACT_RUNS;
    if let Some(last) = runs.last_mut()
        && (last.end, last.access, last.place) == (bytes.start, access, place)
    {
        if last.goes_on_with(thread) {
            last.end = bytes.end;
            return;
        }
        if is_full {
            last.threads = Threads::Unknown;
            last.end = bytes.end;
            return;
        }
    }
    runs.push(Run {
        start: bytes.start,
        end: bytes.end,
        access,
        place,
        threads: Threads::One(thread),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(kind: AccessKind, bytes: u32, meets: bool) -> Access {
        Access { kind, bytes, meets }
    }

    #[test]
    fn atomic_operations_of_one_width_meet_and_others_do_not() {
        let atomic = access(AccessKind::Atomic, 4, true);
        let wider = access(AccessKind::Atomic, 8, true);
        let narrow_scope = access(AccessKind::Atomic, 4, false);
        let (read, write) = (
            access(AccessKind::Read, 4, false),
            access(AccessKind::Write, 4, false),
        );
        let strong_read = access(AccessKind::Read, 4, true);
        for (a, b, races) in [
            (atomic, atomic, false),
            (atomic, strong_read, false),
            (atomic, wider, true),
            (atomic, narrow_scope, true),
            (atomic, read, true),
            (write, read, true),
            (write, write, true),
            (read, read, false),
        ] {
            assert_eq!((a.conflicts(b), b.conflicts(a)), (races, races));
        }
        assert!(read.is_covered_by(write) && atomic.is_covered_by(write));
        assert!(!write.is_covered_by(read) && !read.is_covered_by(atomic));
        assert!(!atomic.is_covered_by(wider) && strong_read.is_covered_by(atomic));
    }

    #[test]
    fn threads_side_by_side_are_one_run_and_each_is_found() {
        let mut runs = Vec::new();
        let what = (access(AccessKind::Read, 4, false), 3);
        let thread = |block, index| Thread { block, index };
        for word in 0..64_u64 {
            let start = 4096 + 4 * word;
            add(
                &mut runs,
                start..start + 4,
                what,
                thread(word / 32, (word % 32 / 2) as u32),
            );
        }
        add(&mut runs, 4352..4356, (what.0, 4), thread(1, 16));
        assert_eq!(runs.len(), 3);
        assert_eq!(runs[1].thread(4096 + 4 * 45), Some(thread(1, 6)));
        assert_eq!(runs[2].thread(4354), Some(thread(1, 16)));
    }

    #[test]
    fn many_scattered_accesses_become_few_runs() {
        let mut runs = Vec::new();
        let what = (access(AccessKind::Read, 4, false), 3);
        for word in 0..4 * EXACT_RUNS as u64 {
            let index = (word * 7 % 32) as u32;
            let thread = Thread { block: 0, index };
            add(&mut runs, 4 * word..4 * word + 4, what, thread);
        }
        assert_eq!(runs.len(), EXACT_RUNS);
        let last = runs.last().expect("there are many");
        assert_eq!(last.end, 16 * EXACT_RUNS as u64);
        assert_eq!(last.thread(last.end - 1), None);
    }
}
