//! A program's own kernels: [`kernels!`](crate::kernels!) and the type of the statics that it declares. Also here are `Gpu::load_ptx`,
//! which loads PTX from other sources, and `Gpu::check_buffer`, which checks a buffer as the library's own calls do.

#[cfg(feature = "cust")]
use std::ffi::CString;

#[cfg(feature = "cust")]
use cust::module::Module;

use crate::binding::{DeviceItems, Lend, LentSpan, User};
#[cfg(feature = "cust")]
use crate::driver;
use crate::error::{Argument, Result};
#[cfg(feature = "cust")]
use crate::error::{DriverCode, Error};
use crate::gpu::Gpu;
use crate::ptx::Texts;

/// A program's own kernel, declared by [`kernels!`](crate::kernels!).
///
/// ```
/// # #[cfg(feature = "cust")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use warpfold::cust::{launch, memory::DeviceBuffer, stream::Stream};
/// use warpfold::{Gpu, OwnKernel};
///
/// /// Launches a kernel `fn(items: *mut f32, count: u64)` that `kernels!` declares.
/// fn launch(kernel: &OwnKernel, gpu: &Gpu, items: &DeviceBuffer<f32>, stream: &Stream) -> Result<(), Box<dyn std::error::Error>> {
///     let module = kernel.load(gpu)?;
///     let function = module.get_function(kernel.name())?;
///     // SAFETY: these are the kernel's parameters, and the items outlive the launch.
///     unsafe { launch!(function<<<1, 256, 0, stream>>>(items.as_device_ptr(), items.len() as u64))? };
///     Ok(stream.synchronize()?)
/// }
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "cust"))]
/// # fn main() {}
/// ```
#[derive(Debug)]
pub struct OwnKernel {
    symbol: &'static str,
    texts: &'static Texts,
}

impl OwnKernel {
    /// The constructor that the expansion of [`kernels!`](crate::kernels!) calls.
    #[doc(hidden)]
    pub const fn new(symbol: &'static str, texts: &'static Texts) -> Self {
        Self { symbol, texts }
    }

    /// The kernel's name in the module that [`Self::load`] returns, and in profilers: `kernel_`, followed by the function's name.
    ///
    /// ```
    /// use warpfold::OwnKernel;
    ///
    /// /// The function's name, of a kernel that `kernels!` declares.
    /// fn function_name(kernel: &OwnKernel) -> Option<&str> {
    ///     kernel.name().strip_prefix("kernel_")
    /// }
    /// ```
    pub fn name(&self) -> &'static str {
        self.symbol
    }

    /// The kernel's PTX for a device of this compute capability, major and minor. `None` if the kernel was not compiled for such devices.
    /// No kernel is compiled for devices below 7.0.
    ///
    /// ```
    /// use warpfold::OwnKernel;
    ///
    /// /// Whether a kernel that `kernels!` declares uses local memory on an H200.
    /// fn spills(kernel: &OwnKernel) -> bool {
    ///     kernel.ptx((9, 0)).is_some_and(|text| text.contains(".local"))
    /// }
    /// ```
    pub fn ptx(&self, capability: (u32, u32)) -> Option<String> {
        let mut candidates = self.texts.candidates(self.symbol, capability);
        Some(candidates.next()?.text)
    }

    /// Loads the kernel as a module into the GPU's context, which becomes the current context. If the driver is too old for the PTX version
    /// of the best text, the next text is loaded instead.
    ///
    /// The driver compiles the text, which takes milliseconds: keep the module.
    ///
    /// ```
    /// use warpfold::cust::module::Module;
    /// use warpfold::{Gpu, OwnKernel, Result};
    ///
    /// /// The module of a kernel that `kernels!` declares, and whether it has that kernel.
    /// fn loaded(kernel: &OwnKernel, gpu: &Gpu) -> Result<(Module, bool)> {
    ///     let module = kernel.load(gpu)?;
    ///     let is_there = module.get_function(kernel.name()).is_ok();
    ///     Ok((module, is_there))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::KernelRejected`], [`Error::KernelMissing`], [`Error::OutOfMemory`], and the errors of [`Gpu::make_current`].
    #[cfg(feature = "cust")]
    pub fn load(&self, gpu: &Gpu) -> Result<Module> {
        gpu.with_current(|| self.load_best(gpu.compute_capability()))
    }

    /// Loads the best text whose PTX version the driver knows, into the current context.
    #[cfg(feature = "cust")]
    fn load_best(&self, capability: (u32, u32)) -> Result<Module> {
        let mut refused = None;
        for candidate in self.texts.candidates(self.symbol, capability) {
            let error = match load(self.symbol, &candidate.text) {
                Ok(module) => return Ok(module),
                Err(error) => error,
            };
            let is_of_version = matches!(
                error,
                Error::KernelRejected {
                    code: DriverCode::UNSUPPORTED_PTX_VERSION,
                    ..
                }
            );
            if !is_of_version {
                return Err(error);
            }
            refused.get_or_insert(error);
        }
        let symbol = self.symbol;
        Err(refused.unwrap_or(Error::KernelMissing { symbol }))
    }
}

