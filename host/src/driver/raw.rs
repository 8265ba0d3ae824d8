//! The driver's functions, declared as in `cuda.h`, but with the result `i32`: a driver may return any code.
//!
//! With the feature `cust` or `virtual-gpu`, the functions are linked, since each of these features brings a library that has them.
//! Otherwise the program is not linked with a driver, and `opened` finds the functions at run time.
//!
//! # Safety
//!
//! For all functions: each pointer is valid for the reads and writes that the driver's documentation describes.

#[cfg(not(any(feature = "cust", feature = "virtual-gpu")))]
pub(super) mod opened;

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ushort, c_void};

use super::Address;

#[cfg(any(feature = "cust", feature = "virtual-gpu"))]
macro_rules! functions {
    ($($(#[$attribute:meta])* fn $name:ident($($parameter:ident: $type:ty),* $(,)?);)*) => {
        unsafe extern "C" {
            $($(#[$attribute])* pub fn $name($($parameter: $type),*) -> i32;)*
        }
    };
}

#[cfg(not(any(feature = "cust", feature = "virtual-gpu")))]
macro_rules! functions {
    ($($(#[$attribute:meta])* fn $name:ident($($parameter:ident: $type:ty),* $(,)?);)*) => {
        /// The addresses of the driver's functions.
        #[allow(non_snake_case)]
        pub(in crate::driver) struct Functions {
            $($(#[$attribute])* $name: unsafe extern "C" fn($($type),*) -> i32,)*
        }

        impl Functions {
            fn of(library: &opened::Driver) -> Result<Self, opened::Missing> {
                Ok(Self {
                    $(
                        $(#[$attribute])*
                        // SAFETY: this is the function's type in `cuda.h`.
                        $name: unsafe {
                            library.function::<unsafe extern "C" fn($($type),*) -> i32>(stringify!($name))
                        }?,
                    )*
                })
            }
        }

        $(
            $(#[$attribute])*
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub unsafe fn $name($($parameter: $type),*) -> i32 {
                match opened::functions() {
                    // SAFETY: the pointer is to the driver's function of this name and type. This function has the same conditions as the
                    // driver's function, and passes on all arguments unchanged.
                    Ok(functions) => unsafe { (functions.$name)($($parameter),*) },
                    Err(missing) => missing.code(),
                }
            }
        )*
    };
}

functions! {
    fn cuInit(flags: c_uint);
    fn cuGetProcAddress(
        name: *const c_char,
        function: *mut *mut c_void,
        version: c_int,
        flags: u64,
    );
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGet(device: *mut c_int, ordinal: c_int);
    fn cuDeviceGetName(name: *mut c_char, capacity: c_int, device: c_int);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int);
    fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int);
    fn cuDevicePrimaryCtxRelease_v2(device: c_int);
    fn cuCtxGetCurrent(context: *mut *mut c_void);
    fn cuCtxSetCurrent(context: *mut c_void);
    fn cuCtxPushCurrent_v2(context: *mut c_void);
    fn cuCtxPopCurrent_v2(context: *mut *mut c_void);
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemAlloc_v2(address: *mut Address, bytes: usize);
    fn cuMemFree_v2(address: Address);
    fn cuMemHostAlloc(start: *mut *mut c_void, bytes: usize, flags: c_uint);
    fn cuMemHostGetDevicePointer_v2(
        address: *mut Address,
        start: *mut c_void,
        flags: c_uint,
    );
    fn cuMemFreeHost(start: *mut c_void);
    fn cuMemcpyHtoDAsync_v2(
        to: Address,
        from: *const c_void,
        bytes: usize,
        stream: *mut c_void,
    );
    fn cuMemcpyDtoHAsync_v2(
        to: *mut c_void,
        from: Address,
        bytes: usize,
        stream: *mut c_void,
    );
    #[cfg(test)]
    fn cuMemcpyHtoD_v2(to: Address, from: *const c_void, bytes: usize);
    #[cfg(test)]
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: Address, bytes: usize);
    fn cuMemsetD8Async(to: Address, byte: c_uchar, bytes: usize, stream: *mut c_void);
    fn cuMemsetD16Async(to: Address, half: c_ushort, halves: usize, stream: *mut c_void);
    fn cuMemsetD32Async(to: Address, word: c_uint, words: usize, stream: *mut c_void);
    fn cuPointerGetAttributes(
        count: c_uint,
        attributes: *const c_int,
        values: *const *mut c_void,
        address: Address,
    );
    fn cuStreamCreate(stream: *mut *mut c_void, flags: c_uint);
    fn cuStreamDestroy_v2(stream: *mut c_void);
    fn cuStreamGetCtx(stream: *mut c_void, context: *mut *mut c_void);
    fn cuStreamIsCapturing(stream: *mut c_void, status: *mut c_int);
    fn cuStreamGetCaptureInfo_v2(
        stream: *mut c_void,
        status: *mut c_int,
        id: *mut u64,
        graph: *mut *mut c_void,
        after: *mut *const *mut c_void,
        after_count: *mut usize,
    );
    fn cuThreadExchangeStreamCaptureMode(mode: *mut c_int);
    fn cuUserObjectCreate(
        object: *mut *mut c_void,
        data: *mut c_void,
        destructor: Option<unsafe extern "C" fn(*mut c_void)>,
        references: c_uint,
        flags: c_uint,
    );
    fn cuUserObjectRelease(object: *mut c_void, count: c_uint);
    fn cuGraphRetainUserObject(
        graph: *mut c_void,
        object: *mut c_void,
        count: c_uint,
        flags: c_uint,
    );
    #[cfg(feature = "nccl")]
    fn cuStreamQuery(stream: *mut c_void);
    #[cfg(feature = "nccl")]
    fn cuEventQuery(event: *mut c_void);
    #[cfg(feature = "nccl")]
    fn cuMemcpyPeerAsync(
        to: Address,
        to_context: *mut c_void,
        from: Address,
        from_context: *mut c_void,
        bytes: usize,
        stream: *mut c_void,
    );
    fn cuStreamSynchronize(stream: *mut c_void);
    fn cuStreamWaitEvent(stream: *mut c_void, event: *mut c_void, flags: c_uint);
    fn cuEventCreate(event: *mut *mut c_void, flags: c_uint);
    fn cuEventRecord(event: *mut c_void, stream: *mut c_void);
    fn cuEventDestroy_v2(event: *mut c_void);
    fn cuModuleLoadDataEx(
        module: *mut *mut c_void,
        image: *const c_void,
        option_count: c_uint,
        options: *const c_int,
        values: *const *mut c_void,
    );
    fn cuModuleUnload(module: *mut c_void);
    fn cuModuleGetFunction(
        function: *mut *mut c_void,
        module: *mut c_void,
        name: *const c_char,
    );
    fn cuFuncSetAttribute(function: *mut c_void, attribute: c_int, value: c_int);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: *mut c_void,
        threads: c_int,
        shared_bytes: usize,
    );
    fn cuLaunchKernel(
        function: *mut c_void,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: *mut c_void,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    );
}
