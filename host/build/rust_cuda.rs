//! Compiles the kernels with rust-cuda's `CudaBuilder`.
//!
//! `CudaBuilder` compiles a crate that makes a `cdylib`, and the kernels' crate makes none (other targets could not
//! link it), so a crate of one line around it is written first. Needed beside it: the nightly toolchain, LLVM 7 and
//! CUDA toolkit that `rustc_codegen_nvvm` asks for. `cargo xtask rust-cuda` builds and tests what comes of it.

mod amend;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use cuda_builder::{CudaBuilder, NvvmArch};

/// A folder with the sources of the kernels' crate, where it is not that of this package. `cargo xtask rust-cuda` names
/// one with fewer kernels.
const KERNELS: &str = "WARPFOLD_KERNELS";

/// The kernels' PTX for compute capability 7.0. `output` is the build's folder.
pub fn compile(output: &Path) -> Result<String, Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let version = env::var("CARGO_PKG_VERSION")?;

    // Beside this crate in its repository; from the registry otherwise.
    println!("cargo::rerun-if-env-changed={KERNELS}");
    let kernels = env::var_os(KERNELS);
    let kernels = kernels.map_or_else(|| here.with_file_name("kernels-gpu"), PathBuf::from);
    let mut source = format!("version = \"={version}\"");
    if kernels.is_dir() {
        println!("cargo::rerun-if-changed={}", kernels.display());
        source += &format!(", path = {kernels:?}");
    }

    let cdylib = output.join("kernels-cdylib");
    fs::create_dir_all(cdylib.join("src"))?;
    fs::write(cdylib.join("Cargo.toml"), manifest(&source))?;
    fs::write(
        cdylib.join("src/lib.rs"),
        "#![no_std]\nextern crate warpfold_kernels;\n",
    )?;

    // rust-cuda's `cuda_std` takes any `glam` from 0.22 on, and compiles with none after 0.30. The one on crates.io
    // has no `glam` to hold back; this then fails without harm.
    Command::new(env::var("CARGO")?)
        .args(["update", "--package=glam", "--precise=0.30.5"])
        .current_dir(&cdylib)
        .status()?;

    CudaBuilder::new(&cdylib)
        .arch(NvvmArch::Compute70)
        // The bits of floats are promised: nothing may be fused, flushed or replaced.
        .fma_contraction(false)
        .ftz(false)
        .override_libm(false)
        .copy_to(output.join("emitted.ptx"))
        .build()
        .map_err(|error| error.to_string())?;
    let text = amend::amend(&fs::read_to_string(output.join("emitted.ptx"))?)?;
    fs::write(output.join("kernels.ptx"), &text)?;
    Ok(text)
}

/// The manifest of the crate around the kernels, which come from `source`.
///
/// rustc's pass `JumpThreading` may copy a barrier into both arms of a branch, and `CudaBuilder` takes no flags for rustc:
/// so the profile turns the pass off, for the kernels and what is inlined into them.
fn manifest(source: &str) -> String {
    format!(
        r#"
cargo-features = ["profile-rustflags"]
[package]
name = "kernels-cdylib"
edition = "2021"
[lib]
crate-type = ["cdylib"]
[dependencies]
warpfold-kernels = {{ {source}, features = ["cuda_std"] }}
[profile.release.package.warpfold-kernels]
rustflags = ["-Zmir-enable-passes=-JumpThreading"]
[workspace]
"#
    )
}
