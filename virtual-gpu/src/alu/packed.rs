//! Several small integers in one register: dot products, pairs of 16 bits, and the video
//! instructions on pairs and on groups of four bytes.

/// The small integer of `width` bits number `index`, extended by its signedness.
fn part(packed: u32, index: u32, width: u32, signed: bool) -> i64 {
    let low = i64::from(packed >> (index * width)) & ((1 << width) - 1);
    match signed && low >> (width - 1) != 0 {
        true => low - (1 << width),
        false => low,
    }
}

/// `dp4a`: the products of four bytes each, added to `c`.
pub(crate) fn dot4<const A_SIGNED: bool, const B_SIGNED: bool>(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(c, |sum, i| {
        let product = part(a, i, 8, A_SIGNED) * part(b, i, 8, B_SIGNED);
        sum.wrapping_add(product as u32)
    })
}

/// `dp2a`: the products of two times 16 bits with two bytes, from byte `FIRST` on, added to `c`.
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

/// A function of two small integers, applied to both halves.
pub(crate) fn halves(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    let low = f(a as u16, b as u16);
    let high = f((a >> 16) as u16, (b >> 16) as u16);
    u32::from(low) | u32::from(high) << 16
}

/// What a video instruction does with each pair of parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Video {
    Add,
    Subtract,
    Average,
    AbsoluteDifference,
    Least,
    Greatest,
    /// 1 if the relation holds that [`Form::holds`] tells of the order of the parts.
    Compare,
}

/// A video instruction in full.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    pub what: Video,
    /// Bits of a part: 8 or 16.
    pub width: u32,
    pub signed_a: bool,
    pub signed_b: bool,
    pub signed_d: bool,
    pub saturates: bool,
    /// The parts of the result are added to `c`.
    pub adds_up: bool,
    /// For [`Video::Compare`]: whether less, equal and greater count as true, from bit 0 on.
    pub holds: u32,
}

impl Form {
    /// The form as a number, so that it can be a constant operand.
    pub(crate) fn encode(self) -> u32 {
        let flag = |set: bool, at: u32| u32::from(set) << at;
        self.what as u32
            | self.width << 3
            | self.holds << 8
            | flag(self.signed_a, 11)
            | flag(self.signed_b, 12)
            | flag(self.signed_d, 13)
            | flag(self.saturates, 14)
            | flag(self.adds_up, 15)
    }

    fn decode(code: u32) -> Self {
        const ALL: [Video; 7] = [
            Video::Add,
            Video::Subtract,
            Video::Average,
            Video::AbsoluteDifference,
            Video::Least,
            Video::Greatest,
            Video::Compare,
        ];
        let flag = |at: u32| code >> at & 1 == 1;
        Self {
            what: ALL[(code & 7) as usize % ALL.len()],
            width: code >> 3 & 31,
            holds: code >> 8 & 7,
            signed_a: flag(11),
            signed_b: flag(12),
            signed_d: flag(13),
            saturates: flag(14),
            adds_up: flag(15),
        }
    }

    fn of_parts(self, a: i64, b: i64) -> i64 {
        let value = match self.what {
            Video::Add => a + b,
            Video::Subtract => a - b,
            Video::Average => (a + b + i64::from(a + b >= 0)) >> 1,
            Video::AbsoluteDifference => (a - b).abs(),
            Video::Least => a.min(b),
            Video::Greatest => a.max(b),
            Video::Compare => i64::from(self.holds >> (a.cmp(&b) as i32 + 1) & 1),
        };
        let half = 1 << (self.width - 1);
        match (self.saturates, self.signed_d) {
            (false, _) => value,
            (true, false) => value.clamp(0, 2 * half - 1),
            (true, true) => value.clamp(-half, half - 1),
        }
    }
}

/// A video instruction; its form comes as a fourth operand.
pub(crate) fn video(a: u32, b: u32, c: u32, form: u32) -> u32 {
    let form = Form::decode(form);
    let width = form.width;
    (0..32 / width).fold(if form.adds_up { c } else { 0 }, |result, i| {
        let a = part(a, i, width, form.signed_a);
        let value = form.of_parts(a, part(b, i, width, form.signed_b)) as u32;
        let cut = value & ((1 << width) - 1);
        match form.adds_up {
            true => result.wrapping_add(part(cut, 0, width, form.signed_d) as u32),
            false => result | cut << (i * width),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words by a fixed generator.
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

    fn form(what: Video, width: u32, signed: bool) -> Form {
        Form {
            what,
            width,
            signed_a: signed,
            signed_b: signed,
            signed_d: signed,
            saturates: false,
            adds_up: false,
            holds: 0,
        }
    }

    #[test]
    fn video_instructions_part_by_part() {
        let bytes = |a: u32, b: u32, f: fn(u8, u8) -> u8| {
            let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
            u32::from_le_bytes(std::array::from_fn(|i| f(a[i], b[i])))
        };
        for a in words().step_by(3) {
            for b in words().step_by(5) {
                let run = |form: Form| video(a, b, 5, form.encode());
                assert_eq!(
                    run(form(Video::Add, 8, false)),
                    bytes(a, b, u8::wrapping_add)
                );
                assert_eq!(
                    run(form(Video::Subtract, 16, true)),
                    halves(a, b, u16::wrapping_sub)
                );
                assert_eq!(run(form(Video::Least, 8, false)), bytes(a, b, u8::min));
                let signed_max = |a, b| (a as i8).max(b as i8) as u8;
                assert_eq!(run(form(Video::Greatest, 8, true)), bytes(a, b, signed_max));
                let saturated = Form {
                    saturates: true,
                    ..form(Video::Subtract, 8, false)
                };
                assert_eq!(run(saturated), bytes(a, b, u8::saturating_sub));
                let summed = Form {
                    adds_up: true,
                    ..form(Video::AbsoluteDifference, 8, false)
                };
                let distance = bytes(a, b, u8::abs_diff).to_le_bytes();
                assert_eq!(run(summed), 5 + distance.map(u32::from).iter().sum::<u32>());
                let equal = Form {
                    holds: 0b010,
                    ..form(Video::Compare, 8, false)
                };
                assert_eq!(run(equal), bytes(a, b, |a, b| u8::from(a == b)));
                let average = |a, b| (u16::from(a) + u16::from(b)).div_ceil(2) as u8;
                assert_eq!(run(form(Video::Average, 8, false)), bytes(a, b, average));
            }
        }
    }
}
