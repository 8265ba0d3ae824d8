//! Compiles the library's kernels with rust-cuda's compiler. `cargo xtask rust-cuda` builds and tests the library with these kernels.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs, panic, thread};

use warpfold_build::cdylib::{Cdylib, NvvmArch, Package, Target};
use warpfold_kernels::kind::launch_bounds;
use warpfold_ptx::cut::kernels;
use warpfold_ptx::finish::{Bounds, Contents, finish};

use crate::pack::Variant;

/// Environment variable with the folder of the kernels' crate. If it is not set, the folder is `kernels-gpu` beside this package.
/// `cargo xtask rust-cuda --few` sets the variable to the folder of a crate with fewer kernels.
const KERNELS: &str = "WARPFOLD_KERNELS";

/// Environment variable with the names of the architectures to compile for, separated by commas. If it is not set, the kernels are
/// compiled for all [`GENERATIONS`].
const ARCHITECTURES: &str = "WARPFOLD_ARCHITECTURES";

/// The contents of a text of this library: all entries, and no declarations.
const LIBRARY: Contents = Contents {
    has: |_| true,
    has_declarations: false,
    bounds: |entry| launch_bounds(entry).map(Bounds::from),
};

/// A generation of devices.
struct Generation {
    /// The lowest compute capability of the generation, major and minor.
    capability: (u32, u32),
    target: Target,
}

/// The generations to compile for, the newest first. The library makes the texts for 8.0 from the texts for 9.0.
const GENERATIONS: [Generation; 2] = [
    Generation {
        capability: (9, 0),
        target: Target {
            arch: NvvmArch::Compute90,
            name: "sm_90",
            version: "7.8",
        },
    },
    Generation {
        capability: (7, 0),
        target: Target {
            arch: NvvmArch::Compute70,
            name: "sm_70",
            version: "7.4",
        },
    },
];

/// The names of all targets.
const NAMES: [&str; 2] = {
    let [newest, oldest] = &GENERATIONS;
    [newest.target.name, oldest.target.name]
};

/// The kernels' PTX for each of the [`generations`], the newest first. For each generation, also writes a file with all of its PTX to
/// `output`, the build's folder.
pub fn compile(output: &Path) -> Result<Vec<Variant>, Box<dyn Error>> {
    let package = Package {
        name: "warpfold-kernels",
        folder: folder()?,
        version: env::var("CARGO_PKG_VERSION")?,
        features: &["cuda_std", "entries"],
        with_barriers: &["warpfold-kernels"],
    };
    let cdylib = Cdylib::write(&package, &NAMES, output)?;
    let generations = generations()?;
    thread::scope(|scope| {
        let cdylib = &cdylib;
        let compile = |generation| scope.spawn(move || compile_for(generation, cdylib, output));
        let threads: Vec<_> = generations.into_iter().map(compile).collect();
        let mut variants = Vec::new();
        for thread in threads {
            let variant = thread.join();
            variants.push(variant.unwrap_or_else(|panic| panic::resume_unwind(panic))?);
        }
        Ok(variants)
    })
}

/// The folder of the kernels' crate: the folder that [`KERNELS`] names, or else the folder beside this crate in its repository. `None` if
/// there is no such folder: a crate from the registry has none beside it.
fn folder() -> Result<Option<PathBuf>, env::VarError> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    println!("cargo::rerun-if-env-changed={KERNELS}");
    let folder = env::var_os(KERNELS);
    let folder = folder.map_or_else(|| here.with_file_name("kernels-gpu"), PathBuf::from);
    Ok(folder.is_dir().then_some(folder))
}

/// The generations that [`ARCHITECTURES`] names; all generations if the variable is not set.
fn generations() -> Result<Vec<&'static Generation>, String> {
    println!("cargo::rerun-if-env-changed={ARCHITECTURES}");
    let Ok(names) = env::var(ARCHITECTURES) else {
        return Ok(GENERATIONS.iter().collect());
    };
    let names: Vec<_> = names.split(',').collect();
    match names.iter().find(|name| !NAMES.contains(name)) {
        Some(name) => Err(format!(
            "{ARCHITECTURES} names `{name}`; there are {NAMES:?}"
        )),
        None => Ok(GENERATIONS
            .iter()
            .filter(|generation| names.contains(&generation.target.name))
            .collect()),
    }
}

/// The kernels' PTX for one generation.
fn compile_for(
    Generation { capability, target }: &Generation,
    cdylib: &Cdylib,
    output: &Path,
) -> Result<Variant, String> {
    let emitted = cdylib.compile(target, output)?;
    let text = finish(&emitted, &LIBRARY).map_err(|error| error.to_string())?;
    let path = output.join(target.name).with_extension("ptx");
    fs::write(path, &text).map_err(|error| error.to_string())?;
    Ok(Variant {
        capability: *capability,
        texts: kernels(&text).map_err(|error| error.to_string())?,
    })
}
