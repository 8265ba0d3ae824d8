//! Builds of the files in `tests/operators`. Each build needs a compiler for device code: see [`skip`].

#![allow(dead_code, reason = "each test file uses its part")]

pub mod device;
pub mod skip;

use std::fs;
use std::path::{Path, PathBuf};

use warpfold_build::{Build, Cache, Contents};

/// A build of `file`, a file of `tests/operators`. Each file's build has its own output folder.
pub fn build(file: &str) -> Build {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let temporary = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let output = temporary.join(file);
    fs::create_dir_all(&output).expect("a folder for the build");
    Build {
        contents: Contents::Operators,
        source: root.join("tests/operators").join(file).with_extension("rs"),
        crate_folder: root.to_owned(),
        output,
        target: temporary.join("device-target"),
        cache: Cache::none(),
        updates: false,
        compares: false,
        locked: false,
    }
}
