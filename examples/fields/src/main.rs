//! Prefix products in prime fields of 31 and of 255 bits, and suffix products in the larger field, as provers of zero-knowledge proofs need
//! them.
//!
//!     cargo run

mod operators;

use std::error::Error;

use operators::{MODULUS_31, Product31, Product256};
use warpfold::{Gpu, Op, scan};

const COUNT: usize = 5_000;

fn main() -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::global()?;
    // Numbers that look random.
    let mixed = |index: usize| (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let small: Vec<u32> = (0..COUNT)
        .map(|index| 1 + (mixed(index) >> 33) as u32 % (MODULUS_31 - 1))
        .collect();
    let large: Vec<[u64; 4]> = (0..COUNT)
        .map(|index| [0, 1, 2, 3].map(|word| mixed(4 * index + word) >> 1))
        .collect();

    let prefixes = scan::<Product31, _>(&small).wait(gpu)?;
    assert_eq!(prefixes, products::<Product31, _>(&small));
    let prefixes = scan::<Product256, _>(&large).wait(gpu)?;
    assert_eq!(prefixes, products::<Product256, _>(&large));
    println!("{COUNT} prefix products of 256 bits on {}", gpu.name());
    println!("the last: {:016x?}", prefixes[COUNT - 1]);

    let suffixes = scan::<Product256, _>(&large).reversed().wait(gpu)?;
    assert_eq!(suffixes[0], prefixes[COUNT - 1]);
    let last = COUNT - 1;
    assert_eq!(suffixes[last], large[last]);
    Ok(())
}

/// The product of each item and all items before it.
fn products<O: Op<T, Accumulator = T>, T: warpfold::Element>(items: &[T]) -> Vec<T> {
    let upto = |product: &mut T, item: &T| {
        *product = O::combine(*product, *item);
        Some(*product)
    };
    items.iter().scan(O::identity(), upto).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use operators::MODULUS_256;
    use warpfold::check_operator;

    /// In a field, the modulus less 1 is the same number as −1, so its square is 1. The modulus itself is the same number as 0, so its
    /// products are 0.
    #[test]
    fn the_largest_numbers() {
        let mut less_one = MODULUS_256;
        less_one[0] -= 1;
        assert_eq!(Product256::combine(less_one, less_one), [1, 0, 0, 0]);
        assert_eq!(Product256::combine(MODULUS_256, less_one), [0; 4]);
        assert_eq!(Product31::combine(MODULUS_31 - 1, MODULUS_31 - 1), 1);
        check_operator::<Product31, _>(&[0, 1, 2, MODULUS_31 - 1]).unwrap();
        check_operator::<Product256, _>(&[[0; 4], [1, 0, 0, 0], [2; 4], less_one]).unwrap();
    }
}
