//! The rows of the table of kernels, and of which skeleton each is made.

use half::{bf16, f16};
use warpfold_kernels::element::Element;
use warpfold_kernels::op::{Max, Min, Op, Product, Sum, WideSum};

/// A row.
pub struct Row {
    pub symbol: &'static str,
    pub skeleton: String,
}

/// The folders in which rows keep a text of their own, since the filled skeleton is worse. By `ptxas` of CUDA 13.0, whole and
/// filled:
///
/// - Reductions of `bf16` that round: a conversion of two instructions, which the compiler joins with taking the item out of
///   its word, is left in two parts. 672 and 720 instructions for 9.0.
/// - Inclusive scans of `f64` that round: the registers do not suffice for 9.0, and 8 bytes are spilled.
const OWN: &[(&str, &[&str])] = &[
    ("reduce_sum_bf16", ALL),
    ("reduce_product_bf16", ALL),
    ("reduce_wide_sum_bf16", ALL),
    ("inclusive_scan_sum_f64", &["sm_90"]),
    ("inclusive_scan_product_f64", &["sm_90"]),
];

const ALL: &[&str] = &["sm_70", "sm_80", "sm_90"];

impl Row {
    /// Whether the row keeps a text of its own in a folder.
    pub fn keeps_text(&self, folder: &str) -> bool {
        let kept = OWN.iter().find(|(symbol, _)| *symbol == self.symbol);
        kept.is_some_and(|(_, folders)| folders.contains(&folder))
    }
}

/// All rows, in the order of the table.
pub fn rows() -> Vec<Row> {
    macro_rules! rows {
        ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
            vec![$(Row { symbol: stringify!($symbol), skeleton: $kind::<$op, $t>() }),*]
        };
    }
    warpfold_kernels::for_each_kernel!(rows)
}

fn reduce<O: Op<T>, T: Element>() -> String {
    format!("reduce_{}_{}", exactness::<O, T>(), widths::<O, T>())
}

fn inclusive_scan<O: Op<T>, T: Element>() -> String {
    match size_of::<O::Accumulator>() {
        4 => format!("scan_{}", widths::<O, T>()),
        _ => format!("scan_{}_{}", exactness::<O, T>(), widths::<O, T>()),
    }
}

use inclusive_scan as exclusive_scan;

fn exactness<O: Op<T>, T: Element>() -> &'static str {
    if O::EXACT { "exact" } else { "rounding" }
}

/// The widths of an item, an accumulator and a result, in bits.
fn widths<O: Op<T>, T: Element>() -> String {
    let [item, accumulator, result] = [
        size_of::<T>(),
        size_of::<O::Accumulator>(),
        size_of::<O::Output>(),
    ]
    .map(|bytes| 8 * bytes);
    format!("{item}_{accumulator}_{result}")
}
