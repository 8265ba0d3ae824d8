//! CUB's device-wide calls, in libraries that this process loads.
//!
//! There is a library for each element type, and one for [`shapes`]. If this machine has an nvcc, it can compile a library. Otherwise
//! another machine must have compiled the library beforehand. The sources (`bench/cub`) are part of this executable. The libraries use the
//! CUDA runtime. The runtime and warpfold both work in the device's primary context, so they share streams and buffers.

mod compile;
pub mod shapes;

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use warpfold::cust::memory::{DeviceBuffer, DeviceCopy, DeviceSlice};
use warpfold::cust::stream::Stream;

use crate::cli::CubLibraries;
use crate::data::{Type, types_named};
use crate::record::Case;
use compile::compile;

/// Compiles the libraries for another machine. This machine needs no GPU.
pub fn prepare(options: &CubLibraries) -> Result<ExitCode> {
    let mut libraries = libraries_of(&types_named(&options.types));
    libraries.push(compile::Library::of_shapes());
    let headers = options
        .cccl
        .as_deref()
        .map_or(Ok(Vec::new()), compile::headers_of)?;
    compile(&libraries, options.arch.0, &options.out, &headers)?;
    for library in libraries {
        println!("{}", library.path(&options.out, options.arch.0).display());
    }
    Ok(ExitCode::SUCCESS)
}

fn libraries_of(types: &[&Type]) -> Vec<compile::Library> {
    let types = types.iter();
    types.map(|each| compile::Library::of_type(each)).collect()
}

/// The loaded libraries, by the name of their element type.
pub struct Cub {
    libraries: BTreeMap<&'static str, Library>,
}

impl Cub {
    /// No libraries.
    pub fn none() -> Self {
        Self {
            libraries: BTreeMap::new(),
        }
    }

    /// Loads the libraries for the types from `folder`. First compiles the libraries that are not there yet.
    pub fn build(types: &[&'static Type], capability: (u32, u32), folder: &Path) -> Result<Self> {
        let libraries = libraries_of(types);
        compile(&libraries, capability, folder, &[])?;
        let load = |library: &compile::Library| {
            let path = library.path(folder, capability);
            let loaded = Library::load(&path).with_context(|| path.display().to_string())?;
            Ok((library.name, loaded))
        };
        let libraries = libraries.iter().map(load).collect::<Result<_>>()?;
        Ok(Self { libraries })
    }

    /// The library for the element type of this name.
    pub fn library(&self, item_type: &str) -> Option<&Library> {
        self.libraries.get(item_type)
    }

    /// The version of CUB in the libraries; `None` without libraries.
    pub fn version(&self) -> Option<String> {
        Some(version_text(self.libraries.values().next()?.version))
    }
}

/// A version number of CUB in the usual form.
fn version_text(version: i32) -> String {
    let (major, minor, patch) = (version / 100_000, version / 100 % 1000, version % 100);
    format!("{major}.{minor}.{patch}")
}

/// A function of `cub_bench.cu`. Its parameters are the temporary storage and its size, the input, the output, the number of items, and the
/// stream.
type Function = unsafe extern "C" fn(
    *mut c_void,
    *mut usize,
    *const c_void,
    *mut c_void,
    u64,
    *mut c_void,
) -> c_int;

/// The library for one element type.
pub struct Library {
    routines: BTreeMap<Case, Function>,
    version: i32,
    /// Never unloaded. Unloading is not needed: the CUDA runtime in the library cleans up by itself when the process ends.
    _library: ManuallyDrop<libloading::Library>,
}

impl Library {
    fn load(path: &Path) -> Result<Self> {
        // SAFETY: the library was compiled from our source; loading it runs the CUDA runtime's initialisers only.
        let library = unsafe { libloading::Library::new(path) }?;
        let mut routines = BTreeMap::new();
        for case in Case::ALL.into_iter().filter(|&case| case != Case::Copy) {
            let symbol = format!("cub_{}", case.name());
            // SAFETY: the source declares a function of this type for each of these cases.
            let function = unsafe { library.get::<Function>(symbol.as_bytes()) }?;
            routines.insert(case, *function);
        }
        // SAFETY: the source declares a function of this name and type, and the function only returns a constant.
        let version = unsafe { library.get::<extern "C" fn() -> c_int>(b"cub_version")?() };
        Ok(Self {
            routines,
            version,
            _library: ManuallyDrop::new(library),
        })
    }

    /// CUB's call for a case; `None` for a copy.
    pub fn routine(&self, case: Case) -> Option<Routine<'_>> {
        let function = self.routines.get(&case)?;
        Some(Routine { function })
    }
}

/// A device-wide call of a loaded library.
#[derive(Clone, Copy)]
pub struct Routine<'a> {
    function: &'a Function,
}

impl Routine<'_> {
    /// Bytes of temporary storage that the call needs.
    pub fn temporary_bytes<T: DeviceCopy, U: DeviceCopy>(
        self,
        stream: &Stream,
        input: &DeviceSlice<T>,
        output: &DeviceSlice<U>,
    ) -> Result<usize> {
        let mut bytes = 0;
        // SAFETY: with null as storage, the call only writes the size to `bytes`, a live local.
        unsafe { self.call(stream, std::ptr::null_mut(), &mut bytes, input, output) }?;
        Ok(bytes.max(1))
    }

    /// Queues the call.
    ///
    /// # Safety
    ///
    /// - `T` is the library's type, and `U` the type of the case's result. `output` has at least one item for a reduction, and at least the
    ///   number of items of `input` for a scan.
    /// - All slices live until the stream's work is done.
    pub unsafe fn queue<T: DeviceCopy, U: DeviceCopy>(
        self,
        stream: &Stream,
        temporary: &DeviceBuffer<u8>,
        input: &DeviceSlice<T>,
        output: &DeviceSlice<U>,
    ) -> Result<()> {
        let address = temporary.as_device_ptr().as_raw() as *mut c_void;
        // SAFETY: this function's conditions hold, and `temporary` has `temporary.len()` bytes.
        unsafe { self.call(stream, address, &mut temporary.len(), input, output) }
    }

    /// # Safety
    ///
    /// Either `temporary` is null, or it has `bytes` bytes and the conditions of [`Self::queue`] hold.
    unsafe fn call<T: DeviceCopy, U: DeviceCopy>(
        self,
        stream: &Stream,
        temporary: *mut c_void,
        bytes: &mut usize,
        input: &DeviceSlice<T>,
        output: &DeviceSlice<U>,
    ) -> Result<()> {
        // SAFETY: the library's source declares the function with the type `Function`. With null as storage, it only writes to `bytes`.
        // Otherwise input, output and storage are live device memory, of the types and sizes that the call needs, until the work is done
        // (this function's conditions). The stream is borrowed.
        let status = unsafe {
            (self.function)(
                temporary,
                bytes,
                input.as_device_ptr().as_raw() as *const c_void,
                output.as_device_ptr().as_raw() as *mut c_void,
                input.len() as u64,
                stream.as_inner().cast(),
            )
        };
        match status {
            0 => Ok(()),
            code => bail!("CUB: CUDA error {code}"),
        }
    }
}
