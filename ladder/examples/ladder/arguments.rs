//! The command line's arguments.

use std::path::PathBuf;

use clap::Parser;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Runs the reductions and scans of five tutorials, from the naive kernels up to warpfold's, on the device at hand.
///
/// A result of each kernel is checked against the CPU. On a machine without a GPU, an interpreter runs the kernels, so the times mean
/// nothing; the ladders' tables then also have exact counts.
#[derive(Debug, Parser)]
#[command(name = "ladder")]
pub struct Arguments {
    /// What to run: a number for the ladder of that document, block-sizes for document 2's experiment with block sizes,
    /// sweep for document 3's sweep [default: everything]
    #[arg(value_name = "TABLE", value_parser = PossibleValuesParser::new(NAMES).map(|name| Table::named(&name)))]
    pub tables: Vec<Table>,
    /// A folder for CSV files, and for a chart of the ladders
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
}

/// A table to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// The ladder of the document with this number.
    Ladder(u32),
    /// Document 2's experiment with block sizes.
    BlockSizes,
    /// Document 3's sweep.
    Sweep,
}

const NAMES: [&str; 7] = ["1", "2", "3", "4", "5", "block-sizes", "sweep"];

impl Table {
    /// The table with this name, which is one of [`NAMES`].
    fn named(name: &str) -> Self {
        match name.parse() {
            Ok(number) => Self::Ladder(number),
            Err(_) if name == "sweep" => Self::Sweep,
            Err(_) => Self::BlockSizes,
        }
    }
}

impl Arguments {
    /// The requested tables; all tables if none is requested.
    pub fn tables(&self) -> Vec<Table> {
        match self.tables[..] {
            [] => NAMES.map(Table::named).to_vec(),
            ref tables => tables.to_vec(),
        }
    }
}
