//! Packs many kernels' texts into few bytes. Kernels of one kind have nearly the same lines, in nearly the same order. In two such kernels,
//! the numbers of most corresponding registers differ by the same constant. The texts are packed in three steps:
//!
//! 1. In a line, [`NAME`] replaces the kernel's name. For each prefix of registers or labels, packing keeps a *newest* number, at first 0.
//!    If a register or label has the newest number plus 1, its number is left out of the line, and becomes the newest. Any other number is
//!    replaced by its distance from the newest number, and the newest number does not change. Lines that differ only in their numbers often
//!    become equal in this way.
//! 2. Equal lines are written once, in a dictionary. Each line of a text becomes a number. A line that is not yet in the dictionary
//!    becomes 0, and is appended to the dictionary. Any other line becomes the distance from the dictionary's current end back to the line.
//! 3. If at least [`SHORTEST_RUN`] consecutive lines repeat earlier lines, they are encoded as one *run*: by its length, and by the
//!    distance back to the earlier lines. [`longest_run`] finds the runs. Unlike a distance in zlib, this distance has no upper limit.
//!
//! The dictionary and the numbers are compressed (zlib).

use std::collections::BTreeMap;

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::words::{Word, words};

/// The sign for the kernel's name.
const NAME: &str = "\u{1}";

/// The sign before and after a number's distance. If the number is the newest plus 1, there is nothing between the signs.
const MARK: char = '\u{2}';

/// The prefix of labels.
const LABEL: &str = "$L__BB";

/// The length of the shortest run that is encoded by its distance.
const SHORTEST_RUN: usize = 4;

/// The search for the longest run tries at most this many earlier positions.
const PLACES: usize = 16;

/// The compression level.
const LEVEL: u8 = 9;

/// The most bytes of all texts together.
const MOST_BYTES: usize = 64 << 20;

/// A text, and the name in it that differs from text to text.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    pub name: &'a str,
    pub text: &'a str,
}

/// Packs texts. `None` if they would not unpack unchanged, for example because a text contains [`NAME`] or [`MARK`].
pub fn pack(texts: &[Named]) -> Option<Vec<u8>> {
    let mut dictionary = String::new();
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut lines = Vec::new();
    for text in texts {
        for line in coded(text).split_inclusive('\n') {
            let next = numbers.len() as u32;
            let number = numbers.get(line).copied().unwrap_or(next);
            if number == next {
                numbers.insert(line.to_owned(), next);
                dictionary.push_str(line);
            }
            lines.push(number);
        }
    }
    let mut bytes = Vec::new();
    for part in [&[dictionary.into_bytes()][..], &Streams::of(&lines).0].concat() {
        let part = compress_to_vec_zlib(&part, LEVEL);
        number_to(part.len(), &mut bytes);
        bytes.extend(part);
    }
    let sizes: Vec<_> = texts
        .iter()
        .map(|text| (text.name, text.text.len()))
        .collect();
    let unpacked = unpack(&bytes, &sizes)?;
    let same = unpacked
        .iter()
        .zip(texts)
        .all(|(found, text)| found == text.text);
    same.then_some(bytes)
}

/// Unpacks texts with these names and sizes. `None` if the packed bytes do not give texts of these sizes, or if the sizes add up to more
/// than [`MOST_BYTES`]. The sizes limit all allocations. If their sum is `total`, a decompressed part has at most `2 * total + 64` bytes,
/// and there are at most `total` lines.
pub fn unpack(mut bytes: &[u8], texts: &[(&str, usize)]) -> Option<Vec<String>> {
    let total = texts
        .iter()
        .try_fold(0usize, |sum, (_, bytes)| sum.checked_add(*bytes))?;
    if total > MOST_BYTES {
        return None;
    }
    let mut part = || {
        let length = number_from(&mut bytes)?;
        let (part, rest) = bytes.split_at_checked(length)?;
        bytes = rest;
        decompress_to_vec_zlib_with_limit(part, total.saturating_mul(2) + 64).ok()
    };
    let dictionary = String::from_utf8(part()?).ok()?;
    let streams = [part()?, part()?, part()?, part()?];
    if !bytes.is_empty() {
        return None;
    }
    let dictionary: Vec<&str> = dictionary.split_inclusive('\n').collect();
    // Each line has at least one byte, so there are at most as many lines as bytes.
    let lines = Streams(streams).lines(dictionary.len(), total)?;
    let mut lines = lines.into_iter().map(|line| dictionary[line as usize]);
    let mut unpacked = Vec::with_capacity(texts.len());
    for (name, bytes) in texts {
        let mut text = String::with_capacity(*bytes);
        let mut seen = Seen::default();
        while text.len() < *bytes {
            seen.decode(lines.next()?, name, &mut text)?;
        }
        unpacked.push((text.len() == *bytes).then_some(text)?);
    }
    lines.next().is_none().then_some(unpacked)
}

