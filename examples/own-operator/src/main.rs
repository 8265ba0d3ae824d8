//! Reductions and a scan of complex numbers, with operators that this program defines.
//!
//!     cargo run

mod operators;

use std::error::Error;

use operators::{Complex, ComplexSum};
use operators::{ComplexProduct, Farthest};
use warpfold::cust::memory::DeviceBuffer;
use warpfold::{Cpu, Gpu, reduce, scan};

/// Points of a spiral from radius 1 to radius 1/2.
fn spiral(count: u32) -> Vec<Complex> {
    let point = |i| {
        let angle = i as f32 / 100.0;
        let radius = 1.0 - i as f32 / (2 * count) as f32;
        Complex {
            re: radius * angle.cos(),
            im: radius * angle.sin(),
        }
    };
    (0..count).map(point).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let points = spiral(100_000);

    // Slices of the host, as with the library's own operators.
    let sum = reduce::<ComplexSum, _>(&points).wait(Gpu::global())?;
    println!("sum of {} points: {} + {}i", points.len(), sum.re, sum.im);
    let farthest = reduce::<Farthest, _>(&points).wait(Gpu::global())?;
    println!("farthest from zero: point {}", farthest.index);

    // Buffers of the device.
    let gpu = Gpu::global()?;
    gpu.make_current()?;
    let buffer = DeviceBuffer::from_slice(&points[..100])?;
    let product = reduce::<ComplexProduct, _>(&buffer).wait(gpu)?;
    println!("product of 100 points: {} + {}i", product.re, product.im);

    // Every result has the bits that the host computes.
    assert_eq!(sum, reduce::<ComplexSum, _>(&points).wait(Cpu)?);
    let walk = scan::<ComplexSum, _>(&points).wait(Gpu::global())?;
    assert_eq!(walk, scan::<ComplexSum, _>(&points).wait(Cpu)?);
    assert_eq!(farthest, reduce::<Farthest, _>(&points).wait(Cpu)?);
    assert_eq!(
        product,
        reduce::<ComplexProduct, _>(&points[..100]).wait(Cpu)?
    );
    println!("the same bits on {} and on the host", gpu.name());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpfold::check_operator;

    #[test]
    fn operators_keep_their_promises() {
        let mut points = spiral(100)[..6].to_vec();
        // Values that break operators: both zeros, 1 − 0i (the identity is 1 + 0i), and the smallest subnormal numbers.
        for (re, im) in [(0.0, 0.0), (-0.0, -0.0), (1.0, -0.0), (1e-45, -1e-45)] {
            points.push(Complex { re, im });
        }
        check_operator::<ComplexProduct, _>(&points).unwrap();
        // The product of infinite numbers is not associative.
        for (re, im) in [(f32::MAX, f32::INFINITY), (f32::NAN, f32::NEG_INFINITY)] {
            points.push(Complex { re, im });
        }
        check_operator::<Farthest, _>(&points).unwrap();
        check_operator::<ComplexSum, _>(&points[..10]).unwrap();
    }
}
