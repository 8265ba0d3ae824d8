//! A GPU: its primary context, its compiled kernels, and the scratch memory of its streams.

mod context;
mod kernels;
mod lanes;
mod memory;
mod pinned;
mod results;
mod streams;
mod workspace;

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::driver::{self, Address, Device, DeviceAttribute, Failure, Stream};
use crate::error::{Argument, DriverCode, Error, Result, WarmUp};
use crate::kernel::{Item, KernelId};
use crate::ptx;
use context::PrimaryContext;
use kernels::Kernels;
use lanes::Lanes;
use results::Results;
use streams::Streams;

pub(crate) use kernels::LoadedKernel;
pub(crate) use lanes::{BusyLane, Lane, PIECE_BYTES, Strip};
pub(crate) use memory::DeviceMemory;
pub(crate) use pinned::PinnedMemory;
pub(crate) use results::ResultSlot;
pub(crate) use streams::{KnownStream, Progress};

/// A GPU to reduce and scan on.
///
/// It holds a reference to the device's *primary* context, the one that `cust`'s [`Context`] and the CUDA
/// runtime use, so buffers and streams made with `cust` on the same device work with it. It also holds what
/// calls prepare on their first use: compiled kernels, scratch memory for each stream (1 MiB, more
/// for scans of several 2²⁷ items), and what slices of the host travel through (8 MiB, half of it page-locked; for longer
/// slices several times as much, but never as much as the slice).
///
/// A `Gpu` may be shared between threads and used from any of them. A call makes the context current on the
/// calling thread while it runs, and leaves the thread as it found it.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, reduce};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?; // for `cust`'s own calls, such as the next
/// let buffer = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.5])?;
/// assert_eq!(reduce::<Sum, _>(&gpu, &buffer)?, 6.5);
/// # Ok(())
/// # }
/// ```
///
/// # Dropping
///
/// Waits for the work that is queued in the context, then frees kernels and scratch memory. A CUDA graph that
/// captured calls on this `Gpu` must not be launched after that.
///
/// [`Context`]: cust::context::Context
#[derive(Debug)]
pub struct Gpu {
    // Fields drop in this order; what lives in the context goes before it.
    kernels: Kernels,
    #[cfg(feature = "ladder")]
    ladder: crate::ladder::Kernels,
    streams: Streams,
    results: Results,
    lanes: Lanes,
    context: PrimaryContext,
    properties: Properties,
    /// The first sticky code seen; 0 for none.
    poison: AtomicI32,
}

#[derive(Debug)]
struct Properties {
    name: String,
    compute_capability: (u32, u32),
    multiprocessors: u32,
    /// Bytes of shared memory that a block may have.
    shared_bytes_per_block: u32,
    memory_bytes: u64,
}

impl Gpu {
    /// The first device.
    ///
    /// # Errors
    ///
    /// As [`Self::with_device`].
    pub fn new() -> Result<Self> {
        Self::with_device(0)
    }

    /// The device with the driver's number `ordinal`.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`], [`Error::Settings`], [`Error::NoSuchDevice`], [`Error::UnsupportedDevice`],
    /// [`Error::Driver`].
    pub fn with_device(ordinal: u32) -> Result<Self> {
        driver::init().map_err(no_device)?;
        let device = driver::device(ordinal).map_err(|failure| match driver::device_count() {
            Ok(0) => no_device(failure),
            Ok(count) if failure.code == DriverCode::INVALID_DEVICE => {
                Error::NoSuchDevice { ordinal, count }
            }
            _ => failure.into(),
        })?;
        let properties = Properties::of(device)?;
        if properties.compute_capability < ptx::LOWEST_CAPABILITY {
            return Err(Error::UnsupportedDevice {
                name: properties.name,
                capability: properties.compute_capability,
                needed: ptx::LOWEST_CAPABILITY,
            });
        }
        Ok(Self {
            kernels: Kernels::new(),
            #[cfg(feature = "ladder")]
            ladder: crate::ladder::Kernels::default(),
            streams: Streams::new(),
            results: Results::new(),
            lanes: Lanes::new(),
            context: PrimaryContext::retain(device)?,
            properties,
            poison: AtomicI32::new(0),
        })
    }

