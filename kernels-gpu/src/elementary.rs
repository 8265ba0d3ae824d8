//! The exponential function, the natural logarithm and the square root of `f32`, in fixed arithmetic.
//!
//! Besides comparisons, selects and integer operations, the functions use only additions, subtractions, multiplications and conversions of
//! floats. These are in a fixed order and are rounded to nearest. The functions use no fused operation, no table, and no function of a
//! library. So the device and the host compute the same bits, with any compiler. Only the bits of a NaN may differ. The functions are for
//! operators and for your own kernels, since rustc has no mathematical library for the device.
//!
//! ```
//! use warpfold_kernels::elementary::{exp, ln, sqrt};
//!
//! assert_eq!(exp(0.0), 1.0);
//! assert_eq!(exp(1.0), core::f32::consts::E);
//! assert_eq!(ln(2.0), core::f32::consts::LN_2);
//! assert_eq!(ln(0.0), f32::NEG_INFINITY);
//! assert_eq!(sqrt(2.25), 1.5);
//! ```
//!
//! The tests measure the errors on a sample of all `f32`, in units of the last place of the exact result (ulp). The error of [`exp`]
//! is below 0.8, also for subnormal results. The error of [`ln`] is below 0.51. [`sqrt`] rounds correctly.

/// e to the power of `x`, with an error of less than 0.8 ulp.
///
/// `exp(±0)` is 1. From 88.72284 on the result is +∞, below −103.97208 it is +0, and between −103.97 and −87.34 it is subnormal. A NaN
/// gives `f32::NAN`.
///
/// The range reduction uses ln 2 as the sum of two constants (W. J. Cody and W. Waite, *Software Manual for the Elementary Functions*,
/// 1980).
///
/// ```
/// assert_eq!(warpfold_kernels::elementary::exp(0.0), 1.0);
/// ```
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // ln 2 in two parts. The first has 15 bits, so its products with whole numbers of up to 9 bits are exact.
    const LN_2_HIGH: f32 = 0.693_145_75;
    const LN_2_LOW: f32 = 1.428_606_8e-6;
    // 1.5 · 2^23: adding it to a number rounds the number to a whole number, since the last bit of the sum is worth 1.
    const ROUNDER: f32 = 12_582_912.0;

    // Above 89 the result is infinite, and below −104 it is 0. A NaN stays NaN.
    let clamped = if x > 89.0 { 89.0 } else { x };
    let clamped = if clamped < -104.0 { -104.0 } else { clamped };

    // x = whole · ln 2 + high − low, where |high − low| is at most 0.3467.
    let shifted = clamped * core::f32::consts::LOG2_E + ROUNDER;
    let whole = shifted - ROUNDER;
    let high = clamped - whole * LN_2_HIGH;
    let low = whole * LN_2_LOW;
    let rest = high - low;

    // exp(r) = 1 + r + r²·p(r), where p is a minimax polynomial. The right side has a relative error of less than 2^-27.6.
    let series = 0.008_368_761 + rest * 0.001_394_174_2;
    let series = 0.041_666_39 + rest * series;
    let series = 0.166_665_2 + rest * series;
    let series = 0.5 + rest * series;
    let small = rest * rest * series - low;

    // 1 + high, and the rounding error of that sum.
    let sum = 1.0 + high;
    let lost = high - (sum - 1.0);
    let fraction = sum + (lost + small);

    // 2^`exponent` is split into two powers of two. Each of these is a normal number, and the product of `fraction` and the first of them
    // is exact.
    let exponent = (shifted.to_bits() as i32).wrapping_sub(ROUNDER.to_bits() as i32);
    let half = exponent >> 1;
    let result = fraction * power_of_two(half) * power_of_two(exponent.wrapping_sub(half));
    if x.is_nan() {
        f32::NAN
    } else {
        result
    }
}

