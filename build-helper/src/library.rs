//! The library for the device: cargo compiles `warpfold-kernels` once, and rustc then compiles the rows against it. This module also hashes
//! the library's version and sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::device::{DeviceCrate, FLAGS, KERNELS_VERSION, source_folder};
use crate::error::Error;
use crate::source::Hash;
use crate::toolchain::Toolchain;
use crate::variant::TARGET;
use crate::variant::Variant;

/// The crates whose sources decide the device code. Their folders are beside each other both in the repository and in the folder to which
/// cargo unpacks packages.
const CRATES: [&str; 3] = ["warpfold-kernels", "warpfold-ptx", env!("CARGO_PKG_NAME")];

/// A hash of the library's version, and of the sources of the crates in [`CRATES`]. A crate whose folder is not found is left out.
pub fn contents() -> Hash {
    let mut hash = Hash::of(KERNELS_VERSION.as_bytes());
    for name in CRATES {
        let Some(folder) = source_folder(name) else {
            continue;
        };
        let mut files = Vec::new();
        files_of(&folder.join("src"), &mut files);
        files.sort();
        for file in files {
            let name = file.strip_prefix(&folder).unwrap_or(&file);
            hash = hash.with(name.to_string_lossy().as_bytes());
            hash = hash.with(&fs::read(&file).unwrap_or_default());
        }
    }
    hash
}

fn files_of(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files_of(&path, files),
            path => files.push(path),
        }
    }
}

/// The library, compiled for an architecture.
#[derive(Debug)]
pub struct Library {
    variant: &'static Variant,
    /// rustc's arguments for linking with the library.
    arguments: Vec<String>,
}

impl Library {
    /// Has cargo compile the library, as a dependency of an empty device crate.
    pub fn compile(
        device: &DeviceCrate,
        toolchain: &Toolchain,
        variant: &'static Variant,
    ) -> Result<Self, Error> {
        let messages = device.run(toolchain, variant)?;
        let artifact = |name: &str| {
            artifact(&messages, name).ok_or_else(|| Error::Compiler {
                target: variant.target_cpu,
                messages: format!("cargo does not say where it has left `{name}`"),
            })
        };
        let library = artifact("warpfold_kernels")?;
        let mut arguments = vec![format!("--extern=warpfold={library}")];
        if let Toolchain::Nightly = toolchain {
            arguments.push("-Zunstable-options".to_owned());
        }
        for name in toolchain.built_crates() {
            arguments.push(format!("--extern=noprelude:{name}={}", artifact(name)?));
        }
        let release = device.target(variant);
        for folder in [release.join(TARGET), release] {
            let folder = folder.join("release/deps");
            arguments.push(format!("-Ldependency={}", folder.display()));
        }
        Ok(Self { variant, arguments })
    }

    /// The architecture.
    pub fn variant(&self) -> &'static Variant {
        self.variant
    }

    /// Compiles a crate's source against the library, and writes the PTX to the file `emitted`. Temporary files go to the folder of
    /// `emitted`. If rustc fails, the error is its output.
    pub fn rustc(
        &self,
        toolchain: &Toolchain,
        edition: &str,
        crate_text: &Path,
        emitted: &Path,
    ) -> Result<(), String> {
        let mut command: Command = toolchain.rustc();
        command
            .args(["--crate-name=warpfold_device", "--crate-type=staticlib"])
            .args(["--target", TARGET])
            .args(["-Copt-level=3", "-Clto=fat", "-Ccodegen-units=1"])
            .args([
                "-Cpanic=abort",
                "-Coverflow-checks=off",
                "-Cdebug-assertions=off",
            ])
            // Kernels have nothing to vectorise: the passes that vectorise change no text, and take time.
            .args(["-Cno-vectorize-loops", "-Cno-vectorize-slp"])
            .arg(format!("--edition={edition}"))
            // rustc optimises across crates only if it links.
            .arg("--emit=link")
            .arg(format!("--emit=asm={}", emitted.display()))
            .arg(format!("-Ctarget-cpu={}", self.variant.target_cpu))
            .args(FLAGS)
            .args(&self.arguments)
            .arg(crate_text)
            .current_dir(emitted.parent().unwrap_or(Path::new(".")));
        let output = command.output().map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

/// The file of the library `name`, from cargo's messages. Each message is a line of JSON.
fn artifact(messages: &str, name: &str) -> Option<String> {
    let of_name = format!("\"name\":\"{name}\"");
    let mut lines = messages.lines().filter(|line| {
        line.contains("\"reason\":\"compiler-artifact\"") && line.contains(&of_name)
    });
    lines.find_map(|line| {
        let files = line.split_once("\"filenames\":[")?.1.split_once(']')?.0;
        let mut files = files.split(',').map(|file| file.trim_matches('"'));
        let file = files.find(|file| file.ends_with(".rlib"))?;
        Some(file.replace("\\\\", "\\"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_librarys_file_is_found_in_cargos_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"half"},"filenames":["/t/libhalf-1.rlib","/t/libhalf-1.rmeta"],"fresh":true}
{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"warpfold_kernels"},"filenames":["C:\\t\\libk-2.rmeta","C:\\t\\libk-2.rlib"]}
{"reason":"build-finished","success":true}"#;
        assert_eq!(
            artifact(messages, "half").as_deref(),
            Some("/t/libhalf-1.rlib")
        );
        let kernels = artifact(messages, "warpfold_kernels");
        assert_eq!(kernels.as_deref(), Some("C:\\t\\libk-2.rlib"));
        assert_eq!(artifact(messages, "core"), None);
    }

    #[test]
    fn the_sources_are_found() {
        assert!(CRATES.iter().all(|name| source_folder(name).is_some()));
        assert_ne!(contents(), Hash::of(KERNELS_VERSION.as_bytes()));
    }
}
