//! Operators, predicates and equalities of a program's own: [`operators!`](crate::operators) and [`item!`](crate::item).

/// Makes operators known to the library: each row gives one operator kernels for one type of items.
///
/// The list stands beside the operators, in a file that is compiled twice: as a module of the program, and for the device by the build
/// script, which is one line of `warpfold-build`. For the device, the name `warpfold` means the crate `warpfold-kernels`, so the file uses
/// names that both crates have: [`Op`](crate::Op), [`Commutative`](crate::Commutative), [`item!`](crate::item), this macro, and `core`.
///
/// ```text
/// // build.rs
/// fn main() {
///     warpfold_build::operators("src/operators.rs");
/// }
///
/// // src/operators.rs
/// use warpfold::{Commutative, Op};
///
/// #[derive(Debug, Clone, Copy)]
/// pub struct Gcd;
///
/// impl Op<u32> for Gcd { /* … */ }
/// impl Commutative for Gcd {}
///
/// warpfold::operators! {
///     gcd: Gcd, u32;
/// }
/// ```
///
/// A row reads `name: Operator, Item;` and gives a reduction, those of segments and of columns, scans of segments and of columns, and both scans. With `scans only` after a comma
/// it gives all but the first, since only that needs [`Commutative`](crate::Commutative): all items are then reduced by
/// [`in_order`](crate::Reduce::in_order). With `reduction only` the reduction
/// alone. A row `name: Operator, pairs of A, B;` gives a reduction of two inputs, [`reduce`](crate::reduce()) of two inputs, by an
/// operator on [`Pair<A, B>`](crate::Pair).
///
/// A row `name: Predicate, Item, predicate;` makes a [`Predicate`](crate::Predicate) known, for
/// [`select`](crate::select()), and a row `name: Equality, Item, equality;` an [`Equality`](crate::Equality), for
/// [`runs`](crate::runs()) and for requests by key.
///
/// The kernels are called `reduce_name`, `segmented_reduce_name`, `segmented_scan_name`, `columns_reduce_name`, `columns_scan_name`,
/// `inclusive_scan_name`, `exclusive_scan_name`, `reduce_pairs_name`, `select_if_name` and `runs_name`, in profilers too; the names in a program's list
/// differ from each other.
#[macro_export]
macro_rules! operators {
    (@rows) => {};
    (@rows $name:ident: $op:ty, pairs of $left:ty, $right:ty; $($rest:tt)*) => {
        $crate::operators!(@kernel reduce_pairs $name, $op, $crate::Pair<$left, $right>);
        $crate::operators!(@rows $($rest)*);
    };
    (@rows $name:ident: $predicate:ty, $item:ty, predicate; $($rest:tt)*) => {
        $crate::operators!(@choice SelectKernel select_if $name, $predicate, $item);
        $crate::operators!(@rows $($rest)*);
    };
    (@rows $name:ident: $equality:ty, $item:ty, equality; $($rest:tt)*) => {
        $crate::operators!(@choice RunsKernel runs $name, $equality, $item);
        $crate::operators!(@rows $($rest)*);
    };
    (@rows $name:ident: $op:ty, $item:ty $(, $some:ident $only:ident)?; $($rest:tt)*) => {
        $crate::kernels::with_kinds_of! { [$($some $only)?] [$crate::operators] @kernels $name, $op, $item; }
        $crate::operators!(@rows $($rest)*);
    };
    (@kernels $name:ident, $op:ty, $item:ty; $($kind:ident $emit:ident)*) => {
        $($crate::operators!(@kernel $kind $name, $op, $item);)*
    };
    (@kernel $kind:ident $name:ident, $op:ty, $item:ty) => {
        // A use of the operator, as the compiler counts them: an operator with a row is not dead code, even if only tests ask for it.
        const _: ::core::marker::PhantomData<$op> = ::core::marker::PhantomData;
        // SAFETY: the row is made of the kind, the operator and the items that this line names. `TEXTS` was written by this package's build
        // script to its `OUT_DIR`, for the file with this list. The symbol is this line's name with the kind's prefix: there it is the
        // kernel of the same line, since names differ, or none, and then loading it is an error.
        unsafe impl $crate::Kernel<$crate::kind::$kind, $item> for $op {
            fn row() -> &'static $crate::texts::Row {
                static ROW: $crate::texts::Row =
                    $crate::texts::Row::new::<$crate::kind::$kind, $op, $item>(
                        concat!(stringify!($kind), "_", stringify!($name)),
                        &TEXTS,
                    );
                &ROW
            }
        }
    };
    (@choice $kernel:ident $kind:ident $name:ident, $chooser:ty, $item:ty) => {
        // A use, likewise.
        const _: ::core::marker::PhantomData<$chooser> = ::core::marker::PhantomData;
        // SAFETY: the entry is made for the items that this line names. `TEXTS` was written by this package's build script to its
        // `OUT_DIR`, for the file with this list. The symbol is this line's name with the kind's prefix: there it is the kernel of the same
        // line, since names differ, or none, and then loading it is an error.
        unsafe impl $crate::$kernel<$item> for $chooser {
            fn entry() -> &'static $crate::texts::Entry {
                static ENTRY: $crate::texts::Entry =
                    $crate::texts::Entry::$kind::<$item>(
                        concat!(stringify!($kind), "_", stringify!($name)),
                        &TEXTS,
                    );
                &ENTRY
            }
        }
    };
    ($($rows:tt)*) => {
        const _: () = {
            static TEXTS: $crate::texts::Texts = $crate::built_texts!("operators").without_older();
            $crate::operators!(@rows $($rows)*);
        };
    };
}

