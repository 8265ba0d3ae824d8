//! A GPU: its primary context, its compiled kernels, and the memory that calls need.

mod call_stream;
mod core;
mod device;
mod fork;
mod form;
mod generation;
mod kept;
mod kernels;
mod shelf;
mod streams;
#[cfg(feature = "nccl")]
mod tied;
mod transfer_lanes;
mod windowed;
mod workspace;

use std::fmt;
use std::mem;
use std::sync::{Arc, PoisonError, RwLock};

use crate::driver::{self, Device, Stream};
use crate::error::{DriverCode, Error, Result};

use self::core::{Core, State};
use self::device::Properties;

pub(crate) use self::core::Entered;
pub(crate) use call_stream::{Call, CallStream, Progress, Scratch};
pub(crate) use fork::refuse_in_child;
pub(crate) use form::{Form, Way};
#[cfg(feature = "nccl")]
pub(crate) use generation::Generation;
pub(crate) use kernels::LoadedKernel;
pub(crate) use streams::KnownStream;
#[cfg(feature = "nccl")]
pub(crate) use tied::Tied;
pub(crate) use transfer_lanes::{BusyTransferLane, PIECE_BYTES, SHORT_BYTES, Strip, TransferLane};
pub(crate) use windowed::{WindowNumbers, Windowed};
#[cfg(feature = "nccl")]
pub(crate) use workspace::Workspace;
pub(crate) use workspace::{Need, WorkspaceSpan};

/// A GPU to reduce and scan on.
///
/// It holds a reference to the device's *primary* context, which `cust`'s [`Context`] and the CUDA runtime also use. So the `Gpu` can use
/// buffers and streams that `cust` made in this context. It also holds everything that calls prepare on their first use: see
/// [Memory](#memory).
///
/// A `Gpu` may be shared between threads and used from any of them. During a request's `wait` or `queue`, the context is current on the
/// calling thread. Afterwards, the previous context is current again. While a call waits, its thread runs no other task. So a call may be
/// made from any task of a thread pool, such as rayon's, and with any lock held.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, reduce};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?; // for `cust`'s own calls, such as the next
/// let buffer = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.5])?;
/// assert_eq!(reduce::<Sum, _>(&buffer).wait(&gpu)?, 6.5);
/// # Ok(())
/// # }
/// ```
///
/// # Memory
///
/// A `Gpu` keeps memory between calls. The amount is bounded, and [`trim`](Self::trim) frees the memory, except for the memory of kernels
/// and of captured graphs. In the table below, `w` is the size of a workspace: 128 KiB, or up to about twice what the stream's largest call
/// needs, whichever is more. For each 56 KiB of items, a scan of the whole input needs about 8 bytes per 32-bit word of the accumulator.
/// For each 128 items or segments, calls with other shapes need up to 8 bytes per 32-bit word of the accumulator. A call by key may need
/// about one bit more for each key. Some reductions by key, such as those with `ArgMin`, may need 4 or 8 bytes more for each key. A stream
/// also keeps the workspaces that it has outgrown, so it may have about 2 `w`.
///
/// | what | memory of each: device, page-locked | most that are kept | most while calls run |
/// |---|---|---|---|
/// | streams that calls were queued on | `w` | up to 256: those used last | |
/// | streams and captured graphs that no longer exist | `w` | 96 | |
/// | streams in a captured graph, for as long as the graph exists | `w` | all | |
/// | streams that this library created, for calls that wait | `w`, 4 KiB | 16 | 64 |
/// | transfer lanes for slices that need up to 512 KiB on the device | 512 KiB + `w`, 516 KiB | 16 | 64 |
/// | transfer lanes for slices that need more, up to 20 for a call | 4 MiB + `w`, 4 MiB + 4 KiB | 20 | 40 |
/// | kernels that were used, until the `Gpu` is dropped | their code | all | |
///
/// A call that would exceed a number in the last column takes fewer transfer lanes, or waits for another call to end. The table leaves out
/// transfer lanes for pieces of more than 4 MiB. Reductions of more than 16 GiB use such lanes, and so do slices that are uploaded all at
/// once and need more than 4 MiB on the device. The call frees these lanes at its end. If there is too little memory, a call first frees
/// the memory that is kept for other calls.
///
/// # Captures
///
/// No call of this library ends a capture (except after a rare race), and only calls on a captured stream become part of the capture: see
/// the [crate's documentation](crate#captures).
///
/// # Loss
///
/// After a kernel fault, or a reset of the device, the context and all memory in it are lost. The first call that fails for this reason
/// reports the driver's code. The `Gpu` then releases the context and answers later calls with [`Error::Poisoned`]. [`Error::ContextLost`]
/// says how to recover.
///
/// # Dropping
///
/// A drop waits for the calls that were queued, then frees kernels and memory. A CUDA graph that captured calls on this `Gpu` must not be
/// launched after the drop.
///
/// The context ends when its last holder releases it. The holders are the device's `Gpu`s and any other code that uses the context, such as
/// a `cust` [`Context`] or the CUDA runtime. Buffers, streams and events are destroyed with their context, without `cust`'s knowledge. So
/// drop them before the `Gpu`: NVIDIA's driver does not check handles of destroyed objects, and may crash.
///
/// [`Context`]: cust::context::Context
pub struct Gpu {
    ordinal: u32,
    device: Device,
    properties: Arc<Properties>,
    state: RwLock<State>,
}

