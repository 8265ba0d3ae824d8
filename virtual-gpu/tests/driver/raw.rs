//! The driver calls as the tests make them: references for the pointers that must be valid, numbers
//! for handles, and a context for each test, so that tests that run side by side do not poison each
//! other's.

use std::ffi::c_void;
use virtual_gpu::Settings;
use virtual_gpu::driver::Choice;

pub const INVALID_VALUE: i32 = 1;
pub const OUT_OF_MEMORY: i32 = 2;
pub const INVALID_DEVICE: i32 = 101;
pub const INVALID_CONTEXT: i32 = 201;
pub const NO_BINARY_FOR_GPU: i32 = 209;
pub const INVALID_PTX: i32 = 218;
pub const INVALID_HANDLE: i32 = 400;
pub const ILLEGAL_STATE: i32 = 401;
pub const NOT_FOUND: i32 = 500;
pub const NOT_READY: i32 = 600;
pub const ILLEGAL_ADDRESS: i32 = 700;
pub const CONTEXT_IS_DESTROYED: i32 = 709;
pub const ILLEGAL_INSTRUCTION: i32 = 715;
pub const NOT_PERMITTED: i32 = 800;

unsafe extern "C" {
    pub safe fn cuInit(flags: u32) -> i32;
    pub safe fn cuDeviceGet(device: &mut i32, ordinal: i32) -> i32;
    pub safe fn cuDevicePrimaryCtxRetain(context: &mut usize, device: i32) -> i32;
    pub safe fn cuDevicePrimaryCtxRelease_v2(device: i32) -> i32;
    pub safe fn cuDevicePrimaryCtxReset_v2(device: i32) -> i32;
    pub safe fn cuDevicePrimaryCtxGetState(device: i32, flags: &mut u32, active: &mut i32) -> i32;
    pub safe fn cuCtxCreate_v2(context: &mut usize, flags: u32, device: i32) -> i32;
    pub safe fn cuCtxDestroy_v2(context: usize) -> i32;
    pub safe fn cuCtxSetCurrent(context: usize) -> i32;
    pub safe fn cuCtxGetCurrent(context: &mut usize) -> i32;
    pub safe fn cuCtxPopCurrent_v2(context: &mut usize) -> i32;
    pub safe fn cuCtxSynchronize() -> i32;
    pub safe fn cuMemAlloc_v2(address: Option<&mut u64>, bytes: usize) -> i32;
    pub safe fn cuMemFree_v2(address: u64) -> i32;
    pub safe fn cuMemAllocAsync(address: &mut u64, bytes: usize, stream: usize) -> i32;
    pub safe fn cuMemFreeAsync(address: u64, stream: usize) -> i32;
    pub safe fn cuMemGetInfo_v2(free: &mut usize, total: &mut usize) -> i32;
    pub safe fn cuMemAllocHost_v2(pointer: &mut *mut u32, bytes: usize) -> i32;
    pub safe fn cuMemFreeHost(pointer: *mut u32) -> i32;
    pub safe fn cuMemsetD32_v2(address: u64, value: u32, count: usize) -> i32;
    pub safe fn cuMemsetD32Async(address: u64, value: u32, count: usize, stream: usize) -> i32;
    pub safe fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: usize) -> i32;
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
    pub safe fn cuGraphGetNodes(graph: usize, nodes: Option<&mut usize>, count: &mut usize) -> i32;
    pub safe fn cuGraphNodeGetType(node: usize, node_type: &mut i32) -> i32;
    pub fn cuGetErrorName(code: i32, text: *mut *const c_char) -> i32;
    pub fn cuGetProcAddress(
        name: *const c_char,
        address: &mut *mut c_void,
        version: i32,
        flags: u64,
    ) -> i32;
}

pub use std::ffi::c_char;

/// Starts the virtual device, whatever the environment says and however often it is asked.
pub fn start() {
    let settings = Settings {
        choice: Choice::On,
        ..Default::default()
    };
    // Whoever comes second finds it started, with the same settings.
    let _ = virtual_gpu::start(settings);
    assert_eq!(cuInit(0), 0);
}

/// A context of its own, current on this thread, and destroyed at the end.
pub struct Context(pub usize);

impl Context {
    pub fn new() -> Self {
        start();
        let mut context = 0;
        assert_eq!(cuCtxCreate_v2(&mut context, 0, 0), 0);
        Self(context)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        cuCtxDestroy_v2(self.0);
    }
}

pub fn alloc(words: usize) -> u64 {
    let mut address = 0;
    assert_eq!(cuMemAlloc_v2(Some(&mut address), words * 4), 0);
    address
}

pub fn stream(flags: u32) -> usize {
    let mut stream = 0;
    assert_eq!(cuStreamCreate(&mut stream, flags), 0);
    stream
}

pub fn event() -> usize {
    let mut event = 0;
    assert_eq!(cuEventCreate(&mut event, 0), 0);
    event
}

/// Copies to the device, on the legacy default stream.
pub fn upload(to: u64, words: &[u32]) -> i32 {
    // SAFETY: the slice is as long as the call is told, and has been read on return.
    unsafe { cuMemcpyHtoD_v2(to, words.as_ptr(), size_of_val(words)) }
}

/// Copies from the device, on the legacy default stream.
pub fn download(words: &mut [u32], from: u64) -> i32 {
    // SAFETY: the slice is as long as the call is told, and has been written on return.
    unsafe { cuMemcpyDtoH_v2(words.as_mut_ptr(), from, size_of_val(words)) }
}

/// One word of device memory, by way of a stream that nothing else orders with.
pub fn peek(address: u64) -> u32 {
    let (mut word, own) = (0, stream(1));
    // SAFETY: a word of pageable memory, which has been written on return.
    let copied = unsafe { cuMemcpyDtoHAsync_v2(&mut word, address, 4, own) };
    assert_eq!(copied, 0);
    assert_eq!(cuStreamDestroy_v2(own), 0);
    word
}

/// Pinned memory of the host, freed with its context.
pub fn pinned(words: usize) -> *mut u32 {
    let mut pointer = std::ptr::null_mut();
    assert_eq!(cuMemAllocHost_v2(&mut pointer, words * 4), 0);
    pointer
}

pub fn load(text: &std::ffi::CStr) -> usize {
    let mut module = 0;
    // SAFETY: a text that ends with NUL.
    let loaded = unsafe { cuModuleLoadData(&mut module, text.as_ptr()) };
    assert_eq!(loaded, 0);
    module
}

pub fn function(module: usize, name: &std::ffi::CStr) -> usize {
    let mut function = 0;
    // SAFETY: a text that ends with NUL.
    let found = unsafe { cuModuleGetFunction(&mut function, module, name.as_ptr()) };
    assert_eq!(found, 0);
    function
}

/// Launches a kernel whose parameters are 64-bit words.
pub fn launch(function: usize, grid: u32, block: u32, stream: usize, parameters: &[u64]) -> i32 {
    let pointers = parameters
        .iter()
        .map(|word| std::ptr::from_ref(word).cast_mut().cast());
    let mut pointers: Vec<*mut c_void> = pointers.collect();
    // SAFETY: as many pointers as the kernels of these tests have parameters, each to 64 bits,
    // which are read on return.
    unsafe {
        let (parameters, list) = (pointers.as_mut_ptr(), std::ptr::null_mut());
        cuLaunchKernel(
            function, grid, 1, 1, block, 1, 1, 0, stream, parameters, list,
        )
    }
}
