//! Compiles the libraries of CUB's calls, several at a time.
//!
//! The file name of a library identifies the source and the flags of the library, and the compute capability. So a folder of libraries can
//! be kept for later runs, or copied to another machine. The name does not identify the version of CUB.

use std::env;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, ensure};

use crate::data::Type;

/// The options of every library. The CUDA runtime is linked statically, so that a library needs only a driver.
const FLAGS: [&str; 7] = [
    "-O3",
    "-std=c++17",
    "-shared",
    "-Xcompiler",
    "-fPIC",
    "-cudart=static",
    "-cudadevrt=none",
];

/// A library to be compiled.
pub struct Library {
    /// Its name.
    pub name: &'static str,
    source: &'static str,
    /// Flags in addition to [`FLAGS`].
    flags: Vec<String>,
}

impl Library {
    /// The library of the calls that are measured for items of a type.
    pub fn of_type(each: &Type) -> Self {
        Self {
            name: each.name,
            source: include_str!("../../cub/cub_bench.cu"),
            flags: vec![
                format!("-DWARPFOLD_ITEM={}", each.cuda),
                format!("-DWARPFOLD_WIDE={}", each.cuda_wide),
            ],
        }
    }

    /// The library of the shapes.
    pub fn of_shapes() -> Self {
        Self {
            name: "shapes",
            source: include_str!("../../cub/shapes.cu"),
            flags: Vec::new(),
        }
    }

    /// The path of the library, for devices of a compute capability.
    pub fn path(&self, folder: &Path, (major, minor): (u32, u32)) -> PathBuf {
        let flags = FLAGS
            .iter()
            .copied()
            .chain(self.flags.iter().map(String::as_str));
        let key = flags.chain([self.source]).fold(0, hash);
        folder.join(format!(
            "libcub_{}_sm_{major}{minor}_{key:08x}.so",
            self.name
        ))
    }
}

/// A hash that is the same in every build of this program: FNV-1a.
fn hash(seed: u32, text: &str) -> u32 {
    text.bytes().fold(seed ^ 0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// The folders of headers in a checkout of CCCL.
pub fn headers_of(checkout: &Path) -> Result<Vec<PathBuf>> {
    let folders = ["cub", "thrust", "libcudacxx/include"].map(|folder| checkout.join(folder));
    let header = folders[0].join("cub/cub.cuh");
    ensure!(header.is_file(), "there is no {}", header.display());
    Ok(folders.to_vec())
}

/// Compiles the libraries that are not yet in `folder`. `headers` are folders of header files, which nvcc searches before its own.
pub fn compile(
    libraries: &[Library],
    capability: (u32, u32),
    folder: &Path,
    headers: &[PathBuf],
) -> Result<()> {
    let exists = |library: &Library| library.path(folder, capability).exists();
    let missing: Vec<_> = libraries
        .iter()
        .filter(|library| !exists(library))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let nvcc = nvcc().context("there is no nvcc in PATH, CUDA_HOME or CUDA_PATH")?;
    fs::create_dir_all(folder)?;
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(library) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
            compile_one(&nvcc, library, capability, folder, headers)?;
        }
        anyhow::Ok(())
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers.min(missing.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let joined = workers.into_iter().map(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.collect()
    })
}

fn compile_one(
    nvcc: &Path,
    library: &Library,
    capability: (u32, u32),
    folder: &Path,
    headers: &[PathBuf],
) -> Result<()> {
    let path = library.path(folder, capability);
    let source = path.with_extension("cu");
    fs::write(&source, library.source)?;
    let unfinished = path.with_extension("unfinished");
    let output = Command::new(nvcc)
        .args(FLAGS)
        .args(&library.flags)
        .args(headers.iter().flat_map(|folder| [Path::new("-I"), folder]))
        .arg(format!("-arch=sm_{}{}", capability.0, capability.1))
        .arg("-o")
        .arg(&unfinished)
        .arg(&source)
        .output()
        .with_context(|| nvcc.display().to_string())?;
    let messages = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "nvcc, for {}: {messages}",
        library.name
    );
    fs::rename(unfinished, path)?;
    Ok(())
}

/// The path of the compiler, if there is one.
fn nvcc() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let toolkits = ["CUDA_HOME", "CUDA_PATH"]
        .into_iter()
        .filter_map(env::var_os)
        .map(|root| PathBuf::from(root).join("bin"));
    env::split_paths(&path)
        .chain(toolkits)
        .chain([PathBuf::from("/usr/local/cuda/bin")])
        .map(|folder| folder.join("nvcc"))
        .find(|nvcc| nvcc.is_file())
}
