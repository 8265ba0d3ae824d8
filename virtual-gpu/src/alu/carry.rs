//! Chains of instructions that add or subtract numbers wider than a register.
//!
//! The condition code is 1 after an addition that carries, and after a subtraction that borrows.

use super::Integer;

/// `a + b + carry`, and the carry out. `T` is unsigned.
pub(crate) fn add_with_carry<T: Integer>(a: T, b: T, carry: T) -> (T, T) {
    let sum = a.widen() + b.widen() + carry.widen();
    (T::from_wide(sum), T::from_wide(sum >> T::BITS))
}

/// `a − b − borrow`, and the borrow out. `T` is unsigned.
pub(crate) fn sub_with_borrow<T: Integer>(a: T, b: T, borrow: T) -> (T, T) {
    let difference = a.widen() - b.widen() - borrow.widen();
    let borrows = i128::from(difference < 0);
    (T::from_wide(difference), T::from_wide(borrows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_exhaustively() {
        for a in 0..=u8::MAX {
            for b in 0..=u8::MAX {
                for carry in [0, 1] {
                    let (sum, out) = add_with_carry(a, b, carry);
                    let wide = u16::from(a) + u16::from(b) + u16::from(carry);
                    assert_eq!(u16::from(sum) + 256 * u16::from(out), wide);
                    let (difference, borrow) = sub_with_borrow(a, b, carry);
                    let wide = i16::from(a) - i16::from(b) - i16::from(carry);
                    assert_eq!(i16::from(difference) - 256 * i16::from(borrow), wide);
                }
            }
        }
    }

    #[test]
    fn the_widest_values() {
        let top = u64::MAX;
        assert_eq!(add_with_carry(top, top, 1), (top, 1));
        assert_eq!(sub_with_borrow(0, top, 1), (0, 1));
    }
}
