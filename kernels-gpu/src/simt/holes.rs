//! Holes: placeholders in the PTX for an operator's functions. When the operator is known, the bodies of its functions fill the holes.
//!
//! A hole is a line `HOLE name outputs <- inputs;`. Each operand is a register. A hole has no side effects, so the compiler may move it,
//! merge it with an equal hole, or drop it. A body is compiled as a function: it reads its inputs by `TAKE register, index;` and writes its
//! outputs by `GIVE index, register;`. The function's other instructions, except for `ret`, are the body.
//!
//! An accumulator of up to 64 bits is in one register of 32 or 64 bits. The result to which it is lowered is in one register of 16, 32 or 64
//! bits. An item of up to 64 bits is in one such register too. Values of 8 bits are zero-extended to 16 bits. An item of 16 bytes is in two
//! registers of 64 bits. A vector is in four registers of 32 bits. Accumulators of more than 64 bits, and the results to which they are
//! lowered, are in several registers of 32 bits (see [`wide`]).

mod wide;

use bytemuck::cast;

use crate::element::{first_bytes, Accumulator, Element, Words};

/// Holes with one output.
macro_rules! holes {
    ($($name:ident($($input:ident: $t:ident $class:ident),*) -> $output:ident $output_class:ident: $hole:literal;)*) => {$(
        #[inline(always)]
        fn $name($($input: $t),*) -> $output {
            let output: $output;
            // SAFETY: a hole has no side effects: its body writes only the hole's outputs, and registers of the body.
            unsafe {
                ptx!(
                    $name: concat!("HOLE ", $hole, ";"),
                    $($input = in($class) $input,)*
                    o = out($output_class) output,
                    options(pure, nomem, nostack),
                );
            }
            output
        }
    )*};
}

holes! {
    identity_32() -> u32 reg32: "identity {o} <-";
    identity_64() -> u64 reg64: "identity {o} <-";
    combine_32(a: u32 reg32, b: u32 reg32) -> u32 reg32: "combine {o} <- {a}, {b}";
    combine_64(a: u64 reg64, b: u64 reg64) -> u64 reg64: "combine {o} <- {a}, {b}";
    total_32(a: u32 reg32, b: u32 reg32, c: u32 reg32, d: u32 reg32) -> u32 reg32: "total {o} <- {a}, {b}, {c}, {d}";
    total_64(a: u32 reg32, b: u32 reg32, c: u32 reg32, d: u32 reg32) -> u64 reg64: "total {o} <- {a}, {b}, {c}, {d}";
    stream_64(a: u32 reg32, b: u32 reg32, c: u32 reg32, d: u32 reg32) -> u64 reg64: "stream {o} <- {a}, {b}, {c}, {d}";
    total_of_four_64(
        a: u32 reg32, b: u32 reg32, c: u32 reg32, d: u32 reg32, e: u32 reg32, f: u32 reg32, g: u32 reg32, h: u32 reg32,
        i: u32 reg32, j: u32 reg32, k: u32 reg32, l: u32 reg32, m: u32 reg32, n: u32 reg32, q: u32 reg32, r: u32 reg32
    ) -> u64 reg64: "total_of_four {o} <- {a}, {b}, {c}, {d}, {e}, {f}, {g}, {h}, {i}, {j}, {k}, {l}, {m}, {n}, {q}, {r}";
    after_32(before: u32 reg32, a: u32 reg32, b: u32 reg32, c: u32 reg32, d: u32 reg32) -> u32 reg32: "after {o} <- {before}, {a}, {b}, {c}, {d}";
    after_64(before: u64 reg64, a: u32 reg32, b: u32 reg32, c: u32 reg32, d: u32 reg32) -> u64 reg64: "after {o} <- {before}, {a}, {b}, {c}, {d}";
    chosen_32(a: u32 reg32, b: u32 reg32, c: u32 reg32, d: u32 reg32) -> u32 reg32: "chosen {o} <- {a}, {b}, {c}, {d}";
    heads_16(before: u16 reg16, a: u32 reg32, b: u32 reg32, c: u32 reg32, d: u32 reg32) -> u32 reg32: "heads {o} <- {before}, {a}, {b}, {c}, {d}";
    heads_32(before: u32 reg32, a: u32 reg32, b: u32 reg32, c: u32 reg32, d: u32 reg32) -> u32 reg32: "heads {o} <- {before}, {a}, {b}, {c}, {d}";
    heads_64(before: u64 reg64, a: u32 reg32, b: u32 reg32, c: u32 reg32, d: u32 reg32) -> u32 reg32: "heads {o} <- {before}, {a}, {b}, {c}, {d}";
    identity_item_16() -> u16 reg16: "identity_item {o} <-";
    identity_item_32() -> u32 reg32: "identity_item {o} <-";
    identity_item_64() -> u64 reg64: "identity_item {o} <-";
    lift_16_32(a: u16 reg16) -> u32 reg32: "lift {o} <- {a}";
    lift_32_32(a: u32 reg32) -> u32 reg32: "lift {o} <- {a}";
    lift_16_64(a: u16 reg16) -> u64 reg64: "lift {o} <- {a}";
    lift_32_64(a: u32 reg32) -> u64 reg64: "lift {o} <- {a}";
    lift_64_32(a: u64 reg64) -> u32 reg32: "lift {o} <- {a}";
    lift_64_64(a: u64 reg64) -> u64 reg64: "lift {o} <- {a}";
    lift_128_64(a: u64 reg64, b: u64 reg64) -> u64 reg64: "lift {o} <- {a}, {b}";
    lower_32_16(a: u32 reg32) -> u16 reg16: "lower {o} <- {a}";
    lower_32_32(a: u32 reg32) -> u32 reg32: "lower {o} <- {a}";
    lower_64_16(a: u64 reg64) -> u16 reg16: "lower {o} <- {a}";
    lower_64_32(a: u64 reg64) -> u32 reg32: "lower {o} <- {a}";
    lower_64_64(a: u64 reg64) -> u64 reg64: "lower {o} <- {a}";
}

