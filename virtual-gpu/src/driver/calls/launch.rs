//! Launches of kernels and of host functions.

use crate::driver::abi::{Handle, HostFunction, HostPointer, In, StreamCallback};
use crate::driver::calls::enqueue;
use crate::driver::calls::function::find;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::current::current_in_any_state;
use crate::driver::objects::module::Function;
use crate::driver::objects::stream::{Stream, resolve};
use crate::driver::objects::work::{Action, KernelLaunch};
use crate::{Dependence, Kernel, Shape};
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Keys of the `extra` list: its end, a buffer with the parameters, and the buffer's size. A launch passes its
/// parameters either in an array or in this list.
const LIST_END: u64 = 0;
const LIST_BUFFER: u64 = 1;
const LIST_SIZE: u64 = 2;

/// `CUlaunchConfig`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared_bytes: u32,
    stream: Handle<Stream>,
    attributes: In<Attribute>,
    attribute_count: u32,
}

/// `CUlaunchAttribute`: its number, and a union. Only the first four bytes of the union are read.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
pub(crate) struct Attribute {
    id: i32,
    padding: MaybeUninit<[u8; 4]>,
    value: i32,
    rest: MaybeUninit<[u8; 60]>,
}

/// Numbers of launch attributes.
const IGNORE: i32 = 0;
const COOPERATIVE: i32 = 2;
const PRIORITY: i32 = 8;
const PROGRAMMATIC_STREAM_SERIALIZATION: i32 = 6;

/// `cuLaunchKernel`. Parameters are read during the call; the kernel runs when the stream reaches it. The stream and the function must have
/// the same context. This context need not be current, unless the stream is a default stream or the function is a library's kernel.
#[expect(clippy::too_many_arguments, reason = "the driver's call has eleven")]
pub(crate) fn kernel(
    function: Handle<Function>,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    dynamic_shared_bytes: u32,
    stream: Handle<Stream>,
    parameters: In<HostPointer>,
    list: In<HostPointer>,
) -> Outcome {
    let shape = Shape {
        grid: [grid_x, grid_y, grid_z],
        block: [block_x, block_y, block_z],
        dynamic_shared_bytes,
    };
    launch_with(
        function,
        shape,
        Dependence::Full,
        stream,
        (parameters, list),
    )
}

/// `cuLaunchKernelEx`. A programmatic launch may begin before earlier work of its stream has ended, and its threads must wait for that
/// work. On the virtual device it does not begin early, but a check finds threads that do not wait. In a graph, the launch is a node like
/// any other: it comes after the earlier nodes of its stream. Its threads must still wait.
pub(crate) fn kernel_with_attributes(
    config: In<Config>,
    function: Handle<Function>,
    parameters: In<HostPointer>,
    list: In<HostPointer>,
) -> Outcome {
    let config = config.read()?;
    let mut dependence = Dependence::Full;
    let mut is_cooperative = false;
    for index in 0..config.attribute_count as usize {
        let attribute = config.attributes.read_element(index)?;
        match (attribute.id, attribute.value) {
            (IGNORE, _) | (COOPERATIVE, 0) => {}
            (COOPERATIVE, _) => is_cooperative = true,
            // Priorities have no effect.
            (PRIORITY, _) => {}
            (PROGRAMMATIC_STREAM_SERIALIZATION, 0) => dependence = Dependence::Full,
            (PROGRAMMATIC_STREAM_SERIALIZATION, 1) => dependence = Dependence::Programmatic,
            (PROGRAMMATIC_STREAM_SERIALIZATION, _) => return Err(Code::INVALID_VALUE),
            _ => return Err(Code::NOT_SUPPORTED),
        }
    }
    let shape = Shape {
        grid: config.grid,
        block: config.block,
        dynamic_shared_bytes: config.dynamic_shared_bytes,
    };
    if is_cooperative {
        check_cooperative(function, &shape)?;
    }
    launch_with(
        function,
        shape,
        dependence,
        config.stream,
        (parameters, list),
    )
}

/// Launches a kernel. Its parameters come as an array of pointers or as a list.
fn launch_with(
    function: Handle<Function>,
    shape: Shape,
    dependence: Dependence,
    stream: Handle<Stream>,
    (parameters, list): (In<HostPointer>, In<HostPointer>),
) -> Outcome {
    resolve(stream)?;
    let function = find(function)?;
    let parameters = match (parameters.is_null(), list.is_null()) {
        (false, false) => return Err(Code::INVALID_VALUE),
        (true, false) => from_list(list)?,
        (_, true) => from_array(&function.kernel, parameters)?,
    };
    launch(function, shape, dependence, stream, parameters)
}

