//! Compiles a package of kernels with rust-cuda's `CudaBuilder`.
//!
//! `CudaBuilder` compiles a crate that makes a `cdylib`, and a package of kernels makes none (other targets could not
//! link it), so a crate of one line around it is written first. Needed beside it: the nightly toolchain, LLVM 7 and
//! CUDA toolkit that `rustc_codegen_nvvm` asks for.
//!
//! Each architecture has a profile of its own in that crate. So it has a folder of its own below `target`, and cargo locks
//! that alone: the architectures can be compiled side by side.

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
    /// The folder of its sources; `None` if it comes from the registry.
    pub folder: Option<PathBuf>,
    /// Its version.
    pub version: String,
    /// Its features.
    pub features: &'static [&'static str],
    /// The packages whose functions have barriers: this one and its dependencies.
    pub with_barriers: &'static [&'static str],
}

/// What kernels are compiled for.
#[derive(Debug)]
pub struct Target {
    /// The architecture.
    pub arch: NvvmArch,
    /// The name of the profile.
    pub name: &'static str,
    /// The PTX version of the oldest drivers that know the instructions.
    pub version: &'static str,
}

/// The crate around a package of kernels.
#[derive(Debug)]
pub struct Cdylib {
    folder: PathBuf,
}

impl Cdylib {
    /// Writes it, to be compiled for targets of these names, to a folder of its own in `output`.
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

        // rust-cuda's `cuda_std` takes any `glam` from 0.22 on, and compiles with none after 0.30. The one on crates.io
        // has no `glam` to hold back; this then fails without harm.
        Command::new(env::var("CARGO")?)
            .args(["update", "--package=glam", "--precise=0.30.5"])
            .current_dir(&folder)
            .status()?;
        Ok(Self { folder })
    }

    /// The kernels' PTX for a target, as the driver takes it.
    pub fn compile(&self, target: &Target, output: &Path) -> Result<String, String> {
        let emitted = output.join(target.name).with_extension("emitted.ptx");
        CudaBuilder::new(&self.folder)
            .arch(target.arch)
            // `release` is a profile too, and there can be one only; but it also has libNVVM optimise.
            .release(false)
            .nvvm_opts(true)
            .build_args(&[format!("--profile={}", target.name)])
            // The bits of floats are promised: nothing may be fused, flushed or replaced.
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

/// Writes a file if its contents change: cargo compiles again whatever was written.
fn write(path: &Path, text: &str) -> io::Result<()> {
    match fs::read_to_string(path).is_ok_and(|written| written == text) {
        true => Ok(()),
        false => fs::write(path, text),
    }
}

/// The manifest of the crate around the kernels.
///
/// rustc's pass `JumpThreading` may copy a barrier into both arms of a branch, and `CudaBuilder` takes no flags for rustc: so the profile
/// turns the pass off for packages with barriers, and for code that is inlined into them. No kernel uses `glam`, on which `cuda_std`
/// depends: it is not optimised, which would take a minute.
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
