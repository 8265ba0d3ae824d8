//! The statements of a function's body.

use std::fmt;

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// The brace that opens a scope.
    Open,
    /// The brace that closes a scope.
    Close,
    /// A label, without its colon.
    Label(String),
    /// A directive, such as a declaration, without its semicolon.
    Directive(String),
    /// An instruction.
    Instruction(Instruction),
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// The predicate of the instruction, with its `@`.
    pub guard: Option<String>,
    /// The operation with its modifiers.
    pub opcode: String,
    /// The operands. A vector or a list in brackets is one operand.
    pub operands: Vec<String>,
}

impl Instruction {
    /// Reads an instruction without its semicolon.
    fn parse(text: &str) -> Self {
        let text = text.trim();
        let (guard, rest) = match text.starts_with('@') {
            true => {
                let (guard, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
                (Some(guard.to_owned()), rest.trim())
            }
            false => (None, text),
        };
        let (opcode, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        Self {
            guard,
            opcode: opcode.to_owned(),
            operands: split_list(operands),
        }
    }

    /// Whether `part` is the operation or one of its modifiers.
    pub fn has_part(&self, part: &str) -> bool {
        self.opcode.split('.').any(|found| found == part)
    }

    /// The operation without modifiers.
    pub fn operation(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    /// The label that the instruction may branch to.
    pub fn branch_target(&self) -> Option<&str> {
        match self.operation() {
            "bra" => self.operands.first().map(String::as_str),
            _ => None,
        }
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "{guard} ")?;
        }
        write!(f, "{}", self.opcode)?;
        if !self.operands.is_empty() {
            write!(f, " {}", self.operands.join(", "))?;
        }
        write!(f, ";")
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => write!(f, "{{"),
            Self::Close => write!(f, "}}"),
            Self::Label(label) => write!(f, "{label}:"),
            Self::Directive(directive) => write!(f, "{directive};"),
            Self::Instruction(instruction) => write!(f, "{instruction}"),
        }
    }
}

/// The instructions of a body.
pub fn instructions(body: &[Statement]) -> impl Iterator<Item = &Instruction> {
    body.iter().filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(instruction),
        _ => None,
    })
}

/// The width of a register in bits, by its name: the back end names registers by their width. A register with any other name is taken to be
/// 32 bits wide. `None` if the operand is no register. The register may be wider than the value that an instruction loads to it or stores
/// from it.
pub fn register_width(operand: &str) -> Option<u32> {
    let kind = operand.strip_prefix('%')?;
    Some(match kind.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "rs" => 16,
        "rd" | "fd" => 64,
        _ => 32,
    })
}

/// Splits at commas outside brackets.
pub fn split_list(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut depth = 0usize;
    let mut part = String::new();
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(part.trim().to_owned());
            part.clear();
        } else {
            part.push(c);
        }
    }
    if !part.trim().is_empty() {
        parts.push(part.trim().to_owned());
    }
    parts
}

/// Reads the statements of a text that has no comments. `None` if the text ends within a statement.
pub fn parse(text: &str) -> Option<Vec<Statement>> {
    let mut statements = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '{' => {
                statements.push(Statement::Open);
                1
            }
            '}' => {
                statements.push(Statement::Close);
                1
            }
            '$' => {
                let end = rest.find(':')?;
                statements.push(Statement::Label(rest[..end].to_owned()));
                end + 1
            }
            _ => {
                let end = rest.find(';')?;
                statements.push(match first {
                    '.' => Statement::Directive(rest[..end].trim().to_owned()),
                    _ => Statement::Instruction(Instruction::parse(&rest[..end])),
                });
                end + 1
            }
        };
        rest = rest[length..].trim_start();
    }
    Some(statements)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{ .reg .b64 %g; $L_1:\n@!%p1 bra $L_1;\n\
        ld.global.L1::no_allocate.v4.b32 {%r1, %r2}, [%g+4]; call.uni (retval0), f, (a, b);\nret; }";

    #[test]
    fn statements_are_read_and_written() {
        let statements = parse(TEXT).unwrap();
        assert_eq!(statements.len(), 8);
        assert_eq!(statements[2], Statement::Label("$L_1".to_owned()));
        let Statement::Instruction(branch) = &statements[3] else {
            panic!("{:?}", statements[3]);
        };
        assert_eq!(branch.guard.as_deref(), Some("@!%p1"));
        assert_eq!(branch.branch_target(), Some("$L_1"));
        let Statement::Instruction(load) = &statements[4] else {
            panic!("{:?}", statements[4]);
        };
        assert_eq!(load.operands, ["{%r1, %r2}", "[%g+4]"]);
        assert!(load.has_part("global") && !load.has_part("shared"));
        let written: Vec<String> = statements.iter().map(Statement::to_string).collect();
        assert_eq!(parse(&written.join("\n")).unwrap(), statements);
    }

    #[test]
    fn a_truncated_text_is_rejected() {
        assert_eq!(parse("mov.b32 %r1, 2; ret"), None);
    }
}
