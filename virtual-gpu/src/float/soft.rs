//! IEEE 754 arithmetic in integers, in each direction of [`Rounding`].
//!
//! An operation computes its exact result, or enough digits and a sticky bit, and [`Format::round`]
//! rounds it to a float. Operands are finite; callers handle NaN and infinity.

use super::mode::Rounding;

/// A binary format of at most 64 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    /// The number of significant bits, including the hidden bit.
    pub precision: u32,
    /// Exponent of the least normal number.
    pub least_exponent: i32,
}

pub(crate) const SINGLE: Format = Format {
    precision: 24,
    least_exponent: -126,
};
pub(crate) const DOUBLE: Format = Format {
    precision: 53,
    least_exponent: -1022,
};
pub(crate) const HALF: Format = Format {
    precision: 11,
    least_exponent: -14,
};
pub(crate) const BRAIN: Format = Format {
    precision: 8,
    least_exponent: -126,
};

/// `(-1)^negative × significand × 2^exponent`. If `inexact`, the true magnitude is slightly larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub negative: bool,
    pub significand: u128,
    pub exponent: i32,
    pub inexact: bool,
}

impl Format {
    fn exponent_bits(self) -> u32 {
        (2 - self.least_exponent).ilog2() + 1
    }

    pub(super) fn sign_shift(self) -> u32 {
        self.precision - 1 + self.exponent_bits()
    }

    /// The bits of infinity, without a sign.
    pub(super) fn infinity(self) -> u64 {
        ((1 << self.exponent_bits()) - 1) << (self.precision - 1)
    }

    /// Decodes a finite float.
    pub(crate) fn unpack(self, bits: u64) -> Number {
        let fraction = bits & ((1 << (self.precision - 1)) - 1);
        let biased = (bits & self.infinity()) >> (self.precision - 1);
        let hidden = u64::from(biased != 0) << (self.precision - 1);
        let steps = biased.saturating_sub(1) as i32;
        Number {
            negative: bits >> self.sign_shift() & 1 == 1,
            significand: u128::from(fraction | hidden),
            exponent: steps + self.least_exponent - (self.precision as i32 - 1),
            inexact: false,
        }
    }

    /// Whether the magnitude of a number is below the smallest normal number, after rounding as if exponents
    /// were unlimited.
    pub(crate) fn is_tiny(self, number: Number, rounding: Rounding) -> bool {
        const FURTHER: i32 = 2;
        let wider = Format {
            least_exponent: self.least_exponent - FURTHER,
            ..self
        };
        let magnitude = wider.round(number, rounding) & !(1 << wider.sign_shift());
        magnitude >> (self.precision - 1) <= FURTHER as u64
    }

    /// A number, rounded to a float in the given rounding direction.
    pub(crate) fn round(self, number: Number, rounding: Rounding) -> u64 {
        let sign = u64::from(number.negative) << self.sign_shift();
        let length = 128 - number.significand.leading_zeros() as i32;
        if length == 0 && !number.inexact {
            return sign;
        }
        let last_bit = self.least_exponent - (self.precision as i32 - 1);
        let unit = (number.exponent + length - self.precision as i32).max(last_bit);
        let dropped = unit - number.exponent;
        let (kept, half, rest) = match dropped {
            ..=0 => (number.significand << -dropped, false, number.inexact),
            1..=127 => {
                let half = 1 << (dropped - 1);
                let tail = number.significand & ((half << 1) - 1);
                let rest = tail & (half - 1) != 0 || number.inexact;
                (number.significand >> dropped, tail & half != 0, rest)
            }
            _ => {
                let half = dropped == 128 && number.significand >> 127 == 1;
                let rest = number.significand << 1 != 0 || number.inexact;
                (0, half, rest || !half)
            }
        };
        let away = match rounding {
            Rounding::Nearest => half && (rest || kept & 1 == 1),
            Rounding::Zero => false,
            Rounding::Down => number.negative && (half || rest),
            Rounding::Up => !number.negative && (half || rest),
        };
        let kept = kept as u64 + u64::from(away);
        let steps = (unit - last_bit) as u64;
        let overflow = steps >= (1 << self.exponent_bits());
        let magnitude = if overflow {
            u64::MAX
        } else {
            (steps << (self.precision - 1)) + kept
        };
        if magnitude < self.infinity() {
            return sign | magnitude;
        }
        let to_infinity = match rounding {
            Rounding::Nearest => true,
            Rounding::Zero => false,
            Rounding::Down => number.negative,
            Rounding::Up => !number.negative,
        };
        sign | (self.infinity() - u64::from(!to_infinity))
    }
}

