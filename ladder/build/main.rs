//! Provides the folder of the kernels' texts: the committed texts in `ptx/` or, with the feature `cuda_builder`, texts that rust-cuda's
//! compiler makes.

#[cfg(feature = "cuda_builder")]
mod rust_cuda;

use std::env;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    println!(
        "cargo::rustc-env=WARPFOLD_LADDER_TEXTS={}",
        texts()?.display()
    );
    Ok(())
}

/// The folder of the committed texts.
#[cfg(not(feature = "cuda_builder"))]
fn texts() -> Result<PathBuf, Box<dyn Error>> {
    Ok(PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("ptx"))
}

/// Compiles the texts, and returns their folder: the build's output folder.
#[cfg(feature = "cuda_builder")]
fn texts() -> Result<PathBuf, Box<dyn Error>> {
    let output = PathBuf::from(env::var("OUT_DIR")?);
    rust_cuda::compile(&output)?;
    Ok(output)
}
