//! User objects, and the references to them that graphs hold.

use crate::driver::abi::{Handle, HostFunction, HostPointer, Out};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::graph::Graph;
use crate::driver::objects::machine::machine;
use crate::driver::objects::user_object::{GraphReferences, UserObject};
use std::ffi::c_void;

/// The mandatory flag: the program cannot wait for the destructor.
const NO_DESTRUCTOR_SYNC: u32 = 1;
/// With this flag, the graph takes over references that the program holds. Without it, new references are added for the graph.
const MOVE: u32 = 1;

pub(crate) fn create(
    object: Out<Handle<UserObject>>,
    data: HostPointer,
    destructor: Option<unsafe extern "C" fn(*mut c_void)>,
    references: u32,
    flags: u32,
) -> Outcome {
    let machine = machine()?;
    let place = object.required()?;
    let destructor = HostFunction::new(destructor, data)?;
    if flags != NO_DESTRUCTOR_SYNC || references == 0 || references > i32::MAX as u32 {
        return Err(Code::INVALID_VALUE);
    }
    place.write(
        machine
            .user_objects
            .insert(UserObject::new(destructor, references)),
    )
}

pub(crate) fn retain(handle: Handle<UserObject>, count: u32) -> Outcome {
    let object = machine()?.user_objects.get(handle)?;
    object.retain(at_least_one(count)?)
}

pub(crate) fn release(handle: Handle<UserObject>, count: u32) -> Outcome {
    let object = machine()?.user_objects.get(handle)?;
    object.release(handle, at_least_one(count)?)
}

pub(crate) fn retain_for_graph(
    graph: Handle<Graph>,
    handle: Handle<UserObject>,
    count: u32,
    flags: u32,
) -> Outcome {
    let machine = machine()?;
    let graph = machine.graphs.get(graph)?;
    let object = machine.user_objects.get(handle)?;
    let count = at_least_one(count)?;
    graph.add_references(match flags {
        0 => GraphReferences::added(handle, object, count)?,
        MOVE => GraphReferences::moved(handle, object, count),
        _ => return Err(Code::INVALID_VALUE),
    });
    Ok(())
}

/// The graph releases all its references to the object together, whatever `count` is.
pub(crate) fn release_for_graph(
    graph: Handle<Graph>,
    object: Handle<UserObject>,
    count: u32,
) -> Outcome {
    at_least_one(count)?;
    let gone = machine()?.graphs.get(graph)?.take_references(object);
    match gone.is_empty() {
        true => Err(Code::INVALID_VALUE),
        false => Ok(()),
    }
}

fn at_least_one(count: u32) -> Outcome<u32> {
    match count {
        0 => Err(Code::INVALID_VALUE),
        _ => Ok(count),
    }
}
