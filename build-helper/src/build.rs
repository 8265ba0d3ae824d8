//! What a build script asks for: a file of operators or kernels, packed for the host's macros to include.

use std::env;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use warpfold_kernels::launch::INTERFACE;

use crate::device::{DeviceCrate, KERNELS_VERSION, at};
use crate::error::Error;
use crate::kernels::{Compiled, kernels};
use crate::pack::{Pack, Stamp};
use crate::toolchain::Toolchain;
use crate::variant::{MADE_BY_THE_LIBRARY, VARIANTS, Variant};

/// The variable that has the device code written beside the source.
pub const UPDATE: &str = "WARPFOLD_UPDATE";

/// What a file holds, which the host's macro of the same name declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// Operators, in `operators!`.
    Operators,
    /// Kernels, in `kernels!`.
    Kernels,
}

impl Contents {
    /// The macro's name.
    fn name(self) -> &'static str {
        match self {
            Self::Operators => "operators",
            Self::Kernels => "kernels",
        }
    }
}

/// A file of operators or kernels, and where the build takes place.
#[derive(Debug, Clone)]
pub struct Build {
    /// What the file holds.
    pub contents: Contents,
    /// The file.
    pub source: PathBuf,
    /// The folder of the user's crate.
    pub crate_folder: PathBuf,
    /// Where the results go.
    pub output: PathBuf,
    /// Where cargo compiles, save for rust-cuda. Builds that share the folder compile what the device crate depends on once.
    pub target: PathBuf,
    /// Whether to compile whatever is committed, and to write the device code beside the source.
    pub updates: bool,
}

impl Build {
    /// The build that a build script's environment describes.
    pub fn of_script(contents: Contents, source: &Path) -> Self {
        let folder = |variable| PathBuf::from(env::var_os(variable).unwrap_or_default());
        Self {
            contents,
            source: source.to_owned(),
            crate_folder: folder("CARGO_MANIFEST_DIR"),
            output: folder("OUT_DIR"),
            target: folder("OUT_DIR").join("warpfold-target"),
            updates: env::var_os(UPDATE).is_some_and(|value| value != "0"),
        }
    }

    /// The committed device code: `NAME.kernels` beside `NAME.rs`.
    pub fn committed(&self) -> PathBuf {
        self.source.with_extension("kernels")
    }

    /// Writes what the host includes: from the committed device code if it is of this source, else by compiling; by compiling too
    /// where the device code is to be written, or rust-cuda's compiler is asked for.
    pub fn run(&self) -> Result<(), Error> {
        let source = fs::read_to_string(&self.source).map_err(at(&self.source))?;
        let stamp = Stamp::of(&source, &format!("{KERNELS_VERSION}-{INTERFACE}"));
        let pack = match self.committed_pack(&stamp) {
            Some(pack) if !self.updates && !self.is_for_rust_cuda() => pack,
            _ => Pack::new(stamp, &self.compile_as_asked()?),
        };
        if self.updates {
            write(&self.committed(), &pack.to_file())?;
        }
        // What the host's macro includes: an expression, and the bytes that it speaks of.
        let name = self.contents.name();
        let path = |extension| self.output.join(format!("warpfold_{name}.{extension}"));
        write(&path("rs"), pack.table().as_bytes())?;
        write(&path("bin"), &pack.bytes())
    }

    /// The committed device code, if it is of this source.
    fn committed_pack(&self, stamp: &Stamp) -> Option<Pack> {
        let file = fs::read(self.committed()).ok()?;
        Pack::from_file(&file).filter(|pack| pack.stamp == *stamp)
    }

    /// Whether rust-cuda's compiler is asked for. It compiles operators; kernels are rustc's.
    fn is_for_rust_cuda(&self) -> bool {
        cfg!(feature = "cuda_builder") && self.contents == Contents::Operators
    }

    /// Compiles the file with the compiler that the crate's features ask for.
    fn compile_as_asked(&self) -> Result<Vec<Compiled>, Error> {
        #[cfg(feature = "cuda_builder")]
        if self.is_for_rust_cuda() {
            return crate::rust_cuda::compile(self);
        }
        self.compile()
    }

    /// The variants that the file is compiled for, the best first.
    fn variants(&self) -> impl Iterator<Item = &'static Variant> {
        let makes_all = self.contents == Contents::Kernels;
        let is_wanted =
            move |variant: &&Variant| makes_all || variant.capability != MADE_BY_THE_LIBRARY;
        VARIANTS.iter().filter(is_wanted)
    }

    /// Compiles the file with rustc for each compute capability, the highest first, whatever is committed.
    pub fn compile(&self) -> Result<Vec<Compiled>, Error> {
        let toolchain = Toolchain::find()?;
        let folder = self
            .output
            .join(format!("warpfold-{}", self.contents.name()));
        let target = self.target.clone();
        let device =
            DeviceCrate::write(self.contents, &self.source, &self.edition(), folder, target)?;
        if let Some(lock) = self.lock() {
            device.lock_as(&lock)?;
        }
        let compile = |variant: &Variant| {
            Ok(Compiled {
                capability: variant.capability,
                kernels: kernels(&device.compile(&toolchain, variant)?, variant)?,
            })
        };
        // One by itself, which tells what is wrong with the file; then the others side by side, since the compiler takes one
        // processor for each.
        let mut variants = self.variants();
        let first = variants.next().map(compile).transpose()?;
        let others = thread::scope(|scope| {
            let compile = &compile;
            let threads = variants.map(|variant| scope.spawn(move || compile(variant)));
            // All of them begin before one is waited for.
            let threads: Vec<_> = threads.collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Vec<_>>()
        });
        first.map(Ok).into_iter().chain(others).collect()
    }

    /// The edition of the user's crate, as far as its manifest says it itself.
    pub(crate) fn edition(&self) -> String {
        let manifest = fs::read_to_string(self.crate_folder.join("Cargo.toml"));
        let manifest = manifest.unwrap_or_default();
        let edition = manifest.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            let value = value.split('#').next()?.trim().trim_matches('"');
            (key.trim() == "edition").then(|| value.to_owned())
        });
        edition.unwrap_or_else(|| "2024".to_owned())
    }

    /// The lock file that the user's crate is built with.
    fn lock(&self) -> Option<PathBuf> {
        let folders = self.crate_folder.ancestors();
        folders
            .map(|folder| folder.join("Cargo.lock"))
            .find(|lock| lock.exists())
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).map_err(at(path))
}
