//! Runs the same kernels on two machines, and finds where their outputs differ.

use crate::keep::Answer;
use crate::suite::case::{Case, Failure, Machine};
use crate::suite::random::hash;
use std::fmt::Write;

/// The outcome of one kernel on two machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The same output.
    Same {
        output_hash: u64,
    },
    Different(Difference),
    /// The machine `side` gives no output.
    Failed {
        side: Side,
        failure: Failure,
    },
}

/// One of the two machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Here,
    There,
}

/// Two different outputs of one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The offset of the first differing byte.
    pub offset: usize,
    /// The number of differing bytes.
    pub bytes: usize,
    pub here: Vec<u8>,
    pub there: Vec<u8>,
}

/// Runs the cases on both machines.
pub fn compare(
    here: &mut impl Machine,
    there: &mut (impl Machine + ?Sized),
    cases: &[Case],
) -> Vec<Verdict> {
    let (here, there) = (here.run(cases), there.run(cases));
    let verdict = |outputs| match outputs {
        (Err(failure), _) => Verdict::Failed {
            side: Side::Here,
            failure,
        },
        (_, Err(failure)) => Verdict::Failed {
            side: Side::There,
            failure,
        },
        (Ok(here), Ok(there)) => same(here, there),
    };
    here.into_iter().zip(there).map(verdict).collect()
}

/// Compares two outputs.
pub fn same(here: Vec<u8>, there: Vec<u8>) -> Verdict {
    let differs = |offset: &usize| here[*offset] != there[*offset];
    match (0..here.len()).find(differs) {
        None => Verdict::Same {
            output_hash: hash(&here),
        },
        Some(offset) => Verdict::Different(Difference {
            offset,
            bytes: (0..here.len()).filter(differs).count(),
            here,
            there,
        }),
    }
}

/// The outcomes of all kernels.
#[derive(Debug, Default)]
pub struct Tally {
    pub kernels: usize,
    pub disagree: usize,
    /// A line for each kernel with the same output on both machines.
    pub lines: String,
    /// The answers of the second machine, for kernels with an output on both machines.
    pub answers: Vec<Answer>,
}

impl Tally {
    pub fn add(&mut self, case: &Case, verdict: &Verdict) {
        self.kernels += 1;
        match verdict {
            Verdict::Same { output_hash } => {
                let text_hash = hash(case.text.as_bytes());
                let name = case.name.replace(' ', "_");
                _ = writeln!(self.lines, "{name} {text_hash:016x} {output_hash:016x}");
                self.answers.push(Answer::new(case, *output_hash, &[]));
            }
            Verdict::Different(difference) => {
                self.disagree += 1;
                let there = &difference.there;
                self.answers.push(Answer::new(case, hash(there), there));
            }
            Verdict::Failed { .. } => self.disagree += 1,
        }
    }
}