impl Gpu {
    /// The first device.
    ///
    /// ```
    /// # fn main() -> warpfold::Result<()> {
    /// let gpu = warpfold::Gpu::new()?;
    /// assert!(gpu.multiprocessors() > 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Self::with_device`].
    pub fn new() -> Result<Self> {
        Self::with_device(0)
    }

    /// The device with the driver's number `ordinal`.
    ///
    /// ```
    /// use warpfold::{Error, Gpu};
    ///
    /// # fn main() -> warpfold::Result<()> {
    /// let gpu = Gpu::with_device(0)?;
    /// assert!(gpu.compute_capability() >= (7, 0));
    /// println!("{}: {} multiprocessors, {} bytes", gpu.name(), gpu.multiprocessors(), gpu.memory_bytes());
    /// assert!(matches!(Gpu::with_device(1000), Err(Error::NoSuchDevice { ordinal: 1000, .. })));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`], [`Error::Settings`], [`Error::NoSuchDevice`], [`Error::UnsupportedDevice`], [`Error::ContextLost`],
    /// [`Error::Forked`], [`Error::Driver`].
    pub fn with_device(ordinal: u32) -> Result<Self> {
        refuse_in_child()?;
        let (device, properties) = device::find(ordinal)?;
        let properties = Arc::new(properties);
        let core = Core::new(device, Arc::clone(&properties))?;
        Ok(Self {
            ordinal,
            device,
            properties,
            state: RwLock::new(State::Alive(Arc::new(core))),
        })
    }

    /// The device's name.
    ///
    /// ```
    /// # fn main() -> warpfold::Result<()> {
    /// println!("{}", warpfold::Gpu::global()?.name());
    /// # Ok(())
    /// # }
    /// ```
    pub fn name(&self) -> &str {
        &self.properties.name
    }

