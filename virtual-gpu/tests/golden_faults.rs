//! For every kind of fault that needs only one launch, `ptx/faults/` holds a small kernel with the fault (`NAME.ptx`), the exact report
//! (`NAME.txt`) and the corrected kernel (`NAME.fixed.ptx`). The corrected kernel runs without a fault under every policy, with several
//! seeds.
//!
//! The second line of a kernel's text describes the launch: the number of blocks, the number of threads in a block, the buffer, and whether
//! the launch is programmatic. In reports, addresses less than 64 KiB above the buffer's address are relative to the buffer. With
//! `GOLDEN=write` in the environment, the test replaces the report files. Review them afterwards.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use support::{Arg, Device};
use virtual_gpu::{Counters, Dependence, Fault, LaunchError, Policy};

/// The launch of a kernel, and its buffer.
struct Setup {
    blocks: u32,
    threads: u32,
    bytes: u64,
    /// `zeros`, `unwritten` or `freed`.
    contents: String,
    dependence: Dependence,
}

impl Setup {
    /// Reads a line such as `// launch: 2 x 64, 400 zeros`: 2 blocks of 64 threads, and a buffer of 400 zero bytes. `, programmatic` may
    /// follow.
    fn read(text: &str) -> Self {
        let line = text.lines().nth(1).unwrap();
        let words = line.strip_prefix("// launch: ").unwrap().replace(',', "");
        let words: Vec<_> = words.split(' ').collect();
        let (words, dependence) = match words.split_last() {
            Some((&"programmatic", rest)) => (rest, Dependence::Programmatic),
            _ => (&words[..], Dependence::Full),
        };
        let &[blocks, "x", threads, bytes, contents] = words else {
            panic!("{line}");
        };
        Self {
            blocks: blocks.parse().unwrap(),
            threads: threads.parse().unwrap(),
            bytes: bytes.parse().unwrap(),
            contents: contents.to_owned(),
            dependence,
        }
    }
}

/// Runs a kernel. Also returns the buffer's address.
fn run(text: &str, seed: u64, policy: Policy) -> (u64, Result<Counters, Box<Fault>>) {
    let setup = Setup::read(text);
    let mut device = Device::new();
    device.options.step_budget = 10_000;
    device.options.seed = seed;
    device.options.policy = policy;
    device.options.dependence = setup.dependence;
    let buffer = match setup.contents.as_str() {
        "unwritten" => device.memory.alloc(setup.bytes).unwrap(),
        _ => device.zeros(setup.bytes),
    };
    if setup.contents == "freed" {
        device.memory.free(buffer).unwrap();
    }
    let module = device.load(text);
    let arguments = [Arg::U64(buffer)];
    let outcome = device.launch(&module, "k", setup.blocks, setup.threads, &arguments);
    let outcome = outcome.map_err(|error| match error {
        LaunchError::Fault(fault) => fault,
        other => panic!("{other}"),
    });
    (buffer, outcome)
}

/// The text, with `BUFFER` and an offset in place of each address less than 64 KiB above the buffer's address.
fn relative(text: &str, buffer: u64) -> String {
    let mut parts = text.split("0x");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let digits = part.chars().take_while(char::is_ascii_hexdigit).count();
        let number = u64::from_str_radix(&part[..digits], 16);
        match number.map(|number| number.wrapping_sub(buffer)) {
            Ok(0) => out.push_str("BUFFER"),
            Ok(offset) if offset < 1 << 16 => out.push_str(&format!("BUFFER+{offset}")),
            _ => out.push_str(&format!("0x{}", &part[..digits])),
        }
        out.push_str(&part[digits..]);
    }
    out
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ptx/faults")
}

/// The names of all kernels.
fn names() -> Vec<String> {
    let files = fs::read_dir(folder()).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let name = |file: String| Some(file.strip_suffix(".fixed.ptx")?.to_owned());
    let names: BTreeSet<String> = files.filter_map(name).collect();
    names.into_iter().collect()
}

fn read(name: &str, extension: &str) -> String {
    let path = folder().join(format!("{name}.{extension}"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn report(name: &str, seed: u64, policy: Policy) -> String {
    let (buffer, outcome) = run(&read(name, "ptx"), seed, policy);
    let fault = outcome.expect_err(name);
    let (fault, code) = (fault.to_string(), fault.cu_result());
    format!("{}\n  CUDA error {code}\n", relative(&fault, buffer))
}

#[test]
fn every_report_equals_its_golden_text() {
    let mut different = Vec::new();
    for name in names() {
        let found = report(&name, 0, Policy::Seeded);
        if std::env::var_os("GOLDEN").is_some_and(|mode| mode == "write") {
            fs::write(folder().join(format!("{name}.txt")), &found).unwrap();
        }
        let golden = read(&name, "txt");
        if found != golden {
            different.push(format!("{name}:\n{found}instead of\n{golden}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn every_fault_is_found_under_every_schedule() {
    for name in names() {
        let kind = |text: &str| text.split(':').next().unwrap().to_owned();
        let expected = kind(&read(&name, "txt"));
        for policy in Policy::ALL {
            for seed in 0..8 {
                let found = report(&name, seed, policy);
                assert_eq!(kind(&found), expected, "{name}, {policy:?}, seed {seed}");
            }
        }
    }
}

#[test]
fn corrected_kernels_run_clean_under_every_schedule() {
    for name in names() {
        for policy in Policy::ALL {
            for seed in 0..8 {
                let (_, outcome) = run(&read(&name, "fixed.ptx"), seed, policy);
                if let Err(fault) = outcome {
                    panic!("{name}, {policy:?}, seed {seed}: {fault}");
                }
            }
        }
    }
}

#[test]
fn every_kind_of_fault_has_a_kernel() {
    let kind = |name: String| {
        let (_, outcome) = run(&read(&name, "ptx"), 0, Policy::Seeded);
        let kind = format!("{:?}", outcome.expect_err(&name).kind);
        kind.split([' ', '{']).next().unwrap().to_owned()
    };
    let found: BTreeSet<String> = names().into_iter().map(kind).collect();
    let kinds = [
        "Assertion",
        "BarrierDivergence",
        "Deadlock",
        "InvalidBarrier",
        "Misaligned",
        "OutOfBounds",
        "Race",
        "StepBudget",
        "TooEarly",
        "Trap",
        "Uninitialised",
        "UseAfterFree",
        "WarpSync",
    ];
    assert!(found.iter().eq(kinds.iter()), "{found:?}");
}