/// Enqueues a kernel.
pub(super) fn launch(
    function: Arc<Function>,
    shape: Shape,
    dependence: Dependence,
    stream: Handle<Stream>,
    parameters: Box<[u8]>,
) -> Outcome {
    let stream = resolve(stream)?;
    if !Arc::ptr_eq(&function.module.context, &stream.context) {
        return Err(Code::INVALID_HANDLE);
    }
    let most_dynamic = function.max_dynamic_shared_bytes.load(Ordering::Relaxed);
    if shape.dynamic_shared_bytes > most_dynamic {
        return Err(Code::INVALID_VALUE);
    }
    let config = &stream.context.device.config;
    let checked = function.kernel.check_launch(&shape, &parameters, config);
    checked.map_err(|error| Code(error.cu_result()))?;
    let launch = KernelLaunch {
        function,
        shape,
        parameters,
        dependence,
    };
    enqueue(&stream, Action::Kernel(Arc::new(launch)))?;
    Ok(())
}

/// Gathers the parameters from an array of pointers to them.
fn from_array(kernel: &Kernel, pointers: In<HostPointer>) -> Outcome<Box<[u8]>> {
    let mut gathered = vec![0; kernel.parameter_bytes() as usize].into_boxed_slice();
    for (index, parameter) in kernel.parameters().iter().enumerate() {
        let start = parameter.offset as usize;
        let place = gathered.get_mut(start..start + parameter.bytes as usize);
        let pointer = pointers.read_element(index)?;
        pointer.read_into(place.ok_or(Code::INVALID_VALUE)?)?;
    }
    Ok(gathered)
}

/// Reads the parameters from the buffer that a list names.
fn from_list(list: In<HostPointer>) -> Outcome<Box<[u8]>> {
    let (mut buffer, mut size) = (None, None);
    let mut index = 0;
    loop {
        match list.read_element(index)?.address() {
            LIST_END => break,
            LIST_BUFFER => buffer = Some(list.read_element(index + 1)?),
            LIST_SIZE => size = Some(list.read_element(index + 1)?),
            _ => return Err(Code::INVALID_VALUE),
        }
        index += 2;
    }
    let (buffer, size) = buffer.zip(size).ok_or(Code::INVALID_VALUE)?;
    let mut bytes = [0; size_of::<usize>()];
    size.read_into(&mut bytes)?;
    buffer.read(usize::from_ne_bytes(bytes))
}

/// `cuLaunchCooperativeKernel`. All blocks of a cooperative grid must be resident at once, so a grid that does not fit
/// on the device is refused.
#[expect(clippy::too_many_arguments, reason = "the driver's call has ten")]
pub(crate) fn cooperative_kernel(
    function: Handle<Function>,
    grid_x: u32,
    grid_y: u32,
    grid_z: u32,
    block_x: u32,
    block_y: u32,
    block_z: u32,
    dynamic_shared_bytes: u32,
    stream: Handle<Stream>,
    parameters: In<HostPointer>,
) -> Outcome {
    let shape = Shape {
        grid: [grid_x, grid_y, grid_z],
        block: [block_x, block_y, block_z],
        dynamic_shared_bytes,
    };
    check_cooperative(function, &shape)?;
    let none = In::NULL;
    launch_with(
        function,
        shape,
        Dependence::Full,
        stream,
        (parameters, none),
    )
}

/// Fails unless all blocks fit on the device at once.
fn check_cooperative(function: Handle<Function>, shape: &Shape) -> Outcome {
    let function = find(function)?;
    let count = |dim: [u32; 3]| dim.iter().map(|n| u64::from(*n)).product::<u64>();
    let threads = u32::try_from(count(shape.block)).map_err(|_| Code::INVALID_VALUE)?;
    let of_one = function.blocks_per_multiprocessor(threads, shape.dynamic_shared_bytes as usize);
    let device = function.module.context.device;
    if count(shape.grid) > u64::from(of_one) * u64::from(device.config.multiprocessors) {
        return Err(Code::COOPERATIVE_LAUNCH_TOO_LARGE);
    }
    Ok(())
}

/// `cuStreamAddCallback`: a host function that receives the stream and a status. The status is always success: after an
/// error the function is not called.
pub(crate) fn callback(
    stream: Handle<Stream>,
    function: StreamCallback,
    data: HostPointer,
    flags: u32,
) -> Outcome {
    current_in_any_state()?;
    let resolved = resolve(stream)?;
    if flags != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let function = HostFunction::of_stream(function, stream, data)?;
    enqueue(&resolved, Action::Host(function))?;
    Ok(())
}

/// `cuLaunchHostFunc`. The function runs on whichever thread is doing the stream's work.
pub(crate) fn host_function(
    stream: Handle<Stream>,
    function: Option<unsafe extern "C" fn(*mut c_void)>,
    data: HostPointer,
) -> Outcome {
    current_in_any_state()?;
    let stream = resolve(stream)?;
    let function = HostFunction::new(function, data)?;
    enqueue(&stream, Action::Host(function))?;
    Ok(())
}

const _: () = assert!(size_of::<Config>() == 56 && size_of::<Attribute>() == 72);
