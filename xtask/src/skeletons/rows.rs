//! The rows of the table of kernels, with their skeletons.

use half::{bf16, f16};
use warpfold_kernels::element::Element;
use warpfold_kernels::kind::{Kind, Shape, SkeletonsTell};
use warpfold_kernels::op::*;
use warpfold_kernels::selection::Bytes16;

/// A row.
pub struct Row {
    pub symbol: &'static str,
    /// The name of the row's skeleton, if the row has a skeleton.
    pub skeleton: String,
    /// The row whose bodies fill the skeleton. A row for segments or columns uses the bodies of the row for whole arrays. A row for keys
    /// uses the bodies of the row for runs.
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
            &[$((stringify!($symbol), types!($kind $op $t))),*]
        };
    }
    macro_rules! types {
        (select_if $predicate:ident $t:ident) => {
            Types::of_choice::<$t>
        };
        (runs $equality:ident $t:ident) => {
            Types::of_choice::<$t>
        };
        (heads $equality:ident $t:ident) => {
            Types::of_choice::<$t>
        };
        (select_flagged Flags $t:ident) => {
            Types::of_choice::<$t>
        };
        (reduce_pairs $op:ident $t:ident) => {
            Types::of_operator::<$op, Pair<$t, $t>>
        };
        ($kind:ident $op:ident $t:ident) => {
            Types::of_operator::<$op, $t>
        };
    }
    // Each row holds a function that makes its types. If the rows held the types themselves, the compiler would need minutes for the code
    // that drops them.
    let rows: &[(&str, TypesOf)] = warpfold_kernels::for_each_row!(rows);
    rows.iter()
        .map(|(symbol, types)| row(symbol, &types()))
        .collect()
}

/// Makes the types of a row.
type TypesOf = fn() -> Types;

/// The parts of a skeleton's name that come from the operator and its types.
struct Types {
    /// Whether any order of combination gives the same bits.
    is_exact: bool,
    /// Whether some item lifts to the identity.
    has_identity_item: bool,
    /// The widths in bits, separated by `_`: of an item and, for an operator, also of an accumulator and of a result.
    widths: String,
}

impl Types {
    fn of_operator<O: Op<T>, T: Element>() -> Self {
        let [item, accumulator, result] = [
            size_of::<T>(),
            size_of::<O::Accumulator>(),
            size_of::<O::Output>(),
        ]
        .map(|bytes| 8 * bytes);
        Self {
            is_exact: O::EXACT,
            has_identity_item: O::identity_item().is_some(),
            widths: format!("{item}_{accumulator}_{result}"),
        }
    }

    /// The types of a row with a predicate, an equality or flags, for items of type `T`.
    fn of_choice<T>() -> Self {
        Self {
            is_exact: true,
            has_identity_item: true,
            widths: format!("{}", 8 * size_of::<T>()),
        }
    }
}

fn row(symbol: &'static str, types: &Types) -> Row {
    let (kind, name) = Kind::of(symbol).expect("a row is of a kind");
    let kind = kind.definition();
    let exactness = match (kind.skeletons_tell, types.is_exact) {
        (SkeletonsTell::Nothing, _) => "",
        (_, true) => "_exact",
        (_, false) => "_rounding",
    };
    let tells_identity = kind.skeletons_tell == SkeletonsTell::ExactnessAndIdentity;
    let lifts_existing_items = match tells_identity && !types.has_identity_item {
        true => "_existing",
        false => "",
    };
    let (stem, widths) = (kind.skeleton, &types.widths);
    Row {
        symbol,
        skeleton: format!("{stem}{exactness}_{widths}{lifts_existing_items}"),
        bodies: match kind.shape {
            Shape::Segments | Shape::Columns => whole_array_called(name),
            Shape::Keys => runs_called(name),
            Shape::Array | Shape::Pairs | Shape::Selection => symbol,
        },
    }
}

/// The row for runs that has this name.
fn runs_called(name: &str) -> &'static str {
    const SYMBOLS: &[&str] = {
        macro_rules! symbols {
            ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { &[$(stringify!($symbol)),*] };
        }
        warpfold_kernels::for_each_selection_kernel!(symbols)
    };
    let is_called_so = |symbol: &&&'static str| Kind::of(symbol) == Some((Kind::Runs, name));
    let found = SYMBOLS.iter().find(is_called_so);
    found.expect("the equality of keys has a row for runs")
}

/// The whole-array row of this name: the reduction or, if there is no reduction, the inclusive scan.
fn whole_array_called(name: &str) -> &'static str {
    const SYMBOLS: &[&str] = {
        macro_rules! symbols {
            ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { &[$(stringify!($symbol)),*] };
        }
        warpfold_kernels::for_each_kernel!(symbols)
    };
    let row = |kind| {
        let is_called_so = |symbol: &&&'static str| Kind::of(symbol) == Some((kind, name));
        SYMBOLS.iter().find(is_called_so)
    };
    let found = row(Kind::Reduce).or_else(|| row(Kind::InclusiveScan));
    found.expect("the operator of segments or columns has a reduction or a scan")
}
