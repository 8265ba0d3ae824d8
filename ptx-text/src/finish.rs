//! Turns the output of a compiler into a text of entries with launch bounds. The outputs of rustc and rust-cuda's compiler have no launch
//! bounds.

use std::fmt;

use crate::error::Malformed;
use crate::statement::Statement;
use crate::text::Function;

/// The beginning of an entry.
pub const ENTRY: &str = ".visible .entry ";

/// The launch bounds of a kernel, for the driver's compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The most threads of a block.
    pub threads: u32,
    /// The least number of blocks that are to share a multiprocessor, if specified.
    pub blocks: Option<u32>,
}

impl Bounds {
    /// Bounds for blocks of at most this many threads.
    pub const fn of_threads(threads: u32) -> Self {
        Self {
            threads,
            blocks: None,
        }
    }
}

/// Bounds from a number of threads and a number of blocks.
impl From<(u32, u32)> for Bounds {
    fn from((threads, blocks): (u32, u32)) -> Self {
        Self {
            threads,
            blocks: Some(blocks),
        }
    }
}

/// Writes the directives of the bounds, one per line.
impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, ".maxntid {}, 1, 1", self.threads)?;
        match self.blocks {
            Some(blocks) => writeln!(f, ".minnctapersm {blocks}"),
            None => Ok(()),
        }
    }
}

/// The part of the emitted text that is kept.
#[derive(Debug, Clone, Copy)]
pub struct Contents {
    /// Whether the entry of this name is kept.
    pub has: fn(&str) -> bool,
    /// Whether external functions and global variables are kept, for kernels that launch kernels or print.
    pub has_declarations: bool,
    /// The launch bounds of the entry of this name, if there are any.
    pub bounds: fn(&str) -> Option<Bounds>,
}

/// The part of the text that is being left out.
#[derive(Clone, Copy, PartialEq)]
enum Skip {
    Nothing,
    /// A function, up to the brace that closes it. That brace begins its line; the braces of inner scopes are indented.
    Function,
    /// A declaration, up to its semicolon.
    Declaration,
}

/// The part of the emitted text that `contents` keeps, without empty lines and lines of comments, and with the bounds of each entry.
pub fn finish(emitted: &str, contents: &Contents) -> Result<String, Malformed> {
    let mut text = String::with_capacity(emitted.len());
    let mut skip = Skip::Nothing;
    for line in emitted.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with("//") {
            continue;
        }
        if skip == Skip::Nothing {
            skip = begins(trimmed, contents);
        }
        let is_last = match skip {
            Skip::Nothing => false,
            Skip::Function => line.trim_end() == "}",
            Skip::Declaration => trimmed.ends_with(';'),
        };
        if skip != Skip::Nothing {
            if is_last {
                skip = Skip::Nothing;
            }
            continue;
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    match skip {
        Skip::Nothing => Ok(add_bounds(&text, contents.bounds)),
        Skip::Function | Skip::Declaration => Err(Malformed::BreaksOff),
    }
}

/// What to leave out from this line on; [`Skip::Nothing`] if the line is kept.
fn begins(line: &str, contents: &Contents) -> Skip {
    if let Some(name) = entry_name(line) {
        return match (contents.has)(name) {
            true => Skip::Nothing,
            false => Skip::Function,
        };
    }
    // The only function that the text defines is the panic handler. No entry calls it.
    if line.starts_with(".visible .func") {
        return Skip::Function;
    }
    let declarations = [".extern .func", ".visible .global", ".global"];
    let is_declaration = declarations.iter().any(|start| line.starts_with(start));
    match is_declaration && !contents.has_declarations {
        true => Skip::Declaration,
        false => Skip::Nothing,
    }
}

/// The name in a line that opens an entry.
pub fn entry_name(line: &str) -> Option<&str> {
    line.strip_prefix(ENTRY)?.strip_suffix('(')
}

/// The text, with the bounds of each entry after its parameters. `of` returns an entry's bounds.
pub fn add_bounds(text: &str, of: impl Fn(&str) -> Option<Bounds>) -> String {
    let mut bounded = String::with_capacity(text.len());
    let mut entry = None;
    for line in text.lines() {
        bounded.push_str(line);
        bounded.push('\n');
        entry = entry_name(line).or(entry);
        if line == ")"
            && let Some(bounds) = entry.take().and_then(&of)
        {
            bounded.push_str(&bounds.to_string());
        }
    }
    bounded
}

/// The text of an entry: a kernel, with its launch bounds.
pub fn entry(kernel: &Function, bounds: Bounds) -> String {
    let mut text = format!("{ENTRY}{}(\n\t", kernel.name);
    text.push_str(&kernel.parameters.join(",\n\t"));
    text.push_str("\n)\n");
    text.push_str(&bounds.to_string());
    text.push_str("{\n");
    for statement in &kernel.body {
        if !matches!(statement, Statement::Label(_)) {
            text.push('\t');
        }
        text.push_str(&statement.to_string());
        text.push('\n');
    }
    text.push_str("}\n");
    text
}

/// The start of a text: the version of PTX, the architecture, the size of addresses, and the array of the block's shared memory.
pub fn preamble(version: &str, architecture: &str, shared_array: &str) -> String {
    format!(
        ".version {version}\n.target {architecture}\n.address_size 64\n\
         .extern .shared .align 128 .b8 {shared_array}[];\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMITTED: &str = "\
// Made by a compiler.
.version 7.4
.extern .func  (.param .b32 func_retval0) vprintf
(
\t.param .b64 vprintf_param_0
);
.visible .global .align 1 .b8 greeting[2] = {72, 105};

.visible .entry wanted(
\t.param .u64 wanted_param_0
)
{
\tret; // at once
}
.visible .entry other(
)
{
\t{
\tret;
\t}
\tret;
}
.visible .func panic()
{
$L: bra $L;
}
";

    const WANTED: &str = "\
.visible .entry wanted(
\t.param .u64 wanted_param_0
)
.maxntid 256, 1, 1
.minnctapersm 3
{
\tret; // at once
}
";

    fn contents(has_declarations: bool) -> Contents {
        Contents {
            has: |entry| entry == "wanted",
            has_declarations,
            bounds: |_| Some(Bounds::from((256, 3))),
        }
    }

    #[test]
    fn wanted_entries_are_kept_with_their_launch_bounds() {
        let text = finish(EMITTED, &contents(false)).unwrap();
        assert_eq!(text, [".version 7.4\n", WANTED].concat());
        let text = finish(EMITTED, &contents(true)).unwrap();
        assert!(
            text.contains("vprintf_param_0\n);\n.visible .global"),
            "{text}"
        );
        assert!(text.ends_with(WANTED), "{text}");
    }

    #[test]
    fn a_text_truncated_in_an_omitted_function_is_an_error() {
        let text = EMITTED.trim_end().trim_end_matches('}');
        assert_eq!(finish(text, &contents(false)), Err(Malformed::BreaksOff));
    }

    #[test]
    fn a_kernel_is_written_as_an_entry() {
        let function = Function {
            name: "wanted",
            parameters: vec![".param .u64 wanted_param_0".to_owned()],
            body: crate::statement::parse("$L_1: ret;").unwrap(),
        };
        let text = entry(&function, Bounds::of_threads(1024));
        assert!(
            text.contains("wanted_param_0\n)\n.maxntid 1024, 1, 1\n{\n$L_1:\n\tret;\n}\n"),
            "{text}"
        );
    }
}
