//! The command line.

use std::num::NonZero;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::{Args, Parser, Subcommand};

use crate::data::TYPES;
use crate::record::Case;
use crate::timing::Queueing;

/// Measures warpfold on the GPU of this machine, beside CUB and a plain copy.
#[derive(Debug, Parser)]
#[command(name = "warpfold-bench")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The command.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Times reductions, scans and copies, checks the results, and writes the times.
    Measure(Measure),
    /// Draws the table and the charts of a results.csv again, or the charts of a shapes.csv.
    Chart(Chart),
    /// Prints each target, with the worst value that was measured for it. The measurements come from a results.csv.
    Targets(Targets),
    /// Compiles CUB's calls for another machine. Then the other machine needs no nvcc. This machine needs no GPU.
    Cub(CubLibraries),
    /// Times other calls, beside CUB: dot products, arg-min and arg-max, segments and more.
    Shapes(Shapes),
    /// Times the host's cost of calls: a first call, calls that queue, calls that wait, and calls on slices.
    Host(HostPath),
}

/// What to measure, and how long.
#[derive(Debug, Args)]
pub struct Measure {
    /// The cases, by name; without this, all of them.
    #[arg(long, value_delimiter = ',', value_parser = Case::parse)]
    pub kinds: Vec<Case>,
    /// The element types, by name; without this, all of them.
    #[arg(long, value_delimiter = ',', value_parser = type_name)]
    pub types: Vec<String>,
    /// The numbers of items, as exponents of two: `16,20-24`, or `10-30/2` for every second exponent.
    #[arg(long, default_value = "10-30")]
    pub sizes: Sizes,
    /// At most this many batches of each call are timed. The calls take turns.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: u32,
    /// The time limit of all batches of a call, in milliseconds. It is an average over the calls that take turns. If the calls are slow,
    /// each gets fewer batches than `--repeats`, but at least three if `--repeats` allows.
    #[arg(long, default_value_t = 20.0)]
    pub call_millis: f64,
    /// How the calls of a batch reach the device: the host launches each call, or the device runs a graph of the calls. For a short call,
    /// the host's launch can take longer than the device's work.
    #[arg(long, default_value = "launches")]
    pub queueing: Queueing,
    /// How many times everything is measured.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// After this many seconds, the remaining sizes, types and runs are skipped.
    #[arg(long)]
    pub limit_seconds: Option<f64>,
    /// The seed of the random items; without this, the current time.
    #[arg(long)]
    pub seed: Option<u64>,
    /// A folder for results.csv, table.md and the charts; without this, the rows go to the standard output.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// A folder that keeps the compiled CUB libraries. A library that is already in the folder is used. The command `cub` can compile the
    /// libraries on another machine.
    #[arg(long)]
    pub cub_dir: Option<PathBuf>,
    /// Also run if this machine has no GPU. Then the virtual GPU runs the calls, and the times mean nothing.
    #[arg(long = "virtual")]
    pub virtual_too: bool,
}

/// The settings of the shapes' measurements.
#[derive(Debug, Args)]
pub struct Shapes {
    /// Only the shapes whose names contain one of these texts are measured.
    #[arg(long)]
    pub only: Vec<String>,
    /// The numbers of items, as exponents of two.
    #[arg(long, default_value = "16,20,24,28")]
    pub sizes: Sizes,
    /// At most this many batches of each call are timed. warpfold and CUB take turns.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: u32,
    /// How many times everything is measured.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// A folder for shapes.csv, shapes.md and the charts.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// A folder that keeps the compiled CUB library.
    #[arg(long)]
    pub cub_dir: Option<PathBuf>,
    /// Also run if this machine has no GPU. Then the virtual GPU runs the calls, and the times mean nothing.
    #[arg(long = "virtual")]
    pub virtual_too: bool,
}

/// The libraries to compile.
#[derive(Debug, Args)]
pub struct CubLibraries {
    /// A folder for the libraries. `measure` and `shapes` take it as `--cub-dir`.
    #[arg(long)]
    pub out: PathBuf,
    /// The architecture of the GPU that will run the libraries.
    #[arg(long, default_value = "sm_90")]
    pub arch: Arch,
    /// The element types, by name; without this, all of them.
    #[arg(long, value_delimiter = ',', value_parser = type_name)]
    pub types: Vec<String>,
    /// A checkout of CCCL. Its CUB is compiled, instead of the CUB that comes with nvcc. Keep the libraries of each version of CUB in a
    /// separate folder.
    #[arg(long)]
    pub cccl: Option<PathBuf>,
}

