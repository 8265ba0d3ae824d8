//! Operators that the build refuses, and [`TakenApart`], which it accepts.

use warpfold::{Commutative, Op};

/// An operator on `u32` with this combination.
macro_rules! operator {
    ($name:ident, |$a:ident, $b:ident| $combined:expr) => {
        #[derive(Clone, Copy)]
        pub struct $name;

        impl Op<u32> for $name {
            type Accumulator = u32;
            type Output = u32;
            fn identity() -> u32 {
                0
            }
            fn lift(item: u32) -> u32 {
                item
            }
            fn combine($a: u32, $b: u32) -> u32 {
                $combined
            }
            fn lower(value: u32) -> u32 {
                value
            }
        }

        impl Commutative for $name {}
    };
}

static TABLE: [u32; 4] = [3, 1, 4, 1];

#[inline(never)]
fn helper(a: u32, b: u32) -> u32 {
    a.rotate_left(b) ^ b
}

operator!(Indexes, |a, b| [a, b, 5][(a % 7) as usize]);
operator!(Divides, |a, b| a / b);
operator!(Unwraps, |a, b| a.checked_add(b).unwrap());
operator!(Panics, |a, b| if a > b { a } else { panic!("not so") });
operator!(Calls, |a, b| helper(a, b));
operator!(Local, |a, b| {
    let mut counts = [a, b, 3, 4, 5, 6, 7, 8];
    for i in 0..a % 100 {
        counts[(i ^ b) as usize % 8] += counts[(i + b) as usize % 8];
    }
    counts[(a % 8) as usize]
});
operator!(Looks, |a, b| TABLE[(a % 4) as usize] + b);
operator!(Hangs, |a, b| {
    if a == b {
        loop {}
    }
    a
});
operator!(Writes, |a, b| {
    // SAFETY: none is needed: the build refuses this operator, so it never runs.
    unsafe { core::ptr::write_volatile(64 as *mut u32, a) };
    b
});

/// Panics in `lift`.
#[derive(Clone, Copy)]
pub struct Lifts;

impl Op<u32> for Lifts {
    type Accumulator = u32;
    type Output = u32;
    fn identity() -> u32 {
        0
    }
    fn lift(item: u32) -> u32 {
        100 % item
    }
    fn combine(a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
    fn lower(value: u32) -> u32 {
        value
    }
}

impl Commutative for Lifts {}

const PRIMES: [u32; 8] = [2, 3, 5, 7, 11, 13, 17, 19];

operator!(Loops, |a, b| {
    let mut all = b;
    for i in 0..a % 100 {
        all = all.rotate_left(5) ^ PRIMES[i as usize % 8];
    }
    all
});

warpfold::item! {
    /// An item with a number at an offset that is no multiple of 4.
    pub struct Odd {
        pub kind: u8,
        pub weight: [u8; 4],
        pub rest: [u8; 15],
    }
}

#[derive(Clone, Copy)]
pub struct Unaligned;

impl Op<Odd> for Unaligned {
    type Accumulator = f32;
    type Output = f32;
    fn identity() -> f32 {
        -0.0
    }
    fn lift(item: Odd) -> f32 {
        f32::from_le_bytes(item.weight)
    }
    fn combine(a: f32, b: f32) -> f32 {
        a + b
    }
    fn lower(value: f32) -> f32 {
        value
    }
}

impl Commutative for Unaligned {}

/// The same operator as [`Unaligned`], written as the message about [`Unaligned`] advises.
#[derive(Clone, Copy)]
pub struct TakenApart;

impl Op<Odd> for TakenApart {
    type Accumulator = f32;
    type Output = f32;
    fn identity() -> f32 {
        -0.0
    }
    fn lift(item: Odd) -> f32 {
        let [a, b, c, d] = item.weight;
        f32::from_le_bytes([a, b, c, d])
    }
    fn combine(a: f32, b: f32) -> f32 {
        a + b
    }
    fn lower(value: f32) -> f32 {
        value
    }
}

impl Commutative for TakenApart {}

warpfold::operators! {
    indexes: Indexes, u32, reduction only;
    divides: Divides, u32, reduction only;
    unwraps: Unwraps, u32, reduction only;
    panics: Panics, u32, reduction only;
    calls: Calls, u32, reduction only;
    local: Local, u32, reduction only;
    looks: Looks, u32, reduction only;
    hangs: Hangs, u32, reduction only;
    writes: Writes, u32, reduction only;
    lifts: Lifts, u32, reduction only;
    loops: Loops, u32, reduction only;
    unaligned: Unaligned, Odd, reduction only;
    taken_apart: TakenApart, Odd, reduction only;
}
