//! Holes: lines of PTX in place of what an operator does, to be replaced by its body when the operator is known.
//!
//! A hole is `HOLE name outputs <- inputs;`, each operand a register. It has no effects, so the compiler may move, share
//! and drop it. A body is a function that takes its inputs by `TAKE register, index;` and gives its outputs by
//! `GIVE index, register;`; what stands between is the body.

use crate::element::{Bits, Element, Words};

/// The holes of operators with accumulators of these bits.
pub trait HoleAccumulator: Bits {
    /// The value that changes nothing.
    fn identity() -> Self;

    /// `left ⊕ right`.
    fn combine(left: Self, right: Self) -> Self;

    /// The items of a vector, combined.
    fn total(words: Words) -> Self;

    /// What a scan puts at the places of a vector, `before` which this stands; and what then stands before the next.
    fn place(before: Self, words: Words) -> (Words, Self);
}

/// The hole of operators on items of this type.
pub trait HoleItem: Element {
    /// The item that changes nothing.
    fn identity_item() -> Self;
}

/// The hole of operators that convert this to `To`.
pub trait Hole<To>: Copy {
    /// The item `self`, to combine it.
    fn lift(self) -> To;

    /// The combined value `self`, as a result.
    fn lower(self) -> To;
}

/// A value that a register holds: what bodies take and give.
pub trait Register: Copy {
    /// The body's input `INDEX`.
    fn take<const INDEX: usize>() -> Self;

    /// Gives the body's output `INDEX`.
    fn give<const INDEX: usize>(self);
}

macro_rules! accumulators {
    ($($t:ident in $class:ident;)*) => {$(
        impl HoleAccumulator for $t {
            #[inline(always)]
            fn identity() -> Self {
                let identity: $t;
                // SAFETY: a hole.
                unsafe {
                    ptx!("HOLE identity {o} <- ;", o = out($class) identity, options(pure, nomem, nostack));
                }
                identity
            }

            #[inline(always)]
            fn combine(left: Self, right: Self) -> Self {
                let both: $t;
                // SAFETY: a hole.
                unsafe {
                    ptx!(
                        "HOLE combine {o} <- {a}, {b};",
                        o = out($class) both, a = in($class) left, b = in($class) right,
                        options(pure, nomem, nostack),
                    );
                }
                both
            }

            #[inline(always)]
            fn total(words: Words) -> Self {
                let [a, b, c, d] = words;
                let total: $t;
                // SAFETY: a hole.
                unsafe {
                    ptx!(
                        "HOLE total {o} <- {a}, {b}, {c}, {d};",
                        o = out($class) total,
                        a = in(reg32) a, b = in(reg32) b, c = in(reg32) c, d = in(reg32) d,
                        options(pure, nomem, nostack),
                    );
                }
                total
            }

            #[inline(always)]
            fn place(before: Self, words: Words) -> (Words, Self) {
                let [a, b, c, d] = words;
                let (w, x, y, z): (u32, u32, u32, u32);
                let after: $t;
                // SAFETY: a hole.
                unsafe {
                    ptx!(
                        "HOLE place {w}, {x}, {y}, {z}, {after} <- {before}, {a}, {b}, {c}, {d};",
                        w = out(reg32) w, x = out(reg32) x, y = out(reg32) y, z = out(reg32) z,
                        after = out($class) after, before = in($class) before,
                        a = in(reg32) a, b = in(reg32) b, c = in(reg32) c, d = in(reg32) d,
                        options(pure, nomem, nostack),
                    );
                }
                ([w, x, y, z], after)
            }
        }
    )*};
}

accumulators! {
    u32 in reg32;
    u64 in reg64;
}

/// Items of 8 bits are in registers of 16.
macro_rules! items {
    ($($t:ident as $register:ident in $class:ident;)*) => {$(
        impl HoleItem for $t {
            #[inline(always)]
            fn identity_item() -> Self {
                let item: $register;
                // SAFETY: a hole.
                unsafe {
                    ptx!("HOLE identity_item {o} <- ;", o = out($class) item, options(pure, nomem, nostack));
                    // The register of a narrow item has nothing above it.
                    core::hint::assert_unchecked(item <= $t::MAX as $register);
                }
                item as $t
            }
        }

        impl Register for $t {
            #[inline(always)]
            fn take<const INDEX: usize>() -> Self {
                let value: $register;
                // SAFETY: a register that the hole fills.
                unsafe {
                    ptx!("TAKE {v}, {i};", v = out($class) value, i = const INDEX, options(nomem, nostack));
                }
                value as $t
            }

            #[inline(always)]
            fn give<const INDEX: usize>(self) {
                // SAFETY: a register that the hole wants.
                unsafe {
                    ptx!("GIVE {i}, {v};", v = in($class) self as $register, i = const INDEX, options(nomem, nostack));
                }
            }
        }
    )*};
}

items! {
    u8 as u16 in reg16;
    u16 as u16 in reg16;
    u32 as u32 in reg32;
    u64 as u64 in reg64;
}

macro_rules! conversions {
    ($($from:ident as $from_register:ident in $from_class:ident to $to:ident as $to_register:ident in $to_class:ident;)*) => {$(
        impl Hole<$to> for $from {
            #[inline(always)]
            fn lift(self) -> $to {
                let value: $to_register;
                // SAFETY: a hole.
                unsafe {
                    ptx!(
                        "HOLE lift {o} <- {a};",
                        o = out($to_class) value, a = in($from_class) self as $from_register,
                        options(pure, nomem, nostack),
                    );
                }
                value as $to
            }

            #[inline(always)]
            fn lower(self) -> $to {
                let value: $to_register;
                // SAFETY: a hole.
                unsafe {
                    ptx!(
                        "HOLE lower {o} <- {a};",
                        o = out($to_class) value, a = in($from_class) self as $from_register,
                        options(pure, nomem, nostack),
                    );
                }
                value as $to
            }
        }
    )*};
}

conversions! {
    u8 as u16 in reg16 to u32 as u32 in reg32;
    u8 as u16 in reg16 to u64 as u64 in reg64;
    u16 as u16 in reg16 to u32 as u32 in reg32;
    u16 as u16 in reg16 to u64 as u64 in reg64;
    u32 as u32 in reg32 to u8 as u16 in reg16;
    u32 as u32 in reg32 to u16 as u16 in reg16;
    u32 as u32 in reg32 to u32 as u32 in reg32;
    u32 as u32 in reg32 to u64 as u64 in reg64;
    u64 as u64 in reg64 to u64 as u64 in reg64;
}
