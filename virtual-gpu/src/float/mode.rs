//! How an instruction rounds, flushes and saturates, packed so that it can be a const parameter.

/// A rounding direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub(crate) enum Rounding {
    /// To nearest, ties to even.
    #[default]
    Nearest,
    /// Towards zero.
    Zero,
    /// Towards negative infinity.
    Down,
    /// Towards positive infinity.
    Up,
}

/// The low two bits are the rounding direction, the next bit flushing, and the next saturation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mode(pub(crate) u8);

impl Mode {
    pub(crate) const FLUSH: u8 = 4;
    pub(crate) const SATURATE: u8 = 8;

    pub(crate) const fn rounding(self) -> Rounding {
        match self.0 & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Zero,
            2 => Rounding::Down,
            _ => Rounding::Up,
        }
    }

    pub(crate) const fn flushes(self) -> bool {
        self.0 & Self::FLUSH != 0
    }

    pub(crate) const fn saturates(self) -> bool {
        self.0 & Self::SATURATE != 0
    }
}