macro_rules! places {
    ($($name:ident of $t:ident $class:ident;)*) => {$(
        #[inline(always)]
        fn $name(before: $t, [a, b, c, d]: Words) -> Words {
            let (w, x, y, z): (u32, u32, u32, u32);
            // SAFETY: a hole has no side effects: its body writes only the hole's outputs, and registers of the body.
            unsafe {
                ptx!(
                    $name: "HOLE place {w}, {x}, {y}, {z} <- {before}, {a}, {b}, {c}, {d};",
                    w = out(reg32) w, x = out(reg32) x, y = out(reg32) y, z = out(reg32) z,
                    before = in($class) before,
                    a = in(reg32) a, b = in(reg32) b, c = in(reg32) c, d = in(reg32) d,
                    options(pure, nomem, nostack),
                );
            }
            [w, x, y, z]
        }
    )*};
}

places! {
    place_32 of u32 reg32;
    place_64 of u64 reg64;
}

/// The identity.
#[inline(always)]
pub fn identity<A: Accumulator>() -> A {
    match A::WORDS {
        1 => cast(identity_32()),
        2 => cast(identity_64()),
        _ => wide::identity(),
    }
}

/// `left ⊕ right`.
#[inline(always)]
pub fn combine<A: Accumulator>(left: A, right: A) -> A {
    match A::WORDS {
        1 => cast(combine_32(cast(left), cast(right))),
        2 => cast(combine_64(cast(left), cast(right))),
        _ => wide::combine(left, right),
    }
}

/// `left ⊕ right`, under the conditions of `Op::combine_equal`. Only operators with wide accumulators use this hole.
#[inline(always)]
pub fn combine_equal<A: Accumulator>(left: A, right: A) -> A {
    wide::combine_equal(left, right)
}

/// Combines the items of a vector. Only operators with wide accumulators use the index of the first item.
#[inline(always)]
pub fn total<A: Accumulator>([a, b, c, d]: Words, index: u64) -> A {
    match A::WORDS {
        1 => cast(total_32(a, b, c, d)),
        2 => cast(total_64(a, b, c, d)),
        _ => wide::total([a, b, c, d], index),
    }
}

/// Combines the items of a vector of a [streamed row](crate::op::Op::STREAMS_ROWS), as [`Op::stream`](crate::op::Op::stream) does. Only
/// operators with wide accumulators use the parameter `place`.
#[inline(always)]
pub fn stream<A: Accumulator>([a, b, c, d]: Words, place: u32) -> A {
    match A::WORDS {
        2 => cast(stream_64(a, b, c, d)),
        _ => wide::stream([a, b, c, d], place),
    }
}

/// Combines two values of [streamed rows](crate::op::Op::STREAMS_ROWS). Only operators with wide accumulators use this hole.
#[inline(always)]
pub fn combine_streams<A: Accumulator>(left: A, right: A) -> A {
    wide::combine_streams(left, right)
}

/// Converts a value of a [streamed row](crate::op::Op::STREAMS_ROWS) to the usual form of an accumulator. Only operators with wide
/// accumulators use this hole.
#[inline(always)]
pub fn end_stream<A: Accumulator>(value: A) -> A {
    wide::end_stream(value)
}

