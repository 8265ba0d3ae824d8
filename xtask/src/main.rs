//! What cargo does not do for warpfold.
//!
//! ```text
//! cargo xtask ptx            build the kernels' PTX into host/ptx
//! cargo xtask ptx --check    fail if the committed PTX is not what the source gives
//! cargo xtask bundle         build tests and examples, and gather the executables in bundle/
//! ```

mod bundle;
mod inspect;
mod ptx;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask ptx [--check] | bundle";

/// How a task ended.
enum Outcome {
    Done,
    /// Something that the task needs is not on this machine; the text says what.
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in the workspace");
    match arguments {
        ["ptx"] => ptx::write(root),
        ["ptx", "--check"] => ptx::check(root),
        ["bundle"] => bundle::gather(root),
        _ => bail!(USAGE),
    }
}
