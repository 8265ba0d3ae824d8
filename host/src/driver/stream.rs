//! Streams, and the launches that are queued on them.

use std::ffi::{CStr, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use warpfold_kernels::launch::Start;

use super::{Context, Function, Result, check, raw};

/// A stream that lives as long as `'a`: a stream of the program, a stream that this library created, or a default stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream<'a> {
    pub(super) handle: *mut c_void,
    lifetime: PhantomData<&'a ()>,
}

/// `CU_STREAM_PER_THREAD`, as a handle.
const PER_THREAD: usize = 2;

thread_local! {
    /// The number that [`Stream::key`] returns on this thread for the per-thread default stream. It is odd, and greater than the driver's
    /// special handles. All other handles are even, since they are addresses of aligned objects.
    static THREAD: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(PER_THREAD + 1);
        NEXT.fetch_add(2, Ordering::Relaxed)
    };
}

impl Stream<'static> {
    /// The legacy default stream: `cust`'s streams and synchronous copies are ordered with it.
    pub const DEFAULT: Self = Self {
        handle: ptr::null_mut(),
        lifetime: PhantomData,
    };
}

impl Stream<'_> {
    /// The stream with this handle.
    ///
    /// # Safety
    ///
    /// The handle is that of a stream. The stream is not destroyed while the returned value is in use.
    pub const unsafe fn from_raw(handle: *mut c_void) -> Self {
        Self {
            handle,
            lifetime: PhantomData,
        }
    }

    /// Whether the handle is null: the handle of the legacy default stream.
    pub fn is_default(self) -> bool {
        self.handle.is_null()
    }

    /// A number that identifies a stream. For most streams, it is the handle. The per-thread default streams of all threads share one
    /// handle, so the number of such a stream is its thread's `THREAD`. The number of a destroyed stream may be reused.
    pub fn key(self) -> usize {
        match self.handle as usize {
            PER_THREAD => THREAD.try_with(|&number| number).unwrap_or(PER_THREAD),
            handle => handle,
        }
    }

    /// The driver's number for the stream. It is never reused. Drivers before CUDA 12 have no such numbers.
    pub fn id(self) -> Result<Option<u64>> {
        type GetId = unsafe extern "C" fn(*mut c_void, *mut u64) -> i32;
        // SAFETY: `GetId` is the type of `cuStreamGetId` in `cuda.h`.
        static GET_ID: Newer<GetId> = unsafe { Newer::new(c"cuStreamGetId") };
        let Some(get_id) = GET_ID.find() else {
            return Ok(None);
        };
        let mut id = 0;
        // SAFETY: the pointer is to a live local; the stream lives.
        check("cuStreamGetId", unsafe { get_id(self.handle, &mut id) })?;
        Ok(Some(id))
    }

    /// Whether the stream belongs to `context`.
    pub fn is_of(self, context: Context) -> Result<bool> {
        let mut owner = ptr::null_mut();
        // SAFETY: the pointer is to a live local; the stream lives.
        check("cuStreamGetCtx", unsafe {
            raw::cuStreamGetCtx(self.handle, &mut owner)
        })?;
        Ok(owner == context.0)
    }

    /// Waits for the stream's queued work.
    pub fn synchronize(self) -> Result<()> {
        // SAFETY: the stream lives.
        check("cuStreamSynchronize", unsafe {
            raw::cuStreamSynchronize(self.handle)
        })
    }
}

/// A stream that this library created. It is not ordered with the default stream. A drop waits for the stream's work, and destroys the
/// stream.
#[derive(Debug)]
pub(crate) struct OwnStream(*mut c_void);

// SAFETY: a handle names an object that the driver keeps and locks; any thread may use the handle.
unsafe impl Send for OwnStream {}
// SAFETY: the driver locks the object that the handle names, so threads may use it at the same time.
unsafe impl Sync for OwnStream {}

impl OwnStream {
    pub fn create() -> Result<Self> {
        const NON_BLOCKING: u32 = 1;
        let mut handle = ptr::null_mut();
        // SAFETY: the pointer is to a live local.
        check("cuStreamCreate", unsafe {
            raw::cuStreamCreate(&mut handle, NON_BLOCKING)
        })?;
        Ok(Self(handle))
    }

    /// The stream, borrowed from its owner.
    #[inline]
    pub fn as_stream(&self) -> Stream<'_> {
        Stream {
            handle: self.0,
            lifetime: PhantomData,
        }
    }
}

impl Drop for OwnStream {
    fn drop(&mut self) {
        // This fails if the work failed, or if the context and its streams were destroyed.
        let _ = self.as_stream().synchronize();
        // SAFETY: the handle is this stream's own, and is not used again.
        let _ = unsafe { raw::cuStreamDestroy_v2(self.0) };
    }
}

/// The most parameters that a kernel of this library has.
pub(crate) const MOST_PARAMETERS: usize = 18;

/// The shape of a launch: `blocks` × 1 × 1 blocks of `block_threads` × 1 × 1 threads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub blocks: u32,
    pub block_threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared_bytes: u32,
}

