//! Checking the arguments of a call, and queueing its kernel.
//!
//! The methods of [`Queue`] do not wait for the work that they queue. The host checks a call's arguments before the kernel and the
//! workspace are prepared. The checks come in this order: first the shape and the inputs' lengths, then the stream's context, and last the
//! outputs' lengths and the caller's memory ([`arguments`]).

mod arguments;
#[cfg(feature = "nccl")]
pub(crate) mod states;
mod words;

use std::ops::Range;
use std::sync::MutexGuard;

use warpfold_kernels::launch::Start;

#[cfg(feature = "nccl")]
pub(crate) use self::arguments::check;
pub(crate) use self::arguments::{Region, Span};
pub(crate) use self::words::{
    ByKeyReduceWords, ByKeyScanWords, ColumnsReduceWords, ColumnsScanWords, HeadsWords,
    ReducePairsWords, ReduceWords, ScanWords, SegmentedReduceWords, SegmentedScanWords,
    SelectionWords, number_of,
};

use crate::driver::{Capture, Shape, Stream};
use crate::error::{Error, Result};
use crate::gpu::{
    CallStream, Entered, KnownStream, LoadedKernel, Need, Progress, Scratch, WorkspaceSpan,
};
use crate::kernel::{Block, Entry};

/// The order of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanOrder {
    /// Whether the scan is exclusive: an item is not part of its own result.
    pub is_exclusive: bool,
    /// Whether the scan goes from the last item to the first.
    pub is_reversed: bool,
}

/// Whether a call reduces or scans each part of the items.
#[derive(Clone, Copy)]
pub(crate) enum Made {
    Reduction,
    Scan(ScanOrder),
}

/// The position of a launch in its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Whole,
    First,
    Middle,
    Last,
}

impl Position {
    /// The position of the launch that does the units of work in `range`, in a call with `count` units.
    pub fn new(range: &Range<u64>, count: u64) -> Self {
        match (range.start == 0, range.end == count) {
            (true, true) => Position::Whole,
            (true, false) => Position::First,
            (false, true) => Position::Last,
            (false, false) => Position::Middle,
        }
    }

    pub fn is_first(self) -> bool {
        matches!(self, Position::Whole | Position::First)
    }
}

/// A stream on which a call is being queued.
pub(crate) struct Queue<'a> {
    pub entered: Entered<'a>,
    pub stream: Stream<'a>,
    launches: Launches<'a>,
    memory: Memory,
}

