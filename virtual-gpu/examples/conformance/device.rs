//! Runs kernels on the device behind the driver API: a real GPU or the virtual GPU.
//!
//! After a kernel stops with an error, the context is unusable: later calls that need it report an error too.

use crate::suite::case::{Case, FILL, Failure, Machine, Outcome, module_text};
use std::ffi::{CString, c_void};
use std::time::{Duration, Instant};

unsafe extern "C" {
    safe fn cuInit(flags: u32) -> i32;
    safe fn cuDeviceGet(device: &mut i32, ordinal: i32) -> i32;
    safe fn cuDevicePrimaryCtxRetain(context: &mut usize, device: i32) -> i32;
    safe fn cuCtxSetCurrent(context: usize) -> i32;
    safe fn cuStreamQuery(stream: usize) -> i32;
    safe fn cuMemAlloc_v2(address: &mut u64, bytes: usize) -> i32;
    safe fn cuMemFree_v2(address: u64) -> i32;
    safe fn cuMemsetD8_v2(address: u64, value: u8, count: usize) -> i32;
    safe fn cuModuleUnload(module: usize) -> i32;
    fn cuMemcpyHtoD_v2(to: u64, from: *const u8, bytes: usize) -> i32;
    fn cuMemcpyDtoH_v2(to: *mut u8, from: u64, bytes: usize) -> i32;
    fn cuModuleLoadDataEx(
        module: &mut usize,
        image: *const u8,
        count: u32,
        options: *const i32,
        values: *mut *mut c_void,
    ) -> i32;
    fn cuModuleGetFunction(function: &mut usize, module: usize, name: *const i8) -> i32;
    fn cuLaunchKernel(
        function: usize,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_bytes: u32,
        stream: usize,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> i32;
}

/// `CU_JIT_ERROR_LOG_BUFFER`, `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES` and `CU_JIT_OPTIMIZATION_LEVEL`.
const COMPILER_OPTIONS: [i32; 3] = [5, 6, 7];
const LOG_BYTES: usize = 8192;

/// `CUDA_ERROR_NOT_READY`.
const NOT_READY: i32 = 600;
/// After this time a kernel counts as hung. Kernels usually take a few microseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// The first device.
#[derive(Debug)]
pub struct Device {
    /// The optimisation level of the driver's compiler.
    optimise: usize,
}

fn check(call: &str, code: i32) -> Result<(), String> {
    match code {
        0 => Ok(()),
        code => Err(format!("{call}: error {code}")),
    }
}

/// Waits for the work that is queued on the device.
fn wait() -> Result<(), String> {
    let start = Instant::now();
    loop {
        match cuStreamQuery(0) {
            NOT_READY if start.elapsed() > PATIENCE => {
                return Err(format!("it does not end within {PATIENCE:?}"));
            }
            NOT_READY => std::hint::spin_loop(),
            code => return check("cuStreamQuery", code),
        }
    }
}

impl Device {
    /// Makes the primary context of device 0 current on this thread.
    pub fn start(optimise: u64) -> Result<Self, String> {
        let (mut device, mut context) = (0, 0);
        check("cuInit", cuInit(0))?;
        check("cuDeviceGet", cuDeviceGet(&mut device, 0))?;
        let code = cuDevicePrimaryCtxRetain(&mut context, device);
        check("cuDevicePrimaryCtxRetain", code)?;
        check("cuCtxSetCurrent", cuCtxSetCurrent(context))?;
        Ok(Self {
            optimise: optimise as usize,
        })
    }

    fn load_module(&self, text: &str) -> Result<usize, String> {
        let image = CString::new(text).map_err(|error| error.to_string())?;
        let mut log = vec![0_u8; LOG_BYTES];
        let mut values = [
            log.as_mut_ptr().cast(),
            LOG_BYTES as *mut c_void,
            self.optimise as *mut c_void,
        ];
        let mut module = 0;
        // SAFETY: the image ends with a NUL. There are three options with three values. The log has the
        // size that its option says, and outlives the call.
        let code = unsafe {
            cuModuleLoadDataEx(
                &mut module,
                image.as_ptr().cast(),
                COMPILER_OPTIONS.len() as u32,
                COMPILER_OPTIONS.as_ptr(),
                values.as_mut_ptr(),
            )
        };
        let written = log.split(|&byte| byte == 0).next().unwrap_or_default();
        check("cuModuleLoadDataEx", code)
            .map(|()| module)
            .map_err(|error| format!("{error}\n{}", String::from_utf8_lossy(written)))
    }

    fn run_one(module: usize, case: &Case) -> Result<Vec<u8>, String> {
        let name = CString::new(case.entry.as_str()).map_err(|error| error.to_string())?;
        let mut function = 0;
        // SAFETY: the name ends with a NUL.
        let code = unsafe { cuModuleGetFunction(&mut function, module, name.as_ptr().cast()) };
        check("cuModuleGetFunction", code)?;
        let input = Buffer::new(case.input.len())?;
        let output = Buffer::new(case.output_bytes)?;
        // SAFETY: the call reads `case.input.len()` bytes, the length of the slice.
        let code = unsafe { cuMemcpyHtoD_v2(input.0, case.input.as_ptr(), case.input.len()) };
        check("cuMemcpyHtoD", code)?;
        let code = cuMemsetD8_v2(output.0, FILL, case.output_bytes);
        check("cuMemsetD8", code)?;
        let (mut from, mut to) = (input.0, output.0);
        let mut params = [(&raw mut from).cast(), (&raw mut to).cast()];
        let (blocks, threads) = (case.blocks, case.threads);
        // SAFETY: the kernel takes two parameters of 64 bits, and the list has pointers to two such values.
        let code = unsafe {
            cuLaunchKernel(
                function,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                0,
                0,
                params.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        check("cuLaunchKernel", code)?;
        wait()?;
        let mut bytes = vec![0; case.output_bytes];
        // SAFETY: the call writes `bytes.len()` bytes, the length of the slice.
        let code = unsafe { cuMemcpyDtoH_v2(bytes.as_mut_ptr(), output.0, bytes.len()) };
        check("cuMemcpyDtoH", code)?;
        Ok(bytes)
    }
}

impl Machine for Device {
    fn run(&mut self, cases: &[Case]) -> Vec<Outcome> {
        if let Err(error) = wait() {
            let lost = Failure::Run(format!("the device was lost before: {error}"));
            return vec![Err(lost); cases.len()];
        }
        let module = match self.load_module(&module_text(cases)) {
            Ok(module) => module,
            Err(error) if cases.len() == 1 => return vec![Err(Failure::Load(error))],
            // At least one case does not load. So each case is loaded and run as a separate module.
            Err(_) => return cases.chunks(1).flat_map(|case| self.run(case)).collect(),
        };
        let run = |case| Self::run_one(module, case).map_err(Failure::Run);
        let outputs = cases.iter().map(run).collect();
        // Unloading fails only if a kernel has failed before. The failure of the kernel is in `outputs`.
        cuModuleUnload(module);
        outputs
    }

    fn load(&mut self, text: &str) -> Result<(), String> {
        let module = self.load_module(text)?;
        check("cuModuleUnload", cuModuleUnload(module))
    }
}

/// An allocation of device memory.
struct Buffer(u64);

impl Buffer {
    fn new(bytes: usize) -> Result<Self, String> {
        let mut address = 0;
        check("cuMemAlloc", cuMemAlloc_v2(&mut address, bytes))?;
        Ok(Self(address))
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        cuMemFree_v2(self.0);
    }
}
