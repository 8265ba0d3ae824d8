//! One warp: reductions and scans over the 32 lanes by shuffles, unrolled.
//!
//! Every unsafe function here is convergent (see [`crate::simt`]): all 32 lanes call it. No function needs shared memory or a barrier. A
//! shuffle of a value is one instruction for each of its words of 32 bits.

use crate::contract::{Tree, THREAD_VECTORS, WARP_LANES};
use crate::element::{accumulator_of_words, accumulator_word, for_each_word};
use crate::element::{Accumulator, Element, ACCUMULATOR_MAX_WORDS};
use crate::op::Op;
use crate::simt;
use crate::thread::for_each_vector;

/// The `value` of the lane whose number is greater by `delta`, or the calling lane's own value if there is no such lane.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_down<A: Accumulator>(value: A, delta: u32) -> A {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { by_words(value, |word| simt::shuffle_down(word, delta)) }
}

/// The `value` of the lane whose number is smaller by `delta`, or the calling lane's own value if there is no such lane.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_up<A: Accumulator>(value: A, delta: u32) -> A {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { by_words(value, |word| simt::shuffle_up(word, delta)) }
}

/// The `value` of lane `lane`.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn shuffle_from<A: Accumulator>(value: A, lane: u32) -> A {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe { by_words(value, |word| simt::shuffle_from(word, lane)) }
}

/// The bits that are set on at least one lane.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn or(mut bits: u32) -> u32 {
    let mut delta = WARP_LANES / 2;
    while delta > 0 {
        // SAFETY: the whole warp calls it (condition of this function).
        bits |= unsafe { simt::shuffle_from(bits, simt::lane() ^ delta) };
        delta /= 2;
    }
    bits
}

/// Shuffles each word of a value.
///
/// # Safety
/// The conditions of `shuffle`, which is called once for each word.
#[inline(always)]
unsafe fn by_words<A: Accumulator>(value: A, shuffle: impl Fn(u32) -> u32) -> A {
    let mut words = [0; ACCUMULATOR_MAX_WORDS];
    for_each_word!(W of A => { words[W] = shuffle(accumulator_word(value, W)); });
    accumulator_of_words(words)
}

/// Combines the values of the lowest `LANES` lanes, halves first: lane `i` combines its value with the value of lane `i + LANES/2`, then
/// with those of lanes `i + LANES/4`, …, `i + 1`. The result is valid on lane 0. This takes 5 shuffles for 32 lanes, and 3 shuffles for 8
/// lanes.
///
/// # Safety
/// Convergent: the whole warp. `LANES` is a power of two, at most 32.
#[inline(always)]
pub unsafe fn reduce<O: Op<T>, T: Element, const LANES: u32>(
    mut value: O::Accumulator,
) -> O::Accumulator {
    let mut delta = LANES / 2;
    while delta > 0 {
        // SAFETY: the whole warp calls it, and `LANES` is a power of two up to 32 (conditions of this function).
        value = O::combine(value, unsafe { shuffle_down(value, delta) });
        delta /= 2;
    }
    value
}

/// Combines the lanes' values in the order in which a scan combines the aggregates of a tile group: see [`Tree`]. The result is valid on
/// lane 0. This takes 5 shuffles.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn reduce_group<O: Op<T>, T: Element>(value: O::Accumulator) -> O::Accumulator {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe {
        match O::GROUP_TREE {
            Tree::Halves => reduce::<O, T, WARP_LANES>(value),
            Tree::Neighbours => reduce_in_order::<O, T>(value),
        }
    }
}

/// Does eight reductions at once. Each lane has eight values, and reduction `i` combines value `i` of all lanes. In each of the first three
/// steps, the lanes form pairs, and the two lanes of a pair share the work: one lane combines the pair's values for half of the reductions,
/// and the other lane for the rest. The result of reduction `i` is valid on lane [`lane_of_eighth(i)`](lane_of_eighth). The function takes
/// 9 shuffles. Eight calls of [`reduce`] would take 40. The operator has to commute, because half of the lanes combine the upper lane's
/// value on the left with the lower lane's value on the right.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn reduce_eight<O: Op<T>, T: Element>(values: [O::Accumulator; 8]) -> O::Accumulator {
    let [a, b, c, d, e, f, g, h] = values;
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe {
        let a = share(a, e, 16, 0, O::combine);
        let b = share(b, f, 16, 0, O::combine);
        let c = share(c, g, 16, 0, O::combine);
        let d = share(d, h, 16, 0, O::combine);
        let a = share(a, c, 8, 0, O::combine);
        let b = share(b, d, 8, 0, O::combine);
        let a = share(a, b, 4, 0, O::combine);
        let a = join(a, 2, 0, O::combine);
        join(a, 1, 0, O::combine)
    }
}

/// The lane on which the result of reduction `i` of [`reduce_eight`] is valid.
#[inline(always)]
pub const fn lane_of_eighth(i: u32) -> u32 {
    i * (WARP_LANES / 8)
}

