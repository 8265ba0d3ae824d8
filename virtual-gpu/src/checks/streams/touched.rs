//! The bytes that a piece of work reads, and the bytes that it writes, as two lists of runs in the order of their addresses.
//!
//! Here a *run* is a range of adjacent bytes that were accessed in the same way. If the piece of work is a launch, one instruction accessed
//! all bytes of a run. Usually these accesses came from consecutive threads of one block, and each thread accessed the same number of
//! bytes. Then the thread of each byte is known. When a list has [`EXACT_RUNS`] runs, it grows more slowly, to save memory: from then on,
//! adjacent bytes of the same instruction join the last run even if the threads of that run become unknown.

use crate::config::Shape;
use crate::fault::AccessKind;
use crate::program::Program;
use std::ops::Range;
use std::sync::Arc;

/// When a list has this many runs, adjacent bytes of the same instruction join the last run, whichever threads accessed them.
const EXACT_RUNS: usize = 1 << 14;

/// How bytes were accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access {
    pub kind: AccessKind,
    /// Bytes of each thread's access.
    pub bytes: u32,
    /// Whether the access is strong and has device scope or wider. Two such accesses to the same bytes do not race.
    pub meets: bool,
}

impl Access {
    /// The access of a copy, a fill or a stream-ordered free.
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

    /// Whether every access that conflicts with this access also conflicts with `other`.
    pub(crate) fn is_covered_by(self, other: Self) -> bool {
        (other.writes() || !self.writes())
            && (!other.meets || self.meets && self.bytes == other.bytes)
    }
}

/// The threads that accessed the bytes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Threads {
    Unknown,
    One(Thread),
    /// This thread and the following threads of its block. Each thread accessed this number of bytes; the last thread may have accessed
    /// fewer.
    From(Thread, u64),
}

/// A thread of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Thread {
    /// The block's number in the whole launch, over all grids.
    pub block: u64,
    /// The thread's index in the block.
    pub index: u32,
}

/// Adjacent bytes that were accessed in the same way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) access: Access,
    /// The index of the accessing instruction in the program's `places`. 0 for the bytes of a call, which has no program.
    pub(super) place: u32,
    threads: Threads,
}

impl Run {
    /// Bytes that a copy, a fill or a stream-ordered free accesses.
    pub(crate) fn of_call(bytes: Range<u64>, kind: AccessKind) -> Self {
        Self {
            start: bytes.start,
            end: bytes.end,
            access: Access::of_call(kind),
            place: 0,
            threads: Threads::Unknown,
        }
    }

    pub(super) fn range(&self) -> Range<u64> {
        self.start..self.end
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
}

/// A grid of a launch.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    /// The number of the grid's first block. Blocks are numbered over all grids of the launch.
    pub first_block: u64,
    pub program: Arc<Program>,
    pub shape: Shape,
    /// From this index in a block on, threads represent the asynchronous copies of the block's threads.
    pub copiers: u32,
}

/// The accesses of a piece of work.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// Bytes that were written.
    pub writes: Vec<Run>,
    /// Bytes that were read. A read is left out if the same launch also writes the bytes, and the write conflicts with all that the read
    /// conflicts with.
    pub reads: Vec<Run>,
}

impl Touched {
    /// All runs: the reads, then the writes.
    pub(super) fn runs(&self) -> impl Iterator<Item = &Run> {
        self.reads.iter().chain(&self.writes)
    }
}

/// Builds runs from the accesses of single threads.
#[derive(Debug)]
pub(crate) struct Gatherer {
    runs: Vec<Run>,
    /// The last thread of the last run, if the run's threads are [`Threads::From`]. This thread has `left` bytes fewer than the threads
    /// before it.
    last: Thread,
    left: u64,
}

impl Default for Gatherer {
    fn default() -> Self {
        Self {
            runs: Vec::new(),
            last: Thread { block: 0, index: 0 },
            left: 0,
        }
    }
}

impl Gatherer {
    /// Adds bytes. Their addresses are higher than all addresses that were added before.
    pub(crate) fn add(
        &mut self,
        bytes: Range<u64>,
        (access, place): (Access, u32),
        thread: Thread,
    ) {
        let is_full = self.runs.len() >= EXACT_RUNS;
        if let Some(run) = self.runs.last_mut()
            && (run.end, run.access, run.place) == (bytes.start, access, place)
        {
            let goes_on = goes_on(run, (&mut self.last, &mut self.left), thread, &bytes);
            if goes_on || is_full {
                run.end = bytes.end;
                if !goes_on {
                    run.threads = Threads::Unknown;
                }
                return;
            }
        }
        self.runs.push(Run {
            start: bytes.start,
            end: bytes.end,
            access,
            place,
            threads: Threads::One(thread),
        });
    }

    pub(crate) fn runs(self) -> Vec<Run> {
        self.runs
    }
}

/// Whether [`Threads`] can describe the run together with these bytes of this thread. If so, updates the run's threads.
fn goes_on(
    run: &mut Run,
    (last, left): (&mut Thread, &mut u64),
    thread: Thread,
    bytes: &Range<u64>,
) -> bool {
    let count = bytes.end - bytes.start;
    let each = match run.threads {
        Threads::Unknown => return false,
        Threads::One(first) if first == thread => return true,
        Threads::One(first) => {
            (*last, *left) = (first, 0);
            run.end - run.start
        }
        Threads::From(_, each) => each,
    };
    if *last == thread && count <= *left {
        *left -= count;
        return true;
    }
    let is_next = (last.block, last.index + 1) == (thread.block, thread.index);
    if !is_next || *left > 0 || count > each {
        return false;
    }
    if let Threads::One(first) = run.threads {
        run.threads = Threads::From(first, each);
    }
    (*last, *left) = (thread, each - count);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(kind: AccessKind, bytes: u32, meets: bool) -> Access {
        Access { kind, bytes, meets }
    }

    #[test]
    fn atomic_operations_of_different_widths_conflict() {
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
    fn adjacent_accesses_form_runs_that_identify_every_thread() {
        let mut gatherer = Gatherer::default();
        let what = (access(AccessKind::Read, 4, false), 3);
        let thread = |block, index| Thread { block, index };
        for word in 0..64_u64 {
            let start = 4096 + 4 * word;
            let thread = thread(word / 32, (word % 32 / 2) as u32);
            gatherer.add(start..start + 4, what, thread);
        }
        gatherer.add(4352..4356, (what.0, 4), thread(1, 16));
        let runs = gatherer.runs();
        assert_eq!(runs.len(), 3);
        assert_eq!(runs[1].thread(4096 + 4 * 45), Some(thread(1, 6)));
        assert_eq!(runs[2].thread(4354), Some(thread(1, 16)));
    }

    #[test]
    fn many_scattered_accesses_become_few_runs() {
        let mut gatherer = Gatherer::default();
        let what = (access(AccessKind::Read, 4, false), 3);
        for word in 0..4 * EXACT_RUNS as u64 {
            let index = (word * 7 % 32) as u32;
            let thread = Thread { block: 0, index };
            gatherer.add(4 * word..4 * word + 4, what, thread);
        }
        let runs = gatherer.runs();
        assert_eq!(runs.len(), EXACT_RUNS);
        let last = runs.last().expect("there are many");
        assert_eq!(last.end, 16 * EXACT_RUNS as u64);
        assert_eq!(last.thread(last.end - 1), None);
    }
}
