//! The entries of launches that mark heads.

/// Emits the entry of launches that mark heads by an equality. The macro's arguments are like those of
/// [`emit_reduce!`](crate::emit_reduce): the equality stands in place of the operator.
#[doc(hidden)]
#[macro_export]
macro_rules! emit_heads {
    ([$($emit:tt)*] [$($symbol:tt)*] $equality:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            $crate::with_heads_arguments! {
                [$($emit)*] $($symbol)*, $crate::heads::HeadsArguments =>
                $crate::heads::kernel::heads::<$equality, $t>;
            }
        };
    };
}
