//! A build of a file of operators or kernels, as a build script describes it.

use std::env;
use std::path::{Path, PathBuf};

use crate::cache::Cache;
use crate::variables::{LOCKED, UPDATE};

/// What a file contains: a list of rows in `operators!`, or kernels in `kernels!`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// Operators, in `operators!`.
    Operators,
    /// Kernels, in `kernels!`.
    Kernels,
}

impl Contents {
    /// The macro's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Operators => "operators",
            Self::Kernels => "kernels",
        }
    }
}

/// A file of operators or kernels, and the folders of its build.
#[derive(Debug, Clone)]
pub struct Build {
    /// The contents of the file.
    pub contents: Contents,
    /// The file.
    pub source: PathBuf,
    /// The folder of the user's crate.
    pub crate_folder: PathBuf,
    /// The folder for the results.
    pub output: PathBuf,
    /// Cargo's target folder for kernels, and for operators if there is no cache. rust-cuda's compiler uses another folder.
    pub target: PathBuf,
    /// The cache of device code that was compiled before.
    pub cache: Cache,
    /// Whether to ignore the committed device code, and to write new device code beside the source.
    pub updates: bool,
    /// Whether to compile every row without the cache, and to compare the result with the committed device code.
    pub compares: bool,
    /// Whether to use only committed device code. [`Self::updates`], [`Self::compares`] and rust-cuda's compiler override this setting.
    pub locked: bool,
}

impl Build {
    /// The build that a build script's environment describes.
    pub fn of_script(contents: Contents, source: &Path) -> Self {
        let folder = |variable| PathBuf::from(env::var_os(variable).unwrap_or_default());
        let value =
            |variable| env::var_os(variable).filter(|value| value != "0" && !value.is_empty());
        Self {
            contents,
            source: source.to_owned(),
            crate_folder: folder("CARGO_MANIFEST_DIR"),
            output: folder("OUT_DIR"),
            target: folder("OUT_DIR").join("warpfold-target"),
            cache: Cache::of_environment(),
            updates: value(UPDATE).is_some_and(|value| value != "check"),
            compares: value(UPDATE).is_some_and(|value| value == "check"),
            locked: value(LOCKED).is_some(),
        }
    }

    /// The committed device code: `NAME.kernels` beside `NAME.rs`.
    pub fn committed(&self) -> PathBuf {
        self.source.with_extension("kernels")
    }
}