/// A text with its lines in the dictionary's form.
fn coded(text: &Named) -> String {
    let mut seen = Seen::default();
    let mut coded = String::with_capacity(text.text.len());
    for line in text.text.split_inclusive('\n') {
        let named = line.replace(text.name, NAME);
        for word in words(&named) {
            let (sign, prefix, number) = match word {
                Word::Register { prefix, number } => ("%", prefix, number),
                Word::Label { function, number } => (LABEL, function, number),
                Word::Other { from, to } => {
                    coded.push_str(&named[from..to]);
                    continue;
                }
            };
            coded.push_str(sign);
            coded.push_str(prefix);
            coded.push(MARK);
            let newest = seen.newest(sign, prefix);
            match number == *newest + 1 {
                true => *newest = number,
                false => coded.push_str(&(i64::from(*newest) - i64::from(number)).to_string()),
            }
            coded.push(MARK);
        }
    }
    coded
}

/// The newest number for each prefix of registers or labels.
#[derive(Default)]
struct Seen(BTreeMap<String, u32>);

impl Seen {
    fn newest(&mut self, sign: &str, prefix: &str) -> &mut u32 {
        self.0.entry([sign, prefix].concat()).or_default()
    }

    /// Writes a line of the dictionary in its original form.
    fn decode(&mut self, line: &str, name: &str, text: &mut String) -> Option<()> {
        let mut parts = line.split(MARK);
        let push = |part: &str, text: &mut String| match part.contains(NAME) {
            true => text.push_str(&part.replace(NAME, name)),
            false => text.push_str(part),
        };
        push(parts.next()?, text);
        while let Some(back) = parts.next() {
            let start = text.rfind(['%', '$'])?;
            let newest = self.0.entry(text[start..].to_owned()).or_default();
            let number = match back {
                "" => {
                    *newest = newest.checked_add(1)?;
                    *newest
                }
                back => {
                    let number = i64::from(*newest).checked_sub(back.parse().ok()?)?;
                    u32::try_from(number).ok()?
                }
            };
            text.push_str(&number.to_string());
            push(parts.next()?, text);
        }
        Some(())
    }
}

/// The numbers that step 2 of this module's comment gives to lines, in four streams. If a line is in no run, its number is called *single*.
/// The first stream has three values for each run: how many single numbers are between the previous run and this one, the run's length, and
/// its distance back. The other streams have the low, the middle and the high bytes of the single numbers.
struct Streams([Vec<u8>; 4]);

impl Streams {
    fn of(lines: &[u32]) -> Self {
        let mut streams = Self(Default::default());
        let mut places: BTreeMap<&[u32], Vec<usize>> = BTreeMap::new();
        let (mut next, mut single, mut at) = (0, 0, 0);
        while at < lines.len() {
            let (length, back) = longest_run(lines, at, &places);
            if length >= SHORTEST_RUN {
                for number in [at - single, length, back] {
                    number_to(number, &mut streams.0[0]);
                }
            } else {
                let code = match lines[at] == next {
                    true => 0,
                    false => next - lines[at],
                };
                next += u32::from(code == 0);
                let bytes = code.to_le_bytes();
                for (stream, byte) in streams.0[1..].iter_mut().zip(bytes) {
                    stream.push(byte);
                }
            }
            let end = at + if length >= SHORTEST_RUN { length } else { 1 };
            for place in at..end {
                if let Some(key) = lines.get(place..place + SHORTEST_RUN) {
                    places.entry(key).or_default().push(place);
                }
            }
            at = end;
            if length >= SHORTEST_RUN {
                single = end;
            }
        }
        streams
    }

    /// For each line, its index in the dictionary. There are at most `most` lines.
    fn lines(&self, dictionary: usize, most: usize) -> Option<Vec<u32>> {
        let [mut runs, low, middle, high] = self.0.each_ref().map(Vec::as_slice);
        if low.len() != middle.len() || low.len() != high.len() {
            return None;
        }
        let singles = low.iter().zip(middle).zip(high);
        let mut singles =
            singles.map(|((low, middle), high)| u32::from_le_bytes([*low, *middle, *high, 0]));
        let (mut lines, mut next): (Vec<u32>, u32) = (Vec::new(), 0);
        let mut single = |lines: &mut Vec<u32>| {
            let code = singles.next()?;
            let line = next.checked_sub(code)?;
            next += u32::from(code == 0);
            ((line as usize) < dictionary && lines.len() < most).then(|| lines.push(line))
        };
        while !runs.is_empty() {
            for _ in 0..number_from(&mut runs)? {
                single(&mut lines)?;
            }
            let (length, back) = (number_from(&mut runs)?, number_from(&mut runs)?);
            let start = lines.len().checked_sub(back)?;
            if back == 0 || length > most.checked_sub(lines.len())? {
                return None;
            }
            for place in start..start + length {
                lines.push(lines[place]);
            }
        }
        while single(&mut lines).is_some() {}
        Some(lines)
    }
}

