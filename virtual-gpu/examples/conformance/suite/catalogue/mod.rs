//! Instructions on registers, one row for each form.
//!
//! The PTX ISA specifies their results exactly, except for some NaNs ([`NanBits::Open`]) and divisions by zero ([`LastSource::NotZero`]).
//! Approximations such as `ex2.approx` are left out.

mod bits;
mod compare;
mod convert;
mod floating;
mod halves;
mod integer;

use super::case::{Case, Machine};
use super::kind::Kind;
use super::memory_ops::{ATOMICS, Atomic};
use super::table;

/// Whether the bits of an instruction's NaN results are specified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NanBits {
    Fixed,
    Open,
}

/// Whether the last source may be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastSource {
    Any,
    /// The result for zero is not specified.
    NotZero,
}

/// One form of an instruction.
#[derive(Debug, Clone)]
pub struct Row {
    pub opcode: String,
    /// The kind of the destination; two kinds if the instruction has two destinations, `p|q`.
    pub targets: Vec<Kind>,
    pub sources: Vec<Kind>,
    /// A literal that follows the sources as the last operand.
    pub literal: Option<&'static str>,
    pub nan_bits: NanBits,
    pub last_source: LastSource,
}

impl Row {
    fn new(opcode: impl Into<String>, target: Kind, sources: &[Kind]) -> Self {
        Self {
            opcode: opcode.into(),
            targets: vec![target],
            sources: sources.to_vec(),
            literal: None,
            nan_bits: NanBits::Fixed,
            last_source: LastSource::Any,
        }
    }

    fn with_second_target(mut self, target: Kind) -> Self {
        self.targets.push(target);
        self
    }

    fn with_literal(mut self, literal: &'static str) -> Self {
        self.literal = Some(literal);
        self
    }

    fn with_open_nans(mut self) -> Self {
        self.nan_bits = NanBits::Open;
        self
    }

    fn with_divisor(mut self) -> Self {
        self.last_source = LastSource::NotZero;
        self
    }

    /// The instruction with these operands.
    pub fn text(&self, targets: &[String], sources: &[String]) -> String {
        let literal = self.literal.map(str::to_owned);
        let sources: Vec<String> = sources.iter().cloned().chain(literal).collect();
        format!(
            "{} {}, {};",
            self.opcode,
            targets.join("|"),
            sources.join(", ")
        )
    }

    /// A name that distinguishes this form from the others.
    pub fn name(&self) -> String {
        let second = if self.targets.len() > 1 { " p|q" } else { "" };
        match self.literal {
            Some(literal) => format!("{} {literal}{second}", self.opcode),
            None => format!("{}{second}", self.opcode),
        }
    }
}

/// Forms of instructions, for random kernels and for the table.
#[derive(Debug, Clone)]
pub struct Catalogue {
    pub rows: Vec<Row>,
    pub atomics: Vec<Atomic>,
}

impl Catalogue {
    /// All forms.
    pub fn whole() -> Self {
        let rows = [
            integer::rows(),
            bits::rows(),
            floating::rows(),
            halves::rows(),
            compare::rows(),
            convert::rows(),
        ];
        Self {
            rows: rows.concat(),
            atomics: ATOMICS.to_vec(),
        }
    }

    /// The instructions that a machine loads. For an instruction that the machine does not load, calls `refuse` with the name and the
    /// reason.
    pub fn known_to(self, machine: &mut dyn Machine, mut refuse: impl FnMut(&str, &str)) -> Self {
        let mut keep = |cases: &[Case]| {
            let mut known = vec![true; cases.len()];
            for (number, reason) in machine.refused(cases) {
                refuse(&cases[number].name, &reason);
                known[number] = false;
            }
            known
        };
        let of_rows = keep(&self.rows.iter().map(table::row_case).collect::<Vec<_>>());
        let atomic_case = |atomic| table::atomic_case(atomic, ".global");
        let atomics = self.atomics.iter();
        let of_atomics = keep(&atomics.map(atomic_case).collect::<Vec<_>>());
        Self {
            rows: those(self.rows, &of_rows),
            atomics: those(self.atomics, &of_atomics),
        }
    }
}

/// The items whose flag in `flags` is true.
fn those<T>(items: Vec<T>, flags: &[bool]) -> Vec<T> {
    let flagged = items.into_iter().zip(flags);
    flagged
        .filter_map(|(item, flag)| flag.then_some(item))
        .collect()
}

/// All texts that join one piece of each list. The pieces are joined in the order of the lists.
fn combinations(lists: &[&[&str]]) -> Vec<String> {
    lists.iter().fold(vec![String::new()], |texts, list| {
        let longer = |text: &String| list.iter().map(|piece| format!("{text}{piece}")).collect();
        texts.iter().flat_map::<Vec<String>, _>(longer).collect()
    })
}
