//! How often a skeleton's instructions write each register.

use std::collections::BTreeMap;

use warpfold_ptx::fill::{HOLE, Hole};

/// How many instructions and holes of a skeleton write each register. A register that none of them writes is left out.
pub fn writes(skeleton: &str) -> BTreeMap<&str, usize> {
    let mut writes: BTreeMap<&str, usize> = BTreeMap::new();
    for line in skeleton.lines() {
        match line.strip_prefix(HOLE).and_then(Hole::parse) {
            Some(hole) => {
                for output in hole.outputs {
                    *writes.entry(output).or_default() += 1;
                }
            }
            None => {
                for register in line.split(';').flat_map(written) {
                    *writes.entry(register).or_default() += 1;
                }
            }
        }
    }
    writes
}

/// The registers that an instruction may write: its first operand or, in braces, several operands. The instruction may have a guard.
fn written(instruction: &str) -> impl Iterator<Item = &str> {
    let instruction = instruction.trim_start_matches(|c: char| c == '{' || c.is_whitespace());
    let guarded = instruction.strip_prefix('@');
    let instruction = match guarded.and_then(|guarded| guarded.split_once(char::is_whitespace)) {
        Some((_guard, instruction)) => instruction.trim_start(),
        None => instruction,
    };
    let operands = instruction.split_once(char::is_whitespace);
    let operands = operands.map_or("", |(_, operands)| operands.trim_start());
    let first = match operands.strip_prefix('{') {
        Some(several) => several.split('}').next(),
        None => operands.split(',').next(),
    };
    let names = first.unwrap_or_default().split([',', '|']).map(str::trim);
    names.filter(|name| name.starts_with('%'))
}
