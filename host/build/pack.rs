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

use super::table::Table;

/// PTX for one generation of devices and all later ones.
pub struct Variant {
    /// The lowest compute capability that runs it, major and minor.
    pub capability: (u32, u32),
    /// The kernels.
    pub kernels: Kernels,
}

/// Kernels, in either form.
pub enum Kernels {
    /// A text with all of them.
    Text(String),
    /// Skeletons and bodies, and a text with those that have none.
    Table(Table),
}

/// How hard is compressed: more makes the build slower and the library hardly smaller.
const LEVEL: u8 = 8;

/// Writes `kernels.bin`, the compressed texts, and `variants.rs`, an expression that says what lies where.
pub fn pack(variants: &[Variant], output: &Path) -> Result<(), Box<dyn Error>> {
    let mut store = Store::default();
    let mut table = String::from("&[\n");
    for Variant {
        capability,
        kernels,
    } in variants
    {
        writeln!(table, "Variant {{ capability: {capability:?}, kernels: &[")?;
        for (symbol, recipe) in recipes(kernels, &mut store)? {
            writeln!(table, "({symbol:?}, {recipe}),")?;
        }
        table.push_str("] },\n");
    }
    table.push(']');
    fs::write(output.join("kernels.bin"), store.bytes)?;
    fs::write(output.join("variants.rs"), table)?;
    Ok(())
}

/// How each kernel is made, as an expression, in the order of the symbols.
fn recipes(kernels: &Kernels, store: &mut Store) -> Result<BTreeMap<String, String>, String> {
    let mut recipes = BTreeMap::new();
    let own = match kernels {
        Kernels::Text(text) => Some(text),
        Kernels::Table(table) => table.own.as_ref(),
    };
    if let Some(text) = own {
        for (symbol, kernel) in self::kernels(text)? {
            recipes.insert(symbol.to_owned(), format!("Recipe::Text({})", store.pack(&kernel)));
        }
    }
    if let Kernels::Table(table) = kernels {
        let skeletons = table.skeletons.iter();
        let packed: BTreeMap<&str, String> = skeletons
            .map(|(name, text)| (name.as_str(), store.pack(text)))
            .collect();
        for recipe in &table.recipes {
            let skeleton = &packed[recipe.skeleton.as_str()];
            let bodies = store.pack(&recipe.bodies);
            let filled = format!("Recipe::Filled {{ skeleton: {skeleton}, bodies: {bodies} }}");
            recipes.insert(recipe.symbol.clone(), filled);
        }
    }
    Ok(recipes)
}

/// Compressed texts, one behind the other.
#[derive(Default)]
struct Store {
    bytes: Vec<u8>,
}

impl Store {
    /// Adds a text, and says where it lies, as an expression.
    fn pack(&mut self, text: &str) -> String {
        let begin = self.bytes.len();
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(text.as_bytes(), LEVEL);
        self.bytes.extend(packed);
        let (end, text_bytes) = (self.bytes.len(), text.len());
        format!("Packed {{ packed: {begin}..{end}, text_bytes: {text_bytes} }}")
    }
}

/// What an entry begins with.
const ENTRY: &str = ".visible .entry ";

/// Each entry's name, with a text that holds it and no other entry, in the order of the names. Where entries may
/// call functions that stand beside them, the text is the whole. (rustc's back end leaves no functions.)
pub fn kernels(text: &str) -> Result<Vec<(&str, String)>, String> {
    let first = text.find(ENTRY).ok_or("the PTX has no entry")?;
    let has_functions = text.lines().any(is_function);
    let mut kernels = Vec::new();
    let mut rest = &text[first..];
    while let Some(start) = rest.find(ENTRY) {
        let from = &rest[start..];
        let name = from[ENTRY.len()..].split('(').next().unwrap_or_default();
        let entry = entry(from).ok_or_else(|| format!("the entry {name} has no end"))?;
        let kernel = match has_functions {
            true => text.to_owned(),
            false => [&text[..first], entry, "\n"].concat(),
        };
        kernels.push((name, kernel));
        rest = &from[entry.len()..];
    }
    kernels.sort();
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
