//! Declares the driver calls for the tests. Handles are numbers. In the safe calls, pointers that must be valid are references.

use std::ffi::{c_char, c_void};

pub const INVALID_VALUE: i32 = 1;
pub const OUT_OF_MEMORY: i32 = 2;
pub const INVALID_DEVICE: i32 = 101;
pub const INVALID_IMAGE: i32 = 200;
pub const INVALID_CONTEXT: i32 = 201;
pub const NO_BINARY_FOR_GPU: i32 = 209;
pub const INVALID_PTX: i32 = 218;
pub const UNSUPPORTED_PTX_VERSION: i32 = 222;
pub const INVALID_HANDLE: i32 = 400;
pub const ILLEGAL_STATE: i32 = 401;
pub const NOT_FOUND: i32 = 500;
pub const NOT_READY: i32 = 600;
pub const ILLEGAL_ADDRESS: i32 = 700;
pub const CONTEXT_IS_DESTROYED: i32 = 709;
pub const LAUNCH_FAILED: i32 = 719;
pub const NOT_PERMITTED: i32 = 800;
pub const NOT_SUPPORTED: i32 = 801;
pub const STREAM_CAPTURE_UNSUPPORTED: i32 = 900;
pub const STREAM_CAPTURE_INVALIDATED: i32 = 901;

/// `CUlaunchConfig`.
#[repr(C)]
pub struct LaunchConfig {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared_bytes: u32,
    pub stream: usize,
    pub attributes: *const LaunchAttribute,
    pub attribute_count: u32,
}

