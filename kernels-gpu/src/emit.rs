//! Emits the entries (the entry points in PTX) of the kernels whose rows are in [`crate::entries`].
//!
//! The host launches an entry by its symbol, with its parameters. An entry calls one kernel function. The documentation of that function
//! states the conditions of a launch.
#![allow(missing_docs, clippy::missing_safety_doc)]
// With the feature `skeletons`, this file emits the entries of a few rows only, so some imports and macros are unused.
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

/// Emits an entry that calls a function, and passes it the parameters as one struct: the arguments of the kernel's kind.
macro_rules! forward {
    ($symbol:ident, $arguments:path => $function:expr; $($(#[$documentation:meta])* $field:ident: $type:ty,)*) => {
        entry!($symbol($($field: $type,)*) {
            // SAFETY: the conditions of the entry are those of the function, and a launch meets them.
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
