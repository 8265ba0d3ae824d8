//! Compiles operators of your own for `warpfold`: ordinary Rust, made into GPU kernels while your crate is built.
//!
//! ```no_run
//! // build.rs, in `main`
//! warpfold_build::operators("src/operators.rs");
//! ```
//!
//! The file holds `impl warpfold::Op<…> for …` in Rust without the standard library, and one list:
//!
//! ```text
//! warpfold::operators! {
//!     gcd: Gcd, u64;
//!     concatenation: Concatenation, Hash, scans only;
//! }
//! ```
//!
//! # What it takes
//!
//! A rustc that has the target `nvptx64-nvidia-cuda`, which `rustup target add nvptx64-nvidia-cuda` adds to a stable one. No
//! CUDA, no nightly features. Each kernel is compiled whole, from the same source as the library's own, for compute
//! capabilities 7.0, 8.0 and 9.0.
//!
//! # Device code that is committed
//!
//! `WARPFOLD_UPDATE=1 cargo build` writes the device code beside the source, to `src/operators.kernels`. Commit it, and who builds
//! your crate needs no target: it is used as long as it was made from this very file, with this version of `warpfold-build`.
//!
//! # What an operator may not do
//!
//! An operator's functions compute a result from their arguments. A call that is not inlined, a panic, local memory, a
//! static, an endless loop and any other effect are refused when your crate is built: the message names the operator, the
//! function and the reason, and says what to write instead ([`Reason`]).
//!
//! # rust-cuda's compiler
//!
//! With the feature `cuda_builder`, rust-cuda's `CudaBuilder` compiles the operators, whatever is committed. It takes what the feature of
//! that name of `warpfold` takes. A refusal then names a kernel of the operator, and not the function.
//!
//! Not covered: a file that includes others or has modules of its own in files, and operators that use other crates.

mod build;
mod device;
mod error;
mod kernels;
mod pack;
mod ptx;
#[cfg(feature = "cuda_builder")]
mod rust_cuda;
mod toolchain;
mod variant;

use std::path::Path;
use std::process;

pub use build::{Build, UPDATE};
pub use error::{Error, Problem, Refusal};
pub use kernels::{Compiled, Kernel};
pub use ptx::refuse::Reason;

/// Compiles a file of operators, whose path is relative to the crate's folder, and leaves in `OUT_DIR` what `warpfold::operators!`
/// includes. For a build script: an error is printed, and ends it.
pub fn operators(file: impl AsRef<Path>) {
    let build = Build::of_script(file.as_ref());
    println!("cargo::rerun-if-changed={}", build.operators.display());
    if build.committed().exists() {
        println!("cargo::rerun-if-changed={}", build.committed().display());
    }
    println!("cargo::rerun-if-env-changed={UPDATE}");
    #[cfg(feature = "cuda_builder")]
    println!("cargo::rerun-if-env-changed={}", rust_cuda::ARCHITECTURES);
    if let Err(error) = build.run() {
        eprintln!("{}: {error}", build.operators.display());
        process::exit(1);
    }
}
