//! Judges by the bytes of two results whether they seem to differ by rounding alone.

use half::{bf16, f16};

use super::Bytes;

/// The largest accepted difference of results, as a fraction of the largest finite absolute value involved. Usually, rounding in a few
/// operations causes a smaller difference, and an operator that is not associative causes a much larger difference.
const TOLERANCE: f64 = 1e-3;

/// A way to read bytes as numbers: the size of a number in bytes, and the function that reads a number.
type Reading = (usize, fn(&[u8]) -> Option<f64>);

/// The ways to read the bytes of a type of this alignment: one for each kind of floats that the type may consist of.
fn readings(alignment: usize) -> &'static [Reading] {
    const F64: Reading = (8, |bytes| Some(f64::from_le_bytes(bytes.try_into().ok()?)));
    const F32: Reading = (4, |bytes| {
        Some(f32::from_le_bytes(bytes.try_into().ok()?).into())
    });
    const F16: Reading = (2, |bytes| {
        Some(f16::from_bits(u16::from_le_bytes(bytes.try_into().ok()?)).to_f64())
    });
    const BF16: Reading = (2, |bytes| {
        Some(bf16::from_bits(u16::from_le_bytes(bytes.try_into().ok()?)).to_f64())
    });
    match alignment {
        1 => &[],
        2 => &[F16, BF16],
        4 => &[F32],
        _ => &[F64, F32],
    }
}

/// Whether two results of this alignment are near each other. Their bytes are read as floats in every way of [`readings`], and it is enough
/// if the results are near in one of these ways. Results are near if the two floats at each index are equal, are both NaN, or differ by at
/// most [`TOLERANCE`] times the largest finite absolute value among results and operands.
pub fn is_near(alignment: usize, left: &Bytes, right: &Bytes, operands: &[Bytes]) -> bool {
    readings(alignment).iter().any(|&(bytes, read)| {
        let numbers =
            |value: &Bytes| -> Vec<f64> { value.chunks(bytes).filter_map(read).collect() };
        let (left, right) = (numbers(left), numbers(right));
        let all = operands.iter().flat_map(numbers);
        let all = all.chain(left.iter().chain(&right).copied());
        let largest = all.map(f64::abs).filter(|number| number.is_finite());
        let most = TOLERANCE * largest.fold(0.0, f64::max);
        std::iter::zip(left, right)
            .all(|(a, b)| a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= most)
    })
}
