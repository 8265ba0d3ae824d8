//! From what a compiler emits to a text of entries, each with what is known of its launches: neither compiler has a way to say
//! that.

/// What a text holds of what was emitted.
#[derive(Debug, Clone, Copy)]
pub struct Contents {
    /// Whether it has the entry of this name.
    pub has: fn(&str) -> bool,
    /// Whether it has external functions and global variables: what kernels launch with, and what they print.
    pub has_declarations: bool,
    /// The bounds of an entry's launches, in a line or more.
    pub bounds: fn(&str) -> String,
}

/// What is left out, and so up to where.
#[derive(Clone, Copy, PartialEq)]
enum Skip {
    Nothing,
    /// Up to the line that closes it.
    Function,
    /// Up to its semicolon.
    Declaration,
}

/// Leaves the contents, without comments, and adds each entry's bounds.
pub fn finish(emitted: &str, contents: &Contents) -> Result<String, String> {
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
            Skip::Function => trimmed == "}",
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
        Skip::Function | Skip::Declaration => Err("the text breaks off".to_owned()),
    }
}

/// What of it, if anything, is left out from a line on.
fn begins(line: &str, contents: &Contents) -> Skip {
    if let Some(name) = entry_name(line) {
        return match (contents.has)(name) {
            true => Skip::Nothing,
            false => Skip::Function,
        };
    }
    // The panic handler is the only function that is not an entry, and nothing calls it.
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
    line.strip_prefix(".visible .entry ")?.strip_suffix('(')
}

/// The text with the bounds `of` each entry after its parameters.
pub fn add_bounds(text: &str, of: impl Fn(&str) -> String) -> String {
    let mut bounded = String::with_capacity(text.len());
    let mut entry = None;
    for line in text.lines() {
        bounded.push_str(line);
        bounded.push('\n');
        entry = entry_name(line).or(entry);
        if line == ")"
            && let Some(entry) = entry.take()
        {
            bounded.push_str(&of(entry));
        }
    }
    bounded
}
