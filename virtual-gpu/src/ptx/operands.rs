//! Parses the operands of instructions.

use super::ast::{Number, Operand};
use super::lex::Kind;
use super::parse::{Parsed, Parser};

impl<'a> Parser<'a, '_> {
    pub(super) fn operand(&mut self) -> Parsed<Operand<'a>> {
        let first = self.simple_operand()?;
        if self.accept(b'|') {
            let second = self.simple_operand()?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    fn simple_operand(&mut self) -> Parsed<Operand<'a>> {
        match self.token().kind {
            Kind::Punct(b'[') => {
                self.at += 1;
                let address = match self.token().kind {
                    Kind::Word => {
                        let base = self.qualified_name()?;
                        Operand::Address(Some(base), self.offset()?)
                    }
                    _ => Operand::Address(None, self.signed()?),
                };
                self.expect(b']')?;
                Ok(address)
            }
            Kind::Punct(b'{') => {
                self.at += 1;
                Ok(Operand::Vector(self.plain_operands(b'}')?))
            }
            Kind::Punct(b'(') => {
                self.at += 1;
                Ok(Operand::List(self.plain_operands(b')')?))
            }
            Kind::Punct(b'!') => {
                self.at += 1;
                Ok(Operand::Not(self.word()?))
            }
            Kind::Word => self.plain_operand(),
            _ => Ok(Operand::Number(self.number()?)),
        }
    }

    /// Parses operands up to and including the closing character. Each operand is a number, or a name with or without an offset.
    fn plain_operands(&mut self, close: u8) -> Parsed<Vec<Operand<'a>>> {
        let mut operands = Vec::new();
        while !self.is(close) {
            operands.push(self.plain_operand()?);
            if !self.accept(b',') {
                break;
            }
        }
        self.expect(close)?;
        Ok(operands)
    }

    fn plain_operand(&mut self) -> Parsed<Operand<'a>> {
        if self.token().kind != Kind::Word {
            return Ok(Operand::Number(self.number()?));
        }
        let name = self.qualified_name()?;
        Ok(match self.offset()? {
            0 => Operand::Name(name),
            offset => Operand::Offset(name, offset),
        })
    }

    /// A name, and its component if there is one: `%tid.x`.
    fn qualified_name(&mut self) -> Parsed<&'a str> {
        let start = self.token();
        self.word()?;
        let mut end = start.at + start.text.len();
        if self.is(b'.') && self.peek(1).kind == Kind::Word {
            self.at += 1;
            end = self.token().at + self.token().text.len();
            self.at += 1;
        }
        Ok(&self.text[start.at..end])
    }

    /// `+4`, `-4`, `+-4` or nothing.
    fn offset(&mut self) -> Parsed<i64> {
        if self.accept(b'+') || self.is(b'-') {
            return self.signed();
        }
        Ok(0)
    }

    pub(super) fn signed(&mut self) -> Parsed<i64> {
        let negative = self.accept(b'-');
        let value = self.integer()? as i64;
        Ok(if negative {
            value.wrapping_neg()
        } else {
            value
        })
    }

    /// A literal, which `-` or `~` may precede.
    pub(super) fn number(&mut self) -> Parsed<Number> {
        let negative = self.accept(b'-');
        let inverted = !negative && self.accept(b'~');
        let Kind::Number(number) = self.token().kind else {
            return self.wrong("an operand");
        };
        self.at += 1;
        Ok(match number {
            Number::Integer(value) if negative => Number::Integer(value.wrapping_neg()),
            Number::Integer(value) if inverted => Number::Integer(!value),
            Number::Single(bits) if negative => Number::Single(bits ^ 1 << 31),
            Number::Double(bits) if negative => Number::Double(bits ^ 1 << 63),
            plain => plain,
        })
    }
}
