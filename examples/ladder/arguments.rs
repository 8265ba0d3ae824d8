//! What the command line asks for.

use std::path::PathBuf;

use crate::failure::Failure;

/// What can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// The ladder of the document with this number.
    Ladder(u32),
    /// Document 2's experiment with block sizes.
    BlockSizes,
    /// Document 3's sweep.
    Sweep,
}

/// What is to be run, and where the files go.
#[derive(Debug)]
pub struct Arguments {
    pub tables: Vec<Table>,
    pub output: Option<PathBuf>,
}

const EVERYTHING: [Table; 7] = [
    Table::Ladder(1),
    Table::Ladder(2),
    Table::Ladder(3),
    Table::Ladder(4),
    Table::Ladder(5),
    Table::BlockSizes,
    Table::Sweep,
];

/// Reads the words behind the program's name.
pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, Failure> {
    let mut tables = Vec::new();
    let mut output = None;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--output" => output = Some(words.next().ok_or(Failure::Usage(word))?.into()),
            "block-sizes" => tables.push(Table::BlockSizes),
            "sweep" => tables.push(Table::Sweep),
            number => match number.parse() {
                Ok(number @ 1..=5) => tables.push(Table::Ladder(number)),
                _ => return Err(Failure::Usage(word)),
            },
        }
    }
    if tables.is_empty() {
        tables.extend(EVERYTHING);
    }
    Ok(Arguments { tables, output })
}
