//! `printf` of kernels, and the message of a failed assertion.
//!
//! The supported conversions are `d i u x X o c s p f F e E g G %`, with flags, width, precision and length. A `*` in place of a width or a
//! precision is not supported. The space flag and the length `h` have no effect. `%g` and `%G` ignore the precision: they print the fewest
//! significant digits that identify the value, without an exponent. Text is printed at once, not when the host synchronises.

use std::io::Write;

use super::block::Shared;
use super::machine::{Finding, Machine};
use super::warp::Warp;
use crate::fault::FaultKind;
use crate::program::{Print, Reg, lanes};

/// At most this many bytes of a text are read. The same number limits the width and the precision.
const MAX_TEXT: usize = 1 << 12;

/// The values of a call: the address of the next value, the number of values read, and the function that reads a byte.
struct Values<F> {
    at: u64,
    count: u32,
    read: F,
}

impl<F: FnMut(u64) -> Result<u8, FaultKind>> Values<F> {
    /// Reads the next value, which has `bytes` bytes and is aligned to `bytes`.
    fn next(&mut self, bytes: u64) -> Result<u64, FaultKind> {
        let start = self.at.checked_next_multiple_of(bytes).unwrap_or(self.at);
        self.count += 1;
        let mut value = 0;
        for k in 0..bytes {
            value |= u64::from((self.read)(start.wrapping_add(k))?) << (8 * k);
        }
        self.at = start.wrapping_add(bytes);
        Ok(value)
    }
}

/// Reads a zero-terminated text.
fn read_text(
    address: u64,
    mut read: impl FnMut(u64) -> Result<u8, FaultKind>,
) -> Result<String, FaultKind> {
    let mut text = Vec::new();
    while text.len() < MAX_TEXT {
        match read(address.wrapping_add(text.len() as u64))? {
            0 => break,
            byte => text.push(byte),
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// One conversion, as written in the format.
#[derive(Debug, Default)]
struct Conversion {
    left: bool,
    zeros: bool,
    plus: bool,
    other_form: bool,
    width: usize,
    precision: Option<usize>,
    is_long: bool,
}

impl Conversion {
    /// Parses the part between `%` and the conversion letter, and returns the letter.
    fn parse(&mut self, rest: &mut std::str::Chars<'_>) -> Option<char> {
        loop {
            let letter = rest.next()?;
            match letter {
                '-' => self.left = true,
                '+' => self.plus = true,
                '#' => self.other_form = true,
                '0' if self.width == 0 && self.precision.is_none() => self.zeros = true,
                '.' => self.precision = Some(0),
                'l' | 'z' | 'j' | 't' => self.is_long = true,
                'h' | ' ' => {}
                _ => match (letter.to_digit(10), &mut self.precision) {
                    (Some(digit), Some(precision)) => *precision = append(*precision, digit),
                    (Some(digit), None) => self.width = append(self.width, digit),
                    (None, _) => return Some(letter),
                },
            }
        }
    }

    fn pad(&self, body: String, sign: &str) -> String {
        let missing = self.width.saturating_sub(body.len() + sign.len());
        match (self.left, self.zeros) {
            (true, _) => format!("{sign}{body}{}", " ".repeat(missing)),
            (false, true) => format!("{sign}{}{body}", "0".repeat(missing)),
            (false, false) => format!("{}{sign}{body}", " ".repeat(missing)),
        }
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        }
    }

    fn whole(&self, digits: String, sign: &str) -> String {
        let missing = self.precision.unwrap_or(1).saturating_sub(digits.len());
        self.pad("0".repeat(missing) + &digits, sign)
    }

    fn float(&self, letter: char, value: f64) -> String {
        let (sign, x) = (self.sign(value.is_sign_negative()), value.abs());
        let precision = self.precision.unwrap_or(6);
        let body = match letter {
            _ if !x.is_finite() => x.to_string().to_lowercase(),
            'f' | 'F' => format!("{x:.precision$}"),
            'e' | 'E' => {
                let text = format!("{x:.precision$e}");
                let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let power = exponent.parse::<i32>().unwrap_or(0);
                let sign = if power < 0 { '-' } else { '+' };
                format!("{digits}e{sign}{:02}", power.abs())
            }
            _ => x.to_string(),
        };
        let body = match letter.is_ascii_uppercase() {
            true => body.to_uppercase(),
            false => body,
        };
        self.pad(body, sign)
    }
}

/// Appends a digit to a width or a precision. The number is limited, so that the text stays short.
fn append(number: usize, digit: u32) -> usize {
    (number * 10 + digit as usize).min(MAX_TEXT)
}

/// The text that a call prints.
fn format<F>(format: &str, values: &mut Values<F>) -> Result<String, FaultKind>
where
    F: FnMut(u64) -> Result<u8, FaultKind>,
{
    let mut text = String::new();
    let mut rest = format.chars();
    while let Some(letter) = rest.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        let mut form = Conversion::default();
        let Some(letter) = form.parse(&mut rest) else {
            break;
        };
        let bytes = if form.is_long { 8 } else { 4 };
        let unused = 64 - 8 * bytes as u32;
        let prefix = |text: &'static str| if form.other_form { text } else { "" };
        let piece = match letter {
            'd' | 'i' => {
                let value = (values.next(bytes)? << unused) as i64 >> unused;
                form.whole(value.unsigned_abs().to_string(), form.sign(value < 0))
            }
            'u' => form.whole(values.next(bytes)?.to_string(), ""),
            'x' => form.whole(format!("{:x}", values.next(bytes)?), prefix("0x")),
            'X' => form.whole(format!("{:X}", values.next(bytes)?), prefix("0X")),
            'o' => form.whole(format!("{:o}", values.next(bytes)?), prefix("0")),
            'c' => form.pad(char::from(values.next(4)? as u8).to_string(), ""),
            'p' => form.pad(format!("{:#x}", values.next(8)?), ""),
            's' => {
                let whole = read_text(values.next(8)?, &mut values.read)?;
                let kept = whole.chars().take(form.precision.unwrap_or(MAX_TEXT));
                form.pad(kept.collect(), "")
            }
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' => {
                form.float(letter, f64::from_bits(values.next(8)?))
            }
            '%' => "%".to_owned(),
            other => format!("%{other}"),
        };
        text.push_str(&piece);
    }
    Ok(text)
}

