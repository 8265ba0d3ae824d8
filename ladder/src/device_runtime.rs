//! The device's runtime: a library of the CUDA toolkit. Kernels that launch kernels are linked with it.
//!
//! NVIDIA's driver has a linker, but not this library. The virtual GPU needs no library.

use std::path::{Path, PathBuf};
use std::{env, fs};

use cust::module::Module;
use warpfold::{Error, Gpu};

use crate::{Refusal, Result, link};

/// The library's name.
const NAME: &str = "libcudadevrt.a";

/// Environment variables that may name the folder of a toolkit.
const VARIABLES: [&str; 3] = ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"];

/// The usual folders of toolkits, besides `/usr/local/cuda-VERSION`.
const USUAL: [&str; 3] = ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"];

/// The folders of libraries in a toolkit.
const FOLDERS: [&str; 4] = [
    "lib64",
    "lib",
    "targets/x86_64-linux/lib",
    "targets/sbsa-linux/lib",
];

/// The folders of libraries on Debian and systems derived from it.
const SYSTEM_FOLDERS: [&str; 2] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];

/// Loads PTX into the current context, which is the GPU's. The PTX calls the device's runtime. If the library is found, the PTX is linked
/// with it. Otherwise the PTX is loaded as it is, for drivers that do not need the library.
///
/// # Errors
///
/// [`Refusal::DeviceRuntimeNotFound`] if the library was not found and the driver rejects the PTX without it; the linker's and the driver's
/// errors.
pub fn load_with(gpu: &Gpu, symbol: &'static str, text: &str) -> Result<Module> {
    let searched = places();
    let library = searched.iter().find_map(|path| fs::read(path).ok());
    if let Some(library) = library {
        let image = link::link(symbol, text, &library)?;
        return Ok(Module::from_cubin(image, &[])?);
    }
    gpu.load_ptx(symbol, text).map_err(|error| match error {
        Error::KernelRejected { .. } => Refusal::DeviceRuntimeNotFound { searched }.into(),
        error => error.into(),
    })
}

/// The paths at which the library is looked for, in order.
fn places() -> Vec<PathBuf> {
    let named = VARIABLES.into_iter().filter_map(env::var_os);
    let mut toolkits: Vec<PathBuf> = named.map(PathBuf::from).collect();
    toolkits.extend(USUAL.map(PathBuf::from));
    toolkits.extend(numbered_toolkits());
    let in_toolkits = toolkits
        .iter()
        .flat_map(|toolkit| FOLDERS.map(|folder| toolkit.join(folder)));
    in_toolkits
        .chain(SYSTEM_FOLDERS.map(PathBuf::from))
        .map(|folder| folder.join(NAME))
        .collect()
}

/// Folders such as `/usr/local/cuda-12.4`, in descending order of their names.
fn numbered_toolkits() -> Vec<PathBuf> {
    let is_toolkit = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("cuda-"))
    };
    let entries = fs::read_dir("/usr/local").into_iter().flatten().flatten();
    let mut toolkits: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| is_toolkit(path))
        .collect();
    toolkits.sort();
    toolkits.reverse();
    toolkits
}
