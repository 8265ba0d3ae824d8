//! The instructions that take registers and give registers, one row for each form.
//!
//! Only instructions whose result the PTX ISA fixes: nothing approximate. Where it leaves the bits
//! of a NaN open, the row says so ([`NanBits::Open`]).

mod bits;
mod compare;
mod convert;
mod floating;
mod halves;
mod integer;

use super::kind::Kind;

/// Whether the bits of a NaN that an instruction gives are fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NanBits {
    Fixed,
    Open,
}

/// Whether the last source may be zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastSource {
    Any,
    /// The result for zero is not fixed.
    NotZero,
}

/// One form of an instruction.
#[derive(Debug, Clone)]
pub struct Row {
    pub opcode: String,
    /// One destination, or two as in `p|q`.
    pub targets: Vec<Kind>,
    pub sources: Vec<Kind>,
    /// A last operand that must be a literal.
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

    /// What tells this form from the others.
    pub fn name(&self) -> String {
        let second = if self.targets.len() > 1 { " p|q" } else { "" };
        match self.literal {
            Some(literal) => format!("{} {literal}{second}", self.opcode),
            None => format!("{}{second}", self.opcode),
        }
    }
}

/// All rows.
pub fn rows() -> Vec<Row> {
    [
        integer::rows(),
        bits::rows(),
        floating::rows(),
        halves::rows(),
        compare::rows(),
        convert::rows(),
    ]
    .concat()
}

/// Every text of one from each list after the other.
fn combinations(lists: &[&[&str]]) -> Vec<String> {
    lists.iter().fold(vec![String::new()], |texts, list| {
        let longer = |text: &String| list.iter().map(|piece| format!("{text}{piece}")).collect();
        texts.iter().flat_map::<Vec<String>, _>(longer).collect()
    })
}
