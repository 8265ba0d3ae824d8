//! Launches in the style of CUDA before version 4.0: calls such as `cuParamSetv` set up a function, and calls such as `cuLaunchGrid` launch
//! it.

use crate::driver::abi::{Handle, HostPointer};
use crate::driver::calls::function::find;
use crate::driver::calls::launch::launch;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::lock;
use crate::driver::objects::module::{Function, Setup};
use crate::driver::objects::stream::Stream;
use crate::{Dependence, Shape};

/// The maximum total size of a function's parameters.
const MAX_PARAMETER_BYTES: usize = 32_764;

fn change(function: Handle<Function>, change: impl FnOnce(&mut Setup)) -> Outcome {
    let function = find(function)?;
    change(&mut lock(&function.setup));
    Ok(())
}

fn positive(number: i32) -> Outcome<u32> {
    let number = u32::try_from(number).ok().filter(|number| *number > 0);
    number.ok_or(Code::INVALID_VALUE)
}

pub(crate) fn set_block_shape(function: Handle<Function>, x: i32, y: i32, z: i32) -> Outcome {
    let block = [positive(x)?, positive(y)?, positive(z)?];
    change(function, |setup| setup.block = block)
}

pub(crate) fn set_shared_bytes(function: Handle<Function>, bytes: u32) -> Outcome {
    change(function, |setup| setup.dynamic_shared_bytes = bytes)
}

/// Sets the total size of the parameters. Bytes that were set before keep their values, and new bytes are zeros.
pub(crate) fn set_parameter_bytes(function: Handle<Function>, bytes: u32) -> Outcome {
    let bytes = bytes as usize;
    if bytes > MAX_PARAMETER_BYTES {
        return Err(Code::INVALID_VALUE);
    }
    change(function, |setup| {
        setup.parameter_bytes = bytes;
        let room = setup.parameters.len().max(bytes);
        setup.parameters.resize(room, 0);
    })
}

pub(crate) fn set_integer(function: Handle<Function>, offset: i32, value: u32) -> Outcome {
    set_bytes(function, offset, &value.to_le_bytes())
}

pub(crate) fn set_float(function: Handle<Function>, offset: i32, value: f32) -> Outcome {
    set_bytes(function, offset, &value.to_le_bytes())
}

pub(crate) fn set_vector(
    function: Handle<Function>,
    offset: i32,
    from: HostPointer,
    bytes: u32,
) -> Outcome {
    set_bytes(function, offset, &from.read(bytes as usize)?)
}

/// Sets the bytes of one parameter. The total size of the parameters may be set before or after this call.
fn set_bytes(function: Handle<Function>, offset: i32, bytes: &[u8]) -> Outcome {
    let start = usize::try_from(offset).map_err(|_| Code::INVALID_VALUE)?;
    let end = start.saturating_add(bytes.len());
    if end > MAX_PARAMETER_BYTES {
        return Err(Code::INVALID_VALUE);
    }
    change(function, |setup| {
        let room = setup.parameters.len().max(end);
        setup.parameters.resize(room, 0);
        setup.parameters[start..end].copy_from_slice(bytes);
    })
}

/// `cuLaunch`: a grid of one block, in the default stream.
pub(crate) fn launch_block(function: Handle<Function>) -> Outcome {
    launch_grid(function, 1, 1)
}

pub(crate) fn launch_grid(function: Handle<Function>, width: i32, height: i32) -> Outcome {
    launch_grid_async(function, width, height, Handle::NULL)
}

pub(crate) fn launch_grid_async(
    function: Handle<Function>,
    width: i32,
    height: i32,
    stream: Handle<Stream>,
) -> Outcome {
    let grid = [positive(width)?, positive(height)?, 1];
    let found = find(function)?;
    let setup = lock(&found.setup).clone();
    let shape = Shape {
        grid,
        block: setup.block,
        dynamic_shared_bytes: setup.dynamic_shared_bytes,
    };
    let parameters = setup.parameters[..setup.parameter_bytes].into();
    launch(found, shape, Dependence::Full, stream, parameters)
}
