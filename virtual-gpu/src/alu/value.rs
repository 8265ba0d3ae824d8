//! Typed values in 64-bit register slots.

/// A type that fits into a register slot. Slots hold values extended with zeros.
pub(crate) trait Value: Copy {
    /// The value in the low bits of a slot.
    fn from_slot(slot: u64) -> Self;
    /// The slot that holds the value.
    fn to_slot(self) -> u64;
}

/// An integer type. Operations compute in 128 bits where the type's own width does not suffice.
pub(crate) trait Integer: Value + Ord {
    const BITS: u32;
    const LEAST: Self;
    const GREATEST: Self;
    fn widen(self) -> i128;
    /// Keeps the low bits.
    fn from_wide(wide: i128) -> Self;
    /// The quotient, rounded towards zero and wrapped. The divisor is not zero.
    fn quotient(self, divisor: Self) -> Self;
    /// The remainder with the sign of the dividend. The divisor is not zero.
    fn remainder(self, divisor: Self) -> Self;
}

macro_rules! integers {
    ($($signed:ident $unsigned:ident)*) => { $(
        impl Value for $unsigned {
            #[inline(always)]
            fn from_slot(slot: u64) -> Self { slot as $unsigned }
            #[inline(always)]
            fn to_slot(self) -> u64 { self as u64 }
        }
        impl Value for $signed {
            #[inline(always)]
            fn from_slot(slot: u64) -> Self { slot as $signed }
            #[inline(always)]
            fn to_slot(self) -> u64 { self as $unsigned as u64 }
        }
        integers!(@integer $signed);
        integers!(@integer $unsigned);
    )* };
    (@integer $t:ident) => {
        impl Integer for $t {
            const BITS: u32 = $t::BITS;
            const LEAST: Self = $t::MIN;
            const GREATEST: Self = $t::MAX;
            #[inline(always)]
            fn widen(self) -> i128 { self as i128 }
            #[inline(always)]
            fn from_wide(wide: i128) -> Self { wide as $t }
            #[inline(always)]
            fn quotient(self, divisor: Self) -> Self { self.wrapping_div(divisor) }
            #[inline(always)]
            fn remainder(self, divisor: Self) -> Self { self.wrapping_rem(divisor) }
        }
    };
}

integers! { i8 u8 i16 u16 i32 u32 i64 u64 }

impl Value for f32 {
    #[inline(always)]
    fn from_slot(slot: u64) -> Self {
        f32::from_bits(slot as u32)
    }

    #[inline(always)]
    fn to_slot(self) -> u64 {
        self.to_bits().into()
    }
}

impl Value for f64 {
    #[inline(always)]
    fn from_slot(slot: u64) -> Self {
        f64::from_bits(slot)
    }

    #[inline(always)]
    fn to_slot(self) -> u64 {
        self.to_bits()
    }
}