/// The natural logarithm of `x`, with an error of less than 0.51 ulp. It is computed in `f64`.
///
/// `ln(1)` is +0, `ln(±0)` is −∞ and `ln(+∞)` is +∞. A negative number or a NaN gives `f32::NAN`. The results for subnormal numbers are as
/// exact as all other results.
///
/// ```
/// assert_eq!(warpfold_kernels::elementary::ln(1.0), 0.0);
/// ```
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    // The bits of the least value of `fraction`, about √½.
    const LEAST: u64 = 0x3fe6_a09e_0000_0000;
    // For 1 + f between √½ and √2, ln(1 + f) is f·p(f) with a relative error below 2^-32. These are the coefficients of the polynomial p,
    // from the highest power to the lowest.
    const SERIES: [f64; 12] = [
        -0.058457503070626776,
        0.1063667295049551,
        -0.10898153317256935,
        0.1104271772633022,
        -0.12410876756464642,
        0.1428379903755039,
        -0.1667038421109583,
        0.2000016964034687,
        -0.24999936573274878,
        0.3333333084603285,
        -0.5000000030852999,
        1.0000000000480196,
    ];

    // x = 2^exponent · (1 + f). As an `f64`, no `f32` is subnormal.
    let bits = f64::from(x).to_bits();
    let exponent = bits.wrapping_sub(LEAST) as i64 >> 52;
    let fraction = f64::from_bits(bits.wrapping_sub((exponent << 52) as u64));
    let f = fraction - 1.0;

    let mut series = SERIES[0];
    series = SERIES[1] + f * series;
    series = SERIES[2] + f * series;
    series = SERIES[3] + f * series;
    series = SERIES[4] + f * series;
    series = SERIES[5] + f * series;
    series = SERIES[6] + f * series;
    series = SERIES[7] + f * series;
    series = SERIES[8] + f * series;
    series = SERIES[9] + f * series;
    series = SERIES[10] + f * series;
    series = SERIES[11] + f * series;
    let result = (f64::from(exponent as i32) * core::f64::consts::LN_2 + f * series) as f32;

    // Each select is between two values that are already computed. Nested conditions would become a branch.
    let result = if x > 0.0 { result } else { f32::NAN };
    let result = if x == f32::INFINITY { x } else { result };
    if x == 0.0 {
        f32::NEG_INFINITY
    } else {
        result
    }
}

/// The square root of `x`, correctly rounded, as IEEE 754 requires.
///
/// `sqrt(±0)` is ±0. A negative number or a NaN gives a NaN.
///
/// The root is computed in `f64`, as `x` times the reciprocal root 1/√`x`. Newton's method finds the reciprocal root, in four steps from a
/// first guess with an error of at most 4 %.
///
/// ```
/// assert_eq!(warpfold_kernels::elementary::sqrt(9.0), 3.0);
/// ```
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    let wide = f64::from(x);
    let half = 0.5 * wide;
    let mut reciprocal =
        f64::from_bits(0x5fe6_eb50_c7b5_37a9_u64.wrapping_sub(wide.to_bits() >> 1));
    reciprocal = reciprocal * (1.5 - half * reciprocal * reciprocal);
    reciprocal = reciprocal * (1.5 - half * reciprocal * reciprocal);
    reciprocal = reciprocal * (1.5 - half * reciprocal * reciprocal);
    reciprocal = reciprocal * (1.5 - half * reciprocal * reciprocal);
    let result = (wide * reciprocal) as f32;

    let result = if x > 0.0 { result } else { f32::NAN };
    let result = if x == f32::INFINITY { x } else { result };
    if x == 0.0 {
        x
    } else {
        result
    }
}

