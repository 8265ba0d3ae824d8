//! PTX text to syntax tree: `lex` cuts the text into tokens, `parse` builds the tree of `ast`. `link`
//! makes one text of several.
//!
//! Only the shape of the text is understood here. What the names mean, and whether an instruction
//! exists, is the business of `lower`.

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

/// Something in a PTX text that cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line in the text, counted from 1.
    pub line: u32,
    /// What is wrong, in words.
    pub what: String,
}
