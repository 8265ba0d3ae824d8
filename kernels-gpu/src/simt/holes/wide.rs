//! Holes for accumulators of more than 64 bits. Each word of an accumulator is in a register of 32 bits.
//!
//! Operators with such accumulators may use an item's index, which is the last input of `lift`, `total`, `total_of_four`, `bound_of_four`,
//! `place` and `after`.

use bytemuck::cast;

use super::{give_32, take_32, take_64};
use crate::arithmetic::of_two_words;
use crate::element::{accumulator_of_words, accumulator_word, first_bytes, for_each_word};
use crate::element::{Accumulator, AccumulatorWords, Element, Words, ACCUMULATOR_MAX_WORDS};

/// The text of a hole's operands: `{a}, {b}, …`.
macro_rules! operands {
    ($first:ident $($other:ident)*) => {
        concat!("{", stringify!($first), "}" $(, ", {", stringify!($other), "}")*)
    };
}

/// A hole with these inputs. Its outputs are the first words of the array that is returned.
macro_rules! hole {
    ($name:literal ($($input:ident: $class:ident = $value:expr),*) -> $($output:ident $place:literal)*) => {{
        $(let $output: u32;)*
        // SAFETY: a hole has no side effects: its body writes only the hole's outputs, and registers of the body.
        unsafe {
            ptx!(
                hole: concat!("HOLE ", $name, " ", operands!($($output)*), " <- ", hole!(@inputs $($input)*), ";"),
                $($input = in($class) $value,)*
                $($output = out(reg32) $output,)*
                options(pure, nomem, nostack),
            );
        }
        let mut words: AccumulatorWords = [0; ACCUMULATOR_MAX_WORDS];
        $(words[$place] = $output;)*
        words
    }};
    (@inputs) => { "" };
    (@inputs $($input:ident)+) => { operands!($($input)+) };
}

/// A hole whose inputs are the words of four vectors and then an index.
macro_rules! hole_of_four {
    ($name:literal $vectors:ident, $index:ident -> $($outputs:tt)*) => {{
        let [[a0, a1, a2, a3], [b0, b1, b2, b3], [c0, c1, c2, c3], [d0, d1, d2, d3]] = $vectors;
        hole!(
            $name
            (
                a0: reg32 = a0, a1: reg32 = a1, a2: reg32 = a2, a3: reg32 = a3,
                b0: reg32 = b0, b1: reg32 = b1, b2: reg32 = b2, b3: reg32 = b3,
                c0: reg32 = c0, c1: reg32 = c1, c2: reg32 = c2, c3: reg32 = c3,
                d0: reg32 = d0, d1: reg32 = d1, d2: reg32 = d2, d3: reg32 = d3,
                index: reg64 = $index
            )
            -> $($outputs)*
        )
    }};
}

