//! Parses PTX: `lex` splits the text into tokens, and `parse` builds the syntax tree, whose types are in `ast`. `link` combines several
//! texts.
//!
//! The parser checks only the syntax. `lower` resolves names, and decides whether an instruction exists.

pub(crate) mod ast;
mod grid_barrier;
mod lex;
mod link;
mod operands;
mod parse;
mod variables;

pub(crate) use grid_barrier::with_grid_barrier;
pub(crate) use link::{link, needs_others};
pub(crate) use parse::parse;

/// A mistake or an unsupported feature in a PTX text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line in the text, counted from 1.
    pub line: u32,
    /// The problem, as text.
    pub what: String,
}
