//! Compiles the kernels with rust-cuda's compiler, as the library's feature `cuda_builder` does. Then inspects and tests the kernels.
//!
//! The library's tests are built with the feature, so the library carries newly compiled kernels. The PTX of these kernels is inspected
//! like the PTX that ships. The tests run with these kernels, on the virtual GPU if the machine has no GPU. The ladder is built and tested
//! in the same way, with the feature `cuda_builder` of the ladder's package. The example `own-operator` is built with the feature
//! `cuda_builder` of `warpfold-build`, and is run. The unit tests of `warpfold-build` are also built with this feature, and are run. If
//! only a few kernels are compiled, only the test `bits` runs.

mod build;
mod few;
mod scope;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use warpfold_ptx::inspect::Operands;

use crate::inspect;
use crate::kernel_set::KernelSet;
use crate::{Outcome, executables::Executable};
use build::Built;
use scope::Scope;

/// The variable that names a checkout of rust-cuda.
const CHECKOUT: &str = "RUST_CUDA";

/// The crates that are taken from the checkout.
const CRATES: [&str; 2] = ["cuda_std", "cuda_builder"];

/// The back end, which `CudaBuilder` looks for in the folders of `LD_LIBRARY_PATH`.
const BACK_END: &str = "librustc_codegen_nvvm.so";

/// Compiles all kernels or only a few, inspects their PTX, and runs the tests with it.
pub fn run(root: &Path, arguments: &[&str]) -> Result<Outcome> {
    let scope = Scope::new(arguments)?;
    let checkout = match checkout() {
        Ok(checkout) => checkout,
        Err(why) => return Ok(Outcome::Unable(format!("{why}. {NEEDED}"))),
    };
    let built = build::build(root, &checkout, &scope)?;
    for (name, part) in scope.texts() {
        inspect_text(&built, name, part, &scope.symbols(part))?;
    }
    for test in &built.tests {
        for architecture in scope.architectures_of(test) {
            run_test(root, test, architecture, &scope.cases())?;
        }
    }
    if let texts @ [_, ..] = scope.ladder_texts() {
        let built = build::build_ladder(root, &scope)?;
        for &(name, part) in texts {
            inspect_text(&built, name, part, &scope.symbols(part))?;
        }
        for test in &built.tests {
            run_test(root, test, scope.architectures[0], &[])?;
        }
    }
    if !scope.is_few {
        for program in build::build_operators(root, &scope)? {
            for architecture in scope.devices() {
                run_test(root, &program, architecture, &[])?;
            }
        }
        for test in build::build_helper(root, &scope)? {
            run_test(root, &test, scope.architectures[0], &[])?;
        }
    }
    Ok(Outcome::Done)
}

/// Inspects the PTX in the text `name`. The text must have exactly the kernels `symbols`, which belong to `part`.
fn inspect_text(built: &Built, name: &str, part: KernelSet, symbols: &[&str]) -> Result<()> {
    let path = built.texts.join(name).with_extension("ptx");
    let text = fs::read_to_string(&path)?;
    inspect::inspect_kernels(&text, part, Operands::InRegisters, symbols)
        .with_context(|| format!("the PTX {}", path.display()))?;
    println!("{}: {} kernels", path.display(), symbols.len());
    Ok(())
}

/// Runs a test, or an example that serves as a test. Its arguments are `cases`. If it runs on the virtual GPU, `architecture` is the
/// virtual GPU's architecture.
fn run_test(root: &Path, test: &Executable, architecture: &str, cases: &[&str]) -> Result<()> {
    println!("{} as {architecture}", test.name);
    let status = Command::new(&test.path)
        .args(cases)
        .env("VIRTUAL_GPU_ARCH", architecture)
        .current_dir(root.join("host"))
        .status()?;
    ensure!(
        status.success(),
        "{} as {architecture}: {status}",
        test.name
    );
    Ok(())
}

/// Instructions if the compiler is not found.
const NEEDED: &str = "Needed are: RUST_CUDA, the path of a checkout of https://github.com/Rust-GPU/rust-cuda at the \
    revision that docs/guide/rust-cuda.md names; LD_LIBRARY_PATH with the folders of its librustc_codegen_nvvm.so and of CUDA's libNVVM; \
    and a `cargo` and `rustc` of the nightly that it was built for (RUSTUP_TOOLCHAIN), with rust-src. \
    That page has the details";

/// The checkout of rust-cuda, or a message that says what is missing.
fn checkout() -> Result<PathBuf, String> {
    let checkout = env::var_os(CHECKOUT).map(PathBuf::from);
    let checkout = checkout.ok_or_else(|| format!("{CHECKOUT} is not set"))?;
    for name in CRATES {
        let manifest = checkout.join("crates").join(name).join("Cargo.toml");
        if !manifest.is_file() {
            return Err(format!("{CHECKOUT} is set, without {}", manifest.display()));
        }
    }
    let libraries = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    if !env::split_paths(&libraries).any(|folder| folder.join(BACK_END).is_file()) {
        return Err(format!("no folder of LD_LIBRARY_PATH has {BACK_END}"));
    }
    let takes_unstable_flags = Command::new("cargo")
        .args(["-Zlockfile-path", "--version"])
        .output()
        .is_ok_and(|output| output.status.success());
    match takes_unstable_flags {
        true => Ok(checkout),
        false => Err("`cargo` takes no unstable flags".to_owned()),
    }
}

#[cfg(test)]
mod tests;
