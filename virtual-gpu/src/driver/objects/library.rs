//! Libraries: PTX texts. A text is loaded into a context when a call first needs it there.

use crate::driver::abi::Handle;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::context::Context;
use crate::driver::objects::lock;
use crate::driver::objects::machine::Machine;
use crate::driver::objects::module::{Function, Module};
use std::ffi::CString;
use std::sync::{Arc, Mutex, Weak};

/// A library.
pub(crate) struct Library {
    text: String,
    loaded: Mutex<Vec<Loaded>>,
    /// The kernels that were looked up.
    kernels: Mutex<Vec<(CString, Handle<LibraryKernel>)>>,
}

/// A library's module in one context.
struct Loaded {
    module: Weak<Module>,
    handle: Handle<Module>,
}

/// A kernel of a library, in any context.
pub(crate) struct LibraryKernel {
    pub(crate) library: Arc<Library>,
    pub(crate) handle: Handle<Library>,
    /// The kernel's name. Callers get the address of the name's bytes, so these bytes must not move.
    pub(crate) name: CString,
}

impl Library {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            loaded: Mutex::default(),
            kernels: Mutex::default(),
        }
    }

    /// The library's module in a context. Loads the module there, unless it is already loaded.
    pub(crate) fn module(
        &self,
        machine: &Machine,
        context: &Arc<Context>,
    ) -> Outcome<(Handle<Module>, Arc<Module>)> {
        let mut loaded = lock(&self.loaded);
        loaded.retain(|known| known.module.strong_count() > 0);
        let here = loaded.iter().find_map(|known| {
            let module = known.module.upgrade()?;
            Arc::ptr_eq(&module.context, context).then_some((known.handle, module))
        });
        if let Some(here) = here {
            return Ok(here);
        }
        let module = Module::load(Arc::clone(context), &self.text);
        let module = Arc::new(module.map_err(|error| Code(error.cu_result()))?);
        let handle = machine.modules.insert(Arc::clone(&module));
        loaded.push(Loaded {
            module: Arc::downgrade(&module),
            handle,
        });
        Ok((handle, module))
    }

    /// The handle of a kernel. Each lookup of the same name returns the same handle.
    pub(crate) fn kernel(
        self: &Arc<Self>,
        machine: &Machine,
        handle: Handle<Library>,
        name: &str,
    ) -> Outcome<Handle<LibraryKernel>> {
        let name = CString::new(name).map_err(|_| Code::NOT_FOUND)?;
        let mut kernels = lock(&self.kernels);
        if let Some((_, known)) = kernels.iter().find(|(other, _)| *other == name) {
            return Ok(*known);
        }
        let made = machine.library_kernels.insert(LibraryKernel {
            library: Arc::clone(self),
            handle,
            name: name.clone(),
        });
        kernels.push((name, made));
        Ok(made)
    }

    /// Forgets the modules and the kernels.
    pub(crate) fn unload(self: &Arc<Self>, machine: &Machine) {
        let modules: Vec<_> = lock(&self.loaded)
            .drain(..)
            .filter_map(|known| known.module.upgrade())
            .collect();
        let is_ours = |module: &Arc<Module>| modules.iter().any(|own| Arc::ptr_eq(own, module));
        machine
            .functions
            .retain(|function| !is_ours(&function.module));
        machine
            .modules
            .retain(|module| !modules.iter().any(|own| std::ptr::eq(&**own, module)));
        machine
            .library_kernels
            .retain(|kernel| !Arc::ptr_eq(&kernel.library, self));
    }
}

impl LibraryKernel {
    /// The kernel as a function of a context.
    pub(crate) fn function(
        &self,
        machine: &Machine,
        context: &Arc<Context>,
    ) -> Outcome<Handle<Function>> {
        let (handle, module) = self.library.module(machine, context)?;
        let name = self.name.to_str().map_err(|_| Code::NOT_FOUND)?;
        module.function(machine, handle, name)
    }
}
