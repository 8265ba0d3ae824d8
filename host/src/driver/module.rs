//! Loaded modules, and their kernels.

use std::ffi::{CStr, c_int, c_void};
use std::ptr;

use super::{Failure, Function, Result, check, raw, text};

/// A loaded module. A drop unloads it with its kernels.
#[derive(Debug)]
pub(crate) struct Module(*mut c_void);

// SAFETY: a handle names an object that the driver keeps and locks; any thread may use the handle.
unsafe impl Send for Module {}
// SAFETY: the driver locks the object that the handle names, so threads may use it at the same time.
unsafe impl Sync for Module {}

/// Compiles and loads PTX. A failure includes the log of the driver's compiler.
pub(crate) fn load_module(ptx: &CStr) -> Result<Module, (Failure, String)> {
    const ERROR_LOG: c_int = 5;
    const ERROR_LOG_BYTES: c_int = 6;
    let mut log = [0u8; 4096];
    let mut module = ptr::null_mut();
    let values = [
        log.as_mut_ptr().cast(),
        ptr::without_provenance_mut(log.len()),
    ];
    // SAFETY: the PTX ends in NUL. The two options are the log's address and its length. The log is a live local.
    let raw = unsafe {
        raw::cuModuleLoadDataEx(
            &mut module,
            ptx.as_ptr().cast(),
            2,
            [ERROR_LOG, ERROR_LOG_BYTES].as_ptr(),
            values.as_ptr(),
        )
    };
    check("cuModuleLoadDataEx", raw)
        .map(|()| Module(module))
        .map_err(|failure| (failure, text(&log)))
}

impl Module {
    /// Converts the module into the type of `cust`, which unloads the module when dropped.
    #[cfg(feature = "cust")]
    pub fn into_cust(self) -> cust::module::Module {
        const _: () = assert!(size_of::<cust::module::Module>() == size_of::<*mut c_void>());
        let module = std::mem::ManuallyDrop::new(self);
        // SAFETY: `cust`'s type has one field, the driver's handle. The assertion says that the type has the size of a handle, so the type
        // and a handle have the same layout. The driver loaded the module, and nobody else unloads it, since `self` is not dropped.
        unsafe { std::mem::transmute::<*mut c_void, cust::module::Module>(module.0) }
    }

    pub fn function(&self, name: &CStr) -> Result<Function> {
        let mut function = ptr::null_mut();
        // SAFETY: the name ends in NUL, and the pointer is to a live local.
        check("cuModuleGetFunction", unsafe {
            raw::cuModuleGetFunction(&mut function, self.0, name.as_ptr())
        })?;
        Ok(Function(function))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: no pointers except the handle, which is not used again. A failure means that earlier work failed, or that the context and
        // its modules were destroyed.
        let _ = unsafe { raw::cuModuleUnload(self.0) };
    }
}

impl Function {
    /// Allows launches with up to `bytes` bytes of dynamic shared memory.
    pub fn allow_shared_bytes(self, bytes: u32) -> Result<()> {
        const MAX_DYNAMIC_SHARED_SIZE_BYTES: c_int = 8;
        // SAFETY: no pointers but the handle.
        check("cuFuncSetAttribute", unsafe {
            raw::cuFuncSetAttribute(self.0, MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes as c_int)
        })
    }

    /// The number of blocks of the kernel that one multiprocessor can run at the same time.
    pub fn blocks_per_multiprocessor(self, block_threads: u32, shared_bytes: u32) -> Result<u32> {
        let mut blocks = 0;
        // SAFETY: the pointer is to a live local.
        check("cuOccupancyMaxActiveBlocksPerMultiprocessor", unsafe {
            raw::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                self.0,
                block_threads as c_int,
                shared_bytes as usize,
            )
        })?;
        Ok(blocks.max(0) as u32)
    }
}
