//! Compiles the kernels with rust-cuda's `CudaBuilder`.
//!
//! `CudaBuilder` compiles a crate that makes a `cdylib`, and the kernels' crate makes none (other targets could not
//! link it), so a crate of one line around it is written first. Needed beside it: the nightly toolchain, LLVM 7 and
//! CUDA toolkit that `rustc_codegen_nvvm` asks for. `cargo xtask rust-cuda` builds and tests what comes of it.
//!
//! Each architecture has a profile of its own in that crate. So it has a folder of its own below `target`, and cargo locks
//! that alone: the architectures are compiled side by side.

mod amend;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io, panic, thread};

use cuda_builder::{CudaBuilder, NvvmArch};

use crate::finish::finish;
use crate::pack::{self, Variant};
use crate::part::Part;

/// A folder with the sources of the kernels' crate, where it is not that of this package. `cargo xtask rust-cuda` names
/// one with fewer kernels.
const KERNELS: &str = "WARPFOLD_KERNELS";

/// The names of the architectures that are compiled for, with commas between them, where it is not for all.
const ARCHITECTURES: &str = "WARPFOLD_ARCHITECTURES";

/// What the kernels are compiled for.
struct Target {
    arch: NvvmArch,
    /// The lowest compute capability that runs it, major and minor.
    capability: (u32, u32),
    /// The name of the profile and of the text.
    name: &'static str,
    /// The PTX version of the oldest drivers that know the instructions.
    version: &'static str,
    /// The texts that are made of it beside that of the library, which has its name.
    others: &'static [(Part, &'static str)],
}

/// The texts of the ladder.
const LADDER: &[(Part, &str)] = if cfg!(feature = "ladder") {
    &[(Part::Ladder, "ladder"), (Part::Nested, "ladder_nested")]
} else {
    &[]
};

/// The same as of the PTX that ships, the best first.
const TARGETS: [Target; 3] = [
    Target {
        arch: NvvmArch::Compute90,
        capability: (9, 0),
        name: "sm_90",
        version: "7.8",
        others: &[],
    },
    Target {
        arch: NvvmArch::Compute80,
        capability: (8, 0),
        name: "sm_80",
        version: "7.4",
        others: &[],
    },
    Target {
        arch: NvvmArch::Compute70,
        capability: (7, 0),
        name: "sm_70",
        version: "7.4",
        others: LADDER,
    },
];

/// The kernels' PTX for each architecture, the best first, and the ladder's. Each text is left in `output`, the build's folder,
/// too.
pub fn compile(output: &Path) -> Result<Vec<Variant>, Box<dyn Error>> {
    let cdylib = write_cdylib(output)?;
    let targets = targets()?;
    thread::scope(|scope| {
        let cdylib = &cdylib;
        let compile = |target| scope.spawn(move || compile_for(target, cdylib, output));
        let threads: Vec<_> = targets.into_iter().map(compile).collect();
        let mut variants = Vec::new();
        for thread in threads {
            variants.extend(
                thread
                    .join()
                    .unwrap_or_else(|panic| panic::resume_unwind(panic))?,
            );
        }
        Ok(variants)
    })
}

/// The architectures that are wanted.
fn targets() -> Result<Vec<&'static Target>, String> {
    println!("cargo::rerun-if-env-changed={ARCHITECTURES}");
    let Ok(names) = env::var(ARCHITECTURES) else {
        return Ok(TARGETS.iter().collect());
    };
    let names: Vec<_> = names.split(',').collect();
    let known = TARGETS.map(|target| target.name);
    match names.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(format!(
            "{ARCHITECTURES} names `{name}`; there are {known:?}"
        )),
        None => Ok(TARGETS
            .iter()
            .filter(|target| names.contains(&target.name))
            .collect()),
    }
}

