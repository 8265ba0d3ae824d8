//! Sizes, alignments and initial contents of variables.

use super::module::ModuleNames;
use super::types::{Kind, Type};
use crate::ptx::ast::{self, Array, Initial, Number, StateSpace};

#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub element: Type,
    pub bytes: u64,
    pub align: u64,
}

/// Alignments above this are not supported.
const MAX_ALIGN: u64 = 256;

pub(super) fn layout(variable: &ast::Variable<'_>) -> Result<Layout, String> {
    let unsupported = || format!("variables of type `.{}` are not supported", variable.ty);
    let element = Type::parse(variable.ty).ok_or_else(unsupported)?;
    if element.kind == Kind::Predicate {
        return Err(unsupported());
    }
    let each = u64::from(element.bytes()) * variable.vector;
    let count = match variable.array {
        Array::Single => 1,
        Array::Sized(count) => count,
        Array::Unsized => 0,
    };
    if count == 0 {
        return Err(format!("`{}` has no size", variable.name));
    }
    let has_contents = matches!(variable.space, StateSpace::Global | StateSpace::Const);
    if !variable.initializer.is_empty() && !has_contents {
        return Err(format!(
            "`{}` has initial values, which this memory cannot have",
            variable.name
        ));
    }
    let align = variable.align.unwrap_or(each);
    if !align.is_power_of_two() || align > MAX_ALIGN {
        return Err(format!("an alignment of {align}"));
    }
    Ok(Layout {
        element,
        bytes: each.saturating_mul(count),
        align,
    })
}

/// The initial contents of a variable. They may be shorter than the variable.
pub(super) fn contents(
    variable: &ast::Variable<'_>,
    layout: Layout,
    names: &ModuleNames<'_>,
) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let width = layout.element.bytes() as usize;
    for initial in &variable.initializer {
        let value = match *initial {
            Initial::Number(number) => literal(number, layout.element),
            Initial::Symbol { name, offset } => match names.address(name) {
                Some(address) if width == 8 => address.wrapping_add(offset as u64),
                _ => return Err(format!("the address of `{name}` cannot stand here")),
            },
        };
        bytes.extend_from_slice(&u128::from(value).to_le_bytes()[..width]);
    }
    match bytes.len() as u64 > layout.bytes {
        true => Err("more initial values than elements".into()),
        false => Ok(bytes),
    }
}

/// A literal as the bits of a type.
pub(super) fn literal(number: Number, ty: Type) -> u64 {
    let value = match (number, ty.kind, ty.bits) {
        (Number::Integer(value), ..) => value,
        (Number::Single(bits), Kind::Float, 64) => f64::from(f32::from_bits(bits)).to_bits(),
        (Number::Single(bits), ..) => bits.into(),
        (Number::Double(bits), Kind::Float, 32) => {
            u64::from((f64::from_bits(bits) as f32).to_bits())
        }
        (Number::Double(bits), ..) => bits,
    };
    ty.cut(value)
}
