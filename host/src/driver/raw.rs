//! The driver's functions, as `cuda.h` declares them but for the result: any `i32` may come back.
//!
//! # Safety
//!
//! Of all of them: pointers are valid for what the driver's documentation says is read or written there.

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ushort, c_void};

use super::Address;

unsafe extern "C" {
    pub fn cuInit(flags: c_uint) -> i32;
    pub fn cuGetProcAddress(
        name: *const c_char,
        function: *mut *mut c_void,
        version: c_int,
        flags: u64,
    ) -> i32;
    pub fn cuDeviceGetCount(count: *mut c_int) -> i32;
    pub fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> i32;
    pub fn cuDeviceGetName(name: *mut c_char, capacity: c_int, device: c_int) -> i32;
    pub fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) -> i32;
    pub fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) -> i32;
    pub fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int) -> i32;
    pub fn cuDevicePrimaryCtxRelease_v2(device: c_int) -> i32;
    pub fn cuCtxGetCurrent(context: *mut *mut c_void) -> i32;
    pub fn cuCtxSetCurrent(context: *mut c_void) -> i32;
    pub fn cuCtxPushCurrent_v2(context: *mut c_void) -> i32;
    pub fn cuCtxPopCurrent_v2(context: *mut *mut c_void) -> i32;
    pub fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> i32;
    pub fn cuMemAlloc_v2(address: *mut Address, bytes: usize) -> i32;
    pub fn cuMemFree_v2(address: Address) -> i32;
    pub fn cuMemHostAlloc(start: *mut *mut c_void, bytes: usize, flags: c_uint) -> i32;
    pub fn cuMemHostGetDevicePointer_v2(
        address: *mut Address,
        start: *mut c_void,
        flags: c_uint,
    ) -> i32;
    pub fn cuMemFreeHost(start: *mut c_void) -> i32;
    pub fn cuMemcpyHtoDAsync_v2(
        to: Address,
        from: *const c_void,
        bytes: usize,
        stream: *mut c_void,
    ) -> i32;
    pub fn cuMemcpyDtoHAsync_v2(
        to: *mut c_void,
        from: Address,
        bytes: usize,
        stream: *mut c_void,
    ) -> i32;
    #[cfg(test)]
    pub fn cuMemcpyHtoD_v2(to: Address, from: *const c_void, bytes: usize) -> i32;
    #[cfg(test)]
    pub fn cuMemcpyDtoH_v2(to: *mut c_void, from: Address, bytes: usize) -> i32;
    pub fn cuMemsetD8Async(to: Address, byte: c_uchar, bytes: usize, stream: *mut c_void) -> i32;
    pub fn cuMemsetD16Async(to: Address, half: c_ushort, halves: usize, stream: *mut c_void)
    -> i32;
    pub fn cuMemsetD32Async(to: Address, word: c_uint, words: usize, stream: *mut c_void) -> i32;
    pub fn cuPointerGetAttributes(
        count: c_uint,
        attributes: *const c_int,
        values: *const *mut c_void,
        address: Address,
    ) -> i32;
    pub fn cuStreamCreate(stream: *mut *mut c_void, flags: c_uint) -> i32;
    pub fn cuStreamDestroy_v2(stream: *mut c_void) -> i32;
    pub fn cuStreamGetCtx(stream: *mut c_void, context: *mut *mut c_void) -> i32;
    pub fn cuStreamIsCapturing(stream: *mut c_void, status: *mut c_int) -> i32;
    pub fn cuStreamGetCaptureInfo_v2(
        stream: *mut c_void,
        status: *mut c_int,
        id: *mut u64,
        graph: *mut *mut c_void,
        after: *mut *const *mut c_void,
        after_count: *mut usize,
    ) -> i32;
    pub fn cuThreadExchangeStreamCaptureMode(mode: *mut c_int) -> i32;
    pub fn cuUserObjectCreate(
        object: *mut *mut c_void,
        data: *mut c_void,
        destructor: Option<unsafe extern "C" fn(*mut c_void)>,
        references: c_uint,
        flags: c_uint,
    ) -> i32;
    pub fn cuUserObjectRelease(object: *mut c_void, count: c_uint) -> i32;
    pub fn cuGraphRetainUserObject(
        graph: *mut c_void,
        object: *mut c_void,
        count: c_uint,
        flags: c_uint,
    ) -> i32;
    #[cfg(feature = "nccl")]
    pub fn cuStreamQuery(stream: *mut c_void) -> i32;
    #[cfg(feature = "nccl")]
    pub fn cuEventQuery(event: *mut c_void) -> i32;
    #[cfg(feature = "nccl")]
    pub fn cuMemcpyPeerAsync(
        to: Address,
        to_context: *mut c_void,
        from: Address,
        from_context: *mut c_void,
        bytes: usize,
        stream: *mut c_void,
    ) -> i32;
    pub fn cuStreamSynchronize(stream: *mut c_void) -> i32;
    pub fn cuStreamWaitEvent(stream: *mut c_void, event: *mut c_void, flags: c_uint) -> i32;
    pub fn cuEventCreate(event: *mut *mut c_void, flags: c_uint) -> i32;
    pub fn cuEventRecord(event: *mut c_void, stream: *mut c_void) -> i32;
    pub fn cuEventDestroy_v2(event: *mut c_void) -> i32;
    pub fn cuModuleLoadDataEx(
        module: *mut *mut c_void,
        image: *const c_void,
        option_count: c_uint,
        options: *const c_int,
        values: *const *mut c_void,
    ) -> i32;
    pub fn cuModuleUnload(module: *mut c_void) -> i32;
    pub fn cuModuleGetFunction(
        function: *mut *mut c_void,
        module: *mut c_void,
        name: *const c_char,
    ) -> i32;
    pub fn cuFuncSetAttribute(function: *mut c_void, attribute: c_int, value: c_int) -> i32;
    pub fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: *mut c_void,
        threads: c_int,
        shared_bytes: usize,
    ) -> i32;
    pub fn cuLaunchKernel(
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
    ) -> i32;
}
