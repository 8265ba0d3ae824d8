//! The driver's linker, which links kernels with a library of device code.
//!
//! `cust`'s linker accepts no libraries, and does not end the PTX with a NUL. So this module calls the driver itself. The results of these
//! calls have the type `i32`, since the driver may return any code.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr;

use warpfold::{DriverCode, Error};

mod raw {
    use super::{c_char, c_int, c_uint, c_void};

    // The calls as `cuda.h` declares them, except for the type of the result. The condition of each call: pointers are valid for the reads
    // and writes that the driver's documentation states.
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
    }
}

/// CUDA's numbers for the kinds of a linker's input.
const PTX: c_int = 1;
const LIBRARY: c_int = 4;

/// A linker, and its log of errors.
struct Linker {
    handle: *mut c_void,
    log: Box<[u8; 4096]>,
}

impl Linker {
    fn new() -> Result<Self, Error> {
        const ERROR_LOG: c_int = 5;
        const ERROR_LOG_BYTES: c_int = 6;
        let mut log = Box::new([0; 4096]);
        let values = [
            log.as_mut_ptr().cast(),
            ptr::without_provenance_mut(log.len()),
        ];
        let mut handle = ptr::null_mut();
        // SAFETY: there are two options and two values: the address of the log, and the length of the log. The log is boxed and lives as
        // long as the linker. `handle` is a live local.
        let code = unsafe {
            raw::cuLinkCreate_v2(
                2,
                [ERROR_LOG, ERROR_LOG_BYTES].as_ptr(),
                values.as_ptr(),
                &mut handle,
            )
        };
        check(code).map_err(|code| Error::Driver {
            call: "cuLinkCreate_v2",
            code,
        })?;
        Ok(Self { handle, log })
    }

    fn add(&self, kind: c_int, data: &[u8], name: &CStr) -> Result<(), DriverCode> {
        // SAFETY: the linker exists, `data` is readable for its length, the name ends with a NUL, and there are no options.
        check(unsafe {
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

    fn complete(&self) -> Result<Vec<u8>, DriverCode> {
        let (mut image, mut bytes) = (ptr::null_mut(), 0);
        // SAFETY: the linker exists, and the other pointers are to live locals.
        check(unsafe { raw::cuLinkComplete(self.handle, &mut image, &mut bytes) })?;
        // SAFETY: the driver has set the image's address and length. The image lives as long as the linker, and is copied here.
        Ok(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), bytes) }.to_vec())
    }

    /// The linker's log, up to the first NUL.
    fn log(&self) -> String {
        let text = self.log.split(|&byte| byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).trim().to_owned()
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: the handle belongs to this linker, and is not used again.
        let _ = unsafe { raw::cuLinkDestroy(self.handle) };
    }
}

fn check(code: i32) -> Result<(), DriverCode> {
    match code {
        0 => Ok(()),
        code => Err(DriverCode(code)),
    }
}

/// Compiles PTX for the current context's device, and links it with a library. If compiling or linking fails, the error has the linker's
/// log.
pub fn link(symbol: &'static str, ptx: &str, library: &[u8]) -> Result<Vec<u8>, Error> {
    let rejected = |code, log| Error::KernelRejected { symbol, code, log };
    let Ok(ptx) = CString::new(ptx) else {
        return Err(Error::KernelMissing { symbol });
    };
    let linker = Linker::new()?;
    linker
        .add(PTX, ptx.as_bytes_with_nul(), c"kernel")
        .and_then(|()| linker.add(LIBRARY, library, c"library"))
        .and_then(|()| linker.complete())
        .map_err(|code| rejected(code, linker.log()))
}
