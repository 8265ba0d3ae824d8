//! The entries of the kernels whose rows are in [`crate::entries`].
//!
//! The host launches the entries by their symbols, with their parameters. The kernels that the entries call state the conditions of a
//! launch.
#![allow(missing_docs, clippy::missing_safety_doc)]
// With skeletons, this file emits few rows, and these use few imports and macros.
#![cfg_attr(feature = "skeletons", allow(unused_imports, unused_macros))]

use half::{bf16, f16};

use crate::op::*;
use crate::selection::*;

/// Emits an entry, in the form that the compiler in use needs.
#[cfg(not(feature = "cuda_std"))]
macro_rules! entry {
    ($symbol:ident($($parameter:ident: $type:ty,)*) $body:block) => {
        #[no_mangle]
        pub unsafe extern "ptx-kernel" fn $symbol($($parameter: $type),*) $body
    };
}

/// Emits an entry, in the form that the compiler in use needs.
#[cfg(feature = "cuda_std")]
macro_rules! entry {
    ($symbol:ident($($parameter:ident: $type:ty,)*) $body:block) => {
        #[cuda_std::kernel]
        pub unsafe fn $symbol($($parameter: $type),*) $body
    };
}

/// Emits an entry that passes its parameters to a function, in its kind's struct of arguments.
macro_rules! forward {
    ($symbol:ident, $arguments:path => $function:expr; $($(#[$documentation:meta])* $field:ident: $type:ty,)*) => {
        entry!($symbol($($field: $type,)*) {
            // SAFETY: a launch of the entry meets the function's conditions, which are the entry's own.
            unsafe { {
                use $arguments as Arguments;
                $function(Arguments { $($field),* })
            } }
        });
    };
}

macro_rules! entries {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
        crate::pastey::paste! {
            $(crate::[<emit_ $kind>]! { [forward] [$symbol] $op, $t })*
        }
    };
}

#[cfg(not(feature = "skeletons"))]
crate::for_each_row!(entries);

// The kernels that ship as texts of their own. All other kernels ship as skeletons and bodies.
#[cfg(feature = "skeletons")]
crate::for_each_whole_kernel!(entries);

#[cfg(not(feature = "cuda_std"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
