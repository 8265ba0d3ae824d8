//! The directories where the real driver may be. They are searched if the loader finds a copy of this crate under the driver's name. They
//! are the directories of `LD_LIBRARY_PATH`, the loader's configured directories, and the directories where distributions install drivers.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

const CONFIGURATION: &str = "/etc/ld.so.conf.d";

const USUAL: [&str; 9] = [
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/lib/wsl/lib",
    "/run/opengl-driver/lib",
    "/usr/local/cuda/compat",
];

/// The directories, in search order.
pub(crate) fn directories() -> Vec<PathBuf> {
    let of_program = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut all: Vec<PathBuf> = env::split_paths(&of_program).collect();
    all.extend(configured(Path::new(CONFIGURATION)));
    all.extend(USUAL.map(PathBuf::from));
    // A relative directory is ignored, because it depends on the working directory.
    all.retain(|directory| directory.is_absolute());
    all
}

/// The directories that are listed in the loader's configuration files. `folder` is where these files are. Each line that begins with `/`
/// is the path of a directory.
fn configured(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = files.map(|file| file.path()).collect();
    paths.sort();
    let texts = paths
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok());
    let named = |text: String| {
        let lines = text.lines().map(str::trim);
        let directories = lines.filter(|line| line.starts_with('/'));
        directories.map(PathBuf::from).collect::<Vec<_>>()
    };
    texts.flat_map(named).collect()
}
