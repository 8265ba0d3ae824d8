//! Compresses the kernels' PTX, and packs it into the library: skeletons, the operators' bodies that fill the skeletons, and whole texts.
//! The first use of a kernel unpacks only the texts that it needs.
//!
//! The PTX is committed in `ptx/`, and is for compute capability 9.0. The library makes the texts for older devices from this PTX. With the
//! feature `cuda_builder`, rust-cuda's compiler compiles the kernels instead: for 9.0 and for 7.0, or only for one of them if
//! `WARPFOLD_ARCHITECTURES` names one.

mod pack;
#[cfg(feature = "cuda_builder")]
mod rust_cuda;

#[cfg(not(feature = "cuda_builder"))]
use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};

#[cfg(not(feature = "cuda_builder"))]
use pack::Variant;
#[cfg(feature = "cuda_builder")]
use rust_cuda::compile as variants;
#[cfg(not(feature = "cuda_builder"))]
use warpfold_ptx::{cut, older, table::Table};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    let output = env::var("OUT_DIR")?;
    let output = Path::new(&output);
    let variants = variants(output)?;
    // Tests read the texts from this folder.
    println!(
        "cargo::rustc-env=WARPFOLD_TEXTS={}",
        texts(output)?.display()
    );
    pack::pack(&variants, output)
}

/// The folder with the kernels' texts.
fn texts(output: &Path) -> Result<PathBuf, Box<dyn Error>> {
    Ok(match cfg!(feature = "cuda_builder") {
        true => output.to_owned(),
        false => Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("ptx"),
    })
}

/// The committed PTX, the only variant that ships.
#[cfg(not(feature = "cuda_builder"))]
fn variants(_output: &Path) -> Result<Vec<Variant>, Box<dyn Error>> {
    println!("cargo::rerun-if-changed=ptx");
    let table = Table::of_files(files(&Path::new("ptx").join("sm_90"))?)?;
    let mut texts = table.packed();
    if let Some(own) = &table.own {
        texts.extend(cut::kernels(own)?);
    }
    let capability = older::FROM;
    Ok(vec![Variant { capability, texts }])
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
