//! Checking the arguments of a call, and queueing its kernel.
//!
//! Every public function comes down to one of the methods of [`Queue`], none of which waits. What is wrong with the
//! arguments is found before anything is prepared or launched: first whether the stream is the context's, then
//! lengths, alignment and overlap, which need no driver, then whether the memory is.

mod columns;
mod counted;
mod pairs;
mod pieces;
mod scan;
mod segments;
mod selection;

use std::ffi::c_void;
use std::ops::Range;

use warpfold_kernels::arguments::ScanArguments;
use warpfold_kernels::launch::Start;

pub(crate) use self::columns::Matrix;
use self::pieces::Part;
pub(crate) use self::segments::{Segments, Starts};
pub(crate) use self::selection::{Chooser, Count, Outputs, Selection};

pub(crate) use self::scan::{ScanExtras, Total};

pub(crate) use self::counted::reduce_counted_to_host;
pub(crate) use self::pairs::{PairSpan, reduce_pairs_to_host};

use crate::driver::{self, Address, Capture, Shape, Stream};
use crate::error::{Argument, Error, Result};
use crate::gpu::{Call, CallStream, Entered, KnownStream, LoadedKernel, Place, Progress, Scratch};
use crate::kernel::{Block, Entry, RESULT_MAX_BYTES, Row, Type};

/// Items in the device's memory, or results, offsets, a number: values of one type.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub address: Address,
    pub item_count: usize,
    pub item: Type,
}

impl Span {
    /// No items.
    pub const NONE: Self = Self {
        address: 0,
        item_count: 0,
        item: Type::of::<u8>(),
    };

    /// One past the last byte.
    fn end(self) -> Address {
        let bytes = (self.item_count as u64).saturating_mul(self.item.bytes as u64);
        self.address.saturating_add(bytes)
    }

    /// The first item alone, if there is one.
    fn first(self) -> Self {
        self.first_items(1)
    }

    /// The first `most` items, or as many as there are.
    pub fn first_items(self, most: usize) -> Self {
        Self {
            item_count: self.item_count.min(most),
            ..self
        }
    }

    /// The place alone of one result.
    pub fn one_place(self) -> Result<Self> {
        match self.item_count {
            0 => Err(Error::OutputTooShort {
                offered_items: 0,
                needed_items: 1,
            }),
            _ => Ok(self.first()),
        }
    }

    /// The number alone, of a slice that has to say how many there are.
    fn first_of_a_count(self) -> Result<Self> {
        match self.item_count {
            0 => Err(Error::CountMissing),
            _ => Ok(self.first()),
        }
    }

    /// Checks that what is written here lies apart from `other`.
    pub fn check_apart(self, other: Self) -> Result<()> {
        match self.overlaps(other) {
            true => Err(overlap(other, self)),
            false => Ok(()),
        }
    }

    /// Whether the span has bytes in common with `other`.
    fn overlaps(self, other: Self) -> bool {
        self.address < other.end() && other.address < self.end()
    }

    pub fn check_alignment(self, argument: Argument) -> Result<()> {
        let alignment = self.item.alignment;
        match self.address.is_multiple_of(alignment as u64) {
            true => Ok(()),
            false => Err(Error::Misaligned {
                argument,
                address: self.address,
                alignment,
            }),
        }
    }
}

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

    /// Queues a reduction of `input`, at least one item, to the first item of `output`.
    pub fn reduce(&mut self, row: &'static Row, input: Span, output: Span) -> Result<()> {
        check_reduce(input, output)?;
        self.check_memory(Argument::Input, input)?;
        self.check_memory(Argument::Output, output)?;
        // SAFETY: both are memory of the context, of the lengths that their owner gave them; all chunks at once.
        unsafe {
            self.reduce_piece(
                row,
                input,
                all_chunks(row, input.item_count),
                output.address,
            )
        }
    }

    /// Queues a reduction of `input`, at least one item, to the place for the result of a call on this queue's stream.
    pub fn reduce_for(&mut self, row: &'static Row, call: &CallStream, input: Span) -> Result<()> {
        input.check_alignment(Argument::Input)?;
        self.check_memory(Argument::Input, input)?;
        let result = call.result()?;
        // SAFETY: the input is memory of the context, of the length that its owner gave it, and the result has a place of its
        // own; all chunks at once.
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

    /// Queues the writing of the operator's identity: the reduction of no items.
    pub fn write_identity(&mut self, row: &'static Row, output: Span) -> Result<()> {
        output.check_alignment(Argument::Output)?;
        self.check_memory(Argument::Output, output)?;
        self.write_lowered(row, None, output.address)
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
    /// `arguments` points to the arguments of the kernel's kind, and the pointers among these reach as far as the kernel's contract
    /// says.
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
        // SAFETY: an entry's parameters are its kind's arguments; the kernel waits if its text says that it may begin early; the
        // rest is the caller's promise.
        unsafe { kernel.function.launch(shape, start, self.stream, arguments) }?;
        if part == Part::Last {
            self.set_progress(Progress::Complete);
        }
        Ok(())
    }

    fn check_memory(&self, argument: Argument, span: Span) -> Result<()> {
        match self.memory {
            Memory::Callers => self.entered.check_memory(argument, span.address),
            Memory::Own => Ok(()),
        }
    }
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

/// Checks what can be known of a reduction's arguments without the driver.
fn check_reduce(input: Span, output: Span) -> Result<()> {
    input.check_alignment(Argument::Input)?;
    output.check_alignment(Argument::Output)?;
    output.first().check_apart(input)
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

/// Checks what can be known of a scan's arguments without the driver.
pub(crate) fn check_scan(input: Span, output: Span) -> Result<()> {
    let needed_items = input.item_count;
    if output.item_count < needed_items {
        return Err(Error::OutputTooShort {
            offered_items: output.item_count,
            needed_items,
        });
    }
    input.check_alignment(Argument::Input)?;
    output.check_alignment(Argument::Output)?;
    // Results of the items' type may take their places.
    match input.item == output.item && input.address == output.address {
        true => Ok(()),
        false => output.first_items(needed_items).check_apart(input),
    }
}

fn overlap(input: Span, output: Span) -> Error {
    Error::Overlap {
        input: input.address,
        input_items: input.item_count,
        output: output.address,
        output_items: output.item_count,
    }
}

#[cfg(test)]
mod tests;
