//! The kind of an operand: its registers, and the values worth trying.

use super::random::Random;

/// The width of the registers that hold an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    Predicate,
    Half,
    Word,
    Double,
}

/// How an instruction interprets an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Predicate,
    B16,
    U16,
    S16,
    F16,
    Bf16,
    /// Eight bits, in a register of 32.
    U8,
    S8,
    B32,
    U32,
    S32,
    F32,
    /// A number of bits, or a bit position.
    Amount,
    /// The number of a lane: 0 to 31.
    Lane,
    /// Two integers of 16 bits.
    Pair,
    F16x2,
    Bf16x2,
    B64,
    U64,
    S64,
    F64,
}

impl Kind {
    pub fn width(self) -> Width {
        match self {
            Kind::Predicate => Width::Predicate,
            Kind::B16 | Kind::U16 | Kind::S16 | Kind::F16 | Kind::Bf16 => Width::Half,
            Kind::B64 | Kind::U64 | Kind::S64 | Kind::F64 => Width::Double,
            _ => Width::Word,
        }
    }

    /// The type as PTX writes it, without the dot.
    pub fn suffix(self) -> &'static str {
        match self {
            Kind::Predicate => "pred",
            Kind::B16 => "b16",
            Kind::U16 => "u16",
            Kind::S16 => "s16",
            Kind::F16 => "f16",
            Kind::Bf16 => "bf16",
            Kind::U8 => "u8",
            Kind::S8 => "s8",
            Kind::B32 => "b32",
            Kind::U32 | Kind::Amount | Kind::Lane => "u32",
            Kind::S32 => "s32",
            Kind::F32 => "f32",
            Kind::Pair => "u16x2",
            Kind::F16x2 => "f16x2",
            Kind::Bf16x2 => "bf16x2",
            Kind::B64 => "b64",
            Kind::U64 => "u64",
            Kind::S64 => "s64",
            Kind::F64 => "f64",
        }
    }

    pub fn is_float(self) -> bool {
        matches!(
            self,
            Kind::F16 | Kind::Bf16 | Kind::F32 | Kind::F64 | Kind::F16x2 | Kind::Bf16x2
        )
    }

    /// The values worth trying, such as zeros, extremes and neighbours of powers of two; for floats also NaNs.
    pub fn special_values(self) -> Vec<u64> {
        match self {
            Kind::Predicate => vec![0, 1],
            Kind::F16 => HALVES.to_vec(),
            Kind::Bf16 => SINGLES.iter().map(|bits| bits >> 16).collect(),
            Kind::F32 => SINGLES.to_vec(),
            Kind::F64 => DOUBLES.to_vec(),
            Kind::F16x2 => pairs(&HALVES),
            Kind::Bf16x2 => pairs(&SINGLES.map(|bits| bits >> 16)),
            Kind::Pair => pairs(&[0, 1, 2, 0x7f, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff]),
            Kind::Amount => vec![
                0,
                1,
                7,
                8,
                15,
                16,
                17,
                31,
                32,
                33,
                63,
                64,
                65,
                255,
                256,
                1 << 31,
            ],
            Kind::Lane => (0..32).collect(),
            Kind::U8 | Kind::S8 => vec![0, 1, 2, 10, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0x1234_5678],
            Kind::B16 | Kind::U16 | Kind::S16 => integers(16),
            Kind::B32 | Kind::U32 | Kind::S32 => integers(32),
            Kind::B64 | Kind::U64 | Kind::S64 => integers(64),
        }
    }

    /// For most kinds, half of the calls return a special value of the kind. The other half return random bits.
    pub fn random_value(self, random: &mut Random) -> u64 {
        self.random_among(&self.special_values(), random)
    }

    /// For most kinds, half of the calls return one of these special values. The other half return random bits.
    pub fn random_among(self, special_values: &[u64], random: &mut Random) -> u64 {
        let any = random.bits();
        match self {
            Kind::Predicate => any & 1,
            Kind::Lane => any & 31,
            Kind::Amount if random.once_in(2) => any & 63,
            _ if random.once_in(2) => *random.pick(special_values),
            _ => match self.width() {
                Width::Half => any & 0xffff,
                Width::Word => any & 0xffff_ffff,
                Width::Predicate | Width::Double => any,
            },
        }
    }
}

