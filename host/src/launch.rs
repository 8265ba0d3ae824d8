//! Checking the arguments of a call, and queueing its kernel.
//!
//! Every public function comes down to one of the methods of [`Queue`], none of which waits. What is wrong with the
//! arguments is found before anything is prepared or launched: first whether the stream is the context's, then
//! lengths, alignment and overlap, which need no driver, then whether the memory is.

use std::ptr;

use warpfold_kernels::contract::{BLOCK_THREADS, reduce_chunk_count, tile_count};
use warpfold_kernels::element::Bits;
use warpfold_kernels::workspace::scan_state_words;

use cust::memory::DeviceSlice;

use crate::driver::{self, Address, Stream};
use crate::error::{Argument, Error, Result};
use crate::gpu::{Capture, Entered, KnownStream, LoadedKernel, ResultSlot};
use crate::kernel::{Item, Kernel, kind};

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

    fn overlaps<T>(self, other: Self) -> bool {
        self.address < other.end::<T>() && other.address < self.end::<T>()
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
        let capture = Capture::Off;
        let queued = entered.with_stream(stream, capture, |known| {
            work(&mut Queue {
                entered,
                stream,
                capture,
                known,
                memory_check: MemoryCheck::Always,
            })
        })?;
        stream.synchronize()?;
        Ok(queued)
    }

    /// Queues `work` on a stream of the library's own, on memory of its own.
    pub fn on_own<R>(
        entered: Entered<'_>,
        stream: Stream<'_>,
        work: impl FnOnce(&mut Queue<'_>) -> Result<R>,
    ) -> Result<R> {
        let capture = Capture::Off;
        entered.with_stream(stream, capture, |known| {
            work(&mut Queue {
                entered,
                stream,
                capture,
                known,
                memory_check: MemoryCheck::Never,
            })
        })
    }

    /// Queues `work` on a stream of the user's.
    pub fn on(
        entered: Entered<'_>,
        stream: &cust::stream::Stream,
        work: impl FnOnce(&mut Queue<'_>) -> Result<()>,
    ) -> Result<()> {
        let stream = Stream::from(stream);
        let capture = Capture::of(stream)?;
        entered.with_stream(stream, capture, |known| {
            work(&mut Queue {
                entered,
                stream,
                capture,
                known,
                memory_check: MemoryCheck::Once,
            })
        })
    }

    /// Queues a reduction of `input`, at least one item, to the first item of `output`.
    pub fn reduce<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        input: Span,
        output: Span,
    ) -> Result<()> {
        check_reduce::<T>(input, output)?;
        self.check_memory(Argument::Input, input)?;
        self.check_memory(Argument::Output, output)?;
        self.launch_reduce::<O, T>(input, output.address)
    }

    /// Queues a reduction of `input`, at least one item, to a place for results.
    pub fn reduce_to_slot<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        input: Span,
    ) -> Result<ResultSlot> {
        input.check_alignment::<T>(Argument::Input)?;
        self.check_memory(Argument::Input, input)?;
        let slot = self.entered.result_slot()?;
        match self.launch_reduce::<O, T>(input, slot.address()) {
            Ok(()) => Ok(slot),
            Err(error) => {
                self.entered.return_result_slot(slot);
                Err(error)
            }
        }
    }

    fn launch_reduce<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        input: Span,
        output: Address,
    ) -> Result<()> {
        let kernel = self.entered.kernel(O::ID, self.capture)?;
        let item_count = input.item_count as u64;
        let blocks = reduce_chunk_count::<T>(item_count);
        let workspace = self.known.workspace(self.stream, self.capture, 0)?;
        let parameters = [
            input.address,
            item_count,
            workspace.control(),
            workspace.partials(),
            output,
        ];
        // SAFETY: these are a reduction's parameters. Input and output are memory of the context, as the
        // caller has checked, of the lengths that their owner gave them, and do not overlap; the
        // rest is the stream's workspace, which is as large as any reduction needs.
        unsafe { launch(kernel, blocks as u32, self.stream, parameters) }
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

        let kernel = self.entered.kernel(O::ID, self.capture)?;
        let item_count = input.item_count as u64;
        let blocks = tile_count::<T>(item_count).min(kernel.resident_blocks as u64);
        let state_words = scan_state_words::<T>(item_count);
        let workspace = self
            .known
            .workspace(self.stream, self.capture, state_words)?;
        let parameters = [
            input.address,
            output.address,
            item_count,
            workspace.control(),
            workspace.states(),
            workspace.state_words(),
        ];
        // SAFETY: these are a scan's parameters. Input and output are memory of the context, with room for
        // the items, and are the same or do not overlap; the rest is the stream's workspace, with
        // the state words that were asked for.
        unsafe { launch(kernel, blocks as u32, self.stream, parameters) }
    }

    /// Queues the writing of the operator's identity: the reduction of no items.
    pub fn write_identity<O: Kernel<kind::reduce, T>, T: Item>(
        &mut self,
        output: Span,
    ) -> Result<()> {
        output.check_alignment::<T>(Argument::Output)?;
        self.check_memory(Argument::Output, output)?;
        let bits = O::identity().to_bits();
        for half in 0..T::Bits::HALVES {
            let address = output.address + 4 * half as u64;
            driver::fill(address, bits.half(half), 1, self.stream)?;
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

/// Reduces `input`, at least one item, and waits for the result.
pub(crate) fn reduce_to_host<O: Kernel<kind::reduce, T>, T: Item>(
    entered: Entered<'_>,
    input: Span,
) -> Result<T> {
    let slot = Queue::and_wait(entered, |queue| queue.reduce_to_slot::<O, T>(input))?;
    // SAFETY: the reduction is done.
    Ok(unsafe { entered.read_result(slot) })
}

/// Queues a kernel.
///
/// # Safety
///
/// - `parameters` are the kernel's, in order, each a pointer or a 64-bit number.
/// - The pointers reach as far as the kernel's contract says.
unsafe fn launch<const N: usize>(
    kernel: &LoadedKernel,
    blocks: u32,
    stream: Stream<'_>,
    mut parameters: [u64; N],
) -> Result<()> {
    let mut pointers = parameters
        .each_mut()
        .map(|parameter| ptr::from_mut(parameter).cast());
    // SAFETY: one pointer to a live 64-bit value for each parameter; the rest is the caller's promise.
    unsafe {
        kernel.function.launch(
            blocks,
            BLOCK_THREADS,
            kernel.shared_bytes,
            stream,
            &mut pointers,
        )
    }?;
    Ok(())
}

/// Checks what can be known of a reduction's arguments without the driver.
fn check_reduce<T>(input: Span, output: Span) -> Result<()> {
    input.check_alignment::<T>(Argument::Input)?;
    output.check_alignment::<T>(Argument::Output)?;
    let result = Span {
        item_count: 1,
        ..output
    };
    match input.overlaps::<T>(result) {
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
    match input.address != result.address && input.overlaps::<T>(result) {
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
