//! Operators of many kinds, for the tests.

use warpfold::{Commutative, Max, Op, Sum};

warpfold::item! {
    /// A complex number.
    pub struct Complex {
        pub re: f32,
        pub im: f32,
    }

    /// The map `x ↦ scale·x + offset`.
    pub struct Affine {
        pub scale: u32,
        pub offset: u32,
    }

    /// A value, and where it stands.
    pub struct Found {
        pub value: f32,
        pub padding: u32,
        pub index: u64,
    }

    /// A 2 × 2 matrix by rows.
    pub struct Matrix {
        pub elements: [f32; 4],
    }
}

/// The complex product.
#[derive(Clone, Copy)]
pub struct ComplexProduct;

impl Op<Complex> for ComplexProduct {
    type Accumulator = Complex;
    type Output = Complex;
    fn identity() -> Complex {
        Complex { re: 1.0, im: 0.0 }
    }
    fn lift(item: Complex) -> Complex {
        item
    }
    fn combine(a: Complex, b: Complex) -> Complex {
        Complex {
            re: a.re * b.re - a.im * b.im,
            im: a.re * b.im + a.im * b.re,
        }
    }
    fn lower(value: Complex) -> Complex {
        value
    }
}

impl Commutative for ComplexProduct {}

/// The greatest common divisor.
#[derive(Clone, Copy)]
pub struct Gcd;

impl Op<u64> for Gcd {
    type Accumulator = u64;
    type Output = u64;
    const EXACT: bool = true;
    fn identity() -> u64 {
        0
    }
    fn identity_item() -> Option<u64> {
        Some(0)
    }
    fn lift(item: u64) -> u64 {
        item
    }
    fn combine(mut a: u64, mut b: u64) -> u64 {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    }
    fn lower(value: u64) -> u64 {
        value
    }
}

impl Commutative for Gcd {}

/// Affine maps, one after the other: the order counts.
#[derive(Clone, Copy)]
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
    fn lift(item: Affine) -> Affine {
        item
    }
    fn combine(first: Affine, then: Affine) -> Affine {
        Affine {
            scale: then.scale.wrapping_mul(first.scale),
            offset: then
                .scale
                .wrapping_mul(first.offset)
                .wrapping_add(then.offset),
        }
    }
    fn lower(value: Affine) -> Affine {
        value
    }
}

/// The least value, and the first place where it stands.
#[derive(Clone, Copy)]
pub struct ArgMin;

impl Op<f32> for ArgMin {
    type Accumulator = Found;
    type Output = u64;
    const EXACT: bool = true;
    fn identity() -> Found {
        Found {
            value: f32::INFINITY,
            padding: 0,
            index: u64::MAX,
        }
    }
    fn lift(item: f32) -> Found {
        Self::lift_at(item, 0)
    }
    fn lift_at(value: f32, index: u64) -> Found {
        Found {
            value,
            padding: 0,
            index,
        }
    }
    fn combine(a: Found, b: Found) -> Found {
        if b.value < a.value || (b.value == a.value && b.index < a.index) {
            b
        } else {
            a
        }
    }
    fn lower(value: Found) -> u64 {
        value.index
    }
}

impl Commutative for ArgMin {}

/// The product of matrices.
#[derive(Clone, Copy)]
pub struct MatrixProduct;

impl Op<Matrix> for MatrixProduct {
    type Accumulator = Matrix;
    type Output = Matrix;
    fn identity() -> Matrix {
        Matrix {
            elements: [1.0, 0.0, 0.0, 1.0],
        }
    }
    fn lift(item: Matrix) -> Matrix {
        item
    }
    fn combine(a: Matrix, b: Matrix) -> Matrix {
        let [a, b] = [a.elements, b.elements];
        Matrix {
            elements: [
                a[0] * b[0] + a[1] * b[2],
                a[0] * b[1] + a[1] * b[3],
                a[2] * b[0] + a[3] * b[2],
                a[2] * b[1] + a[3] * b[3],
            ],
        }
    }
    fn lower(value: Matrix) -> Matrix {
        value
    }
}

/// How many flags are set.
#[derive(Clone, Copy)]
pub struct Count;

impl Op<u8> for Count {
    type Accumulator = u32;
    type Output = u32;
    const EXACT: bool = true;
    fn identity() -> u32 {
        0
    }
    fn identity_item() -> Option<u8> {
        Some(0)
    }
    fn lift(item: u8) -> u32 {
        u32::from(item != 0)
    }
    fn combine(a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
    fn lower(value: u32) -> u32 {
        value
    }
}

impl Commutative for Count {}

warpfold::operators! {
    complex_product: ComplexProduct, Complex;
    gcd: Gcd, u64;
    composition: Composition, Affine, scans only;
    arg_min: ArgMin, f32;
    matrix_product: MatrixProduct, Matrix, scans only;
    count: Count, u8;
    library_sum_f32: Sum, f32;
    library_sum_u8: Sum, u8;
    library_max_f64: Max, f64;
    library_sum_f16: Sum, warpfold::f16;
}