/// `CUlaunchAttribute`, with a number for its value.
#[repr(C, align(8))]
pub struct LaunchAttribute {
    pub id: i32,
    pub padding: [u8; 4],
    pub value: i32,
    pub rest: [u8; 60],
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
pub struct Plane {
    pub from: PlaneSide,
    pub to: PlaneSide,
    pub width_bytes: usize,
    pub rows: usize,
}

/// The source or the destination of the copy that a [`Plane`] describes.
#[repr(C)]
pub struct PlaneSide {
    pub x_bytes: usize,
    pub y: usize,
    pub kind: i32,
    pub host: *mut c_void,
    pub device: u64,
    pub array: usize,
    pub pitch: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
pub struct Planes {
    pub from: Side,
    pub to: Side,
    pub width_bytes: usize,
    pub rows: usize,
    pub planes: usize,
}

/// The source or the destination of the copy that [`Planes`] describes.
#[repr(C)]
pub struct Side {
    pub x_bytes: usize,
    pub y: usize,
    pub z: usize,
    pub level: usize,
    pub kind: i32,
    pub host: *mut c_void,
    pub device: u64,
    pub array: usize,
    pub reserved: usize,
    pub pitch: usize,
    pub height: usize,
}

unsafe extern "C" {
    pub safe fn cuInit(flags: u32) -> i32;
    pub safe fn cuDeviceGetCount(count: &mut i32) -> i32;
    pub safe fn cuDeviceGet(device: &mut i32, ordinal: i32) -> i32;
    pub safe fn cuDevicePrimaryCtxRetain(context: &mut usize, device: i32) -> i32;
    pub safe fn cuDevicePrimaryCtxRelease_v2(device: i32) -> i32;
    pub safe fn cuDevicePrimaryCtxReset_v2(device: i32) -> i32;
    pub safe fn cuDevicePrimaryCtxGetState(device: i32, flags: &mut u32, active: &mut i32) -> i32;
    pub safe fn cuCtxCreate_v2(context: &mut usize, flags: u32, device: i32) -> i32;
    pub safe fn cuCtxDestroy_v2(context: usize) -> i32;
    pub safe fn cuCtxAttach(context: &mut usize, flags: u32) -> i32;
    pub safe fn cuCtxDetach(context: usize) -> i32;
    pub safe fn cuCtxSetCurrent(context: usize) -> i32;
    pub safe fn cuCtxGetCurrent(context: &mut usize) -> i32;
    pub safe fn cuCtxPushCurrent_v2(context: usize) -> i32;
    pub safe fn cuCtxPopCurrent_v2(context: &mut usize) -> i32;
    pub safe fn cuCtxSynchronize() -> i32;
    pub safe fn cuMemAlloc_v2(address: Option<&mut u64>, bytes: usize) -> i32;
    pub safe fn cuMemFree_v2(address: u64) -> i32;
    pub safe fn cuMemAllocManaged(address: &mut u64, bytes: usize, flags: u32) -> i32;
    pub safe fn cuDeviceGetMemPool(pool: &mut usize, device: i32) -> i32;
    pub safe fn cuDeviceGetDefaultMemPool(pool: &mut usize, device: i32) -> i32;
    pub safe fn cuMemPoolDestroy(pool: usize) -> i32;
    pub fn cuMemPoolGetAttribute(pool: usize, setting: i32, value: *mut c_void) -> i32;
    pub fn cuMemPoolSetAttribute(pool: usize, setting: i32, value: *mut c_void) -> i32;
    pub safe fn cuMemAllocFromPoolAsync(
        address: &mut u64,
        bytes: usize,
        pool: usize,
        stream: usize,
    ) -> i32;
    pub safe fn cuMemAllocAsync(address: &mut u64, bytes: usize, stream: usize) -> i32;
    pub safe fn cuMemFreeAsync(address: u64, stream: usize) -> i32;
    pub safe fn cuMemGetInfo_v2(free: &mut usize, total: &mut usize) -> i32;
    pub safe fn cuMemAllocHost_v2(pointer: &mut *mut u32, bytes: usize) -> i32;
    pub safe fn cuMemFreeHost(pointer: *mut u32) -> i32;
    pub safe fn cuMemHostGetDevicePointer_v2(
        address: &mut u64,
        pointer: *mut u32,
        flags: u32,
    ) -> i32;
    pub safe fn cuMemsetD32_v2(address: u64, value: u32, count: usize) -> i32;
    pub safe fn cuMemsetD32Async(address: u64, value: u32, count: usize, stream: usize) -> i32;
    pub safe fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) -> i32;
    pub safe fn cuMemcpyPeer(
        to: u64,
        to_context: usize,
        from: u64,
        from_context: usize,
        bytes: usize,
    ) -> i32;
    pub fn cuMemcpy2D_v2(plane: &Plane) -> i32;
    pub fn cuMemcpy3D_v2(planes: &Planes) -> i32;
    pub fn cuMemcpy3DAsync_v2(planes: &Planes, stream: usize) -> i32;
    pub fn cuMemcpyHtoD_v2(to: u64, from: *const u32, bytes: usize) -> i32;
    pub fn cuMemcpyDtoH_v2(to: *mut u32, from: u64, bytes: usize) -> i32;
    pub fn cuMemcpyHtoDAsync_v2(to: u64, from: *const u32, bytes: usize, stream: usize) -> i32;
    pub fn cuMemcpyDtoHAsync_v2(to: *mut u32, from: u64, bytes: usize, stream: usize) -> i32;
    pub fn cuPointerGetAttribute(value: *mut c_void, attribute: i32, address: u64) -> i32;
    pub fn cuModuleLoadData(module: &mut usize, image: *const c_char) -> i32;
    pub fn cuModuleLoadDataEx(
        module: &mut usize,
        image: *const c_char,
        count: u32,
        options: *const i32,
        values: *mut *mut c_void,
    ) -> i32;
    pub fn cuLinkCreate_v2(
        count: u32,
        options: *const i32,
        values: *mut *mut c_void,
        linker: &mut usize,
    ) -> i32;
    pub fn cuLinkAddData_v2(
        linker: usize,
        kind: i32,
        data: *const c_void,
        bytes: usize,
        name: *const c_char,
        count: u32,
        options: *const i32,
        values: *mut *mut c_void,
    ) -> i32;
    pub fn cuLinkAddFile_v2(
        linker: usize,
        kind: i32,
        path: *const c_char,
        count: u32,
        options: *const i32,
        values: *mut *mut c_void,
    ) -> i32;
    pub safe fn cuLinkComplete(linker: usize, image: &mut *const c_char, bytes: &mut usize) -> i32;
    pub safe fn cuLinkDestroy(linker: usize) -> i32;
    pub safe fn cuModuleUnload(module: usize) -> i32;
    pub fn cuModuleGetFunction(function: &mut usize, module: usize, name: *const c_char) -> i32;
    pub safe fn cuFuncSetAttribute(function: usize, attribute: i32, value: i32) -> i32;
    pub safe fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: &mut i32,
        function: usize,
        threads: i32,
        shared_bytes: usize,
    ) -> i32;
    pub fn cuLaunchKernel(
        function: usize,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_bytes: u32,
        stream: usize,
        parameters: *mut *mut c_void,
        list: *mut *mut c_void,
    ) -> i32;
    pub safe fn cuFuncSetBlockShape(function: usize, x: i32, y: i32, z: i32) -> i32;
    pub safe fn cuParamSetSize(function: usize, bytes: u32) -> i32;
    pub safe fn cuParamSeti(function: usize, offset: i32, value: u32) -> i32;
    pub fn cuParamSetv(function: usize, offset: i32, from: *const c_void, bytes: u32) -> i32;
    pub safe fn cuLaunchGrid(function: usize, width: i32, height: i32) -> i32;
    pub fn cuLaunchKernelEx(
        config: *const LaunchConfig,
        function: usize,
        parameters: *mut *mut c_void,
        list: *mut *mut c_void,
    ) -> i32;
    pub fn cuLaunchHostFunc(
        stream: usize,
        function: Option<unsafe extern "C" fn(*mut c_void)>,
        data: *mut c_void,
    ) -> i32;
    pub safe fn cuStreamCreate(stream: &mut usize, flags: u32) -> i32;
    pub safe fn cuStreamDestroy_v2(stream: usize) -> i32;
    pub safe fn cuStreamSynchronize(stream: usize) -> i32;
    pub safe fn cuStreamQuery(stream: usize) -> i32;
    pub safe fn cuStreamGetId(stream: usize, id: &mut u64) -> i32;
    pub safe fn cuStreamWaitEvent(stream: usize, event: usize, flags: u32) -> i32;
    pub safe fn cuEventCreate(event: &mut usize, flags: u32) -> i32;
    pub safe fn cuEventDestroy_v2(event: usize) -> i32;
    pub safe fn cuEventRecord(event: usize, stream: usize) -> i32;
    pub safe fn cuEventQuery(event: usize) -> i32;
    pub safe fn cuEventSynchronize(event: usize) -> i32;
    pub safe fn cuEventElapsedTime(milliseconds: &mut f32, start: usize, end: usize) -> i32;
    pub safe fn cuStreamBeginCapture_v2(stream: usize, mode: i32) -> i32;
    pub safe fn cuStreamEndCapture(stream: usize, graph: &mut usize) -> i32;
    pub safe fn cuStreamIsCapturing(stream: usize, status: &mut i32) -> i32;
    pub safe fn cuGraphInstantiateWithFlags(
        executable: &mut usize,
        graph: usize,
        flags: u64,
    ) -> i32;
    pub safe fn cuGraphLaunch(executable: usize, stream: usize) -> i32;
    pub safe fn cuGraphDestroy(graph: usize) -> i32;
    pub safe fn cuGraphExecDestroy(executable: usize) -> i32;
    pub safe fn cuStreamGetCaptureInfo_v2(
        stream: usize,
        status: &mut i32,
        id: &mut u64,
        graph: &mut usize,
        after: usize,
        after_count: usize,
    ) -> i32;
    pub fn cuUserObjectCreate(
        object: &mut usize,
        data: *mut c_void,
        destructor: Option<unsafe extern "C" fn(*mut c_void)>,
        references: u32,
        flags: u32,
    ) -> i32;
    pub safe fn cuUserObjectRetain(object: usize, count: u32) -> i32;
    pub safe fn cuUserObjectRelease(object: usize, count: u32) -> i32;
    pub safe fn cuGraphRetainUserObject(graph: usize, object: usize, count: u32, flags: u32)
    -> i32;
    pub safe fn cuGraphGetNodes(graph: usize, nodes: Option<&mut usize>, count: &mut usize) -> i32;
    pub safe fn cuGraphGetEdges(
        graph: usize,
        from: Option<&mut usize>,
        to: Option<&mut usize>,
        count: &mut usize,
    ) -> i32;
    pub safe fn cuGraphNodeGetType(node: usize, node_type: &mut i32) -> i32;
    pub fn cuGetErrorName(code: i32, text: *mut *const c_char) -> i32;
    pub fn cuGetProcAddress(
        name: *const c_char,
        address: &mut *mut c_void,
        version: i32,
        flags: u64,
    ) -> i32;
}
