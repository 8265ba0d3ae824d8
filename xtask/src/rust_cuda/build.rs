//! Builds the library's tests, the ladder's tests, the example of a program's own operators, and the unit tests of `warpfold-build`. The
//! library, the ladder and `warpfold-build` are built with their feature `cuda_builder`. The example has no such feature, so it is built
//! with the feature of `warpfold-build`.
//!
//! [`FOLDER`] holds the configuration, the lock files and the output of the builds. As in a user's project, a configuration replaces crates
//! from crates.io by crates of a rust-cuda checkout. The builds do not use the lock file of the workspace, since rust-cuda's crates have
//! other dependencies than the crates that they replace. The output is in the folder of the configuration, since the compilation of the
//! kernels looks for the configuration in the parent folders of the output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::CRATES;
use super::few;
use super::scope::Scope;
use crate::executables::{self, Executable};
use crate::kernel_set::KernelSet;

/// The folder of the build.
const FOLDER: &str = "target/rust-cuda";

/// The name of a lock file.
const LOCK: &str = "Cargo.lock";

/// The variables that name the kernels' sources to the build scripts of the library and of the ladder.
const KERNELS: &str = "WARPFOLD_KERNELS";
const LADDER_KERNELS: &str = "WARPFOLD_LADDER_KERNELS";

/// The variable that names the architectures to the build scripts.
const ARCHITECTURES: &str = "WARPFOLD_ARCHITECTURES";

/// The output of a build.
pub struct Built {
    /// The folder of the PTX that the package carries.
    pub texts: PathBuf,
    /// The tests.
    pub tests: Vec<Executable>,
}

/// Builds the library's tests with the feature, with rust-cuda's crates from a checkout.
pub fn build(root: &Path, checkout: &Path, scope: &Scope) -> Result<Built> {
    configure(&root.join(FOLDER), checkout, root)?;
    build_package(root, scope, KernelSet::Library, scope.tests())
}

/// Builds the ladder's tests with the feature. [`build`] must run before, since it writes the configuration.
pub fn build_ladder(root: &Path, scope: &Scope) -> Result<Built> {
    build_package(root, scope, KernelSet::Ladder, scope.ladder_tests())
}

/// Builds the named tests of the package that carries the kernels of `part`. If no test is named, builds only the package's library.
fn build_package(root: &Path, scope: &Scope, part: KernelSet, tests: &[&str]) -> Result<Built> {
    let folder = root.join(FOLDER);
    let (package, variable) = match part {
        KernelSet::Library => ("host", KERNELS),
        KernelSet::Ladder | KernelSet::Nested => ("ladder", LADDER_KERNELS),
    };
    let command: &[&str] = match tests {
        [] => &["build"],
        _ => &["test", "--no-run"],
    };
    let mut cargo = cargo(root, scope, command, &folder.join(LOCK));
    cargo
        .arg("--features=cuda_builder")
        .arg(format!("--profile={}", scope.profile()))
        .args(tests.iter().map(|test| format!("--test={test}")))
        .arg(manifest(root, package));
    match scope.is_few {
        true => cargo.env(variable, few::write(root, &folder, part)?),
        false => cargo.env_remove(variable),
    };
    let messages = executables::messages(&mut cargo)?;
    let script = messages.iter().find(|message| {
        let id = message["package_id"].as_str().unwrap_or_default();
        message["reason"] == "build-script-executed" && id.contains(&format!("/{package}#"))
    });
    let output = script.and_then(|script| script["out_dir"].as_str());
    let output =
        output.with_context(|| format!("cargo says nothing of the build script of {package}"))?;
    Ok(Built {
        texts: output.into(),
        tests: executables::among(&messages)?,
    })
}

/// Builds the example of a program's own operators. [`build`] must run before, since it writes the configuration and the lock file.
pub fn build_operators(root: &Path, scope: &Scope) -> Result<Vec<Executable>> {
    let folder = root.join(FOLDER);
    // The example is not a member of the workspace, so it has a lock file of its own.
    let lock = folder.join("own-operator").join(LOCK);
    if !lock.exists() {
        write(&lock, &fs::read_to_string(folder.join(LOCK))?)?;
    }
    let mut cargo = cargo(root, scope, &["build"], &lock);
    cargo
        .arg("--features=warpfold-build/cuda_builder")
        .arg(manifest(root, "examples/own-operator"));
    executables::among(&executables::messages(&mut cargo)?)
}

/// Builds the unit tests of `warpfold-build` with the feature. [`build`] must run before, since it writes the configuration.
pub fn build_helper(root: &Path, scope: &Scope) -> Result<Vec<Executable>> {
    let lock = root.join(FOLDER).join(LOCK);
    let mut cargo = cargo(root, scope, &["test", "--no-run", "--lib"], &lock);
    cargo
        .arg("--features=cuda_builder")
        .arg(manifest(root, "build-helper"));
    executables::among(&executables::messages(&mut cargo)?)
}

/// A cargo command that builds in [`FOLDER`], with the given lock file.
fn cargo(root: &Path, scope: &Scope, command: &[&str], lock: &Path) -> Command {
    let folder = root.join(FOLDER);
    let mut cargo = Command::new("cargo");
    cargo
        .args(command)
        .arg("-Zlockfile-path")
        .arg(format!("--config=resolver.lockfile-path={lock:?}"))
        .env("CARGO_TARGET_DIR", &folder)
        .env(ARCHITECTURES, scope.architectures.join(","))
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .current_dir(folder);
    cargo
}

/// The argument that names a package.
fn manifest(root: &Path, package: &str) -> String {
    let manifest = root.join(package).join("Cargo.toml");
    format!("--manifest-path={}", manifest.display())
}

/// Writes the configuration that replaces crates by those of the checkout. Also writes an initial lock file.
fn configure(folder: &Path, checkout: &Path, root: &Path) -> Result<()> {
    let patches = CRATES.map(|name| {
        let path = checkout.join("crates").join(name);
        format!("{name} = {{ path = {path:?} }}\n")
    });
    let configuration = format!("[patch.crates-io]\n{}", patches.concat());
    write(&folder.join(".cargo/config.toml"), &configuration)?;
    let lock = folder.join(LOCK);
    if !lock.exists() {
        fs::copy(root.join(LOCK), lock)?;
    }
    Ok(())
}

/// Writes a file only if its contents change, since cargo rebuilds after every write.
pub fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|written| written == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}