/// A file of measurements, and the folder for its charts and its table.
#[derive(Debug, Args)]
pub struct Chart {
    /// The file that `measure` or `shapes` wrote.
    pub csv: PathBuf,
    /// A folder for the charts, and for the table.md of a results.csv.
    #[arg(long)]
    pub out: PathBuf,
}

/// The settings of the measurements of the host's cost.
#[derive(Debug, Args)]
pub struct HostPath {
    /// MiB of the longest slice.
    #[arg(long, default_value_t = 1024)]
    pub slice_mib: usize,
    /// How many times calls on device memory are timed.
    #[arg(long, default_value_t = 20)]
    pub repeats: u32,
    /// Also run if this machine has no GPU. Then the virtual GPU runs the calls, and the times mean nothing.
    #[arg(long = "virtual")]
    pub virtual_too: bool,
}

/// Files of measurements.
#[derive(Debug, Args)]
pub struct Targets {
    /// The file that `measure` wrote.
    pub csv: PathBuf,
    /// A file with the output of `host`.
    #[arg(long)]
    pub host: Option<PathBuf>,
}

/// The largest exponent that can be requested. 2^32 items of 8 bytes are 32 GiB.
const LARGEST: u32 = 32;

/// Numbers of items, as exponents of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(pub Vec<u32>);

impl std::str::FromStr for Sizes {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut sizes = Vec::new();
        for part in text.split(',') {
            let (range, step) = part.split_once('/').unwrap_or((part, "1"));
            let step: NonZero<u16> = step
                .parse()
                .with_context(|| format!("`{step}` is no step"))?;
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let exponent = |text: &str| -> Result<u32> {
                let exponent = text
                    .parse()
                    .with_context(|| format!("`{text}` is no exponent of two"))?;
                ensure!(exponent <= LARGEST, "2^{exponent} is more than 2^{LARGEST}");
                Ok(exponent)
            };
            let exponents = exponent(first)?..=exponent(last)?;
            sizes.extend(exponents.step_by(step.get().into()));
        }
        sizes.sort_unstable();
        sizes.dedup();
        ensure!(!sizes.is_empty(), "`{text}` names no size");
        Ok(Self(sizes))
    }
}

/// A compute capability in the compilers' form: `sm_90`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arch(pub (u32, u32));

impl std::str::FromStr for Arch {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = text.strip_prefix("sm_").and_then(|n| n.parse::<u32>().ok());
        let number = number.with_context(|| format!("`{text}` is not like `sm_90`"))?;
        Ok(Self((number / 10, number % 10)))
    }
}

/// Returns the text if it is the name of an element type that is measured. Otherwise returns an error.
fn type_name(text: &str) -> Result<String> {
    let known: Vec<&str> = TYPES.iter().map(|each| each.name).collect();
    ensure!(
        known.contains(&text),
        "no type `{text}`; there are {known:?}"
    );
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_lists_of_ranges() {
        let sizes = |text: &str| text.parse::<Sizes>().ok().map(|sizes| sizes.0);
        assert_eq!(sizes("10"), Some(vec![10]));
        assert_eq!(sizes("12,20-22,21"), Some(vec![12, 20, 21, 22]));
        assert_eq!(sizes("10-15/2,30"), Some(vec![10, 12, 14, 30]));
        assert_eq!(sizes("22-20"), None);
        assert_eq!(sizes("20-22/0"), None);
        assert_eq!(sizes("33"), None);
        assert_eq!(sizes("many"), None);
    }

    #[test]
    fn architectures_have_the_compilers_names() {
        let arch = |text: &str| text.parse::<Arch>().ok().map(|arch| arch.0);
        assert_eq!(arch("sm_90"), Some((9, 0)));
        assert_eq!(arch("sm_120"), Some((12, 0)));
        assert_eq!(arch("9.0"), None);
    }
}
