//! Checking the arguments of a call, and queueing its kernel.
//!
//! Every public function comes down to one of the methods of [`Queue`], none of which waits. What is wrong with the
//! arguments is found before anything is prepared or launched: first whether the stream is the context's, then
//! lengths, alignment and overlap, which need no driver, then whether the memory is.

use std::ops::Range;
use std::ptr;

use warpfold_kernels::contract::{is_short_scan, reduce_chunk_count, scan_tile_count};
use warpfold_kernels::launch::Start;
use warpfold_kernels::workspace::{reduce_state_words, scan_state_words};

use cust::memory::DeviceSlice;

use crate::driver::{self, Address, Shape, Stream};
use crate::error::{Argument, Error, Result};
use crate::gpu::{Capture, Entered, KnownStream, LoadedKernel, Progress, ResultSlot};
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
    /// The first byte behind the span.
    fn end<T>(self) -> Address {
        let bytes = (self.item_count as u64).saturating_mul(size_of::<T>() as u64);
        self.address.saturating_add(bytes)
    }

    /// Whether the span, of items of type `T`, has bytes in common with `other`, of items of type `U`.
    fn overlaps<T, U>(self, other: Self) -> bool {
        self.address < other.end::<U>() && other.address < self.end::<T>()
    }

    pub fn check_alignment<T>(self, argument: Argument) -> Result<()> {
        let item_bytes = size_of::<T>();
        match self.address.is_multiple_of(item_bytes as u64) {
            true => Ok(()),
            false => Err(Error::Misaligned {
                argument,
                address: self.address,
                item_bytes,
            }),
        }
    }
}

/// A stream on which a call is being queued.
pub(crate) struct Queue<'a> {
    entered: Entered<'a>,
    stream: Stream<'a>,
    capture: Capture,
    known: &'a mut KnownStream,
    memory_check: MemoryCheck,
}

/// How often the driver is asked whose memory an address is.
#[derive(Debug, Clone, Copy)]
enum MemoryCheck {
    /// By every call: it waits anyway.
    Always,
    /// By the first call on the stream that is given the address.
    Once,
    /// Never: it is the library's own.
    Never,
}

