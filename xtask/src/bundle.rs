//! Gathering the executables, for a machine that has a GPU and no cargo.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::Outcome;
use crate::executables::{self, Executable};

/// The folder, ignored by git, that the executables are gathered in.
const FOLDER: &str = "bundle";

/// Builds tests, examples and the benchmark in release, strips them, and copies them to [`FOLDER`]. Where two packages have executables of one
/// name, each has its package's name too.
pub fn gather(root: &Path) -> Result<Outcome> {
    let folder = root.join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut bytes = 0;
    let mut executables = Vec::new();
    for arguments in BUILDS {
        executables.extend(executables::build(root, arguments)?);
    }
    let count_of = |name: &str| {
        executables
            .iter()
            .filter(|other| other.name == name)
            .count()
    };
    for Executable {
        name,
        package,
        path,
    } in &executables
    {
        let name = match count_of(name) {
            1 => name.clone(),
            _ => format!("{name}-{package}"),
        };
        let to = folder.join(&name);
        fs::copy(path, &to)?;
        let stripped = Command::new("strip").arg(&to).status();
        if !stripped.is_ok_and(|status| status.success()) {
            eprintln!("{name}: not stripped");
        }
        bytes += fs::metadata(&to)?.len();
        println!("{FOLDER}/{name}");
    }
    println!("{} MiB", bytes >> 20);
    Ok(Outcome::Done)
}

/// The cargo commands whose executables are gathered.
const BUILDS: [&[&str]; 3] = [
    &[
        "test",
        "--workspace",
        "--exclude=xtask",
        "--exclude=warpfold-bench",
        "--exclude=with-cudarc-tests",
        "--no-run",
        "--lib",
        // Those too that `cargo test` leaves out.
        "--test=*",
    ],
    // These are built by themselves: they need a library that opens the driver at run time, and the other packages turn on the virtual GPU.
    &[
        "test",
        "--package=with-cudarc-tests",
        "--no-run",
        "--test=*",
    ],
    &["build", "--package=warpfold-bench", "--bin=warpfold-bench"],
];
