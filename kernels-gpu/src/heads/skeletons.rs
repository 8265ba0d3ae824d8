//! The skeletons of launches that mark heads: for keys of 1, 2, 4 and 8 bytes.

use crate::skeleton::ChoiceHole;

macro_rules! skeletons {
    ($($t:ident => $symbol:ident;)*) => {
        $(crate::emit_heads! { [forward] [$symbol] ChoiceHole, $t })*
    };
}

skeletons! {
    u8 => heads_8;
    u16 => heads_16;
    u32 => heads_32;
    u64 => heads_64;
}
