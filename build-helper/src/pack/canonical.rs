//! A kernel's text with registers and labels numbered in the order in which they first appear.
//!
//! The compiler's numbers depend on the registers and labels that it dropped, and on earlier functions. Canonical numbers depend only on
//! the kernel's own text. With these numbers, two kernels of one kind share most of their lines.

use super::words::{Word, label, register};

/// The text with new numbers.
pub fn canonical(text: &str) -> String {
    let declared = declared(text);
    let mut registers: Vec<Numbers> = declared.into_iter().map(Numbers::of).collect();
    let mut numbered = renumbered(text, '%', |text, at| match register(text, at)? {
        (Word::Register { prefix, number }, end) => {
            let own = registers.iter_mut().find(|own| own.prefix == prefix)?;
            Some((format!("%{prefix}{}", own.number(number)), end))
        }
        _ => None,
    });
    // Registers are numbered from 1 on, so the declared number is one more than the count.
    for Numbers { prefix, count, .. } in registers {
        let Some(start) = numbered.find(&format!("%{prefix}<")) else {
            continue;
        };
        let start = start + prefix.len() + 2;
        if let Some(length) = numbered[start..].find('>') {
            numbered.replace_range(start..start + length, &(count + 1).to_string());
        }
    }
    let mut labels = Numbers::of("");
    renumbered(&numbered, '$', |text, at| match label(text, at)? {
        (Word::Label { number, .. }, end) => {
            Some((format!("$L__BB0_{}", labels.number(number)), end))
        }
        _ => None,
    })
}

/// The new numbers of registers or labels with one prefix.
struct Numbers<'a> {
    prefix: &'a str,
    /// The new numbers, indexed by the old ones; 0 where an old number has no new one yet.
    new: Vec<u32>,
    count: u32,
}

impl<'a> Numbers<'a> {
    fn of(prefix: &'a str) -> Self {
        Self {
            prefix,
            new: Vec::new(),
            count: 0,
        }
    }

    fn number(&mut self, old: u32) -> u32 {
        let old = old as usize;
        if self.new.len() <= old {
            self.new.resize(old + 1, 0);
        }
        if self.new[old] == 0 {
            self.count += 1;
            self.new[old] = self.count;
        }
        self.new[old]
    }
}

/// The text with new words. At each `sign`, `word` returns the new word and the end of the old one, or `None` to keep the old one. Build
/// scripts are not optimised, and a loop over characters would be slow. So the standard library finds the signs.
fn renumbered(
    text: &str,
    sign: char,
    mut word: impl FnMut(&str, usize) -> Option<(String, usize)>,
) -> String {
    let mut numbered = String::with_capacity(text.len());
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = text[at..].find(sign) {
        at += found;
        match word(text, at) {
            Some((new, end)) => {
                numbered.push_str(&text[copied..at]);
                numbered.push_str(&new);
                (copied, at) = (end, end);
            }
            None => at += 1,
        }
    }
    numbered.push_str(&text[copied..]);
    numbered
}

/// The prefixes of the registers that a text declares: `r` of `.reg .b32 %r<9>;`.
fn declared(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim_start);
    let declarations = lines.filter_map(|line| line.strip_prefix(".reg "));
    let prefixes = declarations.filter_map(|line| Some(line.split_once('%')?.1.split_once('<')?.0));
    let mut prefixes: Vec<&str> = prefixes.collect();
    prefixes.sort_unstable();
    prefixes.dedup();
    prefixes
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
