//! Builds the committed PTX reproducibly, with a pinned compiler.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use rayon::prelude::*;
use warpfold_ptx::finish::finish;
use warpfold_ptx::table::Table;

use crate::kernel_set::KernelSet;
use crate::{Outcome, inspect, skeletons};

/// The compiler of the committed PTX, as `rustc --version` prints it.
const COMPILER: &str = "rustc 1.97.0-nightly (e50aa6fba 2026-05-19)";

/// Texts, by their paths in [`KernelSet::folder`].
type Files = BTreeMap<String, String>;

/// A unit of building: a folder with the library's texts, or one text of the ladder.
struct Variant {
    name: &'static str,
    part: KernelSet,
    target_cpu: &'static str,
    ptx_feature: &'static str,
}

impl Variant {
    const fn library(name: &'static str, ptx_feature: &'static str) -> Self {
        Self {
            name,
            part: KernelSet::Library,
            target_cpu: name,
            ptx_feature,
        }
    }

    const fn ladder(name: &'static str, part: KernelSet) -> Self {
        Self {
            name,
            part,
            target_cpu: "sm_70",
            ptx_feature: "+ptx74",
        }
    }
}

/// The library's kernels are built for an architecture that has asynchronous copies and programmatic dependent launches. At load, the
/// library makes the texts for older devices from the texts for this architecture. The ladder's kernels are built for the oldest
/// architecture that the compiler accepts.
const VARIANTS: [Variant; 3] = [
    Variant::library("sm_90", "+ptx78"),
    Variant::ladder("ladder", KernelSet::Ladder),
    Variant::ladder("ladder_nested", KernelSet::Nested),
];

/// The variants with these names; all of them if no name is given.
fn named(names: &[&str]) -> Result<Vec<&'static Variant>> {
    for name in names {
        let known = VARIANTS.iter().any(|variant| variant.name == *name);
        ensure!(known, "no PTX is called `{name}`");
    }
    let is_named = |variant: &&Variant| names.is_empty() || names.contains(&variant.name);
    Ok(VARIANTS.iter().filter(is_named).collect())
}

/// Builds the variants, and replaces their committed files.
pub fn write(root: &Path, names: &[&str]) -> Result<Outcome> {
    if let Some(why) = missing()? {
        return Ok(Outcome::Unable(why));
    }
    for (variant, files) in build_all(root, &named(names)?) {
        let files = files?;
        let folder = root.join(variant.part.folder());
        fs::create_dir_all(&folder)?;
        for path in committed(&folder, variant)?.keys() {
            fs::remove_file(folder.join(path)).with_context(|| format!("removing {path}"))?;
        }
        if variant.part == KernelSet::Library {
            fs::create_dir_all(folder.join(variant.name))?;
        }
        let bytes: usize = files.values().map(String::len).sum();
        println!(
            "{}: {} files, {} KiB",
            variant.name,
            files.len(),
            bytes / 1024
        );
        for (path, text) in files {
            fs::write(folder.join(&path), text).with_context(|| format!("writing {path}"))?;
        }
    }
    Ok(Outcome::Done)
}

/// Builds the variants, and compares them with the committed files.
pub fn check(root: &Path, names: &[&str]) -> Result<Outcome> {
    if let Some(why) = missing()? {
        return Ok(Outcome::Unable(why));
    }
    for (variant, built) in build_all(root, &named(names)?) {
        let folder = variant.part.folder();
        let committed = committed(&root.join(folder), variant)?;
        let built = built?;
        if let Some(difference) = first_difference(&committed, &built) {
            bail!("{folder} is not what the source gives: {difference}. Run `cargo xtask ptx`.");
        }
        println!("{}: as the source gives it", variant.name);
    }
    Ok(Outcome::Done)
}

/// The first difference between committed and built files.
fn first_difference(committed: &Files, built: &Files) -> Option<String> {
    let mut paths = committed.keys().chain(built.keys());
    let path = paths.find(|path| committed.get(*path) != built.get(*path))?;
    Some(match (committed.get(path), built.get(path)) {
        (Some(a), Some(b)) => {
            let same = a.lines().zip(b.lines()).take_while(|(a, b)| a == b);
            format!("{path} differs from line {}", same.count() + 1)
        }
        (Some(_), None) => format!("{path} is not made"),
        _ => format!("{path} is missing"),
    })
}

/// The committed files of a variant.
fn committed(folder: &Path, variant: &Variant) -> Result<Files> {
    let mut files = Files::new();
    let mut read = |path: String| -> Result<()> {
        let text = fs::read_to_string(folder.join(&path));
        files.insert(
            path.clone(),
            text.with_context(|| format!("reading {path}"))?,
        );
        Ok(())
    };
    if variant.part != KernelSet::Library {
        let path = format!("{}.ptx", variant.name);
        if folder.join(&path).exists() {
            read(path)?;
        }
        return Ok(files);
    }
    let entries = match fs::read_dir(folder.join(variant.name)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(files),
        entries => entries?,
    };
    for entry in entries {
        let name = entry?.file_name();
        read(format!("{}/{}", variant.name, name.to_string_lossy()))?;
    }
    Ok(files)
}