/// The holes of accumulators of `words` words. For each word, the list names an output, a left operand and a right operand. Two numbers
/// follow the names: the word's index, and the index of the right operand's word among a body's inputs.
macro_rules! holes {
    ($($words:literal $module:ident: $($o:ident $l:ident $r:ident $left:literal $right:literal),*;)*) => {
        $(mod $module {
            use super::*;

            #[inline(always)]
            pub fn identity() -> AccumulatorWords {
                hole!("identity" () -> $($o $left)*)
            }

            #[inline(always)]
            pub fn combine(left: AccumulatorWords, right: AccumulatorWords) -> AccumulatorWords {
                hole!("combine" ($($l: reg32 = left[$left],)* $($r: reg32 = right[$left]),*) -> $($o $left)*)
            }

            #[inline(always)]
            pub fn combine_equal(left: AccumulatorWords, right: AccumulatorWords) -> AccumulatorWords {
                hole!("combine_equal" ($($l: reg32 = left[$left],)* $($r: reg32 = right[$left]),*) -> $($o $left)*)
            }

            #[inline(always)]
            pub fn combine_streams(left: AccumulatorWords, right: AccumulatorWords) -> AccumulatorWords {
                hole!("combine_streams" ($($l: reg32 = left[$left],)* $($r: reg32 = right[$left]),*) -> $($o $left)*)
            }

            #[inline(always)]
            pub fn stream([a, b, c, d]: Words, place: u32) -> AccumulatorWords {
                hole!("stream" (a: reg32 = a, b: reg32 = b, c: reg32 = c, d: reg32 = d, place: reg32 = place) -> $($o $left)*)
            }

            #[inline(always)]
            pub fn end_stream(value: AccumulatorWords) -> AccumulatorWords {
                hole!("end_stream" ($($l: reg32 = value[$left]),*) -> $($o $left)*)
            }

            #[inline(always)]
            pub fn total([a, b, c, d]: Words, index: u64) -> AccumulatorWords {
                hole!("total" (a: reg32 = a, b: reg32 = b, c: reg32 = c, d: reg32 = d, index: reg64 = index) -> $($o $left)*)
            }

            #[inline(always)]
            pub fn total_of_four(vectors: [Words; 4], index: u64) -> AccumulatorWords {
                hole_of_four!("total_of_four" vectors, index -> $($o $left)*)
            }

            #[inline(always)]
            pub fn bound_of_four(vectors: [Words; 4], index: u64) -> AccumulatorWords {
                hole_of_four!("bound_of_four" vectors, index -> $($o $left)*)
            }

            #[inline(always)]
            pub fn lift_16(item: u16, index: u64) -> AccumulatorWords {
                hole!("lift" (item: reg16 = item, index: reg64 = index) -> $($o $left)*)
            }

            #[inline(always)]
            pub fn lift_32(item: u32, index: u64) -> AccumulatorWords {
                hole!("lift" (item: reg32 = item, index: reg64 = index) -> $($o $left)*)
            }

            #[inline(always)]
            pub fn lift_64(item: u64, index: u64) -> AccumulatorWords {
                hole!("lift" (item: reg64 = item, index: reg64 = index) -> $($o $left)*)
            }

            #[inline(always)]
            pub fn place(left: AccumulatorWords, [a, b, c, d]: Words, index: u64) -> AccumulatorWords {
                hole!(
                    "place"
                    ($($l: reg32 = left[$left],)* a: reg32 = a, b: reg32 = b, c: reg32 = c, d: reg32 = d, index: reg64 = index)
                    -> w 0 x 1 y 2 z 3
                )
            }

            #[inline(always)]
            pub fn after(left: AccumulatorWords, [a, b, c, d]: Words, index: u64) -> AccumulatorWords {
                hole!(
                    "after"
                    ($($l: reg32 = left[$left],)* a: reg32 = a, b: reg32 = b, c: reg32 = c, d: reg32 = d, index: reg64 = index)
                    -> $($o $left)*
                )
            }

            #[inline(always)]
            pub fn take_vector() -> (Words, u64) {
                let words = [
                    take_32::<$words>(),
                    take_32::<{ $words + 1 }>(),
                    take_32::<{ $words + 2 }>(),
                    take_32::<{ $words + 3 }>(),
                ];
                (words, take_64::<{ $words + 4 }>())
            }

            #[inline(always)]
            pub fn take_right() -> AccumulatorWords {
                let mut words = [0; ACCUMULATOR_MAX_WORDS];
                $(words[$left] = take_32::<$right>();)*
                words
            }
        })*

        /// The identity.
        #[inline(always)]
        pub fn identity<A: Accumulator>() -> A {
            accumulator_of_words(match A::WORDS {
                $($words => $module::identity(),)*
                _ => no_hole(),
            })
        }

        /// `left ⊕ right`.
        #[inline(always)]
        pub fn combine<A: Accumulator>(left: A, right: A) -> A {
            let (left, right) = (words_of(left), words_of(right));
            accumulator_of_words(match A::WORDS {
                $($words => $module::combine(left, right),)*
                _ => no_hole(),
            })
        }

        /// `left ⊕ right`, under the conditions of `Op::combine_equal`.
        #[inline(always)]
        pub fn combine_equal<A: Accumulator>(left: A, right: A) -> A {
            let (left, right) = (words_of(left), words_of(right));
            accumulator_of_words(match A::WORDS {
                $($words => $module::combine_equal(left, right),)*
                _ => no_hole(),
            })
        }

        /// Combines two values of streamed rows (see `Op::STREAMS_ROWS`).
        #[inline(always)]
        pub fn combine_streams<A: Accumulator>(left: A, right: A) -> A {
            let (left, right) = (words_of(left), words_of(right));
            accumulator_of_words(match A::WORDS {
                $($words => $module::combine_streams(left, right),)*
                _ => no_hole(),
            })
        }

        /// Combines the items of a vector of a streamed row, as `Op::stream` does.
        #[inline(always)]
        pub fn stream<A: Accumulator>(words: Words, place: u32) -> A {
            accumulator_of_words(match A::WORDS {
                $($words => $module::stream(words, place),)*
                _ => no_hole(),
            })
        }

        /// Converts a value of a streamed row to the usual form of an accumulator.
        #[inline(always)]
        pub fn end_stream<A: Accumulator>(value: A) -> A {
            let value = words_of(value);
            accumulator_of_words(match A::WORDS {
                $($words => $module::end_stream(value),)*
                _ => no_hole(),
            })
        }

        /// Combines the items of a vector. `index` is the first item's index.
        #[inline(always)]
        pub fn total<A: Accumulator>(words: Words, index: u64) -> A {
            accumulator_of_words(match A::WORDS {
                $($words => $module::total(words, index),)*
                _ => no_hole(),
            })
        }

        /// Combines the items of four vectors. `index` is the first item's index.
        #[inline(always)]
        pub fn total_of_four<A: Accumulator>(vectors: [Words; 4], index: u64) -> A {
            accumulator_of_words(match A::WORDS {
                $($words => $module::total_of_four(vectors, index),)*
                _ => no_hole(),
            })
        }

        /// As [`total_of_four`], but the result may have `index`, the first item's index, in place of the winning item's index (see
        /// `Op::bound_of_four`).
        #[inline(always)]
        pub fn bound_of_four<A: Accumulator>(vectors: [Words; 4], index: u64) -> A {
            accumulator_of_words(match A::WORDS {
                $($words => $module::bound_of_four(vectors, index),)*
                _ => no_hole(),
            })
        }

        /// Lifts the item at this index.
        #[inline(always)]
        pub fn lift<T: Element, A: Accumulator>(item: T, index: u64) -> A {
            accumulator_of_words(match (A::WORDS, size_of::<T>()) {
                $(
                    ($words, 1) => $module::lift_16(cast::<T, u8>(item) as u16, index),
                    ($words, 2) => $module::lift_16(cast(item), index),
                    ($words, 4) => $module::lift_32(cast(item), index),
                    ($words, 8) => $module::lift_64(cast(item), index),
                )*
                _ => no_hole(),
            })
        }

        /// A scan's results for a vector with the prefix `before`. `index` is the index of the vector's first item.
        #[inline(always)]
        pub fn place<A: Accumulator>(before: A, words: Words, index: u64) -> Words {
            let before = words_of(before);
            let results = match A::WORDS {
                $($words => $module::place(before, words, index),)*
                _ => no_hole(),
            };
            [results[0], results[1], results[2], results[3]]
        }

        /// The next vector's prefix: a vector's prefix `before`, combined with the items of that vector. `index` is the index of that
        /// vector's first item.
        #[inline(always)]
        pub fn after<A: Accumulator>(before: A, words: Words, index: u64) -> A {
            let before = words_of(before);
            accumulator_of_words(match A::WORDS {
                $($words => $module::after(before, words, index),)*
                _ => no_hole(),
            })
        }

        /// Takes the vector that follows an accumulator in a body's inputs, and the index of the vector's first item.
        #[inline(always)]
        pub fn take_vector<A: Accumulator>() -> (Words, u64) {
            match A::WORDS {
                $($words => $module::take_vector(),)*
                _ => ([0; 4], 0),
            }
        }

        /// Takes a body's second accumulator.
        #[inline(always)]
        pub fn take_right<A: Accumulator>() -> A {
            of_words(match A::WORDS {
                $($words => $module::take_right(),)*
                _ => no_hole(),
            })
        }
    };
}