    /// The process-wide `Gpu` on the first device, made on first use: the one that the slice functions
    /// ([`gpu_sum`](crate::gpu_sum) and its kin) work on.
    ///
    /// # Errors
    ///
    /// As [`Self::new`]. A failure is not remembered: the next call tries again.
    pub fn global() -> Result<&'static Self> {
        static GLOBAL: OnceLock<Gpu> = OnceLock::new();
        static MAKING: Mutex<()> = Mutex::new(());
        if let Some(gpu) = GLOBAL.get() {
            return Ok(gpu);
        }
        let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        match GLOBAL.get() {
            Some(gpu) => Ok(gpu),
            None => Self::new().map(|gpu| GLOBAL.get_or_init(|| gpu)),
        }
    }

    /// The device's name.
    pub fn name(&self) -> &str {
        &self.properties.name
    }

    /// The device's compute capability, major and minor.
    pub fn compute_capability(&self) -> (u32, u32) {
        self.properties.compute_capability
    }

    /// How many multiprocessors the device has. Results do not depend on it.
    pub fn multiprocessors(&self) -> u32 {
        self.properties.multiprocessors
    }

    /// Bytes of the device's memory, free or not.
    pub fn memory_bytes(&self) -> u64 {
        self.properties.memory_bytes
    }

    /// Makes the context current on the calling thread, until something else is: what `cust` needs to allocate
    /// a buffer or create a stream on a thread. The calls of this library do not need it.
    ///
    /// The context stays current when the `Gpu` is dropped, and may then be gone: see
    /// [`cust::context`] for a way to hold it longer.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`], [`Error::Poisoned`].
    pub fn make_current(&self) -> Result<()> {
        self.watch(|| Ok(driver::set_current(self.context.handle())?))
    }

    /// Waits for all work that is queued in the device's primary context, and reports a failure of it.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`], [`Error::Poisoned`].
    pub fn synchronize(&self) -> Result<()> {
        self.enter(|_| Ok(driver::synchronize_context()?))
    }

    /// Runs `work` with the context current. The first sticky code poisons the `Gpu`.
    pub(crate) fn enter<R>(&self, work: impl FnOnce(Entered<'_>) -> Result<R>) -> Result<R> {
        self.watch(|| {
            let bound = self.context.bind()?;
            let result = work(Entered { gpu: self });
            // A failure of the work matters more than one of putting back what was current before.
            let unbound = bound.unbind();
            let value = result?;
            unbound?;
            Ok(value)
        })
    }

    /// Refuses to run `work` on a poisoned `Gpu`, and poisons it where the work shows that the context is lost.
    fn watch<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        match self.poison.load(Ordering::Relaxed) {
            0 => {}
            code => {
                let code = DriverCode(code);
                return Err(Error::Poisoned { code });
            }
        }
        work().inspect_err(|error| {
            if let Error::Driver { code, .. } = error
                && code.is_sticky()
            {
                // The first code stays.
                let _ =
                    self.poison
                        .compare_exchange(0, code.0, Ordering::Relaxed, Ordering::Relaxed);
            }
        })
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // Failures have nobody left to tell; a lost context has freed all that was in it. Binding is worth a second
        // try, since without it nothing here can be freed.
        if let Ok(bound) = self.context.bind().or_else(|_| self.context.bind()) {
            let _ = driver::synchronize_context();
            self.kernels.clear();
            #[cfg(feature = "ladder")]
            self.ladder.clear();
            self.streams.clear();
            self.results.clear();
            self.lanes.clear();
            let _ = bound.unbind();
        }
    }
}

/// A [`Gpu`] whose context is current on this thread.
#[derive(Clone, Copy)]
pub(crate) struct Entered<'gpu> {
    gpu: &'gpu Gpu,
}

impl<'gpu> Entered<'gpu> {
    /// Checks that memory which starts at `address` belongs to the context.
    pub fn check_memory(self, argument: Argument, address: Address) -> Result<()> {
        streams::check_memory(&self.gpu.context, argument, address)
    }

    /// As [`Self::check_memory`], but asks only once for each address that calls on the stream are given.
    pub fn check_memory_once(
        self,
        known: &mut KnownStream,
        argument: Argument,
        address: Address,
    ) -> Result<()> {
        known.check_memory_once(&self.gpu.context, argument, address)
    }

