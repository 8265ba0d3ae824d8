//! The driver's library, opened at its first use.

use std::fmt;
use std::sync::OnceLock;

use libloading::Library;

use super::Functions;

/// The library's name.
const NAME: &str = if cfg!(windows) {
    "nvcuda.dll"
} else {
    "libcuda.so.1"
};

/// The driver's library. Once all functions are found, the library is never closed.
pub(super) struct Driver(Library);

/// Why the driver's functions cannot be called.
#[derive(Debug)]
pub(in crate::driver) enum Missing {
    /// The library cannot be opened.
    Library(libloading::Error),
    /// The library has no function of this name.
    Function(&'static str),
}

impl Missing {
    /// The driver code with the same meaning.
    pub fn code(&self) -> i32 {
        const SHARED_OBJECT_SYMBOL_NOT_FOUND: i32 = 302;
        const SHARED_OBJECT_INIT_FAILED: i32 = 303;
        match self {
            Missing::Library(_) => SHARED_OBJECT_INIT_FAILED,
            Missing::Function(_) => SHARED_OBJECT_SYMBOL_NOT_FOUND,
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Library(error) => write!(f, "{NAME} cannot be opened: {error}"),
            Missing::Function(name) => {
                write!(f, "{NAME} has no function {name}: a newer driver is needed")
            }
        }
    }
}

impl Driver {
    fn open() -> Result<Self, Missing> {
        // SAFETY: loading runs only the driver's own initialisation, which has no conditions.
        unsafe { Library::new(NAME) }
            .map(Self)
            .map_err(Missing::Library)
    }

    /// # Safety
    ///
    /// `F` is the type of a pointer to the driver's function of this name.
    pub unsafe fn function<F: Copy>(&self, name: &'static str) -> Result<F, Missing> {
        // SAFETY: `F` is the type of the function's pointer: this function's condition.
        unsafe { self.0.get::<F>(name.as_bytes()) }
            .map(|function| *function)
            .map_err(|_| Missing::Function(name))
    }
}

/// The driver's functions that [`raw`](super) declares. If the driver's library or a function is missing, the next call of `functions`
/// looks for them again.
pub(in crate::driver) fn functions() -> Result<&'static Functions, Missing> {
    static FOUND: OnceLock<(Functions, Driver)> = OnceLock::new();
    if let Some((functions, _)) = FOUND.get() {
        return Ok(functions);
    }
    let driver = Driver::open()?;
    let functions = Functions::of(&driver)?;
    let (functions, _) = FOUND.get_or_init(|| (functions, driver));
    Ok(functions)
}
