//! [`operators!`](crate::operators!) on the device. It emits the entries of each row. With stable rustc, it also emits a separate function
//! for each function of the row's operator, predicate or equality. So if `warpfold-build` refuses a function, its message can name that
//! function.
//!
//! The forms of a row:
//!
//! - `NAME: OPERATOR, ITEM;` gives `reduce_NAME`, `segmented_reduce_NAME`, `segmented_scan_NAME`, `by_key_reduce_NAME`,
//!   `by_key_scan_NAME`, `columns_reduce_NAME`, `columns_scan_NAME`, `inclusive_scan_NAME` and `exclusive_scan_NAME`;
//! - `NAME: OPERATOR, ITEM, scans only;` gives all kernels of the first form except `reduce_NAME`;
//! - `NAME: OPERATOR, ITEM, reduction only;` gives `reduce_NAME`;
//! - `NAME: OPERATOR, pairs of A, B;` gives `reduce_pairs_NAME`;
//! - `NAME: PREDICATE, ITEM, predicate;` gives `select_if_NAME`;
//! - `NAME: EQUALITY, ITEM, equality;` gives `runs_NAME` and `heads_NAME`.

#[cfg(feature = "stable")]
mod in_words;

#[cfg(feature = "stable")]
pub use self::in_words::{commutes, InWords};
pub use crate::op::{Op, Pair};
pub use crate::selection::{Equality, Predicate};
#[cfg(feature = "stable")]
use crate::simt::in_global_memory;

/// A parameter of an entry.
#[cfg(feature = "stable")]
pub trait Parameter {
    /// The same value. From the call, the compiler learns that a pointer points to global memory. Entries that nightly rustc compiles need
    /// no such call.
    fn known(self) -> Self;
}

#[cfg(feature = "stable")]
impl Parameter for u64 {
    #[inline(always)]
    fn known(self) -> Self {
        self
    }
}

#[cfg(feature = "stable")]
impl<T> Parameter for *mut T {
    #[inline(always)]
    fn known(self) -> Self {
        in_global_memory(self)
    }
}

#[cfg(feature = "stable")]
impl<T> Parameter for *const T {
    #[inline(always)]
    fn known(self) -> Self {
        in_global_memory(self.cast_mut())
    }
}

/// Emits the entries of the rows and, with stable rustc, the functions of their operators, predicates and equalities.
#[macro_export]
macro_rules! operators {
    () => {};
    ($name:ident: $op:ty, pairs of $left:ty, $right:ty; $($rest:tt)*) => {
        $crate::operator_kernel! { reduce_pairs emit_reduce_pairs $name $op, $left, $right }
        $crate::operator_functions!($name $op, $crate::operators::Pair<$left, $right>);
        $crate::operators!($($rest)*);
    };
    ($name:ident: $predicate:ty, $item:ty, predicate; $($rest:tt)*) => {
        $crate::emit_select_if! { [$crate::operator_entry] [select_if $name] $predicate, $item }
        $crate::predicate_functions!($name $predicate, $item);
        $crate::operators!($($rest)*);
    };
    ($name:ident: $equality:ty, $item:ty, equality; $($rest:tt)*) => {
        $crate::emit_runs! { [$crate::operator_entry] [runs $name] $equality, $item }
        $crate::emit_heads! { [$crate::operator_entry] [heads $name] $equality, $item }
        $crate::equality_functions!($name $equality, $item);
        $crate::operators!($($rest)*);
    };
    ($name:ident: $op:ty, $item:ty $(, $some:ident $only:ident)?; $($rest:tt)*) => {
        // The item's size is checked here before any use, so that the compiler's message names the row.
        const _: () = <$item as $crate::element::Element>::HAS_ALLOWED_SIZE;
        $crate::with_kinds_of! { [$($some $only)?] [$crate::operators] @entries $name $op, $item; }
        $crate::operator_functions!($name $op, $item);
        $crate::operators!($($rest)*);
    };
    (@entries $name:ident $op:ty, $item:ty; $($kind:ident $emit:ident)*) => {
        $($crate::operator_kernel! { $kind $emit $name $op, $item })*
    };
}

/// Emits a kernel of an operator's row. The inclusive and the exclusive scan are one function, from which `warpfold-build` makes two
/// kernels.
#[cfg(feature = "stable")]
#[doc(hidden)]
#[macro_export]
macro_rules! operator_kernel {
    (inclusive_scan $emit:ident $name:ident $op:ty, $($items:ty),+) => {
        $crate::emit_scan! {
            [$crate::operator_entry] [scan $name]
            $crate::scan::kernel::Either, $crate::operators::InWords<$op>, $($items),+
        }
    };
    (exclusive_scan $emit:ident $name:ident $op:ty, $($items:ty),+) => {};
    (reduce $emit:ident $name:ident $op:ty, $($items:ty),+) => {
        const _: () = $crate::operators::commutes::<$op>();
        $crate::operator_kernel! { @ reduce $emit $name $op, $($items),+ }
    };
    (reduce_pairs $emit:ident $name:ident $op:ty, $($items:ty),+) => {
        const _: () = $crate::operators::commutes::<$op>();
        $crate::operator_kernel! { @ reduce_pairs $emit $name $op, $($items),+ }
    };
    ($(@)? $kind:ident $emit:ident $name:ident $op:ty, $($items:ty),+) => {
        $crate::$emit! {
            [$crate::operator_entry] [$kind $name] $crate::operators::InWords<$op>, $($items),+
        }
    };
}

