//! Writes the crates for the device, and has cargo compile them. In these crates, the name `warpfold` means the crate `warpfold-kernels`.
//!
//! If the user's file has kernels, it is in a separate crate, on which the device crate depends. The file's crate and `warpfold-kernels`
//! are compiled without MIR's optimisations: `JumpThreading` would copy a shuffle or a barrier into both arms of a branch. Operators
//! contain neither shuffles nor barriers. Rows of operators are compiled separately, against the library that cargo has compiled for an
//! empty device crate (see [`crate::library`]).

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::build::Contents;
use crate::error::Error;
use crate::toolchain::Toolchain;
use crate::variant::TARGET;
use crate::variant::Variant;

/// The version of `warpfold-kernels` that goes with this crate.
pub const KERNELS_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The device crate's name.
const NAME: &str = "warpfold-device";

/// The name of the crate around a file of kernels, and of its folder.
const USER: &str = "warpfold-user";

/// A device crate.
#[derive(Debug)]
pub struct DeviceCrate {
    folder: PathBuf,
    target: PathBuf,
}

impl DeviceCrate {
    /// Writes the crate to a folder. For operators, it only links the library. For kernels, it links a second crate, which contains their
    /// file. Cargo will compile in the folder `target`.
    pub fn write(
        contents: Contents,
        source: &Path,
        edition: &str,
        folder: PathBuf,
        target: PathBuf,
    ) -> Result<Self, Error> {
        let code = match contents {
            Contents::Operators => "extern crate warpfold;\n".to_owned(),
            Contents::Kernels => {
                let module = [HEAD, &module(source)?].concat();
                write_crate(&folder.join(USER), &user_manifest(edition), &module)?;
                "extern crate warpfold_user;\n".to_owned()
            }
        };
        write_crate(&folder, &manifest(contents, edition), &library(&code))?;
        Ok(Self { folder, target })
    }

    /// Gives the crate the lock file of the user's crate, so that both use the same versions of their dependencies.
    pub fn lock_as(&self, lock: &Path) -> Result<(), Error> {
        fs::copy(lock, self.folder.join("Cargo.lock")).map_err(at(lock))?;
        Ok(())
    }

    /// Cargo's target folder for an architecture.
    pub fn target(&self, variant: &Variant) -> PathBuf {
        self.target.join(variant.target_cpu)
    }

    /// Compiles the crate, and returns the PTX.
    pub fn compile(&self, toolchain: &Toolchain, variant: &Variant) -> Result<String, Error> {
        self.run(toolchain, variant)?;
        let text = self.text(variant);
        fs::read_to_string(&text).map_err(at(&text))
    }

    /// The file to which the compiler writes the PTX.
    fn text(&self, variant: &Variant) -> PathBuf {
        self.folder.join(variant.target_cpu).with_extension("s")
    }

    /// Has cargo compile the crate, and returns cargo's messages.
    pub fn run(&self, toolchain: &Toolchain, variant: &Variant) -> Result<String, Error> {
        // Tries without a network first. If a package is missing, tries again with a network.
        let offline = self.cargo(toolchain, variant, true);
        let ran = match offline {
            Err(messages) if messages.contains("--offline") => {
                self.cargo(toolchain, variant, false)
            }
            ran => ran,
        };
        ran.map_err(|messages| Error::Compiler {
            target: variant.target_cpu,
            messages,
        })
    }

    /// Runs cargo, and returns its messages. If it fails, the error has cargo's output.
    fn cargo(
        &self,
        toolchain: &Toolchain,
        variant: &Variant,
        offline: bool,
    ) -> Result<String, String> {
        let text = self.text(variant);
        let mut command = toolchain.cargo();
        command
            .args(["--quiet", "--release", "--lib", "--target", TARGET])
            .args(["--message-format", "json-render-diagnostics"])
            .args(["--features", variant.target_cpu])
            .args(offline.then_some("--offline"))
            .arg("--target-dir")
            .arg(self.target(variant))
            .arg("--")
            .arg(format!("--emit=asm={}", text.display()))
            .arg(format!("-Ctarget-cpu={}", variant.target_cpu))
            .args(FLAGS)
            .current_dir(&self.folder)
            .env("CARGO_TERM_COLOR", "never");
        for variable in [
            "RUSTFLAGS",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_TARGET_DIR",
            "CARGO_BUILD_TARGET",
            "CARGO_BUILD_RUSTFLAGS",
            "RUSTC_WRAPPER",
            "RUSTC_WORKSPACE_WRAPPER",
            "CARGO_MAKEFLAGS",
        ] {
            command.env_remove(variable);
        }
        let output = command.output().map_err(|error| error.to_string())?;
        let printed = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        match output.status.success() {
            true => Ok(printed(output.stdout)),
            false => Err(printed(output.stderr)),
        }
    }
}

/// The source of a device crate that contains this file.
pub fn crate_around(source: &Path) -> Result<String, Error> {
    Ok(library(&module(source)?))
}

/// The declaration of a module that contains this file.
fn module(source: &Path) -> Result<String, Error> {
    let source = source.canonicalize().map_err(at(source))?;
    let path = source.display().to_string();
    Ok(format!("#[path = {path:?}]\nmod source;\n"))
}

