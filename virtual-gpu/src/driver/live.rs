//! Counts of live objects, for tests that check that nothing leaks.

use crate::driver::mode;
use crate::driver::objects::machine::Machine;
use crate::driver::objects::table::Owner;
use crate::driver::objects::threads::ThreadId;

/// The numbers of live objects, by kind.
///
/// ```
/// use virtual_gpu::driver::{Choice, Settings, live_of_this_thread, start};
///
/// start(Settings { choice: Choice::On, ..Settings::default() })?;
/// let live = live_of_this_thread().expect("the virtual device");
/// assert_eq!((live.allocations, live.streams), (0, 0));
/// # Ok::<(), virtual_gpu::driver::AlreadyStarted>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// How often primary contexts were retained, minus how often they were released. For one thread this may be negative.
    pub primary_retains: i64,
    /// Contexts, including primary contexts.
    pub contexts: usize,
    /// Streams, except default streams.
    pub streams: usize,
    /// Events.
    pub events: usize,
    /// Modules.
    pub modules: usize,
    /// Graphs that can be inspected.
    pub graphs: usize,
    /// Graphs that can be launched.
    pub executable_graphs: usize,
    /// Allocations of device memory and of managed memory, without the variables of modules.
    pub allocations: usize,
    /// The total bytes of these allocations.
    pub allocated_bytes: u64,
    /// Ranges of pinned host memory.
    pub pinned: usize,
    /// The total bytes of these ranges.
    pub pinned_bytes: u64,
}

/// The numbers of live objects on the virtual device, whichever thread made them. `None` without the virtual device.
///
/// ```
/// use virtual_gpu::driver::{Choice, Settings, live, start};
///
/// start(Settings { choice: Choice::On, ..Settings::default() })?;
/// let before = live().expect("the virtual device");
/// // Objects that are created and destroyed here are no longer counted.
/// assert_eq!(live(), Some(before));
/// # Ok::<(), virtual_gpu::driver::AlreadyStarted>(())
/// ```
pub fn live() -> Option<Live> {
    mode::machine().map(|machine| account(machine, Owner::Anyone))
}

/// The numbers of live objects that the calling thread made on the virtual device. Tests that run side by side do not affect these numbers.
/// `None` without the virtual device.
///
/// ```
/// use virtual_gpu::driver::{Choice, Live, Settings, live_of_this_thread, start};
///
/// start(Settings { choice: Choice::On, ..Settings::default() })?;
/// assert_eq!(live_of_this_thread(), Some(Live::default()));
/// # Ok::<(), virtual_gpu::driver::AlreadyStarted>(())
/// ```
pub fn live_of_this_thread() -> Option<Live> {
    let owner = Owner::Thread(ThreadId::current());
    mode::machine().map(|machine| account(machine, owner))
}

fn account(machine: &Machine, owner: Owner) -> Live {
    let device = machine.known_memory.device_amount(owner);
    let pinned = machine.known_memory.pinned_amount(owner);
    let devices = machine.devices.iter();
    Live {
        primary_retains: devices.map(|device| device.primary.retains(owner)).sum(),
        contexts: machine.contexts.count(owner),
        streams: machine.streams.count(owner),
        events: machine.events.count(owner),
        modules: machine.modules.count(owner),
        graphs: machine.graphs.count(owner),
        executable_graphs: machine.executable_graphs.count(owner),
        allocations: device.ranges,
        allocated_bytes: device.bytes,
        pinned: pinned.ranges,
        pinned_bytes: pinned.bytes,
    }
}
