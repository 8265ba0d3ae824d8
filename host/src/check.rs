//! Checks of operators, predicates and equalities. In a test of a program, a check takes one line. An operator is checked in two ways:
//!
//! ```text
//! laws     on the items' own values and on combinations of them, on the host: identity, association, commutation
//! bits     reductions and scans of several lengths, on the GPU and by `reference`
//! ```
//!
//! The check covers only the given items and combinations of them, so include equal items and extreme values (zeros of both signs,
//! infinities, NaN, the least and the greatest value).

mod bytes;
mod choices;
mod floats;
mod near;

use std::any::type_name;
use std::fmt;

use bytemuck::bytes_of;

use crate::error::Error;
use crate::gpu::Gpu;
use crate::kernel::{Item, Kernel, kind};
use crate::request::{Cpu, reduce, scan};
use crate::{Commutative, Op, Pair};
pub use bytes::Bytes;
use bytes::hint;
pub use choices::{check_equality, check_predicate};
use near::is_near;

/// The numbers of items for which the device's bits are compared with the host's. They are close to the sizes of a vector, a warp, a block,
/// one tile and several tiles.
const LENGTHS: [usize; 9] = [1, 3, 17, 33, 257, 1025, 8191, 8193, 40_000];

/// All triples of values are checked if there are at most this many values.
const ALL_TRIPLES: usize = 12;

/// With more than [`ALL_TRIPLES`] values, value `i` is checked with the values `i + step` and `i + 2 · step + 1`, for each of these steps.
/// Where such an index exceeds the number of values, it wraps around.
const STEPS: [usize; 8] = [1, 2, 3, 5, 7, 11, 13, 17];

/// The reason why a check failed: for example, the operator breaks a law. Its `Debug` prints the same text as its `Display`, since `?` in a
/// test or in `main` prints the `Debug`.
///
/// ```
/// use warpfold::{Max, OperatorFlaw, check_operator};
///
/// let flaw = check_operator::<Max, f32>(&[]).unwrap_err();
/// assert!(matches!(flaw, OperatorFlaw::NoItems { .. }));
/// assert!(flaw.to_string().starts_with("no items were given to check"));
/// ```
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OperatorFlaw {
    /// No items were given for the check.
    #[error("no items were given to check {operator} with")]
    NoItems {
        /// The type of the operator, of the predicate or of the equality.
        operator: &'static str,
    },

    /// Combining with the identity changes a value.
    #[error(
        "{operator}: the identity is not exact: combined with it on the {side}, {value} becomes {result}{}",
        hint(.value, .result)
    )]
    Identity {
        /// The operator's type.
        operator: &'static str,
        /// The side on which the identity stood: left or right.
        side: &'static str,
        /// The value as it is written to an output.
        value: Bytes,
        /// The result of combining `value` with the identity, as it is written to an output.
        result: Bytes,
    },

    /// The operator's identity item ([`Op::identity_item`]) is not lifted to the identity.
    #[error("{operator}: the identity item is lifted to {found}, and the identity is {identity}")]
    IdentityItem {
        /// The operator's type.
        operator: &'static str,
        /// The lifted identity item, as it is written to an output.
        found: Bytes,
        /// The identity, as it is written to an output.
        identity: Bytes,
    },

    /// The result depends on how the values are grouped. If the operator says that it is exact, a difference of one bit is a flaw.
    /// Otherwise, a difference that rounding can explain is no flaw.
    #[error(
        "{operator} is not associative{}: of {}, {} and {}, (a ⊕ b) ⊕ c is {left} and a ⊕ (b ⊕ c) is {right}{}",
        claim(.claims_exact), .operands[0], .operands[1], .operands[2], hint(.left, .right)
    )]
    Association {
        /// The operator's type.
        operator: &'static str,
        /// Whether the operator says that it is exact. If it does, both results must have the same bits.
        claims_exact: bool,
        /// The three values, as they are written to an output.
        operands: [Bytes; 3],
        /// `(a ⊕ b) ⊕ c`.
        left: Bytes,
        /// `a ⊕ (b ⊕ c)`.
        right: Bytes,
    },

    /// The result depends on the order of the values. If the operator says that it is exact, a difference of one bit is a flaw. Otherwise,
    /// a difference that rounding can explain is no flaw.
    #[error(
        "{operator} is not commutative{}: of {} and {}, a ⊕ b is {left} and b ⊕ a is {right}{}",
        claim(.claims_exact), .operands[0], .operands[1], hint(.left, .right)
    )]
    Commutation {
        /// The operator's type.
        operator: &'static str,
        /// Whether the operator says that it is exact. If it does, both results must have the same bits.
        claims_exact: bool,
        /// The two values, as they are written to an output.
        operands: [Bytes; 2],
        /// `a ⊕ b`.
        left: Bytes,
        /// `b ⊕ a`.
        right: Bytes,
    },

    /// The device returns other bits than the host.
    #[error(
        "{operator}: {kind} of {item_count} items gives {device} on the device and {host} on the host, at place {place}{}",
        hint(.device, .host)
    )]
    Bits {
        /// The operator's type.
        operator: &'static str,
        /// What was computed on the device and on the host: for example, a reduction.
        kind: &'static str,
        /// The number of items.
        item_count: usize,
        /// The index of the first result that differs; 0 for a reduction.
        place: usize,
        /// The device's result.
        device: Bytes,
        /// The host's result.
        host: Bytes,
    },

    /// A predicate of one item, or an equality of two items, has different answers on the device and on the host.
    #[error(
        "{operator}: of {} it says {device} on the device and {host} on the host",
        .items.iter().map(Bytes::to_string).collect::<Vec<_>>().join(" and ")
    )]
    Choice {
        /// The type of the predicate or of the equality.
        operator: &'static str,
        /// The item, or the two items.
        items: Vec<Bytes>,
        /// The device's answer.
        device: bool,
        /// The host's answer.
        host: bool,
    },

    /// The GPU could not be opened, or a call on it failed.
    #[error(transparent)]
    Gpu(#[from] Error),
}

