//! Tasks of warpfold's development that cargo has no commands for.
//!
//! ```text
//! cargo xtask ptx [NAME…]            build the kernels' PTX into host/ptx and ladder/ptx
//! cargo xtask ptx --check [NAME…]    fail if the committed PTX differs from the PTX that the source compiles to
//! cargo xtask rust-cuda [--few]       build the kernels with rust-cuda's compiler, and test the result
//! cargo xtask bundle                 build tests and examples, and gather the executables in bundle/
//! cargo xtask schedules [--seeds N] [TEST…]
//!                                    run the library's tests under every policy of the virtual GPU
//! cargo xtask random [--minutes M] [--seed S]
//!                                    run the library's random tests with fresh seeds
//! ```
//!
//! A NAME is `sm_90` (the folder in host/ptx), `ladder` or `ladder_nested` (the texts in ladder/ptx). Without a NAME, all of them are
//! built.

mod bundle;
mod executables;
mod inspect;
mod kernel_set;
mod ptx;
mod random;
mod rust_cuda;
mod schedules;
mod skeletons;
mod symbols;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask ptx [--check] [NAME…] | rust-cuda [--few [ARCHITECTURE…]] | bundle | schedules [--seeds N] [TEST…] | random [--minutes M] [--seed S]";

/// How a task ended.
enum Outcome {
    Done,
    /// The machine lacks something that the task needs. The text says what.
    Unable(String),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Unable(why)) => {
            eprintln!("xtask: cannot do this here: {why}");
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<Outcome> {
    // The path comes from cargo at run time, since the executable may have been built in another checkout with the same target folder.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR");
    let folder = manifest.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let Some(root) = Path::new(&folder).parent() else {
        bail!("xtask does not lie in a workspace");
    };
    match arguments {
        ["ptx", "--check", files @ ..] => ptx::check(root, files),
        ["ptx", files @ ..] => ptx::write(root, files),
        ["rust-cuda", arguments @ ..] => rust_cuda::run(root, arguments),
        ["bundle"] => bundle::gather(root),
        ["schedules", arguments @ ..] => schedules::run(root, arguments),
        ["random", arguments @ ..] => random::run(root, arguments),
        _ => bail!(USAGE),
    }
}
