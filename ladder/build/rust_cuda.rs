//! Compiles the kernels with rust-cuda's compiler, in the way of the library's (`host/build/rust_cuda`).

#[path = "../../host/build/rust_cuda/amend.rs"]
mod amend;
#[path = "../../host/build/rust_cuda/compiler.rs"]
mod compiler;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use cuda_builder::NvvmArch;

use crate::contents::{LADDER, NESTED};
use crate::finish::finish;
use compiler::{Cdylib, Package, Target};

/// A folder with the sources of the kernels' crate, where it is not that of this package. `cargo xtask rust-cuda` names
/// one with fewer kernels.
const KERNELS: &str = "WARPFOLD_LADDER_KERNELS";

/// For the oldest devices, as the committed texts are.
const TARGET: Target = Target {
    arch: NvvmArch::Compute70,
    name: "sm_70",
    version: "7.4",
};

/// Leaves the texts in `output`, the build's folder.
pub fn compile(output: &Path) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={KERNELS}");
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let folder = env::var_os(KERNELS);
    let package = Package {
        name: "warpfold-ladder-kernels",
        folder: Some(folder.map_or_else(|| here.join("kernels"), PathBuf::from)),
        version: env::var("CARGO_PKG_VERSION")?,
        features: &["cuda_std"],
        with_barriers: &["warpfold-kernels", "warpfold-ladder-kernels"],
    };
    let cdylib = Cdylib::write(&package, &[TARGET.name], output)?;
    let emitted = cdylib.compile(&TARGET, output)?;
    for (name, contents) in [("ladder.ptx", LADDER), ("ladder_nested.ptx", NESTED)] {
        fs::write(output.join(name), finish(&emitted, &contents)?)?;
    }
    Ok(())
}
