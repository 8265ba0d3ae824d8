//! Runs the ladder's test and tests of the library under many schedules of the virtual GPU.
//!
//! If a test compares its results with the CPU's, bit for bit, and passes under all schedules, its results have the same bits under all
//! schedules. Each run is a separate process, and the environment sets its schedule. The first seed of each policy runs with all checks,
//! the other seeds only with the checks of memory accesses.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::Outcome;
use crate::executables::{self, Executable};

/// Tests of the library and, as the last, the test of the ladder. The environment can set the schedule of each of these tests. The
/// library's test `unordered` cannot be in this list: it expects a finding of a check that most seeds run without.
const TESTS: [&str; 13] = [
    "bits", "one_pass", "by_key", "counted", "repeats", "slices", "streams", "captures", "tasks",
    "errors", "large", "overhead", "ladder",
];
/// Values of `VIRTUAL_GPU_POLICY`.
const POLICIES: [&str; 5] = ["seeded", "reversed", "one-block", "starved", "stale"];
/// The number of seeds of each policy, unless the command line gives another number.
const SEEDS: u64 = 20;

/// Runs the named tests, or all [`TESTS`], under every policy with the given number of seeds, and prints the outcome.
pub fn run(root: &Path, arguments: &[&str]) -> Result<Outcome> {
    let (seeds, tests) = match arguments {
        ["--seeds", seeds, tests @ ..] => (seeds.parse().context("a number of seeds")?, tests),
        tests => (SEEDS, tests),
    };
    let tests = if tests.is_empty() { &TESTS } else { tests };
    let mut build = vec![
        "test",
        "--package=warpfold",
        "--package=warpfold-ladder",
        "--no-run",
    ];
    let names: Vec<String> = tests.iter().map(|test| format!("--test={test}")).collect();
    build.extend(names.iter().map(String::as_str));
    let executables = executables::build(root, &build)?;
    println!("{seeds} seeds of each policy: runs that passed, and seconds for all");
    println!(
        "{:14}{}",
        "",
        POLICIES.map(|policy| format!("{policy:>16}")).concat()
    );
    let mut failures = Vec::new();
    for executable in &executables {
        print!("{:14}", executable.name);
        for policy in POLICIES {
            let start = Instant::now();
            let mut passed = 0;
            for seed in 0..seeds {
                let output = run_once(executable, policy, seed)?;
                match output.status.success() {
                    true => passed += 1,
                    false => failures.push(describe(executable, policy, seed, &output)),
                }
            }
            let seconds = start.elapsed().as_secs();
            print!("{:>16}", format!("{passed}/{seeds} {seconds} s"));
            std::io::stdout().flush()?;
        }
        println!();
    }
    ensure!(!executables.is_empty(), "there are no such tests");
    match failures.is_empty() {
        true => Ok(Outcome::Done),
        false => bail!("{} runs failed:\n{}", failures.len(), failures.join("\n")),
    }
}

fn run_once(executable: &Executable, policy: &str, seed: u64) -> Result<Output> {
    let checks = if seed == 0 { "all" } else { "memory" };
    let mut command = Command::new(&executable.path);
    command
        .env("VIRTUAL_GPU", "on")
        .env("VIRTUAL_GPU_POLICY", policy)
        .env("VIRTUAL_GPU_SEED", seed.to_string())
        .env("VIRTUAL_GPU_CHECKS", checks);
    let output = command.output();
    output.with_context(|| format!("running {}", executable.path.display()))
}

fn describe(executable: &Executable, policy: &str, seed: u64, output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let tail: Vec<&str> = text.lines().rev().take(20).collect();
    let tail: Vec<&str> = tail.into_iter().rev().collect();
    let name = &executable.name;
    format!("{name}, {policy}, seed {seed}:\n{}", tail.join("\n"))
}
