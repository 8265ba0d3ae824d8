//! Compiles operators and kernels of your own for `warpfold`: ordinary Rust becomes GPU code when your crate is built.
//!
//! ```no_run
//! // build.rs, in `main`
//! warpfold_build::operators("src/operators.rs");
//! ```
//!
//! The file has `impl warpfold::Op<…> for …` in Rust without the standard library, and one list:
//!
//! ```text
//! warpfold::operators! {
//!     gcd: Gcd, u64;
//!     concatenation: Concatenation, Hash, scans only;
//! }
//! ```
//!
//! [`kernels()`] compiles a file of whole kernels, which are written in one `warpfold::kernels! { … }`. The kernels are made of the
//! building blocks in `warpfold_kernels::device`.
//!
//! # Requirements
//!
//! To compile device code, a build needs a rustc with the target `nvptx64-nvidia-cuda`. `rustup target add nvptx64-nvidia-cuda` adds the
//! target to a stable rustc. A nightly toolchain with the component `rust-src` is enough, too. Neither compiler needs the CUDA toolkit. An
//! operator's kernels are compiled from the same source as the library's own. They are compiled for compute capability 9.0, and the library
//! makes the kernels for 8.0 and 7.0 from these. A kernel of your own is compiled for each capability.
//!
//! # The cache
//!
//! Each row's kernels are kept in the user's cache folder. Their key covers the row's tokens, the tokens of the functions, types and other
//! Rust items that the row needs, the edition, the compiler, warpfold's sources, and the locked packages that device code is compiled from.
//! `WARPFOLD_CACHE` names another folder for the cache. `WARPFOLD_CACHE=off` turns the cache off ([`Cache`]).
//!
//! # Committed device code
//!
//! `WARPFOLD_UPDATE=1 cargo build` writes the device code beside the source, to `src/operators.kernels`. If you commit it, your crate's
//! users need no target. The device code is used as long as the source's tokens and the version of `warpfold-build` stay the same. With
//! `WARPFOLD_LOCKED=1`, a file that is missing or does not fit is an error. With `WARPFOLD_UPDATE=check`, the build compiles again, and
//! fails if the file differs.
//!
//! # What an operator may not do
//!
//! An operator's functions compute a result from their arguments. The build refuses a call that is not inlined, a panic, local memory, a
//! static, an endless loop, and any effect other than the result. The message names the operator, the function or kernel, and the reason,
//! and says what to write instead ([`Reason`]).
//!
//! Two things are not supported: a file that includes other files or has modules in other files, and operators that use other crates.
//!
//! # rust-cuda's compiler
//!
//! With the feature `cuda_builder`, rust-cuda's `CudaBuilder` compiles the operators, even if device code is committed. That compiler needs
//! the same set-up as the feature `cuda_builder` of `warpfold`. A refusal then names a kernel of the operator instead of a function.

mod advice;
mod build;
mod cache;
/// For the build scripts of the crates `warpfold` and `warpfold-ladder`.
#[cfg(feature = "cuda_builder")]
#[doc(hidden)]
pub mod cdylib;
mod compiled;
mod device;
mod error;
mod kernels;
mod library;
mod locked;
mod pack;
mod ptx;
mod reason;
mod rows;
#[cfg(feature = "cuda_builder")]
mod rust_cuda;
mod source;
mod steps;
mod toolchain;
mod variables;
mod variant;

use std::path::Path;
use std::process;

pub use build::{Build, Contents};
pub use cache::Cache;
pub use compiled::{Compiled, Kernel};
pub use error::{Error, Problem, Refusal, Unfit};
#[cfg(feature = "fuzz")]
#[doc(hidden)]
pub use pack::committed::trial::judge;
pub use reason::Reason;
pub use variables::{CACHE, LOCKED, UPDATE};

/// Compiles a file of operators, if that is necessary, and writes to `OUT_DIR` the files that `warpfold::operators!` includes. The path is
/// relative to the crate's folder. The function is for build scripts: an error is printed, and ends the script.
///
/// ```no_run
/// // build.rs, in `main`
/// warpfold_build::operators("src/operators.rs");
/// ```
pub fn operators(file: impl AsRef<Path>) {
    run(Contents::Operators, file.as_ref());
}

/// Like [`operators()`], for a file of kernels and `warpfold::kernels!`.
///
/// ```no_run
/// // build.rs, in `main`
/// warpfold_build::kernels("src/kernels.rs");
/// ```
pub fn kernels(file: impl AsRef<Path>) {
    run(Contents::Kernels, file.as_ref());
}

/// Looks for a compiler of device code. If there is none, the error is [`Error::NoToolchain`].
///
/// ```
/// if let Err(reason) = warpfold_build::find_compiler() {
///     println!("operators cannot be compiled on this machine: {reason}");
/// }
/// ```
pub fn find_compiler() -> Result<(), Error> {
    toolchain::Toolchain::find().map(drop)
}

fn run(contents: Contents, file: &Path) {
    let build = Build::of_script(contents, file);
    // The lines for cargo are printed after the build, so that an error is the first message on the screen.
    let unfit = build.run().unwrap_or_else(|error| {
        eprintln!("{}: {error}", build.source.display());
        process::exit(1);
    });
    let committed = build.committed();
    if let Some(unfit) = unfit {
        let path = committed.display();
        println!(
            "cargo::warning={path} {unfit}. It was not used: `{UPDATE}=1 cargo build` writes it anew"
        );
    }
    // The host's macro needs this variable. A build script that no longer calls this crate does not set it, so the files of an earlier
    // build are not used.
    let [expression, _] = build.included();
    let variable = contents.name().to_uppercase();
    println!(
        "cargo::rustc-env=WARPFOLD_{variable}={}",
        expression.display()
    );
    println!("cargo::rerun-if-changed={}", build.source.display());
    if committed.exists() {
        println!("cargo::rerun-if-changed={}", committed.display());
    }
    for variable in [UPDATE, LOCKED, CACHE] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    #[cfg(feature = "cuda_builder")]
    println!("cargo::rerun-if-env-changed={}", rust_cuda::ARCHITECTURES);
}
