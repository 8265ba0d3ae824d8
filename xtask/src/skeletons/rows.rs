//! The rows of the table of kernels, and of which skeleton each is made.

use half::{bf16, f16};
use warpfold_kernels::element::Element;
use warpfold_kernels::op::*;
use warpfold_kernels::selection::Bytes16;

/// A row.
pub struct Row {
    pub symbol: &'static str,
    /// The skeleton's name, if there is one for such kernels.
    pub skeleton: String,
    /// The row whose bodies fill it: of a reduction or scan of segments or columns, the reduction's.
    pub bodies: &'static str,
}

/// The rows whose kernels are compiled whole.
const WHOLE: &[&str] = {
    macro_rules! symbols {
        ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { &[$(stringify!($symbol)),*] };
    }
    warpfold_kernels::for_each_whole_kernel!(symbols)
};

impl Row {
    /// Whether the row keeps a text of its own.
    pub fn keeps_text(&self) -> bool {
        WHOLE.contains(&self.symbol)
    }
}

/// All rows, in the order of the table.
pub fn rows() -> Vec<Row> {
    macro_rules! rows {
        ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
            vec![$(row(stringify!($symbol), $kind::<$op, $t>())),*]
        };
    }
    let mut all = warpfold_kernels::for_each_kernel!(rows);
    all.extend(warpfold_kernels::for_each_pair_kernel!(rows));
    all.extend(warpfold_kernels::for_each_segmented_kernel!(rows));
    all.extend(selections());
    all.extend(warpfold_kernels::for_each_segmented_scan_kernel!(rows));
    all.extend(warpfold_kernels::for_each_columns_kernel!(rows));
    all.extend(warpfold_kernels::for_each_columns_scan_kernel!(rows));
    all
}

/// The rows of the table of selections.
fn selections() -> Vec<Row> {
    macro_rules! rows {
        ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
            vec![$(row(stringify!($symbol), $kind::<$t>())),*]
        };
    }
    fn skeleton<T>(choice: &str) -> String {
        format!("selection_{choice}_{}", 8 * size_of::<T>())
    }
    fn select_if<T>() -> String {
        skeleton::<T>("if")
    }
    fn runs<T>() -> String {
        skeleton::<T>("runs")
    }
    fn select_flagged<T>() -> String {
        skeleton::<T>("flagged")
    }
    warpfold_kernels::for_each_selection_kernel!(rows)
}

fn row(symbol: &'static str, skeleton: String) -> Row {
    Row {
        symbol,
        skeleton,
        bodies: bodies_of(symbol),
    }
}

/// The row whose bodies a row has.
fn bodies_of(symbol: &'static str) -> &'static str {
    let row = symbol
        .strip_prefix("segmented_")
        .or_else(|| symbol.strip_prefix("columns_"));
    let Some(row) = row else {
        return symbol;
    };
    let Some(operator) = row.strip_prefix("scan_") else {
        return row;
    };
    const REDUCTIONS: &[&str] = {
        macro_rules! symbols {
            ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { &[$(stringify!($symbol)),*] };
        }
        warpfold_kernels::for_each_kernel!(symbols)
    };
    let is_reduction = |row: &str| row.strip_prefix("reduce_") == Some(operator);
    let reduction = REDUCTIONS.iter().find(|row| is_reduction(row));
    reduction.expect("the operator of a scan of segments or columns has a reduction")
}

fn reduce<O: Op<T>, T: Element>() -> String {
    let lifts_existing_items = match O::identity_item() {
        Some(_) => "",
        None => "_existing",
    };
    format!(
        "reduce_{}_{}{lifts_existing_items}",
        exactness::<O, T>(),
        widths::<O, T>()
    )
}

fn reduce_pairs<O: Op<Pair<T, T>>, T: Element>() -> String {
    let widths = widths::<O, Pair<T, T>>();
    format!("reduce_pairs_{}_{widths}", exactness::<O, Pair<T, T>>())
}

fn segmented_reduce<O: Op<T>, T: Element>() -> String {
    format!("segmented_reduce_{}", widths::<O, T>())
}

fn segmented_scan<O: Op<T>, T: Element>() -> String {
    format!("segmented_scan_{}", widths::<O, T>())
}

fn columns_reduce<O: Op<T>, T: Element>() -> String {
    format!("columns_reduce_{}", widths::<O, T>())
}

fn columns_scan<O: Op<T>, T: Element>() -> String {
    format!("columns_scan_{}", widths::<O, T>())
}

fn inclusive_scan<O: Op<T>, T: Element>() -> String {
    format!("scan_{}_{}", exactness::<O, T>(), widths::<O, T>())
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