impl Queue<'_> {
    /// Queues `work` on the default stream, which no graph captures, and waits for it.
    pub fn and_wait<R>(
        entered: Entered<'_>,
        work: impl FnOnce(&mut Queue<'_>) -> Result<R>,
    ) -> Result<R> {
        let stream = Stream::DEFAULT;
        let queued = Self::open(entered, stream, Capture::Off, MemoryCheck::Always, work)?;
        stream.synchronize()?;
        Ok(queued)
    }

    /// Queues `work` on a stream of the library's own, on memory of its own.
    pub fn on_own<R>(
        entered: Entered<'_>,
        stream: Stream<'_>,
        work: impl FnOnce(&mut Queue<'_>) -> Result<R>,
    ) -> Result<R> {
        Self::open(entered, stream, Capture::Off, MemoryCheck::Never, work)
    }

    /// Queues `work` on a stream of the user's.
    pub fn on(
        entered: Entered<'_>,
        stream: &cust::stream::Stream,
        work: impl FnOnce(&mut Queue<'_>) -> Result<()>,
    ) -> Result<()> {
        let stream = Stream::from(stream);
        let capture = Capture::of(stream)?;
        Self::open(entered, stream, capture, MemoryCheck::Once, work)
    }

    fn open<R>(
        entered: Entered<'_>,
        stream: Stream<'_>,
        capture: Capture,
        memory_check: MemoryCheck,
        work: impl FnOnce(&mut Queue<'_>) -> Result<R>,
    ) -> Result<R> {
        entered.with_stream(stream, capture, |known| {
            work(&mut Queue {
                entered,
                stream,
                capture,
                known,
                memory_check,
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
        self.reduce_piece::<O, T>(input, all_chunks::<T>(input), output.address)
    }

    /// Queues a reduction of `input`, at least one item, to a place for results.
    pub fn reduce_to_slot<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        input: Span,
    ) -> Result<ResultSlot> {
        input.check_alignment::<T>(Argument::Input)?;
        self.check_memory(Argument::Input, input)?;
        let slot = self.entered.result_slot()?;
        match self.reduce_piece::<O, T>(input, all_chunks::<T>(input), slot.address()) {
            Ok(()) => Ok(slot),
            Err(error) => {
                self.entered.return_result_slot(slot);
                Err(error)
            }
        }
    }

    /// Prepares a call that is queued in parts and needs so many state words: nothing is missing then for any of them.
    pub fn prepare<Kind, O: Kernel<Kind, T>, T: Item>(&mut self, state_words: u64) -> Result<()> {
        self.entered.kernel(O::ID, self.capture)?;
        self.scratch(Part::First, state_words).map(drop)
    }

    /// Queues the part of a reduction of `input` that has these chunks; the last part writes the result to `output`. The
    /// parts of a reduction are queued in order, with nothing else in between on the stream. Of `input`, only the items of
    /// the chunks need be there. Arguments are as checked by [`Self::reduce`].
    pub fn reduce_piece<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        input: Span,
        chunks: Range<u64>,
        output: Address,
    ) -> Result<()> {
        let kernel = self.entered.kernel(O::ID, self.capture)?;
        let item_count = input.item_count as u64;
        let part = Part::new(&chunks, reduce_chunk_count::<T>(item_count));
        let state_words = reduce_state_words::<T, O::Accumulator>(item_count);
        let scratch = self.scratch(part, state_words)?;
        let parameters = [
            input.address,
            item_count,
            chunks.start,
            scratch.control,
            scratch.states,
            scratch.state_words,
            output,
        ];
        let blocks = chunks.end - chunks.start;
        // SAFETY: these are a reduction's parameters. Input and output are memory of the context, as the
        // caller has checked, of the lengths that their owner gave them, and do not overlap; the
        // rest is the stream's workspace, with the state words that were asked for.
        unsafe { self.launch(part, kernel, kernel.long.block, blocks, parameters) }
    }

    /// Queues a scan of `input`, at least one item, to the first items of `output`.
    pub fn scan<Kind, O: Kernel<Kind, T>, T: Item>(
        &mut self,
        input: Span,
        output: Span,
    ) -> Result<()> {
        check_scan::<T>(input, output)?;
        self.check_memory(Argument::Input, input)?;
        if output.address != input.address {
            self.check_memory(Argument::Output, output)?;
        }
        let tiles = 0..scan_tile_count::<T>(input.item_count as u64);
        self.scan_piece::<Kind, O, T>(input, output.address, tiles)
    }

    /// Queues the part of a scan of `input` that has these tiles. The parts of a scan are queued in order, with nothing
    /// else in between on the stream. Of `input` and the output, only the items of the tiles need be there. Arguments are
    /// as checked by [`Self::scan`].
    pub fn scan_piece<Kind, O: Kernel<Kind, T>, T: Item>(
        &mut self,
        input: Span,
        output: Address,
        tiles: Range<u64>,
    ) -> Result<()> {
        let kernel = self.entered.kernel(O::ID, self.capture)?;
        let item_count = input.item_count as u64;
        let part = Part::new(&tiles, scan_tile_count::<T>(item_count));
        let state_words = scan_state_words::<T, O::Accumulator>(item_count);
        let scratch = self.scratch(part, state_words)?;
        let parameters = [
            input.address,
            output,
            item_count,
            tiles.start,
            tiles.end,
            scratch.control,
            scratch.states,
            scratch.state_words,
        ];
        let grid = match is_short_scan::<T>(item_count) {
            true => kernel.short,
            false => kernel.long,
        };
        let blocks = (tiles.end - tiles.start).min(grid.resident_blocks as u64);
        // SAFETY: these are a scan's parameters. Input and output are memory of the context, with room for
        // the items, and are the same or do not overlap; the rest is the stream's workspace, with
        // the state words that were asked for.
        unsafe { self.launch(part, kernel, grid.block, blocks, parameters) }
    }

    /// Queues the writing of the operator's identity: the reduction of no items.
    pub fn write_identity<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        output: Span,
    ) -> Result<()> {
        output.check_alignment::<O::Output>(Argument::Output)?;
        self.check_memory(Argument::Output, output)?;
        let identity = O::lower(O::identity());
        driver::write_item(output.address, bytemuck::bytes_of(&identity), self.stream)?;
        Ok(())
    }

    /// The workspace for a part of a call that needs so many state words.
    fn scratch(&mut self, part: Part, state_words: u64) -> Result<Scratch> {
        if part.is_first() {
            self.known.begin_call(self.capture)?;
        }
        let workspace = self
            .known
            .workspace(self.stream, self.capture, state_words)?;
        Ok(Scratch {
            control: workspace.control(),
            states: workspace.states(),
            state_words: workspace.state_words(),
        })
    }

    /// Queues a kernel, as a part of a call.
    ///
    /// # Safety
    ///
    /// - `parameters` are the kernel's, in order, each a pointer or a 64-bit number.
    /// - The pointers reach as far as the kernel's contract says.
    unsafe fn launch<const N: usize>(
        &mut self,
        part: Part,
        kernel: &LoadedKernel,
        block: Block,
        blocks: u64,
        mut parameters: [u64; N],
    ) -> Result<()> {
        let mut pointers = parameters
            .each_mut()
            .map(|parameter| ptr::from_mut(parameter).cast());
        if part != Part::Whole {
            self.known.set_progress(Progress::Halfway);
        }
        let shape = Shape {
            blocks: blocks as u32,
            block_threads: block.threads,
            shared_bytes: block.shared_bytes,
        };
        // Not every driver that knows early launches captures them.
        let start = match self.capture {
            Capture::Off => kernel.start,
            Capture::On => Start::AfterOthers,
        };
        // SAFETY: one pointer to a live 64-bit value for each parameter; the kernel waits if its text says that it may
        // begin early; the rest is the caller's promise.
        unsafe {
            kernel
                .function
                .launch(shape, start, self.stream, &mut pointers)
        }?;
        if part == Part::Last {
            self.known.set_progress(Progress::Complete);
        }
        Ok(())
    }

    fn check_memory(&mut self, argument: Argument, span: Span) -> Result<()> {
        let (entered, address) = (self.entered, span.address);
        match self.memory_check {
            MemoryCheck::Always => entered.check_memory(argument, address),
            MemoryCheck::Never => Ok(()),
            MemoryCheck::Once => entered.check_memory_once(self.known, argument, address),
        }
    }
}

/// Where a launch stands among those of its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    First,
    Middle,
    Last,
}

impl Part {
    /// The part that a call's units of work in `range` are, of so many.
    fn new(range: &Range<u64>, count: u64) -> Self {
        match (range.start == 0, range.end == count) {
            (true, true) => Part::Whole,
            (true, false) => Part::First,
            (false, true) => Part::Last,
            (false, false) => Part::Middle,
        }
    }

    fn is_first(self) -> bool {
        matches!(self, Part::Whole | Part::First)
    }
}

/// What a launch is told of its stream's workspace.
struct Scratch {
    control: Address,
    states: Address,
    state_words: u64,
}

/// All chunks of a reduction.
fn all_chunks<T>(input: Span) -> Range<u64> {
    0..reduce_chunk_count::<T>(input.item_count as u64)
}

/// Reduces `input`, at least one item, and waits for the result.
pub(crate) fn reduce_to_host<O: Kernel<kind::reduce, T>, T: Item>(
    entered: Entered<'_>,
    input: Span,
) -> Result<O::Output> {
    let slot = Queue::and_wait(entered, |queue| queue.reduce_to_slot::<O, T>(input))?;
    // SAFETY: the reduction is done.
    Ok(unsafe { entered.read_result(slot) })
}

/// Checks what can be known of a reduction's arguments without the driver.
fn check_reduce<T, R>(input: Span, output: Span) -> Result<()> {
    input.check_alignment::<T>(Argument::Input)?;
    output.check_alignment::<R>(Argument::Output)?;
    let result = Span {
        item_count: 1,
        ..output
    };
    match input.overlaps::<T, R>(result) {
        true => Err(overlap(input, result)),
        false => Ok(()),
    }
}

/// Checks what can be known of a scan's arguments without the driver.
pub(crate) fn check_scan<T>(input: Span, output: Span) -> Result<()> {
    let needed_items = input.item_count;
    if output.item_count < needed_items {
        return Err(Error::OutputTooShort {
            offered_items: output.item_count,
            needed_items,
        });
    }
    input.check_alignment::<T>(Argument::Input)?;
    output.check_alignment::<T>(Argument::Output)?;
    let result = Span {
        item_count: needed_items,
        ..output
    };
    match input.address != result.address && input.overlaps::<T, T>(result) {
        true => Err(overlap(input, result)),
        false => Ok(()),
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
