//! The direction of a scan. It is a number in the kernel's text, and so a constant for the driver's compiler.
//!
//! The kernel's source sets a register called `%direction` to 0, and computes addresses from it. In the text for scans that go backward,
//! all bits of the register are set. Before a driver gets a text, the register's value is folded into the instructions that use it.

use std::collections::HashSet;

use crate::constants::{fold, followers_of};

/// The register that holds the direction.
pub const REGISTER: &str = "%direction";

/// The statement that sets the register.
const SET: &str = "mov.b64 %direction, 0;";

/// The text of the kernel that goes forward.
pub fn forward(text: String) -> String {
    if text.contains(SET) {
        settled(&text, 0)
    } else {
        text
    }
}

/// The text of the kernel that goes backward; `None` if the text has no direction.
pub fn backward(text: &str) -> Option<String> {
    text.contains(SET).then(|| settled(text, u64::MAX))
}

/// The registers that may turn out to be constants once the direction is a constant.
pub(crate) fn followers(text: &str) -> HashSet<&str> {
    match text.contains(SET) {
        true => followers_of(text, text.lines().filter_map(reader).chain([REGISTER])),
        false => HashSet::new(),
    }
}

/// The text with this value of the register.
fn settled(text: &str, value: u64) -> String {
    let lines = text.lines().map(|line| match reader(line) {
        Some(register) => format!("\tmov.b64 \t{register}, {};\n", value as i64),
        None => format!("{line}\n"),
    });
    let text: String = lines.collect();
    let set = SET.replace('0', &(value as i64).to_string());
    fold(&text.replace(SET, &set), REGISTER, value)
}

/// The register that a line sets, if the line is a scope that reads the direction.
fn reader(line: &str) -> Option<&str> {
    let scope = line.trim().strip_prefix('{')?;
    let (_, read) = scope.split_once(SET)?;
    let (register, rest) = read.trim().strip_prefix("mov.b64 ")?.split_once(',')?;
    let is_all = rest.trim().strip_prefix(REGISTER)?.trim() == "; }";
    is_all.then_some(register.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
\t{ .reg .b64 %direction; mov.b64 %direction, 0; mov.b64 %rd1, %direction; }
\txor.b64 \t%rd2, %rd1, 512;
\tsub.s64 \t%rd3, %rd2, %rd1;
\tadd.s64 \t%rd4, %rd9, %rd3;
{
\t.reg .b64 %direction;
\tmov.b64 %direction, 0;
\tmov.b64 %rd5, %direction;
}
\tand.b64 \t%rd6, %rd8, %rd5;
";

    #[test]
    fn every_read_of_the_direction_becomes_its_value() {
        let text = forward(TEXT.to_owned());
        assert!(text.contains("add.s64 \t%rd4, %rd9, 512;"), "{text}");
        assert!(text.contains("mov.b64 \t%rd6, 0;"), "{text}");
        let text = backward(TEXT).unwrap();
        assert!(text.contains("add.s64 \t%rd4, %rd9, -512;"), "{text}");
        assert!(text.contains("mov.b64 \t%rd6, %rd8;"), "{text}");
        assert!(!text.contains("%direction, 0;"), "{text}");
    }

    #[test]
    fn a_text_without_a_direction_has_no_backward_form() {
        let text = "\tmov.b64 \t%rd1, 0;\n";
        assert_eq!(forward(text.to_owned()), text);
        assert_eq!(backward(text), None);
    }
}
