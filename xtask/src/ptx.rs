//! Building the PTX that ships: once for each architecture, with a pinned compiler, reproducibly.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use warpfold_kernels::contract::BLOCK_THREADS;
use warpfold_kernels::launch;

use crate::{Outcome, inspect};

/// The compiler that the committed PTX is made with, as `rustc --version` prints it.
const COMPILER: &str = "rustc 1.97.0-nightly (e50aa6fba 2026-05-19)";

/// The folder of the committed PTX.
const FOLDER: &str = "host/ptx";

/// An architecture that PTX is built for, and the PTX version that its instructions need.
struct Variant {
    target_cpu: &'static str,
    ptx_feature: &'static str,
}

/// The oldest architecture that the compiler takes, and those where newer instructions pay.
const VARIANTS: [Variant; 3] = [
    Variant {
        target_cpu: "sm_70",
        ptx_feature: "+ptx74",
    },
    Variant {
        target_cpu: "sm_80",
        ptx_feature: "+ptx74",
    },
    Variant {
        target_cpu: "sm_90",
        ptx_feature: "+ptx80",
    },
];

/// Builds every variant and writes it to [`FOLDER`].
pub fn write(root: &Path) -> Result<Outcome> {
    if let Some(why) = missing()? {
        return Ok(Outcome::Unable(why));
    }
    fs::create_dir_all(root.join(FOLDER))?;
    for variant in &VARIANTS {
        let text = build(root, variant)?;
        let path = committed(root, variant);
        println!("{}: {} KiB", path.display(), text.len() / 1024);
        fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    Ok(Outcome::Done)
}

/// Builds every variant and compares it with what [`FOLDER`] holds.
pub fn check(root: &Path) -> Result<Outcome> {
    if let Some(why) = missing()? {
        return Ok(Outcome::Unable(why));
    }
    for variant in &VARIANTS {
        let path = committed(root, variant);
        let committed =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let built = build(root, variant)?;
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
    root.join(FOLDER)
        .join(variant.target_cpu)
        .with_extension("ptx")
}

/// Compiles the kernels for one architecture, and gives the finished text.
///
/// `JumpThreading` is off because it may copy a barrier into both arms of a branch.
fn build(root: &Path, variant: &Variant) -> Result<String> {
    let target = root.join("target/ptx").join(variant.target_cpu);
    let arguments = [
        "rustc",
        "--quiet",
        "--package=warpfold-kernels",
        "--release",
        "-Zbuild-std=core",
        "--target=nvptx64-nvidia-cuda",
        "--crate-type=cdylib",
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
    let text = format!("{}{}", stamp(variant), finish(&emitted)?);
    inspect::inspect(&text).with_context(|| format!("PTX for {}", variant.target_cpu))?;
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

/// Takes out what the driver does not need, and adds to each entry the size of its blocks and how many
/// of them are to share a multiprocessor: rustc has no way to say so.
fn finish(emitted: &str) -> Result<String> {
    let mut text = String::with_capacity(emitted.len());
    let mut entry = None;
    let mut in_function = false;
    for line in emitted.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with("//") {
            continue;
        }
        // The panic handler is the only function that is not an entry, and nothing calls it.
        in_function |= trimmed.starts_with(".visible .func");
        if in_function {
            in_function = trimmed != "}";
            continue;
        }
        if let Some(name) = inspect::entry_name(trimmed) {
            entry = Some(name.to_owned());
        }
        text.push_str(line.trim_end());
        text.push('\n');
        if trimmed == ")"
            && let Some(entry) = &entry
        {
            text.push_str(&launch_bounds(entry)?);
        }
    }
    Ok(text)
}

fn launch_bounds(entry: &str) -> Result<String> {
    let blocks = if entry.starts_with("reduce_") {
        launch::REDUCE_BLOCKS_PER_MULTIPROCESSOR
    } else if entry.contains("_scan_") {
        launch::SCAN_BLOCKS_PER_MULTIPROCESSOR
    } else {
        bail!("no launch bounds are known for the entry {entry}");
    };
    Ok(format!(
        ".maxntid {BLOCK_THREADS}, 1, 1\n.minnctapersm {blocks}\n"
    ))
}