/// 2 to the power of a number from −126 to 127. For other numbers the result has no meaning.
#[inline(always)]
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits((exponent.wrapping_add(127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    /// The distance of `result` from `exact`, in units of the last place of `exact` as an `f32`.
    fn ulps(result: f32, exact: f64) -> f64 {
        // The least normal `f32` has the exponent −126. An `f32` has 23 fraction bits.
        let exponent = ((exact.to_bits() >> 52) & 0x7ff) as i32 - 1023;
        let last_place = f64::from_bits(((exponent.max(-126) - 23 + 1023) as u64) << 52);
        (f64::from(result) - exact).abs() / last_place
    }

    /// Every `step`th `f32` bit pattern.
    fn sample(step: usize) -> impl Iterator<Item = f32> {
        (0..=u32::MAX).step_by(step).map(f32::from_bits)
    }

    #[test]
    fn exp_is_within_0_8_ulp() {
        let mut worst = (0.0, 0.0);
        // The largest finite `f32` plus half a unit in its last place. From this number on, rounding gives infinity.
        let overflow = f64::from(f32::MAX) + 103f64.exp2();
        for x in sample(997).filter(|x| !x.is_nan()) {
            let exact = f64::from(x).exp();
            let result = exp(x);
            if exact >= overflow {
                assert_eq!(result, f32::INFINITY, "exp({x})");
            } else {
                let error = ulps(result, exact);
                worst = if error > worst.0 { (error, x) } else { worst };
            }
        }
        std::println!("exp: {} ulp at {}", worst.0, worst.1);
        assert!(worst.0 < 0.8, "{} ulp at {}", worst.0, worst.1);
    }

    #[test]
    fn exp_is_within_0_8_ulp_at_evenly_spaced_points() {
        let mut worst = (0.0, 0.0);
        for step in 0..2_000_000 {
            let x = -104.0 + (step as f32) * (192.7 / 2_000_000.0);
            let error = ulps(exp(x), f64::from(x).exp());
            worst = if error > worst.0 { (error, x) } else { worst };
        }
        std::println!("exp: {} ulp at {}", worst.0, worst.1);
        assert!(worst.0 < 0.8, "{} ulp at {}", worst.0, worst.1);
    }

    #[test]
    fn ln_is_within_0_51_ulp() {
        let mut worst = (0.0, 0.0);
        let near_one = (0..1 << 20).map(|step| f32::from_bits(0x3f78_0000 + step));
        let numbers = sample(997).filter(|x| *x > 0.0 && x.is_finite());
        for x in numbers.chain(near_one) {
            let exact = f64::from(x).ln();
            let error = if exact == 0.0 {
                f64::from(ln(x).abs())
            } else {
                ulps(ln(x), exact)
            };
            worst = if error > worst.0 { (error, x) } else { worst };
        }
        std::println!("ln: {} ulp at {}", worst.0, worst.1);
        assert!(worst.0 < 0.51, "{} ulp at {}", worst.0, worst.1);
    }

    #[test]
    fn sqrt_matches_ieee_754() {
        for x in sample(997).chain([0.0, -0.0, f32::INFINITY, f32::MAX, f32::from_bits(1)]) {
            // A compiler may replace a NaN by another NaN.
            if x.is_nan() || x < 0.0 {
                assert!(sqrt(x).is_nan(), "sqrt({x})");
                continue;
            }
            let exact = x.sqrt().to_bits();
            assert_eq!(sqrt(x).to_bits(), exact, "sqrt({x})");
        }
    }

    #[test]
    fn edges_of_exp() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-0.0), 1.0);
        assert_eq!(exp(f32::from_bits(1)), 1.0);
        assert_eq!(exp(-f32::from_bits(1)), 1.0);
        assert_eq!(exp(f32::MIN_POSITIVE), 1.0);
        assert_eq!(exp(f32::INFINITY), f32::INFINITY);
        assert_eq!(exp(f32::NEG_INFINITY).to_bits(), 0);
        assert_eq!(exp(f32::MAX), f32::INFINITY);
        assert_eq!(exp(f32::MIN).to_bits(), 0);
        // The largest number with a finite result, and the next larger number.
        assert!(exp(88.722_83).is_finite());
        assert_eq!(exp(88.722_84), f32::INFINITY);
        // The least number whose result is not 0, and a lesser number.
        assert_eq!(exp(-103.972_08), f32::from_bits(1));
        assert_eq!(exp(-103.972_09).to_bits(), 0);
        // The largest subnormal result, and the least normal result.
        assert!(exp(-87.336_55) < f32::MIN_POSITIVE);
        assert!(exp(-87.336_54) >= f32::MIN_POSITIVE);
        for nan in [
            f32::NAN,
            -f32::NAN,
            f32::from_bits(0x7f80_0001),
            f32::from_bits(!0),
        ] {
            assert_eq!(exp(nan).to_bits(), f32::NAN.to_bits());
        }
    }

    #[test]
    fn edges_of_ln() {
        assert_eq!(ln(1.0).to_bits(), 0);
        assert_eq!(ln(0.0), f32::NEG_INFINITY);
        assert_eq!(ln(-0.0), f32::NEG_INFINITY);
        assert_eq!(ln(f32::INFINITY), f32::INFINITY);
        assert_eq!(
            ln(f32::from_bits(1)),
            f64::from(f32::from_bits(1)).ln() as f32
        );
        assert_eq!(
            ln(f32::MIN_POSITIVE),
            f64::from(f32::MIN_POSITIVE).ln() as f32
        );
        assert_eq!(ln(f32::MAX), f64::from(f32::MAX).ln() as f32);
        assert_eq!(ln(2.0), core::f32::consts::LN_2);
        let undefined = [
            -f32::from_bits(1),
            -1.0,
            f32::MIN,
            f32::NEG_INFINITY,
            f32::NAN,
            -f32::NAN,
        ];
        for x in undefined {
            assert_eq!(ln(x).to_bits(), f32::NAN.to_bits(), "ln({x})");
        }
    }

    #[test]
    fn exp_and_ln_are_monotonic_at_sampled_points() {
        let rising = |function: fn(f32) -> f32, from: f32, to: f32| {
            let mut before = f32::NEG_INFINITY;
            for bits in (from.to_bits()..to.to_bits()).step_by(211) {
                let result = function(f32::from_bits(bits));
                assert!(result >= before, "at {}", f32::from_bits(bits));
                before = result;
            }
        };
        rising(exp, 0.0, 89.0);
        rising(ln, 0.0, f32::INFINITY);
    }
}
