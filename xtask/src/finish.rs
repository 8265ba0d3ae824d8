//! From what the compiler emits to what ships.

use anyhow::{Result, ensure};

use crate::inspect;
use crate::part::Part;

/// Leaves the part's entries, without comments, and adds to each what is known of its launches.
pub fn finish(emitted: &str, part: Part) -> Result<String> {
    let mut text = String::with_capacity(emitted.len());
    let mut entry = None;
    let mut skipping = false;
    for line in emitted.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with("//") {
            continue;
        }
        let name = inspect::entry_name(trimmed);
        // The panic handler is the only function that is not an entry, and nothing calls it.
        skipping |= trimmed.starts_with(".visible .func");
        skipping |= name.is_some_and(|name| !part.holds(name));
        if skipping {
            skipping = trimmed != "}";
            continue;
        }
        if name.is_some() {
            entry = name;
        }
        text.push_str(line.trim_end());
        text.push('\n');
        if trimmed == ")"
            && let Some(entry) = entry
        {
            text.push_str(&part.launch_bounds(entry));
        }
    }
    ensure!(!skipping, "a function has no end");
    Ok(text)
}
