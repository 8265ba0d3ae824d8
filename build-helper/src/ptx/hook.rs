//! Hooks are calls in place of instructions. For each hook, the compiler's text has an array of bytes that describes it.
//! `warpfold-kernels` makes these arrays (`simt/hook.rs`). For example:
//!
//! ```text
//! warpfold hook load_word
//! in reg64 address
//! out reg64 word
//! {{ .reg .u64 %g; cvta.to.global.u64 %g, {address};      (braces that are not operands are doubled)
//! ld.relaxed.gpu.global.b64 {word}, [%g]; }}
//! ```

use std::collections::BTreeMap;

use crate::error::Problem;
use warpfold_ptx::statement::{Statement, parse};
use warpfold_ptx::text::Text;

/// The prefix of a description.
const MARK: &str = "warpfold hook ";

/// The prefix of a hook's symbol.
const SYMBOL: &str = "warpfold_hook_";

/// The kind of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A register of 16 bits, passed in 32.
    Reg16,
    /// A register of 32 bits.
    Reg32,
    /// A register of 64 bits.
    Reg64,
    /// A register of 32 bits or a constant, as the compiler chooses.
    Number,
    /// A constant of 64 bits, which the compiler must know.
    Constant,
}

impl Class {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "reg16" => Self::Reg16,
            "reg32" => Self::Reg32,
            "reg64" => Self::Reg64,
            "number" => Self::Number,
            "constant" => Self::Constant,
            _ => return None,
        })
    }

    /// The bytes that an operand takes when it is passed.
    pub fn bytes(self) -> usize {
        match self {
            Self::Reg16 | Self::Reg32 | Self::Number => 4,
            Self::Reg64 | Self::Constant => 8,
        }
    }
}

/// An operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// Its name in the PTX.
    pub name: String,
    /// Its kind.
    pub class: Class,
}

/// A hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The values that are passed, in order.
    pub inputs: Vec<Operand>,
    /// The values that are returned, in order, as the fields of a C structure.
    pub outputs: Vec<Operand>,
    /// The PTX, with operands in braces.
    text: String,
}

impl Hook {
    /// The offsets in bytes of the returned values.
    pub fn output_offsets(&self) -> impl Iterator<Item = (usize, &Operand)> {
        self.outputs.iter().scan(0usize, |end, operand| {
            let bytes = operand.class.bytes();
            let offset = end.next_multiple_of(bytes);
            *end = offset + bytes;
            Some((offset, operand))
        })
    }

    /// The statements, with these operands in place of the names.
    pub fn instantiate(
        &self,
        operands: &BTreeMap<&str, String>,
    ) -> Result<Vec<Statement>, Problem> {
        let mut text = String::new();
        let mut rest = self.text.as_str();
        while let Some(at) = rest.find(['{', '}']) {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix("{{") {
                text.push('{');
                rest = after;
            } else if let Some(after) = rest.strip_prefix("}}") {
                text.push('}');
                rest = after;
            } else {
                let (name, after) = rest[1..].split_once('}').unwrap_or((rest, ""));
                let operand = operands.get(name).ok_or_else(|| {
                    Problem::unexpected(format!("a hook's PTX has no operand `{name}`"))
                })?;
                text.push_str(operand);
                rest = after;
            }
        }
        text.push_str(rest);
        parse(&text).ok_or_else(|| Problem::unexpected(format!("a hook's PTX breaks off: {text}")))
    }
}

/// The hooks that a text describes, by symbol.
pub fn hooks(text: &Text) -> Result<BTreeMap<String, Hook>, Problem> {
    let mut hooks = BTreeMap::new();
    for (_, bytes) in &text.arrays {
        let Some(description) = std::str::from_utf8(bytes)
            .ok()
            .and_then(|text| text.strip_prefix(MARK))
        else {
            continue;
        };
        let (name, hook) = describe(description)
            .ok_or_else(|| Problem::unexpected(format!("a hook's description: {description}")))?;
        hooks.insert(format!("{SYMBOL}{name}"), hook);
    }
    Ok(hooks)
}

fn describe(description: &str) -> Option<(&str, Hook)> {
    let mut lines = description.lines();
    let name = lines.next()?;
    let mut hook = Hook {
        inputs: Vec::new(),
        outputs: Vec::new(),
        text: String::new(),
    };
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let operand = |class: &str, name: &str| {
            Some(Operand {
                name: name.to_owned(),
                class: Class::of(class)?,
            })
        };
        match words[..] {
            ["in", class, name] => hook.inputs.push(operand(class, name)?),
            ["out", class, name] => hook.outputs.push(operand(class, name)?),
            _ => {
                hook.text.push_str(line);
                hook.text.push('\n');
            }
        }
    }
    Some((name, hook))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_becomes_a_hook() {
        let (name, hook) = describe(
            "load\nin reg64 address\nout reg32 a\nout reg64 b\n{{ ld.b32 {a}, [{address}];\nmov.b64 {b}, 1; }}\n",
        )
        .unwrap();
        assert_eq!(name, "load");
        let offsets: Vec<usize> = hook.output_offsets().map(|(offset, _)| offset).collect();
        assert_eq!(offsets, [0, 8]);
        let operands = [("address", "%rd1"), ("a", "%r1"), ("b", "%rd2")];
        let operands = operands.map(|(name, register)| (name, register.to_owned()));
        let statements = hook.instantiate(&operands.into()).unwrap();
        let written: Vec<String> = statements.iter().map(Statement::to_string).collect();
        assert_eq!(
            written,
            ["{", "ld.b32 %r1, [%rd1];", "mov.b64 %rd2, 1;", "}"]
        );
    }

    #[test]
    fn a_missing_operand_is_an_error() {
        let (_, hook) = describe("pin\nmov.b32 {a}, 1;\n").unwrap();
        assert!(hook.instantiate(&BTreeMap::new()).is_err());
        assert!(describe("load\nin reg8 address\n").is_none());
    }
}