/// The library's kernels, as they ship.
#[cfg(test)]
pub fn committed_kernels(root: &Path) -> Result<String> {
    skeletons::whole(&committed_table(root)?)
}

/// Some of the library's kernels, as they ship.
#[cfg(test)]
pub fn committed_kernels_called(root: &Path, symbols: &[&str]) -> Result<String> {
    let mut table = committed_table(root)?;
    let is_called = |symbol: &str| symbols.contains(&symbol);
    table.recipes.retain(|recipe| is_called(&recipe.symbol));
    // The text of the kernels without a skeleton.
    table.own = None;
    skeletons::whole(&table)
}

/// The library's committed table.
#[cfg(test)]
fn committed_table(root: &Path) -> Result<Table> {
    let variant = &VARIANTS[0];
    let files = committed(&root.join(variant.part.folder()), variant)?;
    table(variant.name, files)
}

/// What the build needs and this machine lacks, if anything.
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

/// The output of the nightly compiler. `None` if the compiler is missing or fails.
fn rustc(arguments: &[&str]) -> Option<String> {
    let output = Command::new("rustc")
        .arg("+nightly")
        .args(arguments)
        .output()
        .ok()?;
    let printed = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| printed.trim().to_owned())
}

/// Builds variants in parallel, since the compiler uses one processor for each.
fn build_all<'a>(root: &Path, variants: &[&'a Variant]) -> Vec<(&'a Variant, Result<Files>)> {
    let built = variants.par_iter();
    built
        .map(|&variant| (variant, build(root, variant)))
        .collect()
}

/// Compiles a variant's kernels, and returns the finished files.
///
/// The compiler's pass `JumpThreading` may copy a barrier into both arms of a branch. So this pass is off for the kernels and for the
/// building blocks that they call.
fn build(root: &Path, variant: &Variant) -> Result<Files> {
    // The ladder's two texts share a target folder, so cargo compiles the ladder's kernels once for both texts.
    let folder = match variant.part {
        KernelSet::Library => variant.name,
        KernelSet::Ladder | KernelSet::Nested => "ladder",
    };
    let target = root.join("target/ptx").join(folder);
    let arguments = [
        "--quiet",
        "--package",
        variant.part.package(),
        "--release",
        "-Zbuild-std=core",
        "-Zprofile-rustflags",
        "--target=nvptx64-nvidia-cuda",
        "--crate-type=cdylib",
        "--features",
        variant.part.features(),
        "--",
        "--emit=asm",
        "-Clinker=/bin/true",
    ];
    let passes = [KernelSet::Library, KernelSet::Ladder].map(|part| {
        let passes = "rustflags=['-Zmir-enable-passes=-JumpThreading']";
        format!(
            "--config=profile.release.package.{}.{passes}",
            part.package()
        )
    });
    let status = Command::new("cargo")
        .args(["+nightly", "rustc"])
        .args(passes)
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

    let emitted = format!("{}.s", variant.part.package().replace('-', "_"));
    let emitted = target
        .join("nvptx64-nvidia-cuda/release/deps")
        .join(emitted);
    let emitted =
        fs::read_to_string(&emitted).with_context(|| format!("reading {}", emitted.display()))?;
    finished(variant, &emitted).with_context(|| format!("PTX of {}", variant.name))
}

/// Turns the compiler's output into the finished files, and inspects them.
fn finished(variant: &Variant, emitted: &str) -> Result<Files> {
    if variant.part != KernelSet::Library {
        let text = format!(
            "{}{}",
            stamp(variant),
            finish(emitted, &variant.part.contents())?
        );
        inspect::inspect(&text, variant.part)?;
        return Ok(Files::from([(format!("{}.ptx", variant.name), text)]));
    }
    let files = skeletons::files(emitted, &stamp(variant))?.into_iter();
    let files: Files = files
        .map(|(name, text)| (format!("{}/{name}", variant.name), text))
        .collect();
    let table = table(variant.name, files.clone())?;
    inspect::inspect_library(&skeletons::whole(&table)?)?;
    Ok(files)
}

/// The table of skeletons and bodies in a folder's files.
fn table(folder: &str, files: Files) -> Result<Table> {
    let files = files.into_iter().map(|(path, text)| {
        let name = path.trim_start_matches(folder).trim_start_matches('/');
        (name.to_owned(), text)
    });
    Ok(Table::of_files(files.collect())?)
}

/// The lines that say how the text was made.
fn stamp(variant: &Variant) -> String {
    format!(
        "// Made by `cargo xtask ptx` from {}, with {COMPILER},\n\
         // -Ctarget-cpu={} -Ctarget-feature={}. Do not edit.\n",
        variant.part.source(),
        variant.target_cpu,
        variant.ptx_feature
    )
}
