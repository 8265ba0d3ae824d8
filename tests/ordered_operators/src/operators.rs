//! Operators that do not commute.

use warpfold::Op;

/// Replaces every NaN by the same NaN, since devices do not agree on NaNs' payloads.
fn canonical(value: f32) -> f32 {
    if value.is_nan() { f32::NAN } else { value }
}

warpfold::item! {
    /// A matrix of two rows and two columns, row by row.
    pub struct Matrix {
        pub rows: [[f32; 2]; 2],
    }
}

impl Matrix {
    const ONE: Self = Self {
        rows: [[1.0, 0.0], [0.0, 1.0]],
    };

    /// Whether this has the bits of the identity. `==` would not distinguish −0.0 and 0.0.
    fn is_one(self) -> bool {
        let [[a, b], [c, d]] = self.rows;
        let ones = a.to_bits() == 1.0f32.to_bits() && d.to_bits() == 1.0f32.to_bits();
        ones && b.to_bits() == 0 && c.to_bits() == 0
    }
}

/// The product of matrices. It does not commute.
#[derive(Debug, Clone, Copy)]
pub struct MatrixProduct;

impl Op<Matrix> for MatrixProduct {
    type Accumulator = Matrix;
    type Output = Matrix;

    fn identity() -> Matrix {
        Matrix::ONE
    }

    fn lift(item: Matrix) -> Matrix {
        item
    }

    fn combine(left: Matrix, right: Matrix) -> Matrix {
        if left.is_one() {
            return right;
        }
        if right.is_one() {
            return left;
        }
        let [[a, b], [c, d]] = left.rows;
        let [[e, f], [g, h]] = right.rows;
        Matrix {
            rows: [
                [a * e + b * g, a * f + b * h],
                [c * e + d * g, c * f + d * h],
            ],
        }
    }

    fn lower(value: Matrix) -> Matrix {
        let [[a, b], [c, d]] = value.rows;
        Matrix {
            rows: [[canonical(a), canonical(b)], [canonical(c), canonical(d)]],
        }
    }
}

warpfold::item! {
    /// The map from `value` to `scale * value + offset`. The integers wrap.
    pub struct Affine {
        pub scale: u32,
        pub offset: u32,
    }
}

/// The composition of affine maps. It does not commute.
#[derive(Debug, Clone, Copy)]
pub struct Composition;

impl Op<Affine> for Composition {
    type Accumulator = Affine;
    type Output = Affine;
    const EXACT: bool = true;

    fn identity() -> Affine {
        Affine {
            scale: 1,
            offset: 0,
        }
    }

    fn identity_item() -> Option<Affine> {
        Some(Self::identity())
    }

    fn lift(item: Affine) -> Affine {
        item
    }

    /// First `left`, then `right`.
    fn combine(left: Affine, right: Affine) -> Affine {
        Affine {
            scale: left.scale.wrapping_mul(right.scale),
            offset: left
                .offset
                .wrapping_mul(right.scale)
                .wrapping_add(right.offset),
        }
    }

    fn lower(value: Affine) -> Affine {
        value
    }
}

warpfold::item! {
    /// The hash of a string of `n` bytes, and `base ^ n`.
    pub struct Hash {
        pub hash: u64,
        pub power: u64,
    }
}

/// The polynomial hash of a string of bytes. The hash of `ab` is `hash(a) * base ^ len(b) + hash(b)`. Does not commute.
#[derive(Debug, Clone, Copy)]
pub struct Concatenation;

impl Op<u8> for Concatenation {
    type Accumulator = Hash;
    type Output = u64;
    const EXACT: bool = true;

    fn identity() -> Hash {
        Hash { hash: 0, power: 1 }
    }

    fn lift(item: u8) -> Hash {
        const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
        Hash {
            hash: item as u64 + 1,
            power: BASE,
        }
    }

    fn combine(left: Hash, right: Hash) -> Hash {
        Hash {
            hash: left.hash.wrapping_mul(right.power).wrapping_add(right.hash),
            power: left.power.wrapping_mul(right.power),
        }
    }

    fn lower(value: Hash) -> u64 {
        value.hash
    }
}

warpfold::item! {
    /// Two depths of the brackets in a text: at the text's end, and at the deepest place. Both are relative to the depth at the text's
    /// beginning.
    pub struct Depth {
        pub end: i32,
        pub deepest: i32,
    }
}

/// The depth of nested brackets.
#[derive(Debug, Clone, Copy)]
pub struct BracketDepth;

impl Op<u8> for BracketDepth {
    type Accumulator = Depth;
    type Output = Depth;
    const EXACT: bool = true;

    fn identity() -> Depth {
        Depth { end: 0, deepest: 0 }
    }

    fn lift(item: u8) -> Depth {
        match item {
            b'(' => Depth { end: 1, deepest: 1 },
            b')' => Depth {
                end: -1,
                deepest: 0,
            },
            _ => Depth { end: 0, deepest: 0 },
        }
    }

    fn combine(left: Depth, right: Depth) -> Depth {
        Depth {
            end: left.end.wrapping_add(right.end),
            deepest: left.deepest.max(left.end.wrapping_add(right.deepest)),
        }
    }

    fn lower(value: Depth) -> Depth {
        value
    }
}

warpfold::item! {
    /// Lengths in a string of bits: of the whole string, of the runs of ones at its two ends, and of its longest run of ones.
    pub struct Runs {
        pub length: u32,
        pub first: u32,
        pub last: u32,
        pub longest: u32,
    }
}

/// The longest run of ones. A run may cross from one string to the next.
#[derive(Debug, Clone, Copy)]
pub struct LongestRun;

impl Op<u8> for LongestRun {
    type Accumulator = Runs;
    type Output = u32;
    const EXACT: bool = true;

    fn identity() -> Runs {
        Runs::default()
    }

    fn lift(item: u8) -> Runs {
        let one = (item == 1) as u32;
        Runs {
            length: 1,
            first: one,
            last: one,
            longest: one,
        }
    }

    fn combine(left: Runs, right: Runs) -> Runs {
        let is_one = |runs: Runs| runs.longest == runs.length;
        let across = left.last.wrapping_add(right.first);
        Runs {
            length: left.length.wrapping_add(right.length),
            first: if is_one(left) { across } else { left.first },
            last: if is_one(right) { across } else { right.last },
            longest: left.longest.max(right.longest).max(across),
        }
    }

    fn lower(value: Runs) -> u32 {
        value.longest
    }
}

warpfold::operators! {
    matrix_product: MatrixProduct, Matrix, scans only;
    composition: Composition, Affine, scans only;
    concatenation: Concatenation, u8, scans only;
    bracket_depth: BracketDepth, u8, scans only;
    longest_run: LongestRun, u8, scans only;
}
