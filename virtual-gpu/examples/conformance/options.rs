//! The options of the command line.

use std::path::PathBuf;
use std::time::Duration;

pub const USAGE: &str = "\
options:
  --seed N           first seed of the random kernels (default 1)
  --count N          how many of them (default 2000)
  --limit-seconds N  stop after so long (default 100)
  --table [TEXT]     one kernel for each form of an instruction instead, or those with TEXT in
                     their names
  --raw-nans         leave NaNs whose bits the PTX ISA does not fix as they are
  --through-driver   compare with the driver even where it is the virtual GPU itself
  --optimise N       how much the driver's compiler may do, from 0 to 4 (default 4)
  --keep FILE        write what the other device answered, compressed
  --against FILE     compare with the answers in such a file instead of running anything there
  --record FILE      write a line for each kernel: name, hash of its text, hash of its output
  --show SEED        print a random kernel, and do nothing else";

use crate::suite::generate::Nans;

/// What the command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    Random { seed: u64, count: u64 },
    Table { filter: String },
    Show { seed: u64 },
    Against { file: PathBuf, filter: String },
}

/// When to compare with the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// Only if the driver is a real driver.
    IfReal,
    Always,
}

#[derive(Debug)]
pub struct Options {
    pub mode: Mode,
    pub nans: Nans,
    pub driver: Driver,
    pub limit: Duration,
    pub record: Option<PathBuf>,
    pub keep: Option<PathBuf>,
    pub optimise: u64,
}

/// Reads the command line.
pub fn parse(args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut args = args.peekable();
    let (mut seed, mut count, mut seconds) = (1, 2000, 100);
    let (mut table, mut show, mut record) = (None, None, None);
    let (mut keep, mut against, mut optimise) = (None, None, 4);
    let (mut nans, mut driver) = (Nans::Replaced, Driver::IfReal);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} without a value"));
        let number = |text: String| {
            let parsed = text.parse::<u64>();
            parsed.map_err(|error| format!("{text}: {error}"))
        };
        match arg.as_str() {
            "--seed" => seed = number(value()?)?,
            "--count" => count = number(value()?)?,
            "--limit-seconds" => seconds = number(value()?)?,
            "--optimise" => optimise = number(value()?)?,
            "--show" => show = Some(number(value()?)?),
            "--record" => record = Some(PathBuf::from(value()?)),
            "--keep" => keep = Some(PathBuf::from(value()?)),
            "--against" => against = Some(PathBuf::from(value()?)),
            "--raw-nans" => nans = Nans::AsTheyAre,
            "--through-driver" => driver = Driver::Always,
            "--table" => {
                let filter = args.next_if(|next| !next.starts_with("--"));
                table = Some(filter.unwrap_or_default());
            }
            other => return Err(format!("{other} is not an option")),
        }
    }
    let mode = match (show, against, table) {
        (Some(seed), ..) => Mode::Show { seed },
        (None, Some(file), filter) => Mode::Against {
            file,
            filter: filter.unwrap_or_default(),
        },
        (None, None, Some(filter)) => Mode::Table { filter },
        (None, None, None) => Mode::Random { seed, count },
    };
    Ok(Options {
        mode,
        nans,
        driver,
        limit: Duration::from_secs(seconds),
        record,
        keep,
        optimise,
    })
}
