//! The entries of selections.

/// Emits the entry of a selection by a [`Choice`](crate::selection::kernel::Choice). This macro's arguments are: the macro that emits an
/// entry; the tokens that name the symbol for that macro; the choice; and the type of the items.
#[doc(hidden)]
#[macro_export]
macro_rules! emit_selection {
    ([$($emit:tt)*] [$($symbol:tt)*] $choice:ty, $t:ty) => {
        const _: () = {
            type T = $t;
            $crate::with_selection_arguments! {
                [$($emit)*] $($symbol)*, $crate::selection::SelectionArguments =>
                $crate::selection::kernel::select::<$choice, $t>;
            }
        };
    };
}

/// Emits the entry of a selection by a predicate. The arguments are like those of [`emit_reduce!`](crate::emit_reduce).
#[doc(hidden)]
#[macro_export]
macro_rules! emit_select_if {
    ([$($emit:tt)*] [$($symbol:tt)*] $chooser:ty, $t:ty) => {
        $crate::emit_selection! { [$($emit)*] [$($symbol)*] $crate::selection::kernel::If<$chooser>, $t }
    };
}

/// Emits the entry of a selection of the heads of runs, by an equality. The arguments are like those of
/// [`emit_reduce!`](crate::emit_reduce).
#[doc(hidden)]
#[macro_export]
macro_rules! emit_runs {
    ([$($emit:tt)*] [$($symbol:tt)*] $chooser:ty, $t:ty) => {
        $crate::emit_selection! { [$($emit)*] [$($symbol)*] $crate::selection::kernel::Heads<$chooser>, $t }
    };
}

/// Emits the entry of a selection by flags. The arguments are like those of [`emit_reduce!`](crate::emit_reduce).
#[doc(hidden)]
#[macro_export]
macro_rules! emit_select_flagged {
    ([$($emit:tt)*] [$($symbol:tt)*] $flags:ident, $t:ty) => {
        $crate::emit_selection! { [$($emit)*] [$($symbol)*] $crate::selection::kernel::Flagged, $t }
    };
}
