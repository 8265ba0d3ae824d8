//! Compresses the kernels' PTX, and writes the table of what lies where that the library includes.
//!
//! Of a text with several entries, each entry is cut out for itself. A text is a preamble (version, target, declarations),
//! then every kernel's entry. What is parsed here is where an entry begins and ends, and no more: comments and nested
//! braces.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// PTX for one generation of devices and all later ones.
pub struct Variant {
    /// The lowest compute capability that runs it, major and minor.
    pub capability: (u32, u32),
    /// The texts, by the names under which the library looks for them.
    pub texts: BTreeMap<String, String>,
}

/// How hard is compressed: more makes the build slower and the library hardly smaller.
const LEVEL: u8 = 8;

/// Writes `kernels.bin`, the compressed texts, and `variants.rs`, an expression that says what lies where.
pub fn pack(variants: &[Variant], output: &Path) -> Result<(), Box<dyn Error>> {
    let mut bytes = Vec::new();
    let mut table = String::from("&[\n");
    for Variant { capability, texts } in variants {
        writeln!(table, "Variant {{ capability: {capability:?}, kernels: &[")?;
        for (symbol, text) in texts {
            let begin = bytes.len();
            bytes.extend(miniz_oxide::deflate::compress_to_vec_zlib(
                text.as_bytes(),
                LEVEL,
            ));
            let (end, text_bytes) = (bytes.len(), text.len());
            writeln!(
                table,
                "Packed {{ symbol: {symbol:?}, packed: {begin}..{end}, text_bytes: {text_bytes} }},"
            )?;
        }
        table.push_str("] },\n");
    }
    table.push(']');
    fs::write(output.join("kernels.bin"), bytes)?;
    fs::write(output.join("variants.rs"), table)?;
    Ok(())
}

/// What an entry begins with.
const ENTRY: &str = ".visible .entry ";

/// For each entry's name a text that holds it and no other entry. Where entries may call functions that stand beside them,
/// the text is the whole. (rustc's back end leaves no functions.)
pub fn kernels(text: &str) -> Result<BTreeMap<String, String>, String> {
    let first = text.find(ENTRY).ok_or("the PTX has no entry")?;
    let has_functions = text.lines().any(is_function);
    let mut kernels = BTreeMap::new();
    let mut rest = &text[first..];
    while let Some(start) = rest.find(ENTRY) {
        let from = &rest[start..];
        let name = from[ENTRY.len()..].split('(').next().unwrap_or_default();
        let entry = entry(from).ok_or_else(|| format!("the entry {name} has no end"))?;
        let kernel = match has_functions {
            true => text.to_owned(),
            false => [&text[..first], entry, "\n"].concat(),
        };
        kernels.insert(name.to_owned(), kernel);
        rest = &from[entry.len()..];
    }
    Ok(kernels)
}

fn is_function(line: &str) -> bool {
    code(line).split_whitespace().any(|word| word == ".func")
}

/// The entry that `text` begins with, up to its last brace.
fn entry(text: &str) -> Option<&str> {
    let mut depth = 0usize;
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        for (at, byte) in code(line).bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' if depth == 1 => return Some(&text[..=line_start + at]),
                b'}' => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        line_start += line.len();
    }
    None
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code)
}
