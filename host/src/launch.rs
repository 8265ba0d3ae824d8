//! Checking the arguments of a call, and queueing its kernel.
//!
//! Every public function comes down to one of the methods of [`Queue`], none of which waits. What is wrong with the
//! arguments is found before anything is prepared or launched: first whether the stream is the context's, then
//! all else by the one check of [`arguments`].

mod arguments;
mod columns;
mod counted;
mod pairs;
mod pieces;
mod scan;
mod segments;
mod selection;
mod span;

use std::ffi::c_void;
use std::ops::Range;

use warpfold_kernels::arguments::ScanArguments;
use warpfold_kernels::launch::Start;

pub(crate) use self::arguments::Region;
#[cfg(feature = "nccl")]
pub(crate) use self::arguments::check_scan;
pub(crate) use self::columns::Matrix;
use self::pieces::Part;
pub(crate) use self::segments::{Segments, Starts};
pub(crate) use self::selection::{Chooser, Count, Outputs, Selection};
pub(crate) use self::span::Span;

pub(crate) use self::scan::{ScanExtras, Total};

pub(crate) use self::counted::reduce_counted_to_host;
pub(crate) use self::pairs::{PairSpan, reduce_pairs_to_host};

use crate::driver::{self, Address, Capture, Shape, Stream};
use crate::error::{Argument, Error, Result};
use crate::gpu::{Call, CallStream, Entered, KnownStream, LoadedKernel, Place, Progress, Scratch};
use crate::kernel::{Block, Entry, RESULT_MAX_BYTES, Row};

/// What the pointers in a launch's arguments point to, as far as the host is concerned: it hands addresses on, and the kernel has the
/// types.
type Untyped = u8;

/// A pointer to values of any type has 64 bits, so arguments are laid out alike, whatever the types.
const _: () = {
    type Typed = [u64; 4];
    assert!(size_of::<*const Untyped>() == 8 && size_of::<*const Typed>() == 8);
    assert!(
        size_of::<ScanArguments<Untyped, Untyped>>() == size_of::<ScanArguments<Typed, Typed>>()
    );
};

/// A stream on which a call is being queued.
pub(crate) struct Queue<'a> {
    entered: Entered<'a>,
    stream: Stream<'a>,
    launches: Launches<'a>,
    memory: Memory,
}

/// What becomes of the launches, and where their scratch memory is.
enum Launches<'a> {
    /// They run.
    Run(&'a mut Scratch),
    /// They become part of a graph.
    Captured(Capture, &'a mut KnownStream),
    /// They run, in a workspace that their owner has made ready for them.
    #[cfg(feature = "nccl")]
    Seeded(Place),
}

/// Whose memory a call works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// The caller's: the driver is asked whether it is the context's.
    Callers,
    /// The library's own.
    Own,
}

