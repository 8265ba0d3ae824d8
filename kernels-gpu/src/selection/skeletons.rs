//! The skeletons of selections. For each way to choose, there are four skeletons: for items of 8, 16, 32 and 64 bits. Selections by flags
//! have one more skeleton, for items of 128 bits. The skeletons of selections by flags have no holes.

use crate::selection::Bytes16;
use crate::skeleton::ChoiceHole;

macro_rules! skeletons {
    ($emit:ident $choice:ident: $($t:ident => $symbol:ident;)*) => {
        $(crate::$emit! { [forward] [$symbol] $choice, $t })*
    };
}

skeletons! {
    emit_select_if ChoiceHole:
    u8 => selection_if_8;
    u16 => selection_if_16;
    u32 => selection_if_32;
    u64 => selection_if_64;
}

skeletons! {
    emit_runs ChoiceHole:
    u8 => selection_runs_8;
    u16 => selection_runs_16;
    u32 => selection_runs_32;
    u64 => selection_runs_64;
}

skeletons! {
    emit_select_flagged Flags:
    u8 => selection_flagged_8;
    u16 => selection_flagged_16;
    u32 => selection_flagged_32;
    u64 => selection_flagged_64;
    Bytes16 => selection_flagged_128;
}