/// What happens to the launches, and where their workspace is.
enum Launches<'a> {
    /// The launches run on one of the library's streams.
    Own(MutexGuard<'a, Scratch>),
    /// The launches run on one of the program's streams.
    Run(&'a mut Scratch),
    /// The launches become part of a graph.
    Captured(Capture, &'a mut KnownStream),
    /// The launches run in a workspace that its owner has prepared for them.
    #[cfg(feature = "nccl")]
    Seeded(WorkspaceSpan),
}

/// Whose memory a call works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// The caller's: the driver is asked whether the memory belongs to the context.
    Callers,
    /// The library's own.
    Own,
}

impl<'a> Queue<'a> {
    /// For work on the caller's memory, on one of the library's streams.
    pub fn for_caller(entered: Entered<'a>, call: &'a CallStream) -> Self {
        Self {
            memory: Memory::Callers,
            ..Self::on_own(entered, call)
        }
    }

    /// For work on the library's own memory, on one of the library's streams.
    pub fn on_own(entered: Entered<'a>, call: &'a CallStream) -> Self {
        Self {
            entered,
            stream: call.stream(),
            launches: Launches::Own(call.scratch()),
            memory: Memory::Own,
        }
    }

    /// The same as [`Self::on_own`], with the workspace `board`. This workspace has all state words that the launches need, and nothing
    /// else uses it until the work is done.
    #[cfg(feature = "nccl")]
    pub fn on_board(entered: Entered<'a>, call: &'a CallStream, board: WorkspaceSpan) -> Self {
        Self {
            entered,
            stream: call.stream(),
            launches: Launches::Seeded(board),
            memory: Memory::Own,
        }
    }

    /// For work on the caller's memory, on one of the caller's streams. `capture` is the stream's capture, if it has one.
    pub fn on(
        entered: Entered<'a>,
        stream: Stream<'a>,
        capture: Option<Capture>,
        known: &'a mut KnownStream,
    ) -> Self {
        Self {
            entered,
            stream,
            launches: match capture {
                None => Launches::Run(&mut known.scratch),
                Some(capture) => Launches::Captured(capture, known),
            },
            memory: Memory::Callers,
        }
    }

    /// Prepares the kernel and a workspace of `state_words` state words for a call in several launches. Then no launch fails because the
    /// kernel or the workspace is missing.
    pub fn prepare(&mut self, entry: &'static Entry, state_words: u64) -> Result<()> {
        self.entered.kernel(entry)?;
        self.scratch(Position::First, state_words).map(drop)
    }

    /// The workspace for a launch that needs `state_words` state words. `part` is the launch's position in its call.
    pub fn scratch(&mut self, part: Position, state_words: u64) -> Result<WorkspaceSpan> {
        self.scratch_for(part, Need::states(state_words))
    }

    /// The workspace for the launch at the position `part` of its call. The workspace is large enough for `need`.
    pub fn scratch_for(&mut self, part: Position, need: Need) -> Result<WorkspaceSpan> {
        let scratch: &mut Scratch = match &mut self.launches {
            Launches::Own(scratch) => scratch,
            Launches::Run(scratch) => scratch,
            Launches::Captured(capture, known) => {
                return self.entered.captured_workspace(known, *capture, need);
            }
            #[cfg(feature = "nccl")]
            Launches::Seeded(board) => {
                debug_assert!(need.is_met(board));
                return Ok(*board);
            }
        };
        if part.is_first() {
            scratch.begin_call();
        }
        self.entered.workspace(scratch, self.stream, need)
    }

    /// Records whether all launches of the call are queued.
    fn set_progress(&mut self, progress: Progress) {
        match &mut self.launches {
            Launches::Own(scratch) => scratch.set_progress(progress),
            Launches::Run(scratch) => scratch.set_progress(progress),
            // Nothing is recorded: the caller sees whether a launch failed, and the workspace belongs to this capture alone.
            Launches::Captured(..) => {}
            // Nothing is recorded: the owner prepares the workspace before each use.
            #[cfg(feature = "nccl")]
            Launches::Seeded(_) => {}
        }
    }

    /// Queues a launch of a kernel. `part` is the launch's position in its call.
    ///
    /// # Safety
    ///
    /// - `arguments` are the words of the kernel's kind;
    /// - the memory at the addresses among these words has at least the size that the kernel requires, and stays valid until the work is
    ///   done;
    /// - `blocks` is at least 1, and a number of blocks that the kernel allows.
    pub unsafe fn launch(
        &mut self,
        part: Position,
        kernel: &LoadedKernel,
        block: Block,
        blocks: u64,
        arguments: &mut [u64],
    ) -> Result<()> {
        if part != Position::Whole {
            self.set_progress(Progress::Halfway);
        }
        debug_assert!((1..=u64::from(u32::MAX >> 1)).contains(&blocks));
        let shape = Shape {
            blocks: blocks as u32,
            block_threads: block.threads,
            shared_bytes: block.shared_bytes,
        };
        // Some drivers let a launch begin before the previous launch has ended, but cannot capture such launches.
        let start = match self.launches {
            Launches::Own(_) | Launches::Run(_) => kernel.start,
            Launches::Captured(..) => Start::AfterOthers,
            #[cfg(feature = "nccl")]
            Launches::Seeded(_) => kernel.start,
        };
        // SAFETY: an entry's parameters are its kind's arguments, and `arguments` has a word for each (condition 1). The kernel's use of
        // these words is sound (conditions 2 and 3). Any kernel whose launches may begin early waits for the previous work.
        unsafe { kernel.function.launch(shape, start, self.stream, arguments) }?;
        if part == Position::Last {
            self.set_progress(Progress::Complete);
        }
        Ok(())
    }

    /// Checks all memory that a call reads and writes, before anything is prepared. For the caller's memory, this includes the check that
    /// the memory belongs to the context. The library's own memory is always memory of the context.
    pub fn check(&self, regions: &[Option<Region>]) -> Result<()> {
        match self.memory {
            Memory::Callers => check_arguments(self.entered, regions),
            Memory::Own => arguments::check(regions),
        }
    }
}

/// Checks all of the caller's memory that a call reads and writes.
pub(crate) fn check_arguments(entered: Entered<'_>, regions: &[Option<Region>]) -> Result<()> {
    arguments::check(regions)?;
    arguments::check_memory(entered, regions)
}

/// Checks that two inputs, such as items and their keys, have the same length.
pub(crate) fn check_lengths(left_items: usize, right_items: usize) -> Result<()> {
    match left_items == right_items {
        true => Ok(()),
        false => Err(Error::LengthsDiffer {
            left_items,
            right_items,
        }),
    }
}