/// Combines the items of four vectors. Only operators with wide accumulators use the index of the first item.
#[inline(always)]
pub fn total_of_four<A: Accumulator>(vectors: [Words; 4], index: u64) -> A {
    match A::WORDS {
        2 => {
            let [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]] = vectors;
            cast(total_of_four_64(
                a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p,
            ))
        }
        _ => wide::total_of_four(vectors, index),
    }
}

/// As [`total_of_four`], but the result may have `index`, the first item's index, in place of the winning item's index (see
/// `Op::bound_of_four`).
#[inline(always)]
pub fn bound_of_four<A: Accumulator>(vectors: [Words; 4], index: u64) -> A {
    wide::bound_of_four(vectors, index)
}

/// A scan's results for a vector with the prefix `before`. Only operators with wide accumulators use the index of the first item.
#[inline(always)]
pub fn place<A: Accumulator>(before: A, words: Words, index: u64) -> Words {
    match A::WORDS {
        1 => place_32(cast(before), words),
        2 => place_64(cast(before), words),
        _ => wide::place(before, words, index),
    }
}

/// The next vector's prefix: a vector's prefix `before`, combined with the items of that vector. This hole is separate from [`place`],
/// because kernels with accumulators of one word do not need the next vector's prefix.
#[inline(always)]
pub fn after<A: Accumulator>(before: A, [a, b, c, d]: Words, index: u64) -> A {
    match A::WORDS {
        1 => cast(after_32(cast(before), a, b, c, d)),
        2 => cast(after_64(cast(before), a, b, c, d)),
        _ => wide::after(before, [a, b, c, d], index),
    }
}

/// The items of a vector that the predicate selects: bit `i` for item `i`.
#[inline(always)]
pub fn chosen([a, b, c, d]: Words) -> u32 {
    chosen_32(a, b, c, d)
}

/// The items of a vector that begin a run: bit `i` for item `i`. `before` is the item before the vector.
#[inline(always)]
pub fn heads<T: Element>(before: T, [a, b, c, d]: Words) -> u32 {
    match size_of::<T>() {
        1 => heads_16(cast::<T, u8>(before) as u16, a, b, c, d),
        2 => heads_16(cast(before), a, b, c, d),
        4 => heads_32(cast(before), a, b, c, d),
        _ => heads_64(cast(before), a, b, c, d),
    }
}

/// The item that lifts to the identity.
#[inline(always)]
pub fn identity_item<T: Element>() -> T {
    match size_of::<T>() {
        1 => cast(narrow(identity_item_16())),
        2 => cast(identity_item_16()),
        4 => cast(identity_item_32()),
        8 => cast(identity_item_64()),
        _ => cast(identity_item_128()),
    }
}

/// As [`identity_item`], for items of 16 bytes. The hole's outputs are two registers.
#[inline(always)]
fn identity_item_128() -> [u64; 2] {
    let (low, high): (u64, u64);
    // SAFETY: a hole has no side effects: its body writes only the hole's outputs, and registers of the body.
    unsafe {
        ptx!(
            identity_item_128: "HOLE identity_item {low}, {high} <-;",
            low = out(reg64) low,
            high = out(reg64) high,
            options(pure, nomem, nostack),
        );
    }
    [low, high]
}

/// The item or result of 8 bits that is in a 16-bit register.
#[inline(always)]
fn narrow(register: u16) -> u8 {
    // SAFETY: values of 8 bits are zero-extended to 16 (see the module).
    unsafe { core::hint::assert_unchecked(register <= u8::MAX as u16) };
    register as u8
}

/// Lifts an item. Only operators with wide accumulators use the item's index.
#[inline(always)]
pub fn lift<T: Element, A: Accumulator>(item: T, index: u64) -> A {
    match (size_of::<T>(), A::WORDS) {
        (1, 1) => cast(lift_16_32(cast::<T, u8>(item) as u16)),
        (1, 2) => cast(lift_16_64(cast::<T, u8>(item) as u16)),
        (2, 1) => cast(lift_16_32(cast(item))),
        (2, 2) => cast(lift_16_64(cast(item))),
        (4, 1) => cast(lift_32_32(cast(item))),
        (4, 2) => cast(lift_32_64(cast(item))),
        (8, 1) => cast(lift_64_32(cast(item))),
        (8, 2) => cast(lift_64_64(cast(item))),
        (16, 2) => {
            let [low, high]: [u64; 2] = cast(item);
            cast(lift_128_64(low, high))
        }
        _ => wide::lift(item, index),
    }
}

