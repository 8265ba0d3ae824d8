//! The guide: it describes every rung, and quotes lines of the kernels.

use std::collections::HashSet;

use warpfold_ladder::Rung;

/// The guide's text.
pub const GUIDE: &str = include_str!("../../README.md");

macro_rules! kernels {
    ($($file:literal),*) => {
        &[$(include_str!(concat!("../../kernels/src/", $file))),*]
    };
}

const KERNELS: &[&str] = kernels!(
    "nested.rs",
    "reduce/atomic_tree.rs",
    "reduce/atomics.rs",
    "reduce/first_at_load.rs",
    "reduce/grid_stride.rs",
    "reduce/halving.rs",
    "reduce/neighbours.rs",
    "reduce/paired.rs",
    "reduce/shared_tree.rs",
    "reduce/unrolled.rs",
    "scan/brent_kung.rs",
    "scan/kogge_stone.rs",
    "scan/mod.rs",
    "scan/naive.rs",
    "scan/sections.rs"
);

#[test]
fn the_guide_describes_every_rung() {
    let guide = GUIDE.to_lowercase();
    for rung in Rung::ALL {
        assert!(guide.contains(&rung.title().to_lowercase()), "{rung}");
    }
}

#[test]
fn every_quoted_line_is_in_a_kernel() {
    let lines: HashSet<&str> = KERNELS
        .iter()
        .flat_map(|file| file.lines())
        .map(str::trim)
        .collect();
    let mut quoted = 0;
    for block in GUIDE.split("```rust\n").skip(1) {
        let code = block.split("```").next().unwrap();
        for line in code.lines() {
            quoted += 1;
            assert!(lines.contains(line.trim()), "no kernel has `{line}`");
        }
    }
    assert!(quoted > 40);
}