/// Pairs of lanes that are `delta` apart exchange values: the lower lane combines the `low` values of both lanes, and the upper lane
/// combines the `high` values of both lanes. The operator has to commute, because the upper lane combines its own value on the left with
/// the lower lane's value on the right. If bit `i` of `same` is set, word `i` is the same in all these values, and is not exchanged.
///
/// # Safety
/// Convergent: the whole warp. `delta` is a power of two, less than 32.
#[inline(always)]
pub unsafe fn share<A: Accumulator>(
    low: A,
    high: A,
    delta: u32,
    same: u32,
    combine: impl Fn(A, A) -> A,
) -> A {
    let is_upper = simt::lane() & delta != 0;
    let (kept, sent) = if is_upper { (high, low) } else { (low, high) };
    // SAFETY: the whole warp calls it, and `delta` is as `exchange` needs it (conditions of this function).
    combine(kept, unsafe { exchange(sent, delta, same) })
}

/// Pairs of lanes that are `delta` apart combine their values. Both lanes get the result. The operator and `same` are as for [`share`].
///
/// # Safety
/// Convergent: the whole warp. `delta` is a power of two, less than 32.
#[inline(always)]
pub unsafe fn join<A: Accumulator>(
    value: A,
    delta: u32,
    same: u32,
    combine: impl Fn(A, A) -> A,
) -> A {
    // SAFETY: the whole warp calls it, and `delta` is as `exchange` needs it (conditions of this function).
    combine(value, unsafe { exchange(value, delta, same) })
}

/// The `value` of the lane whose number differs from this lane's number only in the bit `delta`. If bit `i` of `same` is set, word `i` is
/// not exchanged, and the result has this lane's own word.
///
/// # Safety
/// Convergent: the whole warp. `delta` is a power of two, less than 32.
#[inline(always)]
unsafe fn exchange<A: Accumulator>(value: A, delta: u32, same: u32) -> A {
    let other = simt::lane() ^ delta;
    let mut words = [0; ACCUMULATOR_MAX_WORDS];
    for_each_word!(W of A => {
        words[W] = accumulator_word(value, W);
        if same >> W & 1 == 0 {
            // SAFETY: the whole warp calls it, and `other` is a lane (conditions of this function).
            words[W] = unsafe { simt::shuffle_from(words[W], other) };
        }
    });
    accumulator_of_words(words)
}

/// Combines the lanes' values, neighbours first: lane `i` combines its value with the value of lane `i + 1`, then with those of lanes `i +
/// 2`, `i + 4`, `i + 8` and `i + 16`. The result is valid on lane 0.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn reduce_in_order<O: Op<T>, T: Element>(mut value: O::Accumulator) -> O::Accumulator {
    let mut delta = 1;
    while delta < WARP_LANES {
        // SAFETY: the whole warp calls it (condition of this function).
        value = O::combine(value, unsafe { shuffle_down(value, delta) });
        delta *= 2;
    }
    value
}

/// Inclusive scans over the lanes, one for each of the first `count` values, by Kogge and Stone (1973). In step `s` = 1, 2, 4, 8, 16, lane
/// `l ≥ s` combines two values: the value of lane `l − s` on the left, and its own value on the right. The results are valid on every lane.
/// This takes 5 shuffles for each value.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn inclusive_scans<O: Op<T>, T: Element>(
    values: &mut [O::Accumulator; THREAD_VECTORS],
    count: usize,
) {
    // SAFETY: the whole warp calls it (condition of this function).
    unsafe {
        step::<O, T>(values, count, 1);
        step::<O, T>(values, count, 2);
        step::<O, T>(values, count, 4);
        step::<O, T>(values, count, 8);
        step::<O, T>(values, count, 16);
    }
}

/// A step of [`inclusive_scans`]. It is a function, because the compiler would not unroll a loop over the steps.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
unsafe fn step<O: Op<T>, T: Element>(
    values: &mut [O::Accumulator; THREAD_VECTORS],
    count: usize,
    delta: u32,
) {
    for_each_vector!(V => {
        if V < count {
            // SAFETY: the whole warp calls it (condition of this function).
            let below = unsafe { shuffle_up(values[V], delta) };
            let both = O::combine(below, values[V]);
            values[V] = if simt::lane() >= delta { both } else { values[V] };
        }
    });
}

/// Each lane's prefix, from a value scanned by [`inclusive_scans`]: the previous lane's value, or the identity on lane 0. This takes 1
/// shuffle.
///
/// # Safety
/// Convergent: the whole warp.
#[inline(always)]
pub unsafe fn exclusive_of<O: Op<T>, T: Element>(inclusive: O::Accumulator) -> O::Accumulator {
    // SAFETY: the whole warp calls it (condition of this function).
    let below = unsafe { shuffle_up(inclusive, 1) };
    if simt::lane() == 0 {
        O::identity()
    } else {
        below
    }
}
