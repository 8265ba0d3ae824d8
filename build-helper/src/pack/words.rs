//! Cuts a line of PTX into words: registers, labels, and the text between them.

use std::ops::Range;

/// A part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word<'a> {
    /// `%r12`
    Register { prefix: &'a str, number: u32 },
    /// `$L__BB3_12`, in which `3_` names the function.
    Label { function: &'a str, number: u32 },
    /// Anything else: the bytes of the line between two positions.
    Other { from: usize, to: usize },
}

/// The prefix of labels.
const LABEL: &str = "$L__BB";

/// The parts of a line, in order.
pub fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut other = 0;
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let found = match bytes[at] {
            b'%' => register(line, at),
            b'$' => label(line, at),
            _ => None,
        };
        let Some((word, end)) = found else {
            at += 1;
            continue;
        };
        if other < at {
            words.push(Word::Other {
                from: other,
                to: at,
            });
        }
        words.push(word);
        at = end;
        other = end;
    }
    if other < bytes.len() {
        words.push(Word::Other {
            from: other,
            to: bytes.len(),
        });
    }
    words
}

/// The register that begins at a position, and where it ends.
pub fn register(line: &str, at: usize) -> Option<(Word<'_>, usize)> {
    let prefix = run(line, at + 1, |byte| byte.is_ascii_lowercase());
    let (number, end) = number(line, prefix.end)?;
    let prefix = &line[prefix];
    (!prefix.is_empty()).then_some((Word::Register { prefix, number }, end))
}

/// The label that begins at a position, and where it ends.
pub fn label(line: &str, at: usize) -> Option<(Word<'_>, usize)> {
    let function = line[at..].starts_with(LABEL).then_some(at + LABEL.len())?;
    let function = run(line, function, |byte| byte.is_ascii_digit());
    if line.as_bytes().get(function.end) != Some(&b'_') {
        return None;
    }
    let (number, end) = number(line, function.end + 1)?;
    let function = &line[function.start..=function.end];
    Some((Word::Label { function, number }, end))
}

/// The number at a position, and where it ends. `None` if there is no digit, if the number begins with a needless zero or exceeds a `u32`,
/// or if a letter or `_` follows.
fn number(line: &str, at: usize) -> Option<(u32, usize)> {
    let digits = run(line, at, |byte| byte.is_ascii_digit());
    let end = digits.end;
    let next = line.as_bytes().get(end);
    let ends = next.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let text = &line[digits];
    let is_plain = text == "0" || !text.starts_with('0');
    (ends && is_plain)
        .then(|| text.parse().ok())?
        .map(|number| (number, end))
}

fn run(line: &str, from: usize, belongs: impl Fn(u8) -> bool) -> Range<usize> {
    let bytes = &line.as_bytes()[from..];
    let length = bytes.iter().position(|byte| !belongs(*byte));
    from..from + length.unwrap_or(bytes.len())
}
