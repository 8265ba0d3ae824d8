//! What must hold of the PTX, whatever the compiler did: the table's entries and no others, no local memory,
//! no panic path, wide loads and stores, and as many barriers as the source has.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

use crate::part::Part;

/// Barriers in the source of a reduction: block combine of a chunk, reuse of its scratch, block combine of the partials.
const REDUCE_BARRIERS: usize = 3;

/// Barriers in the source of a scan: the first two tickets, tile scan, prefix.
const SCAN_BARRIERS: usize = 4;

/// Vectors that a thread stores.
const VECTOR_ACCESSES: usize = warpfold_kernels::contract::THREAD_VECTORS;

/// Vectors that a thread loads to registers: of a whole part, and in the loop over a ragged one.
const REGISTER_LOADS: usize = VECTOR_ACCESSES + 1;

/// Vectors that a thread of a scan begins to copy: of its first tile, and of its next; and as many loops over ragged
/// ones, which copy vectors or, where items are narrow, load them to registers.
const ASYNCHRONOUS_COPIES: [(usize, usize); 2] =
    [(0, 2 * VECTOR_ACCESSES + 2), (2, 2 * VECTOR_ACCESSES)];

/// The name in a line that opens an entry.
pub fn entry_name(line: &str) -> Option<&str> {
    line.strip_prefix(".visible .entry ")?.strip_suffix('(')
}

/// Checks a whole text.
pub fn inspect(text: &str, part: Part) -> Result<()> {
    let mut found = BTreeSet::new();
    let mut rest = text;
    while let Some(start) = rest.find(".visible .entry ") {
        let end = rest[start..].find("\n}").map(|end| start + end);
        let entry = &rest[start..end.unwrap_or(rest.len())];
        let name = entry.lines().next().and_then(entry_name).unwrap_or("");
        forbid(name, entry, part)?;
        if part == Part::Library {
            inspect_entry(name, entry)?;
        }
        found.insert(name);
        rest = &rest[start + entry.len()..];
    }
    let expected: BTreeSet<&str> = part.symbols().into_iter().collect();
    ensure!(
        found == expected,
        "entries differ from the table: missing {:?}, extra {:?}",
        expected.difference(&found).collect::<Vec<_>>(),
        found.difference(&expected).collect::<Vec<_>>()
    );
    Ok(())
}

/// What no kernel may contain.
fn forbid(name: &str, entry: &str, part: Part) -> Result<()> {
    for forbidden in part.forbidden() {
        ensure!(!entry.contains(*forbidden), "{name} contains `{forbidden}`");
    }
    Ok(())
}

/// What a kernel of the library has to be.
fn inspect_entry(name: &str, entry: &str) -> Result<()> {
    let count = |needle: &str| entry.matches(needle).count();
    let is_scan = name.contains("_scan_");
    let barriers = count("bar.sync") + count("barrier.sync");
    let expected = if is_scan {
        SCAN_BARRIERS
    } else {
        REDUCE_BARRIERS
    };
    ensure!(
        barriers == expected,
        "{name} has {barriers} barriers, its source {expected}"
    );
    let copies = count("cp.async.cg.shared.global");
    let loads = count("ld.global.L1::no_allocate.v4.b32");
    ensure!(
        (loads, copies) == (REGISTER_LOADS, 0) || ASYNCHRONOUS_COPIES.contains(&(loads, copies)),
        "{name} has {loads} 16-byte loads and {copies} 16-byte copies"
    );
    let stores = count("st.global.v4.b32");
    let expected = if is_scan { VECTOR_ACCESSES } else { 0 };
    ensure!(
        stores == expected,
        "{name} has {stores} 16-byte stores, expected {expected}"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMITTED: [&str; 3] = [
        include_str!("../../host/ptx/sm_70.ptx"),
        include_str!("../../host/ptx/sm_80.ptx"),
        include_str!("../../host/ptx/sm_90.ptx"),
    ];

    const LADDER: &str = include_str!("../../host/ptx/ladder.ptx");
    const NESTED: &str = include_str!("../../host/ptx/ladder_nested.ptx");

    #[test]
    fn the_committed_ptx_passes() {
        for text in COMMITTED {
            inspect(text, Part::Library).unwrap();
        }
        inspect(LADDER, Part::Ladder).unwrap();
        inspect(NESTED, Part::Nested).unwrap();
    }

    #[test]
    fn what_must_not_be_there_is_found() {
        let good = COMMITTED[1];
        let spoilt = [
            good.replacen("\tbar.sync", "\tcall panic;\n\tbar.sync", 1),
            good.replacen("\tbar.sync", "\tbar.sync \t0;\n\tbar.sync", 1),
            good.replacen("\tbar.sync", "\tld.local.b32 %r1, [%rd1];\n\tbar.sync", 1),
            good.replacen("ld.global.L1::no_allocate.v4.b32", "ld.global.b32", 1),
            good.replacen("st.global.v4.b32", "st.global.b32", 1),
            good.replacen("entry reduce_sum_f32", "entry reduce_some_f32", 1),
        ];
        for text in spoilt {
            assert!(text != good && inspect(&text, Part::Library).is_err());
        }
    }
}
