//! README, the guide and the other pages of this repository, as the tests read them.
//!
//! A block of Rust in README or the guide is one of two things. Usually it is a program or the body of a function, and `build.rs` makes a
//! test that compiles and runs it. (With `no_run`, it is only compiled.) Below a comment `<!-- from PATH -->` it is an excerpt. The file at
//! this path has the excerpt's lines, in the same order; `…` stands for omitted lines.

pub mod blocks;
pub mod links;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// README and the pages of the guide, as paths from the root.
///
/// # Errors
///
/// The guide's folder cannot be read.
pub fn pages() -> io::Result<Vec<PathBuf>> {
    blocks::pages(&root())
}

/// All pages of the repository, as paths from the root. Folders of builds and hidden folders are left out.
///
/// # Errors
///
/// A folder cannot be read.
pub fn all_pages() -> io::Result<Vec<PathBuf>> {
    let root = root();
    let (mut found, mut folders) = (Vec::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') || name == "target" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path.strip_prefix(&root).unwrap_or(&path).to_path_buf());
            }
        }
    }
    found.sort();
    Ok(found)
}
