//! Makes the text of a kernel: fills a skeleton with bodies.
//!
//! A skeleton is the text of a kernel with holes for the operator's instructions. A hole is a line of this form:
//!
//! ```text
//!     HOLE combine %r7 <- %r5, %r6;
//! ```
//!
//! A body fills a hole. It refers to the hole's registers by number: `add.rn.f32 %out0, %in0, %in1;`. A body that declares registers is a
//! scope, in braces. The outputs of a hole are never its inputs, so a body may write and read in any order.

use std::fmt;

use crate::finish::ENTRY;

/// The start of a line that a body replaces.
pub const HOLE: &str = "\tHOLE ";

/// In a list of bodies, the text that begins a body. The name of the hole follows, then the body's lines.
pub const BODY: &str = "\nhole ";

/// The start of a [packed text](crate::table::Table::packed). The name of a skeleton follows, then the bodies, each after [`BODY`].
pub const FILLED: &str = "skeleton ";

/// Why a skeleton cannot be filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfilled {
    /// The text has no entry.
    NoEntry,
    /// A line does not have the form of a hole: see the description in this module.
    NotAHole(String),
    /// No body is given for a hole of this name.
    NoBody(String),
    /// The body for the hole of this name refers to a register that the hole does not have.
    NoRegister(String),
}

impl fmt::Display for Unfilled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfilled::NoEntry => f.write_str("the skeleton has no entry"),
            Unfilled::NotAHole(line) => write!(f, "`HOLE {line}` is not a hole"),
            Unfilled::NoBody(hole) => write!(f, "there is no body for the hole `{hole}`"),
            Unfilled::NoRegister(hole) => {
                write!(
                    f,
                    "the body for the hole `{hole}` asks for a register that the hole does not have"
                )
            }
        }
    }
}

impl std::error::Error for Unfilled {}

/// The text of the kernel `symbol`: the skeleton, filled with these bodies. Each body follows a line that names its hole.
pub fn fill(skeleton: &str, symbol: &str, bodies: &str) -> Result<String, Unfilled> {
    let name = entry_name(skeleton).ok_or(Unfilled::NoEntry)?;
    let named = skeleton.replace(name, symbol);
    let bodies = parse(bodies);
    let mut filled = String::with_capacity(2 * named.len());
    let mut parts = named.split(HOLE);
    filled.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (line, rest) = part.split_once('\n').unwrap_or((part, ""));
        let hole = Hole::parse(line).ok_or_else(|| Unfilled::NotAHole(line.to_owned()))?;
        let body = bodies.iter().find(|body| body.hole == hole.name);
        let body = body.ok_or_else(|| Unfilled::NoBody(hole.name.to_owned()))?;
        body.write(&hole, &mut filled)
            .ok_or_else(|| Unfilled::NoRegister(hole.name.to_owned()))?;
        filled.push('\n');
        filled.push_str(rest);
    }
    Ok(filled)
}

/// The skeleton's name and the bodies, from the text after [`FILLED`].
pub fn skeleton_and_bodies(text: &str) -> (&str, &str) {
    text.split_at(text.find('\n').unwrap_or(text.len()))
}

/// The name of a text's first entry.
pub fn entry_name(text: &str) -> Option<&str> {
    text.split_once(ENTRY)?.1.split('(').next()
}

/// A line that a body replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole<'a> {
    /// The hole's name.
    pub name: &'a str,
    /// The registers that the body writes.
    pub outputs: Vec<&'a str>,
    /// The registers that the body reads.
    pub inputs: Vec<&'a str>,
}

impl<'a> Hole<'a> {
    /// Parses a hole. `line` is the part of a line after [`HOLE`].
    pub fn parse(line: &'a str) -> Option<Self> {
        let (name, registers) = line.strip_suffix(';')?.split_once(' ')?;
        let (outputs, inputs) = registers.split_once("<-")?;
        Some(Self {
            name,
            outputs: list(outputs),
            inputs: list(inputs),
        })
    }
}

/// The registers of a comma-separated list.
fn list(registers: &str) -> Vec<&str> {
    let registers = registers.split(',').map(str::trim);
    registers.filter(|register| !register.is_empty()).collect()
}

/// A body, split at the names of the hole's registers.
struct Body<'a> {
    hole: &'a str,
    pieces: Vec<Piece<'a>>,
}

/// A piece of a body.
enum Piece<'a> {
    Text(&'a str),
    Input(usize),
    Output(usize),
}

/// The bodies in a text.
fn parse(bodies: &str) -> Vec<Body<'_>> {
    let parts = bodies.split(BODY).skip(1);
    let named = parts.map(|part| part.split_once('\n').unwrap_or((part, "")));
    named
        .map(|(hole, lines)| Body {
            hole,
            pieces: pieces(lines),
        })
        .collect()
}

/// Splits a body's lines at the names of the hole's registers.
fn pieces(lines: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut text = 0;
    for (at, _) in lines.match_indices('%') {
        let word = &lines[at + 1..];
        let (register, digits): (fn(usize) -> Piece<'static>, _) =
            match (word.strip_prefix("in"), word.strip_prefix("out")) {
                (Some(digits), _) => (Piece::Input, digits),
                (_, Some(digits)) => (Piece::Output, digits),
                _ => continue,
            };
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        if let Ok(index) = digits[..length].parse() {
            pieces.push(Piece::Text(&lines[text..at]));
            pieces.push(register(index));
            text = lines.len() - digits.len() + length;
        }
    }
    pieces.push(Piece::Text(&lines[text..]));
    pieces
}

impl Body<'_> {
    /// Writes the body with a hole's registers. `None` if the body names a register that the hole does not have.
    fn write(&self, hole: &Hole<'_>, text: &mut String) -> Option<()> {
        for piece in &self.pieces {
            text.push_str(match *piece {
                Piece::Text(text) => text,
                Piece::Input(index) => hole.inputs.get(index)?,
                Piece::Output(index) => hole.outputs.get(index)?,
            });
        }
        Some(())
    }
}
