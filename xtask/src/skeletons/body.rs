//! Turns a function of the compiler's output into a body that fills holes.
//!
//! ```text
//! TAKE %r1, 0;                                        …
//! TAKE %r2, 1;                     becomes            add.rn.f32 %out0, %in0, %in1;
//! add.rn.f32 %r3, %r1, %r2;
//! GIVE 0, %r3;
//! ret;
//! ```
//!
//! A body with registers of its own gets a scope, in which their names differ from all names of the
//! kernel.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

/// The classes of registers, and their types.
const CLASSES: [(&str, &str); 4] = [("p", "pred"), ("rs", "b16"), ("r", "b32"), ("rd", "b64")];

/// What a body must not contain: branches and labels, calls, traps, exits, barriers, and accesses to memory.
const FORBIDDEN: [&str; 11] = [
    "bra", "call", "trap", "exit", "ld.", "st.", "atom", "red.", "cp.", "bar", "$L",
];

/// The branch that a body may contain, and its label. The branch skips rarely needed instructions within a scope.
const AROUND: [&str; 2] = ["@%unwanted bra $around;", "$around: }"];

/// Makes a body from the lines of a function.
pub fn body(function: &[String]) -> Result<String> {
    let mut takes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut gives: BTreeMap<usize, &str> = BTreeMap::new();
    let mut code: Vec<&str> = Vec::new();
    for line in function.iter().map(|line| line.trim()) {
        if let Some((register, index)) = operands(line, "TAKE ") {
            takes.insert(register, index.parse()?);
        } else if let Some((index, register)) = operands(line, "GIVE ") {
            gives.insert(index.parse()?, register);
        } else if line != "ret;" && !line.starts_with(".reg") {
            code.push(line);
        }
    }
    for line in &code {
        let found = FORBIDDEN.iter().find(|&&word| line.contains(word));
        ensure!(
            found.is_none() || AROUND.contains(line),
            "`{line}` in an operator's function"
        );
    }
    let mut names = Names::default();
    for (register, index) in takes {
        names.give(register, format!("%in{index}"));
    }
    let mut last = Vec::new();
    for (index, register) in gives {
        match names.of.get(register) {
            // The register of this output is also the register of an input or of another output.
            Some(name) => last.push(format!("mov.{} %out{index}, {name};", type_of(register)?.1)),
            None => names.give(register, format!("%out{index}")),
        }
    }
    let mut lines = Vec::new();
    for line in code {
        let words: Vec<&str> = line.split_whitespace().collect();
        lines.push(names.rename(&words.join(" "))?);
    }
    lines.extend(last);
    let (begin, end) = names.scope();
    let all = begin.into_iter().chain(lines).chain(end);
    Ok(all
        .map(|line| format!("\t{line}"))
        .collect::<Vec<_>>()
        .join("\n"))
}

/// The two operands of an instruction.
fn operands<'a>(line: &'a str, instruction: &str) -> Option<(&'a str, &'a str)> {
    let operands = line.strip_prefix(instruction)?.strip_suffix(';')?;
    operands.split_once(", ")
}

/// The class of a register, and its type.
fn type_of(register: &str) -> Result<(&'static str, &'static str)> {
    let class = register.trim_start_matches('%');
    let class = class.trim_end_matches(|c: char| c.is_ascii_digit());
    let found = CLASSES.iter().find(|(name, _)| *name == class);
    Ok(*found.with_context(|| format!("{register} is of no class that is known"))?)
}

/// The names that a body gives to registers.
#[derive(Default)]
struct Names {
    /// The body's name of each register, by the compiler's name.
    of: BTreeMap<String, String>,
    /// How many registers of each class are the body's own.
    own: BTreeMap<&'static str, usize>,
}

impl Names {
    fn give(&mut self, register: &str, name: String) {
        self.of.insert(register.to_owned(), name);
    }

    /// The line with the body's names. A name that does not end in a digit is the name of a register that the body itself declares. This
    /// name is not changed.
    fn rename(&mut self, line: &str) -> Result<String> {
        let mut parts = line.split('%');
        let mut renamed = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let length = part
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(part.len());
            let register = format!("%{}", &part[..length]);
            if register.ends_with(|c: char| c.is_ascii_digit()) {
                if !self.of.contains_key(&register) {
                    let (class, _) = type_of(&register)?;
                    let count = self.own.entry(class).or_default();
                    self.of
                        .insert(register.clone(), format!("%b{class}{count}"));
                    *count += 1;
                }
                renamed += &self.of[&register];
            } else {
                renamed += &register;
            }
            renamed += &part[length..];
        }
        Ok(renamed)
    }

    /// The lines before and after a body.
    fn scope(&self) -> (Vec<String>, Vec<String>) {
        if self.own.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let mut begin = vec!["{".to_owned()];
        for (class, kind) in CLASSES {
            if let Some(count) = self.own.get(class) {
                begin.push(format!(".reg .{kind} %b{class}<{count}>;"));
            }
        }
        (begin, vec!["}".to_owned()])
    }
}
