//! Bit fields, permutations and funnel shifts.

use super::Integer;

/// `bfe`: `length` bits from `position` on. A signed type extends with the field's highest bit
/// that lies inside the value.
pub(crate) fn bit_field_extract<T: Integer>(a: T, position: u32, length: u32) -> T {
    let (position, length) = (position & 0xff, length & 0xff);
    if length == 0 {
        return T::from_wide(0);
    }
    let is_signed = T::LEAST.widen() < 0;
    let value = a.widen() & bits_below(T::BITS);
    let field = if position >= T::BITS {
        0
    } else {
        value >> position & bits_below(length)
    };
    let sign_bit = (position + length - 1).min(T::BITS - 1);
    let negative = is_signed && value >> sign_bit & 1 == 1;
    let filled = match negative {
        true if position >= T::BITS => -1,
        true => field | !bits_below(length.min(T::BITS - position)),
        false => field,
    };
    T::from_wide(filled)
}

/// `bfi`: `b` with `length` bits from `position` on replaced by the low bits of `a`.
pub(crate) fn bit_field_insert<T: Integer>(a: T, b: T, position: u32, length: u32) -> T {
    let (position, length) = (position & 0xff, length & 0xff);
    if position >= T::BITS {
        return b;
    }
    let field = bits_below(length) << position;
    T::from_wide(b.widen() & !field | a.widen() << position & field)
}

/// `bmsk`: `length` ones from `position` on; both are held at 32.
pub(crate) fn bit_mask(position: u32, length: u32) -> u32 {
    let (position, length) = (position.min(32), length.min(32));
    ((bits_below(length) << position) as u64) as u32
}

/// `bfind`: the position of the highest bit that differs from the sign; all ones if there is none.
pub(crate) fn find_leading<T: Integer>(a: T) -> u32 {
    let wide = if a.widen() < 0 { !a.widen() } else { a.widen() };
    127_u32.wrapping_sub(wide.leading_zeros())
}

/// `prmt` without a mode: each result byte is chosen by four bits of the selector, of which the
/// highest asks for the byte's sign eight times instead.
pub(crate) fn permute(a: u32, b: u32, selector: u32) -> u32 {
    let source = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |result, i| {
        let choice = selector >> (4 * i) & 0xf;
        let byte = (source >> (8 * (choice & 7))) as u8;
        let byte = match choice & 8 {
            0 => byte,
            _ if byte & 0x80 != 0 => 0xff,
            _ => 0,
        };
        result | u32::from(byte) << (8 * i)
    })
}

/// The 64-bit value `high:low`, shifted left; its upper half.
pub(crate) fn shift_funnel(low: u32, high: u32, left: u32) -> u32 {
    let both = u64::from(high) << 32 | u64::from(low);
    ((both << left.min(32)) >> 32) as u32
}

fn bits_below(count: u32) -> i128 {
    if count >= 127 {
        i128::MAX
    } else {
        (1 << count) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Straight from the words of the PTX ISA, bit by bit.
    fn extract_by_bits(a: u64, bits: u32, signed: bool, position: u32, length: u32) -> u64 {
        let msb = bits - 1;
        let bit = |i: u32| a >> i & 1;
        let sign = if !signed || length == 0 {
            0
        } else {
            bit((position + length - 1).min(msb))
        };
        (0..bits).fold(0, |d, i| {
            let inside = i < length && position + i <= msb;
            d | (if inside { bit(position + i) } else { sign }) << i
        })
    }

    #[test]
    fn extract_follows_the_isa() {
        for value in [0, 1, 0x8000_0000_u32, 0xdead_beef, u32::MAX] {
            for position in (0..40).chain([254, 255]) {
                for length in (0..40).chain([254, 255]) {
                    let wide = value.into();
                    assert_eq!(
                        u64::from(bit_field_extract(value, position, length)),
                        extract_by_bits(wide, 32, false, position, length)
                    );
                    assert_eq!(
                        u64::from(bit_field_extract(value as i32, position, length) as u32),
                        extract_by_bits(wide, 32, true, position, length),
                        "{value:#x} {position} {length}"
                    );
                    let long = u64::from(value) << 32 | 0x1234_5678;
                    assert_eq!(
                        bit_field_extract(long as i64, position, length) as u64,
                        extract_by_bits(long, 64, true, position, length)
                    );
                }
            }
        }
    }

    #[test]
    fn insert_follows_the_isa() {
        for position in (0..40).chain([255]) {
            for length in (0..40).chain([255]) {
                let (a, b) = (0xa5a5_5a5a_u32, 0x0ff0_1234_u32);
                let expected = (0..32).fold(0, |d, i| {
                    let inside = i >= position && i - position < length;
                    d | (if inside {
                        a >> (i - position) & 1
                    } else {
                        b >> i & 1
                    }) << i
                });
                assert_eq!(bit_field_insert(a, b, position, length), expected);
            }
        }
    }

    #[test]
    fn permutations_masks_and_shifts() {
        assert_eq!(permute(0x3322_1100, 0x7766_5544, 0x7250), 0x7722_5500);
        assert_eq!(permute(0x0000_0080, 0, 0x8888), 0xffff_ffff);
        assert_eq!(bit_mask(4, 8), 0xff0);
        assert_eq!(bit_mask(0, 32), u32::MAX);
        assert_eq!(bit_mask(32, 32), 0);
        assert_eq!(shift_funnel(0x8000_0000, 1, 1), 3);
        assert_eq!(shift_funnel(7, 9, 32), 7);
        assert_eq!([find_leading(0_u32), find_leading(0x80_u32)], [u32::MAX, 7]);
        assert_eq!(
            [find_leading(-1_i32), find_leading(-129_i64)],
            [u32::MAX, 7]
        );
    }
}
