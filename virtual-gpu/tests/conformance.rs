//! The kernels of `examples/conformance` on the virtual GPU alone. The virtual GPU loads every form of every instruction in the example's
//! catalogue. Random kernels pass all checks and have the same results under every policy.

#[allow(dead_code, reason = "the example uses the rest")]
#[path = "../examples/conformance/suite/mod.rs"]
mod suite;

#[allow(dead_code, reason = "the example uses the rest")]
#[path = "../examples/conformance/reduce.rs"]
mod reduce;

use suite::case::{Case, Machine};
use suite::catalogue::Catalogue;
use suite::generate::{self, Nans};
use suite::kernel;
use suite::virtual_machine::VirtualMachine;
use virtual_gpu::{Checks, Policy, RunOptions};

/// The names of instructions in the catalogue that the virtual GPU does not load.
const NOT_LOADED: [&str; 0] = [];

fn loaded() -> Catalogue {
    Catalogue::whole().known_to(&mut machine(0, Policy::Seeded), |_, _| {})
}

fn machine(seed: u64, policy: Policy) -> VirtualMachine {
    VirtualMachine::new(RunOptions {
        seed,
        policy,
        checks: Checks::all(),
        ..RunOptions::default()
    })
}

#[test]
fn every_form_of_an_instruction_loads() {
    let mut names = Vec::new();
    let mut machine = machine(0, Policy::Seeded);
    Catalogue::whole().known_to(&mut machine, |name, _| names.push(name.to_owned()));
    assert_eq!(names, NOT_LOADED);
}

#[test]
fn random_kernels_give_equal_results_under_every_policy() {
    let catalogue = loaded();
    let kernel = |seed| generate::statements(seed, &catalogue, Nans::Replaced);
    let cases: Vec<Case> = (1..=40)
        .map(|seed| generate::case(seed, &kernel(seed)))
        .collect();
    let run = |(seed, policy)| machine(seed, policy).run(&cases);
    let outputs: Vec<_> = (0..).zip(Policy::ALL).map(run).collect();
    for (number, case) in cases.iter().enumerate() {
        for (policy, others) in Policy::ALL.iter().zip(&outputs) {
            match &others[number] {
                Ok(output) => assert!(
                    Ok(output) == outputs[0][number].as_ref(),
                    "{} under {policy:?}",
                    case.name
                ),
                Err(failure) => panic!("{} under {policy:?}: {failure}\n{}", case.name, case.text),
            }
        }
    }
}

#[test]
fn the_same_seed_makes_the_same_kernel() {
    let catalogue = Catalogue::whole();
    let make = |seed| {
        generate::case(
            seed,
            &generate::statements(seed, &catalogue, Nans::Replaced),
        )
    };
    assert_eq!(make(7).text, make(7).text);
    assert_eq!(make(7).input, make(7).input);
    assert_ne!(make(7).text, make(8).text);
}

#[test]
fn a_failing_kernel_is_reduced_to_the_relevant_statements() {
    let catalogue = loaded();
    let shows = |statements: &[kernel::Statement]| {
        let text = kernel::text("k", statements);
        text.contains("shfl.sync.idx") && text.contains("LOOP")
    };
    let seeds = 1..200;
    let mut made = seeds.map(|seed| generate::statements(seed, &catalogue, Nans::Replaced));
    let whole = made.find(|statements| shows(statements)).unwrap();
    let cut = reduce::reduce(whole.clone(), shows);
    assert!(reduce::count(&whole) > 10);
    assert_eq!(reduce::count(&cut), 2, "{}", kernel::text("k", &cut));
}
