//! Compiles rows of operators, or a file of kernels, if they are not in the cache. Uses several processors if cargo allows several jobs.
//!
//! rustc compiles a crate on one processor. So each missing row becomes a crate of its own: the user's file without the other rows. Each
//! crate adds a fifth of a second to the build. The longest rows are compiled first, so that no processor is left with a long row at the
//! end.
//!
//! A kernel's text depends neither on the other rows that are compiled, nor on the number of processors. If two rows were in one crate,
//! each could change the other's text, for example the order of an instruction's operands.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::build::{Build, Contents};
use crate::cache::Cache;
use crate::compiled::{Compiled, Kernel};
use crate::device::{DeviceCrate, at, crate_around};
use crate::error::{Error, Problem, Refusal};
use crate::kernels::{Judged, kernels};
use crate::library::{self, Library};
use crate::locked;
use crate::pack::Pack;
use crate::source::{Hash, Source};
use crate::toolchain::Toolchain;
use crate::variant::Variant;

/// The file's rows, packed. Rows that are not in the cache are compiled.
pub fn packed(build: &Build, source: &Source, cache: &Cache) -> Result<Pack, Error> {
    let toolchain = Toolchain::find()?;
    let base = base(build, &toolchain);
    let keys: BTreeMap<&str, Hash> = parts(source)
        .into_iter()
        .map(|(name, key)| (name, base.with(key.to_string().as_bytes())))
        .collect();
    let mut packs = Vec::new();
    let mut missing = Vec::new();
    for (name, key) in &keys {
        match cache.row(*key) {
            Some(pack) => packs.push(pack),
            None => missing.push(*name),
        }
    }
    if !missing.is_empty() {
        let keep = |name: &str, compiled: &[Compiled]| {
            let pack = Pack::of(compiled);
            if let Some(key) = keys.get(name) {
                cache.keep_row(*key, &pack);
            }
            pack
        };
        let (compiled, refusals) = each(build, source, &toolchain, cache, &missing, keep)?;
        if !refusals.is_empty() {
            return Err(source.located(Error::Refused(refusals)));
        }
        packs.extend(compiled);
    }
    Ok(Pack::joined(packs))
}

/// A hash of the common inputs of all rows: the compiler, warpfold's sources, the locked packages that device code is compiled from, the
/// edition, and whether the file has operators or kernels.
fn base(build: &Build, toolchain: &Toolchain) -> Hash {
    let compiler = toolchain.version().unwrap_or_default();
    let contents = format!("{:?} {}\n", build.contents, build.edition());
    let lock = build.lock().map(fs::read_to_string).and_then(Result::ok);
    library::contents()
        .with(compiler.as_bytes())
        .with(contents.as_bytes())
        .with(locked::packages(&lock.unwrap_or_default()).as_bytes())
}

/// The names and hashes of the separate compilations: the rows, or the whole file, which has an empty name.
fn parts(source: &Source) -> Vec<(&str, Hash)> {
    match source.rows() {
        [] => vec![("", source.tokens())],
        rows => rows
            .iter()
            .map(|row| (row.name.as_str(), source.key(row)))
            .collect(),
    }
}

/// Some of a file's rows, compiled for each architecture. The best architecture comes first. Returns an error if a row is refused.
pub fn compiled(
    build: &Build,
    source: &Source,
    toolchain: &Toolchain,
    cache: &Cache,
    names: &[&str],
) -> Result<Vec<Compiled>, Error> {
    let (rows, refusals) = each(build, source, toolchain, cache, names, |_, compiled| {
        compiled.to_vec()
    })?;
    if !refusals.is_empty() {
        return Err(source.located(Error::Refused(refusals)));
    }
    let variants = build.variants().map(|variant| {
        let rows = rows.iter().flatten();
        let own = rows.filter(|compiled| compiled.capability == variant.capability);
        let mut kernels: Vec<Kernel> = own.flat_map(|compiled| compiled.kernels.clone()).collect();
        kernels.sort_by(|a, b| a.symbol.cmp(&b.symbol));
        Compiled {
            capability: variant.capability,
            kernels,
        }
    });
    Ok(variants.collect())
}

