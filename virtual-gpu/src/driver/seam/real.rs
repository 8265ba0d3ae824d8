//! The real driver's library. It is opened at run time, so that a program can run on a machine without a driver.
//!
//! The first library that the loader finds under the driver's name may be this crate, or another copy of it. Such a library exports
//! [`MARK`] and is skipped. Then the directories where drivers are installed are searched for a real driver.

use crate::driver::seam::places;
use std::ffi::OsStr;
use std::marker::PhantomData;
use std::sync::OnceLock;

#[cfg(windows)]
const LIBRARY: &str = "nvcuda.dll";
#[cfg(not(windows))]
const LIBRARY: &str = "libcuda.so.1";

/// A symbol that every copy of this crate exports. No real driver exports it.
const MARK: &str = "virtual_gpu_mark\0";

/// This symbol distinguishes this crate from the real driver.
#[unsafe(no_mangle)]
extern "C" fn virtual_gpu_mark() {}

/// The real driver.
pub(crate) struct Real {
    library: libloading::Library,
}

/// Opens the real driver, or says why it cannot be opened.
pub(crate) fn open() -> Result<Real, String> {
    let first = open_library(LIBRARY.as_ref())?;
    if !first.is_virtual() {
        return Ok(first);
    }
    let mut elsewhere = places::directories().into_iter().filter_map(|directory| {
        let path = directory.join(LIBRARY);
        open_library(path.as_os_str()).ok()
    });
    let real = elsewhere.find(|library| !library.is_virtual());
    real.ok_or_else(|| format!("the only {LIBRARY} that is found is virtual-gpu itself"))
}

fn open_library(name: &OsStr) -> Result<Real, String> {
    // SAFETY: a library of this name is a CUDA driver or a copy of this crate. The initialisers of both may
    // run at any time and on any thread.
    match unsafe { libloading::Library::new(name) } {
        Ok(library) => Ok(Real { library }),
        Err(error) => Err(error.to_string()),
    }
}

impl Real {
    /// Whether the library is a copy of this crate, and not the real driver.
    fn is_virtual(&self) -> bool {
        // SAFETY: only copies of this crate export `MARK`, as a function of this type (above).
        unsafe { self.find::<extern "C" fn()>(MARK) }.is_some()
    }

    /// Whether the driver starts and has a device.
    pub(crate) fn has_device(&self) -> bool {
        type Init = unsafe extern "C" fn(u32) -> i32;
        type GetCount = unsafe extern "C" fn(*mut i32) -> i32;
        // SAFETY: these are the two functions' documented types.
        let functions = unsafe {
            (
                self.find::<Init>("cuInit\0"),
                self.find::<GetCount>("cuDeviceGetCount\0"),
            )
        };
        let (Some(init), Some(get_count)) = functions else {
            return false;
        };
        let mut count = 0;
        // SAFETY: `cuInit` takes no flags, and `count` is valid for the write.
        unsafe { init(0) == 0 && get_count(&mut count) == 0 && count > 0 }
    }

    /// The driver's function of that name, if the driver has this function. The name ends with NUL.
    ///
    /// # Safety
    ///
    /// - `F` is the type of a pointer to that function.
    unsafe fn find<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: `F` is the type of a pointer to that function: this function's condition.
        self.find_any(name)
            .map(|function| unsafe { typed(function) })
    }

    /// As [`Self::find`], for a function of any type.
    fn find_any(&self, name: &str) -> Option<AnyFunction> {
        // SAFETY: the symbol is a function, so its address is a pointer to a function. Before it is called, it gets its own type.
        let symbol = unsafe { self.library.get::<AnyFunction>(name.as_bytes()) };
        symbol.ok().map(|symbol| *symbol)
    }
}

/// A pointer to a function whose type is left out. Driver functions have hundreds of types. What does not depend on them is compiled once.
type AnyFunction = unsafe extern "C" fn();

/// The pointer with its type.
///
/// # Safety
///
/// - `F` is the type of a pointer to that function.
unsafe fn typed<F: Copy>(function: AnyFunction) -> F {
    const { assert!(size_of::<F>() == size_of::<AnyFunction>()) };
    // SAFETY: both types are pointers to functions, and `F` is the type of a pointer to this one: this function's condition.
    unsafe { std::mem::transmute_copy(&function) }
}

/// One function of the real driver, looked up at its first use.
pub(crate) struct Symbol<F> {
    name: &'static str,
    found: OnceLock<Option<AnyFunction>>,
    type_of_function: PhantomData<F>,
}

impl<F: Copy> Symbol<F> {
    /// # Safety
    ///
    /// - `F` is the type of a pointer to the driver's function of that name.
    pub(crate) const unsafe fn new(name: &'static str) -> Self {
        Self {
            name,
            found: OnceLock::new(),
            type_of_function: PhantomData,
        }
    }

    pub(crate) fn find(&self, real: &Real) -> Option<F> {
        let function = find_once(&self.found, real, self.name)?;
        // SAFETY: `F` is the type of a pointer to that function: the condition of `new`.
        Some(unsafe { typed(function) })
    }
}

/// What was found for a symbol. Looks it up at the first call.
fn find_once(
    found: &OnceLock<Option<AnyFunction>>,
    real: &Real,
    name: &str,
) -> Option<AnyFunction> {
    *found.get_or_init(|| real.find_any(name))
}
