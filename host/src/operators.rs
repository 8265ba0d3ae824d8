//! The macros for a program's own operators, predicates, equalities and items: [`operators!`](crate::operators) and [`item!`](crate::item).

/// Registers operators, predicates and equalities with the library: each row gives one operator, predicate or equality its kernels for one
/// type of items.
///
/// The macro is called once, in the file that defines the operators. That file is compiled twice: the program compiles it as a module, and
/// the build script compiles it for the device. The build script needs one line for this, a call of `warpfold-build`. For the device, the
/// name `warpfold` means the crate `warpfold-kernels`. So the file may use only names of `core` and names that both crates have, such as
/// [`Op`](crate::Op), [`Commutative`](crate::Commutative), [`item!`](crate::item) and this macro.
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
/// A row `name: Operator, Item;` registers the kernels of requests with one input: reductions and scans of whole arrays, of segments, of
/// columns, and by key. With `scans only` after a comma, a row registers all of these except the reduction of whole arrays. Only the
/// reduction of whole arrays needs [`Commutative`](crate::Commutative). With `scans only`, [`in_order`](crate::Reduce::in_order) still
/// reduces whole arrays. With `reduction only`, a row registers only the reduction of whole arrays. A row `name: Operator, pairs of A, B;`
/// registers a [`reduce`](crate::reduce()) of two inputs, by an operator on [`Pair<A, B>`](crate::Pair).
///
/// A row `name: Predicate, Item, predicate;` registers a [`Predicate`](crate::Predicate), for [`select`](crate::select()). A row
/// `name: Equality, Item, equality;` registers an [`Equality`](crate::Equality), for [`runs`](crate::runs()) and for requests by key.
///
/// The kernels are called `reduce_name`, `segmented_reduce_name`, `segmented_scan_name`, `by_key_reduce_name`, `by_key_scan_name`,
/// `columns_reduce_name`, `columns_scan_name`, `inclusive_scan_name`, `exclusive_scan_name`, `reduce_pairs_name`, `select_if_name`,
/// `runs_name` and `heads_name`, also in profilers. The names in a program's list must be unique.
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
        $crate::operators!(@choice HeadsKernel heads $name, $equality, $item);
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
        // Counts as a use of the operator: the compiler does not report an operator with a row as dead code, even if only tests use it.
        const _: ::core::marker::PhantomData<$op> = ::core::marker::PhantomData;
        // SAFETY: the row is made from the kind, the operator and the items of this line (condition 1). The build script of the package
        // with this line wrote `TEXTS` to that package's `OUT_DIR`, for the file with this list. The symbol is this line's name with the
        // kind's prefix. Names are unique, so the symbol names this line's kernel in `TEXTS`. If `TEXTS` lacks the kernel, loading it is an
        // error (condition 2).
        unsafe impl $crate::Kernel<$crate::kind::$kind, $item> for $op {
            fn row() -> &'static $crate::texts::Row {
                static ROW: $crate::texts::Row = $crate::operators!(@row $kind $name, $op, $item);
                &ROW
            }
        }
    };
    (@row segmented_reduce $name:ident, $op:ty, $item:ty) => {
        $crate::texts::Row::new::<$crate::kind::segmented_reduce, $op, $item>(
            concat!("segmented_reduce_", stringify!($name)),
            &TEXTS,
        )
        .with_by_key::<$op, $item>()
    };
    (@row $kind:ident $name:ident, $op:ty, $item:ty) => {
        $crate::texts::Row::new::<$crate::kind::$kind, $op, $item>(
            concat!(stringify!($kind), "_", stringify!($name)),
            &TEXTS,
        )
    };
    (@choice $kernel:ident $kind:ident $name:ident, $chooser:ty, $item:ty) => {
        // Counts as a use of the predicate or the equality, as above.
        const _: ::core::marker::PhantomData<$chooser> = ::core::marker::PhantomData;
        // SAFETY: the entry is made for the kind and the items of this line (condition 1). The build script of the package with this line
        // wrote `TEXTS` to that package's `OUT_DIR`, for the file with this list. The symbol is this line's name with the kind's prefix.
        // Names are unique, so the symbol names this line's kernel in `TEXTS`. If `TEXTS` lacks the kernel, loading it is an error
        // (condition 2).
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

/// The texts that the build script made for [`operators!`](crate::operators) or [`kernels!`](crate::kernels!). The build script writes the
/// texts to a file, as an expression of Rust, and sets an environment variable to the file's path. This macro includes the file. If the
/// build script no longer makes texts, the variable is not set. So the file of an earlier build is not used.
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

/// Declares a struct that can be an item or an accumulator. The struct is `#[repr(C)]`. It implements `Copy`, `Debug`, `PartialEq`,
/// `Default` (all bytes zero), [`bytemuck::Pod`] and, with the feature `cust`, `DeviceCopy` of `cust`.
///
/// The fields must be [`bytemuck::Pod`] too, without padding between or after them. Otherwise the struct does not compile.
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

/// The implementation that [`item!`](crate::item) adds for `cust`. Whether the implementation is added depends on the features of the
/// library, and not on those of the program that declares the item.
#[cfg(feature = "cust")]
#[doc(hidden)]
#[macro_export]
macro_rules! device_copy {
    ($name:ident) => {
        // SAFETY: `$name` is plain old data, without pointers to the host's memory: `item!` above requires it.
        unsafe impl $crate::cust::memory::DeviceCopy for $name {}
    };
}

/// Without `cust`, nothing is added.
#[cfg(not(feature = "cust"))]
#[doc(hidden)]
#[macro_export]
macro_rules! device_copy {
    ($name:ident) => {};
}