    /// The kernel, compiled now if it never was; not while `capture` is on.
    pub fn kernel(self, id: KernelId, capture: Capture) -> Result<&'gpu LoadedKernel> {
        if let Some(kernel) = self.gpu.kernels.loaded(id) {
            return Ok(kernel);
        }
        capture.forbids(WarmUp::Kernel)?;
        self.gpu.kernels.load(id, &self.gpu.properties)
    }

    /// The ladder's kernels.
    #[cfg(feature = "ladder")]
    pub fn ladder(self) -> &'gpu crate::ladder::Kernels {
        &self.gpu.ladder
    }

    /// The device's compute capability, major and minor.
    #[cfg(feature = "ladder")]
    pub fn compute_capability(self) -> (u32, u32) {
        self.gpu.properties.compute_capability
    }

    /// Runs `work` with what is known of the stream, which is the context's. Calls on the same stream wait for
    /// each other here, so `work` should only queue.
    pub fn with_stream<R>(
        self,
        stream: Stream<'_>,
        capture: Capture,
        work: impl FnOnce(&mut KnownStream) -> Result<R>,
    ) -> Result<R> {
        self.gpu
            .streams
            .with(stream, capture, &self.gpu.context, work)
    }

    /// A lane for one piece of a slice.
    pub fn lane(self) -> Result<Lane<'gpu>> {
        self.gpu.lanes.take()
    }

    /// So many lanes, for pieces of so many bytes; fewer, but at least one, where the memory does not suffice.
    pub fn lanes(self, most: usize, piece_bytes: usize) -> Result<Vec<Lane<'gpu>>> {
        self.gpu.lanes.take_some(most, piece_bytes)
    }

    /// A place for the result of a call that waits.
    pub fn result_slot(self) -> Result<ResultSlot> {
        self.gpu.results.take()
    }

    /// Gives a place back that nothing writes to.
    pub fn return_result_slot(self, slot: ResultSlot) {
        self.gpu.results.give_back(slot);
    }

    /// What was written to a result's place, which is free again then.
    ///
    /// # Safety
    ///
    /// The work that writes to the slot is done, and it wrote an item of this type.
    pub unsafe fn read_result<T: Item>(self, slot: ResultSlot) -> T {
        // SAFETY: as the caller promises.
        unsafe { self.gpu.results.read(slot) }
    }
}

/// Whether what is queued on a stream is being captured into a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capture {
    Off,
    On,
}

impl Capture {
    /// Whether `stream` is being captured.
    pub fn of(stream: Stream<'_>) -> Result<Self> {
        Ok(match stream.is_capturing()? {
            true => Self::On,
            false => Self::Off,
        })
    }

    /// Fails where a capture would be broken by preparing what is `missing`.
    pub fn forbids(self, missing: WarmUp) -> Result<()> {
        match self {
            Self::Off => Ok(()),
            Self::On => Err(Error::NotWarmedUp { missing }),
        }
    }
}

impl Properties {
    fn of(device: Device) -> Result<Self> {
        let attribute = |attribute| driver::device_attribute(device, attribute);
        Ok(Self {
            name: driver::device_name(device)?,
            compute_capability: (
                attribute(DeviceAttribute::ComputeCapabilityMajor)?,
                attribute(DeviceAttribute::ComputeCapabilityMinor)?,
            ),
            multiprocessors: attribute(DeviceAttribute::Multiprocessors)?,
            shared_bytes_per_block: attribute(DeviceAttribute::SharedBytesPerBlock)?,
            memory_bytes: driver::device_memory_bytes(device)?,
        })
    }
}

/// A failure of the first calls: the absence of a device, or of readable settings.
fn no_device(Failure { call, code }: Failure) -> Error {
    match wrong_settings() {
        Some(reason) => Error::Settings { reason },
        None => Error::NoDevice {
            call,
            code,
            advice: advice(),
        },
    }
}

/// What is wrong with the settings of the virtual GPU.
#[cfg(feature = "virtual-gpu")]
fn wrong_settings() -> Option<String> {
    match virtual_gpu::mode() {
        Err(virtual_gpu::ModeError::Settings(error)) => Some(error.to_string()),
        _ => None,
    }
}

#[cfg(not(feature = "virtual-gpu"))]
fn wrong_settings() -> Option<String> {
    None
}

#[cfg(feature = "virtual-gpu")]
fn advice() -> String {
    let reason = match virtual_gpu::mode() {
        Err(reason) => format!(" {reason}."),
        Ok(_) => String::new(),
    };
    reason
        + " This build has the virtual GPU: VIRTUAL_GPU=on in the environment asks for that, off for a real one, \
           and auto, or none of it, for a real one where there is one."
}

#[cfg(not(feature = "virtual-gpu"))]
fn advice() -> String {
    " With the feature `virtual-gpu` of this library, programs run without a GPU.".to_owned()
}
