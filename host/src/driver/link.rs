//! The driver's linker, which makes kernels whole that call what a library of device code has; and the limit of launches
//! that such kernels may make.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr;

use super::{Failure, Module, Result, check, text};

mod raw {
    use super::{c_char, c_int, c_uint, c_void};

    // As in the module of this name one level up.
    unsafe extern "C" {
        pub fn cuLinkCreate_v2(
            option_count: c_uint,
            options: *const c_int,
            values: *const *mut c_void,
            linker: *mut *mut c_void,
        ) -> i32;
        pub fn cuLinkAddData_v2(
            linker: *mut c_void,
            kind: c_int,
            data: *const c_void,
            bytes: usize,
            name: *const c_char,
            option_count: c_uint,
            options: *const c_int,
            values: *const *mut c_void,
        ) -> i32;
        pub fn cuLinkComplete(
            linker: *mut c_void,
            image: *mut *mut c_void,
            bytes: *mut usize,
        ) -> i32;
        pub fn cuLinkDestroy(linker: *mut c_void) -> i32;
        pub fn cuCtxGetLimit(value: *mut usize, limit: c_int) -> i32;
        pub fn cuCtxSetLimit(limit: c_int, value: usize) -> i32;
    }
}

/// CUDA's numbers for kinds of input.
const PTX: c_int = 1;
const LIBRARY: c_int = 4;

/// A linker, with where it writes what is wrong.
struct Linker {
    handle: *mut c_void,
    log: Box<[u8; 4096]>,
}

impl Linker {
    fn new() -> Result<Self> {
        const ERROR_LOG: c_int = 5;
        const ERROR_LOG_BYTES: c_int = 6;
        let mut log = Box::new([0; 4096]);
        let values = [
            log.as_mut_ptr().cast(),
            ptr::without_provenance_mut(log.len()),
        ];
        let mut handle = ptr::null_mut();
        // SAFETY: two options, with the log's address, where it stays while the linker lives, and its length; and a
        // pointer to a live local.
        check("cuLinkCreate_v2", unsafe {
            raw::cuLinkCreate_v2(
                2,
                [ERROR_LOG, ERROR_LOG_BYTES].as_ptr(),
                values.as_ptr(),
                &mut handle,
            )
        })?;
        Ok(Self { handle, log })
    }

    fn add(&self, kind: c_int, data: &[u8], name: &CStr) -> Result<()> {
        // SAFETY: the linker lives, `data` is readable over its length, the name ends in NUL, and there are no options.
        check("cuLinkAddData_v2", unsafe {
            raw::cuLinkAddData_v2(
                self.handle,
                kind,
                data.as_ptr().cast(),
                data.len(),
                name.as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        })
    }

    fn load(&self) -> Result<Module> {
        let (mut image, mut bytes) = (ptr::null_mut(), 0);
        let mut module = ptr::null_mut();
        // SAFETY: the linker lives, and with it the image; the other pointers are to live locals; there are no options.
        unsafe {
            check(
                "cuLinkComplete",
                raw::cuLinkComplete(self.handle, &mut image, &mut bytes),
            )?;
            check(
                "cuModuleLoadDataEx",
                super::raw::cuModuleLoadDataEx(&mut module, image, 0, ptr::null(), ptr::null()),
            )?;
        }
        Ok(Module(module))
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: the handle is this linker's own, and is not used again.
        let _ = unsafe { raw::cuLinkDestroy(self.handle) };
    }
}

/// Compiles PTX, links it with a library, and loads it. On failure, also what the driver's linker said.
pub(crate) fn load_module_with(ptx: &CStr, library: &[u8]) -> Result<Module, (Failure, String)> {
    let linker = Linker::new().map_err(|failure| (failure, String::new()))?;
    linker
        .add(PTX, ptx.to_bytes_with_nul(), c"kernel")
        .and_then(|()| linker.add(LIBRARY, library, c"library"))
        .and_then(|()| linker.load())
        .map_err(|failure| (failure, text(&*linker.log)))
}

/// Lets kernels of the current context have `count` launched grids that have not begun. What is allowed
/// already stays.
pub(crate) fn allow_pending_launches(count: usize) -> Result<()> {
    const PENDING_LAUNCHES: c_int = 4;
    let mut allowed = 0;
    // SAFETY: the pointer is to a live local.
    check("cuCtxGetLimit", unsafe {
        raw::cuCtxGetLimit(&mut allowed, PENDING_LAUNCHES)
    })?;
    if count <= allowed {
        return Ok(());
    }
    // SAFETY: no pointers.
    check("cuCtxSetLimit", unsafe {
        raw::cuCtxSetLimit(PENDING_LAUNCHES, count)
    })
}