impl fmt::Debug for OperatorFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn claim(claims_exact: &bool) -> &'static str {
    match claims_exact {
        true => ", though it says that it is exact",
        false => "",
    }
}

/// Checks an operator that can be used in reductions and in scans. The check uses `items` and combinations of them.
///
/// A test of a program may call it like this:
///
/// ```
/// # fn main() -> Result<(), warpfold::OperatorFlaw> {
/// use warpfold::{Max, check_operator};
/// check_operator::<Max, f32>(&[0.0, -0.0, 1.5, -2.0, f32::INFINITY, f32::NAN])
/// # }
/// ```
///
/// If the operator rounds ([`Op::EXACT`] is false), another grouping or order of the values may change results by rounding. A difference is
/// accepted up to a thousandth of the largest finite absolute value among operands and results. For this comparison, the bytes are read as
/// floats of a type that suits the result's alignment: for example, as `f32` if the alignment is 4 bytes. The device's bits must equal the
/// host's bits in any case.
///
/// # Errors
///
/// The first flaw that is found. If the GPU cannot be opened or a call on it fails: [`OperatorFlaw::Gpu`].
pub fn check_operator<O, T>(items: &[T]) -> Result<(), OperatorFlaw>
where
    T: Item,
    // `Op<T>` is the first bound of `O` so that the compiler can infer `T` for an operator with one type of items.
    O: Op<T>
        + Commutative
        + Kernel<kind::reduce, T>
        + Kernel<kind::inclusive_scan, T>
        + Kernel<kind::exclusive_scan, T>,
{
    check_reduce_operator::<O, T>(items)?;
    check_scans::<O, T>(items)
}

/// Checks the reductions of an operator. The operator need not have scans. In all other respects, the check is that of [`check_operator`].
///
/// ```
/// use warpfold::{Moments, check_reduce_operator};
/// check_reduce_operator::<Moments, f32>(&[0.0, 1.5, -2.0, 1e6])?;
/// # Ok::<(), warpfold::OperatorFlaw>(())
/// ```
///
/// # Errors
///
/// The same as for [`check_operator`].
pub fn check_reduce_operator<O, T>(items: &[T]) -> Result<(), OperatorFlaw>
where
    T: Item,
    O: Op<T> + Commutative + Kernel<kind::reduce, T>,
{
    let laws = Laws::<O, T>::new(items)?;
    laws.check()?;
    laws.check_commutation()?;
    for item_count in LENGTHS {
        let items = repeated(items, item_count);
        let device = reduce::<O, _>(&items).wait(Gpu::global()?)?;
        let host = reduce::<O, _>(&items).wait(Cpu)?;
        compare::<O, _, _>("a reduction", &[device], &[host], item_count)?;
    }
    Ok(())
}

