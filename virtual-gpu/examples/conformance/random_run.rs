//! Compares the outputs of each random kernel on two machines, and shortens the first kernels on which the machines disagree.

use crate::compare::{Side, Tally, Verdict, compare};
use crate::options::Options;
use crate::reduce;
use crate::suite::case::{Case, Failure, Machine};
use crate::suite::catalogue::Catalogue;
use crate::suite::kernel::Statement;
use crate::suite::virtual_machine::VirtualMachine;
use crate::suite::{generate, record};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Instant;

/// This many kernels are loaded together, as one module.
const BATCH: usize = 16;
/// At most this many kernels are shortened. Further kernels on which the machines disagree are only reported.
const REDUCED: usize = 12;

/// For each of these seeds, makes a random kernel, runs it on both machines, and compares the outputs.
pub fn run(
    here: &mut VirtualMachine,
    there: &mut dyn Machine,
    catalogue: &Catalogue,
    seeds: Range<u64>,
    options: &Options,
) -> Tally {
    let start = Instant::now();
    let mut tally = Tally::default();
    let mut groups: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut refused = BTreeSet::new();
    let seeds: Vec<u64> = seeds.collect();
    for batch in seeds.chunks(BATCH) {
        if start.elapsed() > options.limit {
            println!("the time is over");
            break;
        }
        let make = |&seed| generate::statements(seed, catalogue, options.nans);
        let mut kernels: Vec<Vec<Statement>> = batch.iter().map(make).collect();
        let mut cases = cases_of(batch, &kernels);
        let mut verdicts = compare(here, there, &cases);
        for (index, verdict) in verdicts.iter_mut().enumerate() {
            if let Some(side) = refusing_side(verdict) {
                println!("\nseed {}: {}", batch[index], describe(verdict));
                let machine: &mut dyn Machine = match side {
                    Side::Here => here,
                    Side::There => there,
                };
                keep_known(&mut kernels[index], machine, &mut refused);
                cases[index] = generate::case(batch[index], &kernels[index]);
                let again = compare(here, there, &cases[index..=index]);
                *verdict = again.into_iter().next().unwrap_or_else(|| verdict.clone());
            }
        }
        for (index, verdict) in verdicts.iter().enumerate() {
            tally.add(&cases[index], verdict);
            if matches!(verdict, Verdict::Same { .. }) {
                continue;
            }
            let (seed, mut kernel) = (batch[index], kernels[index].clone());
            println!("\nseed {seed}: {}", describe(verdict));
            if device_is_lost(verdict) {
                println!("{}\nthe device is lost at seed {seed}", cases[index].text);
                return tally;
            }
            if tally.disagree <= REDUCED {
                kernel = reduce::reduce(kernel, |candidate| {
                    let case = generate::case(seed, candidate);
                    let verdicts = compare(here, there, &[case]);
                    verdicts.iter().all(|other| alike(verdict, other))
                });
                println!("{}", generate::case(seed, &kernel).text);
                groups.entry(opcodes(&kernel)).or_default().push(seed);
            }
        }
    }
    for reason in refused {
        println!("left out of the kernels: {reason}");
    }
    for (opcodes, seeds) in groups {
        println!("{opcodes}: seeds {seeds:?}");
    }
    tally
}

fn cases_of(seeds: &[u64], kernels: &[Vec<Statement>]) -> Vec<Case> {
    let pairs = seeds.iter().zip(kernels);
    pairs
        .map(|(&seed, kernel)| generate::case(seed, kernel))
        .collect()
}

/// The machine that did not load the kernel. `None` if the verdict says something else.
fn refusing_side(verdict: &Verdict) -> Option<Side> {
    match verdict {
        Verdict::Failed {
            side,
            failure: Failure::Load(_),
        } => Some(*side),
        _ => None,
    }
}

/// Removes the statements that a machine does not load, and collects the reasons.
fn keep_known(
    statements: &mut Vec<Statement>,
    machine: &mut dyn Machine,
    refused: &mut BTreeSet<String>,
) {
    statements.retain(|statement| {
        if !matches!(statement, Statement::Lines(_)) {
            return true;
        }
        let case = generate::case(0, std::slice::from_ref(statement));
        let reasons = machine.refused(&[case]);
        // Removes the line number, so that equal reasons of different kernels are equal texts.
        let reason = |text: &str| text.rsplit("line ").next().map(after_number);
        refused.extend(reasons.iter().filter_map(|(_, text)| reason(text)));
        reasons.is_empty()
    });
    for child in statements.iter_mut().flat_map(Statement::children_mut) {
        keep_known(child, machine, refused);
    }
}

fn after_number(text: &str) -> String {
    let digits = |c: char| c.is_ascii_digit();
    text.trim_start_matches(digits)
        .trim_start_matches([':', ' '])
        .to_owned()
}

pub fn describe(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Same { .. } => "the same".to_owned(),
        Verdict::Different(difference) => {
            let at = difference.offset;
            format!(
                "{} bytes differ, the first is {:02x} here and {:02x} there: {}",
                difference.bytes,
                difference.here[at],
                difference.there[at],
                record::describe(at)
            )
        }
        Verdict::Failed { side, failure } => format!("{side:?}: {failure}"),
    }
}

/// Whether both verdicts show the same kind of disagreement.
fn alike(first: &Verdict, second: &Verdict) -> bool {
    match (first, second) {
        (Verdict::Different(_), Verdict::Different(_)) => true,
        (
            Verdict::Failed { side, failure },
            Verdict::Failed {
                side: other_side,
                failure: other,
            },
        ) => {
            side == other_side
                && matches!(failure, Failure::Load(_)) == matches!(other, Failure::Load(_))
        }
        _ => false,
    }
}

/// Whether a kernel has stopped with an error on the second machine: a real device then runs nothing more.
fn device_is_lost(verdict: &Verdict) -> bool {
    let Verdict::Failed { side, failure } = verdict else {
        return false;
    };
    *side == Side::There && matches!(failure, Failure::Run(_))
}

/// The instruction names of a kernel. Shortened kernels are grouped by these names.
fn opcodes(statements: &[Statement]) -> String {
    let mut names = Vec::new();
    collect(statements, &mut names);
    names.join(" ")
}

fn collect(statements: &[Statement], names: &mut Vec<String>) {
    for statement in statements {
        if let Statement::Lines(lines) = statement {
            let instructions = lines.iter().flat_map(|line| line.split(';'));
            let words = instructions.filter_map(|text| {
                text.split_whitespace()
                    .find(|word| !word.starts_with(['@', '{', '}']))
            });
            names.extend(words.map(str::to_owned));
        }
        for child in statement.children() {
            collect(child, names);
        }
    }
}