    /// The device's compute capability, major and minor.
    ///
    /// ```
    /// # fn main() -> warpfold::Result<()> {
    /// assert!(warpfold::Gpu::global()?.compute_capability() >= (7, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub fn compute_capability(&self) -> (u32, u32) {
        self.properties.compute_capability
    }

    /// The number of the device's multiprocessors. Results do not depend on this number.
    ///
    /// ```
    /// # fn main() -> warpfold::Result<()> {
    /// assert!(warpfold::Gpu::global()?.multiprocessors() >= 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn multiprocessors(&self) -> u32 {
        self.properties.multiprocessors
    }

    /// Bytes of the device's memory, free or not.
    ///
    /// ```
    /// # fn main() -> warpfold::Result<()> {
    /// assert!(warpfold::Gpu::global()?.memory_bytes() > 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn memory_bytes(&self) -> u64 {
        self.properties.memory_bytes
    }

    /// Makes the context current on the calling thread, until another context is made current. `cust` needs a current context to allocate a
    /// buffer or create a stream. The calls of this library need no current context.
    ///
    /// The context stays current after the `Gpu` is dropped or loses it, even if the context no longer exists. To keep a context longer,
    /// hold a [`cust::context::Context`] of the same device.
    ///
    /// ```
    /// use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
    /// use warpfold::{Gpu};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?; // for the buffers
    /// let buffer = DeviceBuffer::from_slice(&[1u32, 2])?;
    /// assert_eq!(buffer.as_host_vec()?, [1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Driver`], [`Error::Poisoned`], [`Error::Forked`].
    pub fn make_current(&self) -> Result<()> {
        let core = self.core()?;
        let made = driver::set_current(core.context.handle());
        self.watch(&core, made.map_err(Error::from))
    }

    /// Waits for all work that is queued on the default stream of the device's primary context, and on the streams that are ordered with
    /// the default stream. Returns an error if this work fails, or if any earlier failure has ended the context. Does not wait for streams
    /// that were made with `CU_STREAM_NON_BLOCKING`: the driver's call that waits for them would end captures.
    ///
    /// ```
    /// use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
    /// use warpfold::{Gpu, RawStream, Sum, scan};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?; // for the buffers
    /// let mut items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
    /// scan::<Sum, _>(&mut items).in_place().queue(&gpu, &RawStream::DEFAULT)?;
    /// gpu.synchronize()?;
    /// assert_eq!(items.as_host_vec()?, [1, 3, 6]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::CaptureUnderWay`], [`Error::Driver`], [`Error::Poisoned`], [`Error::Forked`].
    pub fn synchronize(&self) -> Result<()> {
        self.enter(|_| {
            driver::check_default_stream()?;
            Stream::DEFAULT.synchronize().map_err(driver::in_capture)
        })
    }

    /// Frees the memory that is kept for later calls: workspaces, transfer lanes, and the streams that this library created, with their
    /// page-locked memory. Keeps memory of captured graphs, and of calls that have not returned. If queued work uses memory that is to be
    /// freed, first waits for this work. Compiled kernels stay. Later calls allocate their memory again.
    ///
    /// ```
    /// # fn main() -> warpfold::Result<()> {
    /// let gpu = warpfold::Gpu::new()?;
    /// gpu.synchronize()?;
    /// gpu.trim()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Driver`], [`Error::Poisoned`], [`Error::Forked`].
    pub fn trim(&self) -> Result<()> {
        self.enter(|entered| {
            entered.trim();
            Ok(())
        })
    }

    /// Runs `work` with the context current. The context stays current until another context is made current. Even while a stream is being
    /// captured, the driver accepts most of the calls that `work` makes.
    #[cfg(feature = "cust")]
    pub(crate) fn with_current<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<R> {
        let core = self.core()?;
        let made = driver::set_current(core.context.handle()).map_err(Error::from);
        let done = made.and_then(|()| {
            let unconcerned = driver::Unconcerned::begin()?;
            let done = work();
            let ended = unconcerned.end();
            let done = done?;
            ended?;
            Ok(done)
        });
        self.watch(&core, done)
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        let lost = match &*state {
            State::Alive(_) => None,
            State::Lost(code) => Some(code),
        };
        f.debug_struct("Gpu")
            .field("device", &self.ordinal)
            .field("name", &self.properties.name)
            .field("lost_to", &lost)
            .finish()
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        if fork::is_child() {
            // Nothing can be freed in a forked process, and locks that other threads held stay locked.
            let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            mem::forget(mem::replace(state, State::Lost(DriverCode(0))));
        }
    }
}
