//! Packs the kernels' PTX into the library: each kernel's text for itself, compressed, so that a program carries
//! eight megabytes instead of 35, and a first call unpacks what it needs and no more.
//!
//! The PTX is what is committed in `ptx/`; with the feature `cuda_builder`, what rust-cuda's compiler makes of the
//! kernels now.

#[cfg(feature = "cuda_builder")]
mod bounds;
#[cfg(feature = "cuda_builder")]
mod finish;
mod pack;
#[cfg(feature = "cuda_builder")]
mod part;
#[cfg(feature = "cuda_builder")]
mod rust_cuda;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};

#[cfg(not(feature = "cuda_builder"))]
use pack::Variant;
#[cfg(feature = "cuda_builder")]
use rust_cuda::compile as variants;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    let output = env::var("OUT_DIR")?;
    let output = Path::new(&output);
    let variants = variants(output)?;
    // Tests read the texts there.
    println!(
        "cargo::rustc-env=WARPFOLD_TEXTS={}",
        texts(output)?.display()
    );
    pack::pack(&variants, output)
}

/// The folder of the texts.
fn texts(output: &Path) -> Result<PathBuf, Box<dyn Error>> {
    Ok(match cfg!(feature = "cuda_builder") {
        true => output.to_owned(),
        false => Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("ptx"),
    })
}

/// The variants, the best first.
#[cfg(not(feature = "cuda_builder"))]
fn variants(_output: &Path) -> Result<Vec<Variant>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed=ptx");
    let variant = |name: &str, capability| -> Result<Variant, Box<dyn Error>> {
        let path = Path::new("ptx").join(name).with_extension("ptx");
        let text = std::fs::read_to_string(path)?;
        Ok(Variant { capability, text })
    };
    let mut variants = vec![
        variant("sm_90", (9, 0))?,
        variant("sm_80", (8, 0))?,
        variant("sm_70", (7, 0))?,
    ];
    if cfg!(feature = "ladder") {
        variants.push(variant("ladder", (7, 0))?);
        variants.push(variant("ladder_nested", (7, 0))?);
    }
    Ok(variants)
}
