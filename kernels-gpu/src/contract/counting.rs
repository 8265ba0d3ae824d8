//! Functions of `core` that count the bits of a 64-bit number, for all compilers of the kernels.
//!
//! rust-cuda's compiler writes the result of LLVM's 64-bit `ctlz`, `cttz` and `ctpop` to a variable of 32 bits. This is undefined
//! behaviour, and ends in a trap or in wrong results. So with this compiler, the functions count the bits of 32-bit words, or do not
//! count. `clippy.toml` forbids the functions of `core` everywhere else in this crate.
#![allow(clippy::disallowed_methods, reason = "not with rust-cuda's compiler")]

/// The smallest power of two that is at least `number`.
pub const fn next_power_of_two(number: u64) -> u64 {
    if cfg!(feature = "cuda_std") {
        next_power_of_two_by_halves(number)
    } else {
        number.next_power_of_two()
    }
}

/// Whether `number` is a power of two.
#[inline(always)]
pub const fn is_power_of_two(number: u64) -> bool {
    if cfg!(feature = "cuda_std") {
        is_power_of_two_by_mask(number)
    } else {
        number.is_power_of_two()
    }
}

/// The number of trailing zeros.
#[inline(always)]
pub const fn trailing_zeros(number: u64) -> u32 {
    if cfg!(feature = "cuda_std") {
        trailing_zeros_by_halves(number)
    } else {
        number.trailing_zeros()
    }
}

/// The number of leading zeros.
#[inline(always)]
pub const fn leading_zeros(number: u64) -> u32 {
    if cfg!(feature = "cuda_std") {
        leading_zeros_by_halves(number)
    } else {
        number.leading_zeros()
    }
}

/// [`is_power_of_two`] without counting: a power of two has only one bit, and `number - 1` has the bits below it.
const fn is_power_of_two_by_mask(number: u64) -> bool {
    number != 0 && number & (number - 1) == 0
}

/// [`trailing_zeros`] by counting the zeros of 32-bit words.
const fn trailing_zeros_by_halves(number: u64) -> u32 {
    match number as u32 {
        0 => u32::BITS + ((number >> 32) as u32).trailing_zeros(),
        low => low.trailing_zeros(),
    }
}

/// [`leading_zeros`] by counting the zeros of 32-bit words.
const fn leading_zeros_by_halves(number: u64) -> u32 {
    match (number >> 32) as u32 {
        0 => u32::BITS + (number as u32).leading_zeros(),
        high => high.leading_zeros(),
    }
}

/// [`next_power_of_two`] by counting the zeros of 32-bit words. Kernels divide by the result. The shift shows the compiler that the result
/// is never 0.
const fn next_power_of_two_by_halves(number: u64) -> u64 {
    1 << (u64::BITS - leading_zeros_by_halves(number.saturating_sub(1)))
}

const _: () = {
    assert!(trailing_zeros_by_halves(0) == u64::BITS && leading_zeros_by_halves(0) == u64::BITS);
    let mut bit = 0;
    while bit < u64::BITS {
        assert!(trailing_zeros_by_halves(u64::MAX << bit) == bit);
        assert!(leading_zeros_by_halves(u64::MAX >> bit) == bit);
        bit += 1;
    }
};

const _: () = {
    assert!(!is_power_of_two_by_mask(0) && is_power_of_two_by_mask(1));
    assert!(next_power_of_two_by_halves(0) == 1 && next_power_of_two_by_halves(1) == 1);
    assert!(next_power_of_two_by_halves(2) == 2 && next_power_of_two_by_halves(3) == 4);
    let mut power = 4;
    while power < 1 << 63 {
        assert!(is_power_of_two_by_mask(power) && !is_power_of_two_by_mask(power + 1));
        assert!(next_power_of_two_by_halves(power - 1) == power);
        assert!(next_power_of_two_by_halves(power) == power);
        assert!(next_power_of_two_by_halves(power + 1) == 2 * power);
        power *= 2;
    }
};
