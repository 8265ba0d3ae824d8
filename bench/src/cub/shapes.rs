//! CUB's calls for the shapes: one library, compiled from `cub/shapes.cu`.

use std::ffi::{c_int, c_void};
use std::path::Path;

use anyhow::{Result, bail};
use warpfold::cust::memory::DeviceBuffer;
use warpfold::cust::stream::Stream;

use super::compile::{Library, compile};
use super::version_text;
use crate::timing::Call;

/// The arguments of a call, as the source declares them: device addresses and numbers. Each shape uses some of them.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Arguments {
    pub input: u64,
    pub second: u64,
    pub offsets: u64,
    pub flags: u64,
    pub keys: u64,
    pub output: u64,
    pub keys_out: u64,
    pub index: u64,
    pub item_count: i64,
    pub segment_count: i64,
    pub segment_items: i64,
}

/// A function of the library. Its parameters are the temporary storage and its size, the arguments, and the stream.
type Function =
    unsafe extern "C" fn(*mut c_void, *mut usize, *const Arguments, *mut c_void) -> c_int;

/// The loaded library.
pub struct Shapes {
    library: libloading::Library,
}

impl Shapes {
    /// Compiles the library, unless it is already in `folder`, and loads it. The library is never unloaded. Unloading is not needed: the
    /// CUDA runtime in it cleans up by itself when the process ends.
    pub fn build(capability: (u32, u32), folder: &Path) -> Result<&'static Self> {
        let libraries = [Library::of_shapes()];
        compile(&libraries, capability, folder, &[])?;
        let path = libraries[0].path(folder, capability);
        // SAFETY: the library was compiled from our source; loading it runs the CUDA runtime's initialisers only.
        let library = unsafe { libloading::Library::new(path) }?;
        Ok(Box::leak(Box::new(Self { library })))
    }

    /// The version of CUB that was compiled.
    pub fn version(&self) -> Result<String> {
        // SAFETY: the source declares a function of this name and type, and the function only returns a constant.
        let version = unsafe {
            self.library
                .get::<extern "C" fn() -> c_int>(b"cub_version")?()
        };
        Ok(version_text(version))
    }

    /// CUB's call for a shape, with temporary storage. `None` if this version of CUB has no such call.
    ///
    /// # Safety
    /// Until the stream's work is done, the addresses that the shape uses are those of live device memory. The memory holds all values that
    /// the source reads for the shape, and has room for the shape's results.
    pub unsafe fn call<'a>(
        &self,
        name: &str,
        stream: &'a Stream,
        arguments: Arguments,
    ) -> Result<Option<Call<'a>>> {
        // SAFETY: every function of the source whose name begins with `shape_` has this type.
        let Ok(function) = (unsafe {
            self.library
                .get::<Function>(format!("shape_{name}").as_bytes())
        }) else {
            return Ok(None);
        };
        let function = *function;
        let mut bytes = 0;
        // SAFETY: without storage the call only writes to the size, a live local.
        status(unsafe {
            function(
                std::ptr::null_mut(),
                &mut bytes,
                &arguments,
                stream.as_inner().cast(),
            )
        })?;
        // SAFETY: CUB writes each part of the storage before it reads that part.
        let temporary = unsafe { DeviceBuffer::<u8>::uninitialized(bytes.max(1)) }?;
        Ok(Some(Box::new(move || {
            let address = temporary.as_device_ptr().as_raw() as *mut c_void;
            // SAFETY: the shape's addresses are those of live device memory, which holds the values that are read and has room for the
            // results (this function's condition). The storage has the size that CUB requested. This closure owns the storage, and freeing
            // the storage waits for the work.
            status(unsafe {
                function(
                    address,
                    &mut temporary.len(),
                    &arguments,
                    stream.as_inner().cast(),
                )
            })
        })))
    }
}

fn status(code: c_int) -> Result<()> {
    match code {
        0 => Ok(()),
        code => bail!("CUB: CUDA error {code}"),
    }
}
