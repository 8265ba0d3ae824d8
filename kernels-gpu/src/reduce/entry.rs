//! The entries of reductions.

/// Emits the entry of a reduction. The arguments: the macro that emits an entry, the tokens from which that macro makes the symbol, and the
/// types of the operator and of the items.
#[doc(hidden)]
#[macro_export]
macro_rules! emit_reduce {
    ([$($emit:tt)*] [$($symbol:tt)*] $op:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            type R = <$op as $crate::op::Op<$t>>::Output;
            $crate::with_reduce_arguments! {
                [$($emit)*] $($symbol)*, $crate::reduce::ReduceArguments => $crate::reduce::kernel::reduce::<$op, $t>;
            }
        };
    };
}

/// Emits the entry of a reduction of two inputs. The arguments are like those of [`emit_reduce!`](crate::emit_reduce), but the two inputs
/// may have different item types.
#[doc(hidden)]
#[macro_export]
macro_rules! emit_reduce_pairs {
    ([$($emit:tt)*] [$($symbol:tt)*] $op:ty, $t:ty) => {
        $crate::emit_reduce_pairs! { [$($emit)*] [$($symbol)*] $op, $t, $t }
    };
    ([$($emit:tt)*] [$($symbol:tt)*] $op:ty, $left:ty, $right:ty) => {
        const _: () = {
            type A = $left;
            type B = $right;
            type R = <$op as $crate::op::Op<$crate::op::Pair<$left, $right>>>::Output;
            $crate::with_reduce_pairs_arguments! {
                [$($emit)*] $($symbol)*, $crate::reduce::ReducePairsArguments =>
                $crate::reduce::kernel::reduce_pairs::<$op, $left, $right>;
            }
        };
    };
}