holes! {
    3 words_3: o0 l0 r0 0 3, o1 l1 r1 1 4, o2 l2 r2 2 5;
    4 words_4: o0 l0 r0 0 4, o1 l1 r1 1 5, o2 l2 r2 2 6, o3 l3 r3 3 7;
    6 words_6: o0 l0 r0 0 6, o1 l1 r1 1 7, o2 l2 r2 2 8, o3 l3 r3 3 9, o4 l4 r4 4 10, o5 l5 r5 5 11;
    8 words_8: o0 l0 r0 0 8, o1 l1 r1 1 9, o2 l2 r2 2 10, o3 l3 r3 3 11, o4 l4 r4 4 12, o5 l5 r5 5 13, o6 l6 r6 6 14, o7 l7 r7 7 15;
    12 words_12: o0 l0 r0 0 12, o1 l1 r1 1 13, o2 l2 r2 2 14, o3 l3 r3 3 15, o4 l4 r4 4 16, o5 l5 r5 5 17, o6 l6 r6 6 18, o7 l7 r7 7 19, o8 l8 r8 8 20, o9 l9 r9 9 21, o10 l10 r10 10 22, o11 l11 r11 11 23;
    14 words_14: o0 l0 r0 0 14, o1 l1 r1 1 15, o2 l2 r2 2 16, o3 l3 r3 3 17, o4 l4 r4 4 18, o5 l5 r5 5 19, o6 l6 r6 6 20, o7 l7 r7 7 21, o8 l8 r8 8 22, o9 l9 r9 9 23, o10 l10 r10 10 24, o11 l11 r11 11 25, o12 l12 r12 12 26, o13 l13 r13 13 27;
}

