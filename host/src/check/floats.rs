//! Writes results as floats, so that people can read them: in hexadecimal digits, a NaN is hard to distinguish from a rounding error.

use std::any::type_name;
use std::fmt;

use half::{bf16, f16};

/// The kind of floats that a result is made of.
#[derive(Clone, Copy)]
pub struct Floats {
    bytes: usize,
    is_nan: fn(&[u8]) -> bool,
    write: fn(&[u8], &mut fmt::Formatter<'_>) -> fmt::Result,
}

/// The [`Floats`] of one of Rust's float types.
macro_rules! floats {
    ($float:ty) => {
        Floats {
            bytes: size_of::<$float>(),
            is_nan: |bytes| bytemuck::pod_read_unaligned::<$float>(bytes).is_nan(),
            write: |bytes, f| write!(f, "{:?}", bytemuck::pod_read_unaligned::<$float>(bytes)),
        }
    };
}

impl Floats {
    /// The kind of floats that `R` is made of, if `R` is a float or an array of floats. For an integer or an array of integers, this is
    /// `None`. If the operator rounds, any other type is treated as an array of `f32` if its alignment is 4 bytes, and as an array of `f64`
    /// if its alignment is 8 bytes.
    pub fn of<R>(rounds: bool) -> Option<Self> {
        let name = type_name::<R>().trim_start_matches('[');
        let element = name.split_once(';').map_or(name, |(element, _)| element);
        let element = element.rsplit("::").next().unwrap_or(element);
        match (element, align_of::<R>()) {
            ("f64", _) => Some(floats!(f64)),
            ("f32", _) => Some(floats!(f32)),
            ("f16", _) => Some(floats!(f16)),
            ("bf16", _) => Some(floats!(bf16)),
            ("u64" | "i64" | "usize" | "isize" | "u32" | "i32", _) => None,
            (_, 8) if rounds => Some(floats!(f64)),
            (_, 4) if rounds => Some(floats!(f32)),
            _ => None,
        }
    }

    /// Writes each number, with enough digits to distinguish it from all other numbers of its type.
    pub fn write(self, bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, number) in bytes.chunks_exact(self.bytes).enumerate() {
            if place > 0 {
                f.write_str(", ")?;
            }
            (self.write)(number, f)?;
        }
        Ok(())
    }

    /// Whether two results differ only in the bits of NaNs.
    pub fn differ_by_nan(self, left: &[u8], right: &[u8]) -> bool {
        let pairs = std::iter::zip(
            left.chunks_exact(self.bytes),
            right.chunks_exact(self.bytes),
        );
        let mut others = pairs.filter(|(a, b)| a != b);
        left != right && others.all(|(a, b)| (self.is_nan)(a) && (self.is_nan)(b))
    }
}
