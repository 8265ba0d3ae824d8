//! Compares the virtual GPU with recorded answers of an H200.
//!
//! `tests/recorded/` holds the answers that `examples/conformance` recorded. For each form in the catalogue of instructions, and for many
//! random kernels, there is a hash of the kernel's text and a hash of its output. For forms that an earlier version of the virtual GPU
//! computed wrongly, there are some operands with the hardware's results. After a change of the generator or of the forms, record the
//! hashes again on a GPU. For the forms, run `conformance --table --record FILE`. For the random kernels, run
//! `conformance --count 1300 --optimise 0 --record FILE`; `suite/hidden.rs` says why they are compiled without optimisation.

#[allow(dead_code, reason = "the example uses the rest")]
#[path = "../examples/conformance/suite/mod.rs"]
mod suite;

use std::collections::HashMap;

use suite::case::{Case, Machine};
use suite::catalogue::Catalogue;
use suite::generate::{self, Nans};
use suite::random::hash;
use suite::table::{self, INPUT_BYTES, OUTPUT_BYTES};
use suite::virtual_machine::VirtualMachine;
use virtual_gpu::{Checks, RunOptions};

const FORMS: &str = include_str!("recorded/forms.txt");
const RANDOM: &str = include_str!("recorded/random.txt");
const CORRECTED: &str = include_str!("recorded/corrected.txt");

/// Hashes of a kernel's text and of its output.
type Hashes = [u64; 2];

/// The lines of a record: a name, and the hashes.
fn record(text: &str) -> HashMap<&str, Hashes> {
    text.lines().map(line).collect()
}

fn line(line: &str) -> (&str, Hashes) {
    let [name, text, output] = line.split_whitespace().collect::<Vec<_>>()[..] else {
        panic!("{line}");
    };
    let number = |word| u64::from_str_radix(word, 16).unwrap();
    (name, [number(text), number(output)])
}

fn machine() -> VirtualMachine {
    VirtualMachine::new(RunOptions {
        checks: Checks::none(),
        ..RunOptions::default()
    })
}

/// A kernel's name in the records, without spaces.
fn recorded_name(case: &Case) -> String {
    case.name.replace(' ', "_")
}

/// The kernels whose output differs from the recorded output, and the kernels without a record for their text.
fn wrong(cases: &[Case], recorded: &HashMap<&str, Hashes>) -> [Vec<String>; 2] {
    let mut machine = machine();
    let [mut wrong, mut unknown] = [vec![], vec![]];
    for case in cases {
        let name = recorded_name(case);
        match recorded.get(name.as_str()) {
            Some([text, expected]) if *text == hash(case.text.as_bytes()) => {
                let output = machine.run(std::slice::from_ref(case)).remove(0);
                if output.map(|bytes| hash(&bytes)) != Ok(*expected) {
                    wrong.push(name);
                }
            }
            _ => unknown.push(name),
        }
    }
    [wrong, unknown]
}

#[test]
fn every_form_gives_the_results_of_an_h200() {
    let cases = table::cases(&Catalogue::whole(), "");
    assert!(cases.len() > 1400, "{}", cases.len());
    let none: [Vec<String>; 2] = [vec![], vec![]];
    assert_eq!(wrong(&cases, &record(FORMS)), none);
}

#[test]
fn random_kernels_give_the_results_of_an_h200() {
    let (catalogue, recorded) = (Catalogue::whole(), record(RANDOM));
    let seed = |name: &&str| {
        name.strip_prefix("random_")
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let mut seeds: Vec<u64> = recorded.keys().map(seed).collect();
    seeds.sort_unstable();
    assert!(seeds.len() >= 1000, "{}", seeds.len());
    let case = |&seed: &u64| {
        let statements = generate::statements(seed, &catalogue, Nans::Replaced);
        generate::case(seed, &statements)
    };
    let cases: Vec<Case> = seeds.iter().map(case).collect();
    let none: [Vec<String>; 2] = [vec![], vec![]];
    assert_eq!(wrong(&cases, &recorded), none);
}

#[test]
fn corrected_forms_give_the_results_of_hardware() {
    let catalogue = Catalogue::whole();
    let words = |text: &str| -> Vec<u64> {
        let words = text.split_whitespace();
        words.map(|w| u64::from_str_radix(w, 16).unwrap()).collect()
    };
    let mut machine = machine();
    for line in CORRECTED.lines() {
        let [form, operands, results] = line.split(" ; ").collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let mut alike = table::cases(&catalogue, form).into_iter();
        let case = alike.find(|case| case.name == form).unwrap();
        let threads = case.threads as usize;
        let mut input: Vec<u8> = words(operands)
            .into_iter()
            .flat_map(u64::to_le_bytes)
            .collect();
        assert_eq!(input.len(), INPUT_BYTES, "{line}");
        input.resize(threads * INPUT_BYTES, 0);
        let one = Case {
            input,
            output_bytes: threads * OUTPUT_BYTES,
            blocks: 1,
            ..case
        };
        let output = machine.run(&[one]).remove(0).unwrap();
        for (bytes, expected) in output.chunks(8).zip(words(results)) {
            assert_eq!(bytes, expected.to_le_bytes(), "{line}: {bytes:x?}");
        }
    }
}
