//! A parsed text: its functions and its arrays of bytes.

use crate::error::Malformed;
use crate::statement::{Statement, parse, split_list};

/// A text.
#[derive(Debug)]
pub struct Text<'a> {
    /// The functions with a body, in the text's order.
    pub functions: Vec<Function<'a>>,
    /// The names and the initial values of arrays of bytes in global memory.
    pub arrays: Vec<(&'a str, Vec<u8>)>,
}

/// A function with a body.
#[derive(Debug, Clone)]
pub struct Function<'a> {
    /// The function's symbol.
    pub name: &'a str,
    /// The declarations of the function's parameters.
    pub parameters: Vec<String>,
    /// The body, without the braces around it.
    pub body: Vec<Statement>,
}

impl<'a> Text<'a> {
    /// Parses a text.
    pub fn parse(text: &'a str) -> Result<Self, Malformed> {
        let mut read = Text {
            functions: Vec::new(),
            arrays: Vec::new(),
        };
        let lines: Vec<&str> = text.lines().collect();
        let mut at = 0;
        while at < lines.len() {
            let line = code(lines[at]);
            if line.contains(".global ") {
                read.arrays.extend(array(line));
            } else if is_definition(&lines[at..]) {
                let length = lines[at..].iter().position(|line| *line == "}");
                let length = length.ok_or(Malformed::BreaksOff)? + 1;
                let function = Function::parse(&lines[at..at + length]);
                read.functions.push(function.ok_or(Malformed::BreaksOff)?);
                at += length;
                continue;
            }
            at += 1;
        }
        Ok(read)
    }
}

/// Whether the first line begins a function with a body. A function with a body has an opening brace before its first semicolon; a mere
/// declaration ends with a semicolon before any brace.
fn is_definition(lines: &[&str]) -> bool {
    let beginnings = [".visible .func", ".func", ".visible .entry"];
    let begins = beginnings.iter().any(|start| lines[0].starts_with(start));
    begins
        && lines
            .iter()
            .map(|line| code(line))
            .find(|line| *line == "{" || line.ends_with(';'))
            .is_some_and(|line| line == "{")
}

impl<'a> Function<'a> {
    fn parse(lines: &[&'a str]) -> Option<Self> {
        let open = lines.iter().position(|line| code(line) == "{")?;
        let head: String = lines[..open].iter().map(|line| code(line)).collect();
        let (before, list) = head.rsplit_once('(')?;
        let name = before.trim_end();
        let name = name.rsplit([' ', '\t', ')']).next()?;
        // `head` is a copy, but the returned name must borrow from `lines`, so it is looked up there again.
        let line = lines[..open].iter().find(|line| line.contains(name))?;
        let start = line.find(name)?;
        let list = list.split_once(')')?.0;
        let body: Vec<&str> = lines[open + 1..lines.len() - 1]
            .iter()
            .map(|line| code(line))
            .collect();
        Some(Self {
            name: &line[start..start + name.len()],
            parameters: split_list(list),
            body: parse(&body.join("\n"))?,
        })
    }
}

/// A line without its comment, trimmed.
fn code(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code).trim()
}

/// The name and the bytes of `… .b8 NAME[…] = {…};`.
fn array(line: &str) -> Option<(&str, Vec<u8>)> {
    let (declaration, values) = line.split_once(" = {")?;
    let (name, _) = declaration.split_once(".b8 ")?.1.split_once('[')?;
    let values = values.strip_suffix("};")?.split(',');
    let bytes: Result<Vec<u8>, _> = values.map(|value| value.trim().parse()).collect();
    Some((name, bytes.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
.version 7.8
.extern .func hook
()
;
.func never
()
.noreturn;
.global .align 1 .b8 bytes[3] = {97, 98, 99};

.visible .func twice(
\t.param .b32 twice_param_0,
\t.param .b64 twice_param_1
)
{
\t.reg .b32 \t%r<3>; // registers
\tret;
}
.func  (.param .b32 func_retval0) once()
{
\tret;
}
";

    #[test]
    fn functions_and_byte_arrays_are_found() {
        let text = Text::parse(TEXT).unwrap();
        let names: Vec<&str> = text.functions.iter().map(|f| f.name).collect();
        assert_eq!(names, ["twice", "once"]);
        assert_eq!(text.functions[0].parameters.len(), 2);
        assert_eq!(text.functions[0].body.len(), 2);
        assert_eq!(text.arrays, [("bytes", b"abc".to_vec())]);
    }

    #[test]
    fn a_truncated_text_is_an_error() {
        assert!(Text::parse(TEXT.trim_end().trim_end_matches('}')).is_err());
    }
}
