//! Mistakes in a text.

use std::error::Error;
use std::fmt;

/// Why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Malformed {
    /// A function, a scope, a declaration or a statement has no end.
    BreaksOff,
    /// The text has no entry.
    NoEntry,
    /// The entry of this name has no last brace.
    NoEnd(String),
    /// The text was not made by rust-cuda's compiler. That compiler's text has one line with the version, and one line that declares
    /// dynamic shared memory. The fields say how many such lines the text has.
    NotOfRustCuda {
        /// Lines with the version.
        versions: usize,
        /// Lines that declare dynamic shared memory.
        declarations: usize,
    },
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BreaksOff => f.write_str("the text breaks off"),
            Self::NoEntry => f.write_str("the PTX has no entry"),
            Self::NoEnd(name) => write!(f, "the entry {name} has no end"),
            Self::NotOfRustCuda {
                versions,
                declarations,
            } => write!(
                f,
                "rust-cuda's PTX has {versions} lines `.version …` and {declarations} lines that declare dynamic shared \
                 memory, not one of each"
            ),
        }
    }
}

impl Error for Malformed {}