/// Compiles some of a file's rows, or a whole file of kernels. Calls `then` with the kernels of each row that is not refused. Returns the
/// results of `then`, and the refusals of rows. In a file of kernels, a refusal is an error.
fn each<R: Send>(
    build: &Build,
    source: &Source,
    toolchain: &Toolchain,
    cache: &Cache,
    names: &[&str],
    then: impl Fn(&str, &[Compiled]) -> R + Sync,
) -> Result<(Vec<R>, Vec<Refusal>), Error> {
    let variants: Vec<&'static Variant> = build.variants().collect();
    let device = device(build, toolchain, cache)?;
    let processors = processors();
    if build.contents == Contents::Kernels {
        let compiled = side_by_side(&variants, processors, |variant| {
            Ok(Compiled {
                capability: variant.capability,
                kernels: kernels(&device.compile(toolchain, variant)?, variant)?.all()?,
            })
        });
        return Ok((vec![then("", &compiled?)], Vec::new()));
    }
    let libraries = side_by_side(&variants, processors, |variant| {
        Library::compile(&device, toolchain, variant)
    })?;
    let compile = |crate_around: &RowsCrate| -> Result<(Vec<Compiled>, Vec<Refusal>), Error> {
        let (mut compiled, mut refusals) = (Vec::new(), Vec::new());
        for library in &libraries {
            let judged = crate_around.compile(build, toolchain, library)?;
            compiled.push(Compiled {
                capability: library.variant().capability,
                kernels: judged.kernels,
            });
            // A mistake in a row shows on every architecture, so only new refusals are added.
            let others = judged.refusals.into_iter();
            let new: Vec<_> = others.filter(|other| !refusals.contains(other)).collect();
            refusals.extend(new);
        }
        if refusals.is_empty() && compiled.iter().any(|variant| variant.kernels.is_empty()) {
            return Err(Problem::unexpected("there are no kernels").into());
        }
        for variant in &mut compiled {
            let by_symbol = |a: &Kernel, b: &Kernel| a.symbol.cmp(&b.symbol);
            variant.kernels.sort_by(by_symbol);
        }
        Ok((compiled, refusals))
    };
    let mut names = names.to_vec();
    names.sort_by_key(|name| Reverse(source.size(name)));
    let crates = names.iter().enumerate().map(|(number, name)| {
        let around = RowsCrate::write(build, source, &[name], &number.to_string());
        around.map(|around| (*name, around))
    });
    let crates = crates.collect::<Result<Vec<_>, _>>()?;
    let done = side_by_side(&crates, processors, |(name, around)| {
        let (compiled, refusals) = compile(around)?;
        let done = refusals.is_empty().then(|| then(name, &compiled));
        Ok((done, refusals))
    });
    let done = match done {
        // These messages are about one row, and other rows may have errors too. So now all of `names` are compiled together: rustc finds
        // every row's errors before it makes code.
        Err(Error::Compiler { target, messages }) if names.len() > 1 => {
            let around = RowsCrate::write(build, source, &names, "all")?;
            let error = compile(&around).err();
            return Err(error.unwrap_or(Error::Compiler { target, messages }));
        }
        done => done?,
    };
    let (done, refusals): (Vec<Option<R>>, Vec<Vec<Refusal>>) = done.into_iter().unzip();
    let (done, refusals) = (done.into_iter().flatten(), refusals.into_iter().flatten());
    Ok((done.collect(), refusals.collect()))
}