impl Gpu {
    /// Loads PTX as a module into this GPU's context, which becomes the current context. Use this method for PTX that does not come from
    /// [`kernels!`](crate::kernels!). `symbol` is a name for the text, or the name of a kernel in it. Errors show this name.
    ///
    /// The driver compiles the whole text, which takes milliseconds or more: keep the module.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// const TEXT: &str = "
    ///     .version 7.0
    ///     .target sm_70
    ///     .address_size 64
    ///     .visible .entry nothing() { ret; }
    /// ";
    /// let gpu = warpfold::Gpu::new()?;
    /// let module = gpu.load_ptx("nothing", TEXT)?;
    /// let function = module.get_function("nothing")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::KernelRejected`], with the log of the driver's compiler; [`Error::OutOfMemory`]; and the errors of [`Gpu::make_current`].
    #[cfg(feature = "cust")]
    pub fn load_ptx(&self, symbol: &'static str, text: &str) -> Result<Module> {
        self.with_current(|| load(symbol, text))
    }

    /// Checks that a kernel may use a buffer: the buffer has to be memory of this GPU's primary context, and aligned for its items. The
    /// library's own calls make the same check. An empty buffer always passes.
    ///
    /// ```
    /// use warpfold::cust::memory::DeviceBuffer;
    /// use warpfold::{Argument, Gpu};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let gpu = Gpu::new()?;
    /// gpu.make_current()?;
    /// let items = DeviceBuffer::from_slice(&[1u32, 2, 3])?;
    /// gpu.check_buffer(Argument::Input, &items)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Misaligned`], [`Error::ForeignMemory`]; [`Error::Driver`], [`Error::Poisoned`], [`Error::Forked`].
    pub fn check_buffer(&self, argument: Argument, buffer: &impl DeviceItems) -> Result<()> {
        let LentSpan { span, .. } = buffer.lend_span(User::WaitingCall);
        if span.item_count == 0 {
            return Ok(());
        }
        self.enter(|entered| {
            span.check_alignment(argument)?;
            entered.check_memory(argument, span.address)
        })
    }
}

/// Loads a text into the current context. If the text has a NUL, or if the driver refuses the text, the error is [`Error::KernelRejected`].
/// After any other failure, the error is that of the driver call.
#[cfg(feature = "cust")]
fn load(symbol: &'static str, text: &str) -> Result<Module> {
    let rejected = |code, log| Error::KernelRejected { symbol, code, log };
    let Ok(text) = CString::new(text) else {
        let log = "the text has a NUL".to_owned();
        return Err(rejected(DriverCode::INVALID_PTX, log));
    };
    match driver::load_module(&text) {
        Ok(module) => Ok(module.into_cust()),
        Err((failure, log)) => Err(match failure.code.is_of_text() {
            true => rejected(failure.code, log),
            false => failure.into(),
        }),
    }
}

/// Declares a program's own kernels, made of the building blocks in `warpfold_kernels::device`.
///
/// The file with the kernels is compiled twice. The program compiles it as a module, in which each kernel is a static [`OwnKernel`] with
/// the function's name. The build script compiles it for the device, and needs one line for this, a call of `warpfold-build`. For the
/// device, the name `warpfold` means the crate `warpfold-kernels`. Each kernel's body begins with its own `use` declarations.
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
/// Parameters are pointers to device memory, and numbers of 4 or 8 bytes. A kernel is compiled for blocks of at most 256 threads. The code
/// that uses the pointers is your own unsafe code. Like an operator, a kernel may not panic, call a function that is not inlined, or use
/// local memory or a static.
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
