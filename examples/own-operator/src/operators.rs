//! Complex numbers and three operators on them. Compiled for the program and, by `build.rs`, for the GPU.

use warpfold::{Commutative, Op};

warpfold::item! {
    /// A complex number.
    pub struct Complex {
        pub re: f32,
        pub im: f32,
    }
}

impl Complex {
    pub fn norm_squared(self) -> f32 {
        self.re * self.re + self.im * self.im
    }

    /// Whether this has the bits of 1. With `==`, 1 − 0i would be equal to 1 too.
    fn is_one(self) -> bool {
        self.re.to_bits() == 1.0f32.to_bits() && self.im.to_bits() == 0
    }
}

/// The sum: the real components are added, and so are the imaginary components. The identity is −0.0 in both: adding 0.0 would change −0.0.
#[derive(Debug, Clone, Copy)]
pub struct ComplexSum;

impl Op<Complex> for ComplexSum {
    type Accumulator = Complex;
    type Output = Complex;

    fn identity() -> Complex {
        Complex { re: -0.0, im: -0.0 }
    }

    fn lift(item: Complex) -> Complex {
        item
    }

    fn combine(left: Complex, right: Complex) -> Complex {
        Complex {
            re: left.re + right.re,
            im: left.im + right.im,
        }
    }

    fn lower(value: Complex) -> Complex {
        value
    }
}

impl Commutative for ComplexSum {}

/// The product.
#[derive(Debug, Clone, Copy)]
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

    /// The product of 1 and a number is that number, to the bit. The formula alone can turn a component of −0.0 into 0.0.
    fn combine(left: Complex, right: Complex) -> Complex {
        if left.is_one() {
            return right;
        }
        if right.is_one() {
            return left;
        }
        Complex {
            re: left.re * right.re - left.im * right.im,
            im: left.re * right.im + left.im * right.re,
        }
    }

    fn lower(value: Complex) -> Complex {
        value
    }
}

impl Commutative for ComplexProduct {}

warpfold::item! {
    /// The squared distance from zero of the farthest number, and its index.
    pub struct Distance {
        pub index: u64,
        pub squared: f32,
        /// 1 for a number, 0 for the identity.
        pub count: u32,
    }
}

/// The number that is farthest from zero, or the first of several such numbers. A number whose distance is NaN is left out.
#[derive(Debug, Clone, Copy)]
pub struct Farthest;

impl Op<Complex> for Farthest {
    type Accumulator = Distance;
    type Output = Distance;
    const EXACT: bool = true;

    fn identity() -> Distance {
        Distance {
            index: 0,
            squared: 0.0,
            count: 0,
        }
    }

    fn lift(item: Complex) -> Distance {
        Self::lift_at(item, 0)
    }

    fn lift_at(item: Complex, index: u64) -> Distance {
        let squared = item.norm_squared();
        if squared.is_nan() {
            return Self::identity();
        }
        Distance {
            index,
            squared,
            count: 1,
        }
    }

    fn combine(left: Distance, right: Distance) -> Distance {
        if left.count == 0 {
            return right;
        }
        if right.count == 0 {
            return left;
        }
        let is_left = left.squared > right.squared
            || left.squared == right.squared && left.index < right.index;
        if is_left { left } else { right }
    }

    fn lower(value: Distance) -> Distance {
        value
    }
}

impl Commutative for Farthest {}

warpfold::operators! {
    complex_sum: ComplexSum, Complex;
    complex_product: ComplexProduct, Complex;
    farthest: Farthest, Complex;
}