impl Function {
    /// Queues a launch. If `start` allows it and the driver is of CUDA 11.8 or later, the launch may begin before the previous work has
    /// ended.
    ///
    /// # Safety
    ///
    /// - `parameters` are the kernel's parameters. There are at most [`MOST_PARAMETERS`] of them, and each has 64 bits.
    /// - The kernel's use of the parameters is sound: the memory behind each device pointer is long enough for what the kernel reads and
    ///   writes.
    /// - If the launch may begin early, the kernel waits for the previous work.
    pub unsafe fn launch(
        self,
        shape: Shape,
        start: Start,
        stream: Stream<'_>,
        parameters: &mut [u64],
    ) -> Result<()> {
        debug_assert!(parameters.len() <= MOST_PARAMETERS);
        let mut pointers = [ptr::null_mut(); MOST_PARAMETERS];
        for (pointer, parameter) in pointers.iter_mut().zip(parameters) {
            *pointer = ptr::from_mut(parameter).cast();
        }
        // SAFETY: `LaunchKernelEx` is the type of `cuLaunchKernelEx` in `cuda.h`.
        static LAUNCH: Newer<LaunchKernelEx> = unsafe { Newer::new(c"cuLaunchKernelEx") };
        let launch = match start {
            Start::Early => LAUNCH.find(),
            Start::AfterOthers => None,
        };
        match launch {
            // SAFETY: there is a pointer for each of the kernel's parameters (condition 1). The kernel's use of the parameters is sound
            // (condition 2). The launch may begin early, so the kernel waits for the previous work (condition 3).
            Some(launch) => unsafe { launch_early(launch, self, shape, stream, &mut pointers) },
            // SAFETY: the driver reads a value for each parameter through its pointer, and copies the value before it returns. There is a
            // pointer for each parameter (condition 1), and the kernel's use of the parameters is sound (condition 2). The function lives,
            // since its owner keeps the module. The lifetime of `stream` ensures that the stream lives.
            None => check("cuLaunchKernel", unsafe {
                raw::cuLaunchKernel(
                    self.0,
                    shape.blocks,
                    1,
                    1,
                    shape.block_threads,
                    1,
                    1,
                    shape.shared_bytes,
                    stream.handle,
                    pointers.as_mut_ptr(),
                    ptr::null_mut(),
                )
            }),
        }
    }
}

/// `cuLaunchKernelEx`.
type LaunchKernelEx = unsafe extern "C" fn(
    config: *const Config,
    function: *mut c_void,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> i32;

/// `CUlaunchConfig`.
#[repr(C)]
struct Config {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared_bytes: c_uint,
    stream: *mut c_void,
    attributes: *const Attribute,
    attribute_count: c_uint,
}

/// `CUlaunchAttribute`, with a value that is a number.
#[repr(C, align(8))]
struct Attribute {
    id: c_int,
    padding: [u8; 4],
    value: c_int,
    rest: [u8; 60],
}

const _: () = assert!(size_of::<Attribute>() == 72 && size_of::<Config>() == 56);

/// Queues a launch that may begin before the previous work has ended.
///
/// # Safety
///
/// - For each of the kernel's parameters, `parameters` has a pointer to a readable value of the parameter's size.
/// - The kernel's use of the parameters is sound: the memory behind each device pointer is long enough for what the kernel reads and
///   writes.
/// - The kernel waits for the previous work.
unsafe fn launch_early(
    launch: LaunchKernelEx,
    function: Function,
    shape: Shape,
    stream: Stream<'_>,
    parameters: &mut [*mut c_void],
) -> Result<()> {
    const PROGRAMMATIC_STREAM_SERIALIZATION: c_int = 6;
    let attribute = Attribute {
        id: PROGRAMMATIC_STREAM_SERIALIZATION,
        padding: [0; 4],
        value: 1,
        rest: [0; 60],
    };
    let config = Config {
        grid: [shape.blocks, 1, 1],
        block: [shape.block_threads, 1, 1],
        shared_bytes: shape.shared_bytes,
        stream: stream.handle,
        attributes: &raw const attribute,
        attribute_count: 1,
    };
    // SAFETY: the driver reads a value for each parameter (condition 1), and the configuration with its attribute. The configuration and
    // its attribute are live locals. The driver copies everything that it reads before it returns. The kernel's use of the parameters is
    // sound (condition 2), and the kernel waits for the previous work (condition 3).
    check("cuLaunchKernelEx", unsafe {
        launch(
            &raw const config,
            function.0,
            parameters.as_mut_ptr(),
            ptr::null_mut(),
        )
    })
}

/// A function that older drivers lack, looked up at its first use. A program that linked to the function would not start with an older
/// driver.
struct Newer<F> {
    name: &'static CStr,
    found: OnceLock<Option<F>>,
}

impl<F: Copy> Newer<F> {
    /// # Safety
    ///
    /// `F` is the type of a pointer to the driver's function of this name.
    const unsafe fn new(name: &'static CStr) -> Self {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        Self {
            name,
            found: OnceLock::new(),
        }
    }

    /// The function, if the driver has it.
    fn find(&self) -> Option<F> {
        *self.found.get_or_init(|| {
            let address = address(self.name)?;
            // SAFETY: `F` is the type of the function's pointer (the condition of `new`), and as large as an address (asserted in `new`).
            Some(unsafe { std::mem::transmute_copy(&address) })
        })
    }
}

/// The address of the driver's function `name`.
fn address(name: &CStr) -> Option<*mut c_void> {
    const CUDA_12_0: c_int = 12_000;
    let mut address = ptr::null_mut();
    // SAFETY: the name ends in NUL, and the pointer is to a live local.
    let raw = unsafe { raw::cuGetProcAddress(name.as_ptr(), &mut address, CUDA_12_0, 0) };
    (raw == 0 && !address.is_null()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thread_has_a_default_stream_of_its_own() {
        let key = || {
            // SAFETY: this is the driver's special handle of a per-thread default stream, which is never destroyed.
            unsafe { Stream::from_raw(ptr::without_provenance_mut(PER_THREAD)) }.key()
        };
        let there = std::thread::spawn(key).join().unwrap();
        assert_eq!(key(), key());
        assert_ne!(key(), there);
        assert_eq!((key() % 2, there % 2), (1, 1));
    }
}
