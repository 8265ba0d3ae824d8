//! Compiles the kernels with rust-cuda's compiler, in the same way as the library's kernels (`host/build/rust_cuda.rs`).

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use warpfold_build::cdylib::{Cdylib, NvvmArch, Package, Target};
use warpfold_ladder_kernels::texts::{LADDER, MOST_THREADS, NESTED};
use warpfold_ptx::finish::{Bounds, Contents, finish};

/// The environment variable with the folder of the kernels' crate. If it is not set, the folder is `kernels` in this package.
/// `cargo xtask rust-cuda --few` sets the variable to the folder of a crate with fewer kernels.
const KERNELS: &str = "WARPFOLD_LADDER_KERNELS";

/// The target of the oldest supported devices. The committed texts have the same target.
const TARGET: Target = Target {
    arch: NvvmArch::Compute70,
    name: "sm_70",
    version: "7.4",
};

/// Compiles the texts into the folder `output`.
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
