//! The functions of the device's runtime that kernels call to launch grids and to print.
//!
//! The functions are external. The driver itself has the function that prints. The functions that launch are in the toolkit's
//! `libcudadevrt.a`, where the driver's linker finds them. Their names begin with `__cudaCDP2`, as in the output of `nvcc`. The names
//! without that prefix belong to an older runtime, which devices of compute capability 9.0 and later do not have.

use core::ffi::c_void;

/// Extents of a grid or of a block.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Extent {
    x: u32,
    y: u32,
    z: u32,
}

impl Extent {
    /// The extents of a grid of `x` blocks, or of a block of `x` threads, in one dimension.
    #[inline(always)]
    pub const fn row(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }
}

/// The stream that a grid is launched in. It determines when the grid runs.
#[derive(Clone, Copy)]
#[repr(u64)]
pub enum ChildStream {
    /// The stream of the launching block. Its grids run one after the other, each some time after its launch.
    Block = 0,
    /// The grid runs when the launching grid has ended. The launching grid ends when all its blocks have ended, and also all grids that
    /// these blocks have launched in [`Self::Block`].
    Tail = 3,
}

extern "C" {
    fn __cudaCDP2GetParameterBufferV2(
        kernel: *const c_void,
        grid: Extent,
        block: Extent,
        shared_bytes: u32,
    ) -> *mut u64;
    fn __cudaCDP2LaunchDeviceV2(parameters: *mut u64, stream: u64) -> u32;
    fn vprintf(format: *const u8, values: *const c_void) -> u32;
}

/// Launches a grid, and returns the runtime's error code: 0 for success.
///
/// This thread's accesses before the launch come before the launched grid's accesses. So do other accesses that barriers have ordered
/// before the launch.
///
/// # Safety
/// `kernel` is the address of a kernel with these parameters, each of 64 bits, and the launch meets the kernel's conditions.
#[inline(always)]
pub unsafe fn launch<const N: usize>(
    kernel: *const c_void,
    grid_blocks: u32,
    block_threads: u32,
    parameters: [u64; N],
    stream: ChildStream,
) -> u32 {
    /// The runtime's error code for "no more memory for launches".
    const MEMORY_ALLOCATION: u32 = 2;
    // SAFETY: `kernel` has `N` parameters of 64 bits, and the launch meets its conditions (this function's conditions). So the buffer that
    // the runtime returns has `N` words.
    unsafe {
        let (grid, block) = (Extent::row(grid_blocks), Extent::row(block_threads));
        let buffer = __cudaCDP2GetParameterBufferV2(kernel, grid, block, 0);
        if buffer.is_null() {
            return MEMORY_ALLOCATION;
        }
        let mut index = 0;
        while index < N {
            buffer.add(index).write(parameters[index]);
            index += 1;
        }
        __cudaCDP2LaunchDeviceV2(buffer, stream as u64)
    }
}

/// Prints numbers by a format, as `printf` does.
///
/// # Safety
/// `format` ends with a NUL, and has a `%d` for each number and no other conversion.
#[inline(always)]
pub unsafe fn print<const N: usize>(format: &'static [u8], numbers: [u32; N]) {
    // SAFETY: the format ends with a NUL, and has a `%d` for each number (this function's condition). The numbers are consecutive words.
    unsafe { vprintf(format.as_ptr(), numbers.as_ptr().cast()) };
}
