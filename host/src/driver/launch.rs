//! Launches.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use warpfold_kernels::launch::Start;

use super::{Function, Newer, Result, Stream, check, raw};

/// The shape of a launch: `blocks` × 1 × 1 blocks of `block_threads` × 1 × 1 threads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub blocks: u32,
    pub block_threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared_bytes: u32,
}

impl Function {
    /// Queues a launch. It begins before the previous work has ended only if `self` allows it and the driver can (CUDA 11.8 or later).
    ///
    /// # Safety
    ///
    /// - `parameters` points at one readable value for each of the kernel's parameters, of its size.
    /// - What the kernel does with them is sound: its device pointers reach as far as it reads and writes.
    /// - If it may begin early, the kernel waits for the work before it.
    pub unsafe fn launch(
        self,
        shape: Shape,
        start: Start,
        stream: Stream<'_>,
        parameters: &mut [*mut c_void],
    ) -> Result<()> {
        // SAFETY: this is that function's type.
        static LAUNCH: Newer<LaunchKernelEx> = unsafe { Newer::new(c"cuLaunchKernelEx") };
        let launch = match start {
            Start::Early => LAUNCH.find(),
            Start::AfterOthers => None,
        };
        match launch {
            // SAFETY: the first two conditions of `launch_early` are this function's. Its third is this function's, too, since the kernel may
            // begin early here.
            Some(launch) => unsafe { launch_early(launch, self, shape, stream, parameters) },
            // SAFETY: the driver reads a value for each parameter, by the first condition there is one, and copies it before it returns.
            // What the kernel does with them is sound by the second. The handles live: a function's module by its owner, the stream
            // by its lifetime.
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
                    parameters.as_mut_ptr(),
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

/// Queues a launch that may begin before the work before it is done.
///
/// # Safety
///
/// - `parameters` points at one readable value for each of the kernel's parameters, of its size.
/// - What the kernel does with them is sound: its device pointers reach as far as it reads and writes.
/// - The kernel waits for the work before it.
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
    // SAFETY: the driver reads a value for each parameter, by the first condition there is one; it copies these, and reads the
    // configuration and its attribute, which are live locals, before it returns. What the kernel does, and that it waits for the work
    // before it, are the second and third condition.
    check("cuLaunchKernelEx", unsafe {
        launch(
            &raw const config,
            function.0,
            parameters.as_mut_ptr(),
            ptr::null_mut(),
        )
    })
}
