//! Removes combinations with the identity from a skeleton.
//!
//! The compiler does this itself if it knows the operator. This module does not know the operator, and compares only the names of
//! registers. If an operand of the hole `combine` is the register of the hole `identity`, the result is the other operand, since an
//! identity changes no bit. An operand of several words has several registers, and all of them are compared.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use warpfold_ptx::fill::{HOLE, Hole};

use super::written::writes;

/// The skeleton, with copies in place of combinations with the identity.
pub fn remove(skeleton: &str) -> Result<String> {
    let identities = identities(skeleton)?;
    let mut text = String::with_capacity(skeleton.len());
    for line in skeleton.lines() {
        match hole(line)? {
            Some(hole) if hole.name == "combine" => match other(&hole, &identities) {
                Some(value) => {
                    let words = hole.outputs.iter().zip(value);
                    let copies: Vec<_> = words.map(|(to, from)| copy(to, from)).collect();
                    text += &copies.join("\n");
                }
                None => text += line,
            },
            _ => text += line,
        }
        text.push('\n');
    }
    Ok(text)
}

/// The other operand of a combination with the identity.
fn other<'a, 'b>(hole: &'b Hole<'a>, identities: &BTreeMap<&str, usize>) -> Option<&'b [&'a str]> {
    let (left, right) = hole.inputs.split_at(hole.inputs.len() / 2);
    let is_identity = |operand: &[&str]| {
        let words = operand.iter().enumerate();
        let mut words = words.map(|(place, word)| identities.get(word) == Some(&place));
        words.all(|is_identity| is_identity)
    };
    if is_identity(left) {
        Some(right)
    } else {
        is_identity(right).then_some(left)
    }
}

fn copy(to: &str, from: &str) -> String {
    let bits = if from.starts_with("%rd") {
        "b64"
    } else {
        "b32"
    };
    format!("\tmov.{bits} {to}, {from};")
}

/// The registers that never hold anything but a word of the identity, each with the index of that word.
fn identities(skeleton: &str) -> Result<BTreeMap<&str, usize>> {
    let mut identities = BTreeMap::new();
    for line in skeleton.lines() {
        if let Some(hole) = hole(line)?
            && hole.name == "identity"
        {
            identities.extend(hole.outputs.iter().copied().zip(0..));
        }
    }
    let writes = writes(skeleton);
    identities.retain(|register, _| writes[register] == 1);
    Ok(identities)
}

fn hole(line: &str) -> Result<Option<Hole<'_>>> {
    line.strip_prefix(HOLE)
        .map(|hole| Hole::parse(hole).with_context(|| format!("`{line}` is not a hole")))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKELETON: &str = "\
\tHOLE identity %r1 <- ;
\tHOLE combine %r2 <- %r1, %r5;
\tHOLE combine %r3 <- %r5, %r1;
\tHOLE combine %r4 <- %r5, %r6;
";

    #[test]
    fn a_combination_with_the_identity_is_a_copy() {
        let expected = "\
\tHOLE identity %r1 <- ;
\tmov.b32 %r2, %r5;
\tmov.b32 %r3, %r5;
\tHOLE combine %r4 <- %r5, %r6;
";
        assert_eq!(remove(SKELETON).unwrap(), expected);
        let wide = SKELETON.replace("%r", "%rd");
        assert!(remove(&wide).unwrap().contains("\tmov.b64 %rd2, %rd5;"));
    }

    #[test]
    fn an_identity_of_several_words_needs_all_words_in_order() {
        let identity = "\tHOLE identity %r1, %r2 <- ;\n";
        let combined = |operands: &str| {
            let hole = format!("{identity}\tHOLE combine %r8, %r9 <- {operands};\n");
            remove(&hole).unwrap()
        };
        let copies = format!("{identity}\tmov.b32 %r8, %r5;\n\tmov.b32 %r9, %r6;\n");
        assert_eq!(combined("%r1, %r2, %r5, %r6"), copies);
        assert_eq!(combined("%r5, %r6, %r1, %r2"), copies);
        assert!(combined("%r2, %r1, %r5, %r6").contains("HOLE combine"));
        assert!(combined("%r1, %r5, %r2, %r6").contains("HOLE combine"));
    }

    #[test]
    fn a_register_that_is_written_again_is_not_the_identity() {
        for write in [
            "\tmov.b32 \t%r1, %r9;\n",
            "\tHOLE combine %r1 <- %r7, %r8;\n",
            "\tld.global.v4.b32 {%r7, %r8, %r1, %r9}, [%rd1];\n",
            "\t{ .reg .u64 %g; cvta.to.global.u64 %g, %rd1; ld.b32 %r1, [%g]; }\n",
            "\t@%p1 mov.b32 %r1, 0;\n",
        ] {
            let skeleton = [SKELETON, write].concat();
            assert_eq!(remove(&skeleton).unwrap(), skeleton, "{write}");
        }
    }
}
