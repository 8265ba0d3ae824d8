//! The host's cost of a warm call, counted by valgrind's callgrind: instructions, and the source files that they come from.
//!
//! ```text
//! cargo build --release -p warpfold-bench --bin walk --config 'profile.release.debug="line-tables-only"'
//! target/release/walk                 # all calls
//! target/release/walk gpu_sum         # one call, file by file
//! ```
//!
//! In a turn, the program makes a call once. For each call, the program runs itself under callgrind twice: once with few turns, and once
//! with many. The difference between the two counts is the cost of the additional turns. Only the thread that makes the calls is counted,
//! and the driver's functions are not counted. So the counts say nothing about the driver and the GPU, and do not depend on the machine's
//! speed. The counts differ by a few instructions from build to build.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use virtual_gpu::driver::Choice;
use virtual_gpu::{Checks, RunOptions, Settings};
use warpfold::cust::memory::DeviceBuffer;
use warpfold::cust::stream::{Stream, StreamFlags};
use warpfold::{Gpu, Sum, gpu_sum, reduce, scan};

const CALLS: [&str; 5] = [
    "gpu_sum",
    "wait_reduce",
    "wait_scan",
    "queue_reduce",
    "queue_scan",
];

/// The numbers of turns of the two runs.
const FEW: u64 = 50;
const MANY: u64 = 250;

/// The folders of the library's own files. The other files belong to the standard library and to other packages.
const OWN: [&str; 3] = ["host/src/", "kernels-gpu/src/", "ptx-text/src/"];

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        [] => CALLS.iter().try_for_each(|call| print(call, false)),
        [call] => print(call, true),
        [call, turns] => take_turns(call, turns.parse()?),
        _ => bail!("expected no arguments, or one of {CALLS:?}"),
    }
}

/// Prints the cost of a turn. If `by_file` is set, also prints a line for each file of the library that the call reaches, and a line for
/// all other files.
fn print(call: &str, by_file: bool) -> Result<()> {
    ensure!(CALLS.contains(&call), "expected one of {CALLS:?}");
    let (few, many) = (count(call, FEW)?, count(call, MANY)?);
    let per_turn = |file: &String, many: u64| {
        let more = many.saturating_sub(few.get(file).copied().unwrap_or(0));
        more as f64 / (MANY - FEW) as f64
    };
    let files: Vec<(&String, f64)> = many
        .iter()
        .map(|(file, &many)| (file, per_turn(file, many)))
        .filter(|&(_, instructions)| instructions > 0.0)
        .collect();
    let own: Vec<&(&String, f64)> = files.iter().filter(|(file, _)| is_own(file)).collect();
    let all: f64 = files.iter().map(|(_, instructions)| instructions).sum();
    println!("{call:14} {all:8.0} instructions, {} files", own.len());
    if by_file {
        for (file, instructions) in &own {
            println!("{instructions:8.1}  {file}");
        }
        let rest: f64 = all
            - own
                .iter()
                .map(|(_, instructions)| instructions)
                .sum::<f64>();
        println!("{rest:8.1}  the standard library, and other packages");
    }
    Ok(())
}

/// Whether a file is the library's own. `file` is a [`shortened`] path.
fn is_own(file: &str) -> bool {
    OWN.iter().any(|folder| file.starts_with(folder))
}

/// The part of the path that begins with a folder of [`OWN`], or the whole path if the file is in none of these folders.
fn shortened(file: &str) -> &str {
    let own = OWN.iter().find_map(|folder| file.find(folder));
    own.map_or(file, |start| &file[start..])
}

/// The number of instructions for each file, in `turns` turns and in one more turn that warms up the call.
fn count(call: &str, turns: u64) -> Result<BTreeMap<String, u64>> {
    let folder = tempfile::tempdir()?;
    let out = folder.path().join("callgrind.out");
    let status = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "-q"])
        // callgrind toggles the counting where one of these functions begins, and again where it ends.
        .args([
            "--toggle-collect=walk::counted_turn*",
            "--toggle-collect=cu*",
        ])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(env::current_exe()?)
        .args([call, &turns.to_string()])
        .stdout(Stdio::null())
        .status()
        .context("valgrind is needed")?;
    ensure!(status.success(), "the program failed under valgrind");
    by_file(&out)
}