/// The device crate. For operators, cargo compiles it in the cache if there is one. Otherwise, and for kernels, cargo compiles in the
/// build's target folder.
fn device(build: &Build, toolchain: &Toolchain, cache: &Cache) -> Result<DeviceCrate, Error> {
    let lock = build.lock();
    let locked = lock.as_ref().map(fs::read).and_then(Result::ok);
    let key = base(build, toolchain).with(&locked.unwrap_or_default());
    let shared = match build.contents {
        Contents::Operators => cache.library(key),
        Contents::Kernels => None,
    };
    let folder = build
        .output
        .join(format!("warpfold-{}", build.contents.name()));
    let target = shared.unwrap_or_else(|| build.target.clone());
    let device = DeviceCrate::write(
        build.contents,
        &build.source,
        &build.edition(),
        folder,
        target,
    )?;
    if let Some(lock) = lock {
        device.lock_as(&lock)?;
    }
    Ok(device)
}

/// A crate around a file with some of the rows.
struct RowsCrate {
    /// The path of the crate's `lib.rs`.
    text: PathBuf,
    /// The path of the file with the rows.
    rows: PathBuf,
}

impl RowsCrate {
    /// Writes the crate to a folder of this name.
    fn write(build: &Build, source: &Source, names: &[&str], name: &str) -> Result<Self, Error> {
        let folder = build.output.join("warpfold-operators/rows").join(name);
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let folder = folder.canonicalize().map_err(at(&folder))?;
        let (text, rows) = (folder.join("lib.rs"), folder.join("rows.rs"));
        let names: BTreeSet<&str> = names.iter().copied().collect();
        fs::write(&rows, source.with_rows(&names)).map_err(at(&rows))?;
        fs::write(&text, crate_around(&rows)?).map_err(at(&text))?;
        Ok(Self { text, rows })
    }

    /// Compiles the crate against a library, for the library's architecture.
    fn compile(
        &self,
        build: &Build,
        toolchain: &Toolchain,
        library: &Library,
    ) -> Result<Judged, Error> {
        let target = library.variant();
        let folder = self.text.with_extension(target.target_cpu);
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let emitted = folder.join("rows.s");
        let ran = library.rustc(toolchain, &build.edition(), &self.text, &emitted);
        ran.map_err(|messages| Error::Compiler {
            target: target.target_cpu,
            messages: messages.replace(
                &self.rows.display().to_string(),
                &build.source.display().to_string(),
            ),
        })?;
        let text = fs::read_to_string(&emitted).map_err(at(&emitted))?;
        let _ = fs::remove_file(&emitted);
        kernels(&text, target)
    }
}

/// How many rows may be compiled at a time: the number of jobs that cargo states, or else the number of processors.
fn processors() -> usize {
    let jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok());
    let processors = || thread::available_parallelism().map_or(1, usize::from);
    jobs.unwrap_or_else(processors).max(1)
}

/// Calls `each` with every element of `things`, on several threads. After an error, no further call begins. If several calls fail, returns
/// the error for the element that comes first in `things`.
fn side_by_side<T: Sync, R: Send>(
    things: &[T],
    threads: usize,
    each: impl Fn(&T) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || {
        let mut done = Vec::new();
        while !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(thing) = things.get(at) else {
                break;
            };
            let result = each(thing);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            done.push((at, result));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.min(things.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let join = |thread: thread::ScopedJoinHandle<'_, Vec<_>>| {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        threads.into_iter().flat_map(join).collect::<Vec<_>>()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_and_the_first_error_is_returned() {
        let double = |number: &u32| Ok(number * 2);
        assert_eq!(
            side_by_side(&[1, 2, 3, 4, 5], 3, double).unwrap(),
            [2, 4, 6, 8, 10]
        );
        assert_eq!(side_by_side(&[], 3, double).unwrap(), [0; 0]);
        let fail = |number: &u32| match number {
            2 => Err(Error::UnknownArchitecture("two".to_owned())),
            number => Ok(*number),
        };
        let error = side_by_side(&[1, 2, 3], 1, fail).unwrap_err();
        assert!(error.to_string().contains("two"), "{error}");
    }
}
