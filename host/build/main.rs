//! Packs the kernels' PTX into the library, compressed: skeletons, the operators' bodies that fill them, and whole texts. A
//! first call unpacks what it needs and no more.
//!
//! The PTX is what is committed in `ptx/`; with the feature `cuda_builder`, what rust-cuda's compiler makes of the
//! kernels now.

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
use warpfold_ptx::{cut, fill, older, table::Table};

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
    let folder = Path::new("ptx");
    let newest = Table::of_files(files(&folder.join("sm_90"))?)?;
    let oldest = Table::for_7_0(files(&folder.join("sm_70"))?, &newest)?;
    let variant = |table: &Table, capability| -> Result<Variant, Box<dyn Error>> {
        let mut texts = table.packed();
        if let Some(own) = &table.own {
            texts.extend(cut::kernels(own)?);
        }
        Ok(Variant { capability, texts })
    };
    let newest = variant(&newest, older::FROM)?;
    let mut oldest = variant(&oldest, older::FOR_7_0.capability)?;
    // What is made of a skeleton by the same bodies is looked for among those for 9.0.
    let stands_there = |symbol: &String, text: &String| {
        text.starts_with(fill::FILLED) && newest.texts.get(symbol) == Some(text)
    };
    oldest
        .texts
        .retain(|symbol, text| !stands_there(symbol, text));
    Ok(vec![newest, oldest])
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
