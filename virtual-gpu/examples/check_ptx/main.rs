//! Runs PTX that compilers other than rustc made: `cargo run --release -p virtual-gpu --example check_ptx -- FILE…`
//!
//! Loads each file, and runs the kernels that this example knows by name. They run under every policy of the scheduler, with all checks.
//! Their results are compared with the results of the same computations on the host. If a file lacks one of these kernels, the example
//! prints the name of the kernel and skips it.

mod bed;
mod collective;
mod memory_kernels;
mod plain;

use bed::{Bed, Trouble};
use std::process::ExitCode;
use virtual_gpu::{Checks, Policy, RunOptions};

/// A kernel's name, and the function that runs it and checks its result.
type Check = (&'static str, fn(&Bed) -> Result<(), Trouble>);

fn main() -> ExitCode {
    let mut troubles = 0;
    for path in std::env::args().skip(1) {
        match check_file(&path) {
            Ok(count) => troubles += count,
            Err(trouble) => {
                println!("{path}: {trouble}");
                troubles += 1;
            }
        }
    }
    println!("{troubles} troubles");
    ExitCode::from(u8::from(troubles > 0))
}

/// Checks the kernels of a file, and returns the number of failures.
fn check_file(path: &str) -> Result<usize, Trouble> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut troubles = 0;
    for policy in Policy::ALL {
        let options = RunOptions {
            policy,
            checks: Checks::all(),
            ..RunOptions::default()
        };
        let bed = Bed::load(&text, options)?;
        for (name, check) in [plain::CHECKS, collective::CHECKS, memory_kernels::CHECKS].concat() {
            let result = match bed.has(name) {
                true => check(&bed),
                false => {
                    println!("{path}, {policy:?}: {name}: not there");
                    continue;
                }
            };
            match result {
                Ok(()) => println!("{path}, {policy:?}: {name}: right"),
                Err(trouble) => {
                    println!("{path}, {policy:?}: {name}: {trouble}");
                    troubles += 1;
                }
            }
        }
    }
    Ok(troubles)
}
