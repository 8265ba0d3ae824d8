//! Reductions and scans along an axis of an array. The reduction finds the index of the best score in each row of a batch, as a language
//! model does to select its next word. The scan computes running sums along the middle of three axes.
//!
//! ```text
//! scores [batch][vocabulary]                 for each row, the index of its greatest score
//! samples [channel][time][position]          for each channel and position, the running sum over time
//! ```
//!
//! No transposition is needed before or after.
//!
//! Exit code: 0 if all went well or the reader of the output is gone, 2 if an argument is wrong, 1 for every other error.

mod common;

use std::error::Error;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use warpfold::{ArgMax, Gpu, Sum, reduce, scan};

use common::program;

/// Finds the index of the best score in each row of a batch, and running sums along the middle axis of an array, on the GPU.
///
/// The results are checked against the CPU.
#[derive(Debug, Parser)]
#[command(name = "axes")]
struct Arguments {}

/// The lengths of three axes.
#[derive(Clone, Copy)]
struct Extents {
    outer: usize,
    length: usize,
    inner: usize,
}

fn main() -> ExitCode {
    program::run(run)
}

fn run(Arguments {}: Arguments, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::global()?;
    common::print_device(gpu, out)?;
    best_words(gpu, out)?;
    running_sums(gpu, out)?;
    writeln!(out, "check      the CPU agrees")?;
    Ok(())
}

/// The index of the greatest score in each row.
fn best_words(gpu: &Gpu, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let (batch, vocabulary) = (8, common::item_count(202_048, 3000));
    let mut random = common::Random::new(1);
    let scores: Vec<f32> = (0..batch * vocabulary)
        .map(|_| (random.bits() >> 40) as f32 / 16_384.0 - 512.0)
        .collect();
    let (best, time) =
        common::timed(|| reduce::<ArgMax<u32>, _>(&scores).rows(vocabulary).wait(gpu));
    let best = best?;
    writeln!(
        out,
        "best       of {vocabulary} scores for each of {batch}: {best:?}, {time:.1?}, copies included"
    )?;
    for (row, (scores, &device)) in scores.chunks(vocabulary).zip(&best).enumerate() {
        let mut cpu = 0;
        for (place, score) in scores.iter().enumerate() {
            if *score > scores[cpu] {
                cpu = place;
            }
        }
        if device as usize != cpu {
            return Err(format!(
                "row {row}: the device finds the greatest at {device}, the CPU at {cpu}"
            )
            .into());
        }
    }
    Ok(())
}

/// Running sums along the middle axis.
fn running_sums(gpu: &Gpu, out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let extents = Extents {
        outer: 16,
        length: common::item_count(1000, 40),
        inner: 24,
    };
    let Extents {
        outer,
        length,
        inner,
    } = extents;
    let mut random = common::Random::new(2);
    let samples: Vec<i64> = (0..outer * length * inner)
        .map(|_| (random.bits() % 2001) as i64 - 1000)
        .collect();
    let (sums, time) = common::timed(|| {
        scan::<Sum, _>(&samples)
            .axis(outer, length, inner)
            .wait(gpu)
    });
    let sums = sums?;
    writeln!(
        out,
        "sums       along the middle of {outer} × {length} × {inner}, {time:.1?}, copies included"
    )?;
    let mut expected = samples;
    for item in 0..expected.len() {
        if item / inner % length > 0 {
            expected[item] += expected[item - inner];
        }
    }
    for (item, (&device, cpu)) in sums.iter().zip(expected).enumerate() {
        if device != cpu {
            return Err(format!("item {item}: the device gives {device}, the CPU {cpu}").into());
        }
    }
    Ok(())
}
