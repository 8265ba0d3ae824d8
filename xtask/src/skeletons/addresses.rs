//! Removes conversions of shared addresses to generic addresses and back.
//!
//! Inline PTX gets generic addresses, and converts those in shared memory with `cvta.to.shared`. Often the compiler has just made the
//! generic address from a shared one:
//!
//! ```text
//! cvta.shared.u64 %rd2, %rd1;
//! { .reg .u64 %s; cvta.to.shared.u64 %s, %rd2;      becomes      { .reg .u64 %s; mov.u64 %s, %rd1;
//! ```
//!
//! The driver's compiler does not see that both conversions together are a copy, and emits up to five instructions for them.

use std::collections::BTreeMap;

use super::written::writes;

/// A generic address: a shared address, and what was added to it.
#[derive(Clone, Copy)]
struct Generic<'a> {
    shared: &'a str,
    added: Option<&'a str>,
}

/// The skeleton, with copies and sums of shared addresses in place of conversions.
pub fn remove(skeleton: &str) -> String {
    let generic = generic(skeleton);
    let mut text = String::with_capacity(skeleton.len());
    for line in skeleton.split_inclusive('\n') {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("cvta.to.shared.u64 ") {
            text += before;
            rest = after;
            match after
                .split_once(';')
                .and_then(|(operands, end)| Some((folded(operands, &generic)?, end)))
            {
                Some((instruction, end)) => {
                    text += &instruction;
                    rest = end;
                }
                None => text += "cvta.to.shared.u64 ",
            }
        }
        text += rest;
    }
    text
}

/// The instruction in place of a conversion with these operands, if the address is known.
fn folded(operands: &str, generic: &BTreeMap<&str, Generic<'_>>) -> Option<String> {
    let (to, from) = operands.split_once(", ")?;
    let Generic { shared, added } = generic.get(from)?;
    Some(match added {
        Some(added) => format!("add.s64 {to}, {shared}, {added};"),
        None => format!("mov.u64 {to}, {shared};"),
    })
}

/// The registers that hold generic addresses made from shared addresses. Each of these registers, and the one with the shared address, is
/// written by one instruction only. Each use of such a register comes after its write on every path, and so the shared address is not
/// written again between the two.
fn generic(skeleton: &str) -> BTreeMap<&str, Generic<'_>> {
    let writes = writes(skeleton);
    let is_written_once = |register: &str| writes.get(register) == Some(&1);
    let mut generic = BTreeMap::new();
    for line in skeleton.lines().map(str::trim) {
        let Some((opcode, operands)) = line
            .strip_suffix(';')
            .and_then(|line| line.split_once('\t'))
        else {
            continue;
        };
        let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
        let made = match (opcode.trim(), &operands[..]) {
            ("cvta.shared.u64", &[to, shared]) => Some((
                to,
                Generic {
                    shared,
                    added: None,
                },
            )),
            // LLVM adds a number to an address only after it has made the address.
            ("add.s64", &[to, from, added]) if !added.starts_with('%') => match generic.get(from) {
                Some(&Generic {
                    shared,
                    added: None,
                }) => Some((
                    to,
                    Generic {
                        shared,
                        added: Some(added),
                    },
                )),
                _ => None,
            },
            _ => None,
        };
        if let Some((to, address)) = made
            && is_written_once(to)
            && is_written_once(address.shared)
        {
            generic.insert(to, address);
        }
    }
    generic
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversion_back_is_a_copy_or_a_sum() {
        let skeleton = "\
\tadd.s64 \t%rd1, %rd9, 4480;
\tcvta.shared.u64 \t%rd2, %rd1;
\tadd.s64 \t%rd3, %rd2, 16;
\t{ .reg .u64 %s; cvta.to.shared.u64 %s, %rd2; ld.shared.b32 %r1, [%s]; }
\t{ .reg .u64 %s; cvta.to.shared.u64 %s, %rd3; ld.shared.b32 %r2, [%s]; }
";
        let expected = "\
\tadd.s64 \t%rd1, %rd9, 4480;
\tcvta.shared.u64 \t%rd2, %rd1;
\tadd.s64 \t%rd3, %rd2, 16;
\t{ .reg .u64 %s; mov.u64 %s, %rd1; ld.shared.b32 %r1, [%s]; }
\t{ .reg .u64 %s; add.s64 %s, %rd1, 16; ld.shared.b32 %r2, [%s]; }
";
        assert_eq!(remove(skeleton), expected);
    }

    #[test]
    fn addresses_that_are_written_twice_are_still_converted() {
        for again in ["%rd1", "%rd2"] {
            let skeleton = format!(
                "\
\tadd.s64 \t%rd1, %rd9, 4480;
\tcvta.shared.u64 \t%rd2, %rd1;
\t{{ .reg .u64 %s; cvta.to.shared.u64 %s, %rd2; ld.shared.b32 %r1, [%s]; }}
\tmov.b64 \t{again}, %rd8;
"
            );
            assert_eq!(remove(&skeleton), skeleton);
        }
    }

    #[test]
    fn other_addresses_are_still_converted() {
        let skeleton =
            "\t{ .reg .u64 %s; cvta.to.shared.u64 %s, %rd2; ld.shared.b32 %r1, [%s]; }\n";
        assert_eq!(remove(skeleton), skeleton);
    }
}
