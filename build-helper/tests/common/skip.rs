//! Runs tests that compile device code. If no compiler can do that, all tests count as ignored, and a message on stderr says so.
//!
//! Rust's own harness cannot ignore a test that has begun to run. With that harness, a test that finds no compiler would have to pass.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// A test and its name.
pub type Test = (&'static str, fn());

/// Tests, each under the name of its function.
macro_rules! device_tests {
    ($($test:ident),* $(,)?) => {
        &[$((stringify!($test), $test)),*]
    };
}

pub(crate) use device_tests;

/// The `main` of a test file. It takes the same arguments as Rust's own harness.
pub fn run(tests: &[Test]) -> ExitCode {
    let arguments = Arguments::from_args();
    let compiler = warpfold_build::find_compiler();
    if let Err(reason) = &compiler {
        let names: Vec<&str> = tests.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        eprintln!("SKIPPED, for there is no compiler of device code: {names}\n{reason}\n");
    }
    let trial = |&(name, test): &Test| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run).with_ignored_flag(compiler.is_err())
    };
    libtest_mimic::run(&arguments, tests.iter().map(trial).collect()).exit_code()
}
