//! Building the PTX that ships: once for each architecture, with a pinned compiler, reproducibly.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Error, Result, bail, ensure};
use rayon::prelude::*;

use crate::finish::finish;
use crate::part::Part;
use crate::{Outcome, inspect};

/// The compiler that the committed PTX is made with, as `rustc --version` prints it.
const COMPILER: &str = "rustc 1.97.0-nightly (e50aa6fba 2026-05-19)";

/// The folder of the committed PTX.
const FOLDER: &str = "host/ptx";

/// A text that is built, and what it is built for.
struct Variant {
    file: &'static str,
    part: Part,
    target_cpu: &'static str,
    ptx_feature: &'static str,
}

impl Variant {
    const fn library(file: &'static str, ptx_feature: &'static str) -> Self {
        Self {
            file,
            part: Part::Library,
            target_cpu: file,
            ptx_feature,
        }
    }

    const fn ladder(file: &'static str, part: Part) -> Self {
        Self {
            file,
            part,
            target_cpu: "sm_70",
            ptx_feature: "+ptx74",
        }
    }
}

/// The library's kernels for the oldest architecture that the compiler takes and for those whose instructions pay
/// (asynchronous copies; programmatic dependent launches), with the PTX version that these need; and the ladder's for the
/// oldest.
const VARIANTS: [Variant; 5] = [
    Variant::library("sm_70", "+ptx74"),
    Variant::library("sm_80", "+ptx74"),
    Variant::library("sm_90", "+ptx78"),
    Variant::ladder("ladder", Part::Ladder),
    Variant::ladder("ladder_nested", Part::Nested),
];

/// The variants with these files; all of them where none are named.
fn named(files: &[&str]) -> Result<Vec<&'static Variant>> {
    for file in files {
        let known = VARIANTS.iter().any(|variant| variant.file == *file);
        ensure!(known, "no PTX is called `{file}`");
    }
    let is_named = |variant: &&Variant| files.is_empty() || files.contains(&variant.file);
    Ok(VARIANTS.iter().filter(is_named).collect())
}

/// Builds the variants and writes them to [`FOLDER`].
pub fn write(root: &Path, files: &[&str]) -> Result<Outcome> {
    if let Some(why) = missing()? {
        return Ok(Outcome::Unable(why));
    }
    fs::create_dir_all(root.join(FOLDER))?;
    for (variant, text) in build_all(root, &named(files)?) {
        let text = text?;
        let path = committed(root, variant);
        println!("{}: {} KiB", path.display(), text.len() / 1024);
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(Outcome::Done)
}

/// Builds the variants and compares them with what [`FOLDER`] holds.
pub fn check(root: &Path, files: &[&str]) -> Result<Outcome> {
    if let Some(why) = missing()? {
        return Ok(Outcome::Unable(why));
    }
    for (variant, built) in build_all(root, &named(files)?) {
        let built = built?;
        let path = committed(root, variant);
        let committed =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        if let Some(line) = first_difference(&committed, &built) {
            bail!(
                "{} is not what the source gives: they differ from line {line}. Run `cargo xtask ptx`.",
                path.display()
            );
        }
        println!("{}: as the source gives it", path.display());
    }
    Ok(Outcome::Done)
}

/// The number of the first line in which two texts differ.
fn first_difference(a: &str, b: &str) -> Option<usize> {
    if a == b {
        return None;
    }
    let same = a.lines().zip(b.lines()).take_while(|(a, b)| a == b);
    Some(same.count() + 1)
}

/// What the build needs and this machine lacks.
fn missing() -> Result<Option<String>> {
    let Some(version) = rustc(&["--version"]) else {
        return Ok(Some(format!("no toolchain `nightly`; needs {COMPILER}")));
    };
    if version != COMPILER {
        return Ok(Some(format!(
            "the PTX is made with {COMPILER}; `nightly` is {version}"
        )));
    }
    let sysroot = rustc(&["--print", "sysroot"]).context("rustc names no sysroot")?;
    let source = Path::new(&sysroot).join("lib/rustlib/src/rust/library/core/Cargo.toml");
    if !source.exists() {
        return Ok(Some("the nightly toolchain has no rust-src".to_owned()));
    }
    Ok(None)
}

/// What the nightly compiler prints, or nothing where there is none.
fn rustc(arguments: &[&str]) -> Option<String> {
    let output = Command::new("rustc")
        .arg("+nightly")
        .args(arguments)
        .output()
        .ok()?;
    let printed = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| printed.trim().to_owned())
}

fn committed(root: &Path, variant: &Variant) -> PathBuf {
    root.join(FOLDER).join(variant.file).with_extension("ptx")
}

/// Builds variants side by side, since the compiler takes one processor for each.
fn build_all<'a>(root: &Path, variants: &[&'a Variant]) -> Vec<(&'a Variant, Result<String>)> {
    let built = variants.par_iter();
    built
        .map(|&variant| (variant, build(root, variant)))
        .collect()
}

/// Compiles the kernels for one architecture, and gives the finished text.
///
/// `JumpThreading` is off because it may copy a barrier into both arms of a branch.
fn build(root: &Path, variant: &Variant) -> Result<String> {
    let target = root.join("target/ptx").join(variant.file);
    let arguments = [
        "rustc",
        "--quiet",
        "--package=warpfold-kernels",
        "--release",
        "-Zbuild-std=core",
        "--target=nvptx64-nvidia-cuda",
        "--crate-type=cdylib",
        "--features",
        variant.part.features(),
        "--",
        "--emit=asm",
        "-Clinker=/bin/true",
        "-Zmir-enable-passes=-JumpThreading",
    ];
    let status = Command::new("cargo")
        .arg("+nightly")
        .args(arguments)
        .arg(format!("-Ctarget-cpu={}", variant.target_cpu))
        .arg(format!("-Ctarget-feature={}", variant.ptx_feature))
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTUP_TOOLCHAIN")
        .current_dir(root)
        .status()
        .context("running cargo +nightly")?;
    ensure!(status.success(), "compiling the kernels: {status}");

    let emitted = target.join("nvptx64-nvidia-cuda/release/deps/warpfold_kernels.s");
    let emitted =
        fs::read_to_string(&emitted).with_context(|| format!("reading {}", emitted.display()))?;
    let text = format!(
        "{}{}",
        stamp(variant),
        finish(&emitted, variant.part).map_err(Error::msg)?
    );
    inspect::inspect(&text, variant.part).with_context(|| format!("PTX of {}", variant.file))?;
    Ok(text)
}

/// The lines that say how the text was made.
fn stamp(variant: &Variant) -> String {
    format!(
        "// Made by `cargo xtask ptx` from kernels-gpu, with {COMPILER},\n\
         // -Ctarget-cpu={} -Ctarget-feature={}. Do not edit.\n",
        variant.target_cpu, variant.ptx_feature
    )
}
