//! From what a compiler emits to the text of one part.

use crate::bounds;
use crate::part::Part;

/// What is left out, and so up to where.
#[derive(Clone, Copy, PartialEq)]
enum Skip {
    Nothing,
    /// Up to the line that closes it.
    Function,
    /// Up to its semicolon.
    Declaration,
}

/// Leaves the part's entries, without comments, and adds to each what is known of its launches.
pub fn finish(emitted: &str, part: Part) -> Result<String, String> {
    let mut text = String::with_capacity(emitted.len());
    let mut skip = Skip::Nothing;
    for line in emitted.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with("//") {
            continue;
        }
        if skip == Skip::Nothing {
            skip = begins(trimmed, part);
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
        Skip::Nothing => Ok(bounds::add(&text, bounds::of)),
        Skip::Function | Skip::Declaration => Err("the text breaks off".to_owned()),
    }
}

/// What of it, if anything, is left out from a line on.
fn begins(line: &str, part: Part) -> Skip {
    if let Some(name) = bounds::entry_name(line) {
        return match Part::of(name) == part {
            true => Skip::Nothing,
            false => Skip::Function,
        };
    }
    // The panic handler is the only function that is not an entry, and nothing calls it.
    if line.starts_with(".visible .func") {
        return Skip::Function;
    }
    // What kernels launch with, and what they print.
    let of_nested = [".extern .func", ".visible .global", ".global"];
    let is_of_nested = of_nested.iter().any(|start| line.starts_with(start));
    match is_of_nested && part != Part::Nested {
        true => Skip::Declaration,
        false => Skip::Nothing,
    }
}
