//! Computes the expected results. For integers, a plain loop computes them. For floats, the reference computes them, which is [`Cpu`].
//!
//! The loops are in this file, and know nothing of tiles or accumulators.

use crate::device::{Item, Kernel};
use warpfold::cust_half::{bf16, f16};
use warpfold::{Cpu, LogSumExp, Max, Min, Op, Product, Sum, WideSum, kind, reduce, scan};

/// An operator with expected results of its reductions.
pub trait Reduction<T: Item>: Kernel<kind::reduce, T> {
    fn reduced(items: &[T]) -> Self::Output;

    /// The reduction by a plain loop, or `None` if the result depends on the order.
    fn plainly_reduced(items: &[T]) -> Option<Self::Output>;
}

/// An operator with expected results of its scans.
pub trait Scan<T: Item>:
    Kernel<kind::inclusive_scan, T, Output = T> + Kernel<kind::exclusive_scan, T, Output = T>
{
    fn inclusive(items: &[T]) -> Vec<T>;

    fn exclusive(items: &[T]) -> Vec<T>;

    /// Both scans by a plain loop, or `None` if the results depend on the order.
    fn plainly_scanned(items: &[T]) -> Option<[Vec<T>; 2]>;
}

/// The inclusive and the exclusive scan, by a plain loop.
fn scanned<T: Copy>(items: &[T], start: T, step: impl Fn(T, T) -> T) -> [Vec<T>; 2] {
    let (mut inclusive, mut exclusive) = (Vec::new(), Vec::new());
    let mut total = start;
    for &item in items {
        exclusive.push(total);
        total = step(total, item);
        inclusive.push(total);
    }
    [inclusive, exclusive]
}

/// Implements [`Reduction`] and [`Scan`] by plain loops. The arguments are the operator, the items' type, the result for no items, and the
/// function that combines one more item.
macro_rules! by_loops {
    ($op:ident, $t:ident, $start:expr, $step:expr) => {
        impl Reduction<$t> for $op {
            fn reduced(items: &[$t]) -> $t {
                items.iter().copied().fold($start, $step)
            }

            fn plainly_reduced(items: &[$t]) -> Option<$t> {
                Some(Self::reduced(items))
            }
        }

        impl Scan<$t> for $op {
            fn inclusive(items: &[$t]) -> Vec<$t> {
                let [inclusive, _] = scanned(items, $start, $step);
                inclusive
            }

            fn exclusive(items: &[$t]) -> Vec<$t> {
                let [_, exclusive] = scanned(items, $start, $step);
                exclusive
            }

            fn plainly_scanned(items: &[$t]) -> Option<[Vec<$t>; 2]> {
                Some(scanned(items, $start, $step))
            }
        }
    };
}

/// Implements [`Reduction`] by the reference. For operators other than `WideSum` and `LogSumExp`, also implements [`Scan`]. If a start and
/// a step are given, a plain loop also computes the results. It begins with the start, and the step combines one more item.
macro_rules! by_reference {
    ($op:ident, $t:ident $(, $start:expr, $step:expr)?) => {
        impl Reduction<$t> for $op {
            fn reduced(items: &[$t]) -> <$op as Op<$t>>::Output {
                reduce::<$op, _>(items).wait(Cpu).unwrap()
            }

            fn plainly_reduced(_items: &[$t]) -> Option<<$op as Op<$t>>::Output> {
                by_reference!(plain $(_items.iter().copied().fold($start, $step))?)
            }
        }

        by_reference!(scans $op, $t $(, $start, $step)?);
    };
    (scans WideSum, $t:ident) => {};
    (scans LogSumExp, $t:ident) => {};
    (scans $op:ident, $t:ident $(, $start:expr, $step:expr)?) => {
        impl Scan<$t> for $op {
            fn inclusive(items: &[$t]) -> Vec<$t> {
                scan::<$op, _>(items).wait(Cpu).unwrap()
            }

            fn exclusive(items: &[$t]) -> Vec<$t> {
                scan::<$op, _>(items).exclusive().wait(Cpu).unwrap()
            }

            fn plainly_scanned(_items: &[$t]) -> Option<[Vec<$t>; 2]> {
                by_reference!(plain $(scanned(_items, $start, $step))?)
            }
        }
    };
    (plain) => { None };
    (plain $found:expr) => { Some($found) };
}

macro_rules! integers {
    ($($t:ident $(=> $wide:ident)?;)*) => {$(
        by_loops!(Sum, $t, 0, <$t>::wrapping_add);
        by_loops!(Product, $t, 1, <$t>::wrapping_mul);
        by_loops!(Min, $t, <$t>::MAX, Ord::min);
        by_loops!(Max, $t, <$t>::MIN, Ord::max);
        $(
            impl Reduction<$t> for WideSum {
                fn reduced(items: &[$t]) -> $wide {
                    let wide = items.iter().map(|&item| $wide::from(item));
                    wide.fold(0, $wide::wrapping_add)
                }

                fn plainly_reduced(items: &[$t]) -> Option<$wide> {
                    Some(Self::reduced(items))
                }
            }
        )?
    )*};
}

/// Each line has a float type, and the NaN that `Min` and `Max` return if an item is a NaN.
macro_rules! floats {
    ($($t:ident: $nan:expr;)*) => {$(
        by_reference!(Sum, $t);
        by_reference!(Product, $t);
        by_reference!(Min, $t, $t::INFINITY, |a: $t, b: $t| match () {
            _ if a.is_nan() || b.is_nan() => $nan,
            _ if a < b || a == b && a.is_sign_negative() => a,
            _ => b,
        });
        by_reference!(Max, $t, $t::NEG_INFINITY, |a: $t, b: $t| match () {
            _ if a.is_nan() || b.is_nan() => $nan,
            _ if a > b || a == b && a.is_sign_positive() => a,
            _ => b,
        });
    )*};
}

integers! {
    i8 => i64; u8 => u64; i16 => i64; u16 => u64; i32 => i64; u32 => u64; i64; u64;
}
floats! {
    f32: f32::NAN;
    f64: f64::NAN;
    f16: f16::from_bits(0x7fff);
    bf16: bf16::from_bits(0x7fff);
}
by_reference!(WideSum, f32);
by_reference!(WideSum, f16);
by_reference!(WideSum, bf16);
by_reference!(LogSumExp, f32);
