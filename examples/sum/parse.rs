//! Numbers in a text: one or more a line, separated by white space, commas or semicolons.
//!
//! A number is what Rust's `f64::from_str` takes: `1`, `-2.5`, `6e-3`, `inf`, `nan`. A comma separates; it
//! is not a decimal comma. Empty lines, and separators with nothing between them, stand for nothing. A text may begin
//! with a byte order mark.
//!
//! The text is read as it comes: beside the numbers, memory holds one word of it. A word of more than
//! [`LONGEST_WORD`] bytes is not read to its end, and is not a number.

use std::io::{self, BufRead};

/// Bytes of the longest word.
pub const LONGEST_WORD: usize = 4096;

/// Why there are no numbers.
#[derive(Debug)]
pub enum Fault {
    /// The text cannot be read.
    Unreadable(io::Error),
    /// A word is not a number.
    Malformed {
        /// The line it stands in; the first is 1.
        line: usize,
        /// The word, or its beginning, if it is too long; not always UTF-8.
        word: Vec<u8>,
    },
    /// There are more numbers than are wanted.
    TooMany,
}

/// The numbers of a text, at most so many, in the order they stand in.
pub fn numbers(text: impl BufRead, most: usize) -> Result<Vec<f64>, Fault> {
    let mut numbers = Vec::new();
    let mut line = 1;
    let mut run = Vec::new();
    for byte in text.bytes() {
        let byte = byte.map_err(Fault::Unreadable)?;
        if byte.is_ascii_whitespace() || matches!(byte, b',' | b';') {
            take(&run, line, &mut numbers)?;
            run.clear();
            line += usize::from(byte == b'\n');
        } else {
            run.push(byte);
        }
        if run.len() > LONGEST_WORD {
            return Err(Fault::Malformed { line, word: run });
        }
        if numbers.len() > most {
            return Err(Fault::TooMany);
        }
    }
    take(&run, line, &mut numbers)?;
    match numbers.len() > most {
        true => Err(Fault::TooMany),
        false => Ok(numbers),
    }
}

/// Appends the numbers of a run of bytes without a separator of one byte; other white space may separate them still.
fn take(run: &[u8], line: usize, numbers: &mut Vec<f64>) -> Result<(), Fault> {
    let malformed = |word: &[u8]| Fault::Malformed {
        line,
        word: word.to_vec(),
    };
    let text = std::str::from_utf8(run).map_err(|_| malformed(run))?;
    let is_start = line == 1 && numbers.is_empty();
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) if is_start => rest,
        _ => text,
    };
    for word in text.split_whitespace() {
        numbers.push(word.parse().map_err(|_| malformed(word.as_bytes()))?);
    }
    Ok(())
}
