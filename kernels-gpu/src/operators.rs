//! What [`operators!`](crate::operators!) emits on the device: the entries of each row. With stable rustc, each of the operator's
//! functions by itself too, so that what it must not contain can be named.
//!
//! A row is `NAME: OPERATOR, ITEM;`, which gives `reduce_NAME`, `inclusive_scan_NAME` and `exclusive_scan_NAME`;
//! `NAME: OPERATOR, ITEM, scans only;`, which gives the scans; `NAME: OPERATOR, ITEM, reduction only;`, which gives the reduction; or
//! `NAME: OPERATOR, pairs of A, B;`, which gives `reduce_pairs_NAME`.

pub use crate::block::{Exclusive, Inclusive};
pub use crate::grid::reduce::{reduce, reduce_pairs};
pub use crate::grid::scan::scan;
pub use crate::op::{Op, Pair};
#[cfg(feature = "stable")]
pub use crate::simt::in_global_memory;
pub use crate::workspace::Control;

/// The pointer. Of an entry's parameters rust-cuda's compiler knows what they point to.
#[cfg(not(feature = "stable"))]
#[inline(always)]
pub fn in_global_memory<T>(pointer: *mut T) -> *mut T {
    pointer
}

/// Names the kernels of operators on items.
#[macro_export]
macro_rules! operators {
    () => {};
    ($name:ident: $op:ty, pairs of $left:ty, $right:ty; $($rest:tt)*) => {
        $crate::operators!(@pairs $name $op, $left, $right);
        $crate::operators!($($rest)*);
    };
    ($name:ident: $op:ty, $item:ty, reduction only; $($rest:tt)*) => {
        $crate::operators!(@reduce $name $op, $item);
        $crate::operator_functions!($name $op, $item);
        $crate::operators!($($rest)*);
    };
    ($name:ident: $op:ty, $item:ty; $($rest:tt)*) => {
        $crate::operators!(@reduce $name $op, $item);
        $crate::operators!(@scans $name $op, $item);
        $crate::operators!($($rest)*);
    };
    ($name:ident: $op:ty, $item:ty, scans only; $($rest:tt)*) => {
        $crate::operators!(@scans $name $op, $item);
        $crate::operators!($($rest)*);
    };
    (@reduce $name:ident $op:ty, $item:ty) => {
        const _: () = {
            use $crate::operators::{in_global_memory, Control, Op};

            $crate::operator_entry!("reduce_" $name, reduce(
                input: *mut $item,
                item_count: u64,
                first_chunk: u64,
                control: *mut Control,
                states: *mut u64,
                state_words: u64,
                output: *mut <$op as Op<$item>>::Output,
            ) {
                // SAFETY: the launch keeps the contract of `reduce`.
                unsafe {
                    $crate::operators::reduce::<$op, $item>(
                        in_global_memory(input),
                        item_count,
                        first_chunk,
                        in_global_memory(control),
                        in_global_memory(states),
                        state_words,
                        in_global_memory(output),
                    )
                }
            });
        };
    };
    (@pairs $name:ident $op:ty, $left:ty, $right:ty) => {
        const _: () = {
            use $crate::operators::{in_global_memory, Control, Op, Pair};

            $crate::operator_entry!("reduce_pairs_" $name, reduce_pairs(
                left: *mut $left,
                right: *mut $right,
                item_count: u64,
                first_chunk: u64,
                control: *mut Control,
                states: *mut u64,
                state_words: u64,
                output: *mut <$op as Op<Pair<$left, $right>>>::Output,
            ) {
                // SAFETY: the launch keeps the contract of `reduce_pairs`.
                unsafe {
                    $crate::operators::reduce_pairs::<$op, $left, $right>(
                        in_global_memory(left),
                        in_global_memory(right),
                        item_count,
                        first_chunk,
                        in_global_memory(control),
                        in_global_memory(states),
                        state_words,
                        in_global_memory(output),
                    )
                }
            });
        };
        $crate::operator_functions!($name $op, $crate::operators::Pair<$left, $right>);
    };
    (@scans $name:ident $op:ty, $item:ty) => {
        $crate::operators!(@scan Inclusive "inclusive_scan_" $name $op, $item);
        $crate::operators!(@scan Exclusive "exclusive_scan_" $name $op, $item);
        $crate::operator_functions!($name $op, $item);
    };
    (@scan $placement:ident $kind:literal $name:ident $op:ty, $item:ty) => {
        const _: () = {
            use $crate::operators::{in_global_memory, Control, Op, $placement};

            $crate::operator_entry!($kind $name, scan(
                input: *mut $item,
                output: *mut <$op as Op<$item>>::Output,
                item_count: u64,
                first_tile: u64,
                end_tile: u64,
                control: *mut Control,
                states: *mut u64,
                state_words: u64,
            ) {
                // SAFETY: the launch keeps the contract of `scan`.
                unsafe {
                    $crate::operators::scan::<$placement, $op, $item>(
                        in_global_memory(input),
                        in_global_memory(output),
                        item_count,
                        first_tile,
                        end_tile,
                        in_global_memory(control),
                        in_global_memory(states),
                        state_words,
                    )
                }
            });
        };
    };
}

/// An entry. Stable rustc has none: it is a function, of which `warpfold-build` makes an entry.
#[cfg(feature = "stable")]
#[doc(hidden)]
#[macro_export]
macro_rules! operator_entry {
    ($kind:literal $name:ident, $function:ident($($parameter:ident: $type:ty,)*) $body:block) => {
        #[export_name = concat!($kind, stringify!($name))]
        unsafe extern "C" fn $function($($parameter: $type),*) $body
    };
}

/// An entry. The attribute is what `cuda_std::kernel` makes, with a name of the row's.
#[cfg(not(feature = "stable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! operator_entry {
    ($kind:literal $name:ident, $function:ident($($parameter:ident: $type:ty,)*) $body:block) => {
        #[nvvm_internal::kernel]
        #[export_name = concat!($kind, stringify!($name))]
        pub unsafe extern "C" fn $function($($parameter: $type),*) $body
    };
}

/// Each of an operator's functions by itself.
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

/// Nothing: rust-cuda's compiler is asked for kernels alone.
#[cfg(not(feature = "stable"))]
#[doc(hidden)]
#[macro_export]
macro_rules! operator_functions {
    ($name:ident $op:ty, $item:ty) => {};
}
