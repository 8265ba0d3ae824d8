//! Stores a device's answers in a file. Machines without the device can then compare their outputs with these answers.
//!
//! The file is a compressed stream of bytes. For each answer it holds the kernel's name, the hash of its text, and the hash of its output.
//! It also holds the texts of random kernels, and outputs that differ from the virtual GPU's. A 32-bit length precedes each name, each text
//! and each output.

use crate::suite::case::Case;
use crate::suite::random::hash;
use std::path::Path;

/// A device's answer for one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub name: String,
    /// The kernel's text; empty for a kernel of the table.
    pub text: String,
    pub text_hash: u64,
    /// The output if it differs from the virtual GPU's; otherwise empty.
    pub output: Vec<u8>,
    pub output_hash: u64,
}

/// The level of compression, from 0 to 10.
const EFFORT: u8 = 6;

impl Answer {
    pub fn new(case: &Case, output_hash: u64, output: &[u8]) -> Self {
        let is_random = case.name.starts_with("random");
        Self {
            name: case.name.clone(),
            text: if is_random {
                case.text.clone()
            } else {
                String::new()
            },
            text_hash: hash(case.text.as_bytes()),
            output: output.to_vec(),
            output_hash,
        }
    }
}

/// Writes the answers.
pub fn write(path: &Path, answers: &[Answer]) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    for answer in answers {
        bytes.extend(answer.text_hash.to_le_bytes());
        bytes.extend(answer.output_hash.to_le_bytes());
        for field in [
            answer.name.as_bytes(),
            answer.text.as_bytes(),
            &answer.output,
        ] {
            bytes.extend((field.len() as u32).to_le_bytes());
            bytes.extend(field);
        }
    }
    std::fs::write(path, miniz_oxide::deflate::compress_to_vec(&bytes, EFFORT))
}

/// Reads the answers that [`write`] wrote.
pub fn read(path: &Path) -> Result<Vec<Answer>, String> {
    let packed = std::fs::read(path).map_err(|error| error.to_string())?;
    let bytes = miniz_oxide::inflate::decompress_to_vec(&packed).map_err(|e| e.to_string())?;
    let mut rest = bytes.as_slice();
    let mut answers = Vec::new();
    while !rest.is_empty() {
        let answer = one(&mut rest).ok_or("the file ends within an answer")?;
        answers.push(answer);
    }
    Ok(answers)
}

fn one(rest: &mut &[u8]) -> Option<Answer> {
    let text_hash = u64::from_le_bytes(*take_array(rest)?);
    let output_hash = u64::from_le_bytes(*take_array(rest)?);
    let mut field = || {
        let length = u32::from_le_bytes(*take_array(rest)?);
        let (field, after) = rest.split_at_checked(length as usize)?;
        *rest = after;
        Some(field.to_vec())
    };
    Some(Answer {
        text_hash,
        output_hash,
        name: String::from_utf8(field()?).ok()?,
        text: String::from_utf8(field()?).ok()?,
        output: field()?,
    })
}

fn take_array<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (array, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(array)
}