/// Emits a kernel of an operator's row.
#[cfg(not(feature = "stable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! operator_kernel {
    ($kind:ident $emit:ident $name:ident $op:ty, $($items:ty),+) => {
        $crate::$emit! { [$crate::operator_entry] [$kind $name] $op, $($items),+ }
    };
}

/// Emits an entry. The entry puts its parameters into the arguments struct of its kind, and passes this struct to a function. Stable rustc
/// has no entries, so this macro emits a function, which `warpfold-build` turns into an entry.
#[cfg(feature = "stable")]
#[doc(hidden)]
#[macro_export]
macro_rules! operator_entry {
    (
        $kind:ident $name:ident, $arguments:path => $function:expr;
        $($(#[$documentation:meta])* $field:ident: $type:ty,)*
    ) => {
        #[export_name = concat!(stringify!($kind), "_", stringify!($name))]
        unsafe extern "C" fn entry($($field: $type),*) {
            // SAFETY: the conditions of the function are also those of the entry, so a launch of the entry meets them.
            unsafe {
                use $arguments as Arguments;
                $function(Arguments {
                    $($field: $crate::operators::Parameter::known($field),)*
                })
            }
        }
    };
}

/// Emits an entry. The entry puts its parameters into the arguments struct of its kind, and passes this struct to a function. The
/// attributes mark the entry, as `cuda_std::kernel` does, and set its symbol.
#[cfg(not(feature = "stable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! operator_entry {
    (
        $kind:ident $name:ident, $arguments:path => $function:expr;
        $($(#[$documentation:meta])* $field:ident: $type:ty,)*
    ) => {
        #[nvvm_internal::kernel]
        #[export_name = concat!(stringify!($kind), "_", stringify!($name))]
        pub unsafe extern "C" fn entry($($field: $type),*) {
            // SAFETY: the conditions of the function are also those of the entry, so a launch of the entry meets them.
            unsafe {
                use $arguments as Arguments;
                $function(Arguments { $($field),* })
            }
        }
    };
}

/// Emits a separate function for each of four functions of an operator: identity, lift, combine and lower.
#[cfg(feature = "stable")]
#[doc(hidden)]
#[macro_export]
macro_rules! operator_functions {
    ($name:ident $op:ty, $item:ty) => {
        const _: () = {
            use $crate::operators::Op;
            type Accumulator = <$op as Op<$item>>::Accumulator;

            #[export_name = concat!("warpfold_identity_of_", stringify!($name))]
            extern "C" fn identity(result: &mut Accumulator) {
                *result = <$op as Op<$item>>::identity();
            }
            #[export_name = concat!("warpfold_lift_of_", stringify!($name))]
            extern "C" fn lift(item: &$item, index: u64, result: &mut Accumulator) {
                *result = <$op as Op<$item>>::lift_at(*item, index);
            }
            #[export_name = concat!("warpfold_combine_of_", stringify!($name))]
            extern "C" fn combine(
                left: &Accumulator,
                right: &Accumulator,
                result: &mut Accumulator,
            ) {
                *result = <$op as Op<$item>>::combine(*left, *right);
            }
            #[export_name = concat!("warpfold_lower_of_", stringify!($name))]
            extern "C" fn lower(value: &Accumulator, result: &mut <$op as Op<$item>>::Output) {
                *result = <$op as Op<$item>>::lower(*value);
            }
        };
    };
}

/// Emits the function of a predicate as a separate function.
#[cfg(feature = "stable")]
#[doc(hidden)]
#[macro_export]
macro_rules! predicate_functions {
    ($name:ident $predicate:ty, $item:ty) => {
        const _: () = {
            #[export_name = concat!("warpfold_holds_of_", stringify!($name))]
            extern "C" fn holds(item: &$item, result: &mut bool) {
                *result = <$predicate as $crate::operators::Predicate<$item>>::holds(*item);
            }
        };
    };
}

/// Emits the function of an equality as a separate function.
#[cfg(feature = "stable")]
#[doc(hidden)]
#[macro_export]
macro_rules! equality_functions {
    ($name:ident $equality:ty, $item:ty) => {
        const _: () = {
            #[export_name = concat!("warpfold_same_of_", stringify!($name))]
            extern "C" fn same(left: &$item, right: &$item, result: &mut bool) {
                *result = <$equality as $crate::operators::Equality<$item>>::same(*left, *right);
            }
        };
    };
}

/// Emits nothing: rust-cuda's compiler needs no functions besides kernels.
#[cfg(not(feature = "stable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! operator_functions {
    ($name:ident $op:ty, $item:ty) => {};
}

/// Emits nothing: rust-cuda's compiler needs no functions besides kernels.
#[cfg(not(feature = "stable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! predicate_functions {
    ($name:ident $predicate:ty, $item:ty) => {};
}

/// Emits nothing: rust-cuda's compiler needs no functions besides kernels.
#[cfg(not(feature = "stable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! equality_functions {
    ($name:ident $equality:ty, $item:ty) => {};
}