/// The longest run that begins at an earlier position and equals the lines from `at` on: its length, and its distance back. Of the earlier
/// positions with the same first [`SHORTEST_RUN`] lines, only the newest [`PLACES`] are tried.
fn longest_run(lines: &[u32], at: usize, places: &BTreeMap<&[u32], Vec<usize>>) -> (usize, usize) {
    let key = lines.get(at..at + SHORTEST_RUN);
    let before = key
        .and_then(|key| places.get(key))
        .map(Vec::as_slice)
        .unwrap_or_default();
    let length = |place: usize| {
        let (old, new) = (lines[place..].iter(), lines[at..].iter());
        old.zip(new).take_while(|(old, new)| old == new).count()
    };
    let newest = before.iter().rev().take(PLACES);
    let runs = newest.map(|place| (length(*place), at - place));
    runs.max_by_key(|(length, back)| (*length, usize::MAX - back))
        .unwrap_or_default()
}

/// Writes a number with seven of its bits in each byte, the lowest bits first.
fn number_to(mut number: usize, bytes: &mut Vec<u8>) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn number_from(bytes: &mut &[u8]) -> Option<usize> {
    let mut number = 0usize;
    for shift in (0..63).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(first & 127).checked_shl(shift)?;
        if *first < 128 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".visible .entry reduce_NAME(\n\t.reg .b32 %r<5>;\n\tmov.u32 %r1, %tid.x;\n$L__BB0_1:\n\
        \tadd.s32 %r2, %r1, %r9;\n\tadd.s32 %r3, %r2, %r1;\n\tmov.u64 %rd1, %clock64;\n\tbra $L__BB0_1;\n}\n";

    fn texts() -> Vec<(String, String)> {
        let names = ["reduce_a", "reduce_b", "reduce_c"];
        let text = |name: &&str| {
            TEXT.replace("reduce_NAME", name)
                .replace("add.s32 %r2", &format!("add.{name} %r2"))
        };
        names
            .iter()
            .map(|name| (name.to_string(), text(name)))
            .collect()
    }

    fn packed(texts: &[(String, String)]) -> Option<Vec<u8>> {
        let texts: Vec<_> = texts
            .iter()
            .map(|(name, text)| Named { name, text })
            .collect();
        pack(&texts)
    }

    fn sizes(texts: &[(String, String)]) -> Vec<(&str, usize)> {
        texts
            .iter()
            .map(|(name, text)| (name.as_str(), text.len()))
            .collect()
    }

    #[test]
    fn texts_unpack_unchanged() {
        let texts = texts();
        let bytes = packed(&texts).unwrap();
        let unpacked = unpack(&bytes, &sizes(&texts)).unwrap();
        assert!(unpacked.iter().eq(texts.iter().map(|(_, text)| text)));
        assert_eq!(unpack(&packed(&[]).unwrap(), &[]), Some(Vec::new()));
    }

    #[test]
    fn a_text_that_would_not_unpack_unchanged_is_refused() {
        let of = |text: &str| packed(&[("name".to_owned(), text.to_owned())]);
        assert!(of("ret;\n").is_some());
        assert_eq!(of("\u{1}ret;\n"), None);
        assert_eq!(of("\u{2}ret;\n"), None);
    }

    #[test]
    fn wrong_sizes_and_damaged_bytes_cause_no_panic() {
        let texts = texts();
        let bytes = packed(&texts).unwrap();
        let mut wrong = sizes(&texts);
        wrong[1].1 -= 1;
        assert_eq!(unpack(&bytes, &wrong), None);
        wrong[1].1 = usize::MAX;
        assert_eq!(unpack(&bytes, &wrong), None);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                // `unpack` returns texts of these sizes or `None`, and does not panic.
                if let Some(unpacked) = unpack(&damaged, &sizes(&texts)) {
                    assert!(
                        unpacked
                            .iter()
                            .map(String::len)
                            .eq(texts.iter().map(|(_, text)| text.len()))
                    );
                }
            }
            assert_eq!(unpack(&bytes[..at], &sizes(&texts)), None);
        }
    }
}
