//! `cuPointerGetAttribute` and `cuPointerGetAttributes`: properties of an address.

use crate::driver::abi::{Handle, HostPointer, In};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::context::Context;
use crate::driver::objects::current::current;
use crate::driver::objects::known_memory::Found;
use crate::driver::objects::machine::machine;

const MEMORY_TYPE_HOST: u32 = 1;
const MEMORY_TYPE_DEVICE: u32 = 2;

/// The range of known memory that contains an address.
enum Side {
    Device(Found),
    Host(Found),
}

/// An attribute's value, by its C type.
enum Value {
    Context(Handle<Context>),
    Word(u32),
    Long(u64),
}

pub(crate) fn attribute(value: HostPointer, attribute: i32, address: u64) -> Outcome {
    current()?;
    let side = side(address)?.ok_or(Code::INVALID_VALUE)?;
    store(value, value_of(attribute, address, &side)?)
}

/// An unknown address is not an error: its device is −2, and every other attribute is zero.
pub(crate) fn attributes(
    count: u32,
    attributes: In<i32>,
    values: In<HostPointer>,
    address: u64,
) -> Outcome {
    current()?;
    let side = side(address)?;
    for index in 0..count as usize {
        let attribute = attributes.read_element(index)?;
        let value = match &side {
            Some(side) => value_of(attribute, address, side)?,
            None => zero(attribute)?,
        };
        store(values.read_element(index)?, value)?;
    }
    Ok(())
}

fn side(address: u64) -> Outcome<Option<Side>> {
    let known = &machine()?.known_memory;
    if let Some(found) = known.find(address) {
        return Ok(Some(Side::Device(found)));
    }
    Ok(known.find_host(address).map(|(found, _)| Side::Host(found)))
}

fn value_of(attribute: i32, address: u64, side: &Side) -> Outcome<Value> {
    let (Side::Device(found) | Side::Host(found)) = side;
    Ok(match (attribute, side) {
        (1, _) => {
            let context = found.context.as_ref();
            Value::Context(context.map_or(Handle::NULL, |context| context.handle))
        }
        (2, Side::Device(_)) => Value::Word(MEMORY_TYPE_DEVICE),
        (2, Side::Host(_)) => Value::Word(MEMORY_TYPE_HOST),
        (3, _) | (4, Side::Host(_)) => Value::Long(address),
        (4, Side::Device(found)) if found.is_managed => Value::Long(address),
        (6, _) => Value::Word(0), // synchronous operations
        (8, _) => Value::Word(found.is_managed.into()),
        (7, _) => Value::Long(found.id),
        (9, _) => Value::Word(found.device.cast_unsigned()),
        (11, _) => Value::Long(found.start),
        (12, _) => Value::Long(found.bytes),
        (13, _) => Value::Word(1), // mapped
        _ => return Err(Code::INVALID_VALUE),
    })
}

fn zero(attribute: i32) -> Outcome<Value> {
    match attribute {
        1 => Ok(Value::Context(Handle::NULL)),
        2 | 6 | 8 | 13 => Ok(Value::Word(0)),
        9 => Ok(Value::Word((-2_i32).cast_unsigned())), // no device
        3 | 4 | 7 | 11 | 12 => Ok(Value::Long(0)),
        _ => Err(Code::INVALID_VALUE),
    }
}

fn store(place: HostPointer, value: Value) -> Outcome {
    match value {
        Value::Context(handle) => place.write(&handle.key().to_ne_bytes()),
        Value::Word(word) => place.write(&word.to_ne_bytes()),
        Value::Long(long) => place.write(&long.to_ne_bytes()),
    }
}