/// The texts that the build script has left for [`operators!`](crate::operators) or [`kernels!`](crate::kernels!): a file with an expression.
/// The build script sets a variable to the file's path whenever it runs. So if its line was removed, the variable is not set, and the old
/// file is not used.
#[doc(hidden)]
#[macro_export]
macro_rules! built_texts {
    ("operators") => {
        $crate::built_texts!(@in env!(
            "WARPFOLD_OPERATORS",
            "`operators!` needs a line in the `main` of build.rs, with this file's path: \
             warpfold_build::operators(\"src/operators.rs\");"
        ))
    };
    ("kernels") => {
        $crate::built_texts!(@in env!(
            "WARPFOLD_KERNELS",
            "`kernels!` needs a line in the `main` of build.rs, with this file's path: \
             warpfold_build::kernels(\"src/kernels.rs\");"
        ))
    };
    (@in $path:expr) => {{
        #[allow(unused_imports)]
        use $crate::texts::{Packed, Texts, Variant};
        include!($path)
    }};
}

/// Declares a struct that can be an item or an accumulator: `#[repr(C)]`, `Copy`, `Default` (all bytes zero), [`bytemuck::Pod`]
/// and, with the feature `cust`, `cust`'s `DeviceCopy`.
///
/// Its fields are such types themselves, and there is no padding between or after them: else it does not compile.
///
/// ```
/// warpfold::item! {
///     /// A complex number.
///     pub struct Complex {
///         pub re: f32,
///         pub im: f32,
///     }
/// }
/// assert_eq!(Complex { re: 1.0, im: 2.0 }, Complex { re: 1.0, im: 2.0 });
/// assert_eq!(Complex::default(), Complex { re: 0.0, im: 0.0 });
/// ```
///
/// ```compile_fail
/// warpfold::item! {
///     pub struct Padded {
///         pub flag: u8,
///         pub number: u32,
///     }
/// }
/// ```
#[macro_export]
macro_rules! item {
    ($(#[$attribute:meta])* $visibility:vis struct $name:ident { $($fields:tt)* }) => {
        $crate::kernels::item! {
            $(#[$attribute])* $visibility struct $name { $($fields)* }
        }
        $crate::device_copy!($name);
    };
}

/// The additions of [`item!`](crate::item) for `cust`. The library's features decide, not the features of the program that declares the
/// item.
#[cfg(feature = "cust")]
#[doc(hidden)]
#[macro_export]
macro_rules! device_copy {
    ($name:ident) => {
        // SAFETY: plain old data, without pointers to the host's memory.
        unsafe impl $crate::cust::memory::DeviceCopy for $name {}
    };
}

/// As above, without `cust`: nothing.
#[cfg(not(feature = "cust"))]
#[doc(hidden)]
#[macro_export]
macro_rules! device_copy {
    ($name:ident) => {};
}
