//! The steps of a build. Its results are the kernels of a file, packed for the host's macros to include.

use std::fs;
use std::path::{Path, PathBuf};

use warpfold_kernels::launch::INTERFACE;

use crate::build::{Build, Contents};
use crate::cache::Cache;
use crate::compiled::Compiled;
use crate::device::{KERNELS_VERSION, at};
use crate::error::{Error, Unfit};
use crate::kernels::Origin;
use crate::pack::Pack;
use crate::pack::committed::{self, Stamp};
use crate::rows;
use crate::source::Source;
use crate::toolchain::Toolchain;
use crate::variant::{MADE_BY_THE_LIBRARY, VARIANTS, Variant};

impl Build {
    /// Writes the files that the host includes. The first case that applies decides where their kernels come from:
    ///
    /// 1. rust-cuda's compiler is used: it compiles everything.
    /// 2. [`Self::updates`] is set: rustc compiles the rows that are not in the cache.
    /// 3. [`Self::compares`] is set: rustc compiles all rows, and they must equal the committed device code.
    /// 4. There is committed device code that fits: it is used.
    /// 5. [`Self::locked`] is set: this is an error.
    /// 6. In all other cases, rustc compiles the rows that are not in the cache.
    ///
    /// If [`Self::updates`] is set, also writes the kernels beside the source, as committed device code. If case 6 applies because the
    /// committed device code does not fit, returns why it does not fit.
    pub fn run(&self) -> Result<Option<Unfit>, Error> {
        let source = fs::read_to_string(&self.source).map_err(at(&self.source))?;
        let source = Source::parse(source)?;
        let committed = self.read_committed(&source);
        let (pack, unfit) = match committed {
            _ if self.updates || self.is_for_rust_cuda() => (self.packed(&source)?, None),
            _ if self.compares => (self.compared(&source, committed)?, None),
            Some(Ok(pack)) => (pack, None),
            Some(Err(unfit)) if self.locked => {
                let path = self.committed();
                return Err(Error::Unfit { path, unfit });
            }
            None if self.locked => {
                let path = self.committed();
                return Err(Error::NotCommitted { path });
            }
            Some(Err(unfit)) => match self.packed(&source) {
                Err(Error::NoToolchain { compiler, .. }) => {
                    let committed = Some((self.committed(), unfit));
                    return Err(Error::NoToolchain {
                        compiler,
                        committed,
                    });
                }
                packed => (packed?, Some(unfit)),
            },
            None => (self.packed(&source)?, None),
        };
        if self.updates {
            // For operators, only texts for 9.0 are committed: the library makes the other texts while it loads kernels.
            let is_kept = |compiled: &Compiled| {
                let mut variants = self.variants();
                variants.any(|variant| variant.capability == compiled.capability)
            };
            let texts = pack.compiled().map(|mut texts| {
                texts.retain(is_kept);
                texts
            });
            let file = texts.and_then(|texts| committed::to_file(&stamp(&source), &texts));
            let file = file.ok_or_else(|| Error::NotPacked {
                path: self.committed(),
            })?;
            write(&self.committed(), &file)?;
        }
        let [expression, bytes] = self.included();
        write(&bytes, &pack.bytes())?;
        write(&expression, texts(&bytes, &pack).as_bytes())?;
        Ok(unfit)
    }

    /// The two files that the host's macro includes: an expression, and the bytes that it refers to.
    pub fn included(&self) -> [PathBuf; 2] {
        let name = self.contents.name();
        ["rs", "bin"].map(|extension| self.output.join(format!("warpfold_{name}.{extension}")))
    }

    /// The committed device code, if there is any: packed, or why it does not fit.
    fn read_committed(&self, source: &Source) -> Option<Result<Pack, Unfit>> {
        let file = fs::read(self.committed()).ok()?;
        // Unpacking and packing take long, so their result is kept in the cache.
        let key = stamp(source).hash().with(&file);
        if let Some(pack) = self.cache.row(key) {
            return Some(Ok(pack));
        }
        let pack = self.texts(source, &file).map(|texts| Pack::of(&texts));
        if let Ok(pack) = &pack {
            self.cache.keep_row(key, pack);
        }
        Some(pack)
    }

