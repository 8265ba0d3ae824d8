//! Bit fields, permutations, funnel shifts, and other operations on bits.

use super::Integer;

/// `bfe`: extracts `length` bits from `position` on. For a signed type, the field is extended with its highest bit, or with the value's
/// highest bit if the field ends beyond the value.
pub(crate) fn bit_field_extract<T: Integer>(a: T, position: u32, length: u32) -> T {
    let (position, length) = field_bounds::<T>(position, length);
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

/// `bfi`: replaces `length` bits of `b`, from `position` on, by the low bits of `a`.
pub(crate) fn bit_field_insert<T: Integer>(a: T, b: T, position: u32, length: u32) -> T {
    let (position, length) = field_bounds::<T>(position, length);
    if position >= T::BITS {
        return b;
    }
    let field = bits_below(length) << position;
    T::from_wide(b.widen() & !field | a.widen() << position & field)
}

/// The position and the length of a bit field, as the hardware reads them. For fields of 32-bit values it reads the low eight bits of both,
/// as in the PTX ISA. For fields of 64-bit values it reads all bits of both.
fn field_bounds<T: Integer>(position: u32, length: u32) -> (u32, u32) {
    match T::BITS {
        64 => (position.min(64), length.min(64)),
        _ => (position & 0xff, length & 0xff),
    }
}

/// `bmsk`: `length` ones from `position` on. A length or a position above 32 counts as 32.
pub(crate) fn bit_mask(position: u32, length: u32) -> u32 {
    let (position, length) = (position.min(32), length.min(32));
    ((bits_below(length) << position) as u64) as u32
}

/// `bfind`: the position of the highest set bit, or of the highest clear bit if `a` is negative; all ones if there is no such bit.
pub(crate) fn find_leading<T: Integer>(a: T) -> u32 {
    let wide = if a.widen() < 0 { !a.widen() } else { a.widen() };
    127_u32.wrapping_sub(wide.leading_zeros())
}

/// `prmt` without a mode: the selector has four bits for each result byte. The lower three choose one of the eight bytes of `a` and `b`. If
/// the fourth is set, all eight bits of the result byte are the sign bit of the chosen byte.
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

/// The modes of `prmt`. Each mode makes a selector from the low two bits of the third source operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permutation {
    ForwardExtract,
    BackwardExtract,
    ReplicateByte,
    ClampLeft,
    ClampRight,
    ReplicateHalf,
}

/// The selector of a mode of `prmt`.
pub(crate) fn selector(mode: Permutation, control: u32) -> u32 {
    let n = control & 3;
    (0..4).fold(0, |selector, i| {
        let byte = match mode {
            Permutation::ForwardExtract => n + i,
            Permutation::BackwardExtract => n.wrapping_sub(i) & 7,
            Permutation::ReplicateByte => n,
            Permutation::ClampLeft => n.max(i),
            Permutation::ClampRight => n.min(i),
            Permutation::ReplicateHalf => 2 * (n & 1) + (i & 1),
        };
        selector | byte << (4 * i)
    })
}

/// `lop3`: any function of three bits, given as a table of eight bits.
pub(crate) fn lookup(a: u32, b: u32, c: u32, table: u32) -> u32 {
    (0..8).fold(0, |result, index| {
        let pick = |value: u32, bit: u32| if index >> bit & 1 == 1 { value } else { !value };
        let chosen = 0_u32.wrapping_sub(table >> index & 1);
        result | chosen & pick(a, 2) & pick(b, 1) & pick(c, 0)
    })
}

/// `fns`: the position of the `offset`-th set bit, or all ones if there is no such bit. If `offset` is positive, the set bits are counted
/// upwards from `base`. If it is negative, they are counted downwards from `base`. If it is 0, only the bit at `base` is looked at. For the
/// offset `i32::MIN` the hardware gives 0.
pub(crate) fn find_nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    if offset == i32::MIN {
        return 0;
    }
    let step = if offset < 0 { -1 } else { 1 };
    let set = |position: &i64| mask >> position & 1 == 1;
    let base = i64::from(base as i32);
    if offset == 0 {
        let found = (0..32).contains(&base) && set(&base);
        return if found { base as u32 } else { u32::MAX };
    }
    let positions = (0..32).map(|distance| base + step * distance);
    let mut inside = positions.filter(|position| (0..32).contains(position) && set(position));
    let nth = inside.nth(offset.unsigned_abs() as usize - 1);
    nth.map_or(u32::MAX, |position| position as u32)
}

