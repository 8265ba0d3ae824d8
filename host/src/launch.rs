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

use std::any::TypeId;
use std::ffi::c_void;
use std::ops::Range;

use warpfold_kernels::contract::reduce_chunk_count;
use warpfold_kernels::launch::Start;

pub(crate) use self::columns::Matrix;
use self::pieces::Part;
pub(crate) use self::segments::{Segments, Starts};
pub(crate) use self::selection::{Chooser, Count, Numbers, Outputs, Selection};

pub(crate) use self::scan::{ScanExtras, Total};

pub(crate) use self::pairs::{PairSpan, reduce_pairs_to_host};

use cust::memory::DeviceSlice;

use crate::driver::{self, Address, Capture, Shape, Stream};
use crate::error::{Argument, Error, Result};
use crate::gpu::{Call, CallStream, Entered, KnownStream, LoadedKernel, Place, Progress, Scratch};
use crate::kernel::kind::Kind;
use crate::kernel::{Block, Item, Kernel, kind};

/// Items in the device's memory.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub address: Address,
    pub item_count: usize,
}

impl<T: Item> From<&DeviceSlice<T>> for Span {
    fn from(slice: &DeviceSlice<T>) -> Self {
        Self {
            address: slice.as_device_ptr().as_raw(),
            item_count: slice.len(),
        }
    }
}

impl Span {
    /// One past the last byte.
    fn end<T>(self) -> Address {
        let bytes = (self.item_count as u64).saturating_mul(size_of::<T>() as u64);
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

    /// Checks that what is written here, items of type `T`, lies apart from `other`, items of type `U`.
    pub fn check_apart<T, U>(self, other: Self) -> Result<()> {
        match self.overlaps::<T, U>(other) {
            true => Err(overlap(other, self)),
            false => Ok(()),
        }
    }

    /// Whether the span, of items of type `T`, has bytes in common with `other`, of items of type `U`.
    fn overlaps<T, U>(self, other: Self) -> bool {
        self.address < other.end::<U>() && other.address < self.end::<T>()
    }

    pub fn check_alignment<T>(self, argument: Argument) -> Result<()> {
        let alignment = align_of::<T>();
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
        stream: &cust::stream::Stream,
        work: impl FnOnce(&mut Queue<'_>) -> Result<()>,
    ) -> Result<()> {
        let stream = Stream::from(stream);
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
    pub fn reduce<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        input: Span,
        output: Span,
    ) -> Result<()> {
        check_reduce::<T, O::Output>(input, output)?;
        self.check_memory(Argument::Input, input)?;
        self.check_memory(Argument::Output, output)?;
        // SAFETY: both are memory of the context, of the lengths that their owner gave them; all chunks at once.
        unsafe {
            self.reduce_piece::<O, T>(input, all_chunks::<T>(input.item_count), output.address)
        }
    }

    /// Queues a reduction of `input`, at least one item, to the place for the result of a call on this queue's stream.
    pub fn reduce_for<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        call: &CallStream,
        input: Span,
    ) -> Result<()> {
        input.check_alignment::<T>(Argument::Input)?;
        self.check_memory(Argument::Input, input)?;
        let result = call.result()?;
        // SAFETY: the input is memory of the context, of the length that its owner gave it, and the result has a place of its
        // own; all chunks at once.
        unsafe { self.reduce_piece::<O, T>(input, all_chunks::<T>(input.item_count), result) }
    }

    /// Prepares a call that is queued in parts and needs `state_words` state words: nothing is missing then for any of them.
    pub fn prepare<K: Kind, O: Kernel<K, T>, T: Item>(&mut self, state_words: u64) -> Result<()> {
        self.entered.kernel(O::entry())?;
        self.scratch(Part::First, state_words).map(drop)
    }

    /// Queues a scan of `input`, at least one item, to the first items of `output`.
    pub fn scan<K: Kind, O: Kernel<K, T>, T: Item>(
        &mut self,
        input: Span,
        output: Span,
    ) -> Result<()> {
        self.scan_with::<K, O, T>(input, output, ScanExtras::NONE)
    }

    /// Queues the writing of the operator's identity: the reduction of no items.
    pub fn write_identity<K: Kind, O: Kernel<K, T>, T: Item>(
        &mut self,
        output: Span,
    ) -> Result<()> {
        output.check_alignment::<O::Output>(Argument::Output)?;
        self.check_memory(Argument::Output, output)?;
        let identity = O::lower(O::identity());
        driver::write_item(output.address, bytemuck::bytes_of(&identity), self.stream)?;
        Ok(())
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
fn all_chunks<T>(item_count: usize) -> Range<u64> {
    0..reduce_chunk_count::<T>(item_count as u64)
}

/// Reduces `input`, at least one item, and waits for the result.
pub(crate) fn reduce_to_host<O: Kernel<kind::reduce, T>, T: Item>(
    entered: Entered<'_>,
    input: Span,
) -> Result<O::Output> {
    let ((), call) = Queue::and_wait(entered, |queue, call| queue.reduce_for::<O, T>(call, input))?;
    // SAFETY: the reduction is done.
    unsafe { call.read_result() }
}

/// Scans `input`, at least one item, and waits for it.
pub(crate) fn scan_and_wait<K: Kind, O: Kernel<K, T>, T: Item>(
    entered: Entered<'_>,
    input: Span,
    output: Span,
) -> Result<()> {
    Queue::and_wait(entered, |queue, _| queue.scan::<K, O, T>(input, output)).map(drop)
}

/// Checks what can be known of a reduction's arguments without the driver.
fn check_reduce<T, R>(input: Span, output: Span) -> Result<()> {
    input.check_alignment::<T>(Argument::Input)?;
    output.check_alignment::<R>(Argument::Output)?;
    output.first().check_apart::<R, T>(input)
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
pub(crate) fn check_scan<T: Item, R: Item>(input: Span, output: Span) -> Result<()> {
    let needed_items = input.item_count;
    if output.item_count < needed_items {
        return Err(Error::OutputTooShort {
            offered_items: output.item_count,
            needed_items,
        });
    }
    input.check_alignment::<T>(Argument::Input)?;
    output.check_alignment::<R>(Argument::Output)?;
    match is_same_type::<T, R>() && input.address == output.address {
        true => Ok(()),
        false => output.first_items(needed_items).check_apart::<R, T>(input),
    }
}

/// Whether results of type `R` may take the places of items of type `T`.
pub(crate) fn is_same_type<T: Item, R: Item>() -> bool {
    TypeId::of::<T>() == TypeId::of::<R>()
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
