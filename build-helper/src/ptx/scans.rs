//! Both scans of an operator, made from one compiled function.
//!
//! An inclusive and an exclusive scan differ in the words that they store. Scans are among the longest kernels. So the compiler makes only
//! one function, which computes both words and leaves the choice open:
//!
//! ```text
//! placed.b32 %r1, %r2, %r3;      inclusive: mov.b32 %r1, %r2;      exclusive: mov.b32 %r1, %r3;
//! ```
//!
//! The text of each scan keeps the instructions that compute the other scan's word. The driver's compiler drops them.

use warpfold_kernels::kind::Kind;

use crate::compiled::Kernel;

/// The prefix of the symbol of a function that stands for both scans.
const PREFIX: &str = "scan_";

/// The instruction that leaves the choice open. [`COPY`] replaces it.
const OPEN: &str = "placed.b32 ";
const COPY: &str = "mov.b32 ";

/// The row's name, if the function of this symbol stands for both scans of a row.
pub fn row_of(symbol: &str) -> Option<&str> {
    symbol.strip_prefix(PREFIX)
}

/// Both scans of a row, from the text that leaves the choice open.
pub fn both(open: &Kernel, row: &str) -> [Kernel; 2] {
    let scans = [
        (Kind::InclusiveScan, Word::Inclusive),
        (Kind::ExclusiveScan, Word::Exclusive),
    ];
    scans.map(|(kind, word)| {
        let symbol = format!("{}{row}", kind.definition().prefix);
        let mut text = String::with_capacity(open.text.len());
        for line in open.text.lines() {
            match chosen(line, word) {
                Some(copy) => text.push_str(&copy),
                None => text.push_str(line),
            }
            text.push('\n');
        }
        for ends in ["(", "_param_"] {
            let (old, new) = (&open.symbol, &symbol);
            text = text.replace(&format!("{old}{ends}"), &format!("{new}{ends}"));
        }
        Kernel { symbol, text }
    })
}

/// Which of two words is stored.
#[derive(Clone, Copy)]
enum Word {
    Inclusive,
    Exclusive,
}

/// The line with a copy of this word in place of [`OPEN`]; `None` for a line without [`OPEN`].
fn chosen(line: &str, word: Word) -> Option<String> {
    let (before, operands) = line.split_once(OPEN)?;
    let (operands, after) = operands.split_once(';')?;
    let (result, words) = operands.split_once(", ")?;
    let (inclusive, exclusive) = words.split_once(", ")?;
    let word = match word {
        Word::Inclusive => inclusive,
        Word::Exclusive => exclusive,
    };
    Some(format!("{before}{COPY}{result}, {word};{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_becomes_two_scans() {
        let text = ".visible .entry scan_gcd(\n\t.param .b64 scan_gcd_param_0\n)\n{\n\
            \tld.param.b64 %rd1, [scan_gcd_param_0];\n\t{ placed.b32 %r1, %r2, %r3; }\n}\n";
        let open = Kernel {
            symbol: "scan_gcd".to_owned(),
            text: text.to_owned(),
        };
        let [inclusive, exclusive] = both(&open, "gcd");
        assert_eq!(inclusive.symbol, "inclusive_scan_gcd");
        assert_eq!(
            inclusive.text,
            ".visible .entry inclusive_scan_gcd(\n\t.param .b64 inclusive_scan_gcd_param_0\n)\n{\n\
             \tld.param.b64 %rd1, [inclusive_scan_gcd_param_0];\n\t{ mov.b32 %r1, %r2; }\n}\n"
        );
        assert_eq!(exclusive.symbol, "exclusive_scan_gcd");
        assert!(exclusive.text.contains("mov.b32 %r1, %r3;"));
        assert!(!exclusive.text.contains("inclusive") && !exclusive.text.contains(OPEN));
    }

    #[test]
    fn the_symbol_names_the_row() {
        assert_eq!(row_of("scan_gcd"), Some("gcd"));
        assert_eq!(row_of("segmented_scan_gcd"), None);
    }
}