/// `szext`: the low `length` bits, extended with zeros or with their sign. A length of 32 or more leaves the value unchanged.
pub(crate) fn extend_low<T: Integer>(a: T, length: u32) -> T {
    let length = length.min(32);
    let low = a.widen() & bits_below(length);
    let negative = T::LEAST.widen() < 0 && length != 0 && low >> (length - 1) & 1 == 1;
    T::from_wide(if negative {
        low | !bits_below(length)
    } else {
        low
    })
}

/// Shifts the 64-bit value `high:low` left, by at most 32 bits, and returns the upper half.
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

    /// Follows the PTX ISA literally, bit by bit.
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
    fn fields_of_64_bits_do_not_mask_positions_and_lengths() {
        let (a, b) = (0xa5a5_5a5a_dead_beef_u64, 0x0ff0_1234_5678_9abc_u64);
        let edges = [63, 64, 65, 255, 256, 257, 0x8000_0000, u32::MAX];
        let amounts = || (0..70).chain(edges);
        let bit = |value: u64, i: u128| value >> i & 1;
        for position in amounts() {
            for length in amounts() {
                let (from, count) = (u128::from(position), u128::from(length));
                let last = (from + count).saturating_sub(1).min(63);
                let sign = if count == 0 { 0 } else { bit(a, last) };
                let field = |fill: u64| {
                    (0..64).fold(0, |d, i| {
                        let inside = i < count && from + i < 64;
                        d | (if inside { bit(a, from + i) } else { fill }) << i
                    })
                };
                assert_eq!(bit_field_extract(a, position, length), field(0));
                assert_eq!(
                    bit_field_extract(a as i64, position, length) as u64,
                    field(sign),
                    "{position} {length}"
                );
                let inserted = (0..64).fold(0, |d, i| {
                    let inside = i >= from && i - from < count;
                    d | (if inside { bit(a, i - from) } else { bit(b, i) }) << i
                });
                assert_eq!(bit_field_insert(a, b, position, length), inserted);
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
        assert_eq!(selector(Permutation::ForwardExtract, 1), 0x4321);
        assert_eq!(selector(Permutation::BackwardExtract, 1), 0x6701);
        assert_eq!(selector(Permutation::ReplicateByte, 2), 0x2222);
        assert_eq!(selector(Permutation::ClampLeft, 2), 0x3222);
        assert_eq!(selector(Permutation::ClampRight, 2), 0x2210);
        assert_eq!(selector(Permutation::ReplicateHalf, 3), 0x3232);
        assert_eq!(shift_funnel(0x8000_0000, 1, 1), 3);
        assert_eq!(shift_funnel(7, 9, 32), 7);
        assert_eq!([find_leading(0_u32), find_leading(0x80_u32)], [u32::MAX, 7]);
        assert_eq!(
            [find_leading(-1_i32), find_leading(-129_i64)],
            [u32::MAX, 7]
        );
    }

    #[test]
    fn every_table_of_three_bits() {
        // The columns of the truth table, as the ISA gives them.
        let (a, b, c) = (0xf0, 0xcc, 0xaa);
        for table in 0..256 {
            assert_eq!(lookup(a, b, c, table) & 0xff, table);
        }
    }

    #[test]
    fn the_nth_bit_upwards_and_downwards() {
        let mask = 0b1011_0000;
        assert_eq!(find_nth_set(mask, 0, 1), 4);
        assert_eq!(find_nth_set(mask, 4, 1), 4);
        assert_eq!(find_nth_set(mask, 5, 2), 7);
        assert_eq!(find_nth_set(mask, 31, -1), 7);
        assert_eq!(find_nth_set(mask, 6, -2), 4);
        assert_eq!(find_nth_set(mask, 0, 4), u32::MAX);
        assert_eq!(find_nth_set(mask, 3, -1), u32::MAX);
        assert_eq!(
            [find_nth_set(mask, 5, 0), find_nth_set(mask, 6, 0)],
            [5, u32::MAX]
        );
        assert_eq!(find_nth_set(mask, 99, 0), u32::MAX);
        assert_eq!(find_nth_set(mask, 0, i32::MIN + 1), u32::MAX);
        assert_eq!(find_nth_set(mask, 0, i32::MIN), 0);
    }

    #[test]
    fn extension_from_every_length() {
        for a in [0_u32, 1, 0x80, 0xdead_beef, u32::MAX] {
            for length in 1..=32 {
                let unused = 32 - length;
                assert_eq!(extend_low(a, length), a << unused >> unused);
                assert_eq!(extend_low(a as i32, length), (a << unused) as i32 >> unused);
            }
            assert_eq!(extend_low(a as i32, 0), 0);
        }
    }
}
