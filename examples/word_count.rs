//! Word count: how often each word of a text occurs.
//!
//! ```text
//! words     the cat the dog      a key for each: a hash of 64 bits
//! sorted    cat dog the the
//! runs      cat the dog: 1 1 2   on the GPU, in one pass: the first of each run of equal keys, and its length
//! ```
//!
//! ```text
//! cargo run --example word_count             words made up on the spot
//! cargo run --example word_count FILE        the words of a text: letters, digits and all that is not ASCII
//! ```
//!
//! Every count is checked against a hash map on the CPU. Exit code: 0 if all went well or the reader of the output is gone, 2 if an
//! argument is wrong or the input cannot be read, 1 for every other error.

mod common;

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use warpfold::{Equal, Gpu, runs};

use common::{program, quoted};

/// How many of the most frequent words are shown.
const SHOWN: usize = 10;

/// Counts the words of a text on the GPU.
///
/// Every count is checked against the CPU.
#[derive(Debug, Parser)]
#[command(name = "word_count")]
struct Arguments {
    /// A text [default: words made up on the spot]
    file: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("cannot read {path}: {error}")]
    Input { path: String, error: io::Error },
    #[error(transparent)]
    Device(#[from] warpfold::Error),
    #[error("the device counts {device} different words, the CPU {cpu}, or others")]
    Mismatch { device: usize, cpu: usize },
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl program::Failure for Failure {
    fn output_error(&self) -> Option<&io::Error> {
        match self {
            Failure::Output(error) => Some(error),
            _ => None,
        }
    }

    fn is_of_input(&self) -> bool {
        matches!(self, Failure::Input { .. })
    }
}

fn main() -> ExitCode {
    program::run(run)
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<(), Failure> {
    let (text, origin) = match &arguments.file {
        None => (made_up(), "made up".to_owned()),
        Some(path) => (read(path)?, quoted::path(path)),
    };
    let gpu = Gpu::global()?;
    common::print_device(gpu, out)?;
    let words: Vec<&[u8]> = words(&text).collect();
    writeln!(out, "words      {} ({origin})", words.len())?;
    let mut keys: Vec<u64> = words.iter().map(|word| key(word)).collect();
    let by_key: HashMap<u64, &[u8]> = keys.iter().copied().zip(words.iter().copied()).collect();
    keys.sort_unstable();

    let (counted, time) = common::timed(|| runs::<Equal, _>(&keys).lengths().wait(Gpu::global()));
    let (firsts, counts) = counted?;

    let named = firsts.iter().filter_map(|key| by_key.get(key).copied());
    let mut counted: Vec<(&[u8], usize)> = named.zip(counts).collect();
    check(&counted, &words)?;
    writeln!(out, "time       {time:.1?} for the runs, copies included")?;
    writeln!(out, "different  {}", counted.len())?;
    counted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    for (word, count) in counted.iter().take(SHOWN) {
        writeln!(out, "{count:>9}  {}", String::from_utf8_lossy(word))?;
    }
    writeln!(out, "check      the CPU agrees")?;
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut text = fs::read(path).map_err(|error| Failure::Input {
        path: quoted::path(path),
        error,
    })?;
    text.make_ascii_lowercase();
    Ok(text)
}

/// The words of a text.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_gap = |byte: &u8| byte.is_ascii() && !byte.is_ascii_alphanumeric();
    text.split(is_gap).filter(|word| !word.is_empty())
}

/// A word's hash: FNV-1a with 64 bits. Two different words are unlikely to have the same hash, and the check would find two such words.
fn key(word: &[u8]) -> u64 {
    let offset = 0xcbf2_9ce4_8422_2325;
    let prime = 0x0100_0000_01b3;
    word.iter().fold(offset, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(prime)
    })
}

/// Checks that the device counted exactly the words of the text, and that each count is right.
fn check(counted: &[(&[u8], usize)], words: &[&[u8]]) -> Result<(), Failure> {
    let mut expected = HashMap::<&[u8], usize>::new();
    for word in words {
        *expected.entry(word).or_default() += 1;
    }
    let is_right = |(word, count): &(&[u8], usize)| expected.get(word) == Some(count);
    match counted.len() == expected.len() && counted.iter().all(is_right) {
        true => Ok(()),
        false => Err(Failure::Mismatch {
            device: counted.len(),
            cpu: expected.len(),
        }),
    }
}

/// Made-up words. How often the word of rank `r` occurs is roughly proportional to `1 / r`, as in a natural language.
fn made_up() -> Vec<u8> {
    let mut random = common::Random::new(1);
    let mut text = Vec::new();
    for _ in 0..common::item_count(1 << 22, 50_000) {
        let share = random.bits() as f64 / u64::MAX as f64;
        let rank = 10_000_f64.powf(share) as u64;
        text.extend_from_slice(format!("word{rank} ").as_bytes());
    }
    text
}
