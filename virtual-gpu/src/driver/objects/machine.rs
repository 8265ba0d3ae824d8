//! The machine: its devices, and the tables of their live objects.

use crate::checks::Orders;
use crate::driver::abi::Handle;
use crate::driver::code::{Code, Outcome};
use crate::driver::findings::{Findings, Left};
use crate::driver::mode;
use crate::driver::objects::capture::Captures;
use crate::driver::objects::context::Context;
use crate::driver::objects::event::Event;
use crate::driver::objects::graph::{ExecutableGraph, Graph, NodeName};
use crate::driver::objects::known_memory::KnownMemory;
use crate::driver::objects::library::{Library, LibraryKernel};
use crate::driver::objects::linker::Linker;
use crate::driver::objects::module::{Function, Module};
use crate::driver::objects::pool::{self, Pool};
use crate::driver::objects::primary::Primary;
use crate::driver::objects::stream::Stream;
use crate::driver::objects::table::Table;
use crate::driver::objects::user_object::UserObject;
use crate::driver::settings::Settings;
use crate::{DeviceConfig, Memory, RunOptions, Switch};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The virtual machine. A process has at most one virtual machine.
pub(crate) struct Machine {
    initialised: AtomicBool,
    pub(crate) devices: Vec<Device>,
    pub(crate) pools: Table<Pool>,
    pub(crate) run: Arc<RunOptions>,
    pub(crate) contexts: Table<Context>,
    pub(crate) streams: Table<Stream>,
    pub(crate) events: Table<Event>,
    pub(crate) modules: Table<Module>,
    pub(crate) functions: Table<Function>,
    pub(crate) libraries: Table<Library>,
    pub(crate) library_kernels: Table<LibraryKernel>,
    pub(crate) linkers: Table<Linker>,
    pub(crate) graphs: Table<Graph>,
    pub(crate) graph_nodes: Table<NodeName>,
    pub(crate) executable_graphs: Table<ExecutableGraph>,
    pub(crate) user_objects: Table<UserObject>,
    pub(crate) captures: Captures,
    pub(crate) known_memory: KnownMemory,
}

/// One device of the machine.
pub(crate) struct Device {
    pub(crate) ordinal: i32,
    pub(crate) config: DeviceConfig,
    pub(crate) memory: Memory,
    /// The record of all work on the machine, for finding data races. All devices share one record.
    pub(crate) orders: Arc<Orders>,
    pub(crate) primary: Primary,
    /// The device's default pool.
    pub(crate) pool: Handle<Pool>,
}

impl Machine {
    pub(crate) fn new(settings: Settings) -> Self {
        let orders = Arc::new(Orders::default());
        let pools = Table::new(Code::INVALID_VALUE);
        let atomics = Arc::default();
        let device = |ordinal: u32| Device {
            ordinal: ordinal.cast_signed(),
            config: settings.device.clone(),
            memory: Memory::of_device(ordinal, settings.device.memory_bytes, Arc::clone(&atomics)),
            orders: Arc::clone(&orders),
            primary: Primary::default(),
            pool: pools.insert(Pool::new(ordinal.cast_signed(), pool::Kind::Default)),
        };
        let ordinals = 0..settings.devices.count();
        Self {
            initialised: AtomicBool::new(false),
            devices: ordinals.map(device).collect(),
            pools,
            run: Arc::new(settings.run),
            contexts: Table::new(Code::INVALID_CONTEXT),
            streams: Table::new(Code::INVALID_HANDLE),
            events: Table::new(Code::INVALID_HANDLE),
            modules: Table::new(Code::INVALID_HANDLE),
            functions: Table::new(Code::INVALID_HANDLE),
            libraries: Table::new(Code::INVALID_HANDLE),
            library_kernels: Table::new(Code::INVALID_HANDLE),
            linkers: Table::new(Code::INVALID_HANDLE),
            graphs: Table::new(Code::INVALID_VALUE),
            graph_nodes: Table::new(Code::INVALID_VALUE),
            executable_graphs: Table::new(Code::INVALID_VALUE),
            user_objects: Table::new(Code::INVALID_VALUE),
            captures: Captures::default(),
            known_memory: KnownMemory::default(),
        }
    }

    /// Records that `cuInit` was called.
    pub(crate) fn initialise(&self) {
        self.initialised.store(true, Ordering::Release);
    }

    pub(crate) fn device(&self, ordinal: i32) -> Outcome<&Device> {
        let index = usize::try_from(ordinal).map_err(|_| Code::INVALID_DEVICE)?;
        self.devices.get(index).ok_or(Code::INVALID_DEVICE)
    }

    /// The memory of the first device that has an allocation at this address. Only managed memory is on several devices.
    pub(crate) fn memory_at(&self, address: u64) -> Option<&Memory> {
        let mut memories = self.devices.iter().map(|device| &device.memory);
        memories.find(|memory| memory.find(address).is_some())
    }

    /// Removes a context with all its objects. Returns the numbers of the removed objects, for a report of leaks.
    pub(crate) fn destroy(&self, context: &Arc<Context>) -> Left {
        context.drain();
        self.captures.abandon(context);
        let elsewhere = |other: &Arc<Context>| !Arc::ptr_eq(other, context);
        let streams = self.streams.retain(|stream| elsewhere(&stream.context));
        let events = self.events.retain(|event| elsewhere(&event.context));
        self.functions
            .retain(|function| elsewhere(&function.module.context));
        let modules = self.modules.retain(|module| elsewhere(&module.context));
        self.linkers.retain(|linker| elsewhere(&linker.context));
        context.forget_streams();
        let memory = self.known_memory.free_all_of(self, context);
        self.contexts
            .retain(|other| !std::ptr::eq(other, &**context));
        Left {
            streams: streams.len(),
            events: events.len(),
            modules: modules.len(),
            ..memory
        }
    }

    /// Destroys a context. Reports objects that the program did not free, unless the context was poisoned or the check for leaks is off.
    pub(crate) fn let_go(&self, context: &Arc<Context>) {
        let could_free = context.check().is_ok();
        let left = self.destroy(context);
        if could_free && self.run.checks.leaks == Switch::On {
            Findings::of_this_thread().report_left(context.device.ordinal, left);
        }
    }
}

/// The machine. Fails if `cuInit` was not called.
pub(crate) fn machine() -> Outcome<&'static Machine> {
    let machine = mode::machine().ok_or(Code::NOT_INITIALIZED)?;
    if !machine.initialised.load(Ordering::Acquire) {
        return Err(Code::NOT_INITIALIZED);
    }
    Ok(machine)
}