/// The function `lower`. Each line begins with the number of words of an accumulator, and the number of words of its result.
macro_rules! lowers {
    ($($words:literal $result:literal: $($l:ident $left:literal)* -> $($o:ident $place:literal)*;)*) => {
        /// Lowers an accumulator to a result.
        #[inline(always)]
        pub fn lower<A: Accumulator, R: Element>(value: A) -> R {
            let value = words_of(value);
            first_bytes(match (A::WORDS, size_of::<R>() / 4) {
                $(($words, $result) => hole!("lower" ($($l: reg32 = value[$left]),*) -> $($o $place)*),)*
                _ => no_hole(),
            })
        }
    };
}

lowers! {
    3 2: l0 0 l1 1 l2 2 -> o0 0 o1 1;
    4 2: l0 0 l1 1 l2 2 l3 3 -> o0 0 o1 1;
    4 4: l0 0 l1 1 l2 2 l3 3 -> o0 0 o1 1 o2 2 o3 3;
    6 4: l0 0 l1 1 l2 2 l3 3 l4 4 l5 5 -> o0 0 o1 1 o2 2 o3 3;
    6 6: l0 0 l1 1 l2 2 l3 3 l4 4 l5 5 -> o0 0 o1 1 o2 2 o3 3 o4 4 o5 5;
    8 4: l0 0 l1 1 l2 2 l3 3 l4 4 l5 5 l6 6 l7 7 -> o0 0 o1 1 o2 2 o3 3;
    12 10: l0 0 l1 1 l2 2 l3 3 l4 4 l5 5 l6 6 l7 7 l8 8 l9 9 l10 10 l11 11 -> o0 0 o1 1 o2 2 o3 3 o4 4 o5 5 o6 6 o7 7 o8 8 o9 9;
    14 10: l0 0 l1 1 l2 2 l3 3 l4 4 l5 5 l6 6 l7 7 l8 8 l9 9 l10 10 l11 11 l12 12 l13 13 -> o0 0 o1 1 o2 2 o3 3 o4 4 o5 5 o6 6 o7 7 o8 8 o9 9;
}

/// Stands in for a hole with an accumulator, item or result of a size that no skeleton has.
#[inline(always)]
fn no_hole() -> AccumulatorWords {
    [0; ACCUMULATOR_MAX_WORDS]
}

/// The words of an accumulator.
#[inline(always)]
fn words_of<A: Accumulator>(value: A) -> AccumulatorWords {
    let mut words = [0; ACCUMULATOR_MAX_WORDS];
    for_each_word!(W of A => { words[W] = accumulator_word(value, W); });
    words
}

/// Takes a body's first accumulator.
#[inline(always)]
pub fn take_left<A: Accumulator>() -> A {
    let mut words = [0; ACCUMULATOR_MAX_WORDS];
    for_each_word!(W of A => { words[W] = take_32::<W>(); });
    of_words(words)
}

/// Makes an accumulator from a body's inputs. If the accumulator has the alignment of 64-bit numbers, it consists of
/// such numbers, and each is made from two registers.
#[inline(always)]
fn of_words<A: Accumulator>(words: AccumulatorWords) -> A {
    if align_of::<A>() < align_of::<u64>() {
        return accumulator_of_words(words);
    }
    let mut numbers = [0_u64; ACCUMULATOR_MAX_WORDS / 2];
    for_each_word!(W of A => {
        if W % 2 == 0 {
            numbers[W / 2] = of_two_words(words[W], words[W | 1]);
        }
    });
    first_bytes(numbers)
}

/// Gives the first `count` words as a body's outputs.
#[inline(always)]
pub fn give_first(words: AccumulatorWords, count: usize) {
    for_each_word!(W of AccumulatorWords => {
        if W < count {
            give_32::<W>(words[W]);
        }
    });
}
