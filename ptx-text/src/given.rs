//! Numbers that the host gives to a kernel in its text: the number of a block's threads, and arguments. They are constants for the driver's
//! compiler, which leaves out the code that they rule out.
//!
//! A launch of such a text has as many threads in a block, and passes the same arguments. So a number that is not found in the text does no
//! harm: the kernel reads it as usual.

/// The special register with the number of a block's threads.
const THREADS: &str = "%ntid.x";

/// The text for launches whose blocks have this many threads.
pub fn with_threads(text: &str, threads: u32) -> String {
    text.replace(THREADS, &threads.to_string())
}

/// The text of the kernel `symbol` for launches with these arguments. An argument's number in the kernel's list comes before its value.
pub fn with_arguments(text: &str, symbol: &str, arguments: &[(usize, u64)]) -> String {
    let prefix = format!("{symbol}_param_");
    let line = |line: &str| {
        let given = loaded(line, &prefix).and_then(|(width, register, number)| {
            let argument = arguments.iter().find(|(own, _)| *own == number);
            let value = argument?.1 & width.mask();
            Some(format!("\tmov.{} \t{register}, {value};\n", width.name()))
        });
        given.unwrap_or_else(|| line.to_owned())
    };
    text.split_inclusive('\n').map(line).collect()
}

/// The width of a loaded argument: all of its 64 bits, or the low 32 bits.
#[derive(Clone, Copy)]
enum Width {
    Whole,
    Low,
}

impl Width {
    fn name(self) -> &'static str {
        match self {
            Self::Whole => "b64",
            Self::Low => "b32",
        }
    }

    fn mask(self) -> u64 {
        match self {
            Self::Whole => u64::MAX,
            Self::Low => u32::MAX.into(),
        }
    }
}

/// If a line loads an argument: the width, the register, and the argument's number. `prefix` comes before the number in an argument's name.
fn loaded<'a>(line: &'a str, prefix: &str) -> Option<(Width, &'a str, usize)> {
    let load = line.trim().strip_prefix("ld.param.")?.strip_suffix("];")?;
    let (kind, operands) = load.split_once(char::is_whitespace)?;
    let width = match kind {
        "b64" | "u64" => Width::Whole,
        "b32" | "u32" => Width::Low,
        _ => return None,
    };
    let (register, from) = operands.split_once(',')?;
    let number = from.trim().strip_prefix('[')?.strip_prefix(prefix)?;
    Some((width, register.trim(), number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
\tld.param.b64 \t%rd1, [scan_param_1];
\tld.param.b64 \t%rd2, [scan_param_12];
\tld.param.u32 \t%r3, [scan_param_1];
\tld.param.b64 \t%rd4, [scan_other_param_1];
\tld.param.b64 \t%rd5, [scan_param_1+4];
\tmov.u32 \t%r6, %ntid.x;
";

    #[test]
    fn a_given_argument_is_a_constant() {
        let text = with_arguments(TEXT, "scan", &[(1, 5 << 32 | 7)]);
        let expected = "\
\tmov.b64 \t%rd1, 21474836487;
\tld.param.b64 \t%rd2, [scan_param_12];
\tmov.b32 \t%r3, 7;
\tld.param.b64 \t%rd4, [scan_other_param_1];
\tld.param.b64 \t%rd5, [scan_param_1+4];
\tmov.u32 \t%r6, %ntid.x;
";
        assert_eq!(text, expected);
        assert_eq!(with_arguments(TEXT, "scan", &[]), TEXT);
    }

    #[test]
    fn the_number_of_threads_is_a_constant() {
        let text = with_threads(TEXT, 128);
        assert!(text.ends_with("\tmov.u32 \t%r6, 128;\n"), "{text}");
    }
}
