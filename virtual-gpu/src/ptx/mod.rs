//! PTX text to syntax tree: `lex` cuts the text into tokens, `parse` builds the tree of `ast`.
//!
//! Only the shape of the text is understood here. What the names mean, and whether an instruction
//! exists, is the business of `lower`.

pub(crate) mod ast;
mod lex;
mod operands;
mod parse;
mod variables;

pub(crate) use parse::parse;
