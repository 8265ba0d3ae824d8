//! Numbers in a text: one or more a line, separated by white space, commas or semicolons.
//!
//! A number is what Rust's `f64::from_str` takes: `1`, `-2.5`, `6e-3`, `inf`, `nan`. A comma separates; it
//! is not a decimal comma. Empty lines, and separators with nothing between them, stand for nothing.

/// A word that is not a number.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{word}` is not a number")]
pub struct Malformed {
    /// The line it stands in; the first is 1.
    pub line: usize,
    /// The word.
    pub word: String,
}

/// The numbers of a text, in the order they stand in.
pub fn numbers(text: &str) -> Result<Vec<f64>, Malformed> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut numbers = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for word in line.split(is_separator).filter(|word| !word.is_empty()) {
            numbers.push(word.parse().map_err(|_| Malformed {
                line: index + 1,
                word: word.to_owned(),
            })?);
        }
    }
    Ok(numbers)
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';')
}
