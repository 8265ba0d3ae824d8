//! Numbers in a text, separated by white space, commas or semicolons.
//!
//! A number is a word that Rust's `f64::from_str` accepts: `1`, `-2.5`, `6e-3`, `inf`, `nan`. A comma separates numbers; it is not a
//! decimal comma. Empty lines, and separators with nothing between them, are skipped. A text may begin with a byte order mark.
//!
//! The text is streamed. More than [`LONGEST_WORD`] bytes without ASCII white space, a comma or a semicolon are an error.

#![allow(dead_code, reason = "each example uses its part")]

use std::io::{self, BufRead};

/// The most bytes that a word may have.
pub const LONGEST_WORD: usize = 4096;

/// Why the numbers of a text are not returned.
#[derive(Debug)]
pub enum Fault {
    /// The text cannot be read.
    Unreadable(io::Error),
    /// A word is not a number, or is too long.
    Malformed {
        /// The number of the line with the word. The first line is line 1.
        line: usize,
        /// The word, or the beginning of a word that is too long. Not always UTF-8.
        word: Vec<u8>,
    },
    /// There are more numbers than the caller wants.
    TooMany,
}

/// The numbers of a text, in their order. More than `most` numbers are an error.
pub fn numbers(text: impl BufRead, most: usize) -> Result<Vec<f64>, Fault> {
    let mut numbers = Vec::new();
    each(text, most, |number, _line| numbers.push(number))?;
    Ok(numbers)
}

/// The numbers of a text, in their order, and the line of each. The first line is line 1. More than `most` numbers are an error.
pub fn numbers_and_lines(text: impl BufRead, most: usize) -> Result<(Vec<f64>, Vec<usize>), Fault> {
    let (mut numbers, mut lines) = (Vec::new(), Vec::new());
    each(text, most, |number, line| {
        numbers.push(number);
        lines.push(line);
    })?;
    Ok((numbers, lines))
}

/// Calls `give` with each number of a text and its line. Fails if there are more than `most` numbers; `give` may have received some of the
/// surplus.
fn each(text: impl BufRead, most: usize, mut give: impl FnMut(f64, usize)) -> Result<(), Fault> {
    let mut count = 0;
    let mut line = 1;
    let mut run = Vec::new();
    for byte in text.bytes() {
        let byte = byte.map_err(Fault::Unreadable)?;
        if byte.is_ascii_whitespace() || matches!(byte, b',' | b';') {
            count += take(&run, line, count == 0, &mut give)?;
            run.clear();
            line += usize::from(byte == b'\n');
        } else {
            run.push(byte);
        }
        if run.len() > LONGEST_WORD {
            return Err(Fault::Malformed { line, word: run });
        }
        if count > most {
            return Err(Fault::TooMany);
        }
    }
    count += take(&run, line, count == 0, &mut give)?;
    match count > most {
        true => Err(Fault::TooMany),
        false => Ok(()),
    }
}

/// Calls `give` with each number in `run`, and returns how many there are. `run` contains none of the separators that [`each`] looks for,
/// but other white space may separate numbers.
fn take(
    run: &[u8],
    line: usize,
    is_first: bool,
    give: &mut impl FnMut(f64, usize),
) -> Result<usize, Fault> {
    let malformed = |word: &[u8]| Fault::Malformed {
        line,
        word: word.to_vec(),
    };
    let text = std::str::from_utf8(run).map_err(|_| malformed(run))?;
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) if line == 1 && is_first => rest,
        _ => text,
    };
    let mut count = 0;
    for word in text.split_whitespace() {
        give(word.parse().map_err(|_| malformed(word.as_bytes()))?, line);
        count += 1;
    }
    Ok(count)
}
