//! Rows of operators, compiled: those that the cache has not, side by side where there are processors.
//!
//! rustc takes one processor for a crate. So the rows that are missing are dealt out to as many crates as there are
//! processors to an architecture, each with the user's file without the others' rows. A kernel's text does not depend on what
//! it is compiled beside.

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
use crate::kernels::{kernels, row_of};
use crate::library::{self, Library};
use crate::pack::Pack;
use crate::source::{Hash, Source};
use crate::toolchain::Toolchain;
use crate::variant::Variant;

/// The crate's rows, packed: from the cache, and compiled.
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
        let (compiled, refusals) = judged(build, source, &toolchain, cache, &missing)?;
        // Of a list that cannot be read, nobody knows which rows are refused.
        let is_refused = |name: &str| {
            let mut refusals = refusals.iter();
            refusals.any(|refusal| name.is_empty() || refusal.operator == name)
        };
        for (name, compiled) in by_row(compiled, &missing) {
            if is_refused(name) {
                continue;
            }
            let pack = Pack::of(&compiled);
            if let Some(key) = keys.get(name) {
                cache.keep_row(*key, &pack);
            }
            packs.push(pack);
        }
        if !refusals.is_empty() {
            return Err(source.located(Error::Refused(refusals)));
        }
    }
    Ok(Pack::joined(packs))
}

/// What all rows depend on: the compiler, this library, and how the file is compiled.
fn base(build: &Build, toolchain: &Toolchain) -> Hash {
    let compiler = toolchain.version().unwrap_or_default();
    let contents = format!("{:?} {}\n", build.contents, build.edition());
    library::contents()
        .with(compiler.as_bytes())
        .with(contents.as_bytes())
}

/// What is compiled apart, by name: the rows, or the whole file, whose name is empty.
fn parts(source: &Source) -> Vec<(&str, Hash)> {
    match source.rows() {
        [] => vec![("", source.tokens())],
        rows => rows
            .iter()
            .map(|row| (row.name.as_str(), source.key(row)))
            .collect(),
    }
}

/// The kernels of each row, for all architectures.
fn by_row<'a>(compiled: Vec<Compiled>, names: &[&'a str]) -> Vec<(&'a str, Vec<Compiled>)> {
    if let [name] = names {
        return vec![(name, compiled)];
    }
    let of_row = |name: &str| {
        let variants = compiled.iter().map(|variant| Compiled {
            capability: variant.capability,
            kernels: {
                let kernels = variant.kernels.iter();
                let own = kernels.filter(|kernel| row_of(&kernel.symbol) == Some(name));
                own.cloned().collect()
            },
        });
        variants.collect()
    };
    names.iter().map(|name| (*name, of_row(name))).collect()
}

/// Some of a file's rows, compiled for each architecture, the best first, if none is refused.
pub fn compiled(
    build: &Build,
    source: &Source,
    toolchain: &Toolchain,
    cache: &Cache,
    names: &[&str],
) -> Result<Vec<Compiled>, Error> {
    let (compiled, refusals) = judged(build, source, toolchain, cache, names)?;
    match refusals.is_empty() {
        true => Ok(compiled),
        false => Err(source.located(Error::Refused(refusals))),
    }
}

/// Some of a file's rows, compiled for each architecture, the best first; and what of them is refused.
fn judged(
    build: &Build,
    source: &Source,
    toolchain: &Toolchain,
    cache: &Cache,
    names: &[&str],
) -> Result<(Vec<Compiled>, Vec<Refusal>), Error> {
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
        return Ok((compiled?, Vec::new()));
    }
    let libraries = side_by_side(&variants, processors, |variant| {
        Library::compile(&device, toolchain, variant)
    })?;
    let crates = crates(build, source, names, processors.div_ceil(variants.len()))?;
    let units: Vec<(usize, usize)> = (0..variants.len())
        .flat_map(|variant| (0..crates.len()).map(move |part| (variant, part)))
        .collect();
    let judged = side_by_side(&units, processors, |(variant, part)| {
        let target = variants[*variant];
        let (crate_text, own) = &crates[*part];
        let folder = crate_text.with_extension(target.target_cpu);
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let emitted = folder.join("rows.s");
        let ran = libraries[*variant].rustc(toolchain, &build.edition(), crate_text, &emitted);
        ran.map_err(|messages| Error::Compiler {
            target: target.target_cpu,
            messages: messages.replace(
                &own.display().to_string(),
                &build.source.display().to_string(),
            ),
        })?;
        let text = fs::read_to_string(&emitted).map_err(at(&emitted))?;
        let _ = fs::remove_file(&emitted);
        kernels(&text, target)
    })?;
    let mut compiled: Vec<Compiled> = variants
        .iter()
        .map(|variant| Compiled {
            capability: variant.capability,
            kernels: Vec::new(),
        })
        .collect();
    let mut refusals: Vec<Refusal> = Vec::new();
    for ((variant, _), judged) in units.iter().zip(judged) {
        compiled[*variant].kernels.extend(judged.kernels);
        // What is wrong with a row, each architecture tells.
        for refusal in judged.refusals {
            if !refusals.contains(&refusal) {
                refusals.push(refusal);
            }
        }
    }
    for variant in &mut compiled {
        variant
            .kernels
            .sort_by(|a: &Kernel, b| a.symbol.cmp(&b.symbol));
    }
    if refusals.is_empty() && compiled.iter().any(|variant| variant.kernels.is_empty()) {
        return Err(Problem::unexpected("there are no kernels").into());
    }
    Ok((compiled, refusals))
}

/// The device crate, which cargo compiles in the cache, else where the build says.
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

/// Writes so many crates, or as many as there are rows, around files with some of the rows each: their texts and the files.
fn crates(
    build: &Build,
    source: &Source,
    names: &[&str],
    count: usize,
) -> Result<Vec<(PathBuf, PathBuf)>, Error> {
    let count = count.clamp(1, names.len());
    let parts = (0..count).map(|part| {
        let own: BTreeSet<&str> = names.iter().copied().skip(part).step_by(count).collect();
        let folder = build.output.join(format!("warpfold-operators/part-{part}"));
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let folder = folder.canonicalize().map_err(at(&folder))?;
        let (crate_text, file) = (folder.join("lib.rs"), folder.join("rows.rs"));
        fs::write(&file, source.with_rows(&own)).map_err(at(&file))?;
        fs::write(&crate_text, crate_around(&file)?).map_err(at(&crate_text))?;
        Ok((crate_text, file))
    });
    parts.collect()
}

/// How many things may run at a time: as cargo says, or as many as there are processors.
fn processors() -> usize {
    let jobs = env::var("NUM_JOBS").ok().and_then(|jobs| jobs.parse().ok());
    let processors = || thread::available_parallelism().map_or(1, usize::from);
    jobs.unwrap_or_else(processors).max(1)
}

/// Does something with each of some things, several at a time. After an error no more are begun; the first one counts.
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
    fn work_is_done_in_order_and_the_first_error_counts() {
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
