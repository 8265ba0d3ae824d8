//! Several small integers in one register: dot products, pairs of 16-bit integers, and absolute differences.

/// The integer at `index` in a word of packed integers of `width` bits. It is extended with its sign if it is `signed`, and with zeros
/// otherwise.
fn part(packed: u32, index: u32, width: u32, signed: bool) -> i64 {
    let low = i64::from(packed >> (index * width)) & ((1 << width) - 1);
    match signed && low >> (width - 1) != 0 {
        true => low - (1 << width),
        false => low,
    }
}

/// `dp4a`: `c` plus four products, each of a byte of `a` and the byte of `b` at the same index.
pub(crate) fn dot4<const A_SIGNED: bool, const B_SIGNED: bool>(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, i| {
        let product = part(a, i, 8, A_SIGNED) * part(b, i, 8, B_SIGNED);
        sum.wrapping_add(product as u32)
    })
}

/// `dp2a`: `c` plus two products. They are the low half of `a` times byte `FIRST` of `b`, and the high half of `a` times the next byte of
/// `b`.
pub(crate) fn dot2<const A_SIGNED: bool, const B_SIGNED: bool, const FIRST: u32>(
    a: u32,
    b: u32,
    c: u32,
) -> u32 {
    (0..2).fold(c, |sum, i| {
        let product = part(a, i, 16, A_SIGNED) * part(b, FIRST + i, 8, B_SIGNED);
        sum.wrapping_add(product as u32)
    })
}

/// Applies a function of two 16-bit integers to the low halves of `a` and `b`, and to the high halves.
pub(crate) fn halves(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    let low = f(a as u16, b as u16);
    let high = f((a >> 16) as u16, (b >> 16) as u16);
    u32::from(low) | u32::from(high) << 16
}

/// `vabsdiff2` and `vabsdiff4`: the absolute differences of packed unsigned integers of `WIDTH` bits, packed in the same way.
pub(crate) fn distances<const WIDTH: u32>(a: u32, b: u32) -> u32 {
    (0..32 / WIDTH).fold(0, |packed, i| {
        packed | distance(a, b, i, WIDTH) << (i * WIDTH)
    })
}

/// `vabsdiff2.add` and `vabsdiff4.add`: `c` plus the sum of the absolute differences.
pub(crate) fn sum_of_distances<const WIDTH: u32>(a: u32, b: u32, c: u32) -> u32 {
    (0..32 / WIDTH).fold(c, |sum, i| sum.wrapping_add(distance(a, b, i, WIDTH)))
}

fn distance(a: u32, b: u32, index: u32, width: u32) -> u32 {
    part(a, index, width, false).abs_diff(part(b, index, width, false)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Extreme words, then pseudo-random words.
    fn words() -> impl Iterator<Item = u32> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let edges = [0, u32::MAX, 0x8080_8080, 0x7f7f_7f7f, 0x8000_7fff];
        edges.into_iter().chain(
            std::iter::from_fn(move || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                Some((state >> 16) as u32)
            })
            .take(300),
        )
    }

    #[test]
    fn dot_products_of_all_signs() {
        for a in words() {
            for b in words() {
                let (x, y) = (a.to_le_bytes(), b.to_le_bytes());
                let s = |v: u8| i32::from(v as i8);
                let u = |v: u8| i32::from(v);
                let four = |f: &dyn Fn(u8) -> i32, g: &dyn Fn(u8) -> i32| {
                    let sum = x.iter().zip(y).map(|(&x, y)| f(x) * g(y)).sum::<i32>();
                    sum.wrapping_add(7) as u32
                };
                assert_eq!(dot4::<false, false>(a, b, 7), four(&u, &u));
                assert_eq!(dot4::<false, true>(a, b, 7), four(&u, &s));
                assert_eq!(dot4::<true, false>(a, b, 7), four(&s, &u));
                assert_eq!(dot4::<true, true>(a, b, 7), four(&s, &s));
                let (low, high) = (a as u16, (a >> 16) as u16);
                let signed = i32::from(low as i16) * s(y[2]) + i32::from(high as i16) * s(y[3]);
                assert_eq!(
                    dot2::<true, true, 2>(a, b, 7),
                    signed.wrapping_add(7) as u32
                );
                let mixed =
                    i64::from(low) * i64::from(s(y[0])) + i64::from(high) * i64::from(s(y[1]));
                assert_eq!(dot2::<false, true, 0>(a, b, 7), (mixed + 7) as u32);
            }
        }
    }

    #[test]
    fn absolute_differences_of_each_part() {
        for a in words() {
            for b in words() {
                let (x, y) = (a.to_le_bytes(), b.to_le_bytes());
                let bytes: [u8; 4] = std::array::from_fn(|i| x[i].abs_diff(y[i]));
                assert_eq!(distances::<8>(a, b), u32::from_le_bytes(bytes));
                let sum: u32 = bytes.into_iter().map(u32::from).sum();
                assert_eq!(sum_of_distances::<8>(a, b, 5), 5 + sum);
                assert_eq!(distances::<16>(a, b), halves(a, b, u16::abs_diff));
                let [low, high] = [a as u16, (a >> 16) as u16];
                let sum =
                    u32::from(low.abs_diff(b as u16)) + u32::from(high.abs_diff((b >> 16) as u16));
                assert_eq!(sum_of_distances::<16>(a, b, u32::MAX), sum.wrapping_sub(1));
            }
        }
    }
}