impl Queue<'_> {
    /// Queues `work` on a stream of the library's own, after all that is queued on the default stream, and waits for it.
    pub fn and_wait<'gpu, R>(
        entered: Entered<'gpu>,
        work: impl FnOnce(&mut Queue<'_>, &Call<'gpu>) -> Result<R>,
    ) -> Result<(R, Call<'gpu>)> {
        let mut call = entered.call()?;
        driver::check_default_stream()?;
        call.begin().come_after_default_stream()?;
        let queued = Self::on_call(entered, &call, Memory::Callers, |queue| work(queue, &call))?;
        call.wait()?;
        Ok((queued, call))
    }

    /// Queues `work` on a stream of the library's own, on memory of its own.
    pub fn on_own<R>(
        entered: Entered<'_>,
        call: &CallStream,
        work: impl FnOnce(&mut Queue<'_>) -> Result<R>,
    ) -> Result<R> {
        Self::on_call(entered, call, Memory::Own, work)
    }

    fn on_call<R>(
        entered: Entered<'_>,
        call: &CallStream,
        memory: Memory,
        work: impl FnOnce(&mut Queue<'_>) -> Result<R>,
    ) -> Result<R> {
        call.with_scratch(|scratch| {
            work(&mut Queue {
                entered,
                stream: call.stream(),
                launches: Launches::Run(scratch),
                memory,
            })
        })
    }

    /// Queues `work` on a stream of the library's own, on memory of its own and in this workspace, which is used for nothing else
    /// until the work is done, and is at least as long as the launches need.
    #[cfg(feature = "nccl")]
    pub fn on_board<R>(
        entered: Entered<'_>,
        call: &CallStream,
        board: Place,
        work: impl FnOnce(&mut Queue<'_>) -> Result<R>,
    ) -> Result<R> {
        work(&mut Queue {
            entered,
            stream: call.stream(),
            launches: Launches::Seeded(board),
            memory: Memory::Own,
        })
    }

    /// Queues `work` on a stream of the caller's.
    pub fn on(
        entered: Entered<'_>,
        stream: Stream<'_>,
        work: impl FnOnce(&mut Queue<'_>) -> Result<()>,
    ) -> Result<()> {
        let capture = stream.capture()?;
        entered.with_stream(stream, capture, |known| {
            work(&mut Queue {
                entered,
                stream,
                launches: match capture {
                    None => Launches::Run(&mut known.scratch),
                    Some(capture) => Launches::Captured(capture, known),
                },
                memory: Memory::Callers,
            })
        })
    }

    /// Queues a reduction of `input` to the first item of `output`: of no items, the operator's identity.
    pub fn reduce(&mut self, row: &'static Row, input: Span, output: Span) -> Result<()> {
        self.check(&[
            Some(Region::read(Argument::Input, input)),
            Some(Region::written(Argument::Output, output, 1)),
        ])?;
        if input.item_count == 0 {
            return self.write_lowered(row, None, output.address);
        }
        let chunks = all_chunks(row, input.item_count);
        // SAFETY: the check above found the input and the place of the result to be memory of the context, aligned and apart; a
        // `DeviceSlice` is as long as it says. All chunks at once.
        unsafe { self.reduce_piece(row, input, chunks, output.address) }
    }

    /// Queues a reduction of `input`, at least one item, to the place for the result of a call on this queue's stream.
    pub fn reduce_for(&mut self, row: &'static Row, call: &CallStream, input: Span) -> Result<()> {
        self.check(&[Some(Region::read(Argument::Input, input))])?;
        let result = call.result()?;
        // SAFETY: the check above found the input to be memory of the context, and aligned; the result's place is page-locked memory of
        // the library's, a page long. All chunks at once.
        unsafe { self.reduce_piece(row, input, all_chunks(row, input.item_count), result) }
    }

    /// Prepares a call that is queued in parts and needs `state_words` state words: nothing is missing then for any of them.
    pub fn prepare(&mut self, entry: &'static Entry, state_words: u64) -> Result<()> {
        self.entered.kernel(entry)?;
        self.scratch(Part::First, state_words).map(drop)
    }

    /// Queues a scan of `input`, at least one item, to the first items of `output`.
    pub fn scan(&mut self, row: &'static Row, input: Span, output: Span) -> Result<()> {
        self.scan_with(row, input, output, ScanExtras::NONE)
    }

    /// Queues the writing of the result that is made of an accumulator of these bytes, or else of the identity.
    fn write_lowered(&self, row: &Row, value: Option<&[u8]>, address: Address) -> Result<()> {
        let mut room = [0; RESULT_MAX_BYTES];
        let result = &mut room[..row.result.bytes];
        row.lower(value, result);
        Ok(driver::write_item(address, result, self.stream)?)
    }

    /// The workspace for a part of a call that needs `state_words` state words.
    fn scratch(&mut self, part: Part, state_words: u64) -> Result<Place> {
        match &mut self.launches {
            Launches::Run(scratch) => {
                if part.is_first() {
                    scratch.begin_call();
                }
                self.entered.place(scratch, self.stream, state_words)
            }
            Launches::Captured(capture, known) => {
                self.entered.captured_place(known, *capture, state_words)
            }
            #[cfg(feature = "nccl")]
            Launches::Seeded(board) => {
                debug_assert!(board.state_words >= state_words);
                Ok(*board)
            }
        }
    }

    /// Notes how far the call has come.
    fn set_progress(&mut self, progress: Progress) {
        match &mut self.launches {
            Launches::Run(scratch) => scratch.set_progress(progress),
            // The caller learns of a failure, and the capture has a workspace of its own.
            Launches::Captured(..) => {}
            // Its owner makes the workspace ready for each call.
            #[cfg(feature = "nccl")]
            Launches::Seeded(_) => {}
        }
    }

    /// Queues a kernel, as a part of a call.
    ///
    /// # Safety
    ///
    /// - `arguments` point to the arguments of the kernel's kind, in their order and with their sizes;
    /// - the pointers among these reach as far as the kernel's contract says, until the work is done;
    /// - `blocks` are as many as the contract allows, at least one.
    unsafe fn launch(
        &mut self,
        part: Part,
        kernel: &LoadedKernel,
        block: Block,
        blocks: u64,
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        if part != Part::Whole {
            self.set_progress(Progress::Halfway);
        }
        debug_assert!((1..=u64::from(u32::MAX >> 1)).contains(&blocks));
        let shape = Shape {
            blocks: blocks as u32,
            block_threads: block.threads,
            shared_bytes: block.shared_bytes,
        };
        // Not every driver that knows early launches captures them.
        let start = match self.launches {
            Launches::Run(_) => kernel.start,
            Launches::Captured(..) => Start::AfterOthers,
            #[cfg(feature = "nccl")]
            Launches::Seeded(_) => kernel.start,
        };
        // SAFETY: an entry's parameters are its kind's arguments, and `arguments` has a value for each by the first condition. What the
        // kernel does with them is sound by the other two. It waits for the work before it wherever its text lets it begin early.
        unsafe { kernel.function.launch(shape, start, self.stream, arguments) }?;
        if part == Part::Last {
            self.set_progress(Progress::Complete);
        }
        Ok(())
    }

    /// Checks all that a call reads and writes, before anything is prepared.
    pub fn check(&self, regions: &[Option<Region>]) -> Result<()> {
        match self.memory {
            Memory::Callers => check_arguments(self.entered, regions),
            Memory::Own => arguments::check(regions),
        }
    }
}

/// Checks all that a call reads and writes of its caller's memory, before anything is allocated for it.
pub(crate) fn check_arguments(entered: Entered<'_>, regions: &[Option<Region>]) -> Result<()> {
    arguments::check(regions)?;
    arguments::check_memory(entered, regions)
}

/// All chunks of a reduction of `item_count` items.
fn all_chunks(row: &Row, item_count: usize) -> Range<u64> {
    0..(row.division.reduce_chunk_count)(item_count as u64)
}

/// Reduces `input`, at least one item, waits for the result, and writes it to these bytes.
pub(crate) fn reduce_to_host(
    entered: Entered<'_>,
    row: &'static Row,
    input: Span,
    result: &mut [u8],
) -> Result<()> {
    let ((), call) = Queue::and_wait(entered, |queue, call| queue.reduce_for(row, call, input))?;
    // SAFETY: the reduction is done.
    unsafe { call.read_result_to(result) }
}

/// The same in the order of the items.
pub(crate) fn reduce_in_order_to_host(
    entered: Entered<'_>,
    row: &'static Row,
    input: Span,
    result: &mut [u8],
) -> Result<()> {
    let ((), call) = Queue::and_wait(entered, |queue, call| {
        queue.reduce_in_order_for(row, call, input)
    })?;
    // SAFETY: the reduction is done.
    unsafe { call.read_result_to(result) }
}

/// Checks that two inputs, or items and what belongs to each of them, are equally many.
pub(crate) fn check_lengths(left_items: usize, right_items: usize) -> Result<()> {
    match left_items == right_items {
        true => Ok(()),
        false => Err(Error::LengthsDiffer {
            left_items,
            right_items,
        }),
    }
}

#[cfg(test)]
mod tests;
