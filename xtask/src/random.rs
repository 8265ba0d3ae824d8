//! Runs the library's random tests (`tests/random.rs`) with one seed after another, for a given time.
//!
//! Each seed has a process of its own. On a virtual device, the seed also chooses the architecture and the number of multiprocessors,
//! unless the environment sets them. The first seed that fails ends the run. The test prints the smallest case, and this task prints how to
//! repeat the test.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};

use crate::Outcome;
use crate::executables;
use crate::symbols::ARCHITECTURES;

/// The minutes of a run, unless another number is given.
const MINUTES: u64 = 10;
/// Values of `VIRTUAL_GPU_SMS`.
const MULTIPROCESSORS: [&str; 4] = ["4", "1", "7", "132"];
/// The start of the line that `tests/random/property.rs` prints for a case.
const CASE: &str = "smallest case: ";
/// The number of lines shown from the end of a run's output.
const END_LINES: usize = 30;

/// The command's arguments.
#[derive(Debug, PartialEq)]
struct Wanted {
    minutes: u64,
    /// The first seed. `None`: the number of seconds since 1970.
    seed: Option<u64>,
}

/// Runs the tests with fresh seeds until the time is up.
pub fn run(root: &Path, arguments: &[&str]) -> Result<Outcome> {
    let Wanted { minutes, seed } = wanted(arguments)?;
    let build = ["test", "--package=warpfold", "--no-run", "--test=random"];
    let executables = executables::build(root, &build)?;
    let executable = executables.first().context("there is no such test")?;
    let first = seed.unwrap_or_else(time_of_day);
    let start = Instant::now();
    let mut seeds = 0;
    while seeds == 0 || start.elapsed() < Duration::from_secs(60 * minutes) {
        let seed = first.wrapping_add(seeds);
        let device = device_of(seed);
        let mut command = Command::new(&executable.path);
        command.env("WARPFOLD_RANDOM_SEED", seed.to_string());
        command.envs(device.iter().copied());
        let output = command
            .output()
            .with_context(|| format!("running {}", executable.path.display()))?;
        if !output.status.success() {
            bail!("{}", describe(seed, &device, &output));
        }
        seeds += 1;
        println!(
            "seed {seed}: passed, {} s in all",
            start.elapsed().as_secs()
        );
    }
    Ok(Outcome::Done)
}

fn wanted(arguments: &[&str]) -> Result<Wanted> {
    let mut wanted = Wanted {
        minutes: MINUTES,
        seed: None,
    };
    let mut rest = arguments;
    loop {
        rest = match rest {
            [] => return Ok(wanted),
            ["--minutes", minutes, rest @ ..] => {
                wanted.minutes = minutes.parse().context("a number of minutes")?;
                rest
            }
            ["--seed", seed, rest @ ..] => {
                wanted.seed = Some(seed.parse().context("a seed is a number")?);
                rest
            }
            [other, ..] => bail!("`{other}` is not understood; {}", crate::USAGE),
        };
    }
}

fn time_of_day() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// The settings that the seed chooses for the virtual device, without those that the environment already sets.
fn device_of(seed: u64) -> Vec<(&'static str, &'static str)> {
    let index = seed as usize;
    let mut device = vec![
        (
            "VIRTUAL_GPU_ARCH",
            ARCHITECTURES[index % ARCHITECTURES.len()],
        ),
        (
            "VIRTUAL_GPU_SMS",
            MULTIPROCESSORS[index % MULTIPROCESSORS.len()],
        ),
    ];
    device.retain(|(variable, _)| std::env::var_os(variable).is_none());
    device
}

/// The report of a failed run, with the command that repeats it.
fn describe(seed: u64, device: &[(&str, &str)], output: &Output) -> String {
    let printed = String::from_utf8_lossy(&output.stdout);
    let device: String = device
        .iter()
        .map(|(variable, value)| format!("{variable}={value} "))
        .collect();
    let command = "cargo test --release --package warpfold --test random";
    format!(
        "seed {seed} failed ({}):\n{}\nto repeat it: {device}WARPFOLD_RANDOM_SEED={seed} {command}",
        output.status,
        found(&printed)
    )
}

/// The smallest cases in the output of a run, each after the line with its failure. Without any case, the end of the output.
fn found(printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().collect();
    let cases = lines.windows(2).filter(|pair| pair[1].starts_with(CASE));
    let cases: Vec<String> = cases.map(|pair| pair.join("\n")).collect();
    match cases.is_empty() {
        true => lines[lines.len().saturating_sub(END_LINES)..].join("\n"),
        false => cases.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_and_seed_come_in_any_order() {
        let found = |arguments: &[&str]| wanted(arguments).ok();
        let expected = |minutes, seed| Some(Wanted { minutes, seed });
        assert_eq!(found(&[]), expected(MINUTES, None));
        assert_eq!(found(&["--minutes", "3"]), expected(3, None));
        let both = ["--seed", "7", "--minutes", "3"];
        assert_eq!(found(&both), expected(3, Some(7)));
        for wrong in [
            &["--seed"][..],
            &["--seed", "x"],
            &["--minutes", "-1"],
            &["7"],
        ] {
            assert_eq!(found(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn the_smallest_cases_of_a_failed_run_are_shown() {
        let printed =
            "noise\ncalls: 1 is not 2\nsmallest case: A\nnoise\nlong: 3\nsmallest case: B\nend";
        let expected = "calls: 1 is not 2\nsmallest case: A\nlong: 3\nsmallest case: B";
        assert_eq!(found(printed), expected);
        assert_eq!(found("a\nb"), "a\nb");
        assert_eq!(found(&"x\n".repeat(100)).lines().count(), END_LINES);
    }
}
