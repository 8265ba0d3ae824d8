//! Splits a PTX text into tokens. Comments and white space are dropped. Every token has its line.

use super::Problem;
use super::ast::Number;

/// One token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    /// The token as written; for a string, the text between the quotes.
    pub text: &'a str,
    /// Byte offset of the token in the text.
    pub at: usize,
    pub line: u32,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// A name. A name after a dot may begin with digits (`.2d`) and contain `::`.
    Word,
    Number(Number),
    Text,
    /// An ASCII character that begins no name, number or string.
    Punct(u8),
    End,
}

/// Splits the text. Text that is no token is reported and skipped.
pub(super) fn lex<'a>(text: &'a str, problems: &mut Vec<Problem>) -> Vec<Token<'a>> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line: 1,
    };
    let mut tokens = Vec::new();
    loop {
        match lexer.next(tokens.last()) {
            Ok(token) => {
                tokens.push(token);
                if token.kind == Kind::End {
                    return tokens;
                }
            }
            Err(what) => problems.push(Problem {
                line: lexer.line,
                what,
            }),
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%')
}

fn continues_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

impl<'a> Lexer<'a> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_blanks(&mut self) -> Result<(), String> {
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (b'\n', _) => {
                    self.line += 1;
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r' | 0, _) => self.at += 1,
                (b'/', b'/') => {
                    while self.at < self.bytes.len() && self.peek(0) != b'\n' {
                        self.at += 1;
                    }
                }
                (b'/', b'*') => {
                    let rest = &self.bytes[self.at + 2..];
                    let Some(length) = rest.windows(2).position(|w| w == b"*/") else {
                        self.at = self.bytes.len();
                        return Err("a comment that does not end".into());
                    };
                    let lines = rest[..length].iter().filter(|&&b| b == b'\n').count();
                    self.line += lines as u32;
                    self.at += length + 4;
                }
                _ => break,
            }
        }
        Ok(())
    }

    fn next(&mut self, previous: Option<&Token<'a>>) -> Result<Token<'a>, String> {
        self.skip_blanks()?;
        let (start, line) = (self.at, self.line);
        let token = |kind, text| Token {
            kind,
            text,
            at: start,
            line,
        };
        if start >= self.bytes.len() {
            return Ok(token(Kind::End, ""));
        }
        let after_dot = previous.is_some_and(|p| p.kind == Kind::Punct(b'.') && p.at + 1 == start);
        let first = self.bytes[start];
        if starts_word(first) || after_dot && continues_word(first) {
            self.at += 1;
            while continues_word(self.peek(0)) {
                self.at += 1;
                if after_dot && self.peek(0) == b':' && self.peek(1) == b':' {
                    self.at += 2;
                }
            }
            return Ok(token(Kind::Word, &self.text[start..self.at]));
        }
        if first.is_ascii_digit() {
            return self
                .number()
                .map(|n| token(Kind::Number(n), &self.text[start..self.at]));
        }
        if first == b'"' {
            let rest = &self.bytes[start + 1..];
            let Some(length) = rest.iter().position(|&b| b == b'"' || b == b'\n') else {
                self.at = self.bytes.len();
                return Err("a string that does not end".into());
            };
            self.at += length + 1;
            if self.peek(0) == b'\n' {
                return Err("a string that does not end on its line".into());
            }
            self.at += 1;
            return Ok(token(Kind::Text, &self.text[start + 1..start + 1 + length]));
        }
        if !first.is_ascii() {
            self.at += 1;
            while !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
            return Err(format!("unexpected `{}`", &self.text[start..self.at]));
        }
        self.at += 1;
        Ok(token(Kind::Punct(first), &self.text[start..self.at]))
    }

    fn number(&mut self) -> Result<Number, String> {
        let start = self.at;
        let radix = match (self.peek(0), self.peek(1)) {
            (b'0', b'x' | b'X') => 16,
            (b'0', b'b' | b'B') => 2,
            (b'0', b'f' | b'F') => {
                return self.float_bits(8).map(|bits| Number::Single(bits as u32));
            }
            (b'0', b'd' | b'D') => return self.float_bits(16).map(Number::Double),
            (b'0', b'0'..=b'9') => 8,
            _ => 10,
        };
        if radix == 16 || radix == 2 {
            self.at += 2;
        }
        let digits = self.at;
        while self.peek(0).is_ascii_alphanumeric() {
            self.at += 1;
        }
        if radix >= 8 && radix != 16 && (self.peek(0) == b'.' || self.has_exponent(digits)) {
            return self.decimal(start);
        }
        let text = self.text[digits..self.at].trim_end_matches(['U', 'u']);
        u64::from_str_radix(text, radix)
            .map(Number::Integer)
            .map_err(|_| format!("`{}` is not a number", &self.text[start..self.at]))
    }

    fn has_exponent(&self, from: usize) -> bool {
        self.text[from..self.at].contains(['e', 'E'])
    }

    /// Reads the decimal float that begins at `start`.
    fn decimal(&mut self, start: usize) -> Result<Number, String> {
        self.at = start;
        while matches!(self.peek(0), b'0'..=b'9' | b'.' | b'e' | b'E')
            || matches!(self.peek(0), b'+' | b'-') && matches!(self.bytes[self.at - 1], b'e' | b'E')
        {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        text.parse::<f64>()
            .map(|value| Number::Double(value.to_bits()))
            .map_err(|_| format!("`{text}` is not a number"))
    }

    fn float_bits(&mut self, digits: usize) -> Result<u64, String> {
        let start = self.at;
        self.at += 2;
        while self.peek(0).is_ascii_alphanumeric() {
            self.at += 1;
        }
        let text = &self.text[start + 2..self.at];
        match u64::from_str_radix(text, 16) {
            Ok(bits) if text.len() == digits => Ok(bits),
            _ => Err(format!(
                "`{}` is not a float of {digits} hexadecimal digits",
                &self.text[start..self.at]
            )),
        }
    }
}
