//! Which compiler makes device code: the one in use, if it has the target; else the nightly one with the library's sources.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use crate::error::Error;

/// rustc's name of the device.
pub const TARGET: &str = "nvptx64-nvidia-cuda";

/// A compiler that can make device code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Toolchain {
    /// The one that compiles the user's crate: cargo and rustc.
    Current {
        /// The path of cargo.
        cargo: OsString,
        /// The path of rustc.
        rustc: OsString,
    },
    /// The nightly toolchain, which builds `core` for the device too.
    Nightly,
}

impl Toolchain {
    /// Finds one.
    pub fn find() -> Result<Self, Error> {
        let of = |variable, default: &str| env::var_os(variable).unwrap_or_else(|| default.into());
        let (cargo, rustc) = (of("CARGO", "cargo"), of("RUSTC", "rustc"));
        let libraries =
            printed(Command::new(&rustc).args(["--print=target-libdir", "--target", TARGET]));
        if libraries.is_some_and(|folder| has_core(Path::new(&folder))) {
            return Ok(Self::Current { cargo, rustc });
        }
        let mut nightly = Command::new("rustup");
        nightly.args(["run", "nightly", "rustc", "--print=sysroot"]);
        let sources = "lib/rustlib/src/rust/library/core/Cargo.toml";
        if printed(&mut nightly).is_some_and(|root| Path::new(&root).join(sources).exists()) {
            return Ok(Self::Nightly);
        }
        let version = printed(Command::new(&rustc).arg("--version"));
        Err(Error::NoToolchain(format!(
            "the operators have to be compiled for the GPU, and {} has no target `{TARGET}`. Add it by\n\n    \
             rustup target add {TARGET}\n\n\
             or, with the nightly toolchain, by `rustup component add rust-src --toolchain nightly`. \
             Who only builds your crate needs neither if you commit the device code: see WARPFOLD_UPDATE in the documentation of `warpfold-build`.",
            version.as_deref().unwrap_or("the compiler in use"),
        )))
    }

    /// cargo, with the arguments that the toolchain needs beside those of `rustc`.
    pub fn cargo(&self) -> Command {
        match self {
            Self::Current { cargo, rustc } => {
                let mut command = Command::new(cargo);
                command.arg("rustc").env("RUSTC", rustc);
                command
            }
            Self::Nightly => {
                let mut command = Command::new("rustup");
                command
                    .args(["run", "nightly", "cargo", "rustc", "-Zbuild-std=core"])
                    .env_remove("RUSTC")
                    .env_remove("CARGO");
                command
            }
        }
    }
}

/// Whether a folder of the standard library's has `core`.
fn has_core(folder: &Path) -> bool {
    let Ok(files) = folder.read_dir() else {
        return false;
    };
    files
        .flatten()
        .any(|file| file.file_name().to_string_lossy().starts_with("libcore-"))
}

/// What a command prints, or nothing where it fails.
fn printed(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let printed = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| printed.trim().to_owned())
}
