//! The ladder's entries, one for each row of the table in [`super::entries`].
//!
//! What a launch must keep to is said where the entries forward to.
#![allow(missing_docs, clippy::missing_safety_doc)]

use super::reduce::halving::*;
use crate::op::{Max, Sum};

macro_rules! in_place {
    ($family:ident $op:ident $t:ident => $symbol:ident) => {
        entry!($symbol(items: *mut $t, item_count: u64,) {
            // SAFETY: the launch keeps the contract of the function of this name.
            unsafe { $family::<$op, $t>(items, item_count) }
        });
    };
}

macro_rules! entries {
    ($($kind:ident $family:ident $op:ident $t:ident $($block:literal)? => $symbol:ident;)*) => {
        $($kind!($family $op $t $($block)? => $symbol);)*
    };
}

crate::for_each_ladder_kernel!(entries);
