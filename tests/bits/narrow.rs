//! Tests the conversions of 16-bit floats. On the host, the conversions of all values are compared with the formats' definitions. In a
//! kernel, all values except NaNs are converted to `f32` and back.

use crate::device::{Item, Kernel};
use cust::memory::DeviceBuffer;
use warpfold::cust_half::{bf16, f16};
use warpfold::{Max, Op, Sum, cust, kind, scan};

use crate::data::assert_same_bits;
use crate::gpus::gpu;
use crate::guarded::download;

/// A 16-bit format: how many bits its exponent and its fraction have.
struct Format {
    exponent_bits: i32,
    fraction_bits: i32,
}

const F16: Format = Format {
    exponent_bits: 5,
    fraction_bits: 10,
};

const BF16: Format = Format {
    exponent_bits: 8,
    fraction_bits: 7,
};

impl Format {
    /// The bits of +∞.
    fn infinity(&self) -> u16 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

    /// The value of the finite number with these bits, whose sign bit is 0. For the bits of +∞, it is the value that would follow the
    /// largest finite number.
    fn value(&self, bits: u16) -> f64 {
        let bias = (1 << (self.exponent_bits - 1)) - 1;
        let exponent = i32::from(bits >> self.fraction_bits);
        let fraction = f64::from(bits & ((1 << self.fraction_bits) - 1));
        let one = f64::powi(2.0, self.fraction_bits);
        match exponent {
            0 => fraction / one * f64::powi(2.0, 1 - bias),
            _ => (1.0 + fraction / one) * f64::powi(2.0, exponent - bias),
        }
    }
}

fn check_conversions<T: Item>(format: Format, from_bits: fn(u16) -> T, to_bits: fn(T) -> u16)
where
    Sum: Op<T, Accumulator = f32, Output = T>,
{
    let lift = |bits| Sum::lift(from_bits(bits));
    let lower = |value: f64| to_bits(Sum::lower(value as f32));
    for bits in 0..format.infinity() {
        let (value, next) = (format.value(bits), format.value(bits + 1));
        assert_eq!(f64::from(lift(bits)), value, "{bits:#x}");
        assert_eq!(
            lift(bits | 0x8000).to_bits(),
            (-value as f32).to_bits(),
            "-{bits:#x}"
        );
        // The midpoint between this number and the next is exact in `f32`, and rounds to even.
        let half = ((value + next) / 2.0) as f32;
        let even = bits + (bits & 1);
        assert_eq!(lower(half.next_down().into()), bits, "below {half}");
        assert_eq!(lower(half.into()), even, "{half}");
        assert_eq!(lower(half.next_up().into()), bits + 1, "above {half}");
        assert_eq!(lower((-half).into()), even | 0x8000, "-{half}");
        assert_eq!(lower(value), bits);
    }
    let infinity = format.infinity();
    assert_eq!(lift(infinity), f32::INFINITY);
    assert_eq!(lower(f64::INFINITY), infinity);
    for nan in (infinity + 1)..=0x7fff {
        assert!(lift(nan).is_nan() && lift(nan | 0x8000).is_nan());
    }
    assert_eq!(lower(f64::NAN), 0x7fff);
    assert_eq!(lower(-f64::NAN), 0x7fff);
}

#[test]
fn conversions_match_the_formats() {
    check_conversions(F16, f16::from_bits, f16::to_bits);
    check_conversions(BF16, bf16::from_bits, bf16::to_bits);
}

/// The running maxima of ascending items are the items. So the kernel's conversions must leave each item as it is.
fn check_round_trip<T: Item>(format: Format, from_bits: fn(u16) -> T)
where
    Max: Kernel<kind::inclusive_scan, T, Output = T>,
{
    gpu();
    let negative = (0..=format.infinity()).rev().map(|bits| bits | 0x8000);
    let all: Vec<T> = negative
        .chain(0..=format.infinity())
        .map(from_bits)
        .collect();
    let input = DeviceBuffer::from_slice(&all).unwrap();
    let mut output = DeviceBuffer::from_slice(&vec![T::zeroed(); all.len()]).unwrap();
    scan::<Max, _>(&input).to(&mut output).wait(gpu()).unwrap();
    assert_same_bits(&download(&output), &all, "ascending");
}

#[test]
fn every_number_passes_a_kernel_unchanged() {
    check_round_trip(F16, f16::from_bits);
    check_round_trip(BF16, bf16::from_bits);
}