/// Reads callgrind's output: <https://valgrind.org/docs/manual/cl-format.html>. Instructions without a line belong to no file.
fn by_file(out: &Path) -> Result<BTreeMap<String, u64>> {
    let text = fs::read_to_string(out)?;
    let mut names = BTreeMap::new();
    let mut counts = BTreeMap::new();
    let mut file = String::new();
    let mut line = 0;
    let mut entries = text.lines();
    while let Some(entry) = entries.next() {
        let named = ["fl=", "fi=", "fe="];
        if let Some(name) = named.iter().find_map(|named| entry.strip_prefix(named)) {
            file = full_name(name, &mut names)?;
        } else if let Some(name) = entry.strip_prefix("cfi=").or(entry.strip_prefix("cfl=")) {
            full_name(name, &mut names)?;
        } else if entry.starts_with("calls=") {
            // The next entry is the cost of the called function. This cost is not added here: the entries of that function and of its
            // callees contain it.
            let cost = entries.next().context("a call without a cost")?;
            line = line_of(cost, line)?;
        } else if is_cost(entry) {
            line = line_of(entry, line)?;
            let instructions: u64 = entry.split(' ').nth(1).unwrap_or("0").parse()?;
            let file = match line {
                0 => "",
                _ => shortened(&file),
            };
            *counts.entry(file.to_owned()).or_default() += instructions;
        }
    }
    Ok(counts)
}

/// Whether an entry states the cost of a line of source code.
fn is_cost(entry: &str) -> bool {
    entry.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first))
}

/// The number of the source line that a cost entry is about. `before` is the line number of the preceding entry. An entry states the number
/// itself, or its difference from `before` (`+`, `-`), or `*` if the two are equal.
fn line_of(cost: &str, before: i64) -> Result<i64> {
    let line = cost.split(' ').next().unwrap_or_default();
    Ok(match line.as_bytes() {
        [b'*', ..] => before,
        [b'+' | b'-', ..] => before + line.parse::<i64>()?,
        _ => line.parse()?,
    })
}

/// Returns a file's full name. callgrind writes the name once, after a number in parentheses. Later it writes only the number.
fn full_name(name: &str, names: &mut BTreeMap<String, String>) -> Result<String> {
    let (number, name) = name.split_once(')').context("a file without a number")?;
    if name.is_empty() {
        return names.get(number).cloned().context("a file without a name");
    }
    names.insert(number.to_owned(), name.trim_start().to_owned());
    Ok(name.trim_start().to_owned())
}

/// Makes a call once to warm it up, and then `turns` times.
fn take_turns(call: &str, turns: u64) -> Result<()> {
    virtual_gpu::start(Settings {
        choice: Choice::On,
        run: RunOptions {
            checks: Checks::none(),
            ..RunOptions::default()
        },
        ..Settings::default()
    })?;
    let gpu = Gpu::global()?;
    gpu.make_current()?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let items = [1.0f32; 1024];
    let input = DeviceBuffer::from_slice(&items)?;
    let mut output = DeviceBuffer::from_slice(&items)?;
    let (input, items) = (black_box(&input), black_box(&items[..]));
    let mut one_call = || match call {
        "gpu_sum" => gpu_sum(items).map(drop),
        "wait_reduce" => reduce::<Sum, _>(input).wait(gpu).map(drop),
        "wait_scan" => scan::<Sum, _>(input).to(&mut output).wait(gpu),
        "queue_reduce" => reduce::<Sum, _>(input).to(&mut output).queue(gpu, &stream),
        _ => scan::<Sum, _>(input).to(&mut output).queue(gpu, &stream),
    };
    for _ in 0..=turns {
        counted_turn(&mut one_call)?;
    }
    stream.synchronize()?;
    Ok(())
}

/// One turn. callgrind finds this function by its name.
#[inline(never)]
fn counted_turn(call: &mut dyn FnMut() -> warpfold::Result<()>) -> warpfold::Result<()> {
    call()
}