/// Lowers an accumulator to a result.
#[inline(always)]
pub fn lower<A: Accumulator, R: Element>(value: A) -> R {
    match (A::WORDS, size_of::<R>()) {
        (1, 1) => cast(narrow(lower_32_16(cast(value)))),
        (1, 2) => cast(lower_32_16(cast(value))),
        (1, _) => cast(lower_32_32(cast(value))),
        (2, 2) => cast(lower_64_16(cast(value))),
        (2, 4) => cast(lower_64_32(cast(value))),
        (2, _) => cast(lower_64_64(cast(value))),
        _ => wide::lower(value),
    }
}

/// `TAKE` and `GIVE` for values that are in one register.
macro_rules! registers {
    ($($take:ident $give:ident: $t:ident $class:ident;)*) => {$(
        #[inline(always)]
        fn $take<const INDEX: usize>() -> $t {
            let value: $t;
            // SAFETY: the line writes one register, from an input of the hole.
            unsafe {
                ptx!($take: "TAKE {v}, {i};", v = out($class) value, i = const INDEX, options(nomem, nostack));
            }
            value
        }

        #[inline(always)]
        fn $give<const INDEX: usize>(value: $t) {
            // SAFETY: the line reads one register, for an output of the hole.
            unsafe {
                ptx!($give: "GIVE {i}, {v};", v = in($class) value, i = const INDEX, options(nomem, nostack));
            }
        }
    )*};
}

registers! {
    take_16 give_16: u16 reg16;
    take_32 give_32: u32 reg32;
    take_64 give_64: u64 reg64;
}

/// Takes a body's input. An input of 16 bytes is in two registers, and is the body's only input.
#[inline(always)]
pub fn take<T: Element, const INDEX: usize>() -> T {
    match size_of::<T>() {
        1 => cast(narrow(take_16::<INDEX>())),
        2 => cast(take_16::<INDEX>()),
        4 => cast(take_32::<INDEX>()),
        8 => cast(take_64::<INDEX>()),
        _ => cast([take_64::<0>(), take_64::<1>()]),
    }
}

/// Gives a body's output. An output of 16 bytes is in two registers, and is the body's only output.
#[inline(always)]
pub fn give<T: Element, const INDEX: usize>(value: T) {
    match size_of::<T>() {
        1 => give_16::<INDEX>(cast::<T, u8>(value) as u16),
        2 => give_16::<INDEX>(cast(value)),
        4 => give_32::<INDEX>(cast(value)),
        8 => give_64::<INDEX>(cast(value)),
        _ => {
            let [low, high]: [u64; 2] = cast(value);
            give_64::<0>(low);
            give_64::<1>(high);
        }
    }
}

/// Takes the two accumulators that are a body's inputs.
#[inline(always)]
pub fn take_both<A: Accumulator>() -> (A, A) {
    match A::WORDS {
        1 | 2 => (take::<A, 0>(), take::<A, 1>()),
        _ => (wide::take_left(), wide::take_right()),
    }
}

/// Takes the accumulator with which a body's inputs begin.
#[inline(always)]
pub fn take_accumulator<A: Accumulator>() -> A {
    match A::WORDS {
        1 | 2 => take::<A, 0>(),
        _ => wide::take_left(),
    }
}

/// Takes the vector that follows an accumulator in a body's inputs. If the accumulator is wide, this also takes the index of the vector's
/// first item. Otherwise the index is 0.
#[inline(always)]
pub fn take_vector<A: Accumulator>() -> (Words, u64) {
    match A::WORDS {
        1 | 2 => {
            let words = [
                take_32::<1>(),
                take_32::<2>(),
                take_32::<3>(),
                take_32::<4>(),
            ];
            (words, 0)
        }
        _ => wide::take_vector::<A>(),
    }
}

/// If the accumulator is wide, takes the item's index from the body's input `INDEX`. Otherwise returns 0.
#[inline(always)]
pub fn take_index<A: Accumulator, const INDEX: usize>() -> u64 {
    match A::WORDS {
        1 | 2 => 0,
        _ => take_64::<INDEX>(),
    }
}

/// If the accumulator is wide, takes the argument `place` of `Op::stream` from the body's input `PLACE`. Otherwise returns 0.
#[inline(always)]
pub fn take_place<A: Accumulator, const PLACE: usize>() -> u32 {
    match A::WORDS {
        1 | 2 => 0,
        _ => take_32::<PLACE>(),
    }
}

/// Gives a result of a wide accumulator as a body's outputs, one register for each word.
#[inline(always)]
pub fn give_result<R: Element>(value: R) {
    wide::give_first(first_bytes(value), size_of::<R>() / 4);
}

/// Gives an accumulator as a body's outputs.
#[inline(always)]
pub fn give_words<A: Accumulator>(value: A) {
    match A::WORDS {
        1 | 2 => give::<A, 0>(value),
        _ => wide::give_first(first_bytes(value), A::WORDS),
    }
}
