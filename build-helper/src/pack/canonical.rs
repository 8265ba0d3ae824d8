//! A kernel's text with registers and labels numbered in the order in which they first appear.
//!
//! The compiler's numbers depend on how many it threw away and on which functions came before. Numbered anew, a kernel's text is
//! the same whatever it is compiled beside, and two kernels of one kind share most of their lines.

use std::collections::{BTreeMap, BTreeSet};

use super::words::{Word, words};

/// The text with new numbers.
pub fn canonical(text: &str) -> String {
    let declared = declared(text);
    let mut numbers: BTreeMap<(&str, u32), u32> = BTreeMap::new();
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let mut renumber = |prefix, number| {
        *numbers.entry((prefix, number)).or_insert_with(|| {
            let count = counts.entry(prefix).or_default();
            *count += 1;
            *count
        })
    };
    let mut body = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        for word in words(line) {
            match word {
                Word::Label { number, .. } => {
                    body.push_str("$L__BB0_");
                    body.push_str(&renumber("$", number).to_string());
                }
                Word::Register { prefix, number } if declared.contains(prefix) => {
                    body.push('%');
                    body.push_str(prefix);
                    body.push_str(&renumber(prefix, number).to_string());
                }
                Word::Register { prefix, number } => {
                    body.push_str(&format!("%{prefix}{number}"));
                }
                Word::Other { from, to } => body.push_str(&line[from..to]),
            }
        }
    }
    // As many registers are declared as there are, and one more: they are numbered from 1 on.
    for prefix in declared {
        let count = counts.get(prefix).copied().unwrap_or_default() + 1;
        let Some(start) = body.find(&format!("%{prefix}<")) else {
            continue;
        };
        let start = start + prefix.len() + 2;
        if let Some(length) = body[start..].find('>') {
            body.replace_range(start..start + length, &count.to_string());
        }
    }
    body
}

/// The prefixes of the registers that a text declares: `r` of `.reg .b32 %r<9>;`.
fn declared(text: &str) -> BTreeSet<&str> {
    let lines = text.lines().map(str::trim_start);
    let declarations = lines.filter_map(|line| line.strip_prefix(".reg "));
    declarations
        .filter_map(|line| Some(line.split_once('%')?.1.split_once('<')?.0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_and_labels_are_numbered_as_they_appear() {
        let text = "\t.reg .pred %p<9>;\n\t.reg .b32 %r<70>;\n\tmov.u32 %r40, %tid.x;\n$L__BB12_7:\n\
            \t@%p8 bra $L__BB12_9;\n\tadd.s32 %r3, %r40, %r40;\n\tbra $L__BB12_7;\n$L__BB12_9:\n\
            \tmov.u64 %own1, %clock64;\n";
        let expected = "\t.reg .pred %p<2>;\n\t.reg .b32 %r<3>;\n\tmov.u32 %r1, %tid.x;\n$L__BB0_1:\n\
            \t@%p1 bra $L__BB0_2;\n\tadd.s32 %r2, %r1, %r1;\n\tbra $L__BB0_1;\n$L__BB0_2:\n\
            \tmov.u64 %own1, %clock64;\n";
        assert_eq!(canonical(text), expected);
        assert_eq!(canonical(expected), expected);
    }
}
