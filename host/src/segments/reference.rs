//! Reductions and scans of segments, and of the rows of matrices, on the CPU. The order of combination is that of
//! [`warpfold_kernels::segments`].

use warpfold_kernels::element::{Accumulator, Element};
use warpfold_kernels::op::Op;
use warpfold_kernels::segments::FAN;

use crate::whole::reference::{Operator, lifted};

/// Combines the items of each segment. Segment `s` has the items `offsets[s]..offsets[s + 1]`. The result of an empty segment is the
/// operator's identity, lowered.
///
/// # Panics
///
/// If the offsets do not ascend, or one is beyond the items.
pub fn segmented_reduce<O: Op<T>, T: Element>(items: &[T], offsets: &[usize]) -> Vec<O::Output> {
    let segments = offsets.windows(2);
    segments
        .map(|ends| segment::<O, T>(&items[ends[0]..ends[1]]))
        .collect()
}

/// A segment's result: the only value of the last level, lowered. An empty segment has the identity as its value.
fn segment<O: Op<T>, T: Element>(items: &[T]) -> O::Output {
    let operator = Operator::of::<O, T>();
    let mut levels = levels(&operator, lifted::<O, T>(items, 0, items.len()));
    let value = levels.pop().and_then(|values| values.first().copied());
    O::lower(value.unwrap_or(operator.identity))
}

/// The levels of a segment. The first level is the segment's items, lifted. Each next level combines every sixteen values of the level
/// before into one, until one value is left.
fn levels<A: Accumulator>(operator: &Operator<A>, lifted: Vec<A>) -> Vec<Vec<A>> {
    let mut levels = vec![lifted];
    while levels[levels.len() - 1].len() > 1 {
        let sixteens = levels[levels.len() - 1].chunks(FAN as usize);
        let folds = sixteens.map(|values| sixteen(operator, values)).collect();
        levels.push(folds);
    }
    levels
}

/// Combines up to sixteen values. If the operator [pairs sixteens](Op::PAIRS_SIXTEENS), the values are combined pairwise, neighbours first.
/// Otherwise, they are combined by a left fold.
fn sixteen<A: Accumulator>(operator: &Operator<A>, values: &[A]) -> A {
    match operator.pairs_sixteens {
        true => operator.pairwise(values),
        false => operator.left_fold(values),
    }
}

/// The inclusive scan of each segment: the results of the items from `offsets[0]` up to the last offset.
///
/// # Panics
///
/// If the offsets do not ascend, or one is beyond the items.
pub fn segmented_inclusive_scan<O: Op<T>, T: Element>(
    items: &[T],
    offsets: &[usize],
) -> Vec<O::Output> {
    scan_segments::<O, T>(items, offsets, O::combine)
}

/// The same as [`segmented_inclusive_scan`], but exclusive: an item is not part of its own result.
///
/// # Panics
///
/// If the offsets do not ascend, or one is beyond the items.
pub fn segmented_exclusive_scan<O: Op<T>, T: Element>(
    items: &[T],
    offsets: &[usize],
) -> Vec<O::Output> {
    scan_segments::<O, T>(items, offsets, |before, _| before)
}

/// Scans each segment. `result` makes an item's result from its prefix and the item.
fn scan_segments<O: Op<T>, T: Element>(
    items: &[T],
    offsets: &[usize],
    result: fn(O::Accumulator, O::Accumulator) -> O::Accumulator,
) -> Vec<O::Output> {
    let operator = Operator::of::<O, T>();
    let mut results = Vec::new();
    for ends in offsets.windows(2) {
        let items = &items[ends[0]..ends[1]];
        let values = lifted::<O, T>(items, 0, items.len());
        for value in scan_segment(&operator, values, result) {
            results.push(O::lower(value));
        }
    }
    results
}

/// The results of a segment's items, not lowered.
fn scan_segment<A: Accumulator>(
    operator: &Operator<A>,
    lifted: Vec<A>,
    result: fn(A, A) -> A,
) -> Vec<A> {
    let levels = levels(operator, lifted);
    // The last level has at most one value, whose prefix is the identity.
    let mut before = vec![operator.identity];
    for values in levels.iter().rev().skip(1) {
        before = before_values(operator, values, &before);
    }
    let placed = std::iter::zip(before, &levels[0]);
    placed.map(|(before, &item)| result(before, item)).collect()
}

/// The prefixes of a level's values. `before_sixteens` has a prefix for every sixteen values: the prefix of the first of them. The prefix
/// of each other value is the prefix of the value before it, combined with that value.
fn before_values<A: Accumulator>(
    operator: &Operator<A>,
    values: &[A],
    before_sixteens: &[A],
) -> Vec<A> {
    let mut before = Vec::with_capacity(values.len());
    for (sixteen, &first) in std::iter::zip(values.chunks(FAN as usize), before_sixteens) {
        let mut upto = first;
        for &value in sixteen {
            before.push(upto);
            upto = operator.combine(upto, value);
        }
    }
    before
}
