//! Libraries and their kernels. A program loads a library's device code once for all contexts. In each context, a kernel has its own
//! attributes, and a variable has its own address. The calls use the attributes and addresses of the current context.

use crate::driver::abi::{Handle, HostPointer, In, Out, Text};
use crate::driver::calls::function;
use crate::driver::calls::jit::Logs;
use crate::driver::calls::module::{checked_text, read_file};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::current::current;
use crate::driver::objects::library::{Library, LibraryKernel};
use crate::driver::objects::machine::machine;
use crate::driver::objects::module::{Function, Module};
use std::ffi::c_char;
use std::sync::Arc;

/// The highest number of a library option. Option 0 passes tables of host functions. With option 1, the caller promises to keep the image.
const HIGHEST_OPTION: i32 = 1;

#[expect(clippy::too_many_arguments, reason = "as the driver's call has")]
pub(crate) fn load(
    library: Out<Handle<Library>>,
    image: Text,
    options: In<i32>,
    values: Out<HostPointer>,
    count: u32,
    library_options: In<i32>,
    _library_values: HostPointer,
    library_count: u32,
) -> Outcome {
    let place = library.required()?;
    let logs = Logs::read(count, options, values)?;
    check_options(library_options, library_count)?;
    place.write(load_image(image.bytes()?, &logs)?)
}

#[expect(clippy::too_many_arguments, reason = "as the driver's call has")]
pub(crate) fn load_file(
    library: Out<Handle<Library>>,
    name: Text,
    options: In<i32>,
    values: Out<HostPointer>,
    count: u32,
    library_options: In<i32>,
    _library_values: HostPointer,
    library_count: u32,
) -> Outcome {
    let place = library.required()?;
    let logs = Logs::read(count, options, values)?;
    check_options(library_options, library_count)?;
    place.write(load_image(&read_file(name)?, &logs)?)
}

fn check_options(options: In<i32>, count: u32) -> Outcome {
    for index in 0..count as usize {
        if !(0..=HIGHEST_OPTION).contains(&options.read_element(index)?) {
            return Err(Code::INVALID_VALUE);
        }
    }
    Ok(())
}

/// If a context is current, the text is loaded into it at once, so that this call refuses an invalid text.
fn load_image(image: &[u8], logs: &Logs) -> Outcome<Handle<Library>> {
    let machine = machine()?;
    let text = checked_text(image);
    logs.write(text.as_ref().map_or_else(|refusal| &*refusal.why, |_| ""))?;
    let text = text.map_err(|refusal| {
        eprintln!("virtual-gpu: {}", refusal.why);
        refusal.code
    })?;
    let library = Arc::new(Library::new(text));
    if let Ok(context) = current() {
        library.module(machine, &context)?;
    }
    Ok(machine.libraries.insert(library))
}

pub(crate) fn unload(handle: Handle<Library>) -> Outcome {
    let machine = machine()?;
    machine.libraries.remove(handle)?.unload(machine);
    Ok(())
}

pub(crate) fn kernel(
    kernel: Out<Handle<LibraryKernel>>,
    handle: Handle<Library>,
    name: Text,
) -> Outcome {
    let machine = machine()?;
    let library = machine.libraries.get(handle)?;
    let place = kernel.required()?;
    let name = name.text(Code::NOT_FOUND)?;
    if let Ok(context) = current() {
        let (of_module, module) = library.module(machine, &context)?;
        module.function(machine, of_module, name)?;
    }
    place.write(library.kernel(machine, handle, name)?)
}

pub(crate) fn kernel_count(count: Out<u32>, handle: Handle<Library>) -> Outcome {
    let machine = machine()?;
    let (_, module) = machine
        .libraries
        .get(handle)?
        .module(machine, &current()?)?;
    count.write(u32::try_from(module.kernel_names().len()).unwrap_or(u32::MAX))
}

/// Writes the handles of the first `room` kernels.
pub(crate) fn kernels(
    kernels: Out<Handle<LibraryKernel>>,
    room: u32,
    handle: Handle<Library>,
) -> Outcome {
    let machine = machine()?;
    let library = machine.libraries.get(handle)?;
    let (_, module) = library.module(machine, &current()?)?;
    let names = module.kernel_names();
    for (index, name) in names.iter().take(room as usize).enumerate() {
        kernels.write_element(index, library.kernel(machine, handle, name)?);
    }
    Ok(())
}

pub(crate) fn module(module: Out<Handle<Module>>, handle: Handle<Library>) -> Outcome {
    let machine = machine()?;
    let (of_module, _) = machine
        .libraries
        .get(handle)?
        .module(machine, &current()?)?;
    module.write(of_module)
}

pub(crate) fn global(
    address: Out<u64>,
    bytes: Out<usize>,
    handle: Handle<Library>,
    name: Text,
) -> Outcome {
    let machine = machine()?;
    let (_, module) = machine
        .libraries
        .get(handle)?
        .module(machine, &current()?)?;
    let variable = module.variable(name.text(Code::NOT_FOUND)?)?;
    address.write_unless_null(variable.address);
    bytes.write_unless_null(usize::try_from(variable.bytes).unwrap_or(usize::MAX));
    Ok(())
}

fn find(kernel: Handle<LibraryKernel>) -> Outcome<Arc<LibraryKernel>> {
    machine()?.library_kernels.get(kernel)
}

fn here(kernel: Handle<LibraryKernel>) -> Outcome<Handle<Function>> {
    find(kernel)?.function(machine()?, &current()?)
}

pub(crate) fn function_of(
    function: Out<Handle<Function>>,
    kernel: Handle<LibraryKernel>,
) -> Outcome {
    function.write(here(kernel)?)
}

pub(crate) fn library_of(library: Out<Handle<Library>>, kernel: Handle<LibraryKernel>) -> Outcome {
    library.write(find(kernel)?.handle)
}

/// The name that is returned belongs to the library.
pub(crate) fn kernel_name(name: Out<*const c_char>, kernel: Handle<LibraryKernel>) -> Outcome {
    name.write(find(kernel)?.name.as_ptr())
}

pub(crate) fn attribute(
    value: Out<i32>,
    attribute: i32,
    kernel: Handle<LibraryKernel>,
    device: i32,
) -> Outcome {
    machine()?.device(device)?;
    function::attribute(value, attribute, here(kernel)?)
}

pub(crate) fn set_attribute(
    attribute: i32,
    value: i32,
    kernel: Handle<LibraryKernel>,
    device: i32,
) -> Outcome {
    machine()?.device(device)?;
    function::set_attribute(here(kernel)?, attribute, value)
}

pub(crate) fn set_cache(kernel: Handle<LibraryKernel>, config: i32, device: i32) -> Outcome {
    machine()?.device(device)?;
    function::set_cache(here(kernel)?, config)
}

pub(crate) fn parameter(
    kernel: Handle<LibraryKernel>,
    index: usize,
    offset: Out<usize>,
    bytes: Out<usize>,
) -> Outcome {
    function::parameter(here(kernel)?, index, offset, bytes)
}
