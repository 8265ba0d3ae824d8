//! The compiler for device code. It is the compiler in use, if that has the target. Otherwise it is rustup's nightly compiler, if that has
//! the sources of the standard library.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use crate::error::Error;
use crate::variant::TARGET;

/// A compiler that can make device code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Toolchain {
    /// The cargo and the rustc that compile the user's crate.
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
    /// Finds a toolchain: the compiler that cargo uses, or rustup's nightly one.
    pub fn find() -> Result<Self, Error> {
        let of = |variable, default: &str| env::var_os(variable).unwrap_or_else(|| default.into());
        Self::find_among(
            of("CARGO", "cargo"),
            of("RUSTC", "rustc"),
            "rustup".as_ref(),
        )
    }

    fn find_among(cargo: OsString, rustc: OsString, rustup: &OsStr) -> Result<Self, Error> {
        let mut folder = Command::new(&rustc);
        folder.args(["--print=target-libdir", "--target", TARGET]);
        if printed(&mut folder).is_some_and(|folder| has_core(Path::new(&folder))) {
            return Ok(Self::Current { cargo, rustc });
        }
        let mut nightly = Command::new(rustup);
        nightly.args(["run", "nightly", "rustc", "--print=sysroot"]);
        let sources = "lib/rustlib/src/rust/library/core/Cargo.toml";
        if printed(&mut nightly).is_some_and(|root| Path::new(&root).join(sources).exists()) {
            return Ok(Self::Nightly);
        }
        let version = printed(Command::new(&rustc).arg("--version"));
        Err(Error::NoToolchain {
            compiler: version.unwrap_or_else(|| "the compiler in use".to_owned()),
            committed: None,
        })
    }

    /// The compiler's version text.
    pub fn version(&self) -> Option<String> {
        printed(self.rustc().arg("-vV"))
    }

    /// rustc.
    pub fn rustc(&self) -> Command {
        match self {
            Self::Current { rustc, .. } => Command::new(rustc),
            Self::Nightly => {
                let mut command = Command::new("rustup");
                command.args(["run", "nightly", "rustc"]);
                command
            }
        }
    }

    /// The crates of the standard library that cargo has to compile for the device, since the toolchain only has their sources.
    pub fn built_crates(&self) -> &'static [&'static str] {
        match self {
            Self::Current { .. } => &[],
            Self::Nightly => &["core", "compiler_builtins"],
        }
    }

    /// The command `cargo rustc`, with the arguments that this toolchain needs.
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

/// Whether a folder of the standard library has `core`.
fn has_core(folder: &Path) -> bool {
    let Ok(files) = folder.read_dir() else {
        return false;
    };
    files
        .flatten()
        .any(|file| file.file_name().to_string_lossy().starts_with("libcore-"))
}

/// The output of a command; `None` if it fails.
fn printed(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let printed = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| printed.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Unfit;

    #[test]
    fn a_missing_target_is_named_with_the_command_that_adds_it() {
        let nothing = || OsString::from("no-such-program");
        let error = Toolchain::find_among(nothing(), nothing(), &nothing()).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("rustup target add nvptx64-nvidia-cuda"),
            "{message}"
        );
        assert!(message.contains("WARPFOLD_UPDATE"), "{message}");

        // The message begins with the committed file that does not fit.
        let committed = Some(("src/operators.kernels".into(), Unfit::Source));
        let message = match error {
            Error::NoToolchain { compiler, .. } => Error::NoToolchain {
                compiler,
                committed,
            },
            error => error,
        };
        let message = message.to_string();
        let reason = format!("src/operators.kernels {}. So kernels", Unfit::Source);
        assert!(message.starts_with(&reason), "{message}");
    }
}
