//! The parsed output of the compiler: a preamble, entries and functions, without comments.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use warpfold_ptx::finish::entry_name;

/// The compiler's output, parsed.
#[derive(Debug, Default)]
pub struct Emitted {
    /// Version, target, address size and variables.
    pub preamble: String,
    /// The entries' texts, by their names.
    pub entries: BTreeMap<String, String>,
    /// The lines between the braces of each function, by its name.
    pub functions: BTreeMap<String, Vec<String>>,
}

impl Emitted {
    /// Parses a text.
    pub fn parse(text: &str) -> Result<Self> {
        let mut emitted = Self::default();
        let mut lines = text.lines().map(str::trim_end);
        while let Some(line) = lines.next() {
            if is_comment(line) || is_for_launches(line) {
                continue;
            }
            if let Some(name) = entry_name(line) {
                let rest = lines.by_ref().filter(|line| !is_comment(line));
                let text = up_to_end(line, rest)?.join("\n") + "\n";
                emitted
                    .entries
                    .insert(name.to_owned(), without_place(&text));
            } else if let Some(head) = line.strip_prefix(".visible .func ") {
                let name = head.split('(').next().unwrap_or_default();
                let rest = lines.by_ref().filter(|line| !is_comment(line));
                let all = up_to_end(line, rest)?;
                let between = all.iter().skip_while(|line| line.as_str() != "{").skip(1);
                let body = between.take_while(|line| line.as_str() != "}");
                emitted
                    .functions
                    .insert(name.to_owned(), body.cloned().collect());
            } else {
                emitted.preamble += &[line, "\n"].concat();
            }
        }
        ensure!(!emitted.entries.is_empty(), "the text has no entry");
        Ok(emitted)
    }

    /// The entry called `name`.
    pub fn entry(&self, name: &str) -> Result<&str> {
        let entry = self.entries.get(name);
        Ok(entry.with_context(|| format!("there is no entry {name}"))?)
    }
}

/// The lines of an entry or a function, from its first line to the brace that closes it.
fn up_to_end<'a>(first: &str, rest: impl Iterator<Item = &'a str>) -> Result<Vec<String>> {
    let mut lines = vec![first.to_owned()];
    for line in rest {
        lines.push(line.to_owned());
        if line == "}" {
            return Ok(lines);
        }
    }
    anyhow::bail!("the text breaks off in `{first}`")
}

/// The start of an entry's labels, before the number of the function.
const LABEL: &str = "$L__BB";

/// The entry, without the number that the compiler gives to each function and writes in its labels. So a new function does not change the
/// texts of the entries after it.
fn without_place(entry: &str) -> String {
    let mut parts = entry.split(LABEL);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + LABEL + part.trim_start_matches(|c: char| c.is_ascii_digit())
    })
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with("//")
}

/// Whether a line is a declaration that is only for kernels that launch kernels. The library has no such kernels.
fn is_for_launches(line: &str) -> bool {
    line.starts_with(".extern .func") || line.starts_with(".visible .global")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entrys_text_does_not_depend_on_its_position() {
        let entry = "\t@%p1 bra \t$L__BB31_7;\n\tbra.uni \t$L__BB31_12;\n$L__BB31_7:\n";
        let expected = "\t@%p1 bra \t$L__BB_7;\n\tbra.uni \t$L__BB_12;\n$L__BB_7:\n";
        assert_eq!(without_place(entry), expected);
    }
}
