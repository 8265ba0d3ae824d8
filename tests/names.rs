//! Random kernels give the same results after `warpfold_ptx::names` has renumbered their registers and labels.
//!
//! The kernels are those of `virtual-gpu/examples/conformance`, with branches, loops, calls and instructions under predicates. Here they
//! have more labels, so that more registers are used in several basic blocks. All other tests run the library's own kernels after such a
//! renumbering.

#[allow(dead_code, reason = "the example uses the rest")]
#[path = "../virtual-gpu/examples/conformance/suite/mod.rs"]
mod suite;

use suite::case::{Case, Machine};
use suite::catalogue::Catalogue;
use suite::generate::{self, Nans};
use suite::virtual_machine::VirtualMachine;
use virtual_gpu::{Checks, RunOptions};
use warpfold_ptx::names::renumbered;

const KERNELS: u64 = 200;

/// Statements that write `%v` and `%k`, and read them only in the same basic block. Some lanes define `%v1` a second time. The other lanes
/// define `%v2` a second time.
const OWN: &str = "mov.u32 %v0, %tid.x; and.b32 %v1, %v0, 6; setp.eq.u32 %k0, %v1, 2; \
    @%k0 mov.b32 %v1, 77; mov.b32 %v2, 5; @!%k0 add.u32 %v2, %v2, %v1; xor.b32 %r0, %r0, %v2;\n";

/// A kernel's text without the comments `// begin` and `// end`. Every `spacing`th line of the random code is followed by a label and, if
/// the kernel uses `%r0`, by [`OWN`].
fn labelled(text: &str, spacing: usize) -> String {
    let mut labelled = String::new();
    let mut is_random = false;
    let own = if text.contains("%r0") { OWN } else { "" };
    for (number, line) in text.lines().enumerate() {
        match line {
            "// begin" => is_random = true,
            "// end" => is_random = false,
            _ => labelled += &[line, "\n"].concat(),
        }
        if is_random && number % spacing == 0 {
            labelled += &format!("$L__BB_{number}:\n{own}");
        }
    }
    labelled.replacen(".reg ", ".reg .pred %k<1>; .reg .b32 %v<3>; .reg ", 1)
}

/// The sum of all declared counts of registers.
fn declared(text: &str) -> u32 {
    let counts = text.split("<").skip(1);
    let counts = counts.filter_map(|rest| rest.split_once('>')?.0.parse::<u32>().ok());
    counts.sum()
}

#[test]
fn random_kernels_run_alike_with_new_numbers() {
    let mut machine = VirtualMachine::new(RunOptions {
        checks: Checks::all(),
        ..RunOptions::default()
    });
    let catalogue = Catalogue::whole().known_to(&mut machine, |_, _| {});
    let (mut before, mut after) = (0, 0);
    for seed in 1..=KERNELS {
        let statements = generate::statements(seed, &catalogue, Nans::Replaced);
        let case = generate::case(seed, &statements);
        let spacing = 1 + seed as usize % 9;
        let text = labelled(&case.text, spacing);
        let new = renumbered(&text).unwrap();
        assert_eq!(renumbered(&new).unwrap(), new, "{text}");
        before += declared(&text);
        after += declared(&new);
        let mut run = |text: &str| {
            let text = text.to_owned();
            machine
                .run(&[Case {
                    text,
                    ..case.clone()
                }])
                .remove(0)
        };
        let [expected, found] = [&text, &new].map(|text| run(text));
        assert!(expected.is_ok(), "seed {seed}: {expected:?}\n{text}");
        assert!(found == expected, "seed {seed}: {text}\n{new}");
    }
    assert!(4 * after < 3 * before, "{after} registers of {before}");
}
