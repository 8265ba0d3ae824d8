//! Splits a text into its entries.
//!
//! A text is a preamble (version, target, declarations), then every kernel's entry. To find the end of an entry, only comments and nested
//! braces are parsed.

use std::collections::BTreeMap;

use crate::error::Malformed;
use crate::finish::ENTRY;

/// A text, split into its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut<'a> {
    /// The text before the first entry.
    pub preamble: &'a str,
    /// For each entry, its name, and its lines up to its last brace. The entries have the order of the text.
    pub entries: Vec<(&'a str, &'a str)>,
}

/// Splits a text into its entries.
pub fn cut(text: &str) -> Result<Cut<'_>, Malformed> {
    let first = text.find(ENTRY).ok_or(Malformed::NoEntry)?;
    let mut entries = Vec::new();
    let mut rest = &text[first..];
    while let Some(start) = rest.find(ENTRY) {
        let from = &rest[start..];
        let name = from[ENTRY.len()..].split('(').next().unwrap_or_default();
        let entry = entry(from).ok_or_else(|| Malformed::NoEnd(name.to_owned()))?;
        entries.push((name, entry));
        rest = &from[entry.len()..];
    }
    Ok(Cut {
        preamble: &text[..first],
        entries,
    })
}

/// One text for each entry, by the entry's name: the preamble and that entry. If `text` has functions that entries may call, every entry's
/// text is the whole of `text`. (The library's committed texts have no such functions.)
pub fn kernels(text: &str) -> Result<BTreeMap<String, String>, Malformed> {
    let has_functions = text.lines().any(is_function);
    let Cut { preamble, entries } = cut(text)?;
    let kernels = entries.into_iter().map(|(name, entry)| {
        let kernel = match has_functions {
            true => text.to_owned(),
            false => [preamble, entry, "\n"].concat(),
        };
        (name.to_owned(), kernel)
    });
    Ok(kernels.collect())
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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 shared[];
\t// .globl\tfirst // a brace that does not count: {
.visible .entry first(
\t.param .u64 first_param_0
)
{
\t{ mov.b64 {%r1, %r2}, %rd1; } // nor does this: }
\tret;
}
\t// .globl\tfirst_of_all
.visible .entry another()
{
\tret;
}
";

    #[test]
    fn an_entry_is_cut_out_with_the_preamble() {
        let kernels = kernels(TEXT).unwrap();
        let names: Vec<_> = kernels.keys().collect();
        assert_eq!(names, ["another", "first"]);
        let text = &kernels["first"];
        assert!(text.starts_with(".version 7.0\n.target sm_80\n"));
        assert!(text.contains(".extern .shared"));
        assert!(text.contains("{ mov.b64 {%r1, %r2}, %rd1; }"));
        assert!(text.ends_with("\tret;\n}\n"));
        assert_eq!(text.matches(".entry").count(), 1);
    }

    #[test]
    fn every_cut_entry_keeps_the_functions() {
        let text = format!("{TEXT}.visible .func (.param .b32 r) helper()\n{{\n\tret;\n}}\n");
        for kernel in kernels(&text).unwrap().into_values() {
            assert_eq!(kernel, text);
        }
        let text = TEXT.replace("\tret;", "\tcall helper, (); // a .func");
        for kernel in kernels(&text).unwrap().into_values() {
            assert_eq!(kernel.matches(".entry").count(), 1);
        }
    }

    #[test]
    fn texts_without_a_complete_entry_are_refused() {
        assert_eq!(kernels(".version 7.0\n"), Err(Malformed::NoEntry));
        let end = kernels(TEXT.trim_end().trim_end_matches('}')).unwrap_err();
        assert_eq!(end, Malformed::NoEnd("another".to_owned()));
    }
}