/// Checks the reductions of an operator on pairs. The two halves of the pairs are passed to a reduction as two arrays. The operator need
/// not have scans. In all other respects, the check is that of [`check_operator`].
///
/// ```
/// use warpfold::{Dot, Pair, check_pairs_operator};
/// check_pairs_operator::<Dot, f32, f32>(&[Pair(0.5, -2.0), Pair(-0.0, 3.0), Pair(1e-45, 1.0)])?;
/// # Ok::<(), warpfold::OperatorFlaw>(())
/// ```
///
/// # Errors
///
/// The same as for [`check_operator`].
pub fn check_pairs_operator<O, A, B>(items: &[Pair<A, B>]) -> Result<(), OperatorFlaw>
where
    A: Item,
    B: Item,
    Pair<A, B>: Item,
    O: Op<Pair<A, B>> + Commutative + Kernel<kind::reduce_pairs, Pair<A, B>>,
{
    let laws = Laws::<O, Pair<A, B>>::new(items)?;
    laws.check()?;
    laws.check_commutation()?;
    for item_count in LENGTHS {
        let items = repeated(items, item_count);
        let (left, right): (Vec<A>, Vec<B>) = items.iter().map(|pair| (pair.0, pair.1)).unzip();
        let request = || reduce::<O, _>((&left, &right));
        let device = request().wait(Gpu::global()?)?;
        let host = request().wait(Cpu)?;
        compare::<O, _, _>("a reduction of pairs", &[device], &[host], item_count)?;
    }
    Ok(())
}

/// Checks the scans of an operator. The operator need not commute. In all other respects, the check is that of [`check_operator`].
///
/// ```
/// use warpfold::{ArgMax, check_scan_operator};
/// check_scan_operator::<ArgMax, i32>(&[0, 7, -2, 7, i32::MAX])?;
/// # Ok::<(), warpfold::OperatorFlaw>(())
/// ```
///
/// # Errors
///
/// The same as for [`check_operator`].
pub fn check_scan_operator<O, T>(items: &[T]) -> Result<(), OperatorFlaw>
where
    T: Item,
    O: Kernel<kind::inclusive_scan, T> + Kernel<kind::exclusive_scan, T>,
{
    Laws::<O, T>::new(items)?.check()?;
    check_scans::<O, T>(items)
}

fn check_scans<O, T>(items: &[T]) -> Result<(), OperatorFlaw>
where
    T: Item,
    O: Kernel<kind::inclusive_scan, T> + Kernel<kind::exclusive_scan, T>,
{
    for item_count in LENGTHS {
        let items = repeated(items, item_count);
        let inclusive = || scan::<O, _>(&items);
        let device = inclusive().wait(Gpu::global()?)?;
        let host = inclusive().wait(Cpu)?;
        compare::<O, _, _>("an inclusive scan", &device, &host, item_count)?;
        let exclusive = || scan::<O, _>(&items).exclusive();
        let device = exclusive().wait(Gpu::global()?)?;
        let host = exclusive().wait(Cpu)?;
        compare::<O, _, _>("an exclusive scan", &device, &host, item_count)?;
    }
    Ok(())
}

/// `count` items, taken from `items` in a varying order.
fn repeated<T: Copy>(items: &[T], count: usize) -> Vec<T> {
    let places = (0..count).map(|place| (place * 7 + place / items.len()) % items.len());
    places.map(|place| items[place]).collect()
}

fn compare<O: Op<T, Output = R>, T: Item, R: Item>(
    kind: &'static str,
    device: &[R],
    host: &[R],
    item_count: usize,
) -> Result<(), OperatorFlaw> {
    let rounds = !O::EXACT;
    let differs = |(device, host): (&R, &R)| bytes_of(device) != bytes_of(host);
    match std::iter::zip(device, host).position(differs) {
        None => Ok(()),
        Some(place) => Err(OperatorFlaw::Bits {
            operator: type_name::<O>(),
            kind,
            item_count,
            place,
            device: Bytes::of_operator(&device[place], rounds),
            host: Bytes::of_operator(&host[place], rounds),
        }),
    }
}

/// An error if there are no items to check `C` with. `C` is an operator, a predicate or an equality.
fn check_some<C, T>(items: &[T]) -> Result<(), OperatorFlaw> {
    match items {
        [] => Err(OperatorFlaw::NoItems {
            operator: type_name::<C>(),
        }),
        _ => Ok(()),
    }
}

/// The laws of an operator, and values to check them on.
struct Laws<O: Op<T>, T: Item> {
    /// The lifted items, then their running combinations.
    values: Vec<O::Accumulator>,
}

