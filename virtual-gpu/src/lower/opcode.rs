//! An opcode, split at its dots. Each instruction takes the modifiers that it knows. Modifiers that
//! are left at the end are not supported.

use super::types::Type;
use crate::float::{Mode, Rounding};
use crate::program::{Scope, Strength};

pub(super) struct Opcode<'a> {
    pub name: &'a str,
    rest: Vec<&'a str>,
}

impl<'a> Opcode<'a> {
    pub(super) fn new(pieces: &[&'a str]) -> Self {
        let (name, rest) = pieces.split_first().map_or(("", &[][..]), |(n, r)| (*n, r));
        Self {
            name,
            rest: rest.to_vec(),
        }
    }

    /// Takes a modifier. Returns whether it was there.
    pub(super) fn takes(&mut self, modifier: &str) -> bool {
        let before = self.rest.len();
        self.rest.retain(|piece| *piece != modifier);
        self.rest.len() < before
    }

    /// Whether a modifier is there. It is not taken.
    pub(super) fn has(&self, modifier: &str) -> bool {
        self.rest.contains(&modifier)
    }

    /// Takes the first modifier that is in the list, and returns its meaning.
    pub(super) fn choice<T: Copy>(&mut self, choices: &[(&str, T)]) -> Option<T> {
        let meaning = |piece: &str| choices.iter().find(|c| c.0 == piece).map(|c| c.1);
        let index = self
            .rest
            .iter()
            .position(|piece| meaning(piece).is_some())?;
        meaning(self.rest.remove(index))
    }

    /// Takes the first modifier that is a type.
    pub(super) fn ty(&mut self) -> Result<Type, String> {
        let index = self
            .rest
            .iter()
            .position(|piece| Type::parse(piece).is_some());
        let piece = index.map(|index| self.rest.remove(index));
        match piece.and_then(Type::parse) {
            Some(ty) => Ok(ty),
            None => Err(format!("`{}` without a type that is supported", self.name)),
        }
    }

    /// Takes the rounding direction of arithmetic.
    pub(super) fn rounding(&mut self) -> Option<Rounding> {
        self.choice(&[
            ("rn", Rounding::Nearest),
            ("rz", Rounding::Zero),
            ("rm", Rounding::Down),
            ("rp", Rounding::Up),
        ])
    }

    /// Takes flushing, saturation and the rounding direction of arithmetic.
    pub(super) fn mode(&mut self) -> Mode {
        let rounding = self.rounding();
        self.mode_with(rounding.unwrap_or_default())
    }

    /// Takes only flushing, for instructions that have no modifiers for rounding and saturation.
    pub(super) fn flush(&mut self) -> Mode {
        Mode(if self.takes("ftz") { Mode::FLUSH } else { 0 })
    }

    /// Takes flushing and saturation, and combines them with a given rounding direction.
    pub(super) fn mode_with(&mut self, rounding: Rounding) -> Mode {
        let flush = if self.takes("ftz") { Mode::FLUSH } else { 0 };
        let saturate = if self.takes("sat") { Mode::SATURATE } else { 0 };
        Mode(rounding as u8 | flush | saturate)
    }

    pub(super) fn scope(&mut self) -> Option<Scope> {
        self.choice(&[
            ("cta", Scope::Block),
            // Every block is a cluster of its own.
            ("cluster", Scope::Block),
            ("gpu", Scope::Device),
            ("sys", Scope::System),
        ])
    }

    pub(super) fn strength(&mut self) -> Option<Strength> {
        self.choice(&[
            ("weak", Strength::Weak),
            ("volatile", Strength::Volatile),
            ("relaxed", Strength::Relaxed),
            ("acquire", Strength::Acquire),
            ("release", Strength::Release),
            ("acq_rel", Strength::AcquireRelease),
        ])
    }

    /// Fails if a modifier is left.
    pub(super) fn finish(&self) -> Result<(), String> {
        match self.rest.first() {
            None => Ok(()),
            Some(piece) => Err(format!("`{}` with `.{piece}` is not supported", self.name)),
        }
    }
}