/// The exact product.
pub(crate) fn multiply(a: Number, b: Number) -> Number {
    Number {
        negative: a.negative != b.negative,
        significand: a.significand * b.significand,
        exponent: a.exponent + b.exponent,
        inexact: false,
    }
}

/// The sum of two exact numbers, each with at most 106 significant bits.
pub(crate) fn add(a: Number, b: Number, rounding: Rounding) -> Number {
    if a.significand == 0 && b.significand == 0 {
        let negative = match a.negative == b.negative {
            true => a.negative,
            false => rounding == Rounding::Down,
        };
        return Number { negative, ..a };
    }
    if a.significand == 0 {
        return b;
    }
    if b.significand == 0 {
        return a;
    }
    let (a, b) = (to_left(a), to_left(b));
    let (large, small) = match (a.exponent, a.significand) >= (b.exponent, b.significand) {
        true => (a, b),
        false => (b, a),
    };
    let shift = (large.exponent - small.exponent) as u32;
    let (shifted, lost) = match shift {
        0..=127 => (
            small.significand >> shift,
            small.significand << (127 - shift) << 1 != 0,
        ),
        _ => (0, true),
    };
    let same_sign = large.negative == small.negative;
    let significand = match same_sign {
        true => large.significand + shifted,
        // If bits were lost, the subtrahend is larger than `shifted`. So the difference is rounded down.
        false => large.significand - shifted - u128::from(lost),
    };
    let negative = match significand == 0 && !lost {
        true => rounding == Rounding::Down,
        false => large.negative,
    };
    Number {
        negative,
        significand,
        exponent: large.exponent,
        inexact: lost,
    }
}

/// The quotient, with more significant bits than any format has. The divisor is not zero.
pub(crate) fn divide(a: Number, b: Number) -> Number {
    let negative = a.negative != b.negative;
    if a.significand == 0 || b.significand == 0 {
        return Number { negative, ..a };
    }
    let (a, b) = (to_left(a), to_left(b));
    // 126 bits divided by 62 bits give at least 64 bits, more than the precision of any format.
    let (divisor, divisor_exponent) = (b.significand >> 64, b.exponent + 64);
    Number {
        negative,
        significand: a.significand / divisor,
        exponent: a.exponent - divisor_exponent,
        inexact: !a.significand.is_multiple_of(divisor),
    }
}

/// The square root of a positive number.
pub(crate) fn square_root(a: Number) -> Number {
    let mut a = to_left(a);
    if a.exponent & 1 != 0 {
        a.significand <<= 1;
        a.exponent -= 1;
    }
    let root = a.significand.isqrt();
    Number {
        negative: false,
        significand: root,
        exponent: a.exponent / 2,
        inexact: root * root != a.significand,
    }
}

