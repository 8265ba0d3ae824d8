//! The calls for primary contexts.

use crate::driver::abi::{Handle, Out};
use crate::driver::code::Outcome;
use crate::driver::objects::context::Context;
use crate::driver::objects::machine::machine;

pub(crate) fn retain(context: Out<Handle<Context>>, device: i32) -> Outcome {
    let machine = machine()?;
    let device = machine.device(device)?;
    let context = context.required()?;
    context.write(device.primary.retain(machine, device))
}

pub(crate) fn release(device: i32) -> Outcome {
    let machine = machine()?;
    machine.device(device)?.primary.release(machine)
}

pub(crate) fn reset(device: i32) -> Outcome {
    let machine = machine()?;
    machine.device(device)?.primary.reset(machine);
    Ok(())
}

pub(crate) fn set_flags(device: i32, flags: u32) -> Outcome {
    machine()?.device(device)?.primary.set_flags(flags)
}

pub(crate) fn state(device: i32, flags: Out<u32>, active: Out<i32>) -> Outcome {
    let state = machine()?.device(device)?.primary.state();
    let (flags, active) = (flags.required()?, active.required()?);
    flags.write(state.flags)?;
    active.write(i32::from(state.is_active))
}