/// Writes the crate around the kernels, and gives its folder.
fn write_cdylib(output: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let version = env::var("CARGO_PKG_VERSION")?;

    // Beside this crate in its repository; from the registry otherwise.
    println!("cargo::rerun-if-env-changed={KERNELS}");
    let kernels = env::var_os(KERNELS);
    let kernels = kernels.map_or_else(|| here.with_file_name("kernels-gpu"), PathBuf::from);
    let mut source = format!("version = \"={version}\"");
    if kernels.is_dir() {
        println!("cargo::rerun-if-changed={}", kernels.display());
        source += &format!(", path = {kernels:?}");
    }

    let cdylib = output.join("kernels-cdylib");
    fs::create_dir_all(cdylib.join("src"))?;
    write(&cdylib.join("Cargo.toml"), &manifest(&source))?;
    write(
        &cdylib.join("src/lib.rs"),
        "#![no_std]\nextern crate warpfold_kernels;\n",
    )?;

    // rust-cuda's `cuda_std` takes any `glam` from 0.22 on, and compiles with none after 0.30. The one on crates.io
    // has no `glam` to hold back; this then fails without harm.
    Command::new(env::var("CARGO")?)
        .args(["update", "--package=glam", "--precise=0.30.5"])
        .current_dir(&cdylib)
        .status()?;
    Ok(cdylib)
}

/// Writes a file, if it has to be another: cargo compiles anew what was written.
fn write(path: &Path, text: &str) -> io::Result<()> {
    match fs::read_to_string(path).is_ok_and(|written| written == text) {
        true => Ok(()),
        false => fs::write(path, text),
    }
}

/// The kernels' PTX for one architecture, the library's first.
fn compile_for(target: &Target, cdylib: &Path, output: &Path) -> Result<Vec<Variant>, String> {
    let emitted = output.join(target.name).with_extension("emitted.ptx");
    let mut arguments = vec![format!("--profile={}", target.name)];
    if !target.others.is_empty() {
        arguments.push("--features=ladder".to_owned());
    }
    CudaBuilder::new(cdylib)
        .arch(target.arch)
        // `release` is a profile too, and there can be one only; but it also has libNVVM optimise.
        .release(false)
        .nvvm_opts(true)
        .build_args(&arguments)
        // The bits of floats are promised: nothing may be fused, flushed or replaced.
        .fma_contraction(false)
        .ftz(false)
        .override_libm(false)
        .copy_to(&emitted)
        .build()
        .map_err(|error| format!("{}: {error}", target.name))?;
    let emitted = fs::read_to_string(emitted).map_err(|error| error.to_string())?;
    let amended = amend::amend(&emitted, target.version)?;
    let library = [(Part::Library, target.name)];
    let parts = library.iter().chain(target.others);
    parts
        .map(|&(part, name)| {
            let text = finish(&amended, part)?;
            let path = output.join(name).with_extension("ptx");
            fs::write(path, &text).map_err(|error| error.to_string())?;
            Ok(Variant {
                capability: target.capability,
                texts: pack::kernels(&text)?,
            })
        })
        .collect()
}

/// The manifest of the crate around the kernels, which come from `source`.
///
/// rustc's pass `JumpThreading` may copy a barrier into both arms of a branch, and `CudaBuilder` takes no flags for rustc:
/// so the profile turns the pass off, for the kernels and what is inlined into them.
fn manifest(source: &str) -> String {
    let profiles =
        TARGETS.map(|target| format!("[profile.{}]\ninherits = \"release\"\n", target.name));
    let profiles = profiles.concat();
    format!(
        r#"
cargo-features = ["profile-rustflags"]
[package]
name = "kernels-cdylib"
edition = "2021"
[lib]
crate-type = ["cdylib"]
[dependencies]
warpfold-kernels = {{ {source}, features = ["cuda_std"] }}
[features]
ladder = ["warpfold-kernels/ladder"]
[profile.release.package.warpfold-kernels]
rustflags = ["-Zmir-enable-passes=-JumpThreading"]
{profiles}
[workspace]
"#
    )
}