/// The same number with its highest bit at position 125. The two bits above leave room for a carry.
fn to_left(a: Number) -> Number {
    let shift = a.significand.leading_zeros().saturating_sub(2);
    Number {
        significand: a.significand << shift,
        exponent: a.exponent - shift as i32,
        ..a
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edge cases, then pseudo-random finite floats.
    fn doubles() -> impl Iterator<Item = f64> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let edges = [
            0.0,
            -0.0,
            1.0,
            f64::MIN_POSITIVE,
            f64::MAX,
            5e-324,
            -1.5,
            3.0,
        ];
        let random = std::iter::from_fn(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let close = state & 0x800f_ffff_ffff_ffff | (0x3fe + (state >> 52 & 3)) << 52;
            Some(f64::from_bits(if state & 1 == 0 { close } else { state }))
        });
        edges
            .into_iter()
            .chain(random.filter(|x| x.is_finite()).take(400))
    }

    fn soft2(f: impl Fn(Number, Number) -> Number, a: f64, b: f64, r: Rounding) -> f64 {
        let n = f(DOUBLE.unpack(a.to_bits()), DOUBLE.unpack(b.to_bits()));
        f64::from_bits(DOUBLE.round(n, r))
    }

    #[test]
    fn rounding_to_nearest_agrees_with_the_host() {
        let all: Vec<f64> = doubles().collect();
        let r = Rounding::Nearest;
        for &a in &all {
            for &b in &all {
                assert_eq!(
                    soft2(|x, y| add(x, y, r), a, b, r).to_bits(),
                    (a + b).to_bits()
                );
                assert_eq!(soft2(multiply, a, b, r).to_bits(), (a * b).to_bits());
                if b != 0.0 {
                    assert_eq!(
                        soft2(divide, a, b, r).to_bits(),
                        (a / b).to_bits(),
                        "{a} / {b}"
                    );
                }
                let (x, y) = (a as f32, b as f32);
                if x.is_finite() && y.is_finite() {
                    let (n, m) = (x.to_bits().into(), y.to_bits().into());
                    let product = multiply(SINGLE.unpack(n), SINGLE.unpack(m));
                    assert_eq!(SINGLE.round(product, r) as u32, (x * y).to_bits());
                }
            }
            if a > 0.0 {
                let root = square_root(DOUBLE.unpack(a.to_bits()));
                assert_eq!(DOUBLE.round(root, r), a.sqrt().to_bits());
            }
            let narrow = SINGLE.round(DOUBLE.unpack(a.to_bits()), r);
            assert_eq!(narrow as u32, (a as f32).to_bits());
        }
    }

    #[test]
    fn fused_multiply_add_agrees_with_the_host() {
        let all: Vec<f64> = doubles().step_by(7).collect();
        for &a in &all {
            for &b in &all {
                for &c in &all {
                    let product = multiply(DOUBLE.unpack(a.to_bits()), DOUBLE.unpack(b.to_bits()));
                    let sum = add(product, DOUBLE.unpack(c.to_bits()), Rounding::Nearest);
                    let expected = a.mul_add(b, c).to_bits();
                    assert_eq!(
                        DOUBLE.round(sum, Rounding::Nearest),
                        expected,
                        "{a} {b} {c}"
                    );
                }
            }
        }
    }

    #[test]
    fn directed_roundings_enclose_the_result() {
        let all: Vec<f64> = doubles().collect();
        for &a in &all {
            for &b in &all {
                let sum = |r| soft2(|x, y| add(x, y, r), a, b, r);
                let (down, up, zero) =
                    (sum(Rounding::Down), sum(Rounding::Up), sum(Rounding::Zero));
                let nearest = a + b;
                assert!(down <= nearest && nearest <= up);
                assert!(down == up || down.next_up() == up, "{a} + {b}: {down} {up}");
                assert_eq!(zero.abs(), down.abs().min(up.abs()));
                let error = (a - (nearest - b)) + (b - (nearest - (nearest - b)));
                if nearest.is_finite() && error.is_finite() && a.abs() < 1e300 && b.abs() < 1e300 {
                    assert_eq!(down == up, error == 0.0, "{a} + {b}");
                }
            }
        }
    }

    #[test]
    fn signs_of_zero_sums() {
        let zero = |negative| DOUBLE.unpack(u64::from(negative) << 63);
        for r in [
            Rounding::Nearest,
            Rounding::Zero,
            Rounding::Up,
            Rounding::Down,
        ] {
            assert!(!add(zero(false), zero(false), r).negative);
            assert!(add(zero(true), zero(true), r).negative);
            assert_eq!(
                add(zero(true), zero(false), r).negative,
                r == Rounding::Down
            );
            let one = DOUBLE.unpack(1.0_f64.to_bits());
            let minus = Number {
                negative: true,
                ..one
            };
            assert_eq!(add(one, minus, r).negative, r == Rounding::Down);
        }
    }
}
