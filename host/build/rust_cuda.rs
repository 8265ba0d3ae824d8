//! Compiles the kernels with rust-cuda's `CudaBuilder`.
//!
//! `CudaBuilder` compiles a crate that makes a `cdylib`, and the kernels' crate makes none (other targets could not
//! link it), so a crate of one line around it is written first. Needed beside it: the nightly toolchain, LLVM 7 and
//! CUDA toolkit that `rustc_codegen_nvvm` asks for. Written from the sources of `cuda_builder` 0.3.0 and of
//! rust-cuda's repository of April 2026, and not run yet.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use cuda_builder::{CudaBuilder, NvvmArch};

/// The kernels' PTX for compute capability 7.0. `output` is the build's folder.
pub fn compile(output: &Path) -> Result<String, Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let version = env::var("CARGO_PKG_VERSION")?;

    // Beside this crate in its repository; from the registry otherwise.
    let kernels = here.with_file_name("kernels-gpu");
    let mut source = format!("version = \"={version}\"");
    if kernels.is_dir() {
        println!("cargo::rerun-if-changed={}", kernels.display());
        source += &format!(", path = {kernels:?}");
    }

    let cdylib = output.join("kernels-cdylib");
    fs::create_dir_all(cdylib.join("src"))?;
    fs::write(
        cdylib.join("Cargo.toml"),
        format!(
            "[package]\nname = \"kernels-cdylib\"\nedition = \"2021\"\n\
             [lib]\ncrate-type = [\"cdylib\"]\n\
             [dependencies]\nwarpfold-kernels = {{ {source}, features = [\"cuda_std\"] }}\n\
             [workspace]\n"
        ),
    )?;
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
        .copy_to(output.join("kernels.ptx"))
        .build()
        .map_err(|error| error.to_string())?;
    Ok(fs::read_to_string(output.join("kernels.ptx"))?)
}