impl Warp {
    /// Prints, lane after lane.
    pub(super) fn print<O>(
        &mut self,
        machine: &Machine<'_, O>,
        shared: &Shared,
        print: &Print,
        active: u32,
    ) -> Result<(), Finding> {
        let [formats, values] = [print.format, print.values].map(|reg| *self.registers.row(reg));
        let mut counts = [0; 32];
        for lane in lanes(active) {
            let found = |kind| Finding { kind, lane };
            let read = |address| self.byte(machine, shared, lane, address);
            let text = read_text(formats[lane], read).map_err(found)?;
            let mut values = Values {
                at: values[lane],
                count: 0,
                read,
            };
            let line = format(&text, &mut values).map_err(found)?;
            counts[lane] = values.count.into();
            // A closed standard output is not an error of the kernel.
            let _ = std::io::stdout().write_all(line.as_bytes());
        }
        self.registers.keep(print.d, &counts, active);
        Ok(())
    }

    /// The fault of a failed assertion.
    pub(super) fn assertion<O>(
        &self,
        machine: &Machine<'_, O>,
        shared: &Shared,
        [message, file, line, function]: [Reg; 4],
        active: u32,
    ) -> Finding {
        let lane = active.trailing_zeros() as usize & 31;
        let value = |reg: Reg| self.registers.row(reg)[lane];
        let text = |reg: Reg| {
            let text = read_text(value(reg), |at| self.byte(machine, shared, lane, at));
            text.unwrap_or_else(|_| "?".into())
        };
        let (what, function, file) = (text(message), text(function), text(file));
        let line = value(line) as u32;
        Finding {
            kind: FaultKind::Assertion {
                what: format!("`{what}` in `{function}` at {file}:{line}"),
            },
            lane,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(text: &str, bytes: &[u8]) -> String {
        let mut values = Values {
            at: 0,
            count: 0,
            read: |address: u64| Ok(bytes.get(address as usize).copied().unwrap_or(0)),
        };
        format(text, &mut values).unwrap_or_default()
    }

    #[test]
    fn whole_numbers() {
        let bytes = (-5_i32).to_le_bytes();
        assert_eq!(print("<%d>", &bytes), "<-5>");
        assert_eq!(print("<%5d|", &bytes), "<   -5|");
        assert_eq!(print("<%-5d|", &bytes), "<-5   |");
        assert_eq!(print("<%05i|", &bytes), "<-0005|");
        assert_eq!(print("%u %%", &bytes), "4294967291 %");
        assert_eq!(print("%#x", &bytes), "0xfffffffb");
        assert_eq!(print("%+.3d", &7_u32.to_le_bytes()), "+007");
        let mut two = [0; 16];
        (two[0], two[8]) = (b'a', 9);
        assert_eq!(print("%c%lld", &two), "a9");
        assert_eq!(print("%llX", &u64::MAX.to_le_bytes()), "FFFFFFFFFFFFFFFF");
    }

    #[test]
    fn floats_and_texts() {
        let bytes = 1234.5_f64.to_le_bytes();
        assert_eq!(print("%.1E", &bytes), "1.2E+03");
        assert_eq!(print("%F", &f64::INFINITY.to_le_bytes()), "INF");
        assert_eq!(print("%f", &bytes), "1234.500000");
        assert_eq!(print("%.1e", &bytes), "1.2e+03");
        assert_eq!(print("%9.2f|", &bytes), "  1234.50|");
        assert_eq!(print("%g", &bytes), "1234.5");
        let mut text = 8_u64.to_le_bytes().to_vec();
        text.extend_from_slice(b"warp\0");
        assert_eq!(print("[%6s]", &text), "[  warp]");
        assert_eq!(print("[%.2s]", &text), "[wa]");
    }

    #[test]
    fn truncated_formats() {
        assert_eq!(print("a%", &[]), "a");
        assert_eq!(print("%y %5", &[]), "%y ");
    }
}
