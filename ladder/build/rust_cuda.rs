//! Compiles the kernels with rust-cuda's compiler, in the way of the library's (`host/build/rust_cuda`).

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use warpfold_build::cdylib::{Cdylib, NvvmArch, Package, Target};
use warpfold_ladder_kernels::texts::{LADDER, MOST_THREADS, NESTED};
use warpfold_ptx::finish::{Bounds, Contents, finish};

/// A folder with the sources of the kernels' crate, if it is not beside this package. `cargo xtask rust-cuda` names one with fewer kernels.
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
    for text in [LADDER, NESTED] {
        let contents = Contents {
            has: text.has,
            has_declarations: text.has_declarations,
            bounds: |_| Some(Bounds::of_threads(MOST_THREADS)),
        };
        let path = output.join(text.name).with_extension("ptx");
        fs::write(path, finish(&emitted, &contents)?)?;
    }
    Ok(())
}