impl<O: Op<T, Output: Item>, T: Item> Laws<O, T> {
    fn new(items: &[T]) -> Result<Self, OperatorFlaw> {
        check_some::<O, T>(items)?;
        let lifted = items.iter().zip(0..);
        let mut values: Vec<_> = lifted
            .map(|(&item, index)| O::lift_at(item, index))
            .collect();
        let mut upto = O::identity();
        for place in 0..values.len() {
            upto = O::combine(upto, values[place]);
            values.push(upto);
        }
        Ok(Self { values })
    }

    /// Checks the laws that every operator has to keep: identity and association.
    fn check(&self) -> Result<(), OperatorFlaw> {
        self.check_identity()?;
        for [a, b, c] in self.triples() {
            let left = O::combine(O::combine(a, b), c);
            let right = O::combine(a, O::combine(b, c));
            if let Some((operands, left, right)) = disagreement::<O, T, 3>([a, b, c], left, right) {
                return Err(OperatorFlaw::Association {
                    operator: type_name::<O>(),
                    claims_exact: O::EXACT,
                    operands,
                    left,
                    right,
                });
            }
        }
        Ok(())
    }

    fn check_identity(&self) -> Result<(), OperatorFlaw> {
        let operator = type_name::<O>();
        let identity = O::identity();
        for &value in &self.values {
            for (side, result) in [
                ("left", O::combine(identity, value)),
                ("right", O::combine(value, identity)),
            ] {
                let (value, result) = (lowered::<O, T>(value), lowered::<O, T>(result));
                if value != result {
                    return Err(OperatorFlaw::Identity {
                        operator,
                        side,
                        value,
                        result,
                    });
                }
            }
        }
        let lifted = O::identity_item().map(O::lift);
        match lifted.map(|lifted| (lowered::<O, T>(lifted), lowered::<O, T>(identity))) {
            Some((found, identity)) if found != identity => Err(OperatorFlaw::IdentityItem {
                operator,
                found,
                identity,
            }),
            _ => Ok(()),
        }
    }

    /// Checks commutation, the law of [`Commutative`] operators.
    fn check_commutation(&self) -> Result<(), OperatorFlaw> {
        for [a, b, _] in self.triples() {
            let (left, right) = (O::combine(a, b), O::combine(b, a));
            if let Some((operands, left, right)) = disagreement::<O, T, 2>([a, b], left, right) {
                return Err(OperatorFlaw::Commutation {
                    operator: type_name::<O>(),
                    claims_exact: O::EXACT,
                    operands,
                    left,
                    right,
                });
            }
        }
        Ok(())
    }

    /// All triples of values, if there are at most [`ALL_TRIPLES`] values. Otherwise the triples that [`STEPS`] chooses.
    fn triples(&self) -> Vec<[O::Accumulator; 3]> {
        let values = &self.values;
        let count = values.len();
        let places: Vec<[usize; 3]> = match count <= ALL_TRIPLES {
            true => (0..count * count * count)
                .map(|i| [i / (count * count), i / count % count, i % count])
                .collect(),
            false => (0..count)
                .flat_map(|i| STEPS.map(|step| [i, (i + step) % count, (i + 2 * step + 1) % count]))
                .collect(),
        };
        places
            .iter()
            .map(|places| places.map(|place| values[place]))
            .collect()
    }
}

/// A value as it is written to an output.
fn lowered<O: Op<T, Output: Item>, T: Item>(value: O::Accumulator) -> Bytes {
    Bytes::of_operator(&O::lower(value), !O::EXACT)
}

/// The alignment of a result. If the type's alignment is 1, as for a [`Pair`], this is the largest alignment that the size allows, up to 8.
fn alignment<R>() -> usize {
    match (align_of::<R>(), size_of::<R>()) {
        (1, size) => 1 << size.trailing_zeros().min(3),
        (alignment, _) => alignment,
    }
}

/// `None` if the results agree: in every bit, or up to rounding for an operator that rounds. Otherwise the operands and both results,
/// lowered.
fn disagreement<O: Op<T, Output: Item>, T: Item, const N: usize>(
    operands: [O::Accumulator; N],
    left: O::Accumulator,
    right: O::Accumulator,
) -> Option<([Bytes; N], Bytes, Bytes)> {
    let operands = operands.map(lowered::<O, T>);
    let (left, right) = (lowered::<O, T>(left), lowered::<O, T>(right));
    let agree =
        left == right || !O::EXACT && is_near(alignment::<O::Output>(), &left, &right, &operands);
    (!agree).then_some((operands, left, right))
}

#[cfg(test)]
mod tests;