/// The compiler's flags for the crate in which all code is optimised together: the device crate of a file of kernels, or a crate of rows of
/// operators. The dependencies are compiled without these flags.
///
/// - Tables of jumps or values become code, since kernels carry no tables.
/// - Functions are inlined, however long they are. Besides its general threshold, LLVM has one for calls in hot loops and two for calls in
///   rare branches, so four thresholds are set.
/// - If two branches copy a struct, LLVM does not merge the two copies. A merged copy would keep the struct in local memory.
pub const FLAGS: [&str; 6] = [
    "-Cjump-tables=no",
    "-Cllvm-args=-inline-threshold=100000",
    "-Cllvm-args=-locally-hot-callsite-threshold=100000",
    "-Cllvm-args=-inlinecold-threshold=100000",
    "-Cllvm-args=-inline-cold-callsite-threshold=100000",
    "-Cllvm-args=-simplifycfg-sink-common=false",
];

/// The first lines of each crate's `lib.rs`.
const HEAD: &str = "// Made by warpfold-build.\n#![no_std]\n#![allow(warnings)]\n\n";

/// Writes a crate's two files.
fn write_crate(folder: &Path, manifest: &str, library: &str) -> Result<(), Error> {
    let source = folder.join("src");
    fs::create_dir_all(&source).map_err(at(&source))?;
    for (path, text) in [
        (folder.join("Cargo.toml"), manifest),
        (source.join("lib.rs"), library),
    ] {
        fs::write(&path, text).map_err(at(&path))?;
    }
    Ok(())
}

/// A manifest's first lines, up to the end of the table `[package]`.
fn package(name: &str, edition: &str) -> String {
    format!(
        "# Made by warpfold-build.\n\
         [package]\n\
         name = \"{name}\"\n\
         version = \"0.0.0\"\n\
         edition = \"{edition}\"\n\
         publish = false\n\
         \n"
    )
}

/// The device crate's manifest. The crate's features turn on those of its one dependency.
fn manifest(contents: Contents, edition: &str) -> String {
    let package = package(NAME, edition);
    // For operators, the crate is there only to have cargo compile its dependency.
    let (name, dependency, [crate_type, lto], profile) = match contents {
        Contents::Operators => ("warpfold", kernels_crate(), ["lib", "off"], String::new()),
        Contents::Kernels => (
            USER,
            format!("{{ path = {USER:?} }}"),
            ["staticlib", "fat"],
            format!("[profile.release.package.{USER}]\nopt-level = 0\n"),
        ),
    };
    format!(
        "{package}\
         [lib]\n\
         crate-type = [\"{crate_type}\"]\n\
         \n\
         [dependencies]\n\
         {name} = {dependency}\n\
         \n\
         [features]\n\
         sm_70 = [\"{name}/stable\"]\n\
         sm_80 = [\"{name}/stable_sm_80\"]\n\
         sm_90 = [\"{name}/stable_sm_90\"]\n\
         \n\
         [profile.release]\n\
         opt-level = 3\n\
         lto = \"{lto}\"\n\
         codegen-units = 1\n\
         panic = \"abort\"\n\
         overflow-checks = false\n\
         debug-assertions = false\n\
         \n\
         # Else MIR passes would copy barriers into branches. All optimisation is that of the crate above.\n\
         [profile.release.package.warpfold-kernels]\n\
         opt-level = 0\n\
         {profile}\
         \n\
         [workspace]\n"
    )
}

/// The manifest of the crate around a file of kernels.
fn user_manifest(edition: &str) -> String {
    let package = package(USER, edition);
    let kernels = kernels_crate();
    format!(
        "{package}\
         [dependencies]\n\
         warpfold = {kernels}\n\
         \n\
         [features]\n\
         stable = [\"warpfold/stable\"]\n\
         stable_sm_80 = [\"warpfold/stable_sm_80\"]\n\
         stable_sm_90 = [\"warpfold/stable_sm_90\"]\n"
    )
}

/// `warpfold-kernels` as a dependency: from the folder beside this crate if there is one, or else from the registry.
pub fn kernels_crate() -> String {
    let place = match source_folder("warpfold-kernels") {
        Some(folder) => format!("path = {:?}", folder.display().to_string()),
        None => format!("version = \"={KERNELS_VERSION}\""),
    };
    format!("{{ package = \"warpfold-kernels\", {place} }}")
}

/// The folder with the sources of one of the library's crates. In the repository, and where cargo unpacks packages, it is beside this
/// crate's folder. `None` if it is not there.
pub fn source_folder(name: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let in_repository = match name {
        "warpfold-kernels" => "kernels-gpu",
        "warpfold-ptx" => "ptx-text",
        _ => "build-helper",
    };
    let beside = [
        in_repository.to_owned(),
        format!("{name}-{KERNELS_VERSION}"),
    ];
    let folders = beside.iter().map(|name| here.join("..").join(name));
    folders
        .map(|folder| folder.canonicalize())
        .find_map(Result::ok)
}

/// The text of the device crate's `lib.rs`: the code, and the panic handler.
fn library(code: &str) -> String {
    format!(
        "{HEAD}{code}\
         \n\
         #[panic_handler]\n\
         fn panic(_: &core::panic::PanicInfo) -> ! {{\n    \
             unsafe extern \"C\" {{\n        \
                 fn warpfold_panics() -> !;\n    \
             }}\n    \
             unsafe {{ warpfold_panics() }}\n\
         }}\n"
    )
}

/// Turns an I/O error into an error that names this file.
pub fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::File { path, source }
}
