//! Kernels of a program's own: [`kernels!`](crate::kernels!) and what it declares.

use std::ffi::CString;

use cust::module::Module;

use crate::driver;
use crate::error::{DriverCode, Error, Result};
use crate::gpu::Gpu;
use crate::ptx::Texts;

/// A kernel of a program's own, which [`kernels!`](crate::kernels!) declares.
#[derive(Debug)]
pub struct OwnKernel {
    symbol: &'static str,
    texts: &'static Texts,
}

impl OwnKernel {
    /// What [`kernels!`](crate::kernels!) writes.
    #[doc(hidden)]
    pub const fn new(symbol: &'static str, texts: &'static Texts) -> Self {
        Self { symbol, texts }
    }

    /// Its name in the module that [`Self::load`] gives, and in profilers: `kernel_` and the function's name.
    pub fn name(&self) -> &'static str {
        self.symbol
    }

    /// Its PTX for a device of this compute capability, major and minor; `None` for one that is older than 7.0.
    pub fn ptx(&self, capability: (u32, u32)) -> Option<String> {
        let mut candidates = self.texts.candidates(self.symbol, capability);
        Some(candidates.next()?.text)
    }

    /// Loads it as a module of its own into the GPU's context, which becomes the current one. An older driver, which does not
    /// know the best text's version of PTX, is given the next.
    ///
    /// The driver compiles it, which takes milliseconds: keep the module.
    ///
    /// # Errors
    ///
    /// [`Error::KernelRejected`], [`Error::KernelMissing`], and what [`Gpu::make_current`] may give.
    pub fn load(&self, gpu: &Gpu) -> Result<Module> {
        gpu.make_current()?;
        let mut refused = None;
        for candidate in self.texts.candidates(self.symbol, gpu.compute_capability()) {
            let Ok(text) = CString::new(candidate.text) else {
                break;
            };
            let error = match Module::from_ptx_cstr(&text, &[]) {
                Ok(module) => return Ok(module),
                Err(error) => error,
            };
            // `cust` knows neither all codes nor the log.
            let (code, log) = match driver::load_module(&text) {
                Err((failure, log)) => (failure.code, log),
                Ok(module) => {
                    module.unload()?;
                    (DriverCode(error as i32), String::new())
                }
            };
            let symbol = self.symbol;
            refused.get_or_insert(Error::KernelRejected { symbol, code, log });
            if code != DriverCode::UNSUPPORTED_PTX_VERSION {
                break;
            }
        }
        let symbol = self.symbol;
        Err(refused.unwrap_or(Error::KernelMissing { symbol }))
    }
}

/// Declares kernels of a program's own, made of the building blocks in `warpfold_kernels::device`.
///
/// The file is compiled twice: as a module of the
/// program, where each kernel becomes a static [`OwnKernel`] of the function's name, and for the device by the build script,
/// which is one line of `warpfold-build`. There, the name `warpfold` means
/// the crate `warpfold-kernels`, and bodies begin with what they `use`.
///
/// ```text
/// // build.rs
/// fn main() {
///     warpfold_build::kernels("src/kernels.rs");
/// }
///
/// // src/kernels.rs
/// warpfold::kernels! {
///     /// The sum of each row of a matrix.
///     pub fn row_sums(items: *const f32, columns: u32, sums: *mut f32) {
///         use warpfold::device::{block, thread};
///         /* … */
///     }
/// }
///
/// // src/main.rs
/// let module = kernels::row_sums.load(&gpu)?;
/// let function = module.get_function(kernels::row_sums.name())?;
/// unsafe { launch!(function<<<rows, 256, shared_bytes, stream>>>(items, columns, sums)) }?;
/// ```
///
/// Parameters are pointers to device memory, and numbers of 4 or 8 bytes. A kernel is compiled for blocks of at most 256 threads.
/// What it does with its pointers is unsafe code of yours; what may not be in it is what may not be in an operator.
#[macro_export]
macro_rules! kernels {
    ($($(#[$attribute:meta])* $visibility:vis fn $name:ident(
        $($parameter:ident: $type:ty),* $(,)?
    ) $body:block)*) => {
        static WARPFOLD_TEXTS: $crate::texts::Texts = $crate::built_texts!("kernels");
        $(
            $(#[$attribute])*
            #[allow(non_upper_case_globals)]
            $visibility static $name: $crate::OwnKernel =
                $crate::OwnKernel::new(concat!("kernel_", stringify!($name)), &WARPFOLD_TEXTS);
        )*
    };
}
