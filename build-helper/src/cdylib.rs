//! Compiles a package of kernels with rust-cuda's `CudaBuilder`.
//!
//! `CudaBuilder` compiles only a crate of the type `cdylib`. A package of kernels is an `rlib`, since no other crate can depend on a
//! `cdylib`. So this module first writes a crate that only links the package. The build also needs what `rustc_codegen_nvvm` needs: its
//! nightly toolchain, LLVM 7 and a CUDA toolkit.
//!
//! In the crate that this module writes, each architecture has its own profile, and so its own folder below `target`. Cargo locks only that
//! folder, so the architectures can be compiled in parallel.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use cuda_builder::CudaBuilder;
pub use cuda_builder::NvvmArch;

use warpfold_ptx::rust_cuda::amend;

/// A package of kernels.
#[derive(Debug)]
pub struct Package {
    /// Its name.
    pub name: &'static str,
    /// Its folder; `None` if it comes from the registry.
    pub folder: Option<PathBuf>,
    /// Its version.
    pub version: String,
    /// Its features.
    pub features: &'static [&'static str],
    /// Of this package and its dependencies: the names of those packages whose functions have barriers.
    pub with_barriers: &'static [&'static str],
}

/// A target of compilation.
#[derive(Debug)]
pub struct Target {
    /// The architecture.
    pub arch: NvvmArch,
    /// The name of the profile.
    pub name: &'static str,
    /// The lowest PTX version that has the kernels' instructions. Old drivers refuse higher versions.
    pub version: &'static str,
}

/// The crate around a package of kernels.
#[derive(Debug)]
pub struct Cdylib {
    folder: PathBuf,
}

impl Cdylib {
    /// Writes the crate to a separate folder in `output`. The crate has a profile for each of the names in `targets`.
    pub fn write(
        package: &Package,
        targets: &[&str],
        output: &Path,
    ) -> Result<Self, Box<dyn Error>> {
        if let Some(folder) = &package.folder {
            println!("cargo::rerun-if-changed={}", folder.display());
        }
        let folder = output.join("kernels-cdylib");
        fs::create_dir_all(folder.join("src"))?;
        write(&folder.join("Cargo.toml"), &manifest(package, targets))?;
        let source = format!(
            "#![no_std]\nextern crate {};\n",
            package.name.replace('-', "_")
        );
        write(&folder.join("src/lib.rs"), &source)?;

        // The `cuda_std` in rust-cuda's repository accepts any `glam` from 0.22 on, but does not compile with versions after 0.30. The
        // `cuda_std` on crates.io does not use `glam`. With that `cuda_std`, this command fails, which does no harm.
        Command::new(env::var("CARGO")?)
            .args(["update", "--package=glam", "--precise=0.30.5"])
            .current_dir(&folder)
            .status()?;
        Ok(Self { folder })
    }

    /// The kernels' PTX for a target, in a form that the driver accepts.
    pub fn compile(&self, target: &Target, output: &Path) -> Result<String, String> {
        let emitted = output.join(target.name).with_extension("emitted.ptx");
        CudaBuilder::new(&self.folder)
            .arch(target.arch)
            // `release(true)` would turn on libNVVM's optimisations, but also add a second profile, and cargo accepts only one. So
            // `nvvm_opts` turns the optimisations on.
            .release(false)
            .nvvm_opts(true)
            .build_args(&[format!("--profile={}", target.name)])
            // The bits of floats are part of the contract: nothing may be fused, flushed or replaced.
            .fma_contraction(false)
            .ftz(false)
            .override_libm(false)
            .copy_to(&emitted)
            .build()
            .map_err(|error| format!("{}: {error}", target.name))?;
        let emitted = fs::read_to_string(emitted).map_err(|error| error.to_string())?;
        amend(&emitted, target.version).map_err(|error| error.to_string())
    }
}

/// Writes a file only if its contents change: a newer file would make cargo recompile the crate.
fn write(path: &Path, text: &str) -> io::Result<()> {
    match fs::read_to_string(path).is_ok_and(|written| written == text) {
        true => Ok(()),
        false => fs::write(path, text),
    }
}

/// The manifest of the crate around the kernels.
///
/// rustc's pass `JumpThreading` may copy a barrier into both arms of a branch, and `CudaBuilder` takes no flags for rustc. So the profile
/// turns the pass off for packages with barriers, and for code that is inlined into them. The `cuda_std` in rust-cuda's repository depends
/// on `glam`, which no kernel uses. `glam` is not optimised, since that would take a minute.
fn manifest(package: &Package, targets: &[&str]) -> String {
    let name = package.name;
    let place = match &package.folder {
        Some(folder) => format!(", path = {folder:?}"),
        None => String::new(),
    };
    let with_barriers = package.with_barriers.iter().map(|name| {
        format!(
            "[profile.release.package.{name}]\nrustflags = [\"-Zmir-enable-passes=-JumpThreading\"]\n"
        )
    });
    let unused = "[profile.release.package.glam]\nopt-level = 0\n".to_owned();
    let profiles = targets
        .iter()
        .map(|target| format!("[profile.{target}]\ninherits = \"release\"\n"));
    let profiles: String = with_barriers.chain([unused]).chain(profiles).collect();
    format!(
        r#"
cargo-features = ["profile-rustflags"]
[package]
name = "kernels-cdylib"
edition = "2021"
[lib]
crate-type = ["cdylib"]
[dependencies]
{name} = {{ version = "={version}"{place}, features = {features:?} }}
{profiles}
[workspace]
"#,
        version = package.version,
        features = package.features,
    )
}
