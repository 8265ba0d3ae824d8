//! Texts made from kernels that load, by removing, inserting, exchanging and changing pieces.
//!
//! The edits follow a sequence of choices: random in the tests, read from the input in the fuzz targets.

#![allow(dead_code, reason = "tests and fuzz targets choose in different ways")]

/// The texts that all edited texts are made from.
pub const SEEDS: [&str; 4] = [
    include_str!("../ptx/compiled.ptx"),
    include_str!("instructions.ptx"),
    include_str!("declarations.ptx"),
    include_str!("launches.ptx"),
];
/// The greatest length of an excerpt, in bytes.
const LONGEST: usize = 2000;

/// Where choices come from.
pub trait Choices {
    /// A number below `end`; 0 if `end` is 0.
    fn below(&mut self, end: usize) -> usize;
}

/// Random choices.
pub struct Dice(pub u64);

impl Choices for Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * end.max(1) as u128) >> 64) as usize
    }
}

/// Choices that are read from bytes, two bytes for each choice. When fewer than two bytes are left, every choice is 0.
pub struct Bytes<'a>(pub &'a [u8]);

impl Choices for Bytes<'_> {
    fn below(&mut self, end: usize) -> usize {
        let Some((choice, rest)) = self.0.split_first_chunk() else {
            return 0;
        };
        self.0 = rest;
        usize::from(u16::from_le_bytes(*choice)) % end.max(1)
    }
}

/// Pieces of PTX, extreme numbers, and unusual characters.
const PIECES: [&str; 48] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ".",
    ":",
    "@",
    "!",
    "|",
    "=",
    "-",
    "+",
    "\"",
    "%",
    "/*",
    "//",
    "0",
    "-1",
    "4294967295",
    "18446744073709551615",
    "18446744073709551616",
    "0x8000000000000000",
    "0f7F800000",
    "0d",
    "1e400",
    ".b128",
    ".align",
    ".reg",
    ".param",
    ".shared",
    ".func",
    ".entry",
    ".extern",
    ".pred",
    ".v4",
    "call",
    "%r1",
    "bra",
    ".f16x2",
    "é",
    "\0",
    ".local .align 16 .b8 big[9223372036854775807];",
];

/// The texts to edit, or parts of them, cut into words.
pub fn words(choices: &mut impl Choices) -> Vec<Vec<&'static str>> {
    SEEDS.map(|text| cut(excerpt(text, choices))).into()
}

/// Splits a text into its words and the single characters between the words.
fn cut(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, letter) in text.char_indices() {
        let is_word = letter.is_alphanumeric() || matches!(letter, '_' | '%' | '$');
        if at > start && (!is_word || last == Some(false)) {
            pieces.push(&text[start..at]);
            start = at;
        }
        last = Some(is_word);
    }
    pieces.push(&text[start..]);
    pieces
}

/// A short text stays whole. A long text stays whole with a probability of 1/4. Otherwise, a random part of it is taken.
fn excerpt<'a>(text: &'a str, choices: &mut impl Choices) -> &'a str {
    if text.len() <= 2 * LONGEST || choices.below(4) == 0 {
        return text;
    }
    let boundary = |at: usize| (at..text.len()).find(|&at| text.is_char_boundary(at));
    let start = boundary(choices.below(text.len())).unwrap_or(0);
    let end = boundary(start + choices.below(LONGEST)).unwrap_or(text.len());
    &text[start..end]
}

/// One of the texts, after one to five edits.
pub fn edited(texts: &[Vec<&'static str>], choices: &mut impl Choices) -> String {
    let mut pieces = texts[choices.below(texts.len())].clone();
    for _ in 0..=choices.below(5) {
        if pieces.is_empty() {
            break;
        }
        let at = choices.below(pieces.len());
        let other = choices.below(pieces.len());
        match choices.below(8) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[other]),
            2 => pieces.swap(at, other),
            3 => pieces[at] = PIECES[choices.below(PIECES.len())],
            4 => pieces.insert(at, PIECES[choices.below(PIECES.len())]),
            5 => pieces[at] = pieces[other],
            6 => {
                // Inserts consecutive pieces of one of the texts.
                let from = &texts[choices.below(texts.len())];
                let start = choices.below(from.len());
                let end = (start + choices.below(40)).min(from.len());
                pieces.splice(at..at, from[start..end].iter().copied());
            }
            _ => {
                let (start, end) = (at.min(other), (at.max(other)).min(at.min(other) + 60));
                pieces.drain(start..end);
            }
        }
    }
    pieces.concat()
}
