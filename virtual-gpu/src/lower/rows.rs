//! Macros that turn a function of one lane into a loop over a row: a register's values in all lanes. The type and the mode of an
//! instruction are known only when the text is read. So the `by_…!` macros compile a loop for each type or mode, and choose among the
//! loops.
//!
//! `map2!(u32, u32, |a, b| …)` is a function pointer for [`Op::Map2`](crate::program::Op::Map2). `by_integer!(ty, T => e)` is `Some(e)`,
//! where `T` in the expression `e` stands for the Rust type that fits `ty`. If `ty.is_integer()` is false, it is `None`. In
//! `by_mode!(mode, M => e)`, `M` is the mode as a constant.

macro_rules! map1 {
    ($a:ty, $f:expr) => {{
        fn row(r: &mut crate::program::Registers, d: Reg, a: Reg, mask: u32) {
            r.map1::<$a, _>(d, a, mask, $f);
        }
        row as crate::program::Map1
    }};
}

macro_rules! map2 {
    ($a:ty, $b:ty, $f:expr) => {{
        fn row(r: &mut crate::program::Registers, d: Reg, s: [Reg; 2], mask: u32) {
            r.map2::<$a, $b, _>(d, s, mask, $f);
        }
        row as crate::program::Map2
    }};
}

macro_rules! map3 {
    ($a:ty, $b:ty, $c:ty, $f:expr) => {{
        fn row(r: &mut crate::program::Registers, d: Reg, s: [Reg; 3], mask: u32) {
            r.map3::<$a, $b, $c, _>(d, s, mask, $f);
        }
        row as crate::program::Map3
    }};
}

macro_rules! map4 {
    ($a:ty, $b:ty, $c:ty, $d:ty, $f:expr) => {{
        fn row(r: &mut crate::program::Registers, d: Reg, s: [Reg; 4], mask: u32) {
            r.map4::<$a, $b, $c, $d, _>(d, s, mask, $f);
        }
        row as crate::program::Map4
    }};
}

macro_rules! map_pair {
    ($t:ty, $f:expr) => {{
        fn row(r: &mut crate::program::Registers, d: [Reg; 2], s: [Reg; 4], mask: u32) {
            r.map_pair::<$t>(d, s, mask, $f);
        }
        row as crate::program::MapPair
    }};
}

macro_rules! relate {
    ($t:ty, $f:expr) => {{
        fn row(r: &crate::program::Registers, s: [Reg; 2]) -> u32 {
            r.relate::<$t>(s, $f)
        }
        row as crate::program::Relate
    }};
}

macro_rules! by_integer {
    ($ty:expr, $t:ident => $e:expr) => {{
        let ty = $ty;
        match (ty.is_integer(), ty.is_signed(), ty.bits) {
            (true, true, 8) => {
                type $t = i8;
                Some($e)
            }
            (true, true, 16) => {
                type $t = i16;
                Some($e)
            }
            (true, true, 32) => {
                type $t = i32;
                Some($e)
            }
            (true, true, 64) => {
                type $t = i64;
                Some($e)
            }
            (true, false, 8) => {
                type $t = u8;
                Some($e)
            }
            (true, false, 16) => {
                type $t = u16;
                Some($e)
            }
            (true, false, 32) => {
                type $t = u32;
                Some($e)
            }
            (true, false, 64) => {
                type $t = u64;
                Some($e)
            }
            _ => None,
        }
    }};
}

/// Evaluates to `Some($e)` if `$ty` is a type of one or two 16-bit floats, and to `None` for other types. In `$e`, the name `$t` stands for
/// the Rust type that fits `$ty`.
macro_rules! by_narrow {
    ($ty:expr, $t:ident => $e:expr) => {{
        use crate::lower::types::{Kind, PackedElement};
        match ($ty.kind, $ty.bits) {
            (Kind::Float, 16) => {
                type $t = crate::float::Half;
                Some($e)
            }
            (Kind::Brain, 16) => {
                type $t = crate::float::Brain;
                Some($e)
            }
            (Kind::Packed(PackedElement::Half), _) => {
                type $t = crate::float::Pair<crate::float::Half>;
                Some($e)
            }
            (Kind::Packed(PackedElement::Brain), _) => {
                type $t = crate::float::Pair<crate::float::Brain>;
                Some($e)
            }
            _ => None,
        }
    }};
}

macro_rules! by_rounding {
    ($mode:expr, $m:ident => $e:expr) => {
        match $mode.0 & 3 {
            0 => {
                const $m: u8 = 0;
                $e
            }
            1 => {
                const $m: u8 = 1;
                $e
            }
            2 => {
                const $m: u8 = 2;
                $e
            }
            _ => {
                const $m: u8 = 3;
                $e
            }
        }
    };
}

macro_rules! by_mode {
    ($mode:expr, $m:ident => $e:expr) => {
        match $mode.0 {
            0 => {
                const $m: u8 = 0;
                $e
            }
            1 => {
                const $m: u8 = 1;
                $e
            }
            2 => {
                const $m: u8 = 2;
                $e
            }
            3 => {
                const $m: u8 = 3;
                $e
            }
            4 => {
                const $m: u8 = 4;
                $e
            }
            5 => {
                const $m: u8 = 5;
                $e
            }
            6 => {
                const $m: u8 = 6;
                $e
            }
            7 => {
                const $m: u8 = 7;
                $e
            }
            8 => {
                const $m: u8 = 8;
                $e
            }
            9 => {
                const $m: u8 = 9;
                $e
            }
            10 => {
                const $m: u8 = 10;
                $e
            }
            11 => {
                const $m: u8 = 11;
                $e
            }
            12 => {
                const $m: u8 = 12;
                $e
            }
            13 => {
                const $m: u8 = 13;
                $e
            }
            14 => {
                const $m: u8 = 14;
                $e
            }
            _ => {
                const $m: u8 = 15;
                $e
            }
        }
    };
}

/// Like `by_mode!`, for expressions that depend only on whether the mode flushes subnormal values.
macro_rules! by_flush {
    ($mode:expr, $m:ident => $e:expr) => {
        match $mode.flushes() {
            false => {
                const $m: u8 = 0;
                $e
            }
            true => {
                const $m: u8 = crate::float::Mode::FLUSH;
                $e
            }
        }
    };
}

pub(super) use {
    by_flush, by_integer, by_mode, by_narrow, by_rounding, map_pair, map1, map2, map3, map4, relate,
};
