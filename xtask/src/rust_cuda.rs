//! The kernels through rust-cuda's compiler: compiled as the library's feature `cuda_builder` does, inspected, and tested.
//!
//! The library's test `bits` is built with the feature, which has the library carry what the compiler makes of the
//! kernels now; that PTX is inspected as the one that ships is, and the test runs on it. Where the machine has no GPU,
//! the virtual GPU does.
//!
//! Everything lies in [`FOLDER`]: a configuration that puts rust-cuda's crates in the place of those on crates.io, as a user
//! writes it too; a lock file of its own, since those crates depend on others; and, where few kernels are wanted, a copy of
//! the kernels' sources whose table has only their rows.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::inspect::{self, Compiler};
use crate::part::Part;
use crate::{Outcome, executables};

/// Where it is built.
const FOLDER: &str = "target/rust-cuda";

/// The variable that names a checkout of rust-cuda.
const CHECKOUT: &str = "RUST_CUDA";

/// The crates that are taken from there.
const CRATES: [&str; 2] = ["cuda_std", "cuda_builder"];

/// The back end, which `CudaBuilder` looks for in the folders of `LD_LIBRARY_PATH`.
const BACK_END: &str = "librustc_codegen_nvvm.so";

/// The variable that names the kernels' sources to the library's build script.
const KERNELS: &str = "WARPFOLD_KERNELS";

/// The file that has the table of kernels.
const TABLE: &str = "entries.rs";

/// The rows that stand for all others where few are wanted: rounding and exact, of whole words and of parts of one, with
/// and without NaN.
const FEW: [&str; 7] = [
    "reduce_sum_f32",
    "reduce_sum_u8",
    "reduce_max_f64",
    "inclusive_scan_sum_f32",
    "inclusive_scan_sum_u8",
    "exclusive_scan_sum_f32",
    "exclusive_scan_sum_u8",
];

/// Compiles the kernels, all or few, inspects the PTX and tests it.
pub fn run(root: &Path, arguments: &[&str]) -> Result<Outcome> {
    let symbols = match arguments {
        [] => Part::Library.symbols(),
        ["--few"] => FEW.to_vec(),
        _ => bail!("only `--few` can be said of it"),
    };
    let checkout = match checkout() {
        Ok(checkout) => checkout,
        Err(why) => return Ok(Outcome::Unable(format!("{why}. {NEEDED}"))),
    };
    let folder = root.join(FOLDER);
    configure(&folder, &checkout, root)?;
    let is_few = symbols.len() < Part::Library.symbols().len();
    let kernels = match is_few {
        true => Some(write_few(root, &folder, &symbols)?),
        false => None,
    };
    let built = build(root, &folder, kernels.as_deref())?;
    let text = fs::read_to_string(&built.ptx)?;
    inspect::inspect_kernels(&text, Part::Library, Compiler::RustCuda, &symbols)
        .with_context(|| format!("the PTX {}", built.ptx.display()))?;
    println!("{}: {} kernels", built.ptx.display(), symbols.len());
    let mut test = Command::new(&built.test);
    if is_few {
        test.arg("--exact").args(&symbols);
    }
    let status = test.current_dir(root.join("host")).status()?;
    ensure!(status.success(), "the library's test on this PTX: {status}");
    Ok(Outcome::Done)
}

/// What to do where the compiler is not found.
const NEEDED: &str = "Needed are: RUST_CUDA, the path of a checkout of https://github.com/Rust-GPU/rust-cuda at the \
    revision that README names; LD_LIBRARY_PATH with the folders of its librustc_codegen_nvvm.so and of CUDA's libNVVM; \
    and a `cargo` and `rustc` of the nightly that it was built for (RUSTUP_TOOLCHAIN), with rust-src. \
    README, \"With rust-cuda's compiler\", has the details";

/// The checkout of rust-cuda, or what of the compiler this machine lacks.
fn checkout() -> Result<PathBuf, String> {
    let checkout = env::var_os(CHECKOUT).map(PathBuf::from);
    let checkout = checkout.ok_or_else(|| format!("{CHECKOUT} is not set"))?;
    for name in CRATES {
        let manifest = checkout.join("crates").join(name).join("Cargo.toml");
        if !manifest.is_file() {
            return Err(format!("{CHECKOUT} is set, without {}", manifest.display()));
        }
    }
    let libraries = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    if !env::split_paths(&libraries).any(|folder| folder.join(BACK_END).is_file()) {
        return Err(format!("no folder of LD_LIBRARY_PATH has {BACK_END}"));
    }
    let takes_unstable_flags = Command::new("cargo")
        .args(["-Zlockfile-path", "--version"])
        .output()
        .is_ok_and(|output| output.status.success());
    match takes_unstable_flags {
        true => Ok(checkout),
        false => Err("`cargo` takes no unstable flags".to_owned()),
    }
}

/// Writes the configuration that patches rust-cuda's crates in, and the lock file to begin with.
fn configure(folder: &Path, checkout: &Path, root: &Path) -> Result<()> {
    let patches = CRATES.map(|name| {
        let path = checkout.join("crates").join(name);
        format!("{name} = {{ path = {path:?} }}\n")
    });
    let configuration = format!("[patch.crates-io]\n{}", patches.concat());
    write(&folder.join(".cargo/config.toml"), &configuration)?;
    let lock = folder.join("Cargo.lock");
    if !lock.exists() {
        fs::copy(root.join("Cargo.lock"), lock)?;
    }
    Ok(())
}

