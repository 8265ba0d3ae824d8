//! Packs the kernels' PTX into the library, compressed: skeletons, the operators' bodies that fill them, and whole texts. A
//! first call unpacks what it needs and no more.
//!
//! The PTX is what is committed in `ptx/`; with the feature `cuda_builder`, what rust-cuda's compiler makes of the
//! kernels now.

#[cfg(feature = "cuda_builder")]
mod bounds;
#[cfg(not(feature = "cuda_builder"))]
#[path = "../src/ptx/fill.rs"]
mod fill;
#[cfg(feature = "cuda_builder")]
mod finish;
mod pack;
#[cfg(feature = "cuda_builder")]
mod rust_cuda;
#[cfg(not(feature = "cuda_builder"))]
mod table;

#[cfg(not(feature = "cuda_builder"))]
use std::collections::BTreeMap;
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
    println!("cargo::rerun-if-changed=src/ptx/fill.rs");
    let folder = Path::new("ptx");
    let table = |name: &str, capability| -> Result<Variant, Box<dyn Error>> {
        let table = table::Table::of_files(files(&folder.join(name))?)?;
        let mut texts = table.packed();
        if let Some(own) = &table.own {
            texts.extend(pack::kernels(own)?);
        }
        Ok(Variant { capability, texts })
    };
    Ok(vec![table("sm_90", (9, 0))?, table("sm_70", (7, 0))?])
}

/// The texts in a folder, by the names of their files.
#[cfg(not(feature = "cuda_builder"))]
fn files(folder: &Path) -> Result<BTreeMap<String, String>, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        files.insert(name, std::fs::read_to_string(entry.path())?);
    }
    Ok(files)
}