/// Small numbers, alternating bits, some powers of two with their neighbours, the negatives of all these, and the type's limits.
fn integers(bits: u32) -> Vec<u64> {
    let all = u64::MAX >> (64 - bits);
    let mut values = vec![0, 1, 2, 3, 5, 7, 10, 100, 0x5555_5555_5555_5555 & all];
    for power in [8, 15, 16, 23, 24, 31, 32, 53, 63] {
        if power < bits {
            let power = 1_u64 << power;
            values.extend([power - 1, power, power + 1]);
        }
    }
    let negative: Vec<u64> = values.iter().map(|v| v.wrapping_neg() & all).collect();
    values.extend(negative);
    values.extend([all, all - 1, all >> 1, (all >> 1) + 1]);
    values.sort_unstable();
    values.dedup();
    values
}

/// Words of two halves. Each value is the low half of three words. The high half of the first word is the value itself. The high halves of
/// the second and the third word are the values one place and five places later in the list. After the last value, the list begins again.
fn pairs(values: &[u64]) -> Vec<u64> {
    let turned = |by: usize| values.iter().cycle().skip(by);
    let beside = |by| {
        values
            .iter()
            .zip(turned(by))
            .map(|(low, high)| low | high << 16)
    };
    beside(0).chain(beside(1)).chain(beside(5)).collect()
}

const HALVES: [u64; 36] = [
    0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, // zeros, subnormals
    0x3c00, 0xbc00, 0x3c01, 0x3bff, 0x3800, 0x4000, 0x4200, 0x3555, // around 1.0
    0x5bff, 0x5c00, 0x6400, 0x6401, 0x67ff, 0xe400, 0x7000,
    0xf800, // large; some are whole numbers
    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0xfe00, 0x7d01, // greatest, infinite, NaN
    0x3801, 0x07fe, 0xfff7,
    0x7ff7, // 0x3801 * 0x07fe is just below the least normal number; for `fma.oob`, the NaNs 0xfff7 and 0x7ff7 mark a factor out of bounds
];

const SINGLES: [u64; 51] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001, // zeros, subnormals
    0x007f_ffff,
    0x807f_ffff,
    0x0040_0000,
    0x0080_0000, //
    0x8080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x3f80_0000, // around the least normal number; 1.0
    0xbf80_0000,
    0x3f80_0001,
    0x3f7f_ffff,
    0x3f00_0000, //
    0xbf00_0000,
    0x3fc0_0000,
    0xbfc0_0000,
    0x4020_0000, // halves
    0x4040_0000,
    0x3eaa_aaab,
    0x4049_0fdb,
    0x42fe_ffff, //
    0x437f_8000,
    0x4380_0000,
    0x46ff_fe00,
    0x4700_0000, // around the limits of integers and of f16
    0x477f_e000,
    0x477f_f000,
    0x4b00_0000,
    0x4b7f_ffff, //
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000, //
    0x5f00_0000,
    0xdf00_0000,
    0x5f80_0000,
    0x3300_0000, //
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000, // greatest numbers, infinities
    0x7fc0_0000,
    0x7fff_ffff,
    0xffc1_2345,
    0x7f80_0001, // NaNs; the last is signalling
    0x3f00_0001,
    0x00ff_fffe,
    0x4000_0000, // 0x3f000001 * 0x00fffffe is just below the least normal number; 0x40000000 is 2.0
];

const DOUBLES: [u64; 46] = [
    0x380f_ffff_f000_0000,
    0x380f_ffff_f800_0000, // below the least normal f32, by 1/4 and by 1/8 of the unit in its last place
    0x0000_0000_0000_0000,
    0x8000_0000_0000_0000,
    0x0000_0000_0000_0001,
    0x8000_0000_0000_0001,
    0x000f_ffff_ffff_ffff,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x8010_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0x3fef_ffff_ffff_ffff,
    0x3fe0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x3ff8_0000_0000_0000,
    0xc004_0000_0000_0000,
    0x4008_0000_0000_0000,
    0x3fd5_5555_5555_5555,
    0x4009_21fb_5444_2d18,
    0x406f_f000_0000_0000,
    0x40df_ffc0_0000_0000,
    0x40e0_0000_0000_0000,
    0x40ef_fc00_0000_0000,
    0x40ef_fe00_0000_0000,
    0x41df_ffff_ffe0_0000,
    0x41e0_0000_0000_0000,
    0xc1e0_0000_0020_0000,
    0x41ef_ffff_fff0_0000,
    0x4330_0000_0000_0001,
    0x43df_ffff_ffff_ffff,
    0x43e0_0000_0000_0000,
    0xc3e0_0000_0000_0000,
    0x43f0_0000_0000_0000,
    0x36a0_0000_0000_0000,
    0x3690_0000_0000_0001,
    0x380f_ffff_e000_0000,
    0x47ef_ffff_e000_0000,
    0x47ef_ffff_f000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff4_0012_3456_789a,
];
