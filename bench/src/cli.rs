//! The command line.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::{Args, Parser, Subcommand};

use crate::data::TYPES;
use crate::record::Case;

/// Measures warpfold on the GPU of this machine, beside CUB and a plain copy.
#[derive(Debug, Parser)]
#[command(name = "warpfold-bench")]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Times reductions, scans and copies, checks each result, and writes what was found.
    Measure(Measure),
    /// Draws the table and the charts of a results.csv again.
    Chart(Chart),
    /// Prints what is aimed at, and what a results.csv says was reached.
    Targets(Targets),
    /// Times what a call costs the host: the first, one that queues, one that waits, one on a slice.
    Host(HostPath),
}

/// What is measured, and how long.
#[derive(Debug, Args)]
pub struct Measure {
    /// The cases, by name; all of them without this.
    #[arg(long, value_delimiter = ',', value_parser = Case::parse)]
    pub kinds: Vec<Case>,
    /// The element types, by name; all of them without this.
    #[arg(long, value_delimiter = ',', value_parser = type_name)]
    pub types: Vec<String>,
    /// The numbers of items, as exponents of two: `16,20-24`.
    #[arg(long, default_value = "10-30")]
    pub sizes: Sizes,
    /// How many times each call is timed, in turn with the others.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeats: u32,
    /// How many times everything is measured.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// No case is begun after so many seconds.
    #[arg(long)]
    pub limit_seconds: Option<f64>,
    /// What the random items are made from; the time of day without this.
    #[arg(long)]
    pub seed: Option<u64>,
    /// A folder for results.csv, table.md and the charts; without it the rows go to the standard output.
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// A folder that keeps the compiled CUB libraries: those that it has already are used as they are.
    #[arg(long)]
    pub cub_dir: Option<PathBuf>,
    /// Go through everything on the virtual GPU too, where the times mean nothing.
    #[arg(long = "virtual")]
    pub virtual_too: bool,
}

/// A file of rows, and where its drawings go.
#[derive(Debug, Args)]
pub struct Chart {
    /// What `measure` wrote.
    pub csv: PathBuf,
    /// A folder for table.md and the charts.
    #[arg(long)]
    pub out: PathBuf,
}

/// What a call costs the host.
#[derive(Debug, Args)]
pub struct HostPath {
    /// MiB of the longest slice.
    #[arg(long, default_value_t = 1024)]
    pub slice_mib: usize,
    /// How many times calls on device memory are timed.
    #[arg(long, default_value_t = 20)]
    pub repeats: u32,
    /// Go through everything on the virtual GPU too, where the times mean nothing.
    #[arg(long = "virtual")]
    pub virtual_too: bool,
}

/// A file of rows.
#[derive(Debug, Args)]
pub struct Targets {
    /// What `measure` wrote.
    pub csv: PathBuf,
}

/// The largest exponent that can be asked for: 32 GiB of 8-byte items.
const LARGEST: u32 = 32;

/// Numbers of items, as exponents of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(pub Vec<u32>);

impl std::str::FromStr for Sizes {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut sizes = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let exponent = |text: &str| -> Result<u32> {
                let exponent = text
                    .parse()
                    .with_context(|| format!("`{text}` is no exponent of two"))?;
                ensure!(exponent <= LARGEST, "2^{exponent} is more than 2^{LARGEST}");
                Ok(exponent)
            };
            sizes.extend(exponent(first)?..=exponent(last)?);
        }
        sizes.sort_unstable();
        sizes.dedup();
        ensure!(!sizes.is_empty(), "`{text}` names no size");
        Ok(Self(sizes))
    }
}

/// The name of an element type that is measured.
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
        assert_eq!(sizes("22-20"), None);
        assert_eq!(sizes("33"), None);
        assert_eq!(sizes("many"), None);
    }
}