    /// The kernels in a file of committed device code.
    fn texts(&self, source: &Source, file: &[u8]) -> Result<Vec<Compiled>, Unfit> {
        let capabilities: Vec<_> = self.variants().map(|variant| variant.capability).collect();
        let names: Vec<&str> = match self.contents {
            Contents::Operators => source.rows().iter().map(|row| row.name.as_str()).collect(),
            Contents::Kernels => source.kernels().iter().map(String::as_str).collect(),
        };
        // If the source's list of rows or kernels cannot be read, or if a macro writes that list, any name is accepted.
        let is_listed = |name: &str| names.is_empty() || names.contains(&name);
        let is_symbol = |symbol: &str| match (self.contents, Origin::of(symbol)) {
            (Contents::Operators, Some((Origin::Library(_), name)))
            | (Contents::Kernels, Some((Origin::User, name))) => is_listed(name),
            _ => false,
        };
        committed::from_file(file, &stamp(source), &capabilities, is_symbol)
    }

    /// Compiles the kernels again. Returns an error if they differ from the committed kernels.
    fn compared(
        &self,
        source: &Source,
        committed: Option<Result<Pack, Unfit>>,
    ) -> Result<Pack, Error> {
        let path = self.committed();
        let committed = committed.ok_or_else(|| Error::NotCommitted { path: path.clone() })?;
        let committed = committed.map_err(|unfit| Error::Unfit {
            path: path.clone(),
            unfit,
        })?;
        let pack = rows::packed(self, source, &Cache::none())?;
        let (found, expected) = (committed.compiled(), pack.compiled());
        let differs = || {
            let kernels = |compiled: Option<Vec<Compiled>>| {
                let variants = compiled.unwrap_or_default().into_iter();
                variants
                    .flat_map(|variant| variant.kernels)
                    .collect::<Vec<_>>()
            };
            let (found, expected) = (kernels(found.clone()), kernels(expected.clone()));
            let other = expected.iter().find(|kernel| !found.contains(kernel));
            other.map(|kernel| kernel.symbol.clone())
        };
        match found == expected && expected.is_some() {
            true => Ok(pack),
            false => Err(Error::Differs {
                path,
                symbol: differs(),
            }),
        }
    }

    /// The kernels, packed. The crate's features choose the compiler. Rows that rustc compiled before may come from the cache.
    fn packed(&self, source: &Source) -> Result<Pack, Error> {
        #[cfg(feature = "cuda_builder")]
        if self.is_for_rust_cuda() {
            let compiled = crate::rust_cuda::compile(self);
            return Ok(Pack::of(&compiled.map_err(|error| source.located(error))?));
        }
        rows::packed(self, source, &self.cache)
    }

    /// Whether rust-cuda's compiler compiles the file. That compiler compiles operators only; rustc compiles kernels.
    fn is_for_rust_cuda(&self) -> bool {
        cfg!(feature = "cuda_builder") && self.contents == Contents::Operators
    }

    /// The variants that the file is compiled for, the best first.
    pub(crate) fn variants(&self) -> impl Iterator<Item = &'static Variant> + use<> {
        let makes_all = self.contents == Contents::Kernels;
        let is_wanted = move |variant: &&Variant| {
            makes_all || !MADE_BY_THE_LIBRARY.contains(&variant.capability)
        };
        VARIANTS.iter().filter(is_wanted)
    }

    /// Compiles the file with rustc: operators for compute capability 9.0; kernels for 9.0, 8.0 and 7.0, in this order. Ignores committed
    /// device code and cached rows.
    pub fn compile(&self) -> Result<Vec<Compiled>, Error> {
        let source = fs::read_to_string(&self.source).map_err(at(&self.source))?;
        let source = Source::parse(source)?;
        let names: Vec<&str> = match source.rows() {
            [] => vec![""],
            rows => rows.iter().map(|row| row.name.as_str()).collect(),
        };
        rows::compiled(self, &source, &Toolchain::find()?, &self.cache, &names)
    }

    /// The edition of the user's crate, if its own manifest states it; otherwise 2024.
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
    pub(crate) fn lock(&self) -> Option<PathBuf> {
        let folders = self.crate_folder.ancestors();
        folders
            .map(|folder| folder.join("Cargo.lock"))
            .find(|lock| lock.exists())
    }
}

/// The stamp of a source's device code.
fn stamp(source: &Source) -> Stamp {
    Stamp {
        kernels: format!("{KERNELS_VERSION}-{INTERFACE}"),
        source: source.tokens().to_string(),
    }
}

/// The expression that the host's macro includes. It names the file with a pack's bytes, and has each kernel's position in that file.
fn texts(bytes: &Path, pack: &Pack) -> String {
    let name = bytes.file_name().unwrap_or_default().to_string_lossy();
    format!("Texts::new(include_bytes!({name:?}), {})", pack.table())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).map_err(at(path))
}

#[cfg(test)]
mod tests;