/// Writes a copy of the kernels' crate with these rows of the table alone, and gives its folder.
fn write_few(root: &Path, folder: &Path, symbols: &[&str]) -> Result<PathBuf> {
    let workspace = fs::read_to_string(root.join("Cargo.toml"))?;
    let workspace = workspace
        .lines()
        .map(|line| match line.starts_with("members = ") {
            true => "members = [\"kernels-gpu\"]\n".to_owned(),
            false => format!("{line}\n"),
        });
    write(
        &folder.join("few/Cargo.toml"),
        &workspace.collect::<String>(),
    )?;
    let kernels = folder.join("few/kernels-gpu");
    copy(&root.join("kernels-gpu"), &kernels, symbols)?;
    Ok(kernels)
}

/// Copies a folder of sources, of the table these rows.
fn copy(from: &Path, to: &Path, symbols: &[&str]) -> Result<()> {
    for item in fs::read_dir(from)? {
        let item = item?;
        let (from, to) = (item.path(), to.join(item.file_name()));
        if from.is_dir() {
            copy(&from, &to, symbols)?;
            continue;
        }
        let text = fs::read_to_string(&from)?;
        match item.file_name() == TABLE {
            true => write(&to, &rows(&text, symbols))?,
            false => write(&to, &text)?,
        }
    }
    Ok(())
}

/// The table with these rows alone.
fn rows(table: &str, symbols: &[&str]) -> String {
    let is_wanted = |line: &&str| {
        let row = line.trim().strip_suffix(';');
        let symbol = row.and_then(|row| row.split_once(" => "));
        symbol.is_none_or(|(_, symbol)| symbols.contains(&symbol))
    };
    let lines = table.lines().filter(is_wanted);
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Writes a file, if it has to be another: cargo builds anew what was written.
fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|written| written == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}

/// What a build gives.
struct Built {
    /// The PTX that the library carries.
    ptx: PathBuf,
    /// The test, an executable.
    test: PathBuf,
}

/// Builds the library's test with the feature, of these sources of the kernels or its own.
fn build(root: &Path, folder: &Path, kernels: Option<&Path>) -> Result<Built> {
    let lock = folder.join("Cargo.lock");
    let mut cargo = Command::new("cargo");
    cargo
        .args(["test", "--no-run", "--test=bits", "--features=cuda_builder"])
        .arg(format!(
            "--manifest-path={}",
            root.join("host/Cargo.toml").display()
        ))
        .arg("-Zlockfile-path")
        .arg(format!("--config=resolver.lockfile-path={lock:?}"))
        .env("CARGO_TARGET_DIR", folder)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .current_dir(folder);
    match kernels {
        Some(kernels) => cargo.env(KERNELS, kernels),
        None => cargo.env_remove(KERNELS),
    };
    let messages = executables::messages(&mut cargo)?;
    let script = messages.iter().find(|message| {
        let package = message["package_id"].as_str().unwrap_or_default();
        message["reason"] == "build-script-executed" && package.contains("/host#")
    });
    let output = script.and_then(|script| script["out_dir"].as_str());
    let output = output.context("cargo says nothing of the library's build script")?;
    let test = messages
        .iter()
        .find_map(|message| message["executable"].as_str());
    Ok(Built {
        ptx: Path::new(output).join("kernels.ptx"),
        test: test.context("cargo built no test")?.into(),
    })
}

#[cfg(test)]
#[path = "../../host/build/rust_cuda/amend.rs"]
mod amend;

#[cfg(test)]
mod tests {
    use super::*;

    const EMITTED: &str = "\
.version 8.8
.target sm_70
.address_size 64

.extern .shared .align 16 .b8 _Zcuda_std_dyn_shared[16];

.visible .entry reduce_sum_f32(
\t.param .u64 reduce_sum_f32_param_0
)
{
\tret;
}
";

    const AMENDED: &str = "\
.version 7.4
.target sm_70
.address_size 64

.extern .shared .align 128 .b8 _Zcuda_std_dyn_shared[];

.visible .entry reduce_sum_f32(
\t.param .u64 reduce_sum_f32_param_0
)
.maxntid 256, 1, 1
.minnctapersm 3
{
\tret;
}
";

    #[test]
    fn what_the_compiler_emits_is_amended() {
        assert_eq!(amend::amend(EMITTED).unwrap(), AMENDED);
    }

    #[test]
    fn what_has_nothing_to_amend_is_refused() {
        for (line, other) in [
            ("[16]", "[32]"),
            (".version 8.8", ""),
            (".version", ".version 8.8\n.version"),
        ] {
            let error = amend::amend(&EMITTED.replace(line, other)).unwrap_err();
            assert!(error.contains("not one of each"), "{error}");
        }
    }

    #[test]
    fn the_few_are_rows_of_the_table() {
        let table = include_str!("../../kernels-gpu/src/entries.rs");
        let few = rows(table, &FEW);
        let is_row = |line: &&str| line.ends_with(';') && line.contains(" => ");
        let count = |table: &str| table.lines().filter(is_row).count();
        assert_eq!(count(&few), FEW.len());
        assert_eq!(count(table), Part::Library.symbols().len());
        assert_eq!(rows(table, &Part::Library.symbols()), table);
    }
}
