//! The ladder's entries, one for each row of the table in [`super::entries`].
//!
//! What a launch must keep to is said where the entries forward to.
#![allow(missing_docs, clippy::missing_safety_doc)]

use super::reduce::halving::*;
use super::scan::brent_kung::*;
use super::scan::kogge_stone::*;
use super::scan::naive::*;
use super::scan::sections::*;
use super::scan::{Exclusive, Inclusive};
use crate::op::{Max, Sum};

macro_rules! in_place {
    ($family:ident $op:ident $t:ident => $symbol:ident) => {
        entry!($symbol(items: *mut $t, item_count: u64,) {
            // SAFETY: the launch keeps the contract of the function of this name.
            unsafe { $family::<$op, $t>(items, item_count) }
        });
    };
}

macro_rules! whole {
    ($placement:ident $family:ident $op:ident $t:ident => $symbol:ident) => {
        entry!($symbol(input: *const $t, output: *mut $t, item_count: u64,) {
            // SAFETY: the launch keeps the contract of the function of this name.
            unsafe { $family::<$placement, $op, $t>(input, output, item_count) }
        });
    };
}

macro_rules! sections {
    ($placement:ident $family:ident $op:ident $t:ident => $symbol:ident) => {
        entry!($symbol(input: *const $t, output: *mut $t, totals: *mut $t, item_count: u64,) {
            // SAFETY: the launch keeps the contract of the function of this name.
            unsafe { $family::<$placement, $op, $t>(input, output, totals, item_count) }
        });
    };
}

macro_rules! inclusive_whole {
    ($($row:tt)*) => { whole!(Inclusive $($row)*); };
}

macro_rules! exclusive_whole {
    ($($row:tt)*) => { whole!(Exclusive $($row)*); };
}

macro_rules! inclusive_sections {
    ($($row:tt)*) => { sections!(Inclusive $($row)*); };
}

macro_rules! exclusive_sections {
    ($($row:tt)*) => { sections!(Exclusive $($row)*); };
}

macro_rules! prefixes {
    ($family:ident $op:ident $t:ident => $symbol:ident) => {
        entry!($symbol(prefixes: *const $t, items: *mut $t, item_count: u64, section_items: u64,) {
            // SAFETY: the launch keeps the contract of the function of this name.
            unsafe { $family::<$op, $t>(prefixes, items, item_count, section_items) }
        });
    };
}

macro_rules! entries {
    ($($kind:ident $family:ident $op:ident $t:ident $($block:literal)? => $symbol:ident;)*) => {
        $($kind!($family $op $t $($block)? => $symbol);)*
    };
}

crate::for_each_ladder_kernel!(entries);
