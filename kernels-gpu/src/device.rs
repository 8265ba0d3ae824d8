//! The kernels' entries, one for each row of the table in [`crate::entries`].

use crate::block::{Exclusive, Inclusive};
use crate::grid;
use crate::op::{Max, Min, Product, Sum};
use crate::workspace::Control;

macro_rules! reduce {
    ($op:ident $t:ident $symbol:ident) => {
        #[no_mangle]
        #[doc = concat!("Entry: see `grid::reduce::reduce` for `", stringify!($op), "` of `", stringify!($t), "`.")]
        pub unsafe extern "ptx-kernel" fn $symbol(
            input: *const $t,
            item_count: u64,
            control: *mut Control,
            partials: *mut $t,
            output: *mut $t,
        ) {
            // SAFETY: the launch keeps the contract of `grid::reduce::reduce`.
            unsafe { grid::reduce::reduce::<$op, $t>(input, item_count, control, partials, output) }
        }
    };
}

macro_rules! scan {
    ($placement:ident $op:ident $t:ident $symbol:ident) => {
        #[no_mangle]
        #[doc = concat!("Entry: see `grid::scan::scan` for `", stringify!($op), "` of `", stringify!($t), "`.")]
        pub unsafe extern "ptx-kernel" fn $symbol(
            input: *const $t,
            output: *mut $t,
            item_count: u64,
            control: *mut Control,
            states: *mut u64,
            state_words: u64,
        ) {
            // SAFETY: the launch keeps the contract of `grid::scan::scan`.
            unsafe {
                grid::scan::scan::<$placement, $op, $t>(
                    input, output, item_count, control, states, state_words,
                )
            }
        }
    };
}

macro_rules! inclusive_scan {
    ($($row:ident)*) => { scan!(Inclusive $($row)*); };
}

macro_rules! exclusive_scan {
    ($($row:ident)*) => { scan!(Exclusive $($row)*); };
}

macro_rules! entries {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { $($kind!($op $t $symbol);)* };
}

crate::for_each_kernel!(entries);

#[cfg(not(feature = "cuda_std"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
